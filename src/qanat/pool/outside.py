"""Pairs outside the candidates: those that blocking never proposed are one more stratum, at the bottom.

Nobody lists them. Their number is that of all pairs of the records less the candidates; those that are drawn
are drawn from all pairs, and again where a candidate comes up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats, Integers
from qanat.core.guess import Guess
from qanat.core.strata import Histogram, Method, Strata
from qanat.errors import BadInput
from qanat.pool.base import Facts, Pool, Prefix, Stratified
from qanat.pool.order import Pair
from qanat.pool.records import open_records

# Pairs drawn at a time, the same whatever is asked for, so that a longer prefix begins with a shorter one.
CHUNK = 4096


class Frame(NamedTuple):
    """The records of which all pairs are made, by their ids; those of one `source` are no pairs.

    In one table `right` is `left`, and a pair has its smaller row first.
    """

    left: NDArray[np.str_]
    right: NDArray[np.str_]
    is_one: bool
    source: NDArray[np.str_] | None = None

    @property
    def pairs(self) -> int:
        """The number of all pairs."""
        if not self.is_one:
            return len(self.left) * len(self.right)
        same = (
            [len(self.left)] if self.source is None else np.unique(self.source, return_counts=True)[1].tolist()
        )
        every = len(self.left) * (len(self.left) - 1) // 2
        return every if self.source is None else every - sum(n * (n - 1) // 2 for n in same)

    def drawn(self, seed: int) -> Iterator[list[Pair]]:
        """Yield pairs drawn at random from all, some at a time, each once; without end if there are enough."""
        chance, seen = np.random.Generator(np.random.Philox(key=seed)), set[int]()
        while len(seen) < self.pairs:
            cell = (chance.random(CHUNK) * len(self.left) * len(self.right)).astype(np.int64)
            fresh = [each for each in dict.fromkeys(cell[self._is_pair(cell)].tolist()) if each not in seen]
            seen.update(fresh)
            yield [
                Pair(str(self.left[c // len(self.right)]), str(self.right[c % len(self.right)])) for c in fresh
            ]

    def _is_pair(self, cell: Integers) -> NDArray[np.bool_]:
        row, column = np.divmod(cell, len(self.right))
        if not self.is_one:
            return np.ones(len(cell), dtype=bool)
        return (row < column) & (True if self.source is None else self.source[row] != self.source[column])


class Cut(NamedTuple):
    """The strata of a pool with the outside below them, and those of the candidates alone."""

    strata: Strata
    edges: Floats
    candidates: Stratified


class WithOutside:
    """A pool of candidates with all other pairs of its records, none of which is predicted to match."""

    label = None

    def __init__(self, pool: Any, frame: Frame) -> None:
        """Keep both; `with_outside` makes it."""
        self.pool, self.frame = pool, frame
        self.outside = frame.pairs - len(pool)
        self.dropped = pool.dropped
        self.names = pool.names
        self.ids = True

    def __len__(self) -> int:
        """Return the number of all pairs."""
        return self.frame.pairs

    @property
    def facts(self) -> Facts:
        """Counts of all pairs; the range of scores is that of the candidates."""
        return self.pool.facts._replace(pairs=len(self))

    @property
    def scope(self) -> str:
        """What a recall is a share of."""
        return f"all {len(self):,} pairs of the records, {self.outside:,} of them outside the candidates"

    def histogram(self, bins: int) -> Histogram:
        """Return the candidates counted in so many bins of equal width."""
        counted: Histogram = self.pool.histogram(bins)
        return counted

    def stratify(self, method: Method, strata: int, guess: Guess = "scaled") -> Cut:
        """Return the strata of the candidates, and below them that of the outside, if there is any."""
        inner = self.pool.stratify(method, strata, guess)
        more = (
            (np.array([self.outside]), np.array([0]), np.array([0.0])) if self.outside else (np.array([]),) * 3
        )
        table = Strata(
            *(np.concatenate([a, b]).astype(b.dtype) for a, b in zip(more, inner.strata, strict=True))
        )
        edges = np.concatenate([np.full(min(self.outside, 1), -np.inf), inner.edges])
        return Cut(table, edges, inner)

    def prefix(self, stratified: Cut, length: int, seed: int) -> Prefix:
        """Return the first pairs of every cell; a longer prefix begins with a shorter one."""
        inner: Prefix = self.pool.prefix(stratified.candidates, length, seed)
        if not self.outside:
            return inner
        pairs = self._outside(min(length, self.outside), seed)
        return Prefix([*pairs, *inner.pairs], np.concatenate([[0, 0], inner.start + len(pairs)]))

    def contains(self, pairs: Sequence[Pair]) -> set[Pair]:
        """Return which of these are candidates."""
        found: set[Pair] = self.pool.contains(pairs)
        return found

    def _outside(self, length: int, seed: int) -> list[Pair]:
        found: list[Pair] = []
        for some in self.frame.drawn(seed):
            turned = {Pair(b, a): Pair(a, b) for a, b in some} if self.frame.is_one else {}
            known = self.contains([*some, *turned])
            candidates = known | {turned[pair] for pair in known if pair in turned}
            found += [pair for pair in some if pair not in candidates]
            if len(found) >= length:
                break
        return found[:length]


def with_outside(
    pool: Pool, left: Any, right: Any = None, *, id_column: str = "id", source_column: str | None = None
) -> WithOutside:
    """Return a pool with the pairs of the records that are no candidates as one more stratum.

    `left` and `right` are the tables of records, as `open_records` takes them: one table if duplicates are
    looked for. With a `source_column` two records of one source are no pair. Recall is then that of all pairs.

    >>> import pyarrow as pa
    >>> from qanat import open_pool
    >>> pool = open_pool({"left_id": ["1"], "right_id": ["2"], "score": [0.9]}, threshold=0.5)
    >>> with_outside(pool, pa.table({"id": ["1", "2", "3"]})).scope
    'all 3 pairs of the records, 2 of them outside the candidates'
    """
    records = open_records(left, right, id_column=id_column)
    is_one = right is None
    ids = [table.values(id_column) for table in records][: 2 - is_one]
    for each in ids:
        if len(np.unique(each)) < len(each):
            raise BadInput("An id is there several times in the records: expected each once. Number them anew.")
    source = None if source_column is None else records.left.values(source_column)
    if source is not None and not is_one:
        raise BadInput("A column of sources is named with two tables: expected it with one. Leave it out.")
    frame = Frame(ids[0], ids[-1], is_one, source)
    if frame.pairs < len(pool):
        raise BadInput(
            f"The pool has {len(pool):,} pairs, but the records make only {frame.pairs:,}: expected no more. "
            "Check the tables, and that no pair is there twice."
        )
    return WithOutside(pool, frame)
