"""What a sampler is: four functions over a state that is a value.

    state = sampler.init(strata, alpha=0.5, config=sampler.Config(), stream=chance.stream(seed, runs))
    state, draws = sampler.ask(state, n)
    state = sampler.tell(state, draws, labels)
    estimate = sampler.estimate(state)

Nothing is changed in place, so a state can be kept, compared and returned to. Draws may be told late, in
parts and in any order. A sampler draws places in strata and knows nothing of pairs: whoever holds the pool
finds the pair, asks for its label once, and tells the same label again when the pair is drawn again.
qanat.testing holds the laws that samplers must satisfy; SKELETON.md says which, and is the way to a new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from qanat.core import estimators, intervals, measures
from qanat.core.arrays import Floats, Integers
from qanat.core.chance import Stream, pick_uniform
from qanat.core.estimators import Sums
from qanat.core.guess import Guess
from qanat.core.intervals import Interval
from qanat.core.measures import Totals
from qanat.core.strata import Method, Strata


class Draws(NamedTuple):
    """What was drawn: arrays of shape (runs, n).

    `place` counts the pairs of `stratum` from 0, the predicted matches first; `weight` is the importance
    weight p / q, fixed when drawn.
    """

    stratum: NDArray[np.intp]
    place: Integers
    prediction: NDArray[np.bool_]
    weight: Floats

    def part(self, columns: slice) -> Draws:
        """Return the draws of these columns only, to tell them apart from the others."""
        return Draws(
            self.stratum[:, columns],
            self.place[:, columns],
            self.prediction[:, columns],
            self.weight[:, columns],
        )


def joined(parts: Sequence[Draws]) -> Draws:
    """Return the draws of all parts, one after the other."""
    if len(parts) == 1:
        return parts[0]
    return Draws(
        stratum=np.concatenate([part.stratum for part in parts], axis=1),
        place=np.concatenate([part.place for part in parts], axis=1),
        prediction=np.concatenate([part.prediction for part in parts], axis=1),
        weight=np.concatenate([part.weight for part in parts], axis=1),
    )


class Estimate(NamedTuple):
    """What the labels say, shape (runs,); NaN where it is not defined.

    `value` is F_alpha for the alpha asked for; the totals are estimated counts in the pool.
    """

    value: Floats
    precision: Floats
    recall: Floats
    totals: Totals


class Config(Protocol):
    """The settings that every method has."""

    @property
    def stratification(self) -> Method:
        """How its strata are cut."""

    @property
    def guess(self) -> Guess:
        """How scores become a guess of the match rate."""

    @property
    def keeps_interval(self) -> bool:
        """Whether to keep what an interval needs beside the estimate, which costs time."""


class State(Protocol):
    """What the next step needs; the state of every method has at least these."""

    @property
    def strata(self) -> Strata:
        """The stratum table."""

    @property
    def alpha(self) -> float:
        """The weight of precision in the target."""

    @property
    def stream(self) -> Stream:
        """The chance still to come."""


C = TypeVar("C", bound=Config)
S = TypeVar("S", bound=State)


class Sampler(Protocol[C, S]):
    """The four verbs, and `select` for simulations; a module with these names is a sampler."""

    @property
    def Config(self) -> type[C]:  # noqa: N802
        """The class of its settings; made without arguments, it holds the defaults."""

    @property
    def IS_PREFIX(self) -> bool:  # noqa: N802
        """Whether places are taken from 0 on, without replacement, the pairs of a cell being shuffled."""

    @property
    def INTERVALS(self) -> tuple[str, ...]:  # noqa: N802
        """The kinds of interval it has, the default first."""

    def init(self, strata: Strata, *, alpha: float, config: C, stream: Stream) -> S:
        """Return the state before the first draw."""

    def ask(self, state: S, n: int) -> tuple[S, Draws]:
        """Return the state after `n` more draws of every run, and the draws."""

    def tell(self, state: S, draws: Draws, labels: NDArray[np.bool_]) -> S:
        """Return the state that knows the labels of these draws."""

    def estimate(self, state: S) -> Estimate:
        """Return what the labels told so far say."""

    def interval(self, state: S, kind: str, level: float) -> Interval:
        """Return the interval of the target, precision and recall, shape (3, runs); never NaN."""

    def select(self, state: S, rows: NDArray[np.intp]) -> S:
        """Return the state of the runs at `rows` only."""


def estimate_of(totals: Totals, alpha: float) -> Estimate:
    """Return the estimate that estimated counts make."""
    return Estimate(
        value=measures.f_measure(totals, alpha),
        precision=measures.f_measure(totals, measures.PRECISION),
        recall=measures.f_measure(totals, measures.RECALL),
        totals=totals,
    )


def alphas(target: float) -> tuple[float, float, float]:
    """Return the measures that every interval is of: the target, precision and recall."""
    return (target, measures.PRECISION, measures.RECALL)


def delta_of(
    estimate: Estimate, variances: Sequence[Floats], draws: Sequence[Floats], level: float
) -> Interval:
    """Return the delta intervals of the target, precision and recall, of each the draws that tell of it."""
    return intervals.delta(np.stack(estimate[:3]), np.stack(variances), np.stack(draws), level)


def weighted_delta(sums: Sums, estimate: Estimate, target: float, level: float) -> Interval:
    """Return the delta intervals of weighted sums."""
    variances, draws = (
        [of(sums, alpha) for alpha in alphas(target)]
        for of in (estimators.weighted_variance, estimators.informative)
    )
    return delta_of(estimate, variances, draws, level)


def place_in(strata: Strata, stratum: NDArray[np.intp], u: Floats) -> tuple[Integers, NDArray[np.bool_]]:
    """Return a place in each stratum, every pair equally likely, and the prediction of the pair there."""
    place = pick_uniform(strata.size[stratum], u)
    return place, place < strata.predicted[stratum]
