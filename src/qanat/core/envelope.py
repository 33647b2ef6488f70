"""The envelope: an interval that says what it assumes.

It holds what both beliefs of qanat.core.imagined say of the pairs without a label, with and without matches
that follow no score; and no end is surer than an unbroken row of right (or wrong) predictions allows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from qanat.core import imagined
from qanat.core.arrays import Floats
from qanat.core.imagined import Labelled
from qanat.core.intervals import Interval
from qanat.core.measures import Totals, f_measure
from qanat.core.smooth import Posterior

# Runs at a time, so that the draws of all cells fit the cache.
BLOCK = 16


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
        drawn = imagined.totals(part, imagined.together(part, _part_of(posterior, rows)))
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
        smooth, local, scattered = (
            imagined.together(part, belief),
            imagined.apart(part, belief),
            imagined.scattered(part, belief),
        )
        pools = _pools(part, smooth, local, tail)
        more = [totals._replace(matches=totals.matches + scattered) for totals in pools.believed]
        pools = pools._replace(believed=pools.believed + more)
        for row, alpha in enumerate(alphas):
            low[row, rows], high[row, rows] = _ends(pools, alpha, tail)
        is_unseen = part.is_unseen[:, None, :]
        seen = _pools(part, np.where(is_unseen, 0.0, smooth), np.where(is_unseen, 0.0, local), tail)
        share[rows] = _share(high[0, rows] - low[0, rows], np.subtract(*_ends(seen, alphas[0], tail)[::-1]))
        cost[rows] = np.where(share[rows] > 0, _certification(part, more[0], level), 0.0)
    return Envelope(Interval(low, high), share, cost)


class _Pools(NamedTuple):
    """Imagined pools of the beliefs, and those with as many wrong, or right, as could have gone unseen."""

    believed: list[Totals]
    wrong: Totals
    right: Totals


def _pools(known: Labelled, smooth: Floats, local: Floats, tail: float) -> _Pools:
    wrong, right = (imagined.unbroken(known, smooth, tail, is_right=is_right) for is_right in (True, False))
    drawn = [imagined.totals(known, unlabelled) for unlabelled in (smooth, local, wrong, right)]
    return _Pools(drawn[:2], drawn[2], drawn[3])


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
