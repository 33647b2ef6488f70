"""Records as tables of text, and the checks that they pass before anything is compared.

A table is a mapping of column names to values, all of them text; a missing value is empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from qanat.core.arrays import Integers
from qanat.errors import BadInput, nearest

Records = Mapping[str, Sequence[str]]
Matches = Iterable[tuple[str, str]]


class Tables(NamedTuple):
    """One or two tables that passed the checks: `right` is `left` where duplicates are looked for in one."""

    left: Records
    right: Records
    left_ids: list[str]
    right_ids: list[str]
    names: tuple[str, str]

    @property
    def is_one(self) -> bool:
        """Return whether duplicates are looked for in one table."""
        return self.right is self.left


def read_records(path: Path, of_what: str = "records") -> Records:
    """Return the table in a CSV, CSV.gz or Parquet file, every value as text."""
    from qanat.pool.on_duckdb import read_texts

    return read_texts(path, of_what)


def read_matches(path: Path) -> list[tuple[str, str]]:
    """Return the pairs of ids in the columns left_id and right_id of a file, or in the only two it has."""
    records = read_records(path, "pairs of ids")
    names = list(records)
    if "left_id" in names and "right_id" in names:
        names = ["left_id", "right_id"]
    if len(names) != 2:
        raise BadInput(
            f"{path} has the columns {', '.join(names)}: expected left_id and right_id, the ids of two records "
            "that match. Rename them."
        )
    return list(zip(records[names[0]], records[names[1]], strict=True))


def checked_tables(
    left: Records, right: Records | None, *, id_column: str = "id", names: tuple[str, str] = ("left", "right")
) -> Tables:
    """Return the tables if each has records, and an id for each that no other record has."""
    left_ids = _checked_ids(left, names[0], id_column)
    if right is None:
        if len(left_ids) == 1:
            raise BadInput(f"The {names[0]} table has one record: expected two at least, or a second table.")
        return Tables(left, left, left_ids, left_ids, (names[0], names[0]))
    return Tables(left, right, left_ids, _checked_ids(right, names[1], id_column), names)


def _checked_ids(records: Records, table: str, id_column: str) -> list[str]:
    if id_column not in records:
        raise BadInput(
            f"The {table} table has no column {id_column!r} for the ids of its records. "
            f"{nearest(id_column, [str(name) for name in records])} Name the column of ids."
        )
    ids = list(records[id_column])
    if not ids:
        raise BadInput(f"The {table} table is empty: expected at least one record. Check the file.")
    for name, values in records.items():
        if len(values) != len(ids):
            raise BadInput(
                f"Column {name!r} of the {table} table has {len(values)} values for {len(ids)} ids: "
                "expected one for each record."
            )
    _refuse_bad_ids(ids, table, id_column)
    return ids


def _refuse_bad_ids(ids: list[str], table: str, id_column: str) -> None:
    """Refuse ids that are missing, or that several records share."""
    if not all(ids):
        row, missing = ids.index("") + 1, ids.count("")
        raise BadInput(
            f"{missing} of the {len(ids)} records of the {table} table have no {id_column}, the first in row "
            f"{row}: expected an id for each. Fill them in or drop those records."
        )
    row_of: dict[str, int] = {}
    for row, each in enumerate(ids, 1):
        if row_of.setdefault(each, row) != row:
            raise BadInput(
                f"The {table} table has {len(ids) - len(set(ids))} repeated ids, the first being {each!r} in "
                f"rows {row_of[each]} and {row}: expected a different one for each record. "
                "Number the records anew."
            )


def matching_rows(tables: Tables, truth: Matches) -> Integers:
    """Return the rows of the records that match, shape (n, 2), each pair once.

    In one table the smaller row comes first, and a record is no match of itself.
    """
    places = [{each: row for row, each in enumerate(ids)} for ids in (tables.left_ids, tables.right_ids)]
    pairs = [(str(first), str(second)) for first, second in truth]
    if not pairs:
        raise BadInput("The truth is empty: expected the ids of at least one pair of records that match.")
    for side, (place, ids) in enumerate(zip(places, zip(*pairs, strict=True), strict=True)):
        if unknown := sorted({each for each in ids if each not in place}):
            raise BadInput(
                f"The truth names {len(unknown)} id{'s' * (len(unknown) > 1)} that the {tables.names[side]} "
                f"table does not have, the first being {unknown[0]!r}: expected ids of records. "
                "Check the order of the columns, and that ids are written alike."
            )
    rows = np.array([[places[0][a], places[1][b]] for a, b in pairs], dtype=np.int64)
    if tables.is_one:
        rows = np.sort(rows[rows[:, 0] != rows[:, 1]], axis=1)
    return np.unique(rows, axis=0)
