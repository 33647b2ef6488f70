"""One evaluation with somebody, or something, that answers: the paper's algorithm 3 with its oracle."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from qanat.design import DRAWS_PER_LABEL, design
from qanat.errors import BadLabel
from qanat.pool.in_memory import InMemoryPool


class Evaluation(NamedTuple):
    """What the labels say; NaN where they do not define it.

    `value` estimates the target; `labels` pairs were asked about in `draws` draws.
    """

    value: float
    precision: float
    recall: float
    labels: int
    draws: int


def evaluate(
    pool: InMemoryPool,
    oracle: Callable[[int], object],
    *,
    sampler: str = "oasis",
    target: str = "f1",
    budget: int = 300,
    seed: int = 0,
    strata: int = 30,
    config: Any = None,
) -> Evaluation:
    """Return the estimate after asking `oracle(pair)` about `budget` pairs, each once.

    `pair` is the row in the pool, from 0; the answer is True, False, 1 or 0. With replacement, a method may
    settle on few pairs: after a thousand draws a label the evaluation ends with the labels it has.

    >>> from qanat import open_pool
    >>> truth = [1, 1, 0, 0, 0, 0]
    >>> pool = open_pool({"score": [0.9, 0.7, 0.6, 0.2, 0.1, 0.0]}, threshold=0.65)
    >>> result = evaluate(pool, lambda pair: truth[pair], budget=6, strata=2)
    >>> result.value, result.labels
    (1.0, 6)
    """
    plan = design(pool, sampler=sampler, target=target, budget=budget, strata=strata, seed=seed, config=config)
    state = plan.init(seed, np.zeros(1, dtype=np.int64))
    start, order = state.strata.start, plan.shuffled(seed)
    answers: dict[int, bool] = {}
    draws_made = 0
    while len(answers) < budget and draws_made < DRAWS_PER_LABEL * budget:
        state, draws = plan.method.ask(state, 1)
        pair = int(order[start[draws.stratum[0, 0]] + draws.place[0, 0]])
        if pair not in answers:
            answers[pair] = checked_label(oracle(pair), pair)
        state = plan.method.tell(state, draws, np.array([[answers[pair]]]))
        draws_made += 1
    estimate = plan.method.estimate(state)
    return Evaluation(
        value=float(estimate.value[0]),
        precision=float(estimate.precision[0]),
        recall=float(estimate.recall[0]),
        labels=len(answers),
        draws=draws_made,
    )


def checked_label(answer: object, pair: int) -> bool:
    """Return the answer for a pair as a truth value, or refuse it."""
    if isinstance(answer, np.bool_ | numbers.Real) and answer in (0, 1):
        return bool(answer)
    shown = " ".join(repr(answer).split())
    raise BadLabel(
        f"The answer for pair {pair} is {shown}: expected True (a match) or False. "
        "Answer every pair that is asked."
    )
