"""Stratified: strata drawn in proportion to their size, counts estimated stratum by stratum.

Druck and McCallum (2011), as the paper's baseline uses it: neither biased nor adaptive. As in the released
code, the first draws go round the strata so that each has a rate; docs/adr/0006.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core import chance, estimators
from qanat.core.arrays import Floats
from qanat.core.estimators import Tallies
from qanat.core.guess import Guess
from qanat.core.intervals import Interval
from qanat.core.strata import Method, Strata
from qanat.samplers.base import Draws, Estimate, alphas, delta_of, estimate_of, place_in

IS_PREFIX = False
INTERVALS = ("delta",)


class Config(NamedTuple):
    """How many draws each stratum gets before the proportional ones begin."""

    stratification: Method = "csf"
    guess: Guess = "scaled"
    first_round: int = 2
    keeps_interval: bool = False


class State(NamedTuple):
    """The draws so far, counted by stratum."""

    strata: Strata
    alpha: float
    stream: chance.Stream
    first_round: int
    cumulative: Floats
    tallies: Tallies


def init(strata: Strata, *, alpha: float, config: Config, stream: chance.Stream) -> State:
    """Return the state before the first draw."""
    tallies = estimators.no_tallies(len(stream.runs), len(strata.size))
    cumulative = np.cumsum(strata.size, dtype=np.float64)
    return State(strata, alpha, stream, config.first_round, cumulative, tallies)


def ask(state: State, n: int) -> tuple[State, Draws]:
    """Return the state after `n` more draws, and the draws."""
    number = np.arange(state.stream.next, state.stream.next + n)
    stream, u = chance.take(state.stream, n)
    strata = len(state.strata.size)
    in_turn = number < state.first_round * strata
    stratum = np.where(in_turn, number // max(state.first_round, 1), chance.pick(state.cumulative, u[..., 0]))
    place, prediction = place_in(state.strata, stratum, u[..., 1])
    return state._replace(stream=stream), Draws(stratum, place, prediction, np.ones(place.shape))


def tell(state: State, draws: Draws, labels: NDArray[np.bool_]) -> State:
    """Return the state that knows the labels of these draws."""
    tallies = estimators.count(state.tallies, draws.stratum, draws.prediction, labels)
    return state._replace(tallies=tallies)


def estimate(state: State) -> Estimate:
    """Return F of the counts estimated stratum by stratum; undefined while a stratum has no label."""
    return estimate_of(estimators.stratified_totals(state.tallies, state.strata.size), state.alpha)


def interval(state: State, kind: str, level: float) -> Interval:
    """Return the delta interval of the target, precision and recall; `kind` can be no other."""
    del kind
    size, tallies = state.strata.size, state.tallies
    variances = [estimators.stratified_variance(tallies, size, alpha) for alpha in alphas(state.alpha)]
    draws = [estimators.stratified_informative(tallies, alpha) for alpha in alphas(state.alpha)]
    return delta_of(estimate(state), variances, draws, level)


def select(state: State, rows: NDArray[np.intp]) -> State:
    """Return the state of the runs at `rows` only."""
    return state._replace(
        stream=chance.select(state.stream, rows),
        tallies=Tallies(*(tally[rows] for tally in state.tallies)),
    )
