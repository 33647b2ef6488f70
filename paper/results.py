"""Results on disk: one Parquet file for each part, every row with the seed, runs, versions and command."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np

import qanat

HERE = Path(__file__).parent
RESULTS = HERE / "results"
FIGURES = HERE / "figures"

Row = dict[str, Any]


class Effort(NamedTuple):
    """How much is measured: runs of each method, processes at a time, and the seed of all chance."""

    runs: int = 1000
    processes: int = 2
    seed: int = 2017


def command(part: str, effort: Effort) -> str:
    """Return the command that makes these results again; they do not depend on the processes."""
    return f"python -m paper.make --only {part} --runs {effort.runs} --seed {effort.seed}"


def write(part: str, rows: Sequence[Row], effort: Effort, folder: Path = RESULTS) -> None:
    """Write the rows of a part, each with where it comes from."""
    origin = {
        "seed": effort.seed,
        "runs": effort.runs,
        "qanat": qanat.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "command": command(part, effort),
    }
    store(part, [origin | row for row in rows], folder)


def store(part: str, rows: Sequence[Row], folder: Path = RESULTS) -> None:
    """Write rows that all have the same columns; a number that is None becomes null."""
    folder.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as connection:
        connection.register("rows", {name: _column([row[name] for row in rows]) for name in rows[0]})
        connection.sql("FROM rows").write_parquet(str(folder / f"{part}.parquet"), compression="zstd")


def read(part: str, folder: Path = RESULTS) -> list[Row]:
    """Return the rows of a part; null is None."""
    path = folder / f"{part}.parquet"
    if not path.exists():
        raise SystemExit(f"There is no {path}: make it with python -m paper.make --only {part}.")
    with duckdb.connect() as connection:
        table = connection.sql(f"FROM '{path}'")
        return [dict(zip(table.columns, values, strict=True)) for values in table.fetchall()]


def _column(values: list[Any]) -> Any:
    if isinstance(next((value for value in values if value is not None), None), str):
        return np.array(values, dtype=object)
    # A NaN is written as null.
    return np.array([np.nan if value is None else value for value in values])
