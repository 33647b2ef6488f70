"""Which pair a draw is: the places of a method joined to the first pairs of each cell of the pool.

The pairs of a cell lie in random order, so that the first place that a method draws there may be the first
pair, the next new place the second: only as many pairs are fetched as are drawn.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.errors import BadInput
from qanat.pool.base import Pool, Prefix, Stratified, repeated
from qanat.pool.in_memory import InMemoryPool
from qanat.pool.order import Pair

# Pairs of each cell that are fetched at first; when they are used up, so many times as many.
FIRST = 500
GROWTH = 4


class Rows(NamedTuple):
    """The pairs of a pool in memory as they lie there: the row of each place."""

    pool: InMemoryPool
    row: NDArray[np.intp]

    def pair(self, place: int) -> Pair | int:
        """Return the pair at a place of the whole pool, strata one after the other."""
        return self.pool.pair(int(self.row[place]))


class Deck:
    """The pairs of one evaluation, fetched from the pool when they are needed."""

    def __init__(self, pool: Pool, stratified: Stratified, seed: int) -> None:
        """Begin with no pair fetched."""
        self._pool, self._stratified, self._seed = pool, stratified, seed
        self._length = FIRST
        self._prefix: Prefix | None = None
        self._given: dict[int, Pair | int] = {}
        self._taken = np.zeros(2 * len(stratified.strata.size), dtype=np.int64)

    def pair(self, place: int) -> Pair | int:
        """Return the pair at a place of the whole pool, strata one after the other; the same at every call."""
        if place not in self._given:
            self._given[place] = self._next(self._cell(place))
        return self._given[place]

    def _cell(self, place: int) -> int:
        """Return the cell of a place: its stratum's predicted matches come first."""
        strata = self._stratified.strata
        stratum = int(np.searchsorted(strata.start, place, side="right")) - 1
        return 2 * stratum + int(place - strata.start[stratum] >= strata.predicted[stratum])

    def _next(self, cell: int) -> Pair | int:
        """Return the first pair of a cell that was not given yet."""
        at = int(self._taken[cell])
        if self._prefix is None or at >= self._length:
            self._length *= 1 if self._prefix is None else GROWTH
            self._prefix = self._pool.prefix(self._stratified, self._length, self._seed)
            _refuse_repeated(self._prefix)
        self._taken[cell] += 1
        return self._prefix.pairs[int(self._prefix.start[cell]) + at]


def _refuse_repeated(prefix: Prefix) -> None:
    """Refuse a pool in whose first pairs one comes twice: it would be counted as two."""
    if len(set(prefix.pairs)) == len(prefix.pairs):
        return
    (pair, times), *_ = Counter(prefix.pairs).most_common(1)
    raise BadInput(repeated(pair, times))
