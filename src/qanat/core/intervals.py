"""Intervals by the delta method, for the samplers of the paper; qanat.core.envelope has that of adaptive."""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from qanat.core.arrays import Floats


class Interval(NamedTuple):
    """Ends of an interval, arrays of one shape; never NaN, `low` never above `high`."""

    low: Floats
    high: Floats


def delta(value: Floats, variance: Floats, draws: Floats, level: float) -> Interval:
    """Return value -+ z standard errors; from 0 to 1 where the value is undefined.

    No end is nearer to the value than as many draws that tell of it, without a single error, would allow.
    """
    z = NormalDist().inv_cdf(0.5 + level / 2)
    least = 1 - ((1 - level) / 2) ** (1 / np.maximum(np.nan_to_num(draws), 1.0))
    half = z * np.sqrt(np.where(np.isnan(variance), 0.0, variance))
    known = np.where(np.isnan(value), 0.5, value)
    half = np.where(np.isnan(value), 1.0, np.maximum(half, least))
    return Interval(np.clip(known - half, 0.0, 1.0), np.clip(known + half, 0.0, 1.0))
