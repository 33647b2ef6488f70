"""Chance with an address: the randomness of draw `t` of run `r` is a function of (seed, r, t) alone.

Each draw owns one block of a counter-based generator (Philox), which is four uniforms; so a draw can be
repeated on any machine, after any restart, in any company of other runs and in batches of any size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

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


def pick_uniform(size: Integers, u: Floats) -> Integers:
    """Return a place from 0 to `size` - 1, all equally likely."""
    return (u * size).astype(np.int64)
