"""Part 4: batches of several sizes, and lost labels, against batches of ten.

What is lost cannot be known: where a batch of ten knows every pair that matters, a fifth of them without an
answer leaves an error that no method avoids. The floor is that error with every other pair labelled and the
match rate of each cell known; lost labels are held against both errors together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from labels_jobs import (
    CHANCE,
    Job,
    Report,
    Results,
    Verdict,
    at,
    ratio,
    ratio_error,
    simulated,
    table,
    with_error,
    worst,
)
from qanat import InMemoryPool, settings
from qanat.core.measures import BALANCED, Totals, influence
from qanat.core.strata import crossed

POOLS = ("abt_buy", "amazon_google", "cora")
LABELS = (200, 500, 1000, 2000)
TEN, LOST = "batch 10", "batch 10, 20 % lost"
SHARE_LOST, STRATA = 0.2, 30
WAYS: dict[str, dict[str, Any]] = {
    TEN: {"config": settings("adaptive", batch=10)},
    "batch 1": {"config": settings("adaptive", batch=1)},
    "batch 50": {"config": settings("adaptive", batch=50)},
    "batch 100": {"config": settings("adaptive", batch=100)},
    LOST: {"config": settings("adaptive", batch=10), "lost": SHARE_LOST},
}


def jobs(runs: int) -> list[Job]:
    """Return a simulation for every pool and way to ask."""
    return [
        Job(
            pool, "natural", way, partial(with_floor, sampler="adaptive", runs=runs, checkpoints=LABELS, **more)
        )
        for pool in POOLS
        for way, more in WAYS.items()
    ]


def with_floor(pool: InMemoryPool, **asked: Any) -> dict[str, Any]:
    """Return what a simulation says, and the error that lost labels leave whatever is done."""
    return simulated(pool, **asked) | {"floor": floor(pool, asked.get("lost", 0.0))}


def floor(pool: InMemoryPool, lost: float) -> float:
    """Return the RMSE of F_1/2 if a share of all pairs has no answer and all else is known."""
    assert pool.label is not None
    cut = pool.stratify("log-rank", STRATA)
    cells = crossed(cut.strata)
    matches = np.add.reduceat(pool.label[cut.pair].astype(np.float64), cells.start)
    is_predicted, rate = cells.predicted > 0, matches / cells.size
    counts = (matches[is_predicted].sum(), cells.predicted.sum(), matches.sum())
    slope = influence(Totals(*(np.array([count], dtype=np.float64) for count in counts)), BALANCED)
    c = np.where(is_predicted, slope.predicted, slope.not_predicted)
    return math.sqrt(float((c**2 * lost * cells.size * rate * (1 - rate)).sum()))


def report(results: Results, _: Path) -> Report:
    """Return the errors and their ratios to batches of ten, and a verdict for each way."""
    head = ["pool, way", *(f"{n:,}" for n in LABELS), *(f"ratio {n:,}" for n in LABELS)]
    title = f"RMSE of F_1/2, and its ratio ± standard error to {TEN}, the floor left out"
    return Report([table(title, head, _rows(results))], [_verdict(results, way) for way in WAYS if way != TEN])


def against_ten(results: Results, pool: str, way: str, labels: int, floor: float = 0.0) -> tuple[float, float]:
    """Return the RMSE over that of batches of ten, and the floor, together; and the standard error of this."""
    one, ten = (
        (at(results, (pool, "natural", each), labels), at(results, (pool, "natural", each), labels, "rmse_se"))
        for each in (way, TEN)
    )
    under = math.hypot(ten[0], floor)
    return ratio(one[0], under), ratio_error(one, (under, ten[1]))


def _rows(results: Results) -> Iterator[list[str]]:
    for pool in POOLS:
        for way in WAYS:
            errors = [with_error(results, (pool, "natural", way), n) for n in LABELS]
            ratios = [against_ten(results, pool, way, n) for n in LABELS]
            yield [f"{pool}, {way}", *errors, *(f"{value:.3f}±{spread:.3f}" for value, spread in ratios)]


def _verdict(results: Results, way: str) -> Verdict:
    """Return the largest ratio after its Monte Carlo error was taken away."""
    figures = {}
    for pool in POOLS:
        for labels in LABELS:
            value, spread = against_ten(results, pool, way, labels, results[pool, "natural", way]["floor"])
            figures[f"{pool} at {labels}: {value:.3f}±{spread:.3f}"] = value - CHANCE * spread
    where, figure = worst(figures)
    name = f"RMSE / that of {TEN}, less {CHANCE:g} standard errors, {way}"
    return Verdict(name, figure, most=1.1, note=where)
