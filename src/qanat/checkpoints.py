"""What many runs say at one number of labels: errors, and how often intervals hold the truth."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats, Integers

ROUNDING = 1e-9


class Checkpoint(NamedTuple):
    """Errors over the runs after `labels` distinct labels; those ending in `_se` are Monte Carlo errors.

    `reached` is the share of the runs that came to so many labels, `defined` the share whose estimate had a
    value there; the errors are over these. `limit` is the smallest RMSE of any unbiased stratified design.
    `coverage` is the share of the runs whose interval holds the truth, `width` the mean of its width, for the
    target and for precision and recall; None where no interval is asked for, or shown yet.
    """

    labels: int
    reached: float
    defined: float
    defined_se: float
    mean_absolute_error: float | None
    mean_absolute_error_se: float | None
    bias: float | None
    bias_se: float | None
    standard_deviation: float | None
    standard_deviation_se: float | None
    rmse: float | None
    rmse_se: float | None
    limit: float
    coverage: float | None = None
    coverage_se: float | None = None
    width: float | None = None
    coverage_precision: float | None = None
    width_precision: float | None = None
    coverage_recall: float | None = None
    width_recall: float | None = None


class Stopping(NamedTuple):
    """What becomes of runs that stop at the first look at which the half-width is reached.

    `looks` were declared before, and share the level out among them; `stopped` is the share of the runs that
    stop at one, `labels` their mean number of labels, `coverage` the share of their intervals that hold the
    truth.
    """

    half_width: float
    looks: int
    stopped: float
    labels: float | None
    coverage: float | None
    coverage_se: float | None


def errors(labels: int, error: Floats, reached: NDArray[np.bool_], limit: float) -> Checkpoint:
    """Return the errors of the runs at one checkpoint; sums are exact, so their order cannot matter."""
    runs = int(reached.sum())
    share = int((reached & ~np.isnan(error)).sum()) / runs if runs else 0.0
    known = error[reached & ~np.isnan(error)]
    n = len(known)
    base = Checkpoint(
        labels=labels,
        reached=runs / len(error),
        defined=share,
        defined_se=math.sqrt(share * (1 - share) / runs) if runs else 0.0,
        mean_absolute_error=None,
        mean_absolute_error_se=None,
        bias=None,
        bias_se=None,
        standard_deviation=None,
        standard_deviation_se=None,
        rmse=None,
        rmse_se=None,
        limit=limit,
    )
    if n == 0:
        return base
    absolute, bias = mean(np.abs(known)), mean(known)
    square, variance = mean(known**2), mean((known - bias) ** 2)
    rmse, deviation = math.sqrt(square), math.sqrt(variance)
    return base._replace(
        mean_absolute_error=absolute,
        mean_absolute_error_se=math.sqrt(max(square - absolute**2, 0) / n),
        bias=bias,
        bias_se=math.sqrt(variance / n),
        standard_deviation=deviation,
        standard_deviation_se=_root_error(mean(((known - bias) ** 2) ** 2), variance, n),
        rmse=rmse,
        rmse_se=_root_error(mean((known**2) ** 2), square, n),
    )


def with_intervals(point: Checkpoint, truths: Floats, low: Floats, high: Floats) -> Checkpoint:
    """Return the checkpoint with how often intervals (3, runs) hold the truth (3,), and how wide they are.

    Runs that did not come so far have NaN for both ends.
    """
    known = ~np.isnan(low[0])
    if not known.any():
        return point
    width = [mean(row) for row in (high - low)[:, known]]
    share = [mean(row) for row in covers(truths[:, None], low, high)[:, known].astype(np.float64)]
    return point._replace(
        coverage=share[0],
        coverage_se=math.sqrt(share[0] * (1 - share[0]) / known.sum()),
        width=width[0],
        coverage_precision=share[1],
        width_precision=width[1],
        coverage_recall=share[2],
        width_recall=width[2],
    )


def stopping(
    half_width: float, truth: float, low: Floats, high: Floats, *, looks: int, points: Integers
) -> Stopping:
    """Return what becomes of runs that stop at the first of the `looks` that is narrow enough.

    Ends are (runs, points), NaN where nothing is shown.
    """
    is_narrow = (high - low) / 2 <= half_width  # NaN is not
    stops, at = np.asarray(is_narrow.any(axis=1)), is_narrow.argmax(axis=1)
    rows = np.flatnonzero(stops)
    holds = covers(np.array(truth), low[rows, at[rows]], high[rows, at[rows]])
    share = mean(holds) if len(rows) else None
    return Stopping(
        half_width=half_width,
        looks=looks,
        stopped=mean(stops),
        labels=mean(points[at[rows]]) if len(rows) else None,
        coverage=share,
        coverage_se=None if share is None else math.sqrt(share * (1 - share) / len(rows)),
    )


def covers(truth: Floats, low: Floats, high: Floats) -> NDArray[np.bool_]:
    """Return whether the interval holds the truth, rounding apart."""
    return np.asarray((low <= truth + ROUNDING) & (truth <= high + ROUNDING))


def mean(values: NDArray[Any]) -> float:
    """Return the mean, added up exactly, so that the order of the runs cannot matter."""
    return math.fsum(values) / len(values)


def _root_error(fourth: float, second: float, n: int) -> float:
    """Return the standard error of the root of a mean square, from its first derivative."""
    return math.sqrt(max(fourth - second**2, 0) / n) / (2 * math.sqrt(second)) if second > 0 else 0.0
