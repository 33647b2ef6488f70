"""A pool in a PostgreSQL table: the queries run there, read only."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit
from weakref import finalize

from qanat.errors import BadInput, NotInstalled
from qanat.pool.columns import Column, Kind
from qanat.pool.queries import quoted
from qanat.pool.translated import translated

TRUTH, NUMBERS = {16}, {20, 21, 23, 700, 701, 1700}


class Postgres:
    """A pool's engine: a connection to the database, and a name without the password."""

    def __init__(self, connection: Any, name: str) -> None:
        """Keep the connection for reading only, and close it with the pool."""
        connection.read_only = True
        self._connection = connection
        finalize(self, connection.close)
        self.name = name

    def described(self, query: str) -> list[Any]:
        """Return the columns of a query's result."""
        return self._connection.execute(query).description or []

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query written in DuckDB's dialect."""
        import psycopg

        try:
            return self._connection.execute(translated(query, "postgres")).fetchall()
        except psycopg.Error as error:
            raise BadInput(
                f"{self.name} cannot be read: {_reason(error)}. Check the table and its types."
            ) from None


def on_database(url: str, table: str) -> tuple[Postgres, list[Column], str]:
    """Return the engine of a table, its columns, and its name in a query."""
    if find_spec("psycopg") is None:
        raise NotInstalled("psycopg", "postgres")
    import psycopg

    address = _without_password(url)
    source = ".".join(map(quoted, table.split(".")))
    try:
        engine = Postgres(
            psycopg.connect(url, autocommit=True, connect_timeout=10), f"{address}, table {table},"
        )
        described = engine.described(f"SELECT * FROM {source} LIMIT 0")
    except (psycopg.Error, UnicodeError) as error:
        raise BadInput(
            f"{address}, table {table}, cannot be read: {_reason(error)}. Check the address."
        ) from None
    header = [Column(each.name, quoted(each.name), _kind(each.type_code)) for each in described]
    return engine, header, source


def _kind(oid: int) -> Kind:
    return "truth" if oid in TRUTH else "number" if oid in NUMBERS else "text"


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    host = parts.hostname or "localhost"
    return f"postgresql://{host}{f':{parts.port}' if parts.port else ''}{parts.path}"


def _reason(error: Exception) -> str:
    """Return the first line of what the server says."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
