"""Recall of all pairs where blocking lost matches: which intervals hold it, on generated persons.

    python bench/outside.py [--runs 40] [--json bench/results/outside.json]

Candidates are the pairs with an equal first letter of the family name, and the rest one stratum outside. Prints
how often each interval of the default method holds the recall of all, and its mean ends.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import qanat
from qanat.datasets.people import people, scored_pairs, tables
from qanat.pool.outside import WithOutside

PERSONS, SEED = 300, 11
LABELS = (300, 1000, 3000)
INTERVALS = ("anytime", "envelope")

Pairs = set[tuple[str, str]]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    arguments = parser.parse_args()
    pool, truth, told = problem()
    print(told)
    rows = []
    for interval in INTERVALS:
        for labels in LABELS:
            rows.append(
                covered(pool, truth, told["recall of all"], interval, labels=labels, runs=arguments.runs)
            )
            print(rows[-1], flush=True)
    if arguments.json:
        command = f"python bench/outside.py --runs {arguments.runs}"
        arguments.json.write_text(json.dumps({"command": command, "pool": told, "rows": rows}, indent=2) + "\n")


def problem() -> tuple[WithOutside, Pairs, dict[str, float]]:
    """Return the candidates with the outside, the matches, and what is true of them."""
    persons = people(left=PERSONS, right=PERSONS, seed=SEED)
    left, right, matches = tables(persons)
    assert right is not None
    first = [np.array([name[:1] for name in side["family_name"]]) for side in (left, right)]
    is_candidate = (first[0][:, None] == first[1]).ravel()
    every = scored_pairs(persons)
    pairs = {name: values[is_candidate] for name, values in every.items()}
    label = pairs.pop("label")
    found = int((label & pairs["prediction"]).sum())
    pool = qanat.with_outside(
        qanat.open_pool(pairs, prediction="prediction"),
        *(pa.table({"id": side["id"]}) for side in (left, right)),
    )
    told = {
        "pairs": len(pool),
        "candidates": len(label),
        "matches": len(matches),
        "matches outside": len(matches) - int(label.sum()),
        "recall of the candidates": found / int(label.sum()),
        "recall of all": found / len(matches),
    }
    return pool, set(matches), told


def covered(
    pool: WithOutside, truth: Pairs, recall: float, interval: str, *, labels: int, runs: int
) -> dict[str, Any]:
    """Return how often the interval holds the recall of all, and its mean ends."""
    ends = []
    for seed in range(runs):
        result = qanat.evaluate(
            pool, lambda pair: tuple(pair) in truth, budget=labels, seed=seed, interval=interval
        )
        ends.append((result.recall.low, result.recall.high))
    low, high = np.array(ends, dtype=float).T
    return {
        "interval": interval,
        "labels": labels,
        "runs": runs,
        "coverage": float(np.mean((low <= recall) & (recall <= high))),
        "low": float(low.mean()),
        "high": float(high.mean()),
    }


if __name__ == "__main__":
    main()
