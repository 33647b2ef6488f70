"""Figure 3: what calibrated scores are worth to IS and to OASIS with 60 strata, on Abt-Buy and DBLP-ACM."""

from __future__ import annotations

from pathlib import Path

from paper import markdown, plots
from paper.measurements import GRID, IS, Job, Method, at, curve, measured, oasis
from paper.plots import BLUE, GREEN, Look
from paper.pools import TITLES
from paper.results import Effort, Row

TITLE = "Figure 3: calibrated against uncalibrated scores"
POOLS = ("abt_buy", "dblp_acm")
METHODS = (IS, oasis(60))
SCORES = {"score": "uncalibrated", "prob": "calibrated"}
LOOKS = {
    ("IS", "score"): Look(GREEN, "--", "s"),
    ("IS", "prob"): Look(GREEN, "-", "o"),
    ("OASIS 60", "score"): Look(BLUE, "--", "^"),
    ("OASIS 60", "prob"): Look(BLUE, "-", "D"),
}
FAR = 5000
SHOWN = (100, 200, 500, 1000, 2000, 5000)
ERROR = "mean_absolute_error"


def jobs() -> list[Job]:
    """Return the simulations, the longest first."""
    cells = [
        (pool, method, score) for pool in POOLS[::-1] for method in METHODS[::-1] for score in ("prob", "score")
    ]
    return [Job(pool, method, GRID, score) for pool, method, score in cells]


def measure(effort: Effort) -> list[Row]:
    """Return the errors with either kind of score."""
    return sorted(measured(jobs(), effort), key=lambda row: POOLS.index(row["pool"]))


def draw(rows: list[Row], path: Path) -> None:
    """Draw the errors of both pools."""
    figure, axes = plots.figure(1, 2, (plots.COLUMN * 1.5, 2.5))
    for each, pool in zip(axes[0], POOLS, strict=True):
        for (method, score), look in LOOKS.items():
            points = curve(rows, pool=pool, method=method, score=score)
            plots.line(each, points, ERROR, look, f"{method}, {SCORES[score]}")
        plots.logarithmic(each)
        each.set(title=TITLES[pool], xlabel="labels")
    axes[0, 0].set_ylabel("abs. err.")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2, handlelength=3)
    plots.save(figure, path)


def gain(rows: list[Row], pool: str, method: Method) -> float:
    """Return by how much calibrated scores make the error smaller at the last label."""
    raw, calibrated = (at(rows, pool=pool, method=method.name, score=score, labels=FAR) for score in SCORES)
    return float(raw[ERROR] / calibrated[ERROR])


def facts(rows: list[Row]) -> dict[str, float]:
    """Return what expected.toml bounds."""
    gains = {f"{pool}, {method.name}": gain(rows, pool, method) for pool in POOLS for method in METHODS}
    result = {f"{where}: uncalibrated / calibrated": value for where, value in gains.items()}
    for pool in POOLS:
        result[f"{pool}: gain of IS / gain of OASIS 60"] = gains[f"{pool}, IS"] / gains[f"{pool}, OASIS 60"]
    return result


def told(rows: list[Row]) -> str:
    """Return the section of the README."""
    lines = [
        [
            f"{TITLES[pool]}, {method}, {SCORES[score]}",
            *(markdown.with_error(at(rows, pool=pool, method=method, score=score, labels=n)) for n in SHOWN),
        ]
        for pool in POOLS
        for method, score in LOOKS
    ]
    head = ["pool, method, scores", *(f"{n:,}" for n in SHOWN)]
    return markdown.table(head, lines)
