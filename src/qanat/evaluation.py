"""One evaluation with somebody, or something, that answers: the paper's algorithm 3 with its oracle."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from qanat.core.imagined import SCATTER
from qanat.core.intervals import Interval
from qanat.design import (
    DRAWS_PER_LABEL,
    INTERVAL_FROM,
    LOOKS,
    Design,
    check_share,
    checked_looks,
    design,
    shared_level,
)
from qanat.errors import BadLabel, BadSetting
from qanat.pool.base import Pool
from qanat.pool.order import Pair
from qanat.samplers import adaptive
from qanat.samplers.base import joined

Oracle = Callable[[Any], object]
ASSUMPTIONS = {
    "envelope": "matches follow the scores smoothly, but for about 5 % of them, at most about {most:.0f} %",
    "anytime": "none",
    "delta": "so many labels that the estimate is nearly normal",
}


class Estimated(NamedTuple):
    """A measure: NaN where labels do not define it, its ends None while no interval is shown."""

    value: float
    low: float | None
    high: float | None

    @property
    def half_width(self) -> float:
        """Half the width of the interval, infinite while none is shown."""
        return math.inf if self.low is None or self.high is None else (self.high - self.low) / 2


class Evaluation(NamedTuple):
    """What the labels say.

    `value` estimates the target, from `low` to `high`; precision and recall are told whatever the target, and
    recall is a share of the matches in the `scope`.
    `labels` pairs were answered in `draws` draws, `unsure` ones without saying yes or no. The intervals hold
    at `level`, that of one look where several were declared, if the `assumption` does; `assumption_share` is
    the part of the target's width that comes from where no match was seen, `certification` the labels there
    that would replace the assumption, and `most` the upper end without any. `if_none` and `if_all` are the
    value if no unsure pair matches, and if all do. `doubts_scores` says that the labels contradict the scores.
    """

    value: float
    low: float | None
    high: float | None
    precision: Estimated
    recall: Estimated
    labels: int
    draws: int
    unsure: int
    interval: str
    level: float
    assumption: str
    assumption_share: float | None
    certification: int | None
    most: float | None
    if_none: float
    if_all: float
    doubts_scores: bool
    scope: str

    @property
    def half_width(self) -> float:
        """Half the width of the interval of the target, infinite while none is shown."""
        return Estimated(self.value, self.low, self.high).half_width


def evaluate(
    pool: Pool,
    oracle: Oracle,
    *,
    sampler: str = "adaptive",
    target: str = "f1",
    budget: int = 300,
    seed: int = 0,
    strata: int = 30,
    config: Any = None,
    interval: str | None = None,
    level: float = 0.95,
    half_width: float | None = None,
    looks: Sequence[int] = LOOKS,
) -> Evaluation:
    """Return the estimate after asking `oracle(pair)` about `budget` pairs, each once.

    `pair` has the ids of its records, `pair.left` and `pair.right`; in a pool without ids it is the row, from
    0. The answer is True, False, 1, 0, or "unsure". With a `half_width` it ends at the first of the `looks`
    (numbers of answers, declared beforehand, and the budget) at which the interval is that narrow; they share
    the error among them, so that the interval at the end still holds at `level`. With replacement, a method
    may settle on few pairs: after a thousand draws a label it ends with what it has.

    >>> from qanat import open_pool
    >>> truth = [1, 1, 0, 0, 0, 0]
    >>> pool = open_pool({"score": [0.9, 0.7, 0.6, 0.2, 0.1, 0.0]}, threshold=0.65)
    >>> result = evaluate(pool, lambda pair: truth[pair], budget=6, strata=2)
    >>> result.value, result.labels
    (1.0, 6)
    """
    plan = design(pool, sampler=sampler, target=target, budget=budget, strata=strata, seed=seed, config=config)
    kind = plan.default_interval if interval is None else interval
    plan.check_interval(kind)
    check_share(level, "level")
    planned = [budget]
    if half_width is not None:
        check_share(half_width, "half-width")
        planned = checked_looks(looks, budget, INTERVAL_FROM[kind])
    level = shared_level(kind, level, len(planned))
    session = Session(plan.keeping("anytime"), seed)
    for goal in planned:
        session.ask(oracle, goal)
        if half_width is not None and summary(session, kind, level).half_width <= half_width:
            break
    return summary(session, kind, level)


class Session:
    """An evaluation under way: the state, and the answers so far by pair.

    It owns what a study will keep on disk; everything else is a function of its state.
    """

    def __init__(self, plan: Design, seed: int) -> None:
        """Begin before the first draw."""
        self.plan = plan
        self.state = plan.init(seed, np.zeros(1, dtype=np.int64))
        self.answers: dict[Pair | int, bool | None] = {}
        self.draws = 0
        self._deck = plan.deck(seed)

    @property
    def has_ids(self) -> bool:
        """Whether pairs are known by the ids of their records."""
        return getattr(self.plan.pool, "ids", True) is not None

    @property
    def labels(self) -> int:
        """The pairs answered with yes or no."""
        return sum(answer is not None for answer in self.answers.values())

    def ask(self, oracle: Oracle, budget: int) -> None:
        """Ask about pairs until `budget` have an answer, whatever it is."""
        most = self.draws + DRAWS_PER_LABEL * budget
        while len(self.answers) < budget and self.draws < most:
            self._step(oracle)

    def _step(self, oracle: Oracle) -> None:
        """Draw once, ask if the pair is new, and tell."""
        state, draw = self.plan.method.ask(self.state, 1)
        pair = self._deck.pair(int(state.strata.start[draw.stratum[0, 0]] + draw.place[0, 0]))
        if pair not in self.answers:
            # An oracle that gives up leaves the session as it was.
            self.answers[pair] = checked_label(oracle(pair), pair)
        answer = self.answers[pair]
        self.draws += 1
        if answer is None:
            self.state = self.plan.without(state, joined([draw]))
        else:
            self.state = self.plan.method.tell(state, draw, np.array([[answer]]))


def summary(session: Session, kind: str, level: float) -> Evaluation:
    """Return what the answers of a session say."""
    plan, state = session.plan, session.state
    estimate = plan.method.estimate(state)
    is_shown = len(session.answers) >= INTERVAL_FROM[kind] or session.labels == int(state.strata.size.sum())
    ends = plan.method.interval(state, kind, level) if is_shown else None
    target, precision, recall = (_estimated(float(estimate[row][0]), ends, row) for row in range(3))
    result = Evaluation(
        value=target.value,
        low=target.low,
        high=target.high,
        precision=precision,
        recall=recall,
        labels=session.labels,
        draws=session.draws,
        unsure=len(session.answers) - session.labels,
        interval=kind,
        level=level,
        # What follows no score is exponential before any label.
        assumption=ASSUMPTIONS[kind].format(most=-100 * SCATTER * math.log((1 - level) / 2)),
        assumption_share=None,
        certification=None,
        most=None,
        if_none=target.value,
        if_all=target.value,
        doubts_scores=False,
        scope=plan.pool.scope,
    )
    return _explained(result, state, level) if plan.method is adaptive else result


def _estimated(value: float, ends: Interval | None, row: int) -> Estimated:
    if ends is None:
        return Estimated(value, None, None)
    return Estimated(value, float(ends.low[row, 0]), float(ends.high[row, 0]))


def _explained(result: Evaluation, state: Any, level: float) -> Evaluation:
    """Return the evaluation with what its ends rest on."""
    none, every = adaptive.bounds(state)
    shown = result.low is not None and result.interval == "envelope"
    envelope = adaptive.envelope(state, level) if shown else None
    return result._replace(
        assumption_share=None if envelope is None else float(envelope.assumption_share[0]),
        certification=None if envelope is None else int(envelope.certification[0]),
        most=float(adaptive.anytime(state, level).high[0, 0]) if result.labels else None,
        if_none=float(none.value[0]),
        if_all=float(every.value[0]),
        doubts_scores=bool(adaptive.believed(adaptive.learned(state))[1][0]),
    )


def checked_label(answer: object, pair: Pair | int) -> bool | None:
    """Return the answer for a pair as a truth value, None if it is "unsure", or refuse it."""
    if isinstance(answer, str) and answer == "unsure":
        return None
    if isinstance(answer, np.bool_ | numbers.Real) and answer in (0, 1):
        return bool(answer)
    shown = " ".join(repr(answer).split())
    raise BadLabel(
        f"The answer for pair {_named(pair)} is {shown}: expected True (a match), False or 'unsure'. "
        "Answer every pair that is asked."
    )


def _named(pair: Pair | int) -> str:
    return f"{pair.left}, {pair.right}" if isinstance(pair, Pair) else str(pair)


def replayed(plan: Design, seed: int, answers: dict[Any, object]) -> Session:
    """Return the session in which these answers were given, as far as they go.

    Which pairs are asked about is a function of the seed and the answers, so they must be those of such a
    session: answers that no pair asked for are refused.
    """
    session = Session(plan, seed)
    if any(isinstance(pair, Pair) != session.has_ids for pair in answers):
        known = "their ids (left_id, right_id)" if session.has_ids else "their rows (pair)"
        raise BadSetting(
            f"The answers do not name pairs as the pool does: expected {known}. Change the columns."
        )

    class NoAnswerError(Exception):
        pass

    def oracle(pair: Pair | int) -> object:
        if pair not in answers:
            raise NoAnswerError
        return answers[pair]

    try:
        session.ask(oracle, len(answers))
    except NoAnswerError:
        unasked = sorted(set(answers) - set(session.answers))
        raise BadSetting(
            f"Pair {_named(unasked[0])} has an answer but is not asked about after the others: expected the "
            "answers of one evaluation with the same pool, target, seed and settings."
        ) from None
    return session
