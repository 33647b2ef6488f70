"""What a dataset gives: tables of records with the pairs that match, and the columns of a pool.

Both are read from the canonical content of a file: CSV in UTF-8 with commas and a header.
"""

from __future__ import annotations

import csv
import io
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# A column name and its values, all of them text, in the order of the file.
Records = dict[str, list[str]]
Columns = dict[str, NDArray[Any]]

# Nobody is told the truth with the records.
TRUTH = "cluster"
IDS = ("left_id", "right_id")
ROWS = ("id", "left_row", "right_row")
ANSWERS = ("label", "pred")


class Tables(NamedTuple):
    """Records of two sources, and the ids of those that match; of one source, if `right` is None.

    Every table has a column `id`. Within one source each unordered pair that matches is there once.
    """

    left: Records
    right: Records | None
    matches: list[tuple[str, str]]


def linked(left: bytes, right: bytes, matches: bytes) -> Tables:
    r"""Return two sources, read from the content of their files.

    >>> linked(b"id,name\n7,Ann\n", b"id,name\n9,Anne\n", b"left_id,right_id\n7,9\n").matches
    [('7', '9')]
    """
    return Tables(records(left), records(right), pairs(matches))


def deduplicated(table: bytes, matches: bytes) -> Tables:
    """Return one source without its column of the truth, read from the content of its files."""
    fields = {name: values for name, values in records(table).items() if name != TRUTH}
    return Tables(fields, None, pairs(matches))


def records(content: bytes) -> Records:
    r"""Return the columns of a CSV file as text.

    >>> records(b"id,name\n7,Ann\n8,\n")
    {'id': ['7', '8'], 'name': ['Ann', '']}
    """
    header, *rows = csv.reader(io.StringIO(content.decode(), newline=""))
    return {name: [row[column] for row in rows] for column, name in enumerate(header)}


def pairs(content: bytes) -> list[tuple[str, str]]:
    """Return the rows of a CSV file with two columns."""
    rows = csv.reader(io.StringIO(content.decode(), newline=""))
    return [(left, right) for left, right in rows][1:]


def columns(content: bytes) -> Columns:
    r"""Return the columns of a pool: rows as int64, ids as text, answers as bool, the others as float64.

    >>> pool = columns(b"left_id,right_id,label,score\n7,9,1,0.5\n8,9,0,-2\n")
    >>> pool["left_id"].tolist(), pool["label"].tolist(), pool["score"].tolist()
    (['7', '8'], [True, False], [0.5, -2.0])
    """
    text = io.StringIO(content.decode())
    header = text.readline().rstrip("\n").split(",")
    return {name: _column(text, name, place) for place, name in enumerate(header)}


def _column(text: io.StringIO, name: str, place: int) -> NDArray[Any]:
    text.seek(0)
    kind = str if name in IDS else np.int64 if name in (*ROWS, *ANSWERS) else np.float64
    values = np.loadtxt(text, dtype=kind, delimiter=",", skiprows=1, usecols=place, ndmin=1)
    return values.astype(np.bool_) if name in ANSWERS else values
