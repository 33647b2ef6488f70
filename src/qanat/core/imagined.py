"""Pools as they could be: the matches among the pairs without a label, drawn from what is believed.

Three ways: the smooth posterior draws all cells together; each cell by itself leans on the smooth rate as on
two labels; and matches that follow no score (scatter) hide in the cells where none was seen. All measures
are made of the same draws.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core import counts
from qanat.core.arrays import Floats, Integers
from qanat.core.measures import Totals
from qanat.core.smooth import Posterior, odds_to_rate

DRAWS = 1000
# The smooth rate counts as so many labels of a cell by itself.
LEAN = 2.0
# Of all matches, the share expected to follow no score before any label; the upper end is four times that.
SCATTER = 0.05
# Numbers of chance for each cell: its log-odds, its count, and four of a rate of its own.
COLUMNS = 6


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


def together(known: Labelled, posterior: Posterior) -> Floats:
    """Return draws of the unlabelled matches of every cell, all rates drawn together (runs, draws, K)."""
    cells = len(known.size)
    at = counts.points(DRAWS, COLUMNS * cells)
    log_odds = posterior.mean[:, None, :] + at.normal[:, :cells] @ _root(posterior.covariance)
    return counts.binomial(known.left[:, None, :], odds_to_rate(log_odds), _columns(at, 1, cells))


def _root(covariance: Floats) -> Floats:
    """Return a matrix whose transpose times itself is the covariance, shape (runs, K, K).

    Its rows are the principal directions, along each of which the points are spread evenly.
    """
    size, direction = np.linalg.eigh(covariance)
    # A direction has no sign of its own: it points where the rates rise.
    direction = direction * np.where(direction.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    return (direction * np.sqrt(np.maximum(size, 0.0))[:, None, :]).transpose(0, 2, 1)


def apart(known: Labelled, posterior: Posterior) -> Floats:
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


def scattered(known: Labelled, posterior: Posterior) -> Floats:
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


def unbroken(known: Labelled, smooth: Floats, tail: float, *, is_right: bool) -> Floats:
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


def totals(known: Labelled, unlabelled: Floats) -> Totals:
    """Return the counts in the pool that draws of the unlabelled matches make, shape (runs, draws)."""
    drawn = (known.matches + known.assumed)[:, None, :] + unlabelled
    predicted = np.full(drawn.shape[:2], float((known.size * known.is_predicted).sum()))
    return Totals((drawn * known.is_predicted).sum(axis=2), predicted, drawn.sum(axis=2))
