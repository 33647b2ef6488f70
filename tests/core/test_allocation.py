"""Where the next labels tell most."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qanat.core import allocation, priors, smooth
from qanat.core.arrays import Floats
from qanat.core.measures import Totals, f_measure
from qanat.testing import assert_share

DEPTH = np.array([3.0, 1.5, 0.5, -0.5])
PRIOR = priors.trusting(DEPTH, np.array([False, False, True, True]), priors.Shape())
LABELS, MATCHES = np.array([[40, 20, 10, 10]]), np.array([[0, 3, 6, 9]])
POSTERIOR = smooth.fit(PRIOR, MATCHES, LABELS, smooth.before(PRIOR, 1))
LEFT = np.array([[5000.0, 400.0, 50.0, 20.0]])
C = np.array([[-0.01, -0.01, 0.02, 0.02]])
EPSILON = np.array([[0.1]])


def variance(covariance: Floats) -> float:
    """Return the posterior variance of the target: that of the rates, and the pairs' own."""
    slope = allocation.slopes(POSTERIOR)[0]
    whole = C[0] * LEFT[0] * slope
    return float(whole @ covariance @ whole + (C[0] ** 2 * LEFT[0] * slope).sum())


@pytest.mark.parametrize("cell", range(4))
def test_the_gain_is_the_share_of_the_variance(cell: int) -> None:
    """One label more adds its precision; the gain is the share of the variance that goes with it."""
    weight = allocation.slopes(POSTERIOR)[0, cell]
    before = POSTERIOR.covariance[0]
    precision = np.linalg.inv(before)
    precision[cell, cell] += weight
    drop = variance(before) - variance(np.linalg.inv(precision)) + C[0, cell] ** 2 * weight
    found = allocation.gain(POSTERIOR, C, LEFT)[0, cell]
    assert found == pytest.approx(drop / variance(before), rel=1e-6)


def test_slopes_lie_between_the_centre_and_the_average() -> None:
    """The geometric mean of both: neither forgets what is uncertain nor is led by what is improbable."""
    centre = smooth.odds_to_rate(POSTERIOR.mean)
    ends = np.stack([centre * (1 - centre), smooth.rates(POSTERIOR.mean, POSTERIOR.variance)[1]])
    found = allocation.slopes(POSTERIOR)
    np.testing.assert_allclose(found**2, ends.prod(axis=0))
    assert np.all((ends.min(axis=0) <= found) & (found <= ends.max(axis=0)))


def test_a_cell_without_pairs_has_nothing_to_tell() -> None:
    """Where every pair is labelled, a label is worth nothing and is not drawn."""
    left = np.array([[5000.0, 0.0, 50.0, 20.0]])
    gains = allocation.gain(POSTERIOR, C, left)
    assert gains[0, 1] == 0
    shares = allocation.shares(gains, left, LABELS, EPSILON)
    assert shares[0, 1] == 0
    assert allocation.chances(shares, left.astype(np.int64))[0, 1] == 0


def test_without_a_gain_labels_explore() -> None:
    """If no label tells anything of the target, all of them go where pairs are left."""
    shares = allocation.shares(np.zeros((1, 4)), LEFT, LABELS, EPSILON)
    explored = LEFT / (LABELS + 1)
    np.testing.assert_allclose(allocation.chances(shares, LEFT.astype(np.int64)), explored / explored.sum())


def test_without_a_share_what_is_left_is_drawn() -> None:
    """Cells whose share was rounded away are still drawn, in proportion to their pairs, until none is left."""
    chances = allocation.chances(np.array([[1.0, 0.0, 0.0]]), np.array([[0, 3, 1]]))
    np.testing.assert_allclose(chances, [[0.0, 0.75, 0.25]])


@given(st.floats(0.01, 0.9))
def test_exploration_reaches_every_cell(epsilon: float) -> None:
    """No cell with pairs left is without a share; shares sum to one."""
    gains = allocation.gain(POSTERIOR, C, LEFT)
    shares = allocation.shares(gains, LEFT, LABELS, np.array([[epsilon]]))
    assert np.all(shares > 0)
    assert shares.sum() == pytest.approx(1)


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=8).filter(lambda values: sum(values) > 0.1),
    st.floats(0, 1, exclude_max=True),
)
def test_a_draw_is_a_cell_with_a_chance(mass: list[float], u: float) -> None:
    """Whatever the uniform, the cell drawn is one that could be."""
    chances = np.array([mass]) / sum(mass)
    assert chances[0, allocation.draw(chances, np.array([u]))[0]] > 0


def test_cells_are_drawn_as_often_as_is_said() -> None:
    """The share of the draws is the chance; one off by a fiftieth would be seen."""
    chances = np.array([[0.5, 0.27, 0.0, 0.18, 0.05]])
    runs = 60_000
    u = np.random.Generator(np.random.Philox(key=3)).random(runs)
    drawn = allocation.draw(np.repeat(chances, runs, axis=0), u)
    for cell, chance in enumerate(chances[0]):
        if chance > 0:
            assert_share(int((drawn == cell).sum()), runs, chance, detects=0.02)
    assert not (drawn == 2).any()


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
