"""Restaurant: 864 entries of Fodor's and Zagat's guides, with 112 pairs that are the same restaurant.

The pool is the one on which the authors of OASIS (Marchant and Rubinstein, VLDB 2017) evaluated a classifier:
149,747 pairs, of which 45 match. It counts both orders of a pair, so that it can have (3, 2) and (2, 3).

Columns of the table: id, the row from 0, name, addr, phone, city, type. Of the pool: left_id, right_id, label,
pred, which is `score >= 0`, score, the margin of a support vector machine, prob, the score made a probability,
and f1 to f4, which behave as distances of the trigrams of name, addr, city and type. To fetch the records, two
public copies are joined row by row, and the result is checked by its checksum.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from qanat.datasets import hdf5
from qanat.datasets.base import Columns, Tables, columns, deduplicated
from qanat.datasets.conversion import LEFT_RIGHT, bar_separated, canonical, matches
from qanat.datasets.origin import File, Progress, Source, contents

ORIGIN = (
    "RIDDLE repository, University of Texas at Austin, put together by Sheila Tejada, from "
    "github.com/AI-team-UoA/pyJedAI and, for who is who, github.com/dedupeio/dedupe; "
    "the pool from github.com/ngmarchant/activeeval-experiments"
)
LICENCE = "RIDDLE states no licence: the records are offered for research. The pool: MIT."
COPY = "https://raw.githubusercontent.com/AI-team-UoA/pyJedAI/9ababa0f4c7af4808afe50b3823929856963c64a/data/test/der/"
CLUSTERS = (
    "https://raw.githubusercontent.com/dedupeio/dedupe/837e204ef4fc35b16e8d9075e19ecd9e7961da67/"
    "datasets/restaurant-nophone-training.csv"
)


def load(*, progress: Progress | None = None) -> Tables:
    """Return the records and the pairs that match; `progress` is told the share that is done."""
    return deduplicated(*contents(FILES, ["records.csv", "matches.csv"], progress))


def pool(*, progress: Progress | None = None) -> Columns:
    """Return the columns of the authors' pool, which qanat.open_pool takes; to fetch it needs h5py."""
    return columns(*contents(FILES, ["pool.csv"], progress))


def _records(paths: Sequence[Path]) -> bytes:
    header, *rows = bar_separated(paths[0])
    both = zip(rows, _clusters(paths[1]), strict=True)
    return canonical([*header, "cluster"], ([*row, cluster] for row, cluster in both))


def _clusters(path: Path) -> list[str]:
    """Return the last value of every row, which is in single quotes after a blank."""
    with path.open(encoding="utf-8", newline="") as file:
        return [row[-1].strip("'") for row in csv.reader(file, skipinitialspace=True)][1:]


FILES = {
    "records.csv": File(
        "restaurant/records.csv",
        "28b359ed27f2fd9023daa44f0dc4f64f1efcd5666f7fb18d8855e9f7f01b7181",
        (Source(COPY + "restaurantProfiles.csv"), Source(CLUSTERS)),
        _records,
    ),
    "matches.csv": File(
        "restaurant/matches.csv",
        "07cfb34ca7ce7c154fb634fd299393435c8f4e3e265b0b6bf4ce64071031001c",
        (Source(COPY + "duplicates.csv"),),
        matches,
    ),
    "pool.csv": hdf5.published(
        "restaurant-svm.h5",
        "restaurant/pool.csv",
        "1b77338dfad4fb9218b8787207c44f6d1f4c09928f4625ebc7a28d0e091cd3a1",
        ids=LEFT_RIGHT,
    ),
}
