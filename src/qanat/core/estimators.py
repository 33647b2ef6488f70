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
from qanat.core.measures import Totals, ratio


class Sums(NamedTuple):
    """Weighted sums over the draws of each run, shape (runs,)."""

    draws: Floats
    true_positives: Floats
    predicted: Floats
    matches: Floats


class Tallies(NamedTuple):
    """Draws counted by stratum, shape (runs, K)."""

    draws: Floats
    true_positives: Floats
    predicted: Floats
    matches: Floats


def no_sums(runs: int) -> Sums:
    """Return the sums before the first draw."""
    return Sums(*(np.zeros(runs) for _ in Sums._fields))


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
    )


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


def stratified_totals(tallies: Tallies, size: Integers) -> Totals:
    """Return the counts in the pool estimated stratum by stratum; NaN while a stratum has no draw."""
    counted = (tallies.true_positives, tallies.predicted, tallies.matches)
    return Totals(*(total(size * ratio(tally, tallies.draws)) for tally in counted))
