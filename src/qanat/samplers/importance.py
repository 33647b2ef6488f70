"""IS: importance sampling from a distribution over pairs that is fixed before the first label.

Sawade and others (2010): the optimal distribution with the unknown match rate of a pair replaced by its
score mapped to (0, 1), and F by the guess that this makes. Pairs of equal score and prediction are equally
likely, so they are one stratum here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core import chance, estimators, proposal
from qanat.core import strata as stratification_
from qanat.core.chance import Guide
from qanat.core.estimators import Sums
from qanat.core.guess import Guess, of_stratum
from qanat.core.intervals import Interval
from qanat.core.strata import Method, Strata
from qanat.samplers.base import Draws, Estimate, estimate_of, weighted_delta

IS_PREFIX = False
INTERVALS = ("delta",)


class Config(NamedTuple):
    """Settings of the paper: epsilon 0.001; scores are scaled unless they are probabilities."""

    stratification: Method = "score"
    guess: Guess = "scaled"
    threshold: float = 0.0
    epsilon: float = 1e-3
    keeps_interval: bool = False


class State(NamedTuple):
    """The fixed distribution, with size, predicted matches and weight p / q as facts, and the sums so far."""

    strata: Strata
    alpha: float
    stream: chance.Stream
    guide: Guide
    sums: Sums


def init(strata: Strata, *, alpha: float, config: Config, stream: chance.Stream) -> State:
    """Return the state before the first draw."""
    strata = stratification_.crossed(strata)
    rate = of_stratum(strata.evidence / strata.size, config.guess, config.threshold)
    f = proposal.f_guess(strata, rate, alpha)[None]
    terms = proposal.terms(proposal.coefficients(strata, alpha, "inside"), rate)
    chosen = proposal.explore(proposal.optimal(terms, f), strata.weight, config.epsilon)[0]
    guide = chance.guide(np.cumsum(chosen), strata.size, strata.predicted, strata.weight / chosen)
    return State(
        strata, alpha, stream, guide, estimators.no_sums(len(stream.runs), has_squares=config.keeps_interval)
    )


def ask(state: State, n: int) -> tuple[State, Draws]:
    """Return the state after `n` more draws, and the draws."""
    stream, u = chance.take(state.stream, n)
    stratum, facts = chance.look_up(state.guide, u[..., 0])
    size, predicted, weight = facts[..., 0], facts[..., 1], facts[..., 2]
    place = chance.pick_uniform(size, u[..., 1])
    return state._replace(stream=stream), Draws(stratum, place, place < predicted, weight)


def tell(state: State, draws: Draws, labels: NDArray[np.bool_]) -> State:
    """Return the state that knows the labels of these draws."""
    return state._replace(sums=estimators.add(state.sums, draws.weight, draws.prediction, labels))


def estimate(state: State) -> Estimate:
    """Return F of the weighted sums."""
    pairs = int(state.strata.size.sum())
    return estimate_of(estimators.weighted_totals(state.sums, pairs), state.alpha)


def interval(state: State, kind: str, level: float) -> Interval:
    """Return the delta interval of the target, precision and recall; `kind` can be no other."""
    del kind
    return weighted_delta(state.sums, estimate(state), state.alpha, level)


def select(state: State, rows: NDArray[np.intp]) -> State:
    """Return the state of the runs at `rows` only."""
    return state._replace(stream=chance.select(state.stream, rows), sums=estimators.select(state.sums, rows))
