"""A pool held in NumPy arrays: the reference that every other engine is tested against."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qanat.core import guess as guessing
from qanat.core import strata as stratification
from qanat.core.arrays import Floats, Integers
from qanat.core.cells import Cells
from qanat.core.guess import Guess
from qanat.core.strata import Histogram, Method, Strata


@dataclass(frozen=True)
class InMemoryPool:
    """Scored pairs: `score` and `prediction` of every pair, and `label`, the truth, where it is known.

    Made by qanat.open_pool, which checks what it is given.
    """

    score: Floats
    prediction: NDArray[np.bool_]
    label: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.score)

    @property
    def has_probabilities(self) -> bool:
        """Whether every score could be a probability."""
        return bool(self.score.min() >= 0 and self.score.max() <= 1)

    def summary(self, edges: Floats, guess: Guess = "scaled") -> Histogram:
        """Return the pairs counted between `edges`, which rise; the last bin includes its upper edge."""
        return self._counted(_bin(self.score, edges), len(edges) - 1, guess)

    def edges(self, method: Method, strata: int) -> Floats:
        """Return the edges of the bins that this stratification joins: equal ones for CSF, else all scores."""
        low, high = float(self.score.min()), float(self.score.max())
        if method == "none" or low == high:
            return np.array([low, high])
        if method == "csf":
            lower, upper = np.percentile(self.score, [25, 75])
            bins = stratification.bin_count(len(self), high - low, float(upper - lower), strata)
            return np.linspace(low, high, bins + 1)
        # One bin for every distinct score: it begins there and ends before the next.
        return np.append(np.unique(self.score), np.inf)

    def stratify(self, method: Method, strata: int, guess: Guess = "scaled") -> Stratified:
        """Return the stratum table and where each place of it is."""
        edges = self.edges(method, strata)
        bin_, bins = self._bin(edges), len(edges) - 1
        histogram = self._counted(bin_, bins, guess)
        first = stratification.first_bins(histogram.pairs, method, strata)
        stratum_of = np.repeat(np.arange(len(first)), np.diff(np.append(first, bins)))
        return Stratified(stratification.table(histogram, first), self._order(stratum_of[bin_]))

    def cells(self, stratified: Stratified, label: NDArray[np.bool_]) -> Cells:
        """Return the strata counted by prediction and truth."""
        start = stratified.strata.start
        label = label[stratified.pair]
        found = label & self.prediction[stratified.pair]
        matches, true_positives = (np.add.reduceat(column.astype(np.int64), start) for column in (label, found))
        return Cells(stratified.strata.size, stratified.strata.predicted, matches, true_positives)

    def _bin(self, edges: Floats) -> Integers:
        """Return the bin of each score; with one bin for every score, ranks are quicker than a search."""
        return np.unique(self.score, return_inverse=True)[1] if edges[-1] == np.inf else _bin(self.score, edges)

    def _counted(self, bin_: Integers, bins: int, guess: Guess) -> Histogram:
        evidence = guessing.of_pair(self.score, guess, float(np.abs(self.score).max()))
        return Histogram(
            pairs=np.bincount(bin_, minlength=bins),
            predicted=np.bincount(bin_[self.prediction], minlength=bins),
            evidence=np.bincount(bin_, weights=evidence, minlength=bins).astype(np.float64),
        )

    def _order(self, stratum: Integers) -> NDArray[np.intp]:
        """Return the pairs by stratum, the predicted matches of each first, else as they came."""
        key = 2 * stratum + ~self.prediction
        # Sixteen bits are sorted by counting them, in a seventh of the time.
        small = key.astype(np.int16) if len(key) and key.max() < np.iinfo(np.int16).max else key
        return np.argsort(small, kind="stable")


@dataclass(frozen=True)
class Stratified:
    """A stratum table and its pairs: place j of stratum k is `pair[start + j]`, `start` the pairs below k."""

    strata: Strata
    pair: NDArray[np.intp]

    def shuffled(self, seed: int) -> NDArray[np.intp]:
        """Return the pairs with those of each cell shuffled: the predicted matches of a stratum, its rest."""
        size = np.stack([self.strata.predicted, self.strata.size - self.strata.predicted], axis=1)
        cell = np.repeat(np.arange(size.size), size.ravel())
        key = np.random.Generator(np.random.Philox(key=seed)).random(len(cell))
        return self.pair[np.lexsort((key, cell))]


def _bin(score: Floats, edges: Floats) -> Integers:
    """Return the bin of each score, as numpy.histogram counts them."""
    return np.clip(np.searchsorted(edges, score, side="right") - 1, 0, len(edges) - 2)
