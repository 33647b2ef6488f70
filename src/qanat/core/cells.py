"""Strata of a fully labelled pool, counted by prediction and truth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qanat.core.arrays import Integers
from qanat.core.measures import Totals


class Cells(NamedTuple):
    """Counts by stratum, shape (K,); `crossed` cells hold predicted matches or others, never both."""

    size: Integers
    predicted: Integers
    matches: Integers
    true_positives: Integers


def crossed(cells: Cells) -> Cells:
    """Return each cell as two, its predicted matches and the rest, empty ones dropped."""
    zero = np.zeros_like(cells.size)
    predicted = (cells.predicted, cells.predicted, cells.true_positives, cells.true_positives)
    rest = (cells.size - cells.predicted, zero, cells.matches - cells.true_positives, zero)
    both = Cells(*(np.concatenate(columns) for columns in zip(predicted, rest, strict=True)))
    return Cells(*(column[both.size > 0] for column in both))


def totals(cells: Cells) -> Totals:
    """Return the counts of the whole pool."""
    return Totals(
        *(
            np.array([column.sum()], dtype=np.float64)
            for column in (cells.true_positives, cells.predicted, cells.matches)
        )
    )
