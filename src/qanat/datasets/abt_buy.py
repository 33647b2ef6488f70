"""Abt-Buy: 1,081 products of Abt, 1,092 of Buy, and the 1,097 pairs that are the same product.

Some products match more than one. The pool is the one on which the authors of OASIS (Marchant and Rubinstein,
VLDB 2017) evaluated a classifier: 53,753 pairs, of which 50 match.

Columns of the left table: id, name, description, price; the right one has a manufacturer too. Of the pool:
left_id, right_id, label, pred, which is `score >= 0`, score, the margin of a support vector machine, prob, the
score made a probability, and f1 to f6: f3 and f4 behave as distances of the trigrams of name and description,
f5 and f6 as their tf-idf similarities; what f1 and f2 are is not known.
"""

from __future__ import annotations

from qanat.datasets import hdf5, leipzig
from qanat.datasets.base import Columns, Tables, columns, linked
from qanat.datasets.conversion import LEFT_RIGHT
from qanat.datasets.origin import Progress, contents

ORIGIN = (
    "Database Group Leipzig, benchmark datasets for entity resolution, from github.com/dchud/ddbench; "
    "the pool from github.com/ngmarchant/activeeval-experiments"
)
LICENCE = f"{leipzig.LICENCE} The pool: MIT."
FILES = {
    "left.csv": leipzig.records(
        "abt_buy/left.csv",
        "69c5c32c1d47ed321c4626bb307344882718f8959ff86ec53a1e7bc4fc66e699",
        "abt-buy/Abt.csv",
        ("id", "name", "description", "price"),
    ),
    "right.csv": leipzig.records(
        "abt_buy/right.csv",
        "1562ac0c21e98f21681c6f415fd32c028f54da31d4caf4dc2205b0a7015fae3b",
        "abt-buy/Buy.csv",
        ("id", "name", "description", "manufacturer", "price"),
    ),
    "matches.csv": leipzig.matches(
        "abt_buy/matches.csv",
        "b957003763de895e7d3312ab1eee813900f617efa4735cda5b474e5c7179f6b8",
        "abt-buy/abt_buy_perfectMapping.csv",
    ),
    "pool.csv": hdf5.published(
        "abt-buy-svm.h5",
        "abt_buy/pool.csv",
        "fd46e4248a395f20ef669c07516d5a333d1fbdfc31868d9ab8e413a5b55036e1",
        ids=LEFT_RIGHT,
    ),
}


def load(*, progress: Progress | None = None) -> Tables:
    """Return the records and the pairs that match; `progress` is told the share that is done."""
    return linked(*contents(FILES, leipzig.LINKED, progress))


def pool(*, progress: Progress | None = None) -> Columns:
    """Return the columns of the authors' pool, which qanat.open_pool takes; to fetch it needs h5py."""
    return columns(*contents(FILES, ["pool.csv"], progress))
