"""Where to draw next."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qanat.core import proposal
from qanat.core.chance import uniforms
from qanat.core.proposal import Average
from qanat.core.strata import Strata
from qanat.testing import assert_share

WEIGHT = np.array([0.7, 0.2, 0.06, 0.04])
SHARE = np.array([0.0, 0.1, 0.6, 1.0])
RATE = np.array([0.001, 0.05, 0.5, 0.95])

unit = st.floats(0, 1)
strata = st.lists(st.tuples(st.floats(0.01, 1), st.sampled_from([0.0, 0.3, 1.0]), unit), min_size=1, max_size=6)


def table(weight: np.ndarray, share: np.ndarray) -> Strata:
    """Return a stratum table with these weights and shares of predicted matches."""
    size = np.round(np.asarray(weight) * 1e6).astype(np.int64) * 10
    return Strata(size, np.round(size * share).astype(np.int64), np.zeros(len(size)))


def masses(strata_: Strata, rate: np.ndarray, *, f: float, alpha: float, average: Average) -> np.ndarray:
    """Return the optimal mass of such strata."""
    of = proposal.coefficients(strata_, alpha, average)
    return proposal.optimal(proposal.terms(of, rate[None]), np.array([f]))[0]


def mass(f: float, alpha: float, average: Average = "inside") -> np.ndarray:
    """Return the optimal mass of the four strata above."""
    return masses(table(WEIGHT, SHARE), RATE, f=f, alpha=alpha, average=average)


def variance(chosen: np.ndarray, f: float, alpha: float) -> float:
    """Return the asymptotic variance of F, but for a constant, when strata are drawn with `chosen`.

    Written outcome by outcome: a draw has prediction and truth, each combination its error.
    """
    total = 0.0
    for v, omega, share, rate in zip(chosen, WEIGHT, SHARE, RATE, strict=True):
        for probability, error in (
            (share * rate, 1 - f),
            (share * (1 - rate), -alpha * f),
            ((1 - share) * rate, -(1 - alpha) * f),
        ):
            total += omega**2 / v * probability * error**2
    return total


@given(st.floats(0.05, 0.95), unit, st.lists(st.floats(-0.3, 0.3), min_size=4, max_size=4))
def test_inside_is_the_minimiser(f: float, alpha: float, change: list[float]) -> None:
    """No other distribution over strata has a smaller asymptotic variance."""
    best = mass(f, alpha)
    if not np.all(best > 0):
        return
    best = best / best.sum()
    other = best * np.exp(change)
    assert variance(best, f, alpha) <= variance(other / other.sum(), f, alpha) * (1 + 1e-9)


@given(st.floats(0.05, 0.95), unit)
def test_both_readings_agree_on_pure_strata(f: float, alpha: float) -> None:
    """Where a stratum holds predicted pairs only or none, there is nothing to average."""
    pure = np.array([0.0, 0.0, 1.0, 1.0])
    inside, outside = (
        masses(table(WEIGHT, pure), RATE, f=f, alpha=alpha, average=average)
        for average in ("inside", "outside")
    )
    np.testing.assert_allclose(inside, outside, rtol=1e-12, atol=1e-15)


def test_outside_is_what_the_paper_prints() -> None:
    """The mean of the two roots, written out for one stratum."""
    f, alpha = 0.6, 0.3
    k = 2
    expected = WEIGHT[k] * (
        (1 - alpha) * (1 - SHARE[k]) * f * np.sqrt(RATE[k])
        + SHARE[k] * np.sqrt((alpha * f) ** 2 * (1 - RATE[k]) + (1 - f) ** 2 * RATE[k])
    )
    assert mass(f, alpha, "outside")[k] == pytest.approx(expected)


def test_inside_never_exceeds_its_own_root() -> None:
    """The root of the mean is above the mean of the roots, so the readings differ where strata are mixed."""
    inside, outside = mass(0.6, 0.5), mass(0.6, 0.5, "outside")
    np.testing.assert_allclose(inside[[0, 3]], outside[[0, 3]])
    assert np.all(inside[1:3] > outside[1:3])


@given(strata, unit, unit, st.floats(1e-6, 1))
def test_exploration_gives_every_stratum_a_chance(
    rows: list[tuple[float, float, float]], f: float, alpha: float, epsilon: float
) -> None:
    """No proposal, however extreme, can hide a stratum from the sampler."""
    weight, share, rate = np.array(rows).T
    strata_ = table(weight, share)
    mass_ = masses(strata_, rate, f=f, alpha=alpha, average="inside")
    weight = strata_.weight
    mixed = proposal.explore(mass_[None], weight, epsilon)
    assert np.all(mixed >= epsilon * weight * (1 - 1e-12))
    np.testing.assert_allclose(mixed.sum(), 1)


def test_no_mass_leaves_the_passive_distribution() -> None:
    """When every stratum seems exhausted, draws are passive and weights one."""
    nothing = np.zeros((2, 4))
    np.testing.assert_allclose(proposal.explore(nothing, WEIGHT, 0.01), [WEIGHT, WEIGHT])
    _, weight = proposal.draw(nothing, WEIGHT, 0.01, uniforms(0, np.arange(2), 0, 5))
    np.testing.assert_allclose(weight, 1)


def test_draws_follow_the_distribution_that_they_report() -> None:
    """The frequency of each stratum is that of `explore`; a difference of 0.02 would be seen."""
    masses = np.array([[0.0, 3.0, 0.5, 1.0]])
    expected = proposal.explore(masses, WEIGHT, 0.25)[0]
    stratum, weight = proposal.draw(masses, WEIGHT, 0.25, uniforms(3, np.arange(1), 0, 100_000))
    for k, chance_of_k in enumerate(expected):
        assert_share(int((stratum == k).sum()), stratum.size, float(chance_of_k), detects=0.02)
    np.testing.assert_allclose(weight, (WEIGHT / expected)[stratum])


@given(strata, st.integers(0, 5), unit, st.floats(0.1, 0.9))
def test_revising_one_stratum_is_computing_all_again(
    rows: list[tuple[float, float, float]], where: int, new: float, f: float
) -> None:
    """The short terms with one stratum replaced give the mass that the whole table would."""
    weight, share, rate = np.array(rows).T
    stratum = np.array([where % len(rows)])
    strata_ = table(weight, share)
    first = int(np.argmax(strata_.predicted > 0)) if strata_.predicted.any() else len(rows)
    of = proposal.coefficients(strata_, 0.5, "inside")
    changed = rate.copy()
    changed[stratum] = new
    part = proposal.terms(proposal.at(of, stratum), np.array([new]))
    before = proposal.short(proposal.terms(of, rate[None]), first)
    after = proposal.revised(before, first, stratum, part)
    np.testing.assert_array_equal(
        proposal.optimal(after, np.array([f])),
        proposal.optimal(proposal.terms(of, changed[None]), np.array([f])),
    )


def test_the_guess_of_f_is_f_at_the_guessed_rates() -> None:
    """Counts expected under the guesses make the initial F (algorithm 2, line 8)."""
    strata_ = Strata(np.array([90, 10]), np.array([0, 5]), np.zeros(2))
    rate = np.array([0.1, 0.8])
    true_positives, matches, predicted = 10 * 0.8 * 0.5, 9 + 8, 5
    expected = true_positives / (0.5 * predicted + 0.5 * matches)
    assert proposal.f_guess(strata_, rate, 0.5) == pytest.approx(expected)


def test_an_undefined_guess_is_one_half() -> None:
    """Recall without a guessed match has no value; the proposal needs one."""
    strata_ = Strata(np.array([5]), np.array([2]), np.zeros(1))
    assert proposal.f_guess(strata_, np.zeros(1), 0.0) == 0.5
