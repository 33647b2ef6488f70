"""A pool held in NumPy arrays: the reference that every other engine is tested against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qanat.core import guess as guessing
from qanat.core import strata as stratification
from qanat.core.arrays import Floats, Integers
from qanat.core.cells import Cells
from qanat.core.guess import Guess
from qanat.core.strata import Histogram, Method, Strata
from qanat.errors import BadInput
from qanat.pool.base import Facts, Prefix, repeated
from qanat.pool.order import Pair, cell_sizes, key, key_of


@dataclass(frozen=True)
class InMemoryPool:
    """Scored pairs: `score` and `prediction` of every pair, and `label`, the truth, where it is known.

    `ids` are the two records of every pair; without them a pair is known by its row. `dropped` rows repeated a
    pair and were left out; `names` says which columns were taken for what. Made by qanat.open_pool, which
    checks what it is given.
    """

    score: Floats
    prediction: NDArray[np.bool_]
    label: NDArray[np.bool_] | None = None
    ids: tuple[NDArray[np.str_], NDArray[np.str_]] | None = None
    dropped: int = 0
    names: str = ""

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.score)

    @property
    def facts(self) -> Facts:
        """Counts, and the range of the scores."""
        predicted = int(self.prediction.sum())
        return Facts(len(self), predicted, float(self.score.min()), float(self.score.max()))

    def summary(self, edges: Floats, guess: Guess = "scaled") -> Histogram:
        """Return the pairs counted between `edges`, which rise; the last bin includes its upper edge."""
        return self._counted(_bin(self.score, edges), len(edges) - 1, guess)

    def histogram(self, bins: int) -> Histogram:
        """Return the pairs counted in so many bins of equal width."""
        return self.summary(np.linspace(self.facts.lowest, self.facts.highest, bins + 1), "probability")

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
        table = stratification.table(histogram, first)
        return Stratified(table, edges[first], self._order(stratum_of[bin_]))

    def rows(self, stratified: Any) -> NDArray[np.intp]:
        """Return the row of every place: strata one after the other, the predicted matches of each first."""
        order: NDArray[np.intp] = stratified.pair
        return order

    def prefix(self, stratified: Stratified, length: int, seed: int) -> Prefix:
        """Return the first `length` pairs of every cell; a longer prefix begins with a shorter one."""
        sizes = np.array(cell_sizes(stratified.strata.size, stratified.strata.predicted))
        cell = np.repeat(np.arange(len(sizes)), sizes)
        start = np.concatenate([[0], np.cumsum(np.minimum(sizes, length))])
        if self.ids is None:
            # Nobody else has these rows: any order of theirs will do, and this one is the quickest.
            place = np.random.Generator(np.random.Philox(key=seed)).random(len(cell))
            first = np.arange(len(cell)) - np.repeat(np.cumsum(sizes) - sizes, sizes) < length
            return Prefix(stratified.pair[np.lexsort((place, cell))[first]].tolist(), start)
        ends = np.cumsum(sizes)
        cells = [stratified.pair[end - size : end] for end, size in zip(ends, sizes, strict=True) if size]
        return Prefix([pair for rows in cells for pair in self._first(rows, length, seed)], start)

    def _first(self, rows: NDArray[np.intp], length: int, seed: int) -> list[Pair]:
        """Return the first pairs of these rows, by their keys."""
        assert self.ids is not None
        left, right = (column[rows].tolist() for column in self.ids)
        keyed = ((key(a, b, seed), a, b) for a, b in zip(left, right, strict=True))
        return [Pair(a, b) for _, a, b in nsmallest(length, keyed)]

    def contains(self, pairs: Sequence[Pair]) -> set[Pair]:
        """Return which of these pairs are in the pool."""
        return set(pairs) & self._pairs

    @cached_property
    def _pairs(self) -> set[Pair]:
        return set() if self.ids is None else {Pair(a, b) for a, b in zip(*map(list, self.ids), strict=True)}

    @property
    def scope(self) -> str:
        """What a recall is a share of."""
        return f"the {len(self):,} candidates"

    def pair(self, row: int) -> Pair | int:
        """Return what a row is known by: its ids, if there are any."""
        return row if self.ids is None else Pair(str(self.ids[0][row]), str(self.ids[1][row]))

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
    """Strata and their pairs: place j of stratum k is row `pair[start + j]`, `start` the pairs below k.

    `edges` are the lowest score that belongs to each stratum.
    """

    strata: Strata
    edges: Floats
    pair: NDArray[np.intp]


def _bin(score: Floats, edges: Floats) -> Integers:
    """Return the bin of each score, as numpy.histogram counts them."""
    return np.clip(np.searchsorted(edges, score, side="right") - 1, 0, len(edges) - 2)


def without_repeated(pool: InMemoryPool, duplicates: str | None, *, is_one: bool) -> InMemoryPool:
    """Return the pool, its repeated pairs as the setting `duplicates` says; nothing is done without ids."""
    if pool.ids is None or (duplicates is None and not is_one):
        return pool
    left, right = pool.ids
    if is_one and (left == right).any():
        raise BadInput(f"The pool has {(left == right).sum():,} pairs of a record with itself: drop them.")
    is_turned = (left > right) & is_one
    first, second = np.where(is_turned, right, left), np.where(is_turned, left, right)
    # A sign that is in no id stands between them.
    same = np.unique(np.char.add(np.char.add(first, "\x1f"), second), return_inverse=True)[1]
    if duplicates == "refuse" and len(same) > same.max() + 1:
        often = np.bincount(same).argmax()
        row = int(np.argmax(same == often))
        raise BadInput(repeated(Pair(str(left[row]), str(right[row])), int((same == often).sum())))
    return pool if duplicates != "keep-highest" else _highest(pool, same)


def _highest(pool: InMemoryPool, same: Integers) -> InMemoryPool:
    """Return the pool with the row of each pair that scores highest, in the order of the rows."""
    assert pool.ids is not None
    keys = np.array([key_of(a, b) for a, b in zip(*(column.tolist() for column in pool.ids), strict=True)])
    order = np.lexsort((keys, ~pool.prediction, -pool.score, same))
    kept = np.sort(order[np.diff(same[order], prepend=-1) > 0])
    ids = pool.ids[0][kept], pool.ids[1][kept]
    label = None if pool.label is None else pool.label[kept]
    dropped = len(same) - len(kept)
    return InMemoryPool(pool.score[kept], pool.prediction[kept], label, ids, dropped, pool.names)
