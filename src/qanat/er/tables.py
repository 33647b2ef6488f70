"""Records as tables of text, and the checks that they pass before anything is compared.

A table is a mapping of column names to values, or a frame. Values are taken as text; a missing one is empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from qanat.core.arrays import Integers
from qanat.errors import BadInput, nearest

Records = Mapping[str, Sequence[Any]]
# Pairs of ids, or columns left_id, right_id and perhaps label.
Matches = Iterable[tuple[str, str]] | Mapping[str, Sequence[Any]]


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


def read_records(path: str | Path, of_what: str = "records") -> Records:
    """Return the table in a CSV, CSV.gz, Parquet or JSONL file, every value as text."""
    from qanat.pool.on_duckdb import read_texts

    return read_texts(Path(path), of_what)


def read_matches(path: str | Path) -> list[tuple[str, str]]:
    """Return the pairs of ids in the columns left_id and right_id of a file.

    If there is a column label, the pairs are those where it is 1.
    """
    return matches_of(read_records(path, "pairs of ids"), str(path))


def matches_of(truth: Any, name: str = "The truth") -> list[tuple[str, str]]:
    """Return the pairs of ids that match, given as such, or as columns left_id, right_id and perhaps label."""
    if not hasattr(truth, "keys"):
        return [(str(left), str(right)) for left, right in truth]
    names = [str(column) for column in truth.keys()]  # noqa: SIM118 a frame is no mapping
    if not {"left_id", "right_id"} <= set(names):
        raise BadInput(
            f"{name} has the columns {', '.join(names)}: expected left_id and right_id, the ids of two records "
            "that match. Rename them."
        )
    pairs = zip(truth["left_id"], truth["right_id"], strict=True)
    labels = [_label(value, name) for value in truth["label"]] if "label" in names else None
    return [(str(a), str(b)) for row, (a, b) in enumerate(pairs) if labels is None or labels[row]]


def _label(value: object, name: str) -> bool:
    said = str(value).strip().lower()
    if said not in {"1", "1.0", "true", "0", "0.0", "false"}:
        raise BadInput(f"{name} has the label {value!r}: expected 1 for a match and 0 for another pair.")
    return said in {"1", "1.0", "true"}


def checked_tables(
    left: Records, right: Records | None, *, id_column: str = "id", names: tuple[str, str] = ("left", "right")
) -> Tables:
    """Return the tables if each has records, and an id for each that no other record has."""
    left, right = _as_text(left), None if right is None else _as_text(right)
    left_ids = _checked_ids(left, names[0], id_column)
    if right is None:
        if len(left_ids) == 1:
            raise BadInput(f"The {names[0]} table has one record: expected two at least, or a second table.")
        return Tables(left, left, left_ids, left_ids, (names[0], names[0]))
    return Tables(left, right, left_ids, _checked_ids(right, names[1], id_column), names)


def _as_text(records: Any) -> Records:
    """Return the columns of a mapping or a frame with every value as text, a missing one empty."""
    return {str(name): [_text(value) for value in records[name]] for name in records.keys()}  # noqa: SIM118


def _text(value: object) -> str:
    # Of all values only those that are missing differ from themselves, but for None.
    return value if isinstance(value, str) else "" if value is None or value != value else str(value)  # noqa: PLR0124


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
    pairs = matches_of(truth)
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
    if len(rows) == 0:
        raise BadInput("The truth has pairs of a record with itself only: expected pairs of two records.")
    return np.unique(rows, axis=0)
