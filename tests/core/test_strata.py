"""Counts become strata."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qanat.core import strata
from qanat.core.strata import Histogram, Strata

METHODS: tuple[strata.Method, ...] = ("csf", "equal-size", "log-rank", "score", "none")
counts = st.lists(st.integers(0, 1000), min_size=1, max_size=60).filter(lambda values: sum(values) > 0)


def edges_by_hand(count: np.ndarray, goal: int) -> list[int]:
    """Return the first bin of each CSF stratum, followed bin by bin as the algorithm is printed."""
    running, cuts = 0.0, list[int]()
    total = sum(math.sqrt(n) for n in count)
    for bin_, n in enumerate(count):
        running += math.sqrt(n)
        last = bin_ == len(count) - 1
        if len(cuts) < goal and (not last or not cuts) and running >= len(cuts) * (total / goal) * (1 - 1e-12):
            cuts.append(bin_)
    return cuts


@given(counts, st.sampled_from(METHODS), st.integers(1, 40))
def test_strata_partition_the_pool(count: list[int], method: strata.Method, goal: int) -> None:
    """Every stratum holds pairs, together they hold all, and there are no more than asked for."""
    pairs = np.array(count)
    first = strata.first_bins(pairs, method, goal)
    table = strata.table(Histogram(pairs, pairs // 2, pairs * 0.5), first)
    assert np.all(table.size > 0)
    assert table.size.sum() == pairs.sum()
    assert table.predicted.sum() == (pairs // 2).sum()
    assert np.all(np.diff(first) > 0)
    if method in {"csf", "equal-size", "log-rank"}:
        assert len(first) <= goal


@given(counts, st.integers(1, 40))
def test_csf_follows_the_printed_algorithm(count: list[int], goal: int) -> None:
    """The cuts are those of algorithm 1, walked bin by bin, but for empty strata."""
    pairs = np.array([max(count[0], 1), *count[1:]])
    cuts = edges_by_hand(pairs, goal)
    held = [cut for cut, n in zip(cuts, np.add.reduceat(pairs, cuts), strict=True) if n > 0]
    found = strata.first_bins(pairs, "csf", goal)
    assert found[1:].tolist() == held[1:]


def test_csf_makes_small_strata_where_pairs_are_few() -> None:
    """Steps are equal in the root of the counts, so that a rare region gets strata of its own."""
    pairs = np.array([10_000, 100, 100, 1, 1, 1])
    table = strata.table(Histogram(pairs, pairs, pairs * 1.0), strata.first_bins(pairs, "csf", 3))
    assert table.size.tolist() == [10_000, 100, 103]


def test_equal_size_cuts_where_the_counts_say() -> None:
    """Nine pairs in three strata are three each when ties allow it."""
    assert strata.first_bins(np.ones(9, dtype=int), "equal-size", 3).tolist() == [0, 3, 6]


def test_log_rank_gives_the_top_small_strata() -> None:
    """Sizes grow geometrically downwards from about eight at the top."""
    pairs = np.ones(100_000, dtype=int)
    first = strata.first_bins(pairs, "log-rank", 30)
    size = np.diff(np.append(first, len(pairs)))
    assert np.all(np.diff(size) <= 0)
    assert size[-1] < 5
    growth = size[:-5] / size[1:-4]
    np.testing.assert_allclose(growth, (1 + 100_000 / 8) ** (1 / 30), rtol=0.1)


@given(counts, st.integers(1, 40))
def test_ties_are_never_split(count: list[int], goal: int) -> None:
    """A bin, which may be one score of many pairs, belongs to one stratum whole."""
    pairs = np.array(count)
    for method in METHODS:
        table = strata.table(Histogram(pairs, pairs, pairs * 1.0), strata.first_bins(pairs, method, goal))
        assert set(np.cumsum(table.size)) <= set(np.cumsum(pairs))


@pytest.mark.parametrize("method", METHODS)
def test_one_score_is_one_stratum(method: strata.Method) -> None:
    """A constant score leaves nothing to cut."""
    assert strata.first_bins(np.array([1000]), method, 30).tolist() == [0]


@pytest.mark.parametrize("method", METHODS[:3])
def test_fewer_scores_than_strata_give_one_stratum_each_at_most(method: strata.Method) -> None:
    """Five distinct scores cannot make thirty strata."""
    first = strata.first_bins(np.array([900, 50, 30, 15, 5]), method, 30)
    assert 2 <= len(first) <= 5


def test_ties_at_the_top_do_not_stop_log_rank() -> None:
    """A thousand pairs at the highest score are one stratum; those below are still cut finely."""
    pairs = np.append(np.ones(1000, dtype=int), 1000)
    first = strata.first_bins(pairs, "log-rank", 30)
    assert first[-1] == 1000
    assert len(first) > 3


def test_bins_follow_freedman_and_diaconis() -> None:
    """2 IQR n^(-1/3) wide: a million pairs, a spread of 10 and an IQR of 1 make 500 bins."""
    assert strata.bin_count(1_000_000, 10.0, 1.0, 30) == 500


@pytest.mark.parametrize("quartile_range", [0.0, 4.0])
def test_bins_are_four_a_stratum_where_the_rule_is_too_coarse(quartile_range: float) -> None:
    """Heavy ties have no quartile range; a few pairs have few bins: four a stratum in both cases."""
    assert strata.bin_count(100, 10.0, quartile_range, 30) == 120


def test_an_outlier_does_not_ask_for_a_billion_bins() -> None:
    """One score of a million among margins would make 10^9 bins; there is a most."""
    assert strata.bin_count(1_000_000, 1e6, 0.1, 30) == strata.MOST_BINS


def test_crossing_keeps_places_and_drops_what_is_empty() -> None:
    """Predicted matches of a stratum come first, before and after crossing."""
    table = Strata(np.array([5, 3, 2]), np.array([0, 1, 2]), np.array([0.5, 1.5, 1.8]))
    crossed = strata.crossed(table)
    assert crossed.size.tolist() == [5, 1, 2, 2]
    assert crossed.predicted.tolist() == [0, 1, 0, 2]
    np.testing.assert_allclose(crossed.evidence / crossed.size, [0.1, 0.5, 0.5, 0.9])


def test_weights_and_shares_are_fractions() -> None:
    """Weight is the share of the pool, predicted share that of the stratum; places follow each other."""
    table = Strata(np.array([6, 2]), np.array([3, 2]), np.array([1.0, 1.0]))
    assert table.weight.tolist() == [0.75, 0.25]
    assert table.predicted_share.tolist() == [0.5, 1.0]
    assert table.start.tolist() == [0, 6]
