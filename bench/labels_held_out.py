"""Part 6: errors and intervals of adaptive on pools that nobody looked at when its settings were made."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import fmean, geometric_mean
from typing import Any

from labels_coverage import ENVELOPE, MEASURES
from labels_errors import ADAPTIVE, IS, LABELS, OASIS
from labels_jobs import (
    Job,
    Report,
    Results,
    Verdict,
    at,
    number,
    ratio,
    ratio_error,
    simulated,
    table,
    with_error,
    worst,
)
from pools import HELD_OUT
from qanat import settings

SHOWN = (200, 500, 1000, 2000, 5000)
FEW = (200, 500, 1000)
# The pools whose scores are probabilities: oasis, which takes raw scores for margins around 0, is told so too.
PROBABILITIES = ("dblp_acm_forest", "abt_buy_forest", "restaurant_mlp", "people")
TOLD = "oasis, probabilities"
# Told of a probability of 0 it all but never looks there, and draws the rest again and again: beyond these
# labels, minutes for twenty runs, and no verdict asks for more.
TOLD_LABELS = tuple(n for n in LABELS if n <= FEW[-1])
METHODS: dict[str, dict[str, Any]] = {
    ADAPTIVE: {"sampler": "adaptive", "interval": ENVELOPE},
    OASIS: {"sampler": "oasis", "strata": 30},
    TOLD: {
        "sampler": "oasis",
        "strata": 30,
        "config": settings("oasis", is_probability=True),
        "checkpoints": TOLD_LABELS,
    },
    IS: {"sampler": "importance"},
}
# No RMSE counts as less, so that a pool all but known does not decide the mean.
LEAST_ERROR = 0.0005


def jobs(runs: int) -> list[Job]:
    """Return a simulation for every pool and method."""
    return [
        Job(pool, "natural", method, partial(simulated, runs=runs, **{"checkpoints": LABELS} | more))
        for pool in HELD_OUT
        for method, more in METHODS.items()
        if method != TOLD or pool in PROBABILITIES
    ]


def report(results: Results, _: Path) -> Report:
    """Return the pools, errors, ratios to adaptive, coverage and width, and their verdicts."""
    grid, shown = [f"{n:,}" for n in LABELS], [f"{n:,}" for n in SHOWN]
    widths = [f"width {n}" for n in shown]
    tables = [
        table("pools", ["pool", "pairs", "matches", "predicted", "F"], _pools(results)),
        table("RMSE of F_1/2 ± its Monte Carlo error", ["pool, method", *grid], _errors(results)),
        table("RMSE of the others / RMSE of adaptive ± error", ["pool, method", *grid], _ratios(results)),
        table(
            "envelope: coverage at 95 %, and mean width",
            ["pool", "measure", *shown, *widths],
            _intervals(results),
        ),
    ]
    return Report(tables, [_error_verdict(results), *_coverage_verdicts(results)])


def shares(results: Results, pool: str, methods: tuple[str, ...] = (OASIS,)) -> list[float]:
    """Return the mean squared error of adaptive over that of the best of the methods at each of FEW labels."""
    made = []
    for n in FEW:
        theirs = min(at(results, _key(pool, each), n) for each in methods if _key(pool, each) in results)
        ours = at(results, _key(pool, ADAPTIVE), n)
        made.append((max(ours, LEAST_ERROR) / max(theirs, LEAST_ERROR)) ** 2)
    return made


def coverages(results: Results) -> dict[str, float]:
    """Return the coverage of every pool, measure and number of labels."""
    return {
        f"{measure}, {pool} at {n}": at(results, _key(pool, ADAPTIVE), n, "coverage" + field)
        for pool in HELD_OUT
        for measure, field in MEASURES.items()
        for n in SHOWN
    }


def _error_verdict(results: Results) -> Verdict:
    figure = geometric_mean([share for pool in HELD_OUT for share in shares(results, pool)])
    best = geometric_mean([share for pool in HELD_OUT for share in shares(results, pool, (OASIS, TOLD))])
    where, most = worst({pool: geometric_mean(shares(results, pool)) for pool in HELD_OUT})
    note = f"worst {most:.3f}, {where}; {best:.3f} of the better oasis, told of probabilities or not"
    name = f"MSE / that of oasis at {FEW[0]} to {FEW[-1]} labels, geometric mean"
    return Verdict(name, figure, most=0.2, note=note)


def _coverage_verdicts(results: Results) -> Iterator[Verdict]:
    figures = coverages(results)
    yield Verdict("coverage of the envelope, pooled", fmean(figures.values()), least=0.93)
    where, missing = worst({where: -figure for where, figure in figures.items()})
    yield Verdict("coverage of the envelope, worst cell", -missing, least=0.88, note=where)


def _pools(results: Results) -> Iterator[list[str]]:
    for pool in HELD_OUT:
        row = results[_key(pool, ADAPTIVE)]
        yield [pool, *(f"{row[what]:,}" for what in ("pairs", "matches", "predicted")), number(row["truth"])]


def _errors(results: Results) -> Iterator[list[str]]:
    for pool, method in _measured(results):
        cells = (with_error(results, _key(pool, method), n) for n in LABELS)
        yield [f"{pool}, {method}", *("-" if cell.startswith("-±") else cell for cell in cells)]


def _ratios(results: Results) -> Iterator[list[str]]:
    for pool, method in _measured(results):
        if method != ADAPTIVE:
            yield [f"{pool}, {method}", *(_times(results, pool, method, n) for n in LABELS)]


def _times(results: Results, pool: str, method: str, labels: int) -> str:
    theirs, ours = (
        (at(results, _key(pool, each), labels), at(results, _key(pool, each), labels, "rmse_se"))
        for each in (method, ADAPTIVE)
    )
    if math.isnan(theirs[0]):
        return "-"
    if ours[0] == 0:
        return "exact"
    return f"{ratio(theirs[0], ours[0]):.2f}±{ratio_error(theirs, ours):.2f}"


def _intervals(results: Results) -> Iterator[list[str]]:
    for pool in HELD_OUT:
        for measure, field in MEASURES.items():
            cells = [
                at(results, _key(pool, ADAPTIVE), n, what + field)
                for what in ("coverage", "width")
                for n in SHOWN
            ]
            yield [pool, measure, *("-" if math.isnan(cell) else f"{cell:.3f}" for cell in cells)]


def _measured(results: Results) -> Iterator[tuple[str, str]]:
    yield from ((pool, method) for pool in HELD_OUT for method in METHODS if _key(pool, method) in results)


def _key(pool: str, method: str) -> tuple[str, str, str]:
    return pool, "natural", method
