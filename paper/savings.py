"""Label savings: the labels that OASIS and adaptive need for the error that the next best method ends with."""

from __future__ import annotations

import math

import numpy as np

from paper import markdown, results
from paper.figure_2_budget import ERROR, FAR, FARTHER, end, next_best, strata_of
from paper.measurements import ADAPTIVE, at, curve, oasis
from paper.pools import IMBALANCED, POOLS, TITLES
from paper.results import Effort, Row

TITLE = "Label savings"
SOURCE = "figure_2_budget"
REPLICATES = 2000

Curve = list[tuple[float, float]]


def measure(effort: Effort) -> list[Row]:
    """Return a row for each pool and method, computed from the results of figure 2."""
    rows = results.read(SOURCE)
    random = np.random.default_rng(effort.seed)
    return [
        {"runs": rows[0]["runs"], "seed": rows[0]["seed"]}
        | saved(rows, next_best(rows, pool, of), name, random)
        for pool in POOLS
        for of in budgets(pool)
        for name in (*(oasis(strata).name for strata in strata_of(pool)), ADAPTIVE.name)
    ]


def budgets(pool: str) -> tuple[int, ...]:
    """Return the labels of the next best: the paper does not print them, but on cora."""
    return (FAR, FARTHER) if pool in IMBALANCED else (end(pool),)


def saved(rows: list[Row], goal: Row, name: str, random: np.random.Generator) -> Row:
    """Return the labels that a method needs for an error, and what is saved, with its Monte Carlo error.

    Errors are drawn anew, normal with their standard errors and independent of each other.
    """
    pool, of = goal["pool"], goal["labels"]
    points = curve(rows, pool=pool, method=name)
    shares = [
        labels_to_reach([(row["labels"], _again(row, random)) for row in points], _again(goal, random)) / of
        for _ in range(REPLICATES)
    ]
    low, high = np.quantile([1 - min(share, 1.0) for share in shares], [0.025, 0.975])
    labels = labels_to_reach([(row["labels"], row[ERROR]) for row in points], goal[ERROR])
    return {
        "pool": pool,
        "method": name,
        "next_best": goal["method"],
        "error": goal[ERROR],
        "of": of,
        "labels": labels if math.isfinite(labels) else None,
        "saving": 1 - labels / of if math.isfinite(labels) else None,
        "saving_low": float(low),
        "saving_high": float(high),
    }


def _again(row: Row, random: np.random.Generator) -> float:
    return max(row[ERROR] + row[f"{ERROR}_se"] * random.standard_normal(), row[ERROR] / 10)


def labels_to_reach(points: Curve, error: float) -> float:
    """Return the labels after which the curve stays at or below the error, by log-log interpolation.

    The first point is returned if the curve begins there, and infinity if it never comes so low.
    """
    above = [i for i, (_, value) in enumerate(points) if value > error]
    last = above[-1] if above else -1
    if last == len(points) - 1:
        return math.inf
    if last < 0:
        return points[0][0]
    (n, high), (more, low) = points[last], points[last + 1]
    # An error of zero is taken for a thousandth of the one before.
    part = math.log(high / error) / math.log(high / max(low, high / 1000))
    return n * (more / n) ** part


def best(rows: list[Row], of: int) -> Row:
    """Return the row of the pool and the number of strata for which OASIS saves most of so many labels."""
    known = [row for row in rows if row["of"] == of and row["method"] != ADAPTIVE.name and row["saving"]]
    return max(known, key=lambda row: float(row["saving"]))


def facts(rows: list[Row]) -> dict[str, float]:
    """Return what expected.toml bounds."""
    amazon = at(rows, pool="amazon_google", method="OASIS 30", of=FAR)
    return {
        "the largest saving of 5,000 labels": best(rows, FAR)["saving"],
        "the largest saving of 10,000 labels": best(rows, FARTHER)["saving"],
        "amazon_google: saving of 5,000 labels, OASIS 30": amazon["saving"] or 0.0,
    }


def told(rows: list[Row]) -> str:
    """Return the section of the README."""
    lines = [
        [
            TITLES[row["pool"]],
            f"{row['next_best']}: {row['error']:.4f} at {row['of']:,}",
            row["method"],
            "not reached" if row["labels"] is None else f"{row['labels']:,.0f}",
            "-" if row["saving"] is None else _percent(row),
        ]
        for row in rows
    ]
    head = ["pool", "next best, its error", "method", "labels for that", "saving, 95 % of Monte Carlo error"]
    return markdown.table(head, lines)


def _percent(row: Row) -> str:
    low, high = (100 * row[f"saving_{side}"] for side in ("low", "high"))
    return f"{100 * row['saving']:.1f} % ({low:.1f} to {high:.1f})"
