"""The truth of a labelled pool, as the draws of many runs meet it: which label, and whether the pair is new.

Nothing here is a value: a simulation makes millions of draws, and copying what each run has seen would be
most of its time. Answers are made for one simulation and kept inside it.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from qanat.core import chance
from qanat.core.arrays import Floats, Integers
from qanat.samplers.base import Draws

# The chance of urns is that of runs of their own, numbered from here on.
URNS = 2**32
BITS = (1 << np.arange(8)).astype(np.uint8)


class Answers(Protocol):
    """The truth, as the draws of a method meet it."""

    def answer(self, run: Integers, draws: Draws) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the label of one draw of each of these runs, and whether its pair is new."""


class Book:
    """The truth of every place, for methods that draw a place with replacement."""

    def __init__(self, state: Any, labels: NDArray[np.bool_]) -> None:
        """Begin with no pair seen; `labels` are by place."""
        # A method may cut its strata once more (importance does): the state has those that it draws from.
        self._start = state.strata.start
        self._labels = labels
        self._seen = Seen(len(state.stream.runs), len(labels))

    def answer(self, run: Integers, draws: Draws) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the label of the place, the same at every draw of it."""
        pair = (self._start[draws.stratum] + draws.place)[:, 0]
        return self._labels[pair], self._seen.add(run, pair)


class Urns:
    """The truth of every cell as an urn, for methods that take the pairs of a cell in shuffled order.

    Drawing from an urn without replacement is looking up places in an order shuffled anew for every run,
    without the shuffling.
    """

    def __init__(self, state: Any, matches: Integers, size: Integers) -> None:
        """Begin with urns of so many pairs and matches, alike for all runs (K,) or not (runs, K)."""
        runs = state.stream.runs
        shape = (len(runs), len(state.strata.size))
        self._left = np.broadcast_to(size, shape).copy()
        self._matches = np.broadcast_to(matches, shape).copy()
        self._runs = runs + URNS
        self._seed = state.stream.seed
        self._drawn = 0
        self._ahead = np.empty((len(runs), 0))

    def answer(self, run: Integers, draws: Draws) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the label of the next pair of each urn; it is always new."""
        at = (run, draws.stratum[:, 0])
        label = self._uniform()[run] * self._left[at] < self._matches[at]
        self._left[at] -= 1
        self._matches[at] -= label
        return label, np.ones_like(label)

    def _uniform(self) -> Floats:
        """Return one uniform for every run."""
        column = self._drawn % chance.AHEAD
        if column == 0:
            self._ahead = chance.uniforms(self._seed, self._runs, self._drawn, chance.AHEAD)[:, :, 0]
        self._drawn += 1
        return self._ahead[:, column]


class Seen:
    """The pairs that each run has seen: one bit for each, so that it stays in the cache."""

    def __init__(self, runs: int, pairs: int) -> None:
        """Begin with nothing seen."""
        self._width = pairs // 8 + 1
        self._bits = np.zeros(runs * self._width, dtype=np.uint8)

    def add(self, run: Integers, pair: Integers) -> NDArray[np.bool_]:
        """Add one pair to each of these runs, all different, and return which pairs are new."""
        cell = run * self._width + (pair >> 3)
        bit = BITS[pair & 7]
        before = self._bits[cell]
        self._bits[cell] = before | bit
        return (before & bit) == 0
