"""Pairs that blocking never proposed: counted, drawn from all pairs of the records, part of the recall."""

from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import qanat
from qanat.errors import BadInput
from qanat.pool import outside
from qanat.pool.order import Pair

LEFT = [f"a{i}" for i in range(12)]
RIGHT = [f"b{i}" for i in range(9)]
SOURCES = ["x", "y", "z"]


def candidates(pairs, engine=None):
    """Return a pool of these pairs, the first of them predicted to match, in memory or in DuckDB."""
    left, right = zip(*pairs, strict=True)
    score = np.linspace(0.9, 0.1, len(pairs))
    columns = {"left_id": left, "right_id": right, "score": score, "prediction": score > 0.5}
    return qanat.open_pool(columns if engine is None else pa.table(columns), engine=engine)


def table(ids, **more):
    """Return a table of records."""
    return pa.table({"id": ids, **more})


def all_drawn(pool, seed=1):
    """Return every pair outside, in the order in which they are drawn."""
    cut = pool.stratify("log-rank", 5)
    assert cut.strata.size[0] == pool.outside
    assert cut.strata.predicted[0] == 0
    assert cut.edges[0] == -np.inf
    prefix = pool.prefix(cut, len(pool), seed)
    return list(prefix.pairs[: prefix.start[2]])


@pytest.mark.parametrize("engine", [None, "duckdb"])
def test_outside_are_all_pairs_of_two_tables_but_the_candidates(monkeypatch, engine):
    """Every pair that is no candidate comes once, and the strata of the candidates stay what they are."""
    monkeypatch.setattr(outside, "CHUNK", 16)
    known = [(a, b) for a in LEFT[:5] for b in RIGHT[:4]]
    pool = qanat.with_outside(candidates(known, engine), table(LEFT), table(RIGHT))
    assert len(pool) == pool.facts.pairs == 108
    drawn = all_drawn(pool)
    assert len(drawn) == len(set(drawn)) == 88
    assert set(drawn) == {Pair(*pair) for pair in product(LEFT, RIGHT)} - {Pair(*pair) for pair in known}
    inner = pool.pool.stratify("log-rank", 5)
    np.testing.assert_array_equal(pool.stratify("log-rank", 5).strata.size[1:], inner.strata.size)


@pytest.mark.parametrize("has_sources", [False, True])
def test_within_one_table_both_orders_are_one_pair(has_sources):
    """A candidate in either order is no pair outside; records of one source are none at all."""
    source = [SOURCES[i % 3] for i in range(12)]
    of = dict(zip(LEFT, source, strict=True))
    possible = [pair for pair in combinations(LEFT, 2) if not has_sources or of[pair[0]] != of[pair[1]]]
    known = [possible[3], possible[10][::-1], possible[20]]
    more = {"source_column": "source"} if has_sources else {}
    pool = qanat.with_outside(candidates(known), table(LEFT, source=source), **more)
    assert len(pool) == len(possible)
    drawn = {frozenset(pair) for pair in all_drawn(pool)}
    assert drawn == set(map(frozenset, possible)) - set(map(frozenset, known))


def test_a_longer_prefix_begins_with_a_shorter_one():
    """More pairs continue the same ones; another seed draws others."""
    pool = qanat.with_outside(candidates([("a0", "b0"), ("a1", "b1")]), table(LEFT), table(RIGHT))
    cut = pool.stratify("log-rank", 5)
    short, long = (list(pool.prefix(cut, n, 3).pairs[:n]) for n in (10, 60))
    assert long[:10] == short
    assert list(pool.prefix(cut, 10, 4).pairs[:10]) != short


def test_every_pair_outside_is_as_likely():
    """The first of the pairs is each of 106 as often as chance allows over 8000 seeds.

    False alarm 1e-6 for all together; a pair with 2.4 times its probability is surely seen.
    """
    pool = qanat.with_outside(candidates([("a0", "b0"), ("a1", "b1")]), table(LEFT), table(RIGHT))
    cut, runs = pool.stratify("log-rank", 5), 8000
    count: dict[object, int] = {}
    for seed in range(runs):
        (pair,) = pool._outside(1, seed)
        count[pair] = count.get(pair, 0) + 1
    assert len(count) == cut.strata.size[0] == 106
    low, high = binom.ppf([1e-6 / 212, 1 - 1e-6 / 212], runs, 1 / 106)
    assert low <= min(count.values())
    assert max(count.values()) <= high
    assert binom.sf(high, runs, 2.4 / 106) > 1 - 1e-3


def test_recall_is_that_of_all_pairs_and_says_so():
    """With every pair labelled, matches that blocking lost lower the recall; the scope is told with it."""
    known = [(a, b) for a in LEFT[:6] for b in RIGHT[:6]]
    truth = {("a0", "b0"), ("a0", "b1"), ("a9", "b8"), ("a10", "b7")}
    inner = candidates(known)
    pool = qanat.with_outside(inner, table(LEFT), table(RIGHT))
    among, overall = (
        qanat.evaluate(each, lambda pair: tuple(pair) in truth, budget=len(each)) for each in (inner, pool)
    )
    assert among.recall.value == 1.0
    assert among.scope == "the 36 candidates"
    assert overall.recall.value == pytest.approx(0.5)
    assert overall.precision.value == among.precision.value
    assert overall.scope == "all 108 pairs of the records, 72 of them outside the candidates"
    assert overall.interval == "anytime"


def test_lost_matches_are_within_the_interval():
    """Where blocking lost a sixth of the matches, the default interval holds the recall of all in every run."""
    chance = np.random.default_rng(4)
    ids = [str(i) for i in range(60)]
    truth = {(i, i) for i in ids}
    known = [
        (a, b) for a in ids for b in ids if (a == b and int(a) >= 10) or (a != b and chance.random() < 0.1)
    ]
    known.sort(key=lambda pair: pair[0] != pair[1])
    pool = qanat.with_outside(candidates(known), table(ids), table(ids))
    true = sum(a == b for a, b in known[: int(candidates(known).facts.predicted)]) / len(truth)
    for seed in range(5):
        result = qanat.evaluate(pool, lambda pair: tuple(pair) in truth, budget=300, seed=seed)
        assert result.recall.low is not None
        assert result.recall.high is not None
        assert result.recall.low <= true <= result.recall.high


@pytest.mark.parametrize(
    ("left", "right", "more", "message"),
    [
        (table(LEFT[:1]), table(RIGHT[:1]), {}, "The pool has 2 pairs, but the records make only 1"),
        (table(["a0", "a0"]), table(RIGHT), {}, "An id is there several times in the records"),
        (table(LEFT), table(RIGHT), {"source_column": "source"}, "has no column 'source'"),
        (
            table(LEFT, source=LEFT),
            table(RIGHT),
            {"source_column": "source"},
            "with two tables: expected it with one",
        ),
        (table(LEFT), table(RIGHT), {"id_column": "key"}, "has no column 'key' for the ids"),
    ],
)
def test_wrong_records_are_refused(left, right, more, message):
    """What cannot be the records of the candidates is one line."""
    with pytest.raises(BadInput, match=message):
        qanat.with_outside(candidates([("a0", "b0"), ("a1", "b1")]), left, right, **more)
