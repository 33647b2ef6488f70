"""The table of a benchmark: one line for each thing measured, with its target if it has one.

Noise only ever adds to a time, so a target is held against the best of the repeats; the median and the worst
stand beside it. A ratio is best to best, and beside it median to median.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import qanat

HEAD = f"{'':58} {'unit':>5} {'best':>9} {'median':>9} {'worst':>9}   target"


class Line(NamedTuple):
    """What was measured; `best` is held against the target, which is `most` or `least`."""

    name: str
    unit: str
    best: float
    median: float | None = None
    worst: float | None = None
    most: float | None = None
    least: float | None = None

    @property
    def is_missed(self) -> bool:
        """Whether there is a target and it is missed."""
        is_over = self.most is not None and self.best > self.most
        return is_over or (self.least is not None and self.best < self.least)

    @property
    def target(self) -> str:
        """The target in words."""
        if self.least is not None:
            return f"at least {self.least:g}"
        return "" if self.most is None else f"at most {self.most:g}"

    def __str__(self) -> str:
        """Return the line as it is printed under the head."""
        numbers = "".join(f" {'' if x is None else f'{x:.3g}':>9}" for x in self[2:5])
        verdict = "" if not self.target else "MISSED" if self.is_missed else "met"
        return f"{self.name:58} {self.unit:>5}{numbers}   {self.target:12} {verdict}".rstrip()


def repeated(name: str, unit: str, values: Sequence[float], *, most: float | None = None) -> Line:
    """Return the line of a measurement that was repeated."""
    return Line(name, unit, min(values), statistics.median(values), max(values), most=most)


def ratio(
    name: str,
    over: Sequence[float],
    under: Sequence[float],
    *,
    most: float | None = None,
    least: float | None = None,
) -> Line:
    """Return the line of the ratio of two measurements whose repeats took turns."""
    median = statistics.median(over) / statistics.median(under)
    return Line(name, "times", min(over) / min(under), median, most=most, least=least)


def write(path: Path, lines: Sequence[Line], notes: Sequence[str]) -> None:
    """Write the results, and the machine that they are of, as JSON."""
    measured = [_rounded(line) | {"is_missed": line.is_missed} for line in lines]
    result = {"machine": _machine(), "qanat": qanat.__version__, "notes": notes, "lines": measured}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=2) + "\n")


def _rounded(line: Line) -> dict[str, str | float | None]:
    return {
        name: float(f"{value:.4g}") if isinstance(value, float) else value
        for name, value in line._asdict().items()
    }


def _machine() -> dict[str, str | int | None]:
    return {
        "cpu": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
