"""Table 3: CPU times on the cora pool, one run at a time as in the paper, and 250 side by side."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from typing import NamedTuple

from paper import markdown, pools
from paper.measurements import ADAPTIVE, IS, PASSIVE, STRATIFIED, Method, at, measured, oasis
from paper.results import Effort, Row
from qanat import settings, simulate

TITLE = "Table 3: CPU times"
METHODS = (PASSIVE, IS, oasis(30), oasis(60), oasis(120), STRATIFIED, ADAPTIVE)
# Seconds a run and an iteration; their quotient is the number of iterations, 20,620 of Passive, which takes as
# many draws for 20,000 labels of 328,291 pairs.
PRINTED = {
    "Passive": (0.512, 2.483e-5),
    "IS": (69.854, 3.149e-3),
    "OASIS 30": (3.612, 1.228e-4),
    "OASIS 60": (3.281, 1.123e-4),
    "OASIS 120": (2.978, 1.093e-4),
    "Stratified": (1.967, 9.502e-5),
}
BUDGET = 20_000
SIDE_BY_SIDE = 250
# Labels of adaptive side by side: an iteration of it costs a hundred times one of the others.
FEW = 2000
REPEATS = 3
MICRO = 1e6


class Task(NamedTuple):
    """What is timed: so many runs at a time of a method."""

    method: Method
    runs: int

    @property
    def budget(self) -> int:
        """The labels of each run."""
        return FEW if self.method == ADAPTIVE and self.runs > 1 else BUDGET


def measure(effort: Effort) -> list[Row]:
    """Return a row for each method and number of runs, taken one at a time."""
    tasks = [Task(method, runs) for runs in (1, SIDE_BY_SIDE) for method in METHODS]
    return measured(tasks, effort._replace(processes=1), timed)


def timed(task: Task, effort: Effort) -> list[Row]:
    """Return the CPU seconds of a run and of an iteration without the set-up; the best of some repeats.

    Noise only ever adds to a time. A single run is repeated with other seeds, as its number of iterations is
    chance.
    """
    is_long = task.runs > 1 or task.method == ADAPTIVE
    seeds = range(effort.seed, effort.seed + (1 if is_long else REPEATS))
    pools.opened("cora")
    setup = min(seconds(task, seed, budget=1)[0] for seed in range(REPEATS))
    runs = [seconds(task, seed, task.budget) for seed in seeds]
    best = min((spent - setup) / iterations for spent, iterations in runs)
    iterations = sum(count for _, count in runs) / len(runs)
    return [
        {
            "method": task.method.name,
            "side_by_side": task.runs,
            "labels": task.budget,
            "iterations": iterations,
            "seconds_run": best * iterations / task.runs,
            "seconds_iteration": best / task.runs,
            "seconds_strata": stratified(task.method),
            "machine": processor(),
            "cores": os.cpu_count(),
        }
    ]


def seconds(task: Task, seed: int, budget: int) -> tuple[float, float]:
    """Return the CPU seconds of all runs, set-up included, and the iterations of one."""
    _, sampler, strata, reading = task.method
    done = simulate(
        pools.opened("cora"),
        sampler=sampler,
        strata=strata,
        budget=budget,
        checkpoints=[budget],
        runs=task.runs,
        seed=seed,
        config=settings(sampler, reading=reading),
    )
    return done.cpu_seconds, done.iterations_per_run


def stratified(method: Method) -> float:
    """Return the CPU seconds of cutting the strata, the best of some repeats."""
    pool, config = pools.opened("cora"), settings(method.sampler)
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        pool.stratify(config.stratification, method.strata, config.guess)
        times.append(time.process_time() - started)
    return min(times)


def processor() -> str:
    """Return the name of the processor."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    found = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return found[0] if found else platform.processor()


def facts(rows: list[Row]) -> dict[str, float]:
    """Return what expected.toml bounds: the draws, and the times of one run at a time."""
    result = {}
    for name in PRINTED:
        row = at(rows, method=name, side_by_side=1)
        result[f"{name}: iterations for 20,000 labels"] = row["iterations"]
        result[f"{name}: seconds a run, ours / the paper's"] = row["seconds_run"] / PRINTED[name][0]
    one, other = (at(rows, method=name, side_by_side=1)["seconds_iteration"] for name in ("IS", "OASIS 60"))
    result["iteration of IS / of OASIS 60"] = one / other
    result["seconds for the strata of OASIS 60"] = at(rows, method="OASIS 60", side_by_side=1)["seconds_strata"]
    return result


def told(rows: list[Row]) -> str:
    """Return the section of the README."""
    head = ["method", "a run, paper", "ours", "paper / ours", "an iteration, paper", "ours", "paper / ours"]
    head += [f"{SIDE_BY_SIDE} side by side", "paper / ours", "iterations, paper", "ours"]
    lines = [_line(rows, method.name) for method in METHODS]
    intro = (
        f"CPU seconds of a run of {BUDGET:,} labels and microseconds of an iteration, without the set-up, "
        f"on one core of {rows[0]['machine']}:"
    )
    return "\n\n".join(
        [
            intro,
            markdown.table(head, lines),
        ]
    )


def _line(rows: list[Row], name: str) -> list[str]:
    one, many = (at(rows, method=name, side_by_side=runs) for runs in (1, SIDE_BY_SIDE))
    run, iteration = PRINTED.get(name, (None, None))
    cells = [
        *_against(run, one["seconds_run"], 1),
        *_against(iteration, one["seconds_iteration"], MICRO),
        *_against(iteration, many["seconds_iteration"], MICRO)[1:],
    ]
    count = "-" if run is None or iteration is None else f"{run / iteration:,.0f}"
    return [name, *cells, count, f"{one['iterations']:,.0f}"]


def _against(theirs: float | None, ours: float, unit: float) -> list[str]:
    ratio = "-" if theirs is None else markdown.digits(theirs / ours, 2)
    return [markdown.digits(None if theirs is None else theirs * unit), markdown.digits(ours * unit), ratio]
