"""The queries in other dialects: run on three engines by the laws, and read as text for four."""

import re

import numpy as np
import pytest
import sqlglot

from qanat.pool import queries
from qanat.pool.queries import Bins, Columns
from qanat.pool.translated import EXECUTED, WRITTEN, translated

COLUMNS = Columns(
    "source", '"left"', '"right"', 'CAST("score" AS DOUBLE)', "CASE WHEN score >= 0.5 THEN 1 ELSE 0 END"
)
BINS = Bins(0.0, 1.0, 200)
QUERIES = {
    "ends": queries.ends(COLUMNS),
    "wrong": queries.wrong(COLUMNS),
    "binned": queries.binned(COLUMNS, BINS, "score"),
    "parts": queries.counted(COLUMNS, BINS, "score", [(3, 0.1, 0.2)], 16),
    "scores": queries.counted(COLUMNS, BINS, "score", [(3, 0.1, 0.2)], 0),
    "equal bins": queries.equal_bins(COLUMNS, queries.Range(0.0, 1.0), 20, "score"),
    "first places": queries.first_places(
        COLUMNS,
        BINS,
        coarse=queries.coarse_rows(
            BINS, np.array([3, 40]), np.array([0.1, 0.4]), np.array([0.2, 0.6]), np.array([0.1, 0.5])
        ),
        limits=[(0, "00ff"), (1, "g")],
        length=5,
        seed=1,
    ),
}
# How each dialect writes the hexadecimal MD5 of a text.
MD5 = {
    "bigquery": r"TO_HEX\(MD5\(",
    "databricks": r"MD5\(",
    "snowflake": r"MD5\(",
    "trino": r"LOWER\(TO_HEX\(MD5\(TO_UTF8\(",
}


@pytest.mark.parametrize("dialect", WRITTEN)
@pytest.mark.parametrize("query", QUERIES)
def test_a_query_that_nobody_ran_is_well_formed_in_its_dialect(dialect, query):
    """It parses in its own dialect, reads the same columns, and asks for the same result."""
    text = translated(QUERIES[query], dialect)
    parsed, ours = (
        sqlglot.parse_one(each, read=of, into=sqlglot.exp.Select)
        for each, of in ((text, dialect), (QUERIES[query], "duckdb"))
    )
    assert parsed.named_selects == ours.named_selects
    assert {table.name for table in parsed.find_all(sqlglot.exp.Table)} >= {"source"}


@pytest.mark.parametrize("dialect", WRITTEN)
def test_keys_are_hexadecimal_in_every_dialect(dialect):
    """The order of pairs rests on the lower case digits of MD5: each dialect has its own way to them."""
    assert re.search(MD5[dialect], translated(QUERIES["first places"], dialect))


def test_what_was_run_is_told_apart_from_what_was_written():
    """No dialect is in both lists."""
    assert not set(EXECUTED) & set(WRITTEN)
    assert translated("SELECT 1", "postgres") == "SELECT 1"
