"""What makes a pool: the checks that every column passes before anything is computed from it.

A check that fails says how many values are wrong, which is the first, and what to do.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats
from qanat.errors import BadInput, BadSetting

# Larger scores would overflow when they are multiplied or subtracted; no matcher makes them.
LARGEST = 1e150
NOTHING_PREDICTED = "without a predicted match, precision is undefined and F is 0 whatever the labels."


def checked_scores(values: Any, name: str) -> Floats:
    """Return one finite score for each pair."""
    try:
        scores = _floats(values)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"Column {name!r} is not numeric: expected one finite score for each pair.") from None
    if scores.ndim != 1:
        raise BadInput(f"Column {name!r} has {scores.ndim} dimensions: expected one score for each pair.")
    if len(scores) == 0:
        raise BadInput("The pool is empty: expected at least one scored pair. Check the file and its header.")
    wrong = ~(np.abs(scores) <= LARGEST)
    if wrong.any():
        raise BadInput(
            f"Column {name!r} has {_first_wrong(wrong, scores)}: expected finite scores, below {LARGEST:g}. "
            "Drop those pairs or give them a score."
        )
    return scores


def checked_zeros_and_ones(values: Any, name: str, pairs: int) -> NDArray[np.bool_]:
    """Return one truth value for each pair."""
    try:
        given = values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    except ValueError:
        raise BadInput(f"Column {name!r} is no column of single values: expected 0 or 1 each.") from None
    if given.ndim != 1:
        raise BadInput(f"Column {name!r} has {given.ndim} dimensions: expected 0 or 1 for each pair.")
    if len(given) != pairs:
        raise BadInput(
            f"Column {name!r} has {len(given)} values for {pairs} scores: expected one for each pair."
        )
    try:
        numbers = _floats(given)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array([_number(value) for value in given.tolist()])
    wrong = (numbers != 0) & (numbers != 1)
    if wrong.any():
        raise BadInput(
            f"Column {name!r} has {_first_wrong(wrong, given)}: expected 0 or 1 for each pair. "
            "Map its values first."
        )
    return numbers == 1


def _floats(values: Any) -> Floats:
    """Return the values as floats; those masked or None as NaN."""
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(np.float64), np.nan)
    given = np.asarray(values)
    if given.dtype.kind == "c":
        raise TypeError
    return given.astype(np.float64)


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


def predicted_above(scores: Floats, threshold: float) -> NDArray[np.bool_]:
    """Return which pairs a threshold predicts to match."""
    if not np.isfinite(threshold):
        raise BadSetting(f"The threshold is {threshold}: expected a finite number.")
    predictions: NDArray[np.bool_] = scores >= threshold
    if not predictions.any():
        raise BadInput(
            f"No score reaches the threshold {threshold:g}: {NOTHING_PREDICTED} "
            f"The highest score is {scores.max():g}; lower the threshold."
        )
    return predictions


def checked_predictions(values: Any, name: str, pairs: int) -> NDArray[np.bool_]:
    """Return which pairs are predicted to match; at least one must be."""
    predictions = checked_zeros_and_ones(values, name, pairs)
    if not predictions.any():
        raise BadInput(
            f"Column {name!r} predicts no match: {NOTHING_PREDICTED} Check that it is the right column."
        )
    return predictions


def checked_probabilities(scores: Floats) -> None:
    """Refuse scores that cannot be probabilities of a match."""
    wrong = (scores < 0) | (scores > 1)
    if wrong.any():
        raise BadInput(
            f"The scores are said to be probabilities but hold {_first_wrong(wrong, scores)}: "
            "expected 0 to 1. Leave that setting out for other scores."
        )


def _first_wrong(wrong: NDArray[np.bool_], values: NDArray[Any]) -> str:
    first, count = int(np.argmax(wrong)), int(wrong.sum())
    value = values[first]
    shown = repr(str(value)) if isinstance(value, str) else str(value)
    return f"{count} wrong value{'s' * (count > 1)}, the first being {shown} in row {first + 1}"
