"""What the readings of OASIS cost: mean absolute error of F_1/2 with each, on a pool of the paper.

    python bench/readings.py DATASETS [--runs 500] [--json bench/results/readings.json]

DATASETS is the folder of the paper's datasets (QANAT_DATA). The table is quoted in docs/adr/0002 to 0004.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from qanat import InMemoryPool, open_pool, simulate
from qanat.samplers import oasis

LABELS = (500, 1000, 2000)
READINGS = {
    "released code": oasis.RELEASED,
    "released, prior not decaying": oasis.RELEASED._replace(is_decaying=False),
    "released, prior of 2K a stratum": oasis.RELEASED._replace(strength=oasis.TWICE_THE_STRATA),
    "released, averaged outside the root": oasis.RELEASED._replace(average="outside"),
    "released, logistic of the mean": oasis.RELEASED._replace(guess="logistic"),
    "paper's text": oasis.PAPER,
    "paper's text, prior decaying": oasis.PAPER._replace(is_decaying=True),
}


def main() -> None:
    """Print the table and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", type=Path)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = []
    for name in ("abt_buy", "restaurant"):
        path = arguments.datasets / name / "pool.csv.gz"
        raw = open_pool(path, prediction="pred", label="label")
        calibrated = open_pool(path, score="prob", prediction="pred", label="label")
        for strata in (30, 60):
            for reading, config in READINGS.items():
                rows.append(row(name, reading, raw, strata=strata, config=config, runs=arguments.runs))
            known = oasis.RELEASED._replace(guess="probability")
            reading = "released, probabilities as scores"
            rows.append(row(name, reading, calibrated, strata=strata, config=known, runs=arguments.runs))
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


def row(name: str, reading: str, pool: InMemoryPool, *, strata: int, config: Any, runs: int) -> dict[str, Any]:
    """Return and print the errors of one reading."""
    result = simulate(pool, strata=strata, config=config, runs=runs, budget=LABELS[-1], checkpoints=LABELS)
    errors = {str(point.labels): point.mean_absolute_error for point in result.checkpoints}
    spread = {str(point.labels): point.mean_absolute_error_se for point in result.checkpoints}
    print(f"{name:12} K={strata:<4} {reading:38}", *(f"{error:.4f}" for error in errors.values()), flush=True)
    return {
        "pool": name,
        "strata": strata,
        "reading": reading,
        "runs": runs,
        "mean_absolute_error": errors,
        "standard_error": spread,
    }


if __name__ == "__main__":
    main()
