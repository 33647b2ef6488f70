"""Speed and memory of the features of all pairs of two tables, measured in one run beside a loop over pairs.

    QANAT_DATA=DATASETS python bench/er.py [--json bench/results/er.json]

All 6.0 million pairs of DBLP and ACM: trigram similarity of the titles, word similarity of the authors,
nearness of the years; the preparation of the texts is counted. Times are CPU times on one thread, each the
best of several repeats that take turns. The exit status is 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Any

# Before NumPy is there: the target is for one core.
os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")

from qanat import er
from qanat.datasets import dblp_acm
from qanat.datasets.base import Tables
from qanat.er.fields import Field, similarities
from qanat.er.normalise import normalised, number
from qanat.er.pairs import AllPairs
from qanat.er.tables import checked_tables
from samplers import cpu_seconds, in_turn, peak_memory, printed
from table import Line, ratio, repeated, write

FIELDS = (
    Field("title", "title", "short"),
    Field("authors", "authors", "long"),
    Field("year", "year", "number"),
)
# Ten million pairs a second and core.
SECONDS_PER_PAIR = 1e-7
# So many pairs for the loop, which takes many times as long for each.
LOOPED = 100_000
REPEATS = 5


def main() -> int:
    """Measure, print, write, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    parser.add_argument("--peak", choices=("features", "pool"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peak:
        print(peak(arguments.peak))
        return 0
    lines = printed(measured())
    missed = [line.name for line in lines if line.is_missed]
    print("Missed: " + "; ".join(missed) + "." if missed else "Every target is met.")
    if arguments.json:
        write(
            arguments.json, lines, [f"{pairs(dblp_acm.load()):,} pairs of DBLP and ACM; loops over {LOOPED:,}."]
        )
    return 1 if missed else 0


def measured() -> Iterator[Line]:
    """Yield every line."""
    # Memory first: the peak of a child counts that of the parent from which it was split.
    for what, most in (("features", 0.5), ("pool", None)):
        spoken = subprocess.run(
            [sys.executable, __file__, "--peak", what], check=True, capture_output=True, text=True
        ).stdout
        yield Line(f"peak: {what} of all pairs", "GiB", float(spoken), most=most)
    two = dblp_acm.load()
    for field in FIELDS:
        yield from of_field(two, field)
    yield repeated(
        "all three, trained, scored and written", "s", *in_turn([partial(cpu_seconds, partial(pool, two))], 3)
    )


def of_field(two: Tables, field: Field) -> Iterator[Line]:
    """Yield the time of one feature, and how many times as long a loop over pairs takes."""
    whole, loop = partial(features, two, field), looped(two, field)
    ours, theirs = in_turn([partial(cpu_seconds, whole), partial(cpu_seconds, loop)], REPEATS)
    scaled = [seconds * pairs(two) / LOOPED for seconds in theirs]
    yield repeated(f"{field}: {pairs(two):,} pairs", "s", ours, most=SECONDS_PER_PAIR * pairs(two))
    yield ratio(f"{field}: loop over pairs in Python / ours", scaled, ours)


def pairs(two: Tables) -> int:
    """Return the number of pairs of two tables."""
    assert two.right is not None
    return len(two.left["id"]) * len(two.right["id"])


def features(two: Tables, *fields: Field) -> int:
    """Make the features of all pairs, block by block, and return how many pairs had one."""
    tables = checked_tables(two.left, two.right)
    blocks = AllPairs(len(tables.left_ids), len(tables.right_ids), is_one=False).blocks(
        similarities(tables, fields)
    )
    return sum(int((block.features > 0).any(axis=1).sum()) for block in blocks)


def pool(two: Tables) -> er.Summary:
    """Train a classifier on some pairs, score all and write them."""
    with tempfile.TemporaryDirectory() as folder:
        recipe = er.Recipe(fields=[str(field) for field in FIELDS])
        return er.write_pool(
            Path(folder) / "pool.parquet", two.left, two.right, truth=two.matches, recipe=recipe
        )


def peak(what: str) -> float:
    """Return the peak memory of this process in GiB after one of them."""
    if what == "features":
        features(dblp_acm.load(), *FIELDS)
    else:
        pool(dblp_acm.load())
    return peak_memory()


def looped(two: Tables, field: Field) -> Callable[[], float]:
    """Return what compares some of the pairs one by one; their values are prepared here, before the clock."""
    assert two.right is not None
    prepare, compare = LOOPS[field.kind]
    left, right = [*map(prepare, two.left[field.left])], [*map(prepare, two.right[field.right])]
    return lambda: sum(compare(a, b) for a, b in islice(product(left, right), LOOPED))


def trigrams(text: str) -> frozenset[str]:
    """Return the groups of three letters of a text."""
    plain = normalised(text)
    return frozenset(plain[at : at + 3] for at in range(len(plain) - 2))


def words(text: str) -> frozenset[str]:
    """Return the words of a text; their weights are left out, which spares the loop some work."""
    return frozenset(normalised(text).split())


def share(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the share of what two sets have in common."""
    return len(a & b) / max(len(a | b), 1)


def nearness(a: float, b: float) -> float:
    """Return how near two years are."""
    return 1 - abs(a - b) / 9


LOOPS: dict[str, tuple[Callable[[str], Any], Callable[[Any, Any], float]]] = {
    "short": (trigrams, share),
    "long": (words, share),
    "number": (number, nearness),
}


if __name__ == "__main__":
    sys.exit(main())
