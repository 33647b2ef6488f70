"""A pool in memory counts and cuts its pairs without losing any."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qanat import InMemoryPool, open_pool
from qanat.core import cells as counting
from qanat.core import guess as guessing
from qanat.core import strata
from qanat.core.strata import Method

METHODS: tuple[Method, ...] = ("csf", "equal-size", "log-rank", "score", "none")
# Few distinct scores make ties, in which predictions are mixed; the others are any finite numbers.
ties = st.integers(-3, 3).map(float)
numbers = st.floats(-1e6, 1e6).filter(lambda score: score == 0 or abs(score) > 1e-200)
goals = st.integers(1, 12)
few = settings(max_examples=50)


@st.composite
def pools(draw: st.DrawFn) -> InMemoryPool:
    """Draw a pool of 1 to 60 pairs, whose truth is known."""
    n = draw(st.integers(1, 60))
    scores = draw(st.lists(draw(st.sampled_from([ties, numbers])), min_size=n, max_size=n))
    truths = st.lists(st.booleans(), min_size=n, max_size=n)
    prediction = draw(truths.filter(any))
    columns = {"score": scores, "p": prediction, "l": draw(truths)}
    return open_pool(columns, prediction="p", label="l")


@few
@given(pools(), st.lists(numbers, min_size=1, max_size=8, unique=True))
def test_the_summary_counts_as_numpy_does(pool: InMemoryPool, inner: list[float]) -> None:
    """Pairs and predicted pairs of every bin are those of numpy.histogram."""
    edges = np.unique([*inner, pool.score.min(), pool.score.max() + 1])
    edges = edges[(edges >= pool.score.min()) & (edges <= pool.score.max() + 1)]
    summary = pool.summary(edges)
    np.testing.assert_array_equal(summary.pairs, np.histogram(pool.score, edges)[0])
    np.testing.assert_array_equal(summary.predicted, np.histogram(pool.score[pool.prediction], edges)[0])


@few
@given(pools(), st.sampled_from(METHODS), goals)
def test_the_bins_of_a_method_count_as_numpy_does(pool: InMemoryPool, method: Method, goal: int) -> None:
    """The edges that a method asks for hold all pairs, counted as numpy.histogram counts them."""
    edges = pool.edges(method, goal)
    summary = pool.summary(edges)
    np.testing.assert_array_equal(summary.pairs, np.histogram(pool.score, edges)[0])
    assert summary.pairs.sum() == len(pool)


@few
@given(pools(), st.sampled_from(["scaled", "logistic", "probability"]))
def test_the_evidence_of_a_bin_is_the_sum_over_its_pairs(pool: InMemoryPool, guess: Any) -> None:
    """Every pair adds its number to its bin, and to no other."""
    edges = pool.edges("score", 1)
    evidence = guessing.of_pair(pool.score, guess, float(np.abs(pool.score).max()))
    expected = [math.fsum(evidence[pool.score == score]) for score in np.unique(pool.score)]
    np.testing.assert_allclose(pool.summary(edges, guess).evidence, expected, rtol=1e-12, atol=1e-9)


@few
@given(pools(), st.sampled_from(METHODS), goals)
def test_strata_are_those_that_the_counts_make(pool: InMemoryPool, method: Method, goal: int) -> None:
    """Cutting the pairs at hand gives the table that an engine's counts would give."""
    edges = pool.edges(method, goal)
    summary = pool.summary(edges)
    expected = strata.table(summary, strata.first_bins(summary.pairs, method, goal))
    for column, wanted in zip(pool.stratify(method, goal).strata, expected, strict=True):
        np.testing.assert_array_equal(column, wanted)


@few
@given(pools(), st.sampled_from(METHODS), goals)
def test_every_pair_has_one_place(pool: InMemoryPool, method: Method, goal: int) -> None:
    """The places of the strata hold each pair of the pool once."""
    stratified = pool.stratify(method, goal)
    assert sorted(stratified.pair.tolist()) == list(range(len(pool)))
    assert stratified.strata.size.sum() == len(pool)


@few
@given(pools(), st.sampled_from(METHODS), goals)
def test_predicted_matches_come_first_in_every_stratum(pool: InMemoryPool, method: Method, goal: int) -> None:
    """A place below the number of predicted matches is one of them, also where a tie mixes them."""
    stratified = pool.stratify(method, goal)
    table, pair = stratified.strata, stratified.pair
    for start, size, predicted in zip(table.start, table.size, table.predicted, strict=True):
        answers = pool.prediction[pair[start : start + size]]
        assert answers.tolist() == [True] * int(predicted) + [False] * int(size - predicted)


@few
@given(pools(), st.sampled_from(METHODS), goals)
def test_strata_rise_by_score_and_split_no_tie(pool: InMemoryPool, method: Method, goal: int) -> None:
    """The highest score of a stratum is below the lowest of the next."""
    stratified = pool.stratify(method, goal)
    scores = np.split(pool.score[stratified.pair], stratified.strata.start[1:])
    for lower, upper in pairwise(scores):
        assert lower.max() < upper.min()


@few
@given(pools())
def test_strata_of_scores_hold_one_score_each(pool: InMemoryPool) -> None:
    """One stratum for every distinct score, with as many pairs as have it."""
    count = np.unique(pool.score, return_counts=True)[1]
    assert pool.stratify("score", 1).strata.size.tolist() == count.tolist()


@few
@given(pools(), st.sampled_from(METHODS), goals)
def test_cells_count_the_truth_of_every_stratum(pool: InMemoryPool, method: Method, goal: int) -> None:
    """Matches and true positives by stratum sum to those of the pool."""
    assert pool.label is not None
    cells = pool.cells(pool.stratify(method, goal), pool.label)
    found, predicted, matches = (int(total[0]) for total in counting.totals(cells))
    assert found == (pool.label & pool.prediction).sum()
    assert predicted == pool.prediction.sum()
    assert matches == pool.label.sum()


def test_pairs_of_a_tie_keep_their_order() -> None:
    """Pairs of one score and prediction lie as they came, so that a seed means the same every time."""
    row = np.arange(999)
    pool = open_pool({"score": np.full(999, 0.5), "p": row % 3 == 1}, prediction="p")
    assert pool.stratify("csf", 3).pair.tolist() == [*row[row % 3 == 1], *row[row % 3 != 1]]


@pytest.mark.parametrize("method", METHODS)
def test_neighbouring_floats_are_stratified(method: Method) -> None:
    """Scores that differ in the last bit only have no room for bins, and still make strata."""
    score = 1 + np.arange(4) * 2.0**-52
    table = open_pool({"score": score}, threshold=score[2]).stratify(method, 3).strata
    assert table.size.sum() == 4
    assert table.predicted.sum() == 2
