"""Passive: every pair equally likely at every draw, with replacement; the estimate is that of the sample."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core import chance, estimators
from qanat.core.arrays import Floats
from qanat.core.estimators import Sums
from qanat.core.guess import Guess
from qanat.core.intervals import Interval
from qanat.core.strata import Method, Strata
from qanat.samplers.base import Draws, Estimate, estimate_of, place_in, weighted_delta

IS_PREFIX = False
INTERVALS = ("delta",)


class Config(NamedTuple):
    """Passive sampling has no settings of its own: it looks at no score."""

    stratification: Method = "none"
    guess: Guess = "scaled"
    keeps_interval: bool = False


class State(NamedTuple):
    """The sums over the draws so far."""

    strata: Strata
    alpha: float
    stream: chance.Stream
    cumulative: Floats
    sums: Sums


def init(strata: Strata, *, alpha: float, config: Config, stream: chance.Stream) -> State:
    """Return the state before the first draw; there is nothing to configure."""
    cumulative = np.cumsum(strata.size, dtype=np.float64)
    return State(
        strata,
        alpha,
        stream,
        cumulative,
        estimators.no_sums(len(stream.runs), has_squares=config.keeps_interval),
    )


def ask(state: State, n: int) -> tuple[State, Draws]:
    """Return the state after `n` more draws, and the draws."""
    stream, u = chance.take(state.stream, n)
    stratum = chance.pick(state.cumulative, u[..., 0])
    place, prediction = place_in(state.strata, stratum, u[..., 1])
    return state._replace(stream=stream), Draws(stratum, place, prediction, np.ones(place.shape))


def tell(state: State, draws: Draws, labels: NDArray[np.bool_]) -> State:
    """Return the state that knows the labels of these draws."""
    return state._replace(sums=estimators.add(state.sums, draws.weight, draws.prediction, labels))


def estimate(state: State) -> Estimate:
    """Return F of the labelled sample."""
    pairs = int(state.strata.size.sum())
    return estimate_of(estimators.weighted_totals(state.sums, pairs), state.alpha)


def interval(state: State, kind: str, level: float) -> Interval:
    """Return the delta interval of the target, precision and recall; `kind` can be no other."""
    del kind
    return weighted_delta(state.sums, estimate(state), state.alpha, level)


def select(state: State, rows: NDArray[np.intp]) -> State:
    """Return the state of the runs at `rows` only."""
    return state._replace(stream=chance.select(state.stream, rows), sums=estimators.select(state.sums, rows))
