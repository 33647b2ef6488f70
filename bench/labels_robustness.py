"""Part 2: adaptive against proportional stratified sampling where the scores mislead (statistics.md, 11.5)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from labels_jobs import Job, Report, Results, Verdict, at, number, ratio, ratio_error, simulated, table, worst
from labels_proportional import proportional
from pools import ENTITY_RESOLUTION
from qanat import settings

POOLS = (*ENTITY_RESOLUTION, "cora")
CHANGES = (
    "permuted",
    "reversed",
    "moved-5%",
    "moved-15%",
    "moved-30%",
    "spike",
    "ties",
    "other-classifier",
    "saturated",
)
LABELS = (500, 1000, 2000, 5000)
OURS, THEIRS = "adaptive", "proportional"
# Proportional samples cost next to nothing.
MANY_RUNS = 10


def jobs(runs: int) -> list[Job]:
    """Return a simulation of both for every pool and change."""
    made = []
    for pool in POOLS:
        for change in CHANGES:
            config = settings("adaptive", is_probability=change == "saturated")
            ours = partial(simulated, sampler="adaptive", config=config, runs=runs, checkpoints=LABELS)
            theirs = partial(proportional, runs=MANY_RUNS * runs, checkpoints=LABELS)
            made += [Job(pool, change, OURS, ours), Job(pool, change, THEIRS, theirs)]
    return made


def report(results: Results, _: Path) -> Report:
    """Return the ratios of the RMSE, and a verdict for each change."""
    head = ["pool, change", "F", *(f"{n:,}" for n in LABELS), *(f"ratio {n:,}" for n in LABELS)]
    title = "RMSE of adaptive, and its ratio ± standard error to proportional stratified sampling"
    return Report([table(title, head, _rows(results))], [_verdict(results, change) for change in CHANGES])


def _rows(results: Results) -> Iterator[list[str]]:
    for change in CHANGES:
        for pool in POOLS:
            ours, theirs = (pool, change, OURS), (pool, change, THEIRS)
            errors = [number(at(results, ours, n)) for n in LABELS]
            ratios = []
            for n in LABELS:
                one, other = ((at(results, key, n), at(results, key, n, "rmse_se")) for key in (ours, theirs))
                ratios.append(f"{ratio(one[0], other[0]):.3f}±{ratio_error(one, other):.3f}")
            yield [f"{pool}, {change}", number(results[ours]["truth"]), *errors, *ratios]


def _verdict(results: Results, change: str) -> Verdict:
    figures = {
        f"{pool} at {n}": ratio(at(results, (pool, change, OURS), n), at(results, (pool, change, THEIRS), n))
        for pool in POOLS
        for n in LABELS
    }
    where, figure = worst(figures)
    least = min(figures.values(), default=math.nan)
    return Verdict(f"RMSE / proportional, {change}", figure, most=1.1, note=f"{where}; best {least:.2f}")
