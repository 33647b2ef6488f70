"""Labels move beliefs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qanat.core import posterior
from qanat.core.posterior import Prior

labels = st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=20)


def observed(prior: Prior, seen: list[tuple[int, bool]]) -> tuple[posterior.Counts, float]:
    """Return the counts and the last rate after these labels of one run."""
    counts, rate = posterior.no_counts(1, 3), np.zeros(1)
    for stratum, label in seen:
        counts, rate = posterior.observe(counts, prior, np.array([stratum]), np.array([label]))
    return counts, float(rate[0])


@given(labels, st.floats(0.01, 0.99), st.floats(0.1, 50))
def test_the_rate_is_the_mean_of_the_beta_posterior(
    seen: list[tuple[int, bool]], guess: float, strength: float
) -> None:
    """Beta(strength guess, strength (1 - guess)) with the stratum's labels added."""
    counts, rate = observed(Prior(np.full(3, guess), strength, False), seen)
    last = seen[-1][0]
    of_last = [label for stratum, label in seen if stratum == last]
    a, b = strength * guess + sum(of_last), strength * (1 - guess) + len(of_last) - sum(of_last)
    assert rate == pytest.approx(a / (a + b))
    assert counts.labels.sum() == len(seen)
    assert counts.matches.sum() == sum(label for _, label in seen)


def test_a_decaying_prior_fades() -> None:
    """After n labels the prior is worth strength / n: here 2 / 4 of a label at rate 0.8."""
    seen = [(1, True), (1, False), (1, False), (1, False)]
    _, rate = observed(Prior(np.full(3, 0.8), 2.0, True), seen)
    assert rate == pytest.approx((1 + 0.5 * 0.8) / (4 + 0.5))


def test_other_strata_and_runs_stay() -> None:
    """One label of each run changes one stratum of each run."""
    prior = Prior(np.array([0.1, 0.5, 0.9]), 2.0, True)
    counts, rate = posterior.observe(
        posterior.no_counts(2, 3), prior, np.array([0, 2]), np.array([True, False])
    )
    assert counts.labels.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert counts.matches.tolist() == [[1, 0, 0], [0, 0, 0]]
    np.testing.assert_allclose(rate, [1.2 / 3, 1.8 / 3])
