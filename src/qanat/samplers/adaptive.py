"""Adaptive: labels without replacement where they tell most about the target.

Cells are strata equal in log rank, crossed with the prediction. A smooth model of the match rate over log rank
says where labels help (qanat.core.smooth, qanat.core.allocation), and the estimate is the median of what it
believes of the pairs without a label. The pairs of a cell are taken in the order of their places, which
whoever holds the pool has shuffled: what is labelled is always a prefix of each cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core import allocation, betting, chance, doubt, measures, priors
from qanat.core import envelope as envelope_
from qanat.core import strata as stratification_
from qanat.core.arrays import Floats, Integers
from qanat.core.betting import Bets, Pending, Table
from qanat.core.doubt import Beliefs
from qanat.core.envelope import Envelope
from qanat.core.guess import Guess
from qanat.core.imagined import Labelled
from qanat.core.intervals import Interval
from qanat.core.measures import Totals
from qanat.core.priors import Shape
from qanat.core.smooth import Posterior, odds_to_rate
from qanat.core.strata import Method, Strata
from qanat.errors import BadSetting
from qanat.samplers.base import Draws, Estimate, alphas, joined

# Cells are taken as prefixes: a place is the number of the pair in the order of the cell, not in the pool.
IS_PREFIX = True
INTERVALS = ("envelope", "anytime")

# The longest of the first plans.
FIRST_BATCH = 25
# Doubted scores tell little of where matches are: more labels explore.
DOUBTFUL_EPSILON = 0.3


class Config(NamedTuple):
    """How many labels are planned at a time, and the share of them that explore.

    `focus` names other measures to learn of, as pairs of alpha and weight; without it labels serve the
    target alone. `keeps_interval` keeps the anytime interval too, which costs time.
    """

    stratification: Method = "log-rank"
    guess: Guess = "scaled"
    batch: int = 10
    epsilon: float = 0.05
    focus: tuple[tuple[float, float], ...] = ()
    keeps_interval: bool = False
    shape: Shape = Shape()


class State(NamedTuple):
    """Labels of each cell, asked, told and lost (runs, K), the beliefs that they make, and the plan.

    `shares` (runs, K) say how the next `planned` draws fall on the cells.
    """

    strata: Strata
    alpha: float
    stream: chance.Stream
    config: Config
    asked: Integers
    labels: Integers
    matches: Integers
    lost: Integers
    beliefs: Beliefs
    shares: Floats
    planned: int
    bets: Bets | None
    pending: tuple[Pending, ...]

    @property
    def is_predicted(self) -> NDArray[np.bool_]:
        """Which cells hold predicted matches."""
        return self.strata.predicted > 0

    @property
    def measures(self) -> tuple[float, ...]:
        """The target, precision and recall, as alphas."""
        return alphas(self.alpha)


def init(strata: Strata, *, alpha: float, config: Config, stream: chance.Stream) -> State:
    """Return the state before the first draw."""
    depth = priors.depth(strata)
    cells = stratification_.crossed(strata)
    deep = stratification_.crossed(strata._replace(evidence=depth * strata.size)).evidence / cells.size
    if config.guess == "probability":
        trust = priors.calibrated(cells.evidence / cells.size, cells.size, deep, config.shape)
    else:
        trust = priors.trusting(deep, cells.predicted > 0, config.shape)
    runs = len(stream.runs)
    nothing = np.zeros((runs, len(cells.size)), dtype=np.int64)
    state = State(
        strata=cells,
        alpha=alpha,
        stream=stream,
        config=config,
        asked=nothing,
        labels=nothing,
        matches=nothing,
        lost=nothing,
        beliefs=doubt.before(trust, priors.doubtful(cells, deep), runs),
        shares=np.zeros(nothing.shape),
        planned=0,
        bets=None,
        pending=(),
    )
    return state._replace(bets=betting.no_bets(_table(state), runs)) if config.keeps_interval else state


def ask(state: State, n: int) -> tuple[State, Draws]:
    """Return the state after `n` more draws, and the draws; a plan used up is renewed."""
    parts: list[Draws] = []
    for _ in range(n):
        if (state.asked[:1] == state.strata.size).all():
            raise BadSetting("Every pair of the pool has been drawn: there is nothing left to ask for.")
        if state.planned == 0:
            state = planned(state)
        state, part = _drawn(state)
        parts.append(part)
    return state, joined(parts)


def planned(state: State) -> State:
    """Return the state with a plan for the next batch, from all labels told so far."""
    left = (state.strata.size - state.asked).astype(np.float64)
    state = learned(state)
    posterior, is_doubted = believed(state)
    totals = _expected(state, posterior.match_rate)
    pending = state.asked - state.labels - state.lost
    posterior = doubt.anticipated(state.beliefs, posterior, is_doubted, pending)
    gains = np.zeros(left.shape)
    for alpha, weight in state.config.focus or ((state.alpha, 1.0),):
        c = allocation.coefficients(totals, alpha, state.is_predicted)
        gains += weight * allocation.gain(posterior, np.nan_to_num(c), left)
    epsilon = np.where(is_doubted, max(DOUBTFUL_EPSILON, state.config.epsilon), state.config.epsilon)
    shares = allocation.shares(gains, left, state.asked, epsilon[:, None])
    # The first plans know little, so they are short: no longer than a quarter of the labels asked for.
    most = max(FIRST_BATCH, int(state.asked[0].sum()) // 4)
    return state._replace(shares=shares, planned=min(state.config.batch, most))


def learned(state: State) -> State:
    """Return the state whose beliefs know all labels told."""
    return state._replace(beliefs=doubt.learned(state.beliefs, state.matches, state.labels))


def believed(state: State) -> tuple[Posterior, NDArray[np.bool_]]:
    """Return the belief of each run, and in which runs the labels contradict the scores (runs,)."""
    return doubt.held(state.beliefs, state.matches, state.labels)


def tell(state: State, draws: Draws, labels: NDArray[np.bool_]) -> State:
    """Return the state that knows the labels of these draws."""
    rows = np.arange(len(labels))[:, None]
    told, matches = state.labels.copy(), state.matches.copy()
    np.add.at(told, (rows, draws.stratum), 1)
    np.add.at(matches, (rows, draws.stratum), labels)
    return _betted(state._replace(labels=told, matches=matches), draws, labels)


def lose(state: State, draws: Draws) -> State:
    """Return the state that knows that these draws will have no label, or an unsure one."""
    rows = np.arange(len(draws.stratum))[:, None]
    lost = state.lost.copy()
    np.add.at(lost, (rows, draws.stratum), 1)
    # Bets go on as if they were no matches; `anytime` makes up for it.
    return _betted(state._replace(lost=lost), draws, np.zeros(draws.stratum.shape, dtype=bool))


def estimate(state: State) -> Estimate:
    """Return the median of what is believed of each measure; undefined before the first label."""
    return _estimated(state._replace(lost=np.zeros_like(state.lost)), np.zeros_like(state.lost))


def bounds(state: State) -> tuple[Estimate, Estimate]:
    """Return the estimate if no lost label were a match, and if all were."""
    nothing = np.zeros_like(state.lost)
    return _estimated(state, nothing), _estimated(state, state.lost)


def envelope(state: State, level: float) -> Envelope:
    """Return the envelope of the target, precision and recall, lost labels being as bad or as good as can be.

    The worst is that none is a match of those predicted and all are of the others; the best is the reverse.
    """
    state = learned(state)
    belief = believed(state)[0]
    if not state.lost.any():
        return envelope_.envelope(known(state, state.lost), belief, state.measures, level)
    worst, best = (
        envelope_.envelope(known(state, state.lost * cells), belief, state.measures, level)
        for cells in (~state.is_predicted, state.is_predicted)
    )
    low = np.minimum(worst.interval.low, best.interval.low)
    return worst._replace(interval=Interval(low, np.maximum(worst.interval.high, best.interval.high)))


def known(state: State, assumed: Integers | None = None) -> Labelled:
    """Return what is known of the cells, `assumed` of the lost labels being matches (none unless said)."""
    taken = np.zeros_like(state.lost) if assumed is None else assumed
    return Labelled(state.strata.size, state.is_predicted, state.labels, state.matches, state.lost, taken)


def anytime(state: State, level: float) -> Interval:
    """Return what the bets leave of each measure (T, runs); needs `keeps_interval`."""
    if state.bets is None:
        raise BadSetting("The anytime interval was not kept: set keeps_interval in the config.")
    found = betting.interval(state.bets, level)
    # Betted on was the pool in which no lost pair is a match; the least denominator moves most if one is.
    alpha = np.array(state.measures)[:, None]
    base = alpha * state.strata.predicted.sum() + (1 - alpha) * state.matches.sum(axis=1)
    lost, called = state.lost.sum(axis=1), (state.lost * state.is_predicted).sum(axis=1)
    low = measures.ratio(found.low * base, base + (1 - alpha) * lost)
    high = measures.ratio(found.high * base + called, base + (1 - alpha) * called)
    # Without any match known, the least denominator is zero: nothing is left out.
    low, high = np.nan_to_num(low), np.minimum(np.nan_to_num(high, nan=1.0), 1.0)
    return Interval(np.where(lost > 0, low, found.low), np.where(lost > 0, high, found.high))


def interval(state: State, kind: str, level: float) -> Interval:
    """Return the interval of the target, precision and recall, shape (3, runs); exact when all are labelled."""
    found = anytime(state, level) if kind == "anytime" else envelope(state, level).interval
    is_complete = (state.labels == state.strata.size).all(axis=1)
    if not is_complete.any():
        return found
    exact = np.stack(estimate(state)[:3])
    is_known = is_complete & ~np.isnan(exact)
    return Interval(np.where(is_known, exact, found.low), np.where(is_known, exact, found.high))


def select(state: State, rows: NDArray[np.intp]) -> State:
    """Return the state of the runs at `rows` only."""
    return state._replace(
        stream=chance.select(state.stream, rows),
        asked=state.asked[rows],
        labels=state.labels[rows],
        matches=state.matches[rows],
        lost=state.lost[rows],
        beliefs=doubt.select(state.beliefs, rows),
        shares=state.shares[rows],
        bets=None if state.bets is None else betting.select(state.bets, rows),
        pending=betting.select_pending(state.pending, rows),
    )


def _drawn(state: State) -> tuple[State, Draws]:
    """Return the state after one draw of its plan, and the draw."""
    stream, u = chance.take(state.stream, 1)
    left = state.strata.size - state.asked
    chances = allocation.chances(state.shares, left)
    cell, rows = allocation.draw(chances, u[:, 0, 0]), np.arange(len(left))
    asked, place = state.asked.copy(), state.asked[rows, cell]
    asked[rows, cell] += 1
    weight = left[rows, cell] / (state.strata.size.sum() * chances[rows, cell])
    draw = Draws(cell[:, None], place[:, None], state.is_predicted[cell][:, None], weight[:, None])
    state = state._replace(stream=stream, asked=asked, planned=state.planned - 1)
    if state.bets is None:
        return state, draw
    return state._replace(pending=(*state.pending, Pending(cell, place, chances))), draw


def _betted(state: State, draws: Draws, labels: NDArray[np.bool_]) -> State:
    """Return the state that has betted on these labels, as far as the draws before them have theirs."""
    if state.bets is None:
        return state
    pending = state.pending
    for cell, place, label in zip(draws.stratum.T, draws.place.T, labels.T, strict=True):
        pending = betting.note(pending, cell, place, label)
    bets, pending = betting.settle(state.bets, _table(state), pending)
    return state._replace(bets=bets, pending=pending)


def _table(state: State) -> Table:
    guess = odds_to_rate(state.beliefs.trust.mean)
    return Table(state.strata.size, state.is_predicted, guess, state.measures)


def _estimated(state: State, assumed: Integers) -> Estimate:
    """Return the estimate if so many of the lost labels of each cell are matches and no others."""
    state = learned(state)
    value, totals = envelope_.medians(known(state, assumed), believed(state)[0], state.measures)
    has_labels = state.labels.any(axis=1)
    value = np.where(has_labels, value, np.nan)
    totals = Totals(*(np.where(has_labels, total, np.nan) for total in totals))
    return Estimate(value[0], value[1], value[2], totals)


def _expected(state: State, match_rate: Floats) -> Totals:
    """Return the counts in the pool that are expected."""
    found = state.matches + (state.strata.size - state.labels) * match_rate
    predicted = np.full(len(found), float(state.strata.predicted.sum()))
    return Totals((found * state.is_predicted).sum(axis=1), predicted, found.sum(axis=1))
