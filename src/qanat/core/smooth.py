"""A smooth belief about match rates: a logistic Gaussian process over the logarithm of the rank.

The match rate of cell h is the logistic function of f_h, and f is normal: before any label with a mean that
falls with depth and a covariance that ties neighbours together (qanat.core.priors), afterwards the normal
distribution nearest to the true posterior (variational), not the one about its mode: in cells where matches
are rare the two differ by orders of magnitude. docs/notation.md has the formulas.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qanat.core.arrays import Floats, Integers
from qanat.core.priors import Prior

STEPS = 100
SMALLEST_STEP, LONGEST_STEP = 1e-3, 4.0
# Where steps do not shrink, as those that go back and forth, a half of each is taken, then a quarter.
SMALLEST_SHARE = 0.25
# Nodes and weights that average over a normal distribution (Gauss and Hermite).
NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(13)
WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


class Posterior(NamedTuple):
    """Mean (runs, K) and covariance (runs, K, K) of the log-odds, and the mean match rates (runs, K).

    `precision` is what the labels of each cell add to the prior's, `pull` how far they pull it from the prior
    mean, times that (runs, K): the two decide all the rest.
    """

    mean: Floats
    covariance: Floats
    match_rate: Floats
    precision: Floats
    pull: Floats

    @property
    def variance(self) -> Floats:
        """The variances of the log-odds, (runs, K)."""
        return np.maximum(np.diagonal(self.covariance, axis1=1, axis2=2), 0.0)


def fit(prior: Prior, matches: Integers, labels: Integers, start: Posterior) -> Posterior:
    """Return the posterior after so many matches in so many labels (runs, K), searched from `start`.

    Each step is one of the natural gradient of the variational bound; a whole step is Newton's.
    """
    found = Posterior(*(part.copy() for part in start))
    moving, share, last = np.arange(len(found.mean)), np.ones(len(found.mean)), np.full(len(found.mean), np.inf)
    for _ in range(STEPS):
        here = Posterior(*(part[moving] for part in found))
        there = _towards(prior, matches[moving], labels[moving], here, share)
        for whole, part in zip(found, there, strict=True):
            whole[moving] = part
        step = _distance(here, there)
        share = np.where(step > 0.7 * last, np.maximum(share / 2, SMALLEST_SHARE), share)
        # A run that has arrived stays, whatever the others still do: its company must not matter.
        is_moving = step >= SMALLEST_STEP
        moving, share, last = moving[is_moving], share[is_moving], step[is_moving]
        if len(moving) == 0:
            break
    return found._replace(match_rate=rates(found.mean, found.variance)[0])


def before(prior: Prior, runs: int) -> Posterior:
    """Return the posterior before the first label."""
    mean = np.tile(prior.mean, (runs, 1))
    covariance = np.tile(prior.covariance, (runs, 1, 1))
    nothing = np.zeros(mean.shape)
    variance = np.tile(np.diagonal(prior.covariance), (runs, 1))
    return Posterior(mean, covariance, rates(mean, variance)[0], nothing, nothing)


def anticipating(prior: Prior, posterior: Posterior, pending: Integers) -> Posterior:
    """Return the posterior after so many more labels of each cell that turn out as expected (runs, K)."""
    weight = pending * rates(posterior.mean, posterior.variance)[1]
    precision = posterior.precision + weight
    pull = posterior.pull + weight * (posterior.mean - prior.mean)
    mean, covariance = _moments(prior, precision, pull)
    return Posterior(mean, covariance, posterior.match_rate, precision, pull)


def rates(mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Return the averages of the match rate and of its slope pi (1 - pi), f being normal."""
    rate = odds_to_rate(mean[..., None] + np.sqrt(variance)[..., None] * NODES)
    return rate @ WEIGHTS, (rate * (1 - rate)) @ WEIGHTS


def odds_to_rate(log_odds: Floats) -> Floats:
    """Return the logistic function."""
    result = np.exp(-np.clip(log_odds, -500.0, 500.0))
    result += 1.0
    return np.reciprocal(result, out=result)


def evidence(prior: Prior, posterior: Posterior, matches: Integers, labels: Integers) -> Floats:
    """Return the logarithm of how well the prior foretold the labels, shape (runs,): its variational bound."""
    away = posterior.mean - prior.mean
    foretold = matches * posterior.mean - labels * _softplus(posterior.mean, posterior.variance)
    # The divergence from the prior, whose inverse covariance times `away` is the pull that labels leave over.
    divergence = (away * (posterior.pull - posterior.precision * away)).sum(axis=1)
    divergence -= (posterior.precision * posterior.variance).sum(axis=1)
    divergence += np.linalg.slogdet(_curvature(prior, np.sqrt(posterior.precision)))[1]
    return foretold.sum(axis=1) - 0.5 * divergence


def _softplus(mean: Floats, variance: Floats) -> Floats:
    """Return the average of log(1 + exp(f)), f being normal."""
    return np.logaddexp(0.0, mean[..., None] + np.sqrt(variance)[..., None] * NODES) @ WEIGHTS


def _towards(prior: Prior, matches: Integers, labels: Integers, here: Posterior, share: Floats) -> Posterior:
    """Return the posterior after a share (runs,) of a step, or less where it would be too long."""
    rate, slope = rates(here.mean, here.variance)
    weight = labels * slope
    wanted = weight * (here.mean - prior.mean) + matches - labels * rate

    def after(share: Floats) -> Posterior:
        part = share[:, None]
        precision = here.precision + part * (weight - here.precision)
        pull = here.pull + part * (wanted - here.pull)
        return Posterior(*_moments(prior, precision, pull), here.match_rate, precision, pull)

    there = after(share)
    length = np.abs(there.mean - here.mean).max(axis=1)
    if (length <= LONGEST_STEP).all():
        return there
    return after(share * LONGEST_STEP / np.maximum(length, LONGEST_STEP))


def _distance(one: Posterior, other: Posterior) -> Floats:
    """Return the largest difference of means and standard deviations (runs,)."""
    mean, spread = one.mean - other.mean, np.sqrt(one.variance) - np.sqrt(other.variance)
    return np.maximum(np.abs(mean), np.abs(spread)).max(axis=1)


def _moments(prior: Prior, precision: Floats, pull: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the covariance that precision and pull of the labels make of the prior's."""
    root = np.sqrt(precision)
    scaled = root[:, :, None] * prior.covariance
    spread = _times(pull, prior.covariance)
    right = np.concatenate([scaled, (root * spread)[:, :, None]], axis=2)
    solved = np.linalg.solve(_curvature(prior, root), right)
    change = scaled.transpose(0, 2, 1) @ solved
    return prior.mean + spread - change[:, :, -1], prior.covariance - change[:, :, :-1]


def _times(rows: Floats, matrix: Floats) -> Floats:
    """Return each row (runs, K) times the matrix, by itself, so that it is rounded alike in any company."""
    return (rows[:, None, :] @ matrix)[:, 0, :]


def _curvature(prior: Prior, root: Floats) -> Floats:
    """Return I + sqrt(W) C sqrt(W), whose inverse is all that a Newton step needs."""
    return np.eye(root.shape[-1]) + root[:, :, None] * prior.covariance * root[:, None, :]
