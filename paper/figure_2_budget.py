"""Figure 2: mean absolute error and standard deviation of F_1/2 against labels, six pools, all methods."""

from __future__ import annotations

from pathlib import Path

from matplotlib.lines import Line2D

from paper import markdown, plots
from paper.measurements import (
    ADAPTIVE,
    BASELINES,
    DEFINED,
    GRID,
    IS,
    PASSIVE,
    STRATIFIED,
    Job,
    Method,
    at,
    curve,
    measured,
    names,
    oasis,
)
from paper.plots import LOOKS
from paper.pools import ENTITY_RESOLUTION, IMBALANCED, POOLS, TITLES
from paper.results import Effort, Row

TITLE = "Figure 2: errors against labels"
PRINTED = oasis(30, "paper")
FAR, FARTHER = 5000, 10_000
SHOWN = (200, 1000, FAR, FARTHER)
ERROR, SPREAD = "mean_absolute_error", "standard_deviation"


def strata_of(pool: str) -> tuple[int, int, int]:
    """Return the three numbers of strata of OASIS."""
    return (10, 20, 40) if pool == "tweets100k" else (30, 60, 120)


def grid(pool: str) -> tuple[int, ...]:
    """Return the labels at which the paper's methods are looked at.

    Its times tell the budget on cora (table_3_times); on the other pools it is not known, and a quarter of
    tweets100k is enough.
    """
    if pool == "tweets100k":
        return GRID
    return (*GRID, 7000, FARTHER, 15_000, 20_000) if pool == "cora" else (*GRID, 7000, FARTHER)


def end(pool: str) -> int:
    """Return the labels after which methods are ranked."""
    return grid(pool)[-1] if pool == "cora" else FAR


def methods_of(pool: str) -> list[Method]:
    """Return the methods of the paper, as drawn."""
    return [*BASELINES, *(oasis(strata) for strata in strata_of(pool))]


def jobs() -> list[Job]:
    """Return all simulations, the longest first."""
    long = [Job(pool, ADAPTIVE) for pool in POOLS]
    rest = [
        Job(pool, each, grid(pool)) for pool in sorted(POOLS, key="cora".__ne__) for each in methods_of(pool)
    ]
    return [*long, *rest, *(Job(pool, PRINTED) for pool in ENTITY_RESOLUTION)]


def measure(effort: Effort) -> list[Row]:
    """Return the errors of every method on every pool, by pool."""
    rows = measured(jobs(), effort)
    return sorted(rows, key=lambda row: POOLS.index(row["pool"]))


def draw(rows: list[Row], path: Path) -> None:
    """Draw errors of three pools, their standard deviations below, and the other three likewise."""
    figure, axes = plots.figure(4, 3, (plots.PAGE, 8.4))
    for i, pool in enumerate(POOLS):
        above, below = axes[2 * (i // 3) : 2 * (i // 3) + 2, i % 3]
        for method in [*(each.name for each in methods_of(pool)), "adaptive"]:
            points = curve(rows, pool=pool, method=method)
            plots.line(above, points, ERROR, LOOKS[method], method)
            plots.line(below, points, SPREAD, LOOKS[method], method)
        above.set_title(TITLES[pool])
        below.set_xlabel("labels")
        for each in (above, below):
            plots.logarithmic(each)
            each.set_ylim(bottom=_bottom(rows, pool))
    for row in range(4):
        axes[row, 0].set_ylabel("std. dev." if row % 2 else "abs. err.")
    figure.legend(*_legend(), loc="outside lower center", ncols=7, handlelength=2.6, columnspacing=1.2)
    plots.save(figure, path)


def _bottom(rows: list[Row], pool: str) -> float:
    """Return a fifth of what the paper's methods end with; where adaptive is nearly exact, it goes on below."""
    last = [at(rows, pool=pool, method=method.name, labels=grid(pool)[-1]) for method in methods_of(pool)]
    return min(row[column] for row in last for column in (ERROR, SPREAD)) / 5


def _legend() -> tuple[list[Line2D], list[str]]:
    shown = {"Passive": "Passive", "Stratified": "Stratified", "IS": "IS", "OASIS 30": "OASIS 30 (10)"}
    shown |= {"OASIS 60": "60 (20)", "OASIS 120": "120 (40)", "adaptive": "adaptive"}
    looks = [LOOKS[name] for name in shown]
    lines = [Line2D([], [], color=x.colour, ls=x.line, marker=x.marker, lw=x.width) for x in looks]
    return lines, list(shown.values())


def next_best(rows: list[Row], pool: str, labels: int) -> Row:
    """Return the row of the best of the baselines that have an estimate there."""
    points = [at(rows, pool=pool, method=method.name, labels=labels) for method in BASELINES]
    return min((row for row in points if row["defined"] >= DEFINED), key=lambda row: row[ERROR])


def facts(rows: list[Row]) -> dict[str, float]:
    """Return what expected.toml bounds."""
    result = {}
    for pool in POOLS:
        theirs = next_best(rows, pool, end(pool))[ERROR]
        errors = [at(rows, pool=pool, method=oasis(k).name, labels=end(pool))[ERROR] for k in strata_of(pool)]
        result[f"{pool}: next best / best OASIS"] = theirs / min(errors)
        result[f"{pool}: next best / worst OASIS"] = theirs / max(errors)
    for pool in IMBALANCED:
        passive, stratified, theirs = (
            at(rows, pool=pool, method=method.name, labels=FAR)[ERROR] for method in (PASSIVE, STRATIFIED, IS)
        )
        result[f"{pool}: Passive / IS"] = passive / theirs
        result[f"{pool}: Stratified / Passive"] = stratified / passive
    result["dblp_acm: share of Passive runs with an estimate at 5000"] = at(
        rows, pool="dblp_acm", method="Passive", labels=FAR
    )["defined"]
    return result


def told(rows: list[Row]) -> str:
    """Return the section of the README."""
    lines = []
    for pool in POOLS:
        for name in names(rows, pool=pool):
            found = {row["labels"]: row for row in rows if row["pool"] == pool and row["method"] == name}
            lines.append([f"{TITLES[pool]}, {name}", *(_cell(found.get(n)) for n in SHOWN)])
    intro = (
        f"Mean absolute error of F_1/2 ± its Monte Carlo error, over {rows[0]['runs']:,} runs; in brackets "
        "the share of the runs with an estimate, where it is below 95 %:"
    )
    return "\n\n".join(
        [
            intro,
            markdown.table(["pool, method", *(f"{n:,}" for n in SHOWN)], lines),
            _ranking(rows),
        ]
    )


def _cell(row: Row | None) -> str:
    text = markdown.with_error(row)
    return text if row is None or row["defined"] >= DEFINED else f"{text} [{markdown.share(row['defined'])}]"


def _ranking(rows: list[Row]) -> str:
    lines = []
    for pool in POOLS:
        points = [at(rows, pool=pool, method=method.name, labels=end(pool)) for method in methods_of(pool)]
        ranked = sorted(points, key=lambda row: row[ERROR])
        lines.append(
            [TITLES[pool], f"{end(pool):,}", ", ".join(f"{row['method']} {row[ERROR]:.4f}" for row in ranked)]
        )
    head = ["pool", "labels", "methods of the paper from the best to the worst, mean absolute error"]
    return markdown.table(head, lines)
