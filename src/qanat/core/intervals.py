"""Intervals that say what they assume.

The envelope holds two beliefs about the pairs without a label: the smooth posterior, and each cell by itself,
which leans on the smooth rate as on two labels. To both it adds matches that follow no score (scatter), as
many as could hide in the cells where none was seen; and no end goes beyond what an unbroken row of right
predictions allows. All measures come from the same draws. The delta method is for the samplers of the paper.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core import counts
from qanat.core.arrays import Floats, Integers
from qanat.core.measures import Totals, f_measure
from qanat.core.smooth import Posterior, odds_to_rate

DRAWS = 1000
# The smooth rate counts as so many labels of a cell by itself.
LEAN = 2.0
# Of all matches, the share expected to follow no score before any label; the upper end is four times that.
SCATTER = 0.05
# Numbers of chance for each cell: its log-odds, its count, and four of a rate of its own.
COLUMNS = 6
# Runs at a time, so that the draws of all cells fit the cache.
BLOCK = 16


class Labelled(NamedTuple):
    """What is known of the cells: size and prediction (K,), labels and matches among them (runs, K).

    `lost` pairs have an answer that tells nothing; `assumed` of them are taken for matches.
    """

    size: Integers
    is_predicted: NDArray[np.bool_]
    labels: Integers
    matches: Integers
    lost: Integers
    assumed: Integers

    @property
    def left(self) -> Floats:
        """Pairs of which nothing is known or assumed."""
        return (self.size - self.labels - self.lost).astype(np.float64)

    @property
    def is_unseen(self) -> NDArray[np.bool_]:
        """Cells below the predictions in which no match was seen."""
        return (self.matches == 0) & ~self.is_predicted


class Interval(NamedTuple):
    """Ends of an interval, arrays of one shape; never NaN, `low` never above `high`."""

    low: Floats
    high: Floats


class Envelope(NamedTuple):
    """The envelope of each measure (T, runs), and what its ends rest on.

    `assumption_share` is the part of the width that comes from cells in which no match was seen;
    `certification` the number of labels there that would do without the assumption (runs,).
    """

    interval: Interval
    assumption_share: Floats
    certification: Floats


def medians(known: Labelled, posterior: Posterior, alphas: Sequence[float]) -> tuple[Floats, Totals]:
    """Return the posterior median of every F_alpha (T, runs), and those of the counts in the pool."""
    value, totals = np.empty((len(alphas), len(known.labels))), _no_totals(len(known.labels))
    for rows in _blocks(len(known.labels)):
        part = _part(known, rows)
        drawn = _totals(part, imagined(part, _part_of(posterior, rows)))
        value[:, rows] = [_quantile(f_measure(drawn, alpha), 0.5) for alpha in alphas]
        for whole, count in zip(totals, drawn, strict=True):
            whole[rows] = np.median(count, axis=1)
    return value, totals


def envelope(known: Labelled, posterior: Posterior, alphas: Sequence[float], level: float) -> Envelope:
    """Return the envelope of every F_alpha; what it rests on is told of the first."""
    runs, tail = len(known.labels), (1 - level) / 2
    low, high = np.empty((len(alphas), runs)), np.empty((len(alphas), runs))
    share, cost = np.zeros(runs), np.zeros(runs)
    for rows in _blocks(runs):
        part, belief = _part(known, rows), _part_of(posterior, rows)
        smooth, local, scattered = imagined(part, belief), _local(part, belief), _scattered(part, belief)
        pools = _pools(part, smooth, local, tail)
        more = [totals._replace(matches=totals.matches + scattered) for totals in pools.believed]
        pools = pools._replace(believed=pools.believed + more)
        for row, alpha in enumerate(alphas):
            low[row, rows], high[row, rows] = _ends(pools, alpha, tail)
        is_unseen = part.is_unseen[:, None, :]
        seen = _pools(part, np.where(is_unseen, 0.0, smooth), np.where(is_unseen, 0.0, local), tail)
        share[rows] = _share(high[0, rows] - low[0, rows], np.subtract(*_ends(seen, alphas[0], tail)[::-1]))
        cost[rows] = _certification(part, more[0], level)
    return Envelope(Interval(low, high), share, cost)


def delta(value: Floats, variance: Floats, draws: Floats, level: float) -> Interval:
    """Return value -+ z standard errors; from 0 to 1 where the value is undefined.

    No end is nearer to the value than `draws` draws without a single error of that kind would allow.
    """
    z = NormalDist().inv_cdf(0.5 + level / 2)
    least = 1 - ((1 - level) / 2) ** (1 / np.maximum(draws, 1.0))
    half = z * np.sqrt(np.where(np.isnan(variance), 0.0, variance))
    known = np.where(np.isnan(value), 0.5, value)
    half = np.where(np.isnan(value), 1.0, np.maximum(half, least))
    return Interval(np.clip(known - half, 0.0, 1.0), np.clip(known + half, 0.0, 1.0))


def imagined(known: Labelled, posterior: Posterior) -> Floats:
    """Return draws of the unlabelled matches of every cell, all rates drawn together (runs, draws, K)."""
    cells = len(known.size)
    at = counts.points(DRAWS, COLUMNS * cells)
    log_odds = posterior.mean[:, None, :] + at.normal[:, :cells] @ _root(posterior.covariance)
    return counts.binomial(known.left[:, None, :], odds_to_rate(log_odds), _columns(at, 1, cells))


def _root(covariance: Floats) -> Floats:
    """Return a matrix whose transpose times itself is the covariance, shape (runs, K, K).

    Its rows are the principal directions: the points are spread evenly along those that matter most.
    """
    size, direction = np.linalg.eigh(covariance)
    # A direction has no sign of its own: it points where the rates rise.
    direction = direction * np.where(direction.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    return (direction * np.sqrt(np.maximum(size, 0.0))[:, None, :]).transpose(0, 2, 1)


def _local(known: Labelled, posterior: Posterior) -> Floats:
    """Return draws of the unlabelled matches of every cell by itself (runs, draws, K)."""
    cells = len(known.size)
    at = counts.points(DRAWS, COLUMNS * cells)
    rate = posterior.match_rate
    yes, no = known.matches + LEAN * rate, known.labels - known.matches + LEAN * (1 - rate)
    two, three, four, five = (_columns(at, part, cells) for part in (2, 3, 4, 5))
    own = counts.beta(yes[:, None, :], no[:, None, :], (two, three, four, five))
    return counts.binomial(known.left[:, None, :], own, _columns(at, 1, cells))


def _columns(at: counts.Points, part: int, cells: int) -> counts.Points:
    columns = slice(part * cells, (part + 1) * cells)
    return counts.Points(at.uniform[:, columns], at.normal[:, columns])


def _scattered(known: Labelled, posterior: Posterior) -> Floats:
    """Return draws of the matches that follow no score, shape (runs, draws).

    Before any label their rate is exponential, its mean a share of all matches; every label of a cell where
    none was seen speaks against it.
    """
    expected = np.maximum((known.matches + known.left * posterior.match_rate).sum(axis=1), 1.0)
    against = (known.labels * known.is_unseen).sum(axis=1)
    at = counts.points(DRAWS, 2)
    mean = 1 / (known.size.sum() / (SCATTER * expected) + against)
    rate = np.minimum(-np.log(at.uniform[:, 0]) * mean[:, None], 1.0)
    left = (known.left * known.is_unseen).sum(axis=1)
    return counts.binomial(left[:, None], rate, counts.Points(at.uniform[:, 1], at.normal[:, 1]))


class _Pools(NamedTuple):
    """Imagined pools of the beliefs, and those with as many wrong, or right, as could have gone unseen."""

    believed: list[Totals]
    wrong: Totals
    right: Totals


def _pools(known: Labelled, smooth: Floats, local: Floats, tail: float) -> _Pools:
    wrong, right = (_unbroken(known, smooth, tail, is_right=is_right) for is_right in (True, False))
    return _Pools([_totals(known, smooth), _totals(known, local)], _totals(known, wrong), _totals(known, right))


def _unbroken(known: Labelled, smooth: Floats, tail: float, *, is_right: bool) -> Floats:
    """Return the draws with unbroken rows of right (or wrong) predictions as they could have gone unseen.

    Where all labels of a predicted cell are right, so many of its other pairs are wrong that a row as long as
    all such cells together is as unlikely as the tail.
    """
    broken = known.labels - known.matches if is_right else known.matches
    is_unbroken = (broken == 0) & (known.labels > 0) & known.is_predicted
    row, left = ((count * is_unbroken).sum(axis=1, keepdims=True) for count in (known.labels, known.left))
    # Whole pairs: a few left can always hold one.
    other = np.ceil(left * (1 - tail ** (1 / np.maximum(row, 1)))) / np.maximum(left, 1)
    matches = known.left * (1 - other if is_right else other)
    return np.where(is_unbroken[:, None, :], matches[:, None, :], smooth)


def _ends(pools: _Pools, alpha: float, tail: float) -> tuple[Floats, Floats]:
    """Return the outermost quantiles of F_alpha, and no less than unbroken rows allow."""
    drawn = [f_measure(totals, alpha) for totals in pools.believed]
    low = np.min([_quantile(f, tail, 0.0) for f in drawn], axis=0)
    high = np.max([_quantile(f, 1 - tail, 1.0) for f in drawn], axis=0)
    low = np.minimum(low, _quantile(f_measure(pools.wrong, alpha), 0.5, 1.0))
    high = np.maximum(high, _quantile(f_measure(pools.right, alpha), 0.5, 0.0))
    # F of whole counts may be rounded up beyond 1.
    return low, np.minimum(high, 1.0)


def _share(width: Floats, rest: Floats) -> Floats:
    """Return the part of the width that is not in the rest."""
    return np.where(width > 0, 1 - np.minimum(rest, width) / np.maximum(width, 1e-300), 0.0)


def _certification(known: Labelled, drawn: Totals, level: float) -> Floats:
    """Return the labels that would show, without a model, that no more matches are missed than allowed for."""
    left = (known.left * known.is_unseen).sum(axis=1)
    allowed = np.quantile(drawn.matches, 0.5 + level / 2, axis=1) - np.median(drawn.matches, axis=1)
    needed = np.ceil(math.log(1 / (1 - level)) * left / np.maximum(allowed, 1.0))
    return np.minimum(needed, left)


def _totals(known: Labelled, unlabelled: Floats) -> Totals:
    """Return the counts in the pool that draws of the unlabelled matches make, shape (runs, draws)."""
    drawn = (known.matches + known.assumed)[:, None, :] + unlabelled
    predicted = np.full(drawn.shape[:2], float((known.size * known.is_predicted).sum()))
    return Totals((drawn * known.is_predicted).sum(axis=2), predicted, drawn.sum(axis=2))


def _quantile(f: Floats, share: float, undefined: float = np.nan) -> Floats:
    """Return the quantile of the draws in which the measure is defined, or `undefined` where in none."""
    ordered = np.sort(f, axis=1)  # NaN comes last
    defined = (~np.isnan(f)).sum(axis=1)
    at = np.clip(np.floor(share * defined).astype(np.intp), 0, np.maximum(defined - 1, 0))
    return np.where(defined > 0, ordered[np.arange(len(f)), at], undefined)


def _no_totals(runs: int) -> Totals:
    return Totals(*(np.empty(runs) for _ in Totals._fields))


def _blocks(runs: int) -> list[slice]:
    return [slice(first, min(first + BLOCK, runs)) for first in range(0, runs, BLOCK)]


def _part(known: Labelled, rows: slice) -> Labelled:
    return Labelled(known.size, known.is_predicted, *(part[rows] for part in known[2:]))


def _part_of(posterior: Posterior, rows: slice) -> Posterior:
    return Posterior(*(part[rows] for part in posterior))
