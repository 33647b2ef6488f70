"""What most parts are made of: methods simulated on pools, in processes of their own."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, NamedTuple

from paper import pools
from paper.results import Effort, Row
from qanat import InMemoryPool, Simulation, settings, simulate
from qanat.checkpoints import Checkpoint

GRID = (10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000)
# A curve begins where so many of the runs have an estimate.
DEFINED = 0.95
# What is kept of a checkpoint; those with an error of their own have it beside them.
WITH_ERROR = ("mean_absolute_error", "bias", "standard_deviation", "rmse")


class Method(NamedTuple):
    """A sampler with its strata; `reading` "paper" is OASIS as printed."""

    name: str
    sampler: str
    strata: int = 30
    reading: str = "released"


PASSIVE = Method("Passive", "passive")
STRATIFIED = Method("Stratified", "stratified")
IS = Method("IS", "importance")
ADAPTIVE = Method("adaptive", "adaptive")
BASELINES = (PASSIVE, STRATIFIED, IS)


def oasis(strata: int, reading: str = "released") -> Method:
    """Return OASIS with so many strata."""
    printed = ", as printed" if reading == "paper" else ""
    return Method(f"OASIS {strata}{printed}", "oasis", strata, reading)


class Job(NamedTuple):
    """A method to be simulated on a pool, with the labels at which its errors are taken."""

    pool: str
    method: Method
    checkpoints: Sequence[int] = GRID
    score: str = "score"


def simulated(job: Job, effort: Effort) -> list[Row]:
    """Return a row for each checkpoint of a job."""
    return rows_of(job, simulation(job, effort, pools.opened(job.pool, job.score)))


def simulation(job: Job, effort: Effort, pool: InMemoryPool, **more: Any) -> Simulation:
    """Return the simulation of a job on a pool; `more` settings go to qanat.simulate."""
    _, sampler, strata, reading = job.method
    config = settings(sampler, reading=reading, is_probability=job.score == "prob")
    asked: dict[str, Any] = {"sampler": sampler, "strata": strata, "config": config} | more
    return simulate(
        pool,
        budget=max(job.checkpoints),
        checkpoints=job.checkpoints,
        runs=effort.runs,
        seed=effort.seed,
        **asked,
    )


def rows_of(job: Job, done: Simulation) -> list[Row]:
    """Return what is kept of a simulation: the errors at each checkpoint."""
    head = {
        "pool": job.pool,
        "method": job.method.name,
        "score": job.score,
        "strata": done.strata,
        "truth": done.truth,
    }
    draws = {"iterations": done.iterations_per_run, "iterations_se": done.iterations_per_run_se}
    return [head | _errors(point) | draws for point in done.checkpoints]


def _errors(point: Checkpoint) -> Row:
    kept = point._asdict()
    errors = {each: kept[each] for name in WITH_ERROR for each in (name, f"{name}_se")}
    return {"labels": point.labels, "defined": point.defined} | errors


def measured(
    jobs: Sequence[Any], effort: Effort, action: Callable[[Any, Effort], list[Row]] = simulated
) -> list[Row]:
    """Return the rows of all jobs, in their order, and say on the standard error how far they are.

    The longest should come first in `jobs`, so that no process waits long for another at the end.
    """
    began, rows = time.monotonic(), dict[int, list[Row]]()
    with ProcessPoolExecutor(effort.processes) as workers:
        waiting = {workers.submit(action, job, effort): i for i, job in enumerate(jobs)}
        for done in as_completed(waiting):
            rows[waiting[done]] = done.result()
            at = f"{len(rows)}/{len(jobs)}, {time.monotonic() - began:.0f} s"
            print(f"  {at}: {_said(jobs[waiting[done]])}", file=sys.stderr, flush=True)
    return [row for i in range(len(jobs)) for row in rows[i]]


def _said(job: Any) -> str:
    return " ".join(each.name if isinstance(each, Method) else str(each) for each in job[:2])


def at(rows: Iterable[Row], **where: Any) -> Row:
    """Return the one row with these values."""
    found = [row for row in rows if where.items() <= row.items()]
    if len(found) != 1:
        raise LookupError(f"{len(found)} rows have {where}: expected one.")
    return found[0]


def curve(rows: Iterable[Row], **where: Any) -> list[Row]:
    """Return the rows with these values from where the estimate is defined on, by labels."""
    found = sorted((row for row in rows if where.items() <= row.items()), key=lambda row: row["labels"])
    first = next((i for i, row in enumerate(found) if row["defined"] >= DEFINED), len(found))
    return found[first:]


def names(rows: Iterable[Row], column: str = "method", **where: Any) -> list[str]:
    """Return the values of a column in the order in which they come."""
    return list(dict.fromkeys(row[column] for row in rows if where.items() <= row.items()))
