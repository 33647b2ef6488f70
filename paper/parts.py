"""The parts in the order in which they are made and told, and what a part is."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from paper.results import FIGURES, Effort, Row

# Those that are computed from the results of others come after them.
NAMES = (
    "table_1_datasets",
    "table_2_pools",
    "figure_1_strata",
    "figure_2_budget",
    "savings",
    "figure_3_calibration",
    "agreement",
    "figure_4_convergence",
    "figure_5_classifiers",
    "table_3_times",
)


class Part(NamedTuple):
    """A part of the reproduction: how it is measured, told, drawn if it is a figure, and held to bounds."""

    name: str
    title: str
    measure: Callable[[Effort], list[Row]]
    told: Callable[[list[Row]], str]
    facts: Callable[[list[Row]], dict[str, float]]
    draw: Callable[[list[Row], Path], None] | None

    @property
    def figure(self) -> Path:
        """The file of its figure."""
        return FIGURES / f"{self.name}.png"


def part(name: str) -> Part:
    """Return the part of this name, which is that of its module."""
    module: Any = import_module(f"paper.{name}")
    return Part(name, module.TITLE, module.measure, module.told, module.facts, getattr(module, "draw", None))
