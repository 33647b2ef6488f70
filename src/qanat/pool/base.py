"""What makes a pool: the checks that every column passes before anything is computed from it.

A check that fails says how many values are wrong, which is the first, and what to do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qanat.core.chance import Floats
from qanat.errors import BadInput, BadSetting

NOTHING_PREDICTED = "without a predicted match, precision is undefined and F is 0 whatever the labels."


def checked_scores(values: Any, name: str) -> Floats:
    """Return one finite score for each pair."""
    try:
        scores = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"Column {name!r} is not numeric: expected one finite score for each pair.") from None
    if scores.ndim != 1:
        raise BadInput(f"Column {name!r} has {scores.ndim} dimensions: expected one score for each pair.")
    wrong = ~np.isfinite(scores)
    if wrong.any():
        raise BadInput(
            f"Column {name!r} has {_first_wrong(wrong, scores)}: expected finite scores. "
            "Drop those pairs or give them a score."
        )
    if len(scores) == 0:
        raise BadInput("The pool is empty: expected at least one scored pair. Check the file and its header.")
    return scores


def checked_zeros_and_ones(values: Any, name: str, pairs: int) -> NDArray[np.bool_]:
    """Return one truth value for each pair."""
    given = np.asarray(values)
    if given.shape != (pairs,):
        raise BadInput(
            f"Column {name!r} has {given.shape[0] if given.ndim else 0} values for {pairs} scores: "
            "expected one for each pair."
        )
    try:
        numbers = given.astype(np.float64)
    except (TypeError, ValueError):
        raise BadInput(
            f"Column {name!r} has values such as {str(given[0])!r}: expected 0 or 1 for each pair."
        ) from None
    wrong = (numbers != 0) & (numbers != 1)
    if wrong.any():
        raise BadInput(
            f"Column {name!r} has {_first_wrong(wrong, given)}: expected 0 or 1 for each pair. "
            "Map its values first."
        )
    return numbers == 1


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
    first = int(np.argmax(wrong))
    count = int(wrong.sum())
    return f"{count} wrong value{'s' * (count > 1)}, the first being {values[first]} in row {first + 1}"
