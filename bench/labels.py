"""What adaptive promises, measured in one run: errors against labels, robustness, coverage, batches, speed.

    python bench/labels.py DATASETS [--runs 500] [--processes 2] [--only errors] [--cora cora.parquet]
                           [--held-out FOLDER] [--json bench/results/labels.json]

DATASETS is the folder of the paper's datasets (QANAT_DATA). The cora pool and those held out are made anew,
which needs scikit-learn, or read from what bench/cora.py and bench/held_out.py wrote. What the released
packages do is read from --peers. With --only, the other parts of an existing JSON file stay. The exit status
is 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

# Before NumPy is imported: small matrices do not gain from threads, and processes would fight for them.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import labels_batches
import labels_coverage
import labels_errors
import labels_held_out
import labels_robustness
import labels_speed
import qanat
from labels_jobs import Job, Report, Results, measured
from pools import HELD_OUT, Source


class Part(NamedTuple):
    """What is measured, and how it is told; times are taken one at a time."""

    jobs: Callable[[int], list[Job]]
    report: Callable[[Results, Path], Report]
    is_timed: bool = False


PARTS = {
    "errors": Part(labels_errors.jobs, labels_errors.report),
    "robustness": Part(labels_robustness.jobs, labels_robustness.report),
    "coverage": Part(labels_coverage.jobs, labels_coverage.report),
    "batches": Part(labels_batches.jobs, labels_batches.report),
    "speed": Part(labels_speed.jobs, labels_speed.report, is_timed=True),
    "held-out": Part(labels_held_out.jobs, labels_held_out.report),
}


def main() -> int:
    """Measure and print every part asked for, write it, and return 1 if a target is missed."""
    arguments = parsed()
    peers = arguments.peers or arguments.datasets.parent / "reference" / "peers.json"
    is_missed = False
    with tempfile.TemporaryDirectory() as folder:
        parts = {name: PARTS[name] for name in arguments.only or PARTS}
        jobs = {name: part.jobs(arguments.runs) for name, part in parts.items()}
        source = Source(
            arguments.datasets,
            arguments.cora or Path(folder, "cora.parquet"),
            arguments.held_out or Path(folder, "held_out"),
        )
        make_missing(source, {job.pool for each in jobs.values() for job in each})
        for name, part in parts.items():
            results = measured(jobs[name], source, 1 if part.is_timed else arguments.processes)
            report = part.report(results, peers)
            print(
                f"== {name}, {arguments.runs} runs ==", *report.tables, *report.verdicts, sep="\n\n", flush=True
            )
            is_missed |= not all(verdict.is_met for verdict in report.verdicts)
            if arguments.json:
                write(arguments.json, name, arguments.runs, results, report)
    return int(is_missed)


def parsed() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", type=Path)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", choices=PARTS, action="append", help="this part; may be given again")
    parser.add_argument("--cora", type=Path, help="the pool that bench/cora.py wrote")
    parser.add_argument("--held-out", type=Path, help="the folder that bench/held_out.py wrote")
    parser.add_argument("--peers", type=Path, help="default: reference/peers.json beside DATASETS")
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    return parser.parse_args()


def make_missing(source: Source, names: set[str]) -> None:
    """Write those of the named pools that are not published and not there yet."""
    is_cora = "cora" in names and not source.cora.exists()
    is_held_out = not names.isdisjoint(HELD_OUT) and not source.held_out.exists()
    if not (is_cora or is_held_out):
        return
    try:
        import cora
        import held_out
    except ImportError:
        sys.exit(
            "The pools need scikit-learn: install it, or give what bench/cora.py wrote as --cora, and the "
            "folder of bench/held_out.py as --held-out."
        )
    if is_cora:
        cora.write(cora.cora(source.datasets / "cora" / "records.csv"), source.cora)
    if is_held_out:
        held_out.write(source.datasets, source.held_out)


def write(path: Path, name: str, runs: int, results: Results, report: Report) -> None:
    """Write a part into the file, beside the parts that are there."""
    kept = json.loads(path.read_text())["parts"] if path.exists() else {}
    rows = [dict(zip(("pool", "change", "method"), key, strict=True)) | row for key, row in results.items()]
    verdicts = [verdict._asdict() | {"is_met": verdict.is_met} for verdict in report.verdicts]
    kept[name] = {"qanat": qanat.__version__, "runs": runs, "verdicts": verdicts, "results": rows}
    parts = {each: kept[each] for each in PARTS if each in kept}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rounded({"parts": parts}), indent=1) + "\n")


def rounded(value: Any) -> Any:
    """Return the value with its numbers to five digits, and those that JSON does not have as None."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    if isinstance(value, float):
        short = float(f"{value:.5g}")
        return short if abs(short) < float("inf") else None
    return value


if __name__ == "__main__":
    sys.exit(main())
