"""How many labels a half-width will need: the work that is left, done on imagined pools.

The truth is imagined from what is believed now, before the first label or after some; each imagined pool is
labelled to the end of the budget, and where its interval first is narrow enough is one forecast.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from qanat.answers import Urns
from qanat.core import chance, imagined
from qanat.core.arrays import Floats, Integers
from qanat.design import INTERVAL_FROM, check_at_least, check_share, design, shared_level
from qanat.errors import BadInput, BadSetting
from qanat.evaluation import replayed
from qanat.pool.base import Pool, checked_zeros_and_ones
from qanat.pool.columns import IDS
from qanat.pool.on_duckdb import read_columns, read_texts
from qanat.pool.order import Pair
from qanat.samplers import adaptive
from qanat.simulation import Progress, part_of

# The forecast's own randomness, apart from that of the evaluation it forecasts.
IMAGINED = 2**34
RUNS = 40
# Looks at distances of about a tenth.
GROWTH = 1.1


def read_answers(path: str | Path) -> dict[Any, object]:
    """Return the answers in a file: the pairs, and label, 0, 1, or empty: unsure.

    A pair is left_id and right_id, or pair, the row in a pool without ids, from 0.
    """
    has_ids = "left_id" in read_texts(Path(path), "answers")
    numbers = read_columns(Path(path), ["label"] if has_ids else ["pair", "label"], IDS[0] if has_ids else ())
    labels = numbers["label"]
    is_unsure = np.isnan(labels)
    checked = checked_zeros_and_ones(np.where(is_unsure, 0.0, labels), "label", len(labels))
    answers = np.where(is_unsure, "unsure", checked.astype(object))
    pairs = list(map(Pair, *(numbers[name] for name in IDS[0]))) if has_ids else _rows(numbers["pair"], path)
    if len(set(pairs)) < len(pairs):
        raise BadInput(f"{path} answers a pair twice: expected each once. Keep the answer that holds.")
    return dict(zip(pairs, answers, strict=True))


def _rows(pairs: Floats, path: str | Path) -> list[int]:
    wrong = ~((pairs >= 0) & (pairs == np.floor(pairs)) & np.isfinite(pairs))
    if wrong.any() or len(np.unique(pairs)) < len(pairs):
        raise BadInput(
            f"Column 'pair' of {path} holds no distinct rows of a pool: expected 0, 1, 2, ... once each."
        )
    return [int(pair) for pair in pairs]


class Plan(NamedTuple):
    """A forecast of the labels, those already given included, for an interval of the half-width.

    `low` and `high` hold four forecasts of five; None means more than the budget.
    """

    half_width: float
    level: float
    budget: int
    given: int
    labels: int | None
    low: int | None
    high: int | None
    reached: float


def plan(
    pool: Pool,
    *,
    half_width: float,
    target: str = "f1",
    level: float = 0.95,
    budget: int = 5000,
    seed: int = 0,
    strata: int = 30,
    config: Any = None,
    answers: dict[Any, object] | None = None,
    runs: int = RUNS,
    progress: Progress | None = None,
) -> Plan:
    """Return how many labels an envelope of this half-width will need, with a range.

    `answers` are those given so far in an evaluation with the same seed and settings, by pair; without them
    the forecast is that before the first label. The budget is cut to the pool. It is for an interval that is
    looked at once; where several looks are declared, ask for the level that each of them gets.
    """
    check_share(half_width, "half-width")
    check_share(level, "level")
    check_at_least(1, runs=runs, budget=budget)
    answers = answers or {}
    shared_level("envelope", level, 1)
    budget, first = min(budget, len(pool)), INTERVAL_FROM["envelope"]
    if budget < min(first, len(pool)):
        raise BadSetting(f"The budget is {budget} labels, but an interval is shown from {first} on: raise it.")
    if len(answers) > budget:
        raise BadSetting(f"There are {len(answers)} answers for a budget of {budget} labels: raise the budget.")
    settled = design(
        pool, sampler="adaptive", target=target, budget=budget, strata=strata, seed=seed, config=config
    )
    state = replayed(settled, seed, answers).state
    needed = _needed(_imagined(state, seed, runs), half_width, level, budget, part_of(progress, 0.0, 1.0))
    ranked = np.sort(needed)
    at = {share: ranked[min(int(share * runs), runs - 1)] for share in (0.1, 0.5, 0.9)}
    low, labels, high = (None if np.isinf(n) else int(n) for n in at.values())
    reached = float(np.isfinite(needed).mean())
    return Plan(half_width, level, budget, len(answers), labels, low, high, reached)


class _Imagined(NamedTuple):
    """As many copies of a state as runs, and the pairs and matches still in the urns of each."""

    state: adaptive.State
    urns: Urns


def _imagined(state: adaptive.State, seed: int, runs: int) -> _Imagined:
    """Return copies of the state, each with a truth drawn from its belief."""
    state = adaptive.learned(state)
    drawn = imagined.together(adaptive.known(state), adaptive.believed(state)[0])[0]
    matches: Integers = drawn[(np.arange(runs) * len(drawn)) // runs].astype(np.int64)
    copies = adaptive.select(state, np.zeros(runs, dtype=np.intp))
    copies = copies._replace(stream=chance.stream(seed, np.arange(runs) + IMAGINED), planned=0)
    return _Imagined(copies, Urns(copies, matches, copies.strata.size - copies.asked))


def _needed(imagined: _Imagined, half_width: float, level: float, budget: int, progress: Progress) -> Floats:
    """Return the labels at which each interval first is narrow enough, infinite beyond the budget."""
    state, urns = imagined
    given = int(state.asked[0].sum())
    needed = np.full(len(state.asked), np.inf)
    running = np.arange(len(needed))
    for look in _looks(given, budget):
        while int(state.asked[0].sum()) < look:
            state, draws = adaptive.ask(state, 1)
            state = adaptive.tell(state, draws, urns.answer(running, draws)[0][:, None])
        ends = adaptive.interval(state, "envelope", level)
        is_wide = (ends.high[0] - ends.low[0]) / 2 > half_width
        needed[running[~is_wide]] = look
        state, running = adaptive.select(state, np.flatnonzero(is_wide)), running[is_wide]
        progress(1 - len(running) / len(needed) * (budget - look) / max(budget - given, 1))
        if len(running) == 0:
            break
    return needed


def _looks(given: int, budget: int) -> list[int]:
    """Return growing numbers of labels, from where intervals are shown to the budget."""
    looks, at = [], float(max(INTERVAL_FROM["envelope"], given))
    while at < budget:
        looks.append(int(at))
        at *= GROWTH
    return [*looks, budget]
