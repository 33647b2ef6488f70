"""Small populations with known truth, for laws."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from qanat.core.arrays import Integers
from qanat.core.measures import Totals
from qanat.core.strata import Strata
from qanat.samplers.base import Draws, State


class Population(NamedTuple):
    """A stratum table and the truth of every place, stratum after stratum."""

    strata: Strata
    label: NDArray[np.bool_]

    def labels(self, state: State, draws: Draws) -> NDArray[np.bool_]:
        """Return the truth of the pairs drawn."""
        return self.label[positions(state.strata, draws)]

    def totals(self) -> Totals:
        """Return the true counts."""
        place = np.arange(len(self.label)) - np.repeat(self.strata.start, self.strata.size)
        predicted = place < np.repeat(self.strata.predicted, self.strata.size)
        counts = (self.label & predicted, predicted, self.label)
        return Totals(*(np.array([float(count.sum())]) for count in counts))


def positions(strata: Strata, draws: Draws) -> Integers:
    """Return where each drawn pair is when the strata lie one after the other."""
    return strata.start[draws.stratum] + draws.place


@st.composite
def populations(draw: st.DrawFn) -> Population:
    """Draw a population of one to eight strata, with and without predicted matches and true ones.

    It has at least twelve pairs, so that a method without replacement does not come to its end.
    """
    size = draw(st.lists(st.integers(1, 12), min_size=1, max_size=8))
    size[0] += max(0, 12 - sum(size))
    predicted = [draw(st.integers(0, n)) for n in size]
    guess = [draw(st.floats(0, 1)) for _ in size]
    label = draw(st.lists(st.booleans(), min_size=sum(size), max_size=sum(size)))
    strata = Strata(
        np.array(size, dtype=np.int64),
        np.array(predicted, dtype=np.int64),
        np.array(guess) * np.array(size),
    )
    return Population(strata, np.array(label, dtype=bool))


@st.composite
def single_pairs(draw: st.DrawFn) -> Population:
    """Draw a population of two to six strata of one pair each."""
    predicted = draw(st.lists(st.integers(0, 1), min_size=2, max_size=6))
    label = draw(st.lists(st.booleans(), min_size=len(predicted), max_size=len(predicted)))
    one = np.ones(len(predicted), dtype=np.int64)
    strata = Strata(one, np.array(predicted, dtype=np.int64), np.full(len(one), 0.5))
    return Population(strata, np.array(label, dtype=bool))


def imbalanced() -> Population:
    """Return six strata whose match rate rises with the score: 400 pairs, 41 matches, 36 predicted.

    The scores say that the lowest stratum, half of the pool, holds no match; it holds four.
    """
    size = np.array([200, 100, 50, 25, 15, 10], dtype=np.int64)
    predicted = np.array([0, 0, 4, 8, 14, 10], dtype=np.int64)
    matches = [4, 3, 5, 9, 11, 9]
    label = np.concatenate([np.arange(n) < m for n, m in zip(size, matches, strict=True)])
    return Population(Strata(size, predicted, np.array([0.0, 10.0, 10.0, 12.5, 10.5, 9.0])), label)
