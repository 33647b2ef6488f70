"""What is believed before any label."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qanat.core import priors
from qanat.core.arrays import Floats
from qanat.core.strata import Strata

SHAPE = priors.Shape()
DEPTH = np.array([4.0, 2.5, 1.0, 0.2, -0.5, -1.5])


def test_the_prior_expects_about_as_many_matches_as_are_predicted() -> None:
    """The prevalence anchor: one to three times as many, from ten thousand pairs to ten million."""
    for pairs in (10_000, 10_000_000):
        cuts = np.unique(np.round(8 * ((1 + pairs / 8) ** (np.arange(31) / 30) - 1)).astype(np.int64))
        size = np.diff(cuts)[::-1]
        predicted = np.where(np.cumsum(size[::-1])[::-1] <= 100, size, 0)
        strata = Strata(size, predicted, np.zeros(len(size)))
        prior = priors.trusting(priors.depth(strata), predicted > 0, SHAPE)
        expected = (size / (1 + np.exp(-prior.mean))).sum()
        assert predicted.sum() < expected < 3 * predicted.sum()


def test_a_predicted_pair_is_not_taken_to_lie_deep() -> None:
    """Whatever its rank, a predicted pair is expected to match at least as often as not."""
    prior = priors.trusting(DEPTH, np.array([True, False, False, False, True, True]), SHAPE)
    assert prior.mean[0] == pytest.approx(0)


def test_the_doubtful_prior_expects_nothing_of_the_scores() -> None:
    """All cells that are not predicted have one rate: that of as many matches as are predicted."""
    size = np.array([9000, 900, 90, 10])
    cells = Strata(size, np.array([0, 0, 0, 10]), np.zeros(4))
    mean = priors.doubtful(cells, DEPTH[:4]).mean
    np.testing.assert_allclose(np.exp(mean[:3]), 10 / 10_000)
    assert mean[3] == 0


def test_calibrated_probabilities_are_the_mean_of_the_prior() -> None:
    """The prior takes the user's word, but no probability for more certain than half a pair of the cell."""
    size = np.array([1000, 50, 10, 4])
    prior = priors.calibrated(np.array([0.0, 0.2, 0.9, 1.0]), size, DEPTH[:4], SHAPE)
    np.testing.assert_allclose(1 / (1 + np.exp(-prior.mean)), [0.5 / 1000, 0.2, 0.9, 1 - 0.5 / 4], rtol=1e-9)
    assert np.all(np.linalg.eigvalsh(prior.covariance) > 0)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(0, 3))
def test_depth_is_the_mean_log_rank(sizes: list[int], predicted: int) -> None:
    """Up to the difference between a sum over ranks and its integral."""
    size = np.array(sizes)
    top = np.zeros(len(size), dtype=np.int64)
    top[-1] = min(predicted, size[-1])
    found = priors.depth(Strata(size, top, np.zeros(len(size))))
    rank, expected = 0, list[float]()
    for n in size[::-1]:
        expected.append(float(np.log(np.arange(rank + 1, rank + n + 1)).mean()))
        rank += n
    centre: Floats = np.log(top.sum() if top.sum() > 0 else np.sqrt(size.sum()))
    np.testing.assert_allclose(found, np.array(expected[::-1]) - centre, atol=0.05)
