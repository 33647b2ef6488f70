"""Which pairs of records are compared: all, or those that share a key, or the nearest by their words.

Each kind hands its pairs out in blocks with their features, so that memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Integers
from qanat.er.normalise import normalised
from qanat.er.similarity import Similarity, cosine
from qanat.errors import BadInput

# Pairs in a block; their features stay within the caches of a processor.
BLOCK = 2**19

Features = NDArray[np.float32]


class Block(NamedTuple):
    """Some pairs: rows of the left and the right table, and their features, shape (pairs, fields)."""

    left: Integers
    right: Integers
    features: Features


class Candidates(Protocol):
    """Pairs that are compared."""

    @property
    def number(self) -> int:
        """Return how many there are."""

    def blocks(self, compare: Sequence[Similarity]) -> Iterator[Block]:
        """Hand out all of them with their features."""

    def some(self, number: int, chance: np.random.Generator) -> tuple[Integers, Integers]:
        """Return the rows of so many of them, drawn at random without replacement, in their order."""


class AllPairs(NamedTuple):
    """Every record of the left table with every one of the right; in one table, with all that come after it."""

    left: int
    right: int
    is_one: bool

    @property
    def number(self) -> int:
        """Return how many there are."""
        return self.left * (self.left - 1) // 2 if self.is_one else self.left * self.right

    def blocks(self, compare: Sequence[Similarity]) -> Iterator[Block]:
        """Hand out all of them with their features, some rows of the left table at a time."""
        size = max(1, BLOCK // self.right)
        for start in range(0, self.left, size):
            rows = slice(start, min(start + size, self.left))
            left, right = np.divmod(np.arange(rows.start * self.right, rows.stop * self.right), self.right)
            features = np.empty((len(left), len(compare)), dtype=np.float32)
            for column, similarity in enumerate(compare):
                features[:, column] = similarity.between(rows).ravel()
            keep = left < right if self.is_one else slice(None)
            yield Block(left[keep], right[keep], features[keep])

    def some(self, number: int, chance: np.random.Generator) -> tuple[Integers, Integers]:
        """Return the rows of so many of them, drawn at random without replacement, in their order."""
        place = np.sort(_drawn(self.number, number, chance))
        if not self.is_one:
            return np.divmod(place, self.right)
        # Row i of n comes first in n - 1 - i pairs, whose places begin here.
        first = np.arange(self.left)
        start = first * (2 * self.left - first - 1) // 2
        left = np.searchsorted(start, place, side="right") - 1
        return left, place - start[left] + left + 1


class Listed(NamedTuple):
    """Pairs of which each is named by its two rows."""

    left: Integers
    right: Integers

    @property
    def number(self) -> int:
        """Return how many there are."""
        return len(self.left)

    def blocks(self, compare: Sequence[Similarity]) -> Iterator[Block]:
        """Hand out all of them with their features."""
        for start in range(0, len(self.left), BLOCK):
            left, right = self.left[start : start + BLOCK], self.right[start : start + BLOCK]
            yield Block(left, right, features_of(left, right, compare))

    def some(self, number: int, chance: np.random.Generator) -> tuple[Integers, Integers]:
        """Return the rows of so many of them, drawn at random without replacement, in their order."""
        places = np.sort(_drawn(len(self.left), number, chance))
        return self.left[places], self.right[places]


def features_of(left: Integers, right: Integers, compare: Sequence[Similarity]) -> Features:
    """Return the features of pairs of rows, shape (pairs, fields)."""
    return np.column_stack([similarity.of(left, right) for similarity in compare])


def with_equal_key(left: Sequence[str], right: Sequence[str], *, is_one: bool) -> Listed:
    """Return the pairs of rows whose keys are equal when normalised; an empty key equals none.

    >>> with_equal_key(["Rome", "Oslo", ""], ["oslo", "", "ROME", "Oslo"], is_one=False)
    Listed(left=array([0, 1, 1]), right=array([2, 0, 3]))
    """
    keys = [normalised(key) for key in (*left, *right)]
    if not any(keys):
        raise BadInput("No record has a key to block on: expected values in that column. Choose another.")
    _, code = np.unique(keys, return_inverse=True)
    first, second = code[: len(left)], code[len(left) :]
    order = np.argsort(second, kind="stable")
    start, stop = (np.searchsorted(second[order], first, side=side) for side in ("left", "right"))
    count = np.where([bool(key) for key in keys[: len(left)]], stop - start, 0)
    row = np.repeat(np.arange(len(left)), count)
    within = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    return _listed(row, order[start[row] + within], is_one=is_one)


def nearest_neighbours(left: Sequence[str], right: Sequence[str], *, number: int, is_one: bool) -> Listed:
    """Return for every row of the left table so many of the right whose words are the most alike.

    Rows without a common word are no neighbours. In one table a pair is listed once, whichever row is near
    the other.

    >>> nearest_neighbours(["red shoe"], ["blue hat", "shoe", "red shoes"], number=2, is_one=False)
    Listed(left=array([0, 0]), right=array([1, 2]))
    """
    compare, found = cosine(left, right), []
    # A record is the nearest to itself.
    number = min(number + is_one, len(right))
    size = max(1, BLOCK // len(right))
    for start in range(0, len(left), size):
        likeness = compare.between(slice(start, start + size))
        if is_one:
            likeness[np.arange(len(likeness)), np.arange(start, start + len(likeness))] = np.inf
        best = np.argpartition(-likeness, number - 1, axis=1)[:, :number]
        row, column = np.nonzero(np.take_along_axis(likeness, best, axis=1) > 0)
        found.append((row + start, best[row, column]))
    rows, columns = (np.concatenate(side) for side in zip(*found, strict=True))
    return _listed(rows, columns, is_one=is_one)


def _listed(left: Integers, right: Integers, *, is_one: bool) -> Listed:
    """Return the pairs in their order, each once, none of a record with itself."""
    if is_one:
        left, right = np.minimum(left, right)[left != right], np.maximum(left, right)[left != right]
    if len(left) == 0:
        raise BadInput("No pair is a candidate: expected at least one. Block on another column, or not at all.")
    pairs = np.unique(np.column_stack([left, right]), axis=0)
    return Listed(pairs[:, 0], pairs[:, 1])


def _drawn(size: int, number: int, chance: np.random.Generator) -> Integers:
    """Return so many different whole numbers below the size, in the order in which they were drawn."""
    if 2 * number > size:
        return np.argsort(chance.random(size), kind="stable")[:number]
    drawn = np.empty(0, dtype=np.int64)
    while len(drawn) < number:
        more = (chance.random(number) * size).astype(np.int64)
        every = np.concatenate([drawn, more])
        drawn = every[np.sort(np.unique(every, return_index=True)[1])]
    return drawn[:number]
