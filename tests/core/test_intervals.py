"""The delta interval of weighted and stratified estimates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from qanat.core import intervals

VALUES, LEVELS = st.floats(0, 1), st.floats(0.01, 0.9999)
VARIANCES = st.just(np.nan) | st.floats(0, 10)


def delta(value: float, variance: float, draws: float, level: float = 0.95) -> tuple[float, float]:
    """Return the delta interval of one value."""
    low, high = intervals.delta(np.array([value]), np.array([variance]), np.array([draws]), level)
    return float(low[0]), float(high[0])


@given(st.floats(0.3, 0.7), st.floats(1e-3, 0.05), LEVELS)
def test_the_delta_interval_is_z_standard_errors_wide(value: float, error: float, level: float) -> None:
    """Value -+ z se, where draws are many."""
    half = norm.ppf(0.5 + level / 2) * error
    expected = (max(value - half, 0), min(value + half, 1))
    assert delta(value, error**2, 1e9, level) == pytest.approx(expected, abs=1e-7)


@given(st.integers(1, 10_000), LEVELS)
def test_no_error_seen_is_not_no_error(draws: int, level: float) -> None:
    """Without variance an end is where so many draws have no error with the chance of a tail."""
    low, high = delta(1.0, 0.0, draws, level)
    assert high == 1
    assert low**draws == pytest.approx((1 - level) / 2)
    assert delta(0.0, np.nan, draws, level) == pytest.approx((0, 1 - low)), "nor if the variance is unknown"


@given(LEVELS, VARIANCES, st.integers(0, 10**6))
def test_where_the_value_is_undefined_the_interval_says_nothing(
    level: float, variance: float, draws: int
) -> None:
    """From 0 to 1."""
    assert delta(np.nan, variance, draws, level) == (0, 1)


@given(VALUES, VARIANCES, st.integers(0, 10**6), LEVELS, st.floats(0, 1))
def test_the_delta_interval_holds_the_value(
    value: float, variance: float, draws: int, level: float, share: float
) -> None:
    """From 0 to 1, never NaN, and wider at a higher level."""
    low, high = delta(value, variance, draws, level)
    assert 0 <= low <= value <= high <= 1
    less = delta(value, variance, draws, share * level)
    assert low <= less[0] <= less[1] <= high


def test_measures_and_runs_are_apart() -> None:
    """Values and variances (T, runs) with draws (runs,) give what each gives alone."""
    value, variance = np.array([[0.5, np.nan], [0.9, 0.2]]), np.array([[0.01, np.nan], [0.0, 0.001]])
    draws = np.array([100.0, 20.0])
    found = intervals.delta(value, variance, draws, 0.9)
    for at in np.ndindex(2, 2):
        assert (float(found.low[at]), float(found.high[at])) == delta(
            float(value[at]), float(variance[at]), float(draws[at[1]]), 0.9
        )
