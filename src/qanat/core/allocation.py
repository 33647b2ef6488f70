"""Where the next labels tell most about the target: c-optimal allocation with exploration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats, Integers
from qanat.core.measures import Totals, influence
from qanat.core.smooth import Posterior, odds_to_rate, rates

# Mass in proportion to the square of the gain: labels then go where greed would put nearly all of them.
POWER = 2.0


def coefficients(totals: Totals, alpha: float, is_predicted: NDArray[np.bool_]) -> Floats:
    """Return what one more match in each cell does to F_alpha, shape (runs, K)."""
    slope = influence(totals, alpha)
    return np.where(is_predicted, slope.predicted[:, None], slope.not_predicted[:, None])


def slopes(posterior: Posterior) -> Floats:
    """Return how much the match rate of each cell moves with its log-odds, shape (runs, K).

    The geometric mean of the slope at the centre of the belief and of the average slope: the centre forgets
    what is uncertain, the average is led by what is improbable. See docs/adr/0012.
    """
    centre = odds_to_rate(posterior.mean)
    average = rates(posterior.mean, posterior.variance)[1]
    return np.sqrt(centre * (1 - centre) * average)


def gain(posterior: Posterior, c: Floats, left: Floats) -> Floats:
    """Return which share of the posterior variance of the target one label of each cell takes away (runs, K).

    `left` pairs of a cell are not labelled. A label tells of its own pair, and through the belief of all
    others.
    """
    slope = slopes(posterior)
    whole = c * left * slope
    shared = (posterior.covariance @ whole[..., None])[..., 0]
    lowered = slope * shared**2 / (1 + slope * posterior.variance) + c**2 * slope
    variance = (whole * shared + c**2 * left * slope).sum(axis=1, keepdims=True)
    return np.where(left > 0, lowered, 0.0) / np.maximum(variance, 1e-300)


def shares(gains: Floats, left: Floats, asked: Integers, epsilon: Floats) -> Floats:
    """Return how the next labels are shared out over the cells, shape (runs, K), rows summing to one.

    `epsilon` (runs, 1) of them explore, in proportion to the pairs left for each label asked for.
    """
    best = _normalised((gains / np.maximum(gains.max(axis=1, keepdims=True), 1e-300)) ** POWER)
    explored = _normalised(left / (asked + 1.0))
    return np.where(best.sum(axis=1, keepdims=True) > 0, (1 - epsilon) * best, 0.0) + epsilon * explored


def _normalised(mass: Floats) -> Floats:
    return mass / np.maximum(mass.sum(axis=1, keepdims=True), 1e-300)


def chances(shares: Floats, left: Integers) -> Floats:
    """Return the probability of each cell at the next draw; those without a pair left have none.

    Draws are independent given the past, so that the probability of each is known: what holds without a
    model (qanat.core.betting) needs no more.
    """
    mass = np.where(left > 0, shares, 0.0)
    # Rounding may leave no share at all to the last cells: what is left then shares it.
    mass = np.where(mass.sum(axis=1, keepdims=True) > 0, mass, left)
    return _normalised(mass)


def draw(chances: Floats, u: Floats) -> NDArray[np.intp]:
    """Return one cell of every run, shape (runs,)."""
    cumulative = np.cumsum(chances, axis=1)
    return np.argmax(cumulative > (u * cumulative[:, -1])[:, None], axis=1)
