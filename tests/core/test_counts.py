"""Quantile functions that turn points of chance into numbers of matches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom, gamma, norm

from qanat.core import counts
from qanat.core.arrays import Floats
from qanat.core.counts import Points

AT = counts.points(500, 1)
SIZES = st.integers(0, 7).flatmap(lambda digits: st.integers(0, 10**digits))
# Match rates of every order of magnitude, and their complements.
RATES = st.builds(
    lambda rate, is_rest: 1 - rate if is_rest else rate, st.floats(0, 0.5), st.booleans()
) | st.floats(-8, 0).map(lambda digits: 10**digits)


def binomial(n: int, p: float, at: Points = AT) -> Floats:
    """Return the quantiles of one binomial distribution at every point."""
    return counts.binomial(np.array([float(n)]), np.array([p]), at)[:, 0]


def column(at: Points, number: int) -> Points:
    """Return one column of the points."""
    return Points(at.uniform[:, [number]], at.normal[:, [number]])


def test_points_are_the_middles_of_equal_parts_of_chance() -> None:
    """Every column holds each of 500 middles once, with its normal beside it, and is shuffled by itself."""
    at = counts.points(500, 12)
    middles = (np.arange(500) + 0.5) / 500
    assert all(np.array_equal(np.sort(uniform), middles) for uniform in at.uniform.T)
    np.testing.assert_allclose(at.normal, norm.ppf(at.uniform), atol=1e-12)
    between = np.corrcoef(at.uniform.T) - np.eye(12)
    assert np.abs(between).max() < 0.2, "4.5 standard errors of a correlation of 500 points"


def test_points_are_the_same_whenever_asked_for() -> None:
    """Made anew, the points are those made before: an interval can be repeated."""
    first = counts.points(40, 3).uniform.copy()
    counts.points.cache_clear()
    assert np.array_equal(counts.points(40, 3).uniform, first)


@given(SIZES, RATES)
def test_binomial_quantiles_are_exact_where_few_are_expected(n: int, p: float) -> None:
    """With fewer than 30 of either kind expected, they are scipy's, but for a last digit of chance at ties."""
    rate = p if n * min(p, 1 - p) < counts.MANY else 10.0 / n
    found, u = binomial(n, rate), AT.uniform[:, 0]
    assert np.all(found >= binom.ppf(u - 1e-9, n, rate))
    assert np.all(found <= binom.ppf(u + 1e-9, n, rate))


@given(st.integers(60, 10**9), st.floats(0, 1))
def test_binomial_quantiles_are_near_where_many_are_expected(n: int, share: float) -> None:
    """With 30 or more of each kind expected, they are at most one pair away from scipy's."""
    rate = counts.MANY / n + share * (1 - 2 * counts.MANY / n)
    away = binomial(n, rate) - binom.ppf(AT.uniform[:, 0], n, rate)
    assert np.abs(away).max() <= 1
    assert abs(away.mean()) < 0.1


@given(SIZES, RATES)
def test_binomial_quantiles_rise_with_chance_from_none_to_all(n: int, p: float) -> None:
    """A larger uniform never means fewer matches; they are whole numbers from 0 to n."""
    found = binomial(n, p)[np.argsort(AT.uniform[:, 0])]
    assert np.all(np.diff(found) >= 0)
    assert np.all((found >= 0) & (found <= n) & (found == np.round(found)))


@pytest.mark.parametrize("n", [0, 1, 7, 10**6])
def test_what_is_certain_is_not_left_to_chance(n: int) -> None:
    """At rate 0 none matches, at rate 1 all do."""
    assert np.all(binomial(n, 0.0) == 0)
    assert np.all(binomial(n, 1.0) == n)


def test_every_cell_has_its_own_numbers() -> None:
    """Arrays of sizes and rates (runs, draws, cells) give what each cell gives alone."""
    n, p = np.array([[[5.0, 400.0, 9e5]]]), np.array([[[0.9, 0.5, 1e-5]], [[0.1, 0.99, 1e-2]]])
    at = counts.points(50, 3)
    found = counts.binomial(n, p, at)
    assert found.shape == (2, 50, 3)
    for run, cell in np.ndindex(2, 3):
        alone = counts.binomial(n[0, :, cell], p[run, :, cell], column(at, cell))
        assert np.array_equal(found[run, :, cell], alone[:, 0])


@pytest.mark.parametrize("shape", [0.02, 0.3, 1.0, 2.5, 40.0, 3000.0])
def test_gamma_variates_have_the_gamma_distribution(shape: float) -> None:
    """Their quantiles stand for the right chances, within three hundredths, over many pairs of columns."""
    at = counts.points(500, 80)
    found = counts._gamma(np.array(shape), at.normal[:, ::2], at.uniform[:, 1::2])
    tails = np.array([0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975])
    np.testing.assert_allclose(gamma.cdf(np.quantile(found, tails), shape), tails, atol=0.03)
    # The mean square error of a mean of 40 x 500 variates is shape / 20,000.
    assert found.mean() == pytest.approx(shape, abs=5 * np.sqrt(shape / 20_000) + 0.01 * shape)


SHAPES = [
    (1.0, 1.0),
    (0.5, 1.5),
    (0.1, 2.0),
    (2.0, 2.0),
    (5.0, 20.0),
    (1.9, 0.1),
    (3.5, 100.0),
    (400.0, 30.0),
]


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_beta_variates_have_the_beta_distribution(a: float, b: float) -> None:
    """Their quantiles stand for the right chances, within three hundredths, and their mean is right."""
    at = counts.points(500, 160)
    one, two, three, four = (Points(at.uniform[:, i::4], at.normal[:, i::4]) for i in range(4))
    found = counts.beta(np.array(a), np.array(b), (one, two, three, four))
    tails = np.array([0.025, 0.1, 0.5, 0.9, 0.975])
    np.testing.assert_allclose(beta.cdf(np.quantile(found, tails), a, b), tails, atol=0.03)
    assert found.mean() == pytest.approx(a / (a + b), abs=0.01)


@given(st.floats(0, 1e7), st.floats(0, 1e7))
def test_beta_variates_are_rates(a: float, b: float) -> None:
    """From 0 to 1 for all shapes worth two labels together, even if one of them is 0."""
    at = counts.points(500, 4)
    one, two, three, four = (column(at, i) for i in range(4))
    found = counts.beta(np.array([a]), np.array([max(b, 2 - a)]), (one, two, three, four))
    assert np.all((found >= 0) & (found <= 1))
    assert a > 0 or np.all(found == 0)
