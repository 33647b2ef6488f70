"""Adaptive: labels without replacement where they tell most about the target.

Cells are strata equal in log rank, crossed with the prediction. A smooth model of the match rate over log rank
says where labels help (qanat.core.smooth, qanat.core.allocation); the estimate leans on the labels of each
cell and on the model only as much as one label. The pairs of a cell are taken in the order of their places,
which whoever holds the pool has shuffled: what is labelled is always a prefix of each cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core import allocation, chance, smooth
from qanat.core import strata as stratification_
from qanat.core.arrays import Floats, Integers
from qanat.core.guess import Guess
from qanat.core.measures import Totals
from qanat.core.smooth import Prior, Shape
from qanat.core.strata import Method, Strata
from qanat.errors import BadSetting
from qanat.samplers.base import Draws, Estimate, estimate_of, joined

# Cells are taken as prefixes: a place is the number of the pair in the order of the cell, not in the pool.
IS_PREFIX = True


class Config(NamedTuple):
    """How many labels are planned at a time, how many of them explore, and how much the model weighs.

    The estimate counts the model's rate of a cell as `shrinkage` labels.
    """

    stratification: Method = "log-rank"
    guess: Guess = "scaled"
    batch: int = 10
    epsilon: float = 0.1
    shrinkage: float = 1.0
    shape: Shape = Shape()


class State(NamedTuple):
    """Labels of each cell, asked and told, and the plan of the draws to come (runs, batch)."""

    strata: Strata
    alpha: float
    stream: chance.Stream
    config: Config
    prior: Prior
    asked: Integers
    labels: Integers
    matches: Integers
    mode: Floats
    plan: NDArray[np.intp]


def init(strata: Strata, *, alpha: float, config: Config, stream: chance.Stream) -> State:
    """Return the state before the first draw."""
    depth = smooth.depth(strata)
    cells = stratification_.crossed(strata._replace(evidence=depth * strata.size))
    prior = smooth.prior(cells.evidence / cells.size, (cells.predicted > 0).astype(np.float64), config.shape)
    runs = len(stream.runs)
    nothing = np.zeros((runs, len(cells.size)), dtype=np.int64)
    return State(
        strata=cells,
        alpha=alpha,
        stream=stream,
        config=config,
        prior=prior,
        asked=nothing,
        labels=nothing,
        matches=nothing,
        mode=np.tile(prior.mean, (runs, 1)),
        plan=np.zeros((runs, 0), dtype=np.intp),
    )


def ask(state: State, n: int) -> tuple[State, Draws]:
    """Return the state after the next `n` draws of the plan, and the draws; a plan used up is renewed."""
    parts: list[Draws] = []
    while n > 0:
        if state.plan.shape[1] == 0:
            state = planned(state)
        state, part = _drawn(state, n)
        n -= part.stratum.shape[1]
        parts.append(part)
    return state, joined(parts)


def planned(state: State) -> State:
    """Return the state with a plan for the next batch, from all labels told so far."""
    left = state.strata.size - state.asked
    n = min(state.config.batch, int(left[0].sum()))
    if n == 0:
        raise BadSetting("Every pair of the pool has been drawn: there is nothing left to ask for.")
    posterior = smooth.fit(state.prior, state.matches, state.labels, state.mode)
    c = allocation.coefficients(_totals(state, posterior.match_rate), state.alpha, _is_predicted(state))
    gains = allocation.gain(posterior, c, left.astype(np.float64))
    shares = allocation.shares(gains, left.astype(np.float64), state.asked, state.config.epsilon)
    stream, u = chance.take(state.stream, 1)
    plan = allocation.plan(shares, left, u[:, 0, 0], n)
    return state._replace(stream=stream, mode=posterior.mode, plan=plan)


def tell(state: State, draws: Draws, labels: NDArray[np.bool_]) -> State:
    """Return the state that knows the labels of these draws."""
    rows = np.arange(len(labels))[:, None]
    told, matches = state.labels.copy(), state.matches.copy()
    np.add.at(told, (rows, draws.stratum), 1)
    np.add.at(matches, (rows, draws.stratum), labels)
    return state._replace(labels=told, matches=matches)


def estimate(state: State) -> Estimate:
    """Return F of the counts that labels and, a little, the model make; undefined before the first label."""
    posterior = smooth.fit(state.prior, state.matches, state.labels, state.mode)
    is_known = state.labels.any(axis=1)
    totals = _totals(state, posterior.match_rate)
    return estimate_of(Totals(*(np.where(is_known, total, np.nan) for total in totals)), state.alpha)


def select(state: State, rows: NDArray[np.intp]) -> State:
    """Return the state of the runs at `rows` only."""
    return state._replace(
        stream=chance.select(state.stream, rows),
        asked=state.asked[rows],
        labels=state.labels[rows],
        matches=state.matches[rows],
        mode=state.mode[rows],
        plan=state.plan[rows],
    )


def _drawn(state: State, n: int) -> tuple[State, Draws]:
    """Return the state after at most `n` draws of its plan, and the draws."""
    cells, rows = state.plan[:, :n], np.arange(len(state.plan))
    asked, place = state.asked.copy(), np.empty(cells.shape, dtype=np.int64)
    for i, column in enumerate(cells.T):
        place[:, i] = asked[rows, column]
        asked[rows, column] += 1
    draws = Draws(cells, place, _is_predicted(state)[cells], np.ones(cells.shape))
    return state._replace(asked=asked, plan=state.plan[:, n:]), draws


def _is_predicted(state: State) -> NDArray[np.bool_]:
    return state.strata.predicted > 0


def _totals(state: State, match_rate: Floats) -> Totals:
    """Return the counts in the pool: what labels show, and the rest at the rate of cell and model."""
    weight = state.config.shrinkage
    rate = (state.matches + weight * match_rate) / (state.labels + weight)
    found = state.matches + (state.strata.size - state.labels) * rate
    predicted = np.full(len(found), float(state.strata.predicted.sum()))
    return Totals((found * _is_predicted(state)).sum(axis=1), predicted, found.sum(axis=1))
