"""What makes a pool: what can be asked of one, and the checks that every column passes before that.

A check that fails says how many values are wrong, which is the first, and what to do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats, Integers
from qanat.core.guess import Guess
from qanat.core.strata import Histogram, Method, Strata
from qanat.errors import BadInput, BadSetting
from qanat.pool.order import Pair

# Larger scores would overflow when they are multiplied or subtracted; no matcher makes them.
LARGEST = 1e150
NOTHING_PREDICTED = "without a predicted match, precision is undefined and F is 0 whatever the labels."


class Facts(NamedTuple):
    """Counts of a pool, and the range of its scores."""

    pairs: int
    predicted: int
    lowest: float
    highest: float


def repeated(pair: Pair | int, times: int, name: str = "The pool") -> str:
    """Return the line that refuses a pair that is there several times."""
    named = " and ".join(pair) if isinstance(pair, Pair) else pair
    return (
        f"{name} has the pair {named} {times} times: expected each pair once, since every row would count. "
        "Keep the one that scores highest: duplicates='keep-highest'."
    )


class Stratified(Protocol):
    """A pool cut into strata: `edges` are the lowest score that belongs to each."""

    @property
    def strata(self) -> Strata:
        """The stratum table."""

    @property
    def edges(self) -> Floats:
        """The lowest score of each stratum."""


class Prefix(NamedTuple):
    """The first pairs of every cell: those of cell c are `pairs[start[c]:start[c + 1]]`.

    Cells 2k and 2k + 1 are the predicted matches of stratum k and its rest. A pair is its two ids, or its row
    in a pool without ids.
    """

    pairs: Sequence[Pair | int]
    start: Integers


class Pool(Protocol):
    """Scored pairs, wherever they are; qanat.testing.PoolLaws has the laws of the three verbs."""

    @property
    def facts(self) -> Facts:
        """Counts, and the range of the scores."""

    @property
    def dropped(self) -> int:
        """Rows that repeated a pair and were left out."""

    @property
    def names(self) -> str:
        """Which columns were taken for what."""

    @property
    def scope(self) -> str:
        """What a recall is a share of."""

    def __len__(self) -> int:
        """Return the number of pairs."""

    def histogram(self, bins: int) -> Histogram:
        """Return the pairs counted in so many bins of equal width."""

    def stratify(self, method: Method, strata: int, guess: Guess = "scaled") -> Stratified:
        """Return the pool cut into at most so many strata."""

    def prefix(self, stratified: Any, length: int, seed: int) -> Prefix:
        """Return the first `length` pairs of every cell, in the order of the seed."""

    def contains(self, pairs: Sequence[Pair]) -> set[Pair]:
        """Return which of these pairs are in the pool."""


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


def checked_ids(values: Any, name: str, pairs: int) -> NDArray[np.str_]:
    """Return one id for each pair, as text."""
    given = np.asarray(values.filled(None) if isinstance(values, np.ma.MaskedArray) else values)
    if given.dtype.kind not in "iuU":
        given = np.array(["" if value is None else str(value) for value in given.tolist()])
    ids = given.astype(np.str_)
    if len(ids) != pairs:
        raise BadInput(f"Column {name!r} has {len(ids)} values for {pairs} scores: expected one for each.")
    missing = ids == ""
    if missing.any():
        raise BadInput(
            f"Column {name!r} has {missing.sum()} missing ids, the first in row {missing.argmax() + 1}: "
            "expected an id for each pair. Drop those pairs or give them one."
        )
    return ids


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


def checked_probabilities(pool: Pool) -> None:
    """Refuse scores that cannot be probabilities of a match."""
    if pool.facts.lowest < 0 or pool.facts.highest > 1:
        raise BadInput(
            f"The scores are said to be probabilities but lie between {pool.facts.lowest:g} and "
            f"{pool.facts.highest:g}: expected 0 to 1. Leave that setting out for other scores."
        )


def _first_wrong(wrong: NDArray[np.bool_], values: NDArray[Any]) -> str:
    first, count = int(np.argmax(wrong)), int(wrong.sum())
    value = values[first]
    shown = repr(str(value)) if isinstance(value, str) else str(value)
    return f"{count} wrong value{'s' * (count > 1)}, the first being {shown} in row {first + 1}"
