"""Pools that stay in their engine: time and memory from ten to a hundred million pairs, beside a raw scan.

    python bench/scale.py FOLDER [--json bench/results/scale.json]

Writes two Parquet files of scored pairs into the folder, once (1.1 GB): two ids, a score skewed like that of a
real matcher, the prediction. Times are CPU times, of all threads, in processes of their own that take turns,
each the best of several; a raw scan reads the same columns with pyarrow. The exit status is 1 if a target is
missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet

import qanat
from qanat.design import design
from qanat.evaluation import Session
from samplers import peak_memory, printed
from table import Line, ratio, repeated, write

MILLION = 1_000_000
SMALL, LARGE = 10 * MILLION, 100 * MILLION
STRATA, LENGTH = 60, 2000
LABELS = 300
REPEATS = 3
PAIRS = """COPY (
    WITH drawn AS (
        SELECT range AS i, sqrt(-2 * ln(1 - random())) * cos(6.283185307179586 * random()) AS z, random() AS u
        FROM range({pairs})
    ), weighed AS (SELECT i, CASE WHEN u < 0.0005 THEN 5 + 3 * z ELSE -9 + 2 * z END AS weight FROM drawn)
    SELECT (i // 40)::BIGINT AS left_id, ((i * 7919 + i // 40) % {right})::BIGINT AS right_id,
        1 / (1 + exp(-weight)) AS score, weight >= 2 AS prediction FROM weighed
) TO '{path}' (FORMAT parquet, COMPRESSION zstd)"""


def main() -> int:
    """Measure, print, write, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    parser.add_argument("--measure", choices=MEASURES, help=argparse.SUPPRESS)
    parser.add_argument("--pairs", type=int, default=SMALL, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(MEASURES[arguments.measure](path_of(arguments.folder, arguments.pairs))))
        return 0
    for pairs in (SMALL, LARGE):
        make(arguments.folder, pairs)
    lines = printed(measured(arguments.folder))
    missed = [line.name for line in lines if line.is_missed]
    print("Missed: " + "; ".join(missed) + "." if missed else "Every target is met.")
    if arguments.json:
        write(arguments.json, lines, [f"Pairs made by DuckDB {duckdb.__version__}, scanned by it."])
    return 1 if missed else 0


def path_of(folder: Path, pairs: int) -> Path:
    """Return the file of so many pairs."""
    return folder / f"pairs-{pairs // MILLION}m.parquet"


def make(folder: Path, pairs: int) -> None:
    """Write the file of so many pairs, if it is not there."""
    path = path_of(folder, pairs)
    if path.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(config={"memory_limit": "2GB"}) as connection:
        connection.execute("SELECT setseed(0.42)")
        connection.execute(PAIRS.format(pairs=pairs, right=pairs // 20, path=f"{path}.part"))
    Path(f"{path}.part").replace(path)


def measured(folder: Path) -> Iterator[Line]:
    """Yield every line."""
    taken: dict[tuple[str, int], list[dict[str, float]]] = {}
    for _ in range(REPEATS):
        for pairs in (SMALL, LARGE):
            for measure in ("scan", "draw"):
                taken.setdefault((measure, pairs), []).append(child(folder, measure, pairs))
    for pairs in (SMALL, LARGE):
        yield from of_pool(taken["scan", pairs], taken["draw", pairs], pairs)
    for part in ("open and stratify", "first prefix"):
        each = [[run[part] / pairs for run in taken["draw", pairs]] for pairs in (LARGE, SMALL)]
        yield ratio(f"{part}: a pair of 100 million / of 10 million", *each, most=1.2)
    steps = child(folder, "label", LARGE)
    yield Line("a label on 100 million pairs, 95th percentile", "ms", steps["p95"], steps["median"], most=100.0)


def of_pool(scans: list[dict[str, float]], draws: list[dict[str, float]], pairs: int) -> Iterator[Line]:
    """Yield the lines of a pool."""
    raw = [run["scan"] for run in scans]
    name = f"{pairs // MILLION} million"
    parts = {part: [run[part] for run in draws] for part in ("open and stratify", "first prefix")}
    yield repeated(f"{name}: raw scan with pyarrow", "s", raw)
    for part, most in (("open and stratify", 3.0), ("first prefix", 12.0)):
        yield repeated(f"{name}: {part}", "s", parts[part])
        yield ratio(f"{name}: {part} / raw scan", parts[part], raw, most=most if pairs == LARGE else None)
    both = [sum(times) for times in zip(*parts.values(), strict=True)]
    yield repeated(f"{name}: both", "s", both, most=15.0 if pairs == SMALL else None)
    yield Line(f"{name}: peak memory", "GiB", max(run["peak"] for run in draws), most=1.0)


def child(folder: Path, measure: str, pairs: int) -> dict[str, float]:
    """Return what a process of its own measures."""
    command = [sys.executable, __file__, str(folder), "--measure", measure, "--pairs", str(pairs)]
    spoken: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return spoken


def scan(path: Path) -> dict[str, float]:
    """Read all columns once, row group by row group, and keep nothing."""
    started = time.process_time()
    file = pyarrow.parquet.ParquetFile(path)
    rows = sum(batch.num_rows for batch in file.iter_batches(batch_size=2**17, use_threads=False))
    assert rows == file.metadata.num_rows
    return {"scan": time.process_time() - started}


def draw(path: Path) -> dict[str, float]:
    """Open the pool, cut its strata and fetch the first pairs of each."""
    started = time.process_time()
    pool: Any = qanat.open_pool(path, engine="duckdb")
    cut = pool.stratify("log-rank", STRATA, "probability")
    between = time.process_time()
    assert len(pool.prefix(cut, LENGTH, 0).pairs) > STRATA
    return {
        "open and stratify": between - started,
        "first prefix": time.process_time() - between,
        "peak": peak_memory(),
    }


def label(path: Path) -> dict[str, float]:
    """Ask and tell one label at a time, and return what a label takes once the pool is open."""
    pool = qanat.open_pool(path)
    plan = design(pool, sampler="adaptive", target="f1", budget=LABELS, strata=30, seed=0, config=None)
    session, taken = Session(plan.keeping("anytime"), 0), []
    for goal in range(1, LABELS + 1):
        started = time.perf_counter()
        session.ask(lambda pair: int(pair.left) % 3 == 0, goal)
        taken.append(1000 * (time.perf_counter() - started))
    # The first label fetches the pairs.
    ranked = sorted(taken[1:])
    return {"p95": ranked[int(0.95 * len(ranked))], "median": statistics.median(ranked)}


MEASURES = {"scan": scan, "draw": draw, "label": label}

if __name__ == "__main__":
    sys.exit(main())
