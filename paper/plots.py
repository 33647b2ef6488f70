"""How figures look: the paper's sizes, and colours that colour-blind people tell apart (Okabe and Ito)."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FormatStrFormatter, LogLocator, NullLocator
from PIL import Image

from paper.results import Row

# Inches: a column and the page of the paper.
COLUMN, PAGE = 3.33, 7.0
COLOURS = 256
# What rounding leaves of an error that is zero.
EXACT = 1e-9
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"


class Look(NamedTuple):
    """The line of a method: its colour is never all that tells it apart."""

    colour: str
    line: str
    marker: str
    width: float = 1.1


# The strata of OASIS, few to many.
OASIS = (Look(SKY, "-", "v"), Look(BLUE, "-", "D"), Look(PURPLE, "-", "^"))
LOOKS = {
    "Passive": Look(BLACK, ":", "x"),
    "Stratified": Look(ORANGE, "--", "s"),
    "IS": Look(GREEN, "-.", "o"),
    "adaptive": Look(VERMILION, "-", "*", 1.8),
    **dict(zip(("OASIS 10", "OASIS 20", "OASIS 40"), OASIS, strict=True)),
    **dict(zip(("OASIS 30", "OASIS 60", "OASIS 120"), OASIS, strict=True)),
}

SETTINGS: dict[Any, Any] = {
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.labelsize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7.5,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.linewidth": 0.3,
    "grid.color": "#cccccc",
    "lines.markersize": 3,
    "savefig.dpi": 190,
}


def figure(rows: int, columns: int, size: tuple[float, float], **more: Any) -> tuple[Figure, Any]:
    """Return an empty figure and its axes, always as a table of rows and columns."""
    for name, value in SETTINGS.items():
        mpl.rcParams[name] = value
    return plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained", **more)


def line(axes: Axes, points: list[Row], column: str, look: Look, name: str) -> None:
    """Draw a column against labels, with a band of two Monte Carlo errors; an error of zero is left out."""
    known = [row for row in points if row[column] > EXACT]
    x = [row["labels"] for row in known]
    y = [row[column] for row in known]
    error = [2 * row[f"{column}_se"] for row in known]
    axes.plot(x, y, look.line, color=look.colour, marker=look.marker, lw=look.width, mew=0.8, label=name)
    low, high = ([max(a + s * e, a / 10) for a, e in zip(y, error, strict=True)] for s in (-1, 1))
    axes.fill_between(x, low, high, color=look.colour, alpha=0.15, lw=0)


def logarithmic(axes: Axes, *, x: bool = True) -> None:
    """Make the scales logarithmic, the horizontal one only if `x`, with a grid and plain numbers."""
    axes.set(yscale="log", **({"xscale": "log"} if x else {}))
    for axis, steps in ((axes.xaxis, (1.0,)), (axes.yaxis, (1.0, 3.0)))[not x :]:
        axis.set_major_locator(LogLocator(subs=steps))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FormatStrFormatter("%g"))
    axes.grid(visible=True)


def save(drawn: Figure, path: Path) -> None:
    """Write the figure as PNG with few colours, which is a quarter of the size, and without a date."""
    path.parent.mkdir(parents=True, exist_ok=True)
    buffer = BytesIO()
    drawn.savefig(buffer)
    plt.close(drawn)
    Image.open(buffer).convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
