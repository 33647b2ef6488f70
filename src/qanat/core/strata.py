"""From counts of scores to strata.

A histogram counts pairs by score, lowest bin first; a stratification joins neighbouring bins; a stratum
table keeps what a sampler needs of each stratum. Nothing here sees a pair, so a pool of a billion pairs is
stratified like one of a thousand. With one bin for every distinct score nothing is lost by counting.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from qanat.core.arrays import Floats, Integers

Method = Literal["csf", "equal-size", "log-rank", "score", "none"]

# More bins than this would be finer than any stratum needs; an outlier among the scores asks for them.
MOST_BINS = 100_000
# Ranks below this are strata of about equal size; above it, sizes grow geometrically.
FIRST_RANK = 8.0


class Histogram(NamedTuple):
    """Pairs counted by score: bin m holds `pairs[m]` pairs, `predicted[m]` of them predicted to match.

    `evidence[m]` sums the number of each pair that the guess is made of (qanat.core.guess.of_pair).
    """

    pairs: Integers
    predicted: Integers
    evidence: Floats


class Strata(NamedTuple):
    """The stratum table: K rows, by rising score.

    Within a stratum, the places 0 to `predicted` - 1 are the pairs predicted to match, so that a place
    tells its prediction.
    """

    size: Integers
    predicted: Integers
    evidence: Floats

    @property
    def weight(self) -> Floats:
        """The share of the pool in each stratum (omega)."""
        return self.size / self.size.sum()

    @property
    def start(self) -> Integers:
        """The number of pairs in the strata below each: place j of stratum k is at `start[k] + j`."""
        return np.cumsum(self.size) - self.size

    @property
    def predicted_share(self) -> Floats:
        """The share of each stratum that is predicted to match (lambda)."""
        return self.predicted / self.size


def bin_count(pairs: int, spread: float, quartile_range: float, strata: int) -> int:
    """Return the number of equal bins for CSF: Freedman and Diaconis, or 4 a stratum if that is coarser.

    `spread` is the largest score minus the smallest. Heavy ties leave a quartile range of zero, for which
    the rule says nothing.
    """
    width = 2.0 * quartile_range * pairs ** (-1 / 3)
    bins = spread / width if width > 0 else 0.0
    if bins < strata:
        return 4 * strata
    # Rounded first: a quotient of 60.000000000000007 on one machine only must not give 61 bins.
    return math.ceil(round(min(bins, MOST_BINS), 9))


def first_bins(count: Integers, method: Method, strata: int) -> Integers:
    """Return the first bin of each stratum, at most `strata` of them; none is empty of pairs."""
    if method == "none":
        return np.zeros(1, dtype=np.int64)
    if method == "score":
        return _without_empty(count, np.arange(len(count), dtype=np.int64))
    first = _csf(count, strata) if method == "csf" else _first_of_groups(count, method, strata)
    return _without_empty(count, first)


def table(histogram: Histogram, first: Integers) -> Strata:
    """Return the stratum table of the strata that begin at the bins `first`."""
    rows = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(histogram.pairs))))
    return Strata(
        size=np.add.reduceat(histogram.pairs, first),
        predicted=np.add.reduceat(histogram.predicted, first),
        # Fractions are added one after the other: see qanat.core.arrays.total.
        evidence=np.bincount(rows, weights=histogram.evidence).astype(np.float64),
    )


def crossed(strata: Strata) -> Strata:
    """Return each stratum as two: its predicted matches, then the rest; empty ones dropped.

    Places keep their order, because predicted matches come first in every stratum.
    """
    predicted = strata.predicted_share
    size = np.stack([strata.predicted, strata.size - strata.predicted], axis=1).ravel()
    parts = Strata(
        size=size,
        predicted=np.stack([strata.predicted, np.zeros_like(strata.size)], axis=1).ravel(),
        evidence=(strata.evidence[:, None] * np.stack([predicted, 1 - predicted], axis=1)).ravel(),
    )
    held = size > 0
    return Strata(size[held], parts.predicted[held], parts.evidence[held])


def _csf(count: Integers, strata: int) -> Integers:
    """Cut at equal steps of the cumulative square root of the counts (algorithm 1 of the paper).

    A stratum begins with the bin in which the running sum reaches its step, as in the released code: one
    cut a bin, none at the last. The printed algorithm is the same up to the end of the last stratum.
    """
    running = np.cumsum(np.sqrt(count))
    step = running[-1] / strata
    first: list[int] = []
    for bin_ in np.searchsorted(running, step * np.arange(strata)).tolist():
        cut = max(bin_, first[-1] + 1) if first else bin_
        if cut < len(count) - 1 or not first:
            first.append(cut)
    first[0] = 0
    return np.array(first, dtype=np.int64)


def group(below: Floats, pairs: int, method: Method, strata: int) -> Floats:
    """Return a number for each score that rises with the strata, from the pairs below its middle one.

    Equal sizes: as many pairs in each. Log-rank: equal steps of log(1 + rank / 8), rank 1 being the highest.
    """
    if method == "equal-size":
        return np.floor(below * strata / pairs)
    steps = np.arange(1, strata) / strata
    # Rounded, because ranks are multiples of a half and powers differ in the last bit between machines.
    cuts = np.round(FIRST_RANK * ((1 + pairs / FIRST_RANK) ** steps - 1), 6)
    return -np.searchsorted(cuts, pairs - below, side="right").astype(np.float64)


def _first_of_groups(count: Integers, method: Method, strata: int) -> Integers:
    """Return where each stratum begins; a bin belongs where its middle pair does."""
    groups = group(np.cumsum(count) - 0.5 * count, int(count.sum()), method, strata)
    return np.flatnonzero(np.diff(groups, prepend=groups[0] - 1)).astype(np.int64)


def _without_empty(count: Integers, first: Integers) -> Integers:
    """Drop the strata without pairs; their bins join the stratum below."""
    held = np.add.reduceat(count, first)
    kept = first[held > 0]
    kept[0] = 0
    return kept
