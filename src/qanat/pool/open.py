"""The door through which every pool comes in."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from qanat.core.recapture import chao, chapman
from qanat.errors import BadInput, BadSetting, nearest
from qanat.pool.base import (
    checked_ids,
    checked_predictions,
    checked_scores,
    checked_zeros_and_ones,
    predicted_above,
)
from qanat.pool.columns import Column, Names, as_columns, by_rules, named
from qanat.pool.in_memory import InMemoryPool, without_repeated
from qanat.pool.on_engine import Engine, opened

ENGINES = ("memory", "duckdb", "postgres", "spark")
DUPLICATES = ("refuse", "keep-highest")
ADDRESSES = ("postgresql://", "postgres://")
# Files with more pairs than this stay where they are.
MOST_IN_MEMORY = 1_000_000


class Where(NamedTuple):
    """A source in its engine: its columns, and what it is called in a query and where something is wrong."""

    engine: Engine
    header: list[Column]
    source: str
    name: str
    kind: str


def open_pool(
    source: Any,
    *,
    score: str | None = None,
    prediction: str | None = None,
    threshold: float | None = None,
    left: str | None = None,
    right: str | None = None,
    label: str | None = None,
    table: str | None = None,
    engine: str | None = None,
    duplicates: str | None = None,
    one_table: bool = False,
) -> Any:
    """Return the pool of scored pairs in `source`.

    A source is a CSV, CSV.gz, Parquet or JSONL file, a folder or a pattern of them; an Arrow table, a pandas,
    Polars or Spark data frame; the address of a PostgreSQL database (postgresql://...) or a DuckDB file, with
    the name of the `table`; or a mapping of columns. `score`, `prediction`, `label` (the truth) and the ids of
    the two records, `left` and `right`, name its columns; common names are guessed. Instead of `prediction`, a
    `threshold` predicts a match for every pair that scores at least as much.

    A pool stays in its `engine`, except a mapping, a file of a million pairs at most, and one with a `label`,
    whose pairs are all needed: these are read into memory. The result is the same.

    Repeated pairs are refused where they are drawn upon; `duplicates` "refuse" searches all pairs for them when
    the pool is opened, and "keep-highest" keeps the row of each pair that scores highest. With `one_table` the
    records are all of one table, so that (a, b) and (b, a) are the same pair, and (a, a) is none.

    >>> pairs = {"score": [0.9, 0.2, 0.6], "truth": [1, 0, 0]}
    >>> pool = open_pool(pairs, threshold=0.5, label="truth")
    >>> pool.prediction
    array([ True, False,  True])
    """
    if engine is not None and engine not in ENGINES:
        raise BadSetting(f"The setting engine is {engine!r}. {nearest(engine, list(ENGINES))}")
    if duplicates not in {None, *DUPLICATES}:
        raise BadSetting(
            f"The setting duplicates is {duplicates!r}. {nearest(str(duplicates), list(DUPLICATES))}"
        )
    asked = {"score": score, "prediction": prediction, "left": left, "right": right, "label": label}
    if isinstance(source, Mapping):
        _refuse_other(engine, "memory")
        names = named([str(name) for name in source], threshold=threshold, **asked)
        pool = _in_memory(names, threshold, lambda wanted, ids: {n: source[n] for n in [*wanted, *ids]})
        return without_repeated(pool, duplicates, is_one=one_table)
    where = located(source, table)
    names = named([column.name for column in where.header], threshold=threshold, of=where.name, **asked)
    if engine == "memory" or label is not None or (engine is None and _is_small(where)):
        pool = _in_memory(names, threshold, lambda wanted, ids: _fetched(source, where, wanted, ids))
        return without_repeated(pool, duplicates, is_one=one_table)
    _refuse_other(engine, where.kind)
    keeps = duplicates == "keep-highest"
    columns = as_columns(where.source, where.header, names, threshold, is_one=one_table, keeps_highest=keeps)
    checks = duplicates == "refuse"
    return opened(where.engine, columns, name=where.name, names=str(names), checks=checks)


def least_matches(
    source: Any, rules: Sequence[str], *, table: str | None = None, threshold: float | None = None, **asked: Any
) -> dict[str, float]:
    """Return what two blocking rules found of the predicted matches, and the least number of all matches.

    If predicted matches are right, and matches that one rule misses are not found more often by the other,
    there are at least as many as `chapman` and `chao` say, proposed or not. `rules` are columns of 0 and 1.
    """
    where = located(source, table)
    names = named([column.name for column in where.header], threshold=threshold, of=where.name, **asked)
    columns = as_columns(where.source, where.header, names, threshold)
    (row,) = where.engine.rows(by_rules(where.source, where.header, columns, rules, where.name))
    first, second, both = (int(count or 0) for count in row)
    found = first + second - both
    counts: dict[str, float] = {"first": first, "second": second, "both": both}
    return counts | {"chapman": chapman(first, second, both), "chao": chao(found, found - both, both)}


def _refuse_other(engine: str | None, kind: str) -> None:
    if engine not in {None, kind}:
        raise BadSetting(f"The setting engine is {engine!r}, but the pairs are in {kind}: leave it out.")


def located(source: Any, table: str | None, of_what: str = "scored pairs") -> Where:
    """Return a source of pairs or records in its engine."""
    library = type(source).__module__.partition(".")[0]
    if library == "pyspark":
        from qanat.pool.on_spark import on_data_frame

        spark, header, view = on_data_frame(source)
        return Where(spark, header, view, spark.name, "spark")
    # DuckDB is imported only where something is read: it is the slowest part of starting.
    from qanat.pool.on_duckdb import on_files, on_frame, on_table

    if library in {"pandas", "polars", "pyarrow"}:
        engine, header = on_frame(source)
    elif not isinstance(source, str | os.PathLike):
        raise BadInput(
            f"The source is {type(source).__name__}: expected a path, an address, a frame or a mapping."
        )
    elif str(source).startswith(ADDRESSES):
        return _in_database(str(source), table)
    elif table is not None:
        engine, header = on_table(str(source), table)
    else:
        engine, header = on_files(str(source), of_what)
    return Where(engine, header, "source", engine.name, "duckdb")


def _in_database(url: str, table: str | None) -> Where:
    from qanat.pool.on_postgres import on_database

    if table is None:
        raise BadInput("The source is a database, but no table is named: expected one. Set table.")
    engine, header, source = on_database(url, table)
    return Where(engine, header, source, engine.name, "postgres")


def _is_small(where: Where) -> bool:
    """Return whether the pairs may as well be read: only files, or what DuckDB has of them."""
    if where.kind != "duckdb":
        return False
    ((pairs,),) = where.engine.rows(f"SELECT count(*) FROM {where.source}")
    return int(pairs) <= MOST_IN_MEMORY


def _fetched(source: Any, where: Where, wanted: list[str], ids: list[str]) -> Mapping[str, Any]:
    """Return the columns that are wanted as numbers, and those of ids as text."""
    if isinstance(source, str | os.PathLike) and Path(source).is_file() and where.name == str(source):
        from qanat.pool.on_duckdb import read_columns

        return read_columns(Path(source), wanted, ids)
    by_name = {column.name: column for column in where.header}
    expressions = [by_name[name].sql for name in wanted]
    expressions += [f"CAST({by_name[name].sql} AS VARCHAR)" for name in ids]
    rows = where.engine.rows(f"SELECT {', '.join(expressions)} FROM {where.source}")
    return {name: [row[place] for row in rows] for place, name in enumerate([*wanted, *ids])}


def _in_memory(
    names: Names, threshold: float | None, fetch: Callable[[list[str], list[str]], Mapping[str, Any]]
) -> InMemoryPool:
    """Return the pool of columns that pass every check."""
    wanted = [name for name in (names.score, names.prediction, names.label) if name is not None]
    ids = [name for name in (names.left, names.right) if name is not None]
    columns = fetch(wanted, ids)
    scores = checked_scores(columns[names.score], names.score)
    if names.prediction is None:
        predictions = predicted_above(scores, float(threshold or 0.0))
    else:
        predictions = checked_predictions(columns[names.prediction], names.prediction, len(scores))
    label = None
    if names.label is not None:
        label = checked_zeros_and_ones(columns[names.label], names.label, len(scores))
    found = [checked_ids(columns[name], name, len(scores)) for name in ids]
    return InMemoryPool(scores, predictions, label, (found[0], found[1]) if found else None, names=str(names))
