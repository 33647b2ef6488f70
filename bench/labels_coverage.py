"""Part 3: how often the intervals hold the truth, and how wide they are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from labels_jobs import Job, Report, Results, Verdict, at, simulated, table, worst
from pools import NATURAL
from qanat import settings

LABELS = (200, 500, 1000, 2000, 5000)
ANYTIME_LABELS = (200, 500, 1000, 2000)
CHANGES = ("natural", "moved-15%")
ENVELOPE, ANYTIME = "envelope", "anytime"
# The fields of a checkpoint for each measure.
MEASURES = {"F": "", "precision": "_precision", "recall": "_recall"}

# Mean widths of the prototype's intervals of F_1/2: design/statistics.md, section 12.
PROTOTYPE_LABELS = (200, 1000, 5000)
PROTOTYPE = {
    "abt_buy": (0.38, 0.16, 0.03),
    "amazon_google": (0.36, 0.19, 0.05),
    "restaurant": (0.29, 0.03, 0.005),
    "dblp_acm": (0.31, 0.06, 0.01),
    "tweets100k": (0.12, 0.05, 0.02),
    "cora": (0.36, 0.16, 0.07),
}
# No width counts as less, so that a pool all but known does not decide the mean.
LEAST_WIDTH = 0.0005


def jobs(runs: int) -> list[Job]:
    """Return a simulation of both intervals for every pool, as it is and with hidden matches."""
    kinds: dict[str, dict[str, Any]] = {
        ENVELOPE: {"checkpoints": LABELS},
        ANYTIME: {"checkpoints": ANYTIME_LABELS, "config": settings("adaptive", epsilon=0.5)},
    }
    return [
        Job(pool, change, kind, partial(simulated, sampler="adaptive", interval=kind, runs=runs, **more))
        for change in CHANGES
        for pool in NATURAL
        for kind, more in kinds.items()
    ]


def report(results: Results, _: Path) -> Report:
    """Return coverage and width of both intervals, and the verdicts."""
    head = ["pool, change", "measure", *(f"{n:,}" for n in LABELS), *(f"width {n:,}" for n in LABELS)]
    tables = [
        table(f"{kind}: coverage at 95 %, and mean width", head, _rows(results, kind))
        for kind in (ENVELOPE, ANYTIME)
    ]
    return Report(tables, [*_envelope_verdicts(results), *_anytime_verdicts(results)])


def coverages(results: Results, kind: str, change: str, labels: tuple[int, ...]) -> dict[str, float]:
    """Return the coverage of every pool, measure and number of labels."""
    return {
        f"{measure}, {pool} at {n}": at(results, (pool, change, kind), n, "coverage" + field)
        for pool in NATURAL
        for measure, field in MEASURES.items()
        for n in labels
    }


def relative_widths(results: Results) -> dict[str, float]:
    """Return the widths of the envelope of F relative to the prototype's."""
    return {
        f"{pool} at {n}": max(at(results, (pool, "natural", ENVELOPE), n, "width"), LEAST_WIDTH) / theirs
        for pool, widths in PROTOTYPE.items()
        for n, theirs in zip(PROTOTYPE_LABELS, widths, strict=True)
    }


def _envelope_verdicts(results: Results) -> Iterator[Verdict]:
    natural, hidden = (coverages(results, ENVELOPE, change, LABELS) for change in CHANGES)
    yield Verdict("coverage of the envelope, pooled", _mean(natural), least=0.93)
    for name, figures, least in (("natural", natural, 0.90), ("15 % hidden", hidden, 0.85)):
        where, figure = _least(figures)
        yield Verdict(f"coverage of the envelope, worst {name} cell", figure, least=least, note=where)
    widths = relative_widths(results)
    mean = math.exp(_mean({where: math.log(width) for where, width in widths.items()}))
    where, figure = worst(widths)
    note = f"worst {figure:.2f}, {where}"
    yield Verdict("widths of F / the prototype's, geometric mean", mean, most=0.75, note=note)


def _anytime_verdicts(results: Results) -> Iterator[Verdict]:
    # The sequence only ever narrows: what holds the truth at the last step has held it at every one.
    for change in CHANGES:
        where, figure = _least(coverages(results, ANYTIME, change, ANYTIME_LABELS[-1:]))
        name = f"coverage of the anytime sequence over all steps, worst, {change}"
        yield Verdict(name, figure, least=0.95, note=where)


def _rows(results: Results, kind: str) -> Iterator[list[str]]:
    for change in CHANGES:
        for pool in NATURAL:
            for measure, field in MEASURES.items():
                key = (pool, change, kind)
                shares = (at(results, key, n, "coverage" + field) for n in LABELS)
                widths = (at(results, key, n, "width" + field) for n in LABELS)
                cells = ["-" if math.isnan(cell) else f"{cell:.3f}" for cell in (*shares, *widths)]
                yield [f"{pool}, {change}", measure, *cells]


def _least(figures: dict[str, float]) -> tuple[str, float]:
    where, figure = worst({where: -figure for where, figure in figures.items()})
    return where, -figure


def _mean(figures: dict[str, float]) -> float:
    return math.fsum(figures.values()) / len(figures)
