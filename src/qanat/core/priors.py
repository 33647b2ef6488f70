"""What is believed of match rates before any label, over the logarithm of the rank.

Depth is log(rank / PP), zero where as many pairs lie above as are predicted to match, so that a prior needs
the order of the scores and nothing else of them. docs/notation.md has the formulas.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats, Integers
from qanat.core.strata import Strata

# Above this depth the ranking is as good as it gets.
HIGHEST = -1.5


class Shape(NamedTuple):
    """Slopes of the mean of f, and standard deviations of its parts; docs/notation.md has the formula.

    Set on known pools and verified on others: docs/adr/0012.
    """

    slope: float = 1.5
    bend: float = 0.15
    drop: float = 2.0
    level: float = 1.0
    tilt: float = 0.3
    tail: float = 0.65
    steepness: float = 3.0
    wave: float = 1.0
    cell: float = 0.6
    predicted: float = 2.0


class Prior(NamedTuple):
    """Mean (K,) and covariance (K, K) of the log-odds of the match rates."""

    mean: Floats
    covariance: Floats


def depth(strata: Strata) -> Floats:
    """Return the mean of log(rank / PP) in each stratum, rank 1 being the highest score of the pool."""
    # The integral of the logarithm over the ranks of the stratum, from half a rank before to half a rank after.
    last = strata.size[::-1].cumsum()[::-1] + 0.5
    first = last - strata.size
    integral = last * np.log(last) - first * np.log(first) - strata.size
    return integral / strata.size - np.log(_about(strata))


def trusting(depth: Floats, is_predicted: NDArray[np.bool_], shape: Shape) -> Prior:
    """Return the prior of cells at these depths, which trusts that matches have high scores.

    A predicted pair is never taken to lie deeper than the matcher's own number of matches.
    """
    x = np.maximum(np.where(is_predicted, np.minimum(depth, 0.0), depth), HIGHEST)
    edge, beyond, called = np.tanh(x), np.maximum(x - 1.0, 0.0), is_predicted.astype(np.float64)
    covariance = (
        shape.level**2
        + shape.tilt**2 * np.outer(x, x)
        + shape.tail**2 * np.outer(beyond, beyond)
        + shape.steepness**2 * np.outer(edge, edge)
        + shape.predicted**2 * np.outer(called, called)
        + _local(x, shape.wave, shape.cell)
    )
    return Prior(-shape.slope * x - shape.bend * np.maximum(x, 0.0) ** 2 - shape.drop * edge, covariance)


def doubtful(cells: Strata, depth: Floats) -> Prior:
    """Return a prior that expects nothing of the scores: one rate, about that of the predicted matches."""
    is_predicted = cells.predicted > 0
    x = np.maximum(depth, HIGHEST)
    away = x - np.average(x, weights=cells.size)
    called, other = is_predicted.astype(np.float64), (~is_predicted).astype(np.float64)
    covariance = (
        4.0 * (np.outer(other, other) + np.outer(called, called))
        + 0.25 * np.outer(away, away)
        + _local(x, 1.0, 0.7)
    )
    return Prior(np.where(is_predicted, 0.0, np.log(_about(cells) / cells.size.sum())), covariance)


def calibrated(match_rate: Floats, size: Integers, depth: Floats, shape: Shape) -> Prior:
    """Return the prior of cells whose mean probability of a match the user knows.

    No probability is believed to be nearer to 0 or 1 than half a pair of the cell: many systems round.
    """
    least = 0.5 / size
    rate = np.clip(match_rate, least, 1 - least)
    x = np.maximum(depth, HIGHEST)
    beyond = np.maximum(x - 1.0, 0.0)
    covariance = (
        shape.level**2
        + shape.tilt**2 * np.outer(x, x)
        + shape.tail**2 * np.outer(beyond, beyond)
        + _local(x, shape.wave, shape.cell)
    )
    return Prior(np.log(rate / (1 - rate)), covariance)


def _about(strata: Strata) -> float:
    """Return about how many matches to expect."""
    predicted = float(strata.predicted.sum())
    return predicted if predicted > 0 else float(np.sqrt(strata.size.sum()))


def _local(x: Floats, wave: float, cell: float) -> Floats:
    """Return the covariance of what is particular to a depth, and to a cell."""
    return wave**2 * np.exp(-0.5 * (x[:, None] - x[None, :]) ** 2) + cell**2 * np.eye(len(x))
