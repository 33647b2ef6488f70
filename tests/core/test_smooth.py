"""The smooth belief about match rates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from qanat.core import priors, smooth
from qanat.core.arrays import Integers
from qanat.core.priors import Prior
from qanat.core.strata import Strata

SHAPE = priors.Shape()
DEPTH = np.array([4.0, 2.5, 1.0, 0.2, -0.5, -1.5])
PREDICTED = np.array([False, False, False, False, True, True])
PRIOR = priors.trusting(DEPTH, PREDICTED, SHAPE)
# Points and weights of a fine grid, to average over a normal distribution without quadrature.
GRID = np.linspace(-8, 8, 4001)
DENSITY = np.exp(-0.5 * GRID**2) / np.exp(-0.5 * GRID**2).sum()

labelled = st.lists(
    st.tuples(st.integers(0, 30), st.floats(0, 1)).map(lambda row: (row[0], round(row[0] * row[1]))),
    min_size=6,
    max_size=6,
)


def fitted(labels: Integers, matches: Integers, prior: Prior = PRIOR) -> smooth.Posterior:
    """Return the posterior of one run, searched from the prior."""
    return smooth.fit(prior, matches[None], labels[None], smooth.before(prior, 1))


def averaged(mean: float, spread: float) -> tuple[float, float]:
    """Return the averages of the logistic function and of its slope over a normal distribution."""
    rate = 1 / (1 + np.exp(-(mean + spread * GRID)))
    return float(rate @ DENSITY), float((rate * (1 - rate)) @ DENSITY)


@pytest.mark.parametrize(("mean", "spread"), [(0.0, 0.5), (-3.0, 1.5), (-8.0, 2.0), (4.0, 1.0)])
def test_rates_are_averages_over_the_belief(mean: float, spread: float) -> None:
    """The mean match rate and its slope are integrals over the normal belief, not values at its centre."""
    rate, slope = smooth.rates(np.array([[mean]]), np.array([[spread**2]]))
    expected = averaged(mean, spread)
    assert float(rate[0, 0]) == pytest.approx(expected[0], rel=0.02)
    assert float(slope[0, 0]) == pytest.approx(expected[1], rel=0.02)


@given(labelled)
def test_labels_and_prior_balance(rows: list[tuple[int, int]]) -> None:
    """Where the search ends, the average pull of the labels and that of the prior are equal."""
    labels, matches = np.array(rows).T
    posterior = fitted(labels, matches)
    pull = matches - labels * posterior.match_rate[0]
    back = np.linalg.solve(PRIOR.covariance, posterior.mean[0] - PRIOR.mean)
    np.testing.assert_allclose(pull, back, atol=0.02)


@given(labelled)
def test_the_covariance_is_the_inverse_of_the_curvature(rows: list[tuple[int, int]]) -> None:
    """Precision of the prior plus that of the labels, averaged over the belief, inverted."""
    labels, matches = np.array(rows).T
    posterior = fitted(labels, matches)
    slope = smooth.rates(posterior.mean, posterior.variance)[1][0]
    precision = np.linalg.inv(PRIOR.covariance) + np.diag(labels * slope)
    np.testing.assert_allclose(posterior.covariance[0], np.linalg.inv(precision), atol=0.02)


@given(labelled, st.integers(0, 5))
def test_what_is_anticipated_narrows_and_does_not_move(rows: list[tuple[int, int]], cell: int) -> None:
    """Labels that turn out as expected leave the means where they are and add their precision."""
    labels, matches = np.array(rows).T
    posterior = fitted(labels, matches)
    pending = np.eye(6, dtype=np.int64)[cell][None] * 7
    after = smooth.anticipating(PRIOR, posterior, pending)
    np.testing.assert_allclose(after.mean, posterior.mean, atol=1e-6)
    slope = smooth.rates(posterior.mean, posterior.variance)[1][0, cell]
    precision = np.linalg.inv(posterior.covariance[0])
    precision[cell, cell] += 7 * slope
    np.testing.assert_allclose(after.covariance[0], np.linalg.inv(precision), rtol=1e-4, atol=1e-8)


def test_without_labels_the_prior_stays() -> None:
    """Nothing told, nothing learnt."""
    nothing = np.zeros(6, dtype=np.int64)
    posterior = fitted(nothing, nothing)
    np.testing.assert_allclose(posterior.mean[0], PRIOR.mean)
    np.testing.assert_allclose(posterior.covariance[0], PRIOR.covariance)


def test_many_labels_outweigh_the_prior() -> None:
    """A thousand labels of a cell say what its rate is, whatever was believed."""
    labels = np.array([1000, 0, 0, 0, 0, 0])
    rate = fitted(labels, labels // 2).match_rate[0]
    assert rate[0] == pytest.approx(0.5, abs=0.02)
    assert rate[1] > 0.1, "its neighbour is believed to be similar"


@pytest.mark.parametrize("doubtful", [False, True])
def test_the_search_ends_where_labels_contradict(doubtful: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """However far the labels are from the prior, steps neither run away nor go back and forth for ever."""
    size = np.array([600_000, 70_000, 2_000, 300, 40, 20])
    cells = Strata(size, np.where(PREDICTED, size, 0), np.zeros(6))
    prior = priors.doubtful(cells, 2 * DEPTH) if doubtful else PRIOR
    labels, matches = np.array([60, 2, 9, 200, 40, 20]), np.array([40, 0, 0, 0, 3, 20])
    posterior = fitted(labels, matches, prior)
    steps = [0]
    towards = smooth._towards

    def counting(*arguments: object) -> smooth.Posterior:
        steps[0] += 1
        return towards(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(smooth, "_towards", counting)
    again = smooth.fit(prior, matches[None], labels[None], smooth.before(prior, 1))
    assert steps[0] < 60
    np.testing.assert_array_equal(again.mean, posterior.mean)
    np.testing.assert_allclose(
        matches - labels * posterior.match_rate[0],
        np.linalg.solve(prior.covariance, posterior.mean[0] - prior.mean),
        atol=0.05,
    )


def test_a_search_may_be_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where steps run out, what was found last is the belief, and it is finite."""
    monkeypatch.setattr(smooth, "STEPS", 1)
    labels = np.array([9, 9, 9, 9, 9, 9])
    posterior = fitted(labels, labels // 3)
    assert np.isfinite(posterior.mean).all()
    assert not np.array_equal(posterior.mean[0], PRIOR.mean)


@given(labelled)
def test_company_changes_nothing(rows: list[tuple[int, int]]) -> None:
    """A run is searched for alike alone and beside others, to the last bit."""
    labels, matches = np.array(rows).T
    other = np.array([30, 0, 5, 0, 8, 1])
    together = smooth.fit(PRIOR, np.stack([other, matches]), np.stack([other, labels]), smooth.before(PRIOR, 2))
    np.testing.assert_array_equal(together.mean[1], fitted(labels, matches).mean[0])


@given(labelled)
def test_the_evidence_is_a_bound_of_the_likelihood(rows: list[tuple[int, int]]) -> None:
    """It is below the likelihood, which sampling around the posterior tells, and not far from it."""
    labels, matches = np.array(rows).T
    posterior = fitted(labels, matches)
    bound = float(smooth.evidence(PRIOR, posterior, matches[None], labels[None])[0])
    around = multivariate_normal(posterior.mean[0], 2 * posterior.covariance[0])
    f = around.rvs(size=20_000, random_state=0)
    likelihood = (matches * f - labels * np.logaddexp(0, f)).sum(axis=1)
    likelihood += multivariate_normal(PRIOR.mean, PRIOR.covariance).logpdf(f) - around.logpdf(f)
    exact = float(np.logaddexp.reduce(likelihood) - np.log(len(f)))
    assert exact - 1.0 < bound < exact + 0.1


def test_evidence_tells_true_scores_from_useless_ones() -> None:
    """Labels that follow the scores favour the prior that trusts them, labels without order the other."""
    size = np.array([600_000, 70_000, 2_000, 300, 40, 20])
    cells = Strata(size, np.where(PREDICTED, size, 0), np.zeros(6))
    doubtful = priors.doubtful(cells, DEPTH)
    labels = np.full(6, 40)

    def odds(matches: list[int]) -> float:
        m = np.array(matches)
        ways = ((PRIOR, 1), (doubtful, -1))
        return sum(
            sign * float(smooth.evidence(prior, fitted(labels, m, prior), m[None], labels[None])[0])
            for prior, sign in ways
        )

    assert odds([0, 0, 4, 12, 30, 39]) > 5
    assert odds([0, 0, 0, 0, 20, 2]) < -5
