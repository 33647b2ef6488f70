"""Where the next labels tell most about the target: c-optimal allocation with exploration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats, Integers
from qanat.core.measures import Totals, influence
from qanat.core.smooth import Posterior

# Mass in proportion to the square of the gain: labels then go where greed would put nearly all of them.
POWER = 2.0


def coefficients(totals: Totals, alpha: float, is_predicted: NDArray[np.bool_]) -> Floats:
    """Return what one more match in each cell does to F_alpha, shape (runs, K)."""
    slope = influence(totals, alpha)
    return np.where(is_predicted, slope.predicted[:, None], slope.not_predicted[:, None])


def gain(posterior: Posterior, c: Floats, left: Floats) -> Floats:
    """Return by how much one label of each cell lowers the posterior variance of the target (runs, K).

    `left` pairs of a cell are not labelled. A label tells of its own pair, and through the belief of all
    others.
    """
    rate = posterior.match_rate
    weight = rate * (1 - rate)
    slope = c * left * weight
    shared = (posterior.covariance @ slope[..., None])[..., 0]
    variance = np.diagonal(posterior.covariance, axis1=1, axis2=2)
    return np.where(left > 0, weight * shared**2 / (1 + weight * variance) + c**2 * weight, 0.0)


def shares(gains: Floats, left: Floats, labels: Integers, epsilon: float) -> Floats:
    """Return how the next labels are shared out over the cells, shape (runs, K), rows summing to one."""
    best = _normalised((gains / np.maximum(gains.max(axis=1, keepdims=True), 1e-300)) ** POWER)
    explored = _normalised(np.sqrt(left / (labels + 1.0)))
    return np.where(best.sum(axis=1, keepdims=True) > 0, (1 - epsilon) * best, 0.0) + epsilon * explored


def _normalised(mass: Floats) -> Floats:
    return mass / np.maximum(mass.sum(axis=1, keepdims=True), 1e-300)


def plan(shares: Floats, left: Integers, u: Floats, n: int) -> NDArray[np.intp]:
    """Return the cells of the next `n` labels, shape (runs, n), none drawn beyond what it has left.

    Systematic rounding: n points at equal distances from a random start, so that a cell gets its expected
    number of labels, rounded up or down. `u` is (runs,). Together the cells have at least `n` pairs left.
    """
    cumulative = np.cumsum(shares, axis=1)
    points = (np.arange(n) + u[:, None]) / n * cumulative[:, -1:]
    cells = np.argmax(cumulative[:, None, :] > points[:, :, None], axis=2)
    left, rows = left.copy(), np.arange(len(cells))
    for column in cells.T:
        # A cell that is used up gives its place to the one with the largest share among the others.
        used = left[rows, column] <= 0
        if used.any():
            column[used] = np.argmax(np.where(left[used] > 0, shares[used] + 1e-300, -1.0), axis=1)
        left[rows, column] -= 1
    return cells
