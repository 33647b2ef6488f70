"""A pool in a Spark data frame: the queries run in its session; counts and drawn pairs are collected."""

from __future__ import annotations

from typing import Any

from qanat.errors import BadInput
from qanat.pool.columns import Column, Kind
from qanat.pool.queries import quoted
from qanat.pool.translated import translated

NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


class Spark:
    """A pool's engine: the session of a data frame."""

    def __init__(self, session: Any, name: str) -> None:
        """Keep the session."""
        self._session = session
        self.name = name

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query written in DuckDB's dialect."""
        from pyspark.errors import PySparkException

        try:
            return [tuple(row) for row in self._session.sql(translated(query, "spark")).collect()]
        except PySparkException as error:
            reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
            raise BadInput(f"{self.name} cannot be read: {reason}") from None


def on_data_frame(frame: Any) -> tuple[Spark, list[Column], str]:
    """Return the engine of a data frame, its columns, and its name in a query."""
    # A view of its own for each pool of a session.
    view = f"qanat_{id(frame):x}"
    frame.createOrReplaceTempView(view)
    header = [Column(name, quoted(name), _kind(type_)) for name, type_ in frame.dtypes]
    return Spark(frame.sparkSession, "The Spark data frame"), header, view


def _kind(type_: str) -> Kind:
    if type_ == "boolean":
        return "truth"
    return "number" if type_.startswith(NUMBERS) else "text"
