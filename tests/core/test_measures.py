"""Measures of counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qanat.core import measures
from qanat.core.measures import Totals


def totals(true_positives: float, predicted: float, matches: float) -> Totals:
    """Return counts as arrays of one."""
    return Totals(np.array([true_positives]), np.array([predicted]), np.array([matches]))


@given(st.integers(1, 50), st.integers(0, 50), st.integers(0, 50), st.floats(0, 1))
def test_f_is_the_weighted_harmonic_mean(hits: int, false: int, missed: int, alpha: float) -> None:
    """1 / F = alpha / precision + (1 - alpha) / recall."""
    counts = totals(hits, hits + false, hits + missed)
    precision = measures.f_measure(counts, measures.PRECISION)
    recall = measures.f_measure(counts, measures.RECALL)
    np.testing.assert_allclose(1 / measures.f_measure(counts, alpha), alpha / precision + (1 - alpha) / recall)


@pytest.mark.parametrize(
    ("counts", "alpha"),
    [(totals(0, 0, 0), 0.5), (totals(0, 0, 3), 1.0), (totals(0, 3, 0), 0.0), (totals(*[np.nan] * 3), 0.5)],
    ids=["nothing at all", "precision without predictions", "recall without matches", "unknown counts"],
)
def test_undefined_is_nan(counts: Totals, alpha: float) -> None:
    """No denominator, no value: not zero, no exception, no warning."""
    assert np.isnan(measures.f_measure(counts, alpha)).all()
    assert np.isnan(measures.influence(counts, alpha).predicted).all()


@given(st.integers(1, 50), st.integers(0, 50), st.integers(0, 50), st.floats(0, 1))
def test_influence_is_the_derivative(hits: int, false: int, missed: int, alpha: float) -> None:
    """One pair more that matches moves F by its influence, to first order."""
    step = 1e-6
    at = totals(hits, hits + false, hits + missed)
    found = totals(hits + step, hits + false, hits + missed + step)
    overlooked = totals(hits, hits + false, hits + missed + step)
    slope = measures.influence(at, alpha)
    before = measures.f_measure(at, alpha)
    np.testing.assert_allclose((measures.f_measure(found, alpha) - before) / step, slope.predicted, atol=1e-5)
    np.testing.assert_allclose(
        (measures.f_measure(overlooked, alpha) - before) / step, slope.not_predicted, atol=1e-5
    )
