"""The records behind a pool's pairs: fields are fetched for the pairs that are drawn, and for no others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.errors import BadInput, nearest
from qanat.pool.open import Where, located
from qanat.pool.order import Pair
from qanat.pool.queries import text

Fields = dict[str, str | None]


class Table(NamedTuple):
    """A table of records in its engine, and the expression of their ids."""

    where: Where
    id_sql: str

    def values(self, name: str) -> NDArray[np.str_]:
        """Return a column as text, in the order of the ids."""
        by_name = {column.name: column for column in self.where.header}
        if name not in by_name:
            raise BadInput(f"{self.where.name} has no column {name!r}. {nearest(name, list(by_name))}")
        value, key = (f"CAST({sql} AS VARCHAR)" for sql in (by_name[name].sql, self.id_sql))
        rows = self.where.engine.rows(f"SELECT {value}, {key} FROM {self.where.source}")
        # Text is put in order here, as engines differ in theirs.
        return np.array([value or "" for value, _ in sorted(rows, key=lambda row: str(row[1]))], dtype=np.str_)

    def found(self, ids: Iterable[str]) -> dict[str, Fields]:
        """Return the fields of the records with these ids, as text; each id must have one."""
        wanted = sorted(set(ids))
        listed = ", ".join(map(text, wanted))
        columns = ", ".join(f"CAST({column.sql} AS VARCHAR)" for column in self.where.header)
        key = f"CAST({self.id_sql} AS VARCHAR)"
        rows = self.where.engine.rows(
            f"SELECT {key}, {columns} FROM {self.where.source} WHERE {key} IN ({listed})"
        )
        names = [column.name for column in self.where.header]
        records = {row[0]: dict(zip(names, row[1:], strict=True)) for row in rows}
        _refuse_missing(wanted, records, self.where.name)
        if len(rows) > len(records):
            raise BadInput(f"{self.where.name} has an id several times: expected each once. Number them anew.")
        return records


class Records(NamedTuple):
    """The tables of the left and the right records of pairs, which may be the same."""

    left: Table
    right: Table

    def of(self, pairs: Sequence[Pair]) -> list[tuple[Fields, Fields]]:
        """Return the fields of both records of every pair, in their order."""
        if not pairs:
            return []
        left, right = self.left.found(p.left for p in pairs), self.right.found(p.right for p in pairs)
        return [(left[pair.left], right[pair.right]) for pair in pairs]


def open_records(
    left: Any, right: Any = None, *, id_column: str = "id", tables: Sequence[str | None] = ()
) -> Records:
    """Return the records in one source or two: what qanat.open_pool takes, with an id for each record.

    `tables` are their names where a source is a database.

    >>> import pyarrow as pa
    >>> people = pa.table({"id": ["1", "2"], "name": ["Ann", "Anne"]})
    >>> open_records(people).of([Pair("1", "2")])
    [({'id': '1', 'name': 'Ann'}, {'id': '2', 'name': 'Anne'})]
    """
    names = [*tables, None, None][:2]
    first = _table(left, names[0], id_column)
    return Records(first, first if right is None else _table(right, names[1], id_column))


def _table(source: Any, table: str | None, id_column: str) -> Table:
    where = located(source, table, of_what="records")
    by_name = {column.name: column for column in where.header}
    if id_column not in by_name:
        raise BadInput(
            f"{where.name} has no column {id_column!r} for the ids of its records. "
            f"{nearest(id_column, list(by_name))} Name the column of ids."
        )
    return Table(where, by_name[id_column].sql)


def _refuse_missing(wanted: Sequence[str], records: dict[str, Fields], name: str) -> None:
    missing = [each for each in wanted if each not in records]
    if missing:
        raise BadInput(
            f"{name} has no record {missing[0]!r}, nor {len(missing) - 1} others that the pairs name: expected "
            "one for each id. Check that it is the right table, and that ids are written alike."
        )
