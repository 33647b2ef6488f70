"""How figure 4 is drawn: errors as lines, those of the strata as heat maps, one run beside the mean of all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm

from paper import plots
from paper.results import Row

SIDES = {"one": "one run", "mean": "mean of {runs} runs"}
MAPS = {"rate": "(b) error of $\\pi$", "proposal": "(c) error of $v^\\star$"}
# Below this an error is not seen any more.
LEAST = 1e-4


def draw(rows: list[Row], path: Path) -> None:
    """Draw four rows: F, match rates, proposal, divergence; left one run, right all."""
    figure, axes = plots.figure(
        4, 2, (plots.PAGE, 6.6), sharex=True, sharey="row", height_ratios=(1, 1.4, 1.4, 1)
    )
    labels = sorted({row["labels"] for row in rows})
    points = [row for row in rows if row["stratum"] == 1]
    for column, (side, title) in enumerate(SIDES.items()):
        _line(axes[0, column], points, f"f_{side}")
        axes[0, column].set_title(title.format(runs=rows[0]["runs"]))
        for row, name in enumerate(MAPS, start=1):
            shown = _map(axes[row, column], labels, _table(rows, labels, f"{name}_{side}"))
        axes[3, column].set(xlabel="labels", xlim=(0, labels[-1]))
    _line(axes[3, 0], points, "divergence_one")
    _line(axes[3, 1], points, "divergence_median")
    _quartiles(axes[3, 1], points)
    figure.colorbar(shown, ax=axes[1:3, 1], pad=0.02, aspect=30, label="absolute error")
    for row, text in enumerate(("(a) abs. err. of $F_{1/2}$", *MAPS.values(), "(d) KL divergence")):
        axes[row, 0].set_ylabel(text if row in {0, 3} else f"{text}\nstratum")
    plots.save(figure, path)


def _line(axes: Axes, rows: list[Row], column: str) -> None:
    axes.plot([row["labels"] for row in rows], [row[column] for row in rows], color=plots.BLUE, lw=1.2)
    plots.logarithmic(axes, x=False)


def _quartiles(axes: Axes, rows: list[Row]) -> None:
    low, high = ([row[f"divergence_{side}"] for row in rows] for side in ("lower", "upper"))
    axes.fill_between([row["labels"] for row in rows], low, high, color=plots.BLUE, alpha=0.2, lw=0)
    axes.text(0.03, 0.08, "median and quartiles", transform=axes.transAxes)


def _map(axes: Axes, labels: list[int], values: Any) -> QuadMesh:
    edges = np.array([0, *labels])
    strata = np.arange(values.shape[0] + 1) + 0.5
    return axes.pcolormesh(
        edges, strata, np.maximum(values, LEAST), norm=LogNorm(LEAST, 1), cmap="cividis", rasterized=True
    )


def _table(rows: list[Row], labels: list[int], column: str) -> Any:
    strata = max(row["stratum"] for row in rows)
    values = np.empty((strata, len(labels)))
    for row in rows:
        values[row["stratum"] - 1, labels.index(row["labels"])] = row[column]
    return values
