"""Measures of a matcher as functions of three counts: true positives, predicted matches, matches.

F_alpha = TP / (alpha PP + (1 - alpha) P) contains precision (alpha = 1) and recall (alpha = 0). Where a
measure has no value it is NaN: never zero, never an exception, never a warning.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qanat.core.arrays import Floats

PRECISION = 1.0
RECALL = 0.0
BALANCED = 0.5


class Totals(NamedTuple):
    """Counts, or estimates of them, in the whole pool; arrays of one shape."""

    true_positives: Floats
    predicted: Floats
    matches: Floats


class Influence(NamedTuple):
    """How much the measure moves when one more pair turns out to match (the coefficient c_i)."""

    predicted: Floats
    not_predicted: Floats


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return the quotient, NaN where the denominator is not positive.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    undefined = np.full(np.shape(numerator), np.nan)
    return np.divide(numerator, denominator, out=undefined, where=denominator > 0)


def denominator(predicted: Floats, matches: Floats, alpha: float) -> Floats:
    """Return alpha PP + (1 - alpha) P."""
    return alpha * predicted + (1 - alpha) * matches


def f_measure(totals: Totals, alpha: float) -> Floats:
    """Return F_alpha, for alpha in [0, 1].

    >>> counts = Totals(np.array([6.0]), np.array([8.0]), np.array([12.0]))
    >>> f_measure(counts, PRECISION), f_measure(counts, RECALL), f_measure(counts, BALANCED)
    (array([0.75]), array([0.5]), array([0.6]))
    """
    return ratio(totals.true_positives, denominator(totals.predicted, totals.matches, alpha))


def influence(totals: Totals, alpha: float) -> Influence:
    """Return the influence of a match among the predicted pairs and among the others (docs/notation.md, 2)."""
    base = denominator(totals.predicted, totals.matches, alpha)
    f = ratio(totals.true_positives, base)
    loss = -(1 - alpha) * f
    return Influence(predicted=ratio(1 + loss, base), not_predicted=ratio(loss, base))
