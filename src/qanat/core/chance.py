"""Chance with an address: the randomness of draw `t` of run `r` is a function of (seed, r, t) alone.

Each draw owns one block of a counter-based generator (Philox), which is four uniforms; so a draw can be
repeated on any machine, after any restart, in any company of other runs and in batches of any size.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats, Integers

# Uniforms are made for this many draws at a time: enough to pay for making the generators, and no power of
# two, which would put the same draw of all runs into the same few lines of the cache.
AHEAD = 1000
PER_DRAW = 4


class Stream(NamedTuple):
    """The uniforms still to come: `ahead[r, j]` belongs to draw `first + j` of `runs[r]`."""

    seed: int
    runs: Integers
    next: int
    first: int
    ahead: Floats


def stream(seed: int, runs: Integers) -> Stream:
    """Return the stream of `runs` (any set of run numbers) under `seed`, before its first draw."""
    return Stream(seed, runs, 0, 0, np.empty((len(runs), 0, PER_DRAW)))


def take(stream: Stream, n: int) -> tuple[Stream, Floats]:
    """Return the stream after `n` more draws, and their uniforms in [0, 1), shape (runs, n, 4)."""
    start = stream.next - stream.first
    if start + n > stream.ahead.shape[1]:
        size = max(n, AHEAD)
        stream = stream._replace(first=stream.next, ahead=uniforms(stream.seed, stream.runs, stream.next, size))
        start = 0
    return stream._replace(next=stream.next + n), stream.ahead[:, start : start + n]


def uniforms(seed: int, runs: Integers, first: int, n: int) -> Floats:
    """Return the uniforms of draws `first` to `first + n - 1` of every run, shape (runs, n, 4)."""
    result = np.empty((len(runs), n, PER_DRAW))
    for row, run in zip(result, runs, strict=True):
        bits = np.random.Philox(key=np.array([seed, run], dtype=np.uint64), counter=first)
        np.random.Generator(bits).random(out=row)
    return result


def select(stream: Stream, rows: NDArray[np.intp]) -> Stream:
    """Return the stream of the runs at `rows` only; what they will draw does not change."""
    return stream._replace(runs=stream.runs[rows], ahead=stream.ahead[rows])


def pick(cumulative: Floats, u: Floats) -> NDArray[np.intp]:
    """Return indices drawn from a distribution given by its running sum (K,), in O(log K) each."""
    return np.searchsorted(cumulative, u * cumulative[-1], side="right")


class Guide(NamedTuple):
    """A fixed distribution with a table of where to look: entry e belongs to the uniforms from e / E on.

    Row k of `facts` is the running sum at k, and then what is wanted to know of k. They lie side by side
    because in a large table every place looked at is one to wait for.
    """

    cumulative: Floats
    first: NDArray[np.int32]
    facts: Floats


def guide(cumulative: Floats, *columns: NDArray[Any]) -> Guide:
    """Return the guide to a distribution given by its running sum (K,), with `columns` as facts of each index.

    The table is that of Chen and Asau (1974).
    """
    # A power of two, so that a uniform times the number of entries is exact.
    entries = 1 << (2 * len(cumulative) - 1).bit_length()
    first = pick(cumulative, np.arange(entries) / entries)
    return Guide(cumulative, first.astype(np.int32), np.stack([cumulative, *columns], axis=1, dtype=np.float64))


def look_up(guide: Guide, u: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return what `pick` returns, and the facts (..., C), in a time that hardly grows with K: O(log K) at most.

    A binary search misses the cache at almost every step; most of the time the table is right at once or
    one short. Where it is not, many indices of little mass share an entry, and a search decides.
    """
    target = u * guide.cumulative[-1]
    index = guide.first.take((u * len(guide.first)).astype(np.intp)).astype(np.intp)
    index += guide.facts.take(index, axis=0)[..., 0] <= target
    facts = guide.facts.take(index, axis=0)
    is_beyond = facts[..., 0] <= target
    if is_beyond.any():
        index[is_beyond] = pick(guide.cumulative, u[is_beyond])
        facts[is_beyond] = guide.facts[index[is_beyond]]
    return index, facts[..., 1:]


def pick_uniform(size: Integers | Floats, u: Floats) -> Integers:
    """Return a place from 0 to `size` - 1, all equally likely."""
    return (u * size).astype(np.int64)
