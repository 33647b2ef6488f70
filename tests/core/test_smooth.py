"""The smooth belief about match rates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qanat.core import smooth
from qanat.core.arrays import Floats, Integers
from qanat.core.strata import Strata

SHAPE = smooth.Shape()
DEPTH = np.array([4.0, 2.5, 1.0, 0.2, -0.5, -1.5])
PREDICTED = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0])
PRIOR = smooth.prior(DEPTH, PREDICTED, SHAPE)

labelled = st.lists(
    st.tuples(st.integers(0, 30), st.floats(0, 1)).map(lambda row: (row[0], round(row[0] * row[1]))),
    min_size=6,
    max_size=6,
)


def fitted(labels: Integers, matches: Integers) -> smooth.Posterior:
    """Return the posterior of one run, searched from the prior."""
    return smooth.fit(PRIOR, matches[None], labels[None], PRIOR.mean[None])


@given(labelled)
def test_the_mode_is_where_the_posterior_is_flat(rows: list[tuple[int, int]]) -> None:
    """At the mode, the pull of the labels and that of the prior balance."""
    labels, matches = np.array(rows).T
    posterior = fitted(labels, matches)
    pull = matches - labels * posterior.match_rate[0]
    back = np.linalg.solve(PRIOR.covariance, posterior.mode[0] - PRIOR.mean)
    np.testing.assert_allclose(pull, back, atol=0.02)


@given(labelled)
def test_the_covariance_is_the_inverse_of_the_curvature(rows: list[tuple[int, int]]) -> None:
    """Precision of the prior plus that of the labels, inverted."""
    labels, matches = np.array(rows).T
    posterior = fitted(labels, matches)
    rate = posterior.match_rate[0]
    precision = np.linalg.inv(PRIOR.covariance) + np.diag(labels * rate * (1 - rate))
    np.testing.assert_allclose(posterior.covariance[0], np.linalg.inv(precision), atol=1e-6)


def test_without_labels_the_prior_stays() -> None:
    """Nothing told, nothing learnt."""
    nothing = np.zeros(6, dtype=np.int64)
    posterior = fitted(nothing, nothing)
    np.testing.assert_allclose(posterior.mode[0], PRIOR.mean)
    np.testing.assert_allclose(posterior.covariance[0], PRIOR.covariance)


def test_many_labels_outweigh_the_prior() -> None:
    """A thousand labels of a cell say what its rate is, whatever was believed."""
    labels = np.array([1000, 0, 0, 0, 0, 0])
    rate = fitted(labels, labels // 2).match_rate[0]
    assert rate[0] == pytest.approx(0.5, abs=0.01)
    assert rate[1] > 0.1, "its neighbour is believed to be similar"


def test_the_prior_expects_about_as_many_matches_as_are_predicted() -> None:
    """The prevalence anchor: twice to three times as many, from ten thousand pairs to ten million."""
    for pairs in (10_000, 10_000_000):
        cuts = np.unique(np.round(8 * ((1 + pairs / 8) ** (np.arange(31) / 30) - 1)).astype(np.int64))
        size = np.diff(cuts)[::-1]
        predicted = np.where(np.cumsum(size[::-1])[::-1] <= 100, size, 0)
        strata = Strata(size, predicted, np.zeros(len(size)))
        prior = smooth.prior(smooth.depth(strata), (predicted > 0).astype(np.float64), SHAPE)
        expected = (size / (1 + np.exp(-prior.mean))).sum()
        assert 2 * predicted.sum() < expected < 3 * predicted.sum()


def test_a_search_from_far_away_ends() -> None:
    """A start that no steps lead back from is given up, not searched from for ever."""
    nothing = np.zeros((1, 6), dtype=np.int64)
    far = PRIOR.mean[None] + 2 * smooth.STEPS * smooth.LONGEST_STEP
    mode = smooth.fit(PRIOR, nothing, nothing, far).mode
    np.testing.assert_allclose(mode, far - smooth.STEPS * smooth.LONGEST_STEP)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(0, 3))
def test_depth_is_the_mean_log_rank(sizes: list[int], predicted: int) -> None:
    """Up to the difference between a sum over ranks and its integral."""
    size = np.array(sizes)
    top = np.zeros(len(size), dtype=np.int64)
    top[-1] = min(predicted, size[-1])
    found = smooth.depth(Strata(size, top, np.zeros(len(size))))
    rank, expected = 0, list[float]()
    for n in size[::-1]:
        expected.append(float(np.log(np.arange(rank + 1, rank + n + 1)).mean()))
        rank += n
    centre: Floats = np.log(top.sum() if top.sum() > 0 else np.sqrt(size.sum()))
    np.testing.assert_allclose(found, np.array(expected[::-1]) - centre, atol=0.05)
