"""The errors of the paper's methods on the authors' pools: the table in the README.

    python bench/errors.py DATASETS [--runs 1000] [--json bench/results/errors.json]

DATASETS is the folder of the paper's datasets (QANAT_DATA).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from qanat import Simulation, open_pool, simulate

POOLS = ("abt_buy", "amazon_google", "restaurant", "dblp_acm")
METHODS = (
    ("passive", 30),
    ("stratified", 30),
    ("importance", 30),
    ("oasis", 30),
    ("oasis", 60),
    ("oasis", 120),
)
LABELS = (100, 200, 500, 1000, 2000, 5000)
SHOWN = (500, 1000, 5000)


def main() -> None:
    """Print the table and write all that was measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", type=Path)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    results = []
    for name in POOLS:
        pool = open_pool(arguments.datasets / name / "pool.csv.gz", prediction="pred", label="label")
        for sampler, strata in METHODS:
            result = simulate(
                pool, sampler=sampler, strata=strata, runs=arguments.runs, budget=5000, checkpoints=LABELS
            )
            results.append({"pool": name} | result.as_dict())
            print(f"| {name} | {sampler} {result.strata} |", " | ".join(cells(result)), "|", flush=True)
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


def cells(result: Simulation) -> list[str]:
    """Return the mean absolute error at the budgets shown, with the share of defined runs if below 95 %."""
    shown = [point for point in result.checkpoints if point.labels in SHOWN]
    return [
        "undefined"
        if point.mean_absolute_error is None or point.mean_absolute_error_se is None
        else f"{point.mean_absolute_error:.3f} ± {point.mean_absolute_error_se:.3f}"
        + (f" [{point.defined:.0%}]" if point.defined < 0.95 else "")
        for point in shown
    ]


if __name__ == "__main__":
    main()
