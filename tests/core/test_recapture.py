"""The lower bounds on all matches: right where their assumption holds, too low where matches are hard."""

import numpy as np
import pytest

from qanat.core.recapture import chao, chapman

MATCHES, RUNS = 1000, 4000


def found_by_two(chance, easy: float, hard: float):
    """Return the counts of two ways that find easy matches with one probability and hard ones with another."""
    rate = np.where(np.arange(MATCHES) < MATCHES // 2, easy, hard)
    first, second = (chance.random((RUNS, MATCHES)) < rate for _ in range(2))
    return first.sum(axis=1), second.sum(axis=1), (first & second).sum(axis=1)


def test_independent_ways_give_the_number_of_matches():
    """Chapman is unbiased where the two ways are independent: within five standard errors of 1000.

    A bias of one in two hundred would be seen: it is eight of them.
    """
    counts = found_by_two(np.random.default_rng(1), 0.7, 0.7)
    bounds = np.array([chapman(*row) for row in zip(*counts, strict=True)])
    error = bounds.std() / np.sqrt(RUNS)
    assert abs(bounds.mean() - MATCHES) < 5 * error
    assert 8 * error < 0.005 * MATCHES


@pytest.mark.parametrize("which", ["chapman", "chao"])
def test_matches_that_are_hard_for_both_make_it_a_lower_bound(which):
    """Where the same matches are hard for both ways, the bounds lie between what was found and the truth."""
    first, second, both = found_by_two(np.random.default_rng(2), 0.9, 0.3)
    found = first + second - both
    bounds = {
        "chapman": np.array([chapman(*row) for row in zip(first, second, both, strict=True)]),
        "chao": np.array([chao(n, n - b, b) for n, b in zip(found, both, strict=True)]),
    }[which]
    assert found.mean() < bounds.mean() < 0.98 * MATCHES


def test_nothing_in_common_is_finite():
    """No match found by both, or none at all, breaks nothing."""
    assert chapman(5, 5, 0) == 35
    assert chapman(0, 0, 0) == 0
    assert chao(3, 3, 0) == 6
    assert chao(0, 0, 0) == 0
