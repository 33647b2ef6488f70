"""Scores become guesses."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qanat.core import guess


@given(st.floats(-1e6, 1e6))
def test_the_logistic_function_is_that_of_the_library(x: float) -> None:
    """Ours differs from the textbook by no more than rounding."""
    expected = 1 / (1 + math.exp(-x)) if x > -700 else math.exp(max(x, -745))
    np.testing.assert_allclose(guess.logistic(np.array([x])), expected, rtol=4e-16, atol=1e-300)


def test_any_shape_is_mapped_alike() -> None:
    """An array of more elements than are computed at a time, in two dimensions."""
    x = np.linspace(-30, 30, 20_000).reshape(4, 5000)
    np.testing.assert_array_equal(guess.logistic(x)[3], guess.logistic(x[3]))


@given(st.lists(st.floats(-50, 50), min_size=2, max_size=20))
def test_higher_scores_never_guess_lower(scores: list[float]) -> None:
    """The map keeps the order of scores."""
    ordered = np.sort(np.array(scores))
    assert np.all(np.diff(guess.logistic(ordered)) >= 0)


def test_the_extreme_score_is_nearly_sure() -> None:
    """The released scaling sends the most extreme score to 0.99 or 0.01 and zero to a half."""
    mapped = guess.of_pair(np.array([-2.0, 0.0, 1.0]), "scaled", 2.0)
    np.testing.assert_allclose(mapped, [0.01, 0.5, 1 / (1 + 99**-0.5)])


def test_scores_that_are_all_zero_guess_one_half() -> None:
    """Nothing to scale by is no reason for NaN."""
    assert guess.of_pair(np.zeros(3), "scaled", 0.0).tolist() == [0.5, 0.5, 0.5]


def test_the_paper_maps_the_mean() -> None:
    """Average first, then the logistic function of what is above the threshold."""
    scores = np.array([0.0, 2.0])
    assert guess.of_pair(scores, "logistic", 2.0).tolist() == [0.0, 2.0]
    assert guess.of_stratum(np.array([1.0]), "logistic", 1.0).tolist() == [0.5]


def test_probabilities_are_taken_as_they_are() -> None:
    """A calibrated score is its own guess, also where it is 0 or 1."""
    scores = np.array([0.0, 0.25, 1.0])
    assert guess.of_pair(scores, "probability", 1.0).tolist() == [0.0, 0.25, 1.0]
    assert guess.of_stratum(scores, "probability", 0.7).tolist() == [0.0, 0.25, 1.0]
