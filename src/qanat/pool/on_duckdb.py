"""Files and frames read through DuckDB, the engine that is always there; and Parquet written.

Nothing about a file is guessed from its first rows but the separator, which the header shows: a column of
zeros may hold a decimal in its last row.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO, cast

import duckdb
import numpy as np
from numpy.typing import NDArray

from qanat.errors import BadInput, nearest
from qanat.pool.columns import Column, Kind
from qanat.pool.queries import quoted, text

SUFFIXES = (".csv", ".csv.gz", ".parquet", ".jsonl")
_SUFFIXES = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
SEPARATORS = ",;\t|"
SMALL: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "256MB", "threads": 2}
# Numbers first, then the names of truth values, in any case.
AS_NUMBER = """coalesce(
    try_cast({column} AS DOUBLE),
    CASE lower(CAST({column} AS VARCHAR)) WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 END
) AS number"""


def read_columns(path: Path, names: list[str], texts: Sequence[str] = ()) -> dict[str, Any]:
    """Return columns of a file in the order of its rows: as numbers, NaN where one is missing, or as text."""
    with _table(path, "scored pairs") as (header, table):
        numbers = {name: _numbers(table, name, _column(path, header, name)) for name in dict.fromkeys(names)}
        return numbers | {name: _texts(table, _column(path, header, name)) for name in texts}


def read_texts(path: Path, of_what: str) -> dict[str, list[str]]:
    """Return all columns of a file in the order of its rows, as text; a missing value is empty."""
    with _table(path, of_what) as (header, table):
        return {name: _texts(table, _column(path, header, name)) for name in header}


class DuckDB:
    """A pool's engine: a connection in which the pairs are the view `source`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, name: str, kind: str = "a table") -> None:
        """Keep the connection; `name` and `kind` are said where something is wrong with the source."""
        self._connection = connection
        self._kind = kind
        self.name = name

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        try:
            return self._connection.execute(query).fetchall()
        except duckdb.Error as error:
            line = f"{self.name} cannot be read as {self._kind}: {_reason(error)} Check that it is whole."
            raise BadInput(line) from None


def on_files(pattern: str, of_what: str) -> tuple[DuckDB, list[Column]]:
    """Return the engine of a file, a folder, or the files that a pattern matches, and their columns."""
    files = _files(pattern, of_what)
    suffix = _suffix(files[0], of_what)
    if other := [file.name for file in files if not file.name.lower().endswith(suffix)]:
        both = f"{files[0].name} and {other[0]}"
        raise BadInput(f"{pattern} has {both}: expected files of one kind. Name a pattern.")
    engine = DuckDB(duckdb.connect(), pattern, suffix[1:])
    paths = "[" + ", ".join(text(_itself(file)) for file in files) + "]"
    try:
        header, scan = _scan(files[0], paths, suffix, of_what)
        engine.rows(f"CREATE VIEW source AS SELECT * FROM {scan}")
    except (csv.Error, UnicodeError, OSError, EOFError, zlib.error) as error:
        line = f"{files[0]} cannot be read as {suffix[1:]}: {_reason(error)} Check that the file is whole."
        raise BadInput(line) from None
    return engine, _described(engine, header)


def on_table(path: str, table: str) -> tuple[DuckDB, list[Column]]:
    """Return the engine of a table in a DuckDB file, which is opened for reading only, and its columns."""
    if not Path(path).is_file():
        raise BadInput(f"There is no file {path}: expected a DuckDB database.")
    if path.lower().endswith(SUFFIXES):
        raise BadInput(f"{path} is no database, and has no tables: leave out the table.")
    engine = DuckDB(duckdb.connect(), f"{path}, table {table}")
    engine.rows(f"ATTACH {text(path)} AS base (READ_ONLY)")
    engine.rows(f"CREATE VIEW source AS SELECT * FROM base.{'.'.join(map(quoted, table.split('.')))}")
    return engine, _described(engine, None)


def on_frame(frame: Any) -> tuple[DuckDB, list[Column]]:
    """Return the engine of an Arrow table, a pandas or a Polars frame, and its columns."""
    connection = duckdb.connect()
    connection.register("source", frame)
    engine = DuckDB(connection, f"The {type(frame).__module__.partition('.')[0]} frame")
    return engine, _described(engine, None)


def _files(pattern: str, of_what: str) -> list[Path]:
    # os.path knows that no file can have too long a name; pathlib raises it.
    if os.path.isfile(pattern):  # noqa: PTH113
        return [Path(pattern)]
    within = f"{pattern}/**" if os.path.isdir(pattern) else pattern  # noqa: PTH112
    found = glob(within, recursive=True)  # noqa: PTH207 it takes absolute patterns
    files = [Path(each) for each in sorted(found) if each.lower().endswith(SUFFIXES)]
    if not files:
        raise BadInput(f"There is no file {pattern}: expected {of_what} in {_SUFFIXES}.")
    return files


def _scan(first: Path, paths: str, suffix: str, of_what: str) -> tuple[list[str] | None, str]:
    """Return the names of the columns, where the table does not tell them, and the table."""
    if suffix == ".parquet":
        return None, f"read_parquet({paths}, hive_partitioning = false)"
    if suffix == ".jsonl":
        return None, f"read_json({paths}, format = 'newline_delimited')"
    header, separator = _header(first, of_what)
    columns = ", ".join(f"'{i}': 'VARCHAR'" for i in range(len(header)))
    return header, (
        f"read_csv({paths}, delim = {text(separator)}, columns = {{{columns}}}, auto_detect = false, "
        "header = true, quote = '\"', escape = '\"', comment = '', strict_mode = true, "
        "hive_partitioning = false)"
    )


def _described(engine: DuckDB, header: list[str] | None) -> list[Column]:
    """Return the columns of the source; `header` are their names, where the source numbers them."""
    rows = engine.rows("DESCRIBE source")
    names = header or [row[0] for row in rows]
    return [Column(name, quoted(row[0]), _kind(row[1])) for name, row in zip(names, rows, strict=True)]


def _kind(type_: str) -> Kind:
    if type_ == "BOOLEAN":
        return "truth"
    return "number" if re.match(r"(U?(TINY|SMALL|BIG|HUGE)?INT|FLOAT|DOUBLE|DECIMAL)", type_) else "text"


@contextmanager
def parquet_writer(path: Path) -> Iterator[Callable[[dict[str, NDArray[Any]]], None]]:
    """Give a function that adds columns to a Parquet file, which is there when all of them are."""
    if path.parent != Path() and not path.parent.is_dir():
        raise BadInput(f"There is no folder {path.parent} to write {path.name} to: make it, or name another.")
    with TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
        # What does not fit into so little memory goes to a file beside the target.
        with duckdb.connect(f"{folder}/pairs.duckdb", config=SMALL) as connection:

            def write(columns: dict[str, NDArray[Any]]) -> None:
                connection.register("block", columns)
                is_there = connection.execute(
                    "SELECT 1 FROM duckdb_tables() WHERE table_name = 'pairs'"
                ).fetchone()
                connection.execute(
                    "INSERT INTO pairs FROM block" if is_there else "CREATE TABLE pairs AS FROM block"
                )
                connection.unregister("block")

            yield write
            connection.table("pairs").write_parquet(f"{folder}/pairs.parquet", compression="zstd")
        os.replace(f"{folder}/pairs.parquet", path)  # noqa: PTH105 the one call that replaces at once


@contextmanager
def _table(path: Path, of_what: str) -> Iterator[tuple[list[str], duckdb.DuckDBPyRelation]]:
    """Open a file and give the names of its columns and the table; what goes wrong is told in one line."""
    suffix = _suffix(path, of_what)
    with duckdb.connect() as connection:
        try:
            yield _opened_as(suffix, connection, path, of_what)
        except (duckdb.Error, csv.Error, UnicodeError, OSError, EOFError, zlib.error) as error:
            line = f"{path} cannot be read as {suffix[1:]}: {_reason(error)} Check that the file is whole."
            raise BadInput(line) from None


def _opened_as(
    suffix: str, connection: duckdb.DuckDBPyConnection, path: Path, of_what: str
) -> tuple[list[str], duckdb.DuckDBPyRelation]:
    if suffix in {".csv", ".csv.gz"}:
        return _csv(connection, path, of_what)
    if suffix == ".parquet":
        return _parquet(connection, path)
    found = connection.sql("SELECT * FROM read_json(?, format = 'newline_delimited')", params=[_itself(path)])
    return found.columns, found


def _suffix(path: Path, of_what: str) -> str:
    try:
        is_file = path.is_file()
    except OSError:  # a name that no file can have
        is_file = False
    if not is_file:
        raise BadInput(f"There is no file {path}: expected {of_what} in {_SUFFIXES}.")
    for suffix in SUFFIXES:
        if path.name.lower().endswith(suffix):
            return suffix
    if path.suffix.lower() in {".duckdb", ".db"}:
        raise BadInput(f"{path.name} is a database: expected one of its tables. Name it.")
    raise BadInput(f"{path.name} is none of {_SUFFIXES}: rename or convert it.")


def _parquet(connection: duckdb.DuckDBPyConnection, path: Path) -> tuple[list[str], duckdb.DuckDBPyRelation]:
    """Return the names of the columns, and the table."""
    table = connection.sql("SELECT * FROM read_parquet(?, hive_partitioning = false)", params=[_itself(path)])
    return table.columns, table


def _csv(
    connection: duckdb.DuckDBPyConnection, path: Path, of_what: str
) -> tuple[list[str], duckdb.DuckDBPyRelation]:
    """Return the names of the columns, and the table, every value of it the text that is there."""
    header, separator = _header(path, of_what)
    table = connection.sql(
        "SELECT * FROM read_csv(?, delim = ?, columns = ?, auto_detect = false, header = true, quote = '\"', "
        "escape = '\"', comment = '', strict_mode = true, hive_partitioning = false)",
        # Numbered, since the names of columns that nobody asked for may be anything.
        params=[_itself(path), separator, {str(i): "VARCHAR" for i in range(len(header))}],
    )
    return header, table


def _header(path: Path, of_what: str) -> tuple[list[str], str]:
    """Return the names of the columns, and what separates them."""
    with _opened(path) as file:
        first = re.sub(r'"[^"]*"', "", file.readline())
        separator = max(SEPARATORS, key=first.count)
        file.seek(0)
        header = next(csv.reader(file, delimiter=separator), [])
    if not any(header):
        raise BadInput(f"{path} is empty: expected a header and rows of {of_what}.")
    return header, separator


def _column(path: Path, header: list[str], name: str) -> int:
    """Return the position of the one column of this name."""
    if name not in header:
        raise BadInput(f"{path} has no column {name!r}. {nearest(name, header)}")
    if header.count(name) > 1:
        raise BadInput(f"{path} has {header.count(name)} columns {name!r}: expected one. Rename them.")
    return header.index(name)


def _opened(path: Path) -> TextIO:
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    return cast("TextIO", opener(path, "rt", encoding="utf-8-sig", newline=""))


def _itself(path: Path) -> str:
    """Return the path with everything that would make it a pattern escaped."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def _numbers(table: duckdb.DuckDBPyRelation, name: str, position: int) -> NDArray[np.float64]:
    """Return the column at this position as numbers; `name` is what the file calls it."""
    column = quoted(table.columns[position])
    numbers = table.project(AS_NUMBER.format(column=column)).fetchnumpy()["number"]
    values = np.ma.filled(numbers, np.nan).astype(np.float64)
    if np.isnan(values).any():
        _refuse_text(table, name, column, values)
    return values


def _texts(table: duckdb.DuckDBPyRelation, position: int) -> list[str]:
    """Return the column at this position as text."""
    column = quoted(table.columns[position])
    return [text or "" for (text,) in table.project(f"CAST({column} AS VARCHAR)").fetchall()]


def _refuse_text(table: duckdb.DuckDBPyRelation, name: str, column: str, values: NDArray[np.float64]) -> None:
    """Refuse text where numbers are expected; an empty value or one that says NaN is not text."""
    texts = table.project(f"CAST({column} AS VARCHAR) AS text").fetchnumpy()["text"]
    is_text = np.isnan(values) & ~np.ma.getmaskarray(texts)
    found: NDArray[Any] = np.ma.getdata(texts)
    is_text[is_text] = [str(text).strip().lower() != "nan" for text in found[is_text]]
    if is_text.any():
        first, count = int(np.argmax(is_text)), int(is_text.sum())
        raise BadInput(
            f"Column {name!r} has {count} value{'s that are no numbers' if count > 1 else ' that is no number'}"
            f", the first being {str(found[first])!r} in row {first + 1}: expected a number for each pair."
        )


def _reason(error: Exception) -> str:
    """Return what DuckDB or Python says, in one line that ends in a full stop."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reason = lines[0] if lines else type(error).__name__
    if isinstance(error, UnicodeError):
        reason = f"it is not UTF-8 ({reason})"
    # The rule that a row of a CSV breaks stands on a line of its own, after the row.
    rule = [line for line in lines[1:] if line.startswith(("Expected Number", "Value with", "Invalid"))]
    return " ".join([reason, *rule[:1]]).rstrip(".") + "."
