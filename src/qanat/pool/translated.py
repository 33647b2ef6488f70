"""Queries carried from DuckDB's dialect to that of another engine, by sqlglot."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec

from qanat.errors import NotInstalled

# What the four verbs need was run on these.
EXECUTED = ("duckdb", "postgres", "spark")
# For these the queries are made, and tested as text; nobody ran them here.
WRITTEN = ("bigquery", "databricks", "snowflake", "trino")


@lru_cache(maxsize=64)
def translated(query: str, dialect: str) -> str:
    """Return the query in another dialect."""
    if find_spec("sqlglot") is None:
        raise NotInstalled("sqlglot", dialect)
    import sqlglot

    return sqlglot.transpile(query, read="duckdb", write=dialect)[0]
