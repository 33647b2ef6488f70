"""Where strata are cut, found from bins that are coarser than the scores.

An engine counts pairs in bins of its own. A bin that lies within one stratum need not be looked into; only
those that a cut goes through are counted anew, score by score. The strata are then those of all scores.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats, Integers
from qanat.core.strata import Histogram, Method, Strata, first_bins, group, table


class Segments(NamedTuple):
    """Neighbouring pairs counted, lowest scores first: from score `low` to score `high`, which both occur."""

    low: Floats
    high: Floats
    pairs: Integers
    predicted: Integers
    evidence: Floats

    @property
    def below(self) -> Integers:
        """The number of pairs below each segment."""
        return np.cumsum(self.pairs) - self.pairs


class Cut(NamedTuple):
    """A pool cut into strata: their table, and the lowest score that belongs to each."""

    strata: Strata
    edges: Floats


def unsettled(segments: Segments, method: Method, strata: int) -> NDArray[np.bool_]:
    """Return which segments hold several scores and must be counted score by score."""
    total = int(segments.pairs.sum())
    if method == "csf":
        within = [_holds(segments, place) for share in QUARTILES for place in _neighbours(share, total)]
        is_cut = np.any(within, axis=0)
    else:
        # The middle pairs of the lowest and the highest score that a segment may have.
        ends = (segments.below + 0.5, segments.below + segments.pairs - 0.5)
        lowest, highest = (group(end.astype(np.float64), total, method, strata) for end in ends)
        is_cut = lowest != highest
    return is_cut & (segments.low < segments.high)


def cut(segments: Segments, method: Method, strata: int) -> Cut:
    """Return the strata of a pool whose unsettled segments have been counted score by score."""
    histogram = Histogram(segments.pairs, segments.predicted, segments.evidence)
    first = first_bins(segments.pairs, method, strata)
    return Cut(table(histogram, first), segments.low[first])


QUARTILES = (0.25, 0.75)


def quartiles(segments: Segments) -> tuple[float, float]:
    """Return the quartiles of the scores as NumPy interpolates them, from settled segments."""
    total = int(segments.pairs.sum())
    lower, upper = (_quantile(segments, share, total) for share in QUARTILES)
    return lower, upper


def _quantile(segments: Segments, share: float, total: int) -> float:
    first, second = (
        float(segments.low[np.argmax(_holds(segments, place))]) for place in _neighbours(share, total)
    )
    part, gap = share * (total - 1) % 1, second - first
    return first + gap * part if part < 0.5 else second - gap * (1 - part)


def _neighbours(share: float, total: int) -> tuple[int, int]:
    """Return the places, from 0, of the two scores between which a quantile lies."""
    at = share * (total - 1)
    return math.floor(at), math.ceil(at)


def _holds(segments: Segments, place: int) -> NDArray[np.bool_]:
    return (segments.below <= place) & (place < segments.below + segments.pairs)
