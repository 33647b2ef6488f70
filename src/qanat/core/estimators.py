"""From labelled draws to estimated counts in the pool.

Two ways: weighted sums over the draws (the paper's equation for the AIS estimator), and stratum-wise rates
weighted by stratum size (Druck and McCallum). Both hold sums only, so that the order in which labels
arrive cannot matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats, Integers, total
from qanat.core.measures import Totals, denominator, f_measure, ratio
from qanat.errors import BadSetting


class Sums(NamedTuple):
    """Weighted sums over the draws of each run, shape (runs,).

    `squares` sums the squared weights of true positives, false positives and missed matches, (runs, 3), where
    a variance is asked for; it costs a third of the time of a draw.
    """

    draws: Floats
    true_positives: Floats
    predicted: Floats
    matches: Floats
    squares: Floats | None = None


class Tallies(NamedTuple):
    """Draws counted by stratum, shape (runs, K)."""

    draws: Floats
    true_positives: Floats
    predicted: Floats
    matches: Floats


def no_sums(runs: int, *, has_squares: bool = False) -> Sums:
    """Return the sums before the first draw."""
    nothing = np.zeros(runs)
    return Sums(nothing, nothing, nothing, nothing, np.zeros((runs, 3)) if has_squares else None)


def select(sums: Sums, rows: NDArray[np.intp]) -> Sums:
    """Return the sums of the runs at `rows` only."""
    return Sums(
        draws=sums.draws[rows],
        true_positives=sums.true_positives[rows],
        predicted=sums.predicted[rows],
        matches=sums.matches[rows],
        squares=None if sums.squares is None else sums.squares[rows],
    )


def no_tallies(runs: int, strata: int) -> Tallies:
    """Return the tallies before the first draw."""
    return Tallies(*(np.zeros((runs, strata)) for _ in Tallies._fields))


def add(sums: Sums, weight: Floats, prediction: NDArray[np.bool_], label: NDArray[np.bool_]) -> Sums:
    """Return the sums after draws of the given weights, shapes (runs, n)."""
    matching = weight * label
    return Sums(
        draws=sums.draws + weight.shape[1],
        true_positives=sums.true_positives + total(matching * prediction),
        predicted=sums.predicted + total(weight * prediction),
        matches=sums.matches + total(matching),
        squares=None if sums.squares is None else sums.squares + _squares(weight, prediction, label),
    )


def _squares(weight: Floats, prediction: NDArray[np.bool_], label: NDArray[np.bool_]) -> Floats:
    kinds = (prediction & label, prediction & ~label, ~prediction & label)
    return np.stack([total(weight**2 * kind) for kind in kinds], axis=1)


def count(
    tallies: Tallies, stratum: NDArray[np.intp], prediction: NDArray[np.bool_], label: NDArray[np.bool_]
) -> Tallies:
    """Return the tallies after draws from the given strata, shapes (runs, n)."""
    rows = np.arange(len(stratum))[:, None]
    seen = (np.ones_like(label), label & prediction, prediction, label)
    result = Tallies(*(tally.copy() for tally in tallies))
    for tally, one in zip(result, seen, strict=True):
        np.add.at(tally, (rows, stratum), one)
    return result


def weighted_totals(sums: Sums, pairs: int) -> Totals:
    """Return the counts in a pool of `pairs`, by the mean of weight times value; NaN before any draw."""
    return Totals(
        *(pairs * ratio(sum_, sums.draws) for sum_ in (sums.true_positives, sums.predicted, sums.matches))
    )


def weighted_variance(sums: Sums, alpha: float) -> Floats:
    """Return the variance of F_alpha of the weighted sums by the delta method, NaN where F is undefined."""
    if sums.squares is None:
        raise BadSetting("What the interval needs was not kept: set keeps_interval in the config.")
    f = f_measure(Totals(sums.true_positives, sums.predicted, sums.matches), alpha)
    errors = np.stack([1 - f, -alpha * f, -(1 - alpha) * f], axis=1)
    return ratio((sums.squares * errors**2).sum(axis=1), denominator(sums.predicted, sums.matches, alpha) ** 2)


def informative(sums: Sums, alpha: float) -> Floats:
    """Return how many evenly weighted draws the draws are worth that tell of F_alpha, NaN where none does.

    Of precision tell the predicted pairs, of recall the matches, of other measures both.
    """
    if sums.squares is None:
        raise BadSetting("What the interval needs was not kept: set keeps_interval in the config.")
    wrong, missed = sums.predicted - sums.true_positives, sums.matches - sums.true_positives
    kinds = np.stack([sums.true_positives, wrong, missed], axis=1) * _tells(alpha)
    return ratio(kinds.sum(axis=1) ** 2, (sums.squares * _tells(alpha)).sum(axis=1))


def stratified_informative(tallies: Tallies, alpha: float) -> Floats:
    """Return how many draws tell of F_alpha."""
    right, called, match = (
        tally.sum(axis=1) for tally in (tallies.true_positives, tallies.predicted, tallies.matches)
    )
    return (np.stack([right, called - right, match - right], axis=1) * _tells(alpha)).sum(axis=1)


def _tells(alpha: float) -> Floats:
    """Return which of true positives, false positives and missed matches tell of F_alpha."""
    return np.array([1.0, float(alpha > 0), float(alpha < 1)])


def stratified_variance(tallies: Tallies, size: Integers, alpha: float) -> Floats:
    """Return the variance of F_alpha of the stratified totals by the delta method, NaN where F is undefined."""
    totals = stratified_totals(tallies, size)
    f, base = f_measure(totals, alpha)[:, None], denominator(totals.predicted, totals.matches, alpha)
    hit, wrong = tallies.true_positives, tallies.predicted - tallies.true_positives
    missed = tallies.matches - tallies.true_positives
    mean = ratio((1 - f) * hit - alpha * f * wrong - (1 - alpha) * f * missed, tallies.draws)
    square = ratio(
        (1 - f) ** 2 * hit + (alpha * f) ** 2 * wrong + ((1 - alpha) * f) ** 2 * missed, tallies.draws
    )
    return ratio(total(size**2 * ratio(np.maximum(square - mean**2, 0.0), tallies.draws)), base**2)


def stratified_totals(tallies: Tallies, size: Integers) -> Totals:
    """Return the counts in the pool estimated stratum by stratum; NaN while a stratum has no draw."""
    counted = (tallies.true_positives, tallies.predicted, tallies.matches)
    return Totals(*(total(size * ratio(tally, tallies.draws)) for tally in counted))
