"""A smooth belief about match rates: a logistic Gaussian process over the logarithm of the rank.

The match rate of cell h is the logistic function of f_h, and f is normal with a mean that falls with depth
and a covariance that ties neighbours together. Depth is log(rank / PP), zero where as many pairs lie above
as are predicted to match, so that the prior needs the order of the scores and nothing else of them. The
posterior is the normal distribution nearest to the true one (variational), not the one about its mode: in
cells where matches are rare the two differ by orders of magnitude. docs/notation.md has the formulas.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats, Integers
from qanat.core.strata import Strata

# Above this depth the ranking is as good as it gets.
HIGHEST = -1.5
STEPS = 100
SMALLEST_STEP, LONGEST_STEP = 1e-3, 4.0
# Where steps do not shrink, as those that go back and forth, a half of each is taken, then a quarter.
SMALLEST_SHARE = 0.25
# Nodes and weights that average over a normal distribution (Gauss and Hermite).
NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(13)
WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


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


def depth(strata: Strata) -> Floats:
    """Return the mean of log(rank / PP) in each stratum, rank 1 being the highest score of the pool."""
    # The integral of the logarithm over the ranks of the stratum, from half a rank before to half a rank after.
    last = strata.size[::-1].cumsum()[::-1] + 0.5
    first = last - strata.size
    integral = last * np.log(last) - first * np.log(first) - strata.size
    return integral / strata.size - np.log(_about(strata))


def prior(depth: Floats, is_predicted: NDArray[np.bool_], shape: Shape) -> Prior:
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


def doubtful_prior(cells: Strata, depth: Floats) -> Prior:
    """Return a prior that expects nothing of the scores: as many matches as are predicted, anywhere."""
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


def _about(strata: Strata) -> float:
    """Return about how many matches to expect."""
    predicted = float(strata.predicted.sum())
    return predicted if predicted > 0 else float(np.sqrt(strata.size.sum()))


def _local(x: Floats, wave: float, cell: float) -> Floats:
    """Return the covariance of what is particular to a depth, and to a cell."""
    return wave**2 * np.exp(-0.5 * (x[:, None] - x[None, :]) ** 2) + cell**2 * np.eye(len(x))


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
