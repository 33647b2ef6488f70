"""A smooth belief about match rates: a logistic Gaussian process over the logarithm of the rank.

The match rate of cell h is the logistic function of f_h, and f is normal with a mean that falls with depth
and a covariance that ties neighbours together. Depth is log(rank / PP), zero where as many pairs lie above
as are predicted to match, so that the prior expects about that many matches: it needs the order of the
scores and nothing else of them. The posterior is Laplace's: normal about the mode.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qanat.core.arrays import Floats, Integers
from qanat.core.guess import logistic
from qanat.core.strata import Strata

# The top of the ranking is as good as three e-folds above the predicted matches.
HIGHEST = -3.0
STEPS = 25
LONGEST_STEP = 4.0
SMALLEST_STEP = 1e-3


class Shape(NamedTuple):
    """Standard deviations of the parts of f, and the slopes of its mean; docs/notation.md has the formula."""

    slope: float = 1.0
    bend: float = 0.15
    level: float = 1.5
    tilt: float = 0.7
    curve: float = 0.1
    wave: float = 1.0
    cell: float = 0.7
    predicted: float = 1.0


class Prior(NamedTuple):
    """Mean (K,) and covariance (K, K) of the log-odds of the match rates."""

    mean: Floats
    covariance: Floats


class Posterior(NamedTuple):
    """Mode (runs, K) and covariance (runs, K, K) of the log-odds after labels."""

    mode: Floats
    covariance: Floats

    @property
    def match_rate(self) -> Floats:
        """The match rates at the mode."""
        return logistic(self.mode)


def depth(strata: Strata) -> Floats:
    """Return the mean of log(rank / PP) in each stratum, rank 1 being the highest score of the pool."""
    # The integral of the logarithm over the ranks of the stratum, from half a rank before to half a rank after.
    last = strata.size[::-1].cumsum()[::-1] + 0.5
    first = last - strata.size
    integral = last * np.log(last) - first * np.log(first) - strata.size
    predicted = int(strata.predicted.sum())
    centre = predicted if predicted > 0 else np.sqrt(strata.size.sum())
    return integral / strata.size - np.log(centre)


def prior(depth: Floats, is_predicted: Floats, shape: Shape) -> Prior:
    """Return the prior of cells at these depths, `is_predicted` being 1 for those of predicted matches."""
    x = np.maximum(depth, HIGHEST)
    fall = np.maximum(x, 0.0) ** 2
    covariance = (
        shape.level**2
        + shape.tilt**2 * np.outer(x, x)
        + shape.curve**2 * np.outer(fall, fall)
        + shape.wave**2 * np.exp(-0.5 * (x[:, None] - x[None, :]) ** 2)
        + shape.cell**2 * np.eye(len(x))
        + shape.predicted**2 * np.outer(is_predicted, is_predicted)
    )
    return Prior(-shape.slope * x - shape.bend * fall, covariance)


def fit(prior: Prior, matches: Integers, labels: Integers, start: Floats) -> Posterior:
    """Return the posterior after so many matches in so many labels (runs, K), searched from `start`."""
    mode, is_moving = start, np.ones(len(start), dtype=bool)
    for _ in range(STEPS):
        rate = logistic(mode)
        weight = labels * rate * (1 - rate)
        target = weight * (mode - prior.mean) + matches - labels * rate
        root = np.sqrt(weight)
        spread = _times(target, prior.covariance)
        inner = np.linalg.solve(_curvature(prior, root), (root * spread)[..., None])[..., 0]
        step = prior.mean + _times(target - root * inner, prior.covariance) - mode
        # A run that has arrived stays, whatever the others still do: its company must not matter.
        mode = mode + np.where(is_moving[:, None], np.clip(step, -LONGEST_STEP, LONGEST_STEP), 0.0)
        is_moving &= np.abs(step).max(axis=1) >= SMALLEST_STEP
        if not is_moving.any():
            break
    return Posterior(mode, _covariance(prior, labels, mode))


def _times(rows: Floats, matrix: Floats) -> Floats:
    """Return each row (runs, K) times the matrix, by itself, so that it is rounded alike in any company."""
    return (rows[:, None, :] @ matrix)[:, 0, :]


def _curvature(prior: Prior, root: Floats) -> Floats:
    """Return I + sqrt(W) C sqrt(W), whose inverse is all that a Newton step needs."""
    return np.eye(root.shape[-1]) + root[:, :, None] * prior.covariance * root[:, None, :]


def _covariance(prior: Prior, labels: Integers, mode: Floats) -> Floats:
    rate = logistic(mode)
    root = np.sqrt(labels * rate * (1 - rate))
    scaled = root[:, :, None] * prior.covariance
    solved = np.linalg.solve(_curvature(prior, root), scaled)
    return prior.covariance - scaled.transpose(0, 2, 1) @ solved
