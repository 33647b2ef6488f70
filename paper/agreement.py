"""Agreement with the authors' released package, where the paper prints no numbers: released.json.

The reference has 6 to 100 runs of a method, and prints five digits; ours are those of figures 2 and 3.
"""

from __future__ import annotations

import json
import math
from typing import Any

from scipy.stats import norm, t

from paper import markdown, results
from paper.measurements import DEFINED
from paper.pools import TITLES
from paper.results import HERE, Effort, Row

TITLE = "Agreement with the released package"
SOURCES = ("figure_2_budget", "figure_3_calibration")
REFERENCE = HERE / "released.json"
ERROR = "mean_absolute_error"
ROUNDING = 1e-5 / math.sqrt(12)
# With fewer runs the standard error of the reference is itself a guess.
FEWEST = 10
SHOWN = (500, 1000, 5000)
FALSE_ALARM = 1e-6


def measure(effort: Effort) -> list[Row]:
    """Return a row for each method, pool and number of labels that both have, computed from the results."""
    del effort
    rows = [row for source in SOURCES for row in results.read(source)]
    ours = {(row["pool"], row["score"], row["method"], row["labels"]): row for row in rows}
    told = []
    for method in json.loads(REFERENCE.read_text())["results"]:
        for point in method["grid"]:
            key = (method["pool"], method["score"], method["method"], point["labels"])
            if key in ours and method["runs"] >= FEWEST:
                told.append(compared(ours[key], method, point))
    return [row for row in told if row["z"] is not None]


def compared(row: Row, method: dict[str, Any], point: dict[str, Any]) -> Row:
    """Return both errors, and how far they are apart: Welch's statistic as a normal score."""
    known = [point["defined"], row["defined"]]
    z = None
    if min(known) >= DEFINED:
        theirs, runs = math.hypot(point["mae_se"], ROUNDING), round(point["defined"] * method["runs"])
        z = normal_score(row[ERROR] - point["mae"], (row[f"{ERROR}_se"], row["runs"]), (theirs, runs))
    return {
        "runs": row["runs"],
        "seed": row["seed"],
        "pool": row["pool"],
        "score": row["score"],
        "method": row["method"],
        "labels": row["labels"],
        "ours": row[ERROR],
        "ours_se": row[f"{ERROR}_se"],
        "theirs": point["mae"],
        "theirs_se": point["mae_se"],
        "their_runs": method["runs"],
        "z": z,
    }


def normal_score(difference: float, one: tuple[float, int], other: tuple[float, int]) -> float:
    """Return the normal score as unlikely as Welch's t of a difference; each mean has an error and runs."""
    squares = [(error**2, runs) for error, runs in (one, other)]
    both = sum(square for square, _ in squares)
    freedom = both**2 / sum(square**2 / (runs - 1) for square, runs in squares)
    return float(-math.copysign(norm.isf(t.sf(abs(difference) / math.sqrt(both), freedom)), -difference))


def facts(rows: list[Row]) -> dict[str, float]:
    """Return what expected.toml bounds."""
    scores = [row["z"] for row in rows]
    last = [row["z"] for row in rows if row["labels"] == 5000]
    return {
        "largest score, either sign": max(map(abs, scores)),
        "share of scores beyond 1.96": sum(abs(z) > 1.96 for z in scores) / len(scores),
        "pooled score at 5000 labels": sum(last) / math.sqrt(len(last)),
    }


def told(rows: list[Row]) -> str:
    """Return the section of the README."""
    keys = dict.fromkeys((row["pool"], row["score"], row["method"]) for row in rows)
    lines = []
    for key in keys:
        found = {row["labels"]: row for row in rows if (row["pool"], row["score"], row["method"]) == key}
        pool, score, method = key
        name = f"{TITLES[pool]}, {method}{', calibrated' if score == 'prob' else ''}"
        lines.append(
            [name, str(next(iter(found.values()))["their_runs"]), *(_cell(found.get(n)) for n in SHOWN)]
        )
    critical = float(norm.isf(FALSE_ALARM / 2 / len(rows)))
    head = ["pool, method", "their runs", *(f"{n:,}: theirs, ours, z" for n in SHOWN)]
    intro = (
        f"Mean absolute errors, {len(rows)} in all; `z` is the normal score of Welch's test.\n"
        f"If the methods are the same, one in a million such sets has a score beyond {critical:.2f}."
    )
    return "\n\n".join(
        [
            intro,
            markdown.table(head, lines),
        ]
    )


def _cell(row: Row | None) -> str:
    if row is None:
        return "-"
    theirs, ours = (f"{row[who]:.4f} ± {row[f'{who}_se']:.4f}" for who in ("theirs", "ours"))
    return f"{theirs}, {ours}, {row['z']:+.1f}"
