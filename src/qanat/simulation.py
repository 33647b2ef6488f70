"""How well a method would have done: many runs on a pool whose truth is known, all at once.

The label budget counts distinct pairs: a pair drawn again answers from the label it already has. What is
recorded at a checkpoint is the estimate just after that many distinct labels, as in the paper.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.answers import Answers, Book, Urns
from qanat.core import limits, measures
from qanat.core.arrays import Floats, Integers
from qanat.design import DRAWS_PER_LABEL, Design, check_at_least, check_at_most, design
from qanat.errors import BadInput, BadSetting
from qanat.pool.in_memory import InMemoryPool

CHECKPOINTS = (100, 200, 500, 1000, 2000, 5000)
# Runs at a time: enough to pay for each array operation, as long as the table of pairs seen, a bit a run and
# pair, stays below this many bytes.
BLOCK = 1000
SEEN_BYTES = 2**28
LIMIT_STRATA = 30
# As many tell errors to a thousandth of their spread; the numbers of urns begin far above.
MOST_RUNS = 1_000_000

Progress = Callable[[float], None]


class Checkpoint(NamedTuple):
    """Errors over the runs after `labels` distinct labels; those ending in `_se` are Monte Carlo errors.

    `reached` is the share of the runs that came to so many labels, `defined` the share whose estimate had a
    value there; the errors are over these. `limit` is the smallest RMSE of any unbiased stratified design.
    """

    labels: int
    reached: float
    defined: float
    defined_se: float
    mean_absolute_error: float | None
    mean_absolute_error_se: float | None
    bias: float | None
    bias_se: float | None
    standard_deviation: float | None
    standard_deviation_se: float | None
    rmse: float | None
    rmse_se: float | None
    limit: float


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

    def as_dict(self) -> dict[str, Any]:
        """Return it as one object for JSON."""
        return self._asdict() | {"checkpoints": [point._asdict() for point in self.checkpoints]}


def simulate(
    pool: InMemoryPool,
    *,
    sampler: str = "oasis",
    target: str = "f1",
    budget: int = 5000,
    runs: int = 1000,
    seed: int = 0,
    strata: int = 30,
    checkpoints: Sequence[int] | None = None,
    config: Any = None,
    block: int = BLOCK,
    progress: Progress | None = None,
) -> Simulation:
    """Return the errors of a method over `runs` runs of `budget` labels on a labelled pool.

    `config` holds the method's settings: see `settings`. The same seed gives the same numbers, on any
    machine and for any `block` of runs at a time.
    """
    started = time.process_time()
    plan = design(pool, sampler=sampler, target=target, budget=budget, strata=strata, seed=seed, config=config)
    check_at_least(1, runs=runs, block=block)
    check_at_most(MOST_RUNS, runs=runs)
    points = _checkpoints(budget, checkpoints)
    labels = _labels(pool)
    truth = _truth(pool, labels, plan.alpha, target)
    block = max(1, min(block, 8 * SEEN_BYTES // len(pool), runs))
    by_place, traces = labels[plan.stratified.pair], []
    for first in range(0, runs, block):
        rows = np.arange(first, min(first + block, runs))
        within = _part(progress, first / runs, len(rows) / runs)
        traces.append(_trace(plan, plan.init(seed, rows), by_place, points, within))
    trace = _Trace(*(np.concatenate(column) for column in zip(*traces, strict=True)))
    limit = _limit(pool, labels, plan.alpha, points)
    draws = _mean(trace.iterations)
    return Simulation(
        truth=truth,
        checkpoints=[
            _errors(int(n), trace.value[:, i] - truth, trace.reached[:, i], limit[i])
            for i, n in enumerate(points)
        ],
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
        iterations_per_run_se=math.sqrt(_mean((trace.iterations - draws) ** 2) / runs),
        cpu_seconds=time.process_time() - started,
    )


class _Trace(NamedTuple):
    """What is recorded of each run: estimates at the checkpoints (runs, C), whether they were reached."""

    value: Floats
    reached: NDArray[np.bool_]
    iterations: Integers


def _trace(plan: Design, state: Any, labels: NDArray[np.bool_], points: Integers, progress: Progress) -> _Trace:
    """Run every run of the state until it has the last checkpoint's labels; `labels` are by place."""
    runs, budget = len(state.stream.runs), int(points[-1])
    trace = _Trace(
        value=np.full((runs, len(points)), np.nan),
        reached=np.zeros((runs, len(points)), dtype=bool),
        iterations=np.zeros(runs, dtype=np.int64),
    )
    sampler = plan.method
    answers: Answers = (Urns if sampler.IS_PREFIX else Book)(state, labels)
    point_of = np.full(budget + 1, -1)
    point_of[points] = np.arange(len(points))
    # The runs that still draw, and their distinct labels.
    running, distinct = np.arange(runs), np.zeros(runs, dtype=np.int64)
    for iteration in range(1, DRAWS_PER_LABEL * budget + 1):
        state, draws = sampler.ask(state, 1)
        label, is_new = answers.answer(running, draws)
        state = sampler.tell(state, draws, label[:, None])
        is_new &= distinct < budget
        distinct += is_new
        hit = np.flatnonzero(is_new & (point_of[distinct] >= 0))
        if len(hit):
            at = (running[hit], point_of[distinct[hit]])
            trace.value[at] = sampler.estimate(sampler.select(state, hit)).value
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


def _errors(labels: int, error: Floats, reached: NDArray[np.bool_], limit: float) -> Checkpoint:
    """Return the errors of the runs at one checkpoint; sums are exact, so their order cannot matter."""
    runs = int(reached.sum())
    share = int((reached & ~np.isnan(error)).sum()) / runs if runs else 0.0
    known = error[reached & ~np.isnan(error)]
    n = len(known)
    base = Checkpoint(
        labels=labels,
        reached=runs / len(error),
        defined=share,
        defined_se=math.sqrt(share * (1 - share) / runs) if runs else 0.0,
        mean_absolute_error=None,
        mean_absolute_error_se=None,
        bias=None,
        bias_se=None,
        standard_deviation=None,
        standard_deviation_se=None,
        rmse=None,
        rmse_se=None,
        limit=limit,
    )
    if n == 0:
        return base
    absolute, bias = _mean(np.abs(known)), _mean(known)
    square, variance = _mean(known**2), _mean((known - bias) ** 2)
    rmse, deviation = math.sqrt(square), math.sqrt(variance)
    return base._replace(
        mean_absolute_error=absolute,
        mean_absolute_error_se=math.sqrt(max(square - absolute**2, 0) / n),
        bias=bias,
        bias_se=math.sqrt(variance / n),
        standard_deviation=deviation,
        standard_deviation_se=_root_error(_mean(((known - bias) ** 2) ** 2), variance, n),
        rmse=rmse,
        rmse_se=_root_error(_mean((known**2) ** 2), square, n),
    )


def _mean(values: NDArray[Any]) -> float:
    return math.fsum(values) / len(values)


def _root_error(fourth: float, second: float, n: int) -> float:
    """Return the standard error of the root of a mean square, from its first derivative."""
    return math.sqrt(max(fourth - second**2, 0) / n) / (2 * math.sqrt(second)) if second > 0 else 0.0


def _limit(pool: InMemoryPool, labels: NDArray[np.bool_], alpha: float, points: Integers) -> list[float]:
    """Return the root of limit (c) at each checkpoint, for the strata of the default method."""
    # The guess does not matter here, and probabilities cost least to make.
    cells = pool.cells(pool.stratify("log-rank", LIMIT_STRATA, "probability"), labels)
    return [math.sqrt(v) for v in limits.without_replacement(cells, alpha, points)]


def _truth(pool: InMemoryPool, labels: NDArray[np.bool_], alpha: float, target: str) -> float:
    counts = (labels & pool.prediction, pool.prediction, labels)
    totals = measures.Totals(*(np.array([float(column.sum())]) for column in counts))
    truth = float(measures.f_measure(totals, alpha)[0])
    if math.isnan(truth):
        raise BadInput(
            f"No pair is labelled a match, so {target} is undefined on this pool: expected at least one. "
            "Check the column of labels, or choose another target."
        )
    return truth


def _labels(pool: InMemoryPool) -> NDArray[np.bool_]:
    if pool.label is None:
        raise BadInput(
            "The truth is not known: a simulation needs the column of labels (0 or 1 for each pair)."
        )
    return pool.label


def _checkpoints(budget: int, asked: Sequence[Any] | None) -> Integers:
    if asked is None:
        asked = [point for point in CHECKPOINTS if point <= budget]
    wrong = [n for n in asked if not (isinstance(n, int | np.integer) and 1 <= n <= budget)]
    if wrong:
        raise BadSetting(f"Checkpoint {wrong[0]} is outside 1 to the budget of {budget} labels, or not whole.")
    return np.unique(np.array([*asked, budget], dtype=np.int64))


def _part(progress: Progress | None, start: float, share: float) -> Progress:
    """Return a progress that reports a part of the whole."""
    if progress is None:
        return lambda _: None
    return lambda done: progress(start + share * done)
