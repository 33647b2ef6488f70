"""Statistical asserts that know how often they are wrong.

Each states two rates: how often it fails correct code (`false_alarm`, a million to one), and which fault it
is sure to see (`detects`, missed as rarely). A test that could not see its fault with so many runs fails as
badly designed, before the data are looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from scipy.stats import binom, norm, t

from qanat.core.arrays import Floats

FALSE_ALARM = 1e-6


class Mean(NamedTuple):
    """A mean over so many runs, and its standard error."""

    value: float
    error: float
    runs: int


def assert_covers(
    hits: int, runs: int, level: float, *, detects: float, false_alarm: float = FALSE_ALARM
) -> None:
    """Fail if `hits` of `runs` is too few for coverage `level`; sure to notice coverage `detects`."""
    fewest = int(binom.ppf(false_alarm, runs, level))
    assert binom.sf(fewest - 1, runs, detects) <= false_alarm, "too few runs to tell: raise `runs`"
    assert hits >= fewest, f"{hits} of {runs} cover, at least {fewest} expected at level {level}"


def assert_share(
    hits: int, runs: int, share: float, *, detects: float, false_alarm: float = FALSE_ALARM
) -> None:
    """Fail if `hits` of `runs` cannot come from probability `share`; sure to notice one `detects` away."""
    low, high = binom.ppf(false_alarm / 2, runs, share), binom.isf(false_alarm / 2, runs, share)
    for other in (share - detects, share + detects):
        if 0 < other < 1:
            missed = binom.cdf(high, runs, other) - binom.cdf(low - 1, runs, other)
            assert missed <= false_alarm, "too few runs to tell: raise `runs`"
    assert low <= hits <= high, f"{hits} of {runs}, between {low:.0f} and {high:.0f} expected at {share}"


def assert_mean(values: Floats, expected: float, *, detects: float, false_alarm: float = FALSE_ALARM) -> None:
    """Fail if the mean of independent `values` is not `expected`; sure to notice a mean `detects` away.

    Uses the normal approximation, so `values` should be many and without extreme outliers.
    """
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    critical = float(norm.isf(false_alarm / 2))
    power = float(norm.isf(false_alarm))
    assert detects >= (critical + power) * error, (
        f"too few runs to tell: {detects:g} is {detects / error:.1f} standard errors, "
        f"{critical + power:.1f} needed"
    )
    away = abs(float(values.mean()) - expected)
    assert away <= critical * error, f"mean {values.mean():g} is {away / error:.1f} errors from {expected:g}"


def assert_agrees(pairs: Sequence[tuple[Mean, Mean]], *, false_alarm: float = FALSE_ALARM) -> None:
    """Fail if the two means of any pair differ.

    The false alarms of all pairs together stay below `false_alarm` (Bonferroni).
    """
    for one, other in pairs:
        statistic, freedom = agreement(one, other)
        critical = float(t.isf(false_alarm / 2 / len(pairs), freedom))
        assert abs(statistic) <= critical, (
            f"{one.value:g} and {other.value:g} are {statistic:.1f} errors apart, at most {critical:.1f}"
        )


def agreement(one: Mean, other: Mean) -> tuple[float, float]:
    """Return Welch's statistic of two independent means and its degrees of freedom."""
    square, other_square = one.error**2, other.error**2
    both = square + other_square
    if both == 0:
        return (0.0 if one.value == other.value else math.inf), math.inf
    freedom = both**2 / (square**2 / (one.runs - 1) + other_square**2 / (other.runs - 1))
    return (one.value - other.value) / math.sqrt(both), freedom
