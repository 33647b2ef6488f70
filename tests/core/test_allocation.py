"""Where the next labels tell most."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qanat.core import allocation, smooth
from qanat.core.arrays import Floats
from qanat.core.measures import Totals, f_measure

DEPTH = np.array([3.0, 1.5, 0.5, -0.5])
PRIOR = smooth.prior(DEPTH, np.array([0.0, 0.0, 1.0, 1.0]), smooth.Shape())
LABELS, MATCHES = np.array([[40, 20, 10, 10]]), np.array([[0, 3, 6, 9]])
POSTERIOR = smooth.fit(PRIOR, MATCHES, LABELS, PRIOR.mean[None])
LEFT = np.array([[5000.0, 400.0, 50.0, 20.0]])
C = np.array([[-0.01, -0.01, 0.02, 0.02]])


def variance(covariance: Floats) -> float:
    """Return the posterior variance of the target that is due to the rates."""
    rate = POSTERIOR.match_rate[0]
    slope = C[0] * LEFT[0] * rate * (1 - rate)
    return float(slope @ covariance @ slope)


@pytest.mark.parametrize("cell", range(4))
def test_the_gain_is_the_drop_in_variance(cell: int) -> None:
    """One label more adds its precision; the variance of the target falls by the gain, less the pair's own."""
    rate = POSTERIOR.match_rate[0][cell]
    weight = rate * (1 - rate)
    before = POSTERIOR.covariance[0]
    precision = np.linalg.inv(before)
    precision[cell, cell] += weight
    drop = variance(before) - variance(np.linalg.inv(precision))
    own = C[0, cell] ** 2 * weight
    assert allocation.gain(POSTERIOR, C, LEFT)[0, cell] == pytest.approx(drop + own)


def test_a_cell_without_pairs_has_nothing_to_tell() -> None:
    """Where every pair is labelled, a label is worth nothing and is not drawn."""
    left = np.array([[5000.0, 0.0, 50.0, 20.0]])
    gains = allocation.gain(POSTERIOR, C, left)
    assert gains[0, 1] == 0
    assert allocation.shares(gains, left, LABELS, 0.1)[0, 1] == 0


shares_ = st.lists(st.floats(0, 1), min_size=1, max_size=8).filter(lambda values: sum(values) > 0.1)


@given(shares_, st.floats(0, 1, exclude_max=True), st.integers(1, 40))
def test_a_plan_rounds_the_expected_numbers(mass: list[float], u: float, n: int) -> None:
    """With pairs enough, a cell gets its share of the labels, rounded up or down."""
    shares = np.array([mass]) / sum(mass)
    left = np.full((1, len(mass)), 1000)
    counts = np.bincount(allocation.plan(shares, left, np.array([u]), n)[0], minlength=len(mass))
    assert np.all(np.abs(counts - n * shares[0]) < 1 + 1e-9)


@given(shares_, st.floats(0, 1, exclude_max=True), st.data())
def test_a_plan_takes_no_more_than_there_is(mass: list[float], u: float, data: st.DataObject) -> None:
    """Cells that are used up give their places to others; all labels are planned."""
    left = np.array([[data.draw(st.integers(0, 4)) for _ in mass]])
    n = int(left.sum())
    if n == 0:
        return
    shares = np.array([mass]) / sum(mass)
    counts = np.bincount(allocation.plan(shares, left, np.array([u]), n)[0], minlength=len(mass))
    assert counts.tolist() == left[0].tolist()


def test_expected_numbers_are_kept_on_average() -> None:
    """Over all starts, a cell gets exactly its expected number of labels."""
    shares = np.array([[0.5, 0.27, 0.18, 0.05]])
    starts = (np.arange(1000) + 0.5) / 1000
    plans = allocation.plan(np.repeat(shares, 1000, axis=0), np.full((1000, 4), 99), starts, 10)
    counts = np.bincount(plans.ravel(), minlength=4) / 1000
    np.testing.assert_allclose(counts, 10 * shares[0], atol=2e-3)


@given(st.floats(0.01, 0.9))
def test_exploration_reaches_every_cell(epsilon: float) -> None:
    """No cell with pairs left is without a share; shares sum to one."""
    shares = allocation.shares(allocation.gain(POSTERIOR, C, LEFT), LEFT, LABELS, epsilon)
    assert np.all(shares > 0)
    assert shares.sum() == pytest.approx(1)


def test_coefficients_are_derivatives() -> None:
    """What one more match does to F, in cells of predicted matches and in others."""
    totals = Totals(np.array([60.0]), np.array([80.0]), np.array([120.0]))
    c = allocation.coefficients(totals, 0.5, np.array([False, True]))
    step = 1e-6
    more = totals._replace(matches=totals.matches + step)
    both = more._replace(true_positives=totals.true_positives + step)
    for i, changed in enumerate((more, both)):
        slope = (f_measure(changed, 0.5) - f_measure(totals, 0.5)) / step
        assert c[0, i] == pytest.approx(float(slope[0]), rel=1e-4)
