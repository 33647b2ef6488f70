"""What the parts of bench/labels.py are made of: jobs that measure, results, tables of them, verdicts.

A job names a pool, a change of it and a method; jobs run in processes of their own. A number that is not there
is NaN, and `-` in a table.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, NamedTuple

import pools
from pools import Source
from qanat import InMemoryPool, simulate

# Errors that may be by chance: this many standard errors.
CHANCE = 2.0


class Job(NamedTuple):
    """What to measure: `action` takes the changed pool and returns what is kept, with `checkpoints` in it."""

    pool: str
    change: str
    method: str
    action: Callable[[InMemoryPool], dict[str, Any]]


Key = tuple[str, str, str]
Results = dict[Key, dict[str, Any]]


class Verdict(NamedTuple):
    """A target, and the figure that is held against it: at `most` or at `least`."""

    name: str
    figure: float
    most: float | None = None
    least: float | None = None
    note: str = ""

    @property
    def is_met(self) -> bool:
        """Whether there is a figure, and it is where it should be."""
        is_over = self.most is not None and not self.figure <= self.most
        return not (is_over or (self.least is not None and not self.figure >= self.least))

    def __str__(self) -> str:
        """Return the verdict on one line."""
        target = f"at most {self.most:g}" if self.most is not None else f"at least {self.least:g}"
        note = f" ({self.note})" if self.note else ""
        return f"{'met' if self.is_met else 'missed':6} {self.name}: {self.figure:.3g}, {target}{note}"


class Report(NamedTuple):
    """The tables of a part, as text, and its verdicts."""

    tables: list[str]
    verdicts: list[Verdict]


def simulated(pool: InMemoryPool, **settings: Any) -> dict[str, Any]:
    """Return what a simulation says; the budget is the last checkpoint."""
    return simulate(pool, budget=settings["checkpoints"][-1], **settings).as_dict()


def measured(jobs: Sequence[Job], source: Source, processes: int) -> Results:
    """Return the results of the jobs, and say on the standard error how far they are."""
    began, results = time.monotonic(), dict[Key, dict[str, Any]]()
    with ProcessPoolExecutor(processes) as workers:
        waiting = {workers.submit(_run, job, source): job for job in jobs}
        for done in as_completed(waiting):
            job = waiting[done]
            results[job[:3]] = done.result()
            at = f"{len(results)}/{len(jobs)}, {time.monotonic() - began:.0f} s"
            print(f"{at}: {' '.join(job[:3])}", file=sys.stderr, flush=True)
    return {job[:3]: results[job[:3]] for job in jobs}


def _run(job: Job, source: Source) -> dict[str, Any]:
    started = time.process_time()
    result = job.action(pools.opened(source, job.pool, job.change))
    return result | {"cpu_seconds": time.process_time() - started}


def at(results: Results, key: Key, labels: int, what: str = "rmse") -> float:
    """Return a number of a checkpoint, NaN where there is none."""
    points = results[key]["checkpoints"] if key in results else []
    values = [point[what] for point in points if point["labels"] == labels]
    return math.nan if not values or values[0] is None else float(values[0])


def with_error(results: Results, key: Key, labels: int) -> str:
    """Return an RMSE with its Monte Carlo error."""
    return f"{number(at(results, key, labels))}±{number(at(results, key, labels, 'rmse_se'))}"


def ratio(over: float, under: float) -> float:
    """Return the quotient; infinite where only the divisor is zero, NaN where one is missing or both are."""
    if under > 0 or math.isnan(over):
        return over / under if under > 0 else math.nan
    return math.inf if over > 0 else math.nan


def ratio_error(over: tuple[float, float], under: tuple[float, float]) -> float:
    """Return the standard error of the quotient of two numbers, each given with its own."""
    if not (over[0] > 0 and under[0] > 0):
        return 0.0
    return over[0] / under[0] * math.hypot(over[1] / over[0], under[1] / under[0])


def number(value: float) -> str:
    """Return a number of an error table."""
    return "-" if math.isnan(value) else f"{value:.4f}".removeprefix("0") if value >= 0 else f"{value:.4f}"


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as text, the first column to the left."""
    lines = [list(head), *map(list, rows)]
    width = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = [
        "  ".join(
            [line[0].ljust(width[0]), *(cell.rjust(w) for cell, w in zip(line[1:], width[1:], strict=True))]
        )
        for line in lines
    ]
    return "\n".join([title, *text])


def worst(figures: dict[str, float]) -> tuple[str, float]:
    """Return the largest figure, and where it is; those that are NaN are left out."""
    known = {where: figure for where, figure in figures.items() if not math.isnan(figure)}
    return max(known.items(), key=lambda item: item[1], default=("nothing measured", math.nan))
