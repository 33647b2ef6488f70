"""How well a method would have done: many runs on a pool whose truth is known, all at once.

The label budget counts distinct pairs: a pair drawn again answers from the label it already has. What is
recorded at a checkpoint is the estimate just after that many distinct labels, as in the paper.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.answers import Answers, Book, Urns
from qanat.checkpoints import Checkpoint, Stopping, errors, mean, stopping, with_intervals
from qanat.core import chance, limits, measures
from qanat.core.arrays import Floats, Integers
from qanat.design import (
    DRAWS_PER_LABEL,
    INTERVAL_FROM,
    Design,
    check_at_least,
    check_at_most,
    check_share,
    design,
    shared_level,
)
from qanat.errors import BadInput, BadSetting
from qanat.pool.in_memory import InMemoryPool
from qanat.samplers.base import alphas

CHECKPOINTS = (100, 200, 500, 1000, 2000, 5000)
# Runs at a time: enough to pay for each array operation, as long as the table of pairs seen, a bit a run and
# pair, stays below this many bytes.
BLOCK = 1000
SEEN_BYTES = 2**28
LIMIT_STRATA = 30
# As many tell errors to a thousandth of their spread; the numbers of urns begin far above.
MOST_RUNS = 1_000_000
# Which answers never come is decided by the chance of a run of its own.
LOSSES = 2**33

Progress = Callable[[float], None]


class Simulation(NamedTuple):
    """What a simulation says: `truth` is the value of the target on the whole pool."""

    truth: float
    checkpoints: list[Checkpoint]
    sampler: str
    target: str
    pairs: int
    predicted: int
    matches: int
    strata: int
    budget: int
    runs: int
    seed: int
    iterations_per_run: float
    iterations_per_run_se: float
    cpu_seconds: float
    interval: str | None
    level: float
    stopping: Stopping | None

    def as_dict(self) -> dict[str, Any]:
        """Return it as one object for JSON."""
        return self._asdict() | {
            "checkpoints": [point._asdict() for point in self.checkpoints],
            "stopping": None if self.stopping is None else self.stopping._asdict(),
        }


def simulate(
    pool: InMemoryPool,
    *,
    sampler: str = "adaptive",
    target: str = "f1",
    budget: int = 5000,
    runs: int = 1000,
    seed: int = 0,
    strata: int = 30,
    checkpoints: Sequence[int] | None = None,
    config: Any = None,
    interval: str | None = None,
    level: float = 0.95,
    half_width: float | None = None,
    lost: float = 0.0,
    block: int = BLOCK,
    progress: Progress | None = None,
) -> Simulation:
    """Return the errors of a method over `runs` runs of `budget` labels on a labelled pool.

    `config` holds the method's settings: see `settings`. With an `interval` every checkpoint tells how often
    it holds the truth; with a `half_width` the checkpoints are looks at which a run may stop. A share `lost`
    of the answers never comes. The same seed gives the same numbers for any `block` of runs at a time, on any
    machine; those of adaptive to about ten digits.
    """
    started = time.process_time()
    plan = design(pool, sampler=sampler, target=target, budget=budget, strata=strata, seed=seed, config=config)
    check_at_least(1, runs=runs, block=block)
    check_at_most(MOST_RUNS, runs=runs)
    points = _checkpoints(budget, checkpoints)
    if half_width is not None and interval is None:
        interval = plan.method.INTERVALS[0]
    looks = _looks(plan, interval, level=level, half_width=half_width, points=points)
    _check_lost(lost, budget, len(pool))
    plan = plan.keeping(interval)
    labels = _labels(pool)
    truths = _truths(pool, labels, plan.alpha, target)
    block = max(1, min(block, 8 * SEEN_BYTES // len(pool), runs))
    state, by_place = partial(plan.init, seed), labels[pool.rows(plan.stratified)]
    trace = _traced(plan, state, by_place, looks, runs=runs, block=block, lost=lost, progress=progress)
    limit = _limit(pool, labels, plan.alpha, points)
    draws = mean(trace.iterations)
    return Simulation(
        truth=float(truths[0]),
        checkpoints=_summarised(trace, points, truths, limit),
        sampler=sampler,
        target=target,
        pairs=len(pool),
        predicted=int(pool.prediction.sum()),
        matches=int(labels.sum()),
        strata=len(plan.stratified.strata.size),
        budget=budget,
        runs=runs,
        seed=seed,
        iterations_per_run=draws,
        iterations_per_run_se=math.sqrt(mean((trace.iterations - draws) ** 2) / runs),
        cpu_seconds=time.process_time() - started,
        interval=interval,
        level=looks.level,
        stopping=None if half_width is None else _stopping(looks, half_width, trace, truths[0]),
    )


def _summarised(trace: _Trace, points: Integers, truths: Floats, limit: list[float]) -> list[Checkpoint]:
    return [
        with_intervals(
            errors(int(n), trace.value[:, i] - truths[0], trace.reached[:, i], limit[i]),
            truths,
            trace.low[:, i].T,
            trace.high[:, i].T,
        )
        for i, n in enumerate(points)
    ]


class _Looks(NamedTuple):
    """Labels at which runs are recorded, and where their intervals are shown, the kind and level of these."""

    points: Integers
    is_shown: NDArray[np.bool_]
    interval: str | None
    level: float


def _looks(
    plan: Design, interval: str | None, *, level: float, half_width: float | None, points: Integers
) -> _Looks:
    """Return the looks; those at which a run may stop share the error out among them."""
    plan.check_interval(interval)
    check_share(level, "level")
    is_shown = points >= INTERVAL_FROM.get(interval or "", points[-1] + 1)
    if half_width is not None:
        check_share(half_width, "half-width")
    looks = 1 if half_width is None else int(is_shown.sum())
    return _Looks(points, is_shown, interval, shared_level(interval or "", level, looks))


def _stopping(looks: _Looks, half_width: float, trace: _Trace, truth: float) -> Stopping:
    low, high = trace.low[:, :, 0], trace.high[:, :, 0]
    shown = int(looks.is_shown.sum())
    return stopping(half_width, truth, low, high, looks=shown, points=looks.points)


class _Trace(NamedTuple):
    """What is recorded of each run: estimates at the checkpoints (runs, C), whether they were reached."""

    value: Floats
    reached: NDArray[np.bool_]
    iterations: Integers
    low: Floats
    high: Floats


def _traced(
    plan: Design,
    init: Callable[[Integers], Any],
    labels: NDArray[np.bool_],
    looks: _Looks,
    *,
    runs: int,
    block: int,
    lost: float,
    progress: Progress | None,
) -> _Trace:
    """Run all runs, a block at a time; `init` makes the state of some of them."""
    traces = []
    for first in range(0, runs, block):
        rows = np.arange(first, min(first + block, runs))
        within = part_of(progress, first / runs, len(rows) / runs)
        traces.append(_trace(plan, init(rows), labels, looks, lost=lost, progress=within))
    return _Trace(*(np.concatenate(column) for column in zip(*traces, strict=True)))


def _trace(
    plan: Design, state: Any, labels: NDArray[np.bool_], looks: _Looks, *, lost: float, progress: Progress
) -> _Trace:
    """Run every run of the state until it has the last checkpoint's labels; `labels` are by place."""
    points = looks.points
    runs, budget = len(state.stream.runs), int(points[-1])
    losses = chance.stream(state.stream.seed, np.array([LOSSES]))
    trace = _Trace(
        value=np.full((runs, len(points)), np.nan),
        reached=np.zeros((runs, len(points)), dtype=bool),
        iterations=np.zeros(runs, dtype=np.int64),
        low=np.full((runs, len(points), 3), np.nan),
        high=np.full((runs, len(points), 3), np.nan),
    )
    sampler = plan.method
    answers = _answers(plan, state, labels)
    point_of = np.full(budget + 1, -1)
    point_of[points] = np.arange(len(points))
    # The runs that still draw, and their distinct labels.
    running, distinct = np.arange(runs), np.zeros(runs, dtype=np.int64)
    for iteration in range(1, DRAWS_PER_LABEL * budget + 1):
        state, draws = sampler.ask(state, 1)
        label, is_new = answers.answer(running, draws)
        if lost > 0:
            losses, u = chance.take(losses, 1)
            if u[0, 0, 0] < lost:
                state = plan.without(state, draws)
                continue
        state = sampler.tell(state, draws, label[:, None])
        is_new &= distinct < budget
        distinct += is_new
        hit = np.flatnonzero(is_new & (point_of[distinct] >= 0))
        if len(hit):
            at = (running[hit], point_of[distinct[hit]])
            there = sampler.select(state, hit)
            trace.value[at] = sampler.estimate(there).value
            if looks.interval and looks.is_shown[at[1][0]]:
                ends = sampler.interval(there, looks.interval, looks.level)
                trace.low[at], trace.high[at] = ends.low.T, ends.high.T
            trace.reached[at] = True
            trace.iterations[running[hit[distinct[hit] == budget]]] = iteration
            is_running = distinct < budget
            if not is_running.any():
                break
            # Runs that are done cost as much as others; dropping them costs a copy.
            if is_running.sum() <= len(running) / 2:
                state = sampler.select(state, np.flatnonzero(is_running))
                running, distinct = running[is_running], distinct[is_running]
        if iteration % 100 == 0:
            progress(1 - float((budget - distinct).sum()) / budget / runs)
    trace.iterations[trace.iterations == 0] = iteration
    return trace


def _answers(plan: Design, state: Any, labels: NDArray[np.bool_]) -> Answers:
    if not plan.method.IS_PREFIX:
        return Book(state, labels)
    matches = np.add.reduceat(labels.astype(np.int64), state.strata.start)
    return Urns(state, matches, state.strata.size)


def _limit(pool: InMemoryPool, labels: NDArray[np.bool_], alpha: float, points: Integers) -> list[float]:
    """Return the root of limit (c) at each checkpoint, for the strata of the default method."""
    # The guess does not matter here, and probabilities cost least to make.
    cells = pool.cells(pool.stratify("log-rank", LIMIT_STRATA, "probability"), labels)
    return [math.sqrt(v) for v in limits.without_replacement(cells, alpha, points)]


def _truths(pool: InMemoryPool, labels: NDArray[np.bool_], alpha: float, target: str) -> Floats:
    """Return the target, precision and recall of the whole pool."""
    counts = (labels & pool.prediction, pool.prediction, labels)
    totals = measures.Totals(*(np.array([float(column.sum())]) for column in counts))
    truths = np.concatenate([measures.f_measure(totals, each) for each in alphas(alpha)])
    if math.isnan(truths[0]):
        raise BadInput(
            f"No pair is labelled a match, so {target} is undefined on this pool: expected at least one. "
            "Check the column of labels, or choose another target."
        )
    return truths


def _labels(pool: InMemoryPool) -> NDArray[np.bool_]:
    if pool.label is None:
        raise BadInput(
            "The truth is not known: a simulation needs the column of labels (0 or 1 for each pair)."
        )
    return pool.label


def _check_lost(lost: float, budget: int, pairs: int) -> None:
    check_share(lost, "lost")
    if budget > (most := most_labels(pairs, lost)):
        raise BadSetting(
            f"The budget is {budget} labels, but {pairs} pairs are sure to give only {most} with a share of "
            f"{lost:g} of the answers lost: lower the budget."
        )


def most_labels(pairs: int, lost: float) -> int:
    """Return the labels that so many pairs are sure to give if a share of the answers is lost."""
    return max(int((1 - lost) * pairs - 6 * math.sqrt(lost * pairs)), 0)


def _checkpoints(budget: int, asked: Sequence[Any] | None) -> Integers:
    if asked is None:
        asked = [point for point in CHECKPOINTS if point <= budget]
    wrong = [n for n in asked if not (isinstance(n, int | np.integer) and 1 <= n <= budget)]
    if wrong:
        raise BadSetting(f"Checkpoint {wrong[0]} is outside 1 to the budget of {budget} labels, or not whole.")
    return np.unique(np.array([*asked, budget], dtype=np.int64))


def part_of(progress: Progress | None, start: float, share: float) -> Progress:
    """Return a progress that reports a part of the whole."""
    if progress is None:
        return lambda _: None
    return lambda done: progress(start + share * done)
