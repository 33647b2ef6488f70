"""An interval that assumes nothing of the match rates and holds at every step at once.

For each value f that the measure might have, a gambler bets that it is another. One step's estimate of
TP - f (alpha PP + (1 - alpha) P) has mean zero if f is right, whatever was drawn before (Das and Raj 1956, with
a guess of the match rates as control), so nobody gets rich betting against the truth: a value against which
wealth has once grown 1 / delta-fold is left out (Ville). Shekhar et al. 2023 and Waudby-Smith and Ramdas 2024
made such sequences; this one is for strata drawn from without replacement.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats, Integers
from qanat.core.intervals import Interval

STEP = 0.005
VALUES = np.arange(0.0, 1.0 + STEP / 2, STEP)
# Bets follow the running mean only once it has settled, and never risk more than half of the wealth.
SETTLED = 20
RISK = 0.5


class Table(NamedTuple):
    """What is known of the cells before any draw: size, prediction and a guess of the match rate (K,)."""

    size: Integers
    is_predicted: NDArray[np.bool_]
    guess: Floats
    alphas: tuple[float, ...]


class Bets(NamedTuple):
    """Labels and matches by cell (runs, K), and for each measure and value (runs, T, V) the bets so far.

    `above` and `below` are the logarithms of the wealth of those who bet that the measure is more or less,
    `peak` the largest of their mean so far; `sum` adds up the steps' estimates.
    """

    labels: Integers
    matches: Integers
    sum: Floats
    above: Floats
    below: Floats
    peak: Floats


class Pending(NamedTuple):
    """A draw not yet betted on: its cell and place, the chance of every cell, and the label once told."""

    cell: NDArray[np.intp]
    place: Integers
    chance: Floats
    label: NDArray[np.bool_] | None = None


def no_bets(table: Table, runs: int) -> Bets:
    """Return the bets before the first label."""
    nothing = np.zeros((runs, len(table.size)), dtype=np.int64)
    even = np.zeros((runs, len(table.alphas), len(VALUES)))
    return Bets(nothing, nothing, even, even, even, even)


def note(
    pending: tuple[Pending, ...], cell: NDArray[np.intp], place: Integers, label: NDArray[np.bool_]
) -> tuple[Pending, ...]:
    """Return the draws that wait, the one at these places knowing its label."""
    at = next(
        number
        for number, draw in enumerate(pending)
        if np.array_equal(draw.cell, cell) and np.array_equal(draw.place, place)
    )
    return (*pending[:at], pending[at]._replace(label=label), *pending[at + 1 :])


def settle(bets: Bets, table: Table, pending: tuple[Pending, ...]) -> tuple[Bets, tuple[Pending, ...]]:
    """Return the bets after every draw up to the first without a label, and the draws that still wait."""
    while pending and pending[0].label is not None:
        bets = bet(bets, table, pending[0], pending[0].label)
        pending = pending[1:]
    return bets, pending


def bet(bets: Bets, table: Table, draw: Pending, label: NDArray[np.bool_]) -> Bets:
    """Return the bets after one more label of every run, in the order in which pairs were drawn."""
    chance, cell = draw.chance, draw.cell
    at = (np.arange(len(cell)), cell)
    left = (table.size - bets.labels).astype(np.float64)
    guess = (bets.matches + table.guess) / (bets.labels + 1.0)
    weight = np.where((left > 0) & (chance > 0), left / np.where(chance > 0, chance, 1.0), 0.0)
    alpha, f = np.array(table.alphas)[:, None], VALUES[None, :]
    gain, loss = 1 - (1 - alpha) * f, (1 - alpha) * f
    expected = bets.matches + left * guess
    found = (expected * table.is_predicted).sum(axis=1)[:, None, None]
    known = alpha * (table.size * table.is_predicted).sum()
    centre = found - f * (known + (1 - alpha) * expected.sum(axis=1)[:, None, None])
    least, most, variance = _outcomes(table.is_predicted, guess, weight, chance, (gain, loss))
    error = ((label - guess[at]) * weight[at])[:, None, None]
    outcome = centre + np.where(table.is_predicted[cell][:, None, None], gain, -loss) * error
    steps = bets.labels.sum(axis=1)[:, None, None]
    mean = np.where(steps > SETTLED, bets.sum / np.maximum(steps, 1), centre)
    stake = mean / (mean**2 + variance + 1e-12)
    up = np.clip(stake, 0.0, RISK / np.maximum(-(centre + least), 1e-12))
    down = np.clip(stake, -RISK / np.maximum(centre + most, 1e-12), 0.0)
    above, below = bets.above + np.log1p(up * outcome), bets.below + np.log1p(down * outcome)
    labels, matches = bets.labels.copy(), bets.matches.copy()
    labels[at] += 1
    matches[at] += label
    peak = np.maximum(bets.peak, np.logaddexp(above, below) - math.log(2.0))
    return Bets(labels, matches, bets.sum + outcome, above, below, peak)


def _outcomes(
    is_predicted: NDArray[np.bool_],
    guess: Floats,
    weight: Floats,
    chance: Floats,
    counts: tuple[Floats, Floats],
) -> tuple[Floats, Floats, Floats]:
    """Return the least and the most that one step can add to the centre, and its variance (runs, T, V).

    `counts` is what a match counts, if predicted and, taken away, if not.
    """
    gain, loss = counts
    worth = ((1 - guess) * weight, guess * weight)
    spread = chance * weight**2 * guess * (1 - guess)

    def over(values: Floats, cells: NDArray[np.bool_]) -> Floats:
        return np.where(cells, values, 0.0).max(axis=1)[:, None, None]

    match_in, other_in = (over(value, is_predicted) for value in worth)
    match_out, other_out = (over(value, ~is_predicted) for value in worth)
    inside, outside = ((spread * cells).sum(axis=1)[:, None, None] for cells in (is_predicted, ~is_predicted))
    least = -np.maximum(gain * other_in, loss * match_out)
    most = np.maximum(gain * match_in, loss * other_out)
    return least, most, gain**2 * inside + loss**2 * outside


def interval(bets: Bets, level: float) -> Interval:
    """Return the least and the largest value not left out, a step of the grid wider, shape (T, runs)."""
    is_in = bets.peak < math.log(1 / (1 - level))
    # Where the truth lies between two values, both may go at last: the one least spoken against stands.
    is_in |= bets.peak == bets.peak.min(axis=2, keepdims=True)
    low = VALUES[is_in.argmax(axis=2)] - STEP
    high = VALUES[::-1][is_in[:, :, ::-1].argmax(axis=2)] + STEP
    return Interval(np.clip(low.T, 0.0, 1.0), np.clip(high.T, 0.0, 1.0))


def select(bets: Bets, rows: NDArray[np.intp]) -> Bets:
    """Return the bets of the runs at `rows` only."""
    return Bets(
        labels=bets.labels[rows],
        matches=bets.matches[rows],
        sum=bets.sum[rows],
        above=bets.above[rows],
        below=bets.below[rows],
        peak=bets.peak[rows],
    )


def select_pending(pending: tuple[Pending, ...], rows: NDArray[np.intp]) -> tuple[Pending, ...]:
    """Return the draws that wait of the runs at `rows` only."""
    return tuple(
        Pending(
            draw.cell[rows],
            draw.place[rows],
            draw.chance[rows],
            None if draw.label is None else draw.label[rows],
        )
        for draw in pending
    )
