"""Kinds of arrays, and sums that are the same on every machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def total(values: Floats) -> Floats:
    """Return the sum along the last axis, added up from the first to the last.

    NumPy's own sum takes several parts at once, and how many depends on the processor; the last bit of the
    result with it.
    """
    if values.shape[-1] == 0:
        return np.zeros(values.shape[:-1])
    if values.shape[-1] == 1:
        return values[..., 0]
    return np.cumsum(values, axis=-1)[..., -1]
