"""The same pool on three engines: a million pairs, of which PostgreSQL, Spark and DuckDB draw the same.

    python bench/engines.py FOLDER POSTGRES_URL [--json bench/results/engines.json]

Writes a million pairs into the folder, once, and into a table `million` of the database, which it replaces.
Prints for every engine the strata, a digest of the first pairs of each cell, and the seconds on the clock. The
exit status is 1 if they differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

import qanat
from scale import LENGTH, MILLION, STRATA, make, path_of


def main() -> int:
    """Measure, print, write, and return 1 if two engines differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("url")
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    arguments = parser.parse_args()
    make(arguments.folder, MILLION)
    path = path_of(arguments.folder, MILLION)
    engines: dict[str, Callable[[], Any]] = {
        "memory": lambda: qanat.open_pool(path, engine="memory"),
        "duckdb": lambda: qanat.open_pool(path, engine="duckdb"),
        "postgres": lambda: in_postgres(arguments.url, path),
        "spark": lambda: in_spark(path),
    }
    rows = [row(name, open_) for name, open_ in engines.items()]
    if arguments.json:
        arguments.json.write_text(
            json.dumps({"command": "python bench/engines.py", "rows": rows}, indent=2) + "\n"
        )
    is_same = len({(each["strata"], each["digest"]) for each in rows}) == 1
    print("All engines drew the same pairs." if is_same else "The engines differ.")
    return 0 if is_same else 1


def row(name: str, open_: Callable[[], Any]) -> dict[str, Any]:
    """Return what an engine draws."""
    started = time.perf_counter()
    pool = open_()
    cut = pool.stratify("log-rank", STRATA, "probability")
    prefix = pool.prefix(cut, LENGTH, 0)
    drawn = hashlib.sha256("\n".join(f"{left}:{right}" for left, right in prefix.pairs).encode()).hexdigest()
    found = {
        "engine": name,
        "pairs": len(pool),
        "strata": len(cut.edges),
        "first pairs": len(prefix.pairs),
        "digest": drawn,
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(found, flush=True)
    return found


def in_postgres(url: str, path: Path) -> Any:
    """Return the pool of the file in a table of the database."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection, duckdb.connect() as files:
        connection.execute("DROP TABLE IF EXISTS million")
        connection.execute(
            "CREATE TABLE million (left_id bigint, right_id bigint, score double precision, prediction boolean)"
        )
        with connection.cursor().copy("COPY million FROM STDIN") as copy:
            for pair in files.read_parquet(str(path)).fetchall():
                copy.write_row(pair)
    return qanat.open_pool(url, table="million")


def in_spark(path: Path) -> Any:
    """Return the pool of the file as a data frame of a session in this process."""
    warnings.simplefilter("ignore")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return qanat.open_pool(session.read.parquet(str(path)))


if __name__ == "__main__":
    sys.exit(main())
