"""Files read through DuckDB: Parquet, CSV and gzipped CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from qanat.errors import BadInput, nearest

READERS = {".parquet": "read_parquet", ".csv": "read_csv", ".csv.gz": "read_csv"}


def read_columns(path: Path, names: list[str]) -> dict[str, NDArray[Any]]:
    """Return the named columns of a file in the order of its rows; a missing value is NaN.

    Numbers and truth values come as floats, anything else as the text that was found.
    """
    reader = _reader(path)
    with duckdb.connect() as connection:
        try:
            table = connection.sql(f"FROM {reader}(?)", params=[str(path)])
            types = dict(zip(table.columns, table.types, strict=True))
            for name in names:
                if name not in types:
                    raise BadInput(f"{path} has no column {name!r}. {nearest(name, table.columns)}")
            return {name: _values(table, name) for name in dict.fromkeys(names)}
        except duckdb.Error as error:
            reason = str(error).strip().splitlines()[0]
            raise BadInput(f"{path} cannot be read as {path.suffix[1:]}: {reason}") from None


def _reader(path: Path) -> str:
    if not path.is_file():
        raise BadInput(f"There is no file {path}: expected a CSV, CSV.gz or Parquet file of scored pairs.")
    for suffix, reader in READERS.items():
        if path.name.lower().endswith(suffix):
            return reader
    raise BadInput(f"{path.name} is none of .csv, .csv.gz and .parquet: rename or convert it.")


def _values(table: duckdb.DuckDBPyRelation, name: str) -> NDArray[Any]:
    quoted = '"' + name.replace('"', '""') + '"'
    numbers = table.project(f"try_cast({quoted} AS DOUBLE) AS number")
    values = np.ma.filled(numbers.fetchnumpy()["number"], np.nan)
    if not np.isnan(values).any():
        return np.asarray(values, dtype=np.float64)
    texts = table.project(f"CAST({quoted} AS VARCHAR) AS text").fetchnumpy()["text"]
    unread = np.isnan(values) & ~np.ma.getmaskarray(texts)
    unread[unread] = [str(text).lower() != "nan" for text in np.ma.getdata(texts)[unread]]
    if unread.any():
        first = int(np.argmax(unread))
        raise BadInput(
            f"Column {name!r} has {int(unread.sum())} values that are no numbers, the first being "
            f"{str(np.ma.getdata(texts)[first])!r} in row {first + 1}."
        )
    return np.asarray(values, dtype=np.float64)
