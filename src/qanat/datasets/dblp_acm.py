"""DBLP-ACM: 2,616 articles of DBLP, 2,294 of the ACM, and the 2,224 pairs that are the same article.

The pool is the one on which the authors of OASIS (Marchant and Rubinstein, VLDB 2017) evaluated a classifier:
53,946 pairs, of which 20 match.

Columns of both tables: id, title, authors, venue, year. Of the pool, which has no ids: label, pred, score, the
margin of a support vector machine, prob, the score made a probability, f1 to f3, distances of texts, and f4,
the years between the two.
"""

from __future__ import annotations

from qanat.datasets import hdf5, leipzig
from qanat.datasets.base import Columns, Tables, columns, linked
from qanat.datasets.origin import Progress, contents

ORIGIN = (
    "Database Group Leipzig, benchmark datasets for entity resolution, from github.com/dchud/ddbench; "
    "the pool from github.com/ngmarchant/activeeval-experiments"
)
LICENCE = f"{leipzig.LICENCE} The pool: MIT."
FIELDS = ("id", "title", "authors", "venue", "year")
FILES = {
    "left.csv": leipzig.records(
        "dblp_acm/left.csv",
        "f3a7b8144ef5b99178a93552953816c99c1d5e148f01cca0bdeeac34810d136d",
        "dblp-acm/DBLP2.csv",
        FIELDS,
    ),
    "right.csv": leipzig.records(
        "dblp_acm/right.csv",
        "050075c30cb1a95d88fc5c97741f7e38eb3aeaff42adb28f61b5082db6e56959",
        "dblp-acm/ACM.csv",
        FIELDS,
    ),
    "matches.csv": leipzig.matches(
        "dblp_acm/matches.csv",
        "413c8683fe10c14166a839758f672c2996495ed50b79b1039869cec27fade446",
        "dblp-acm/DBLP-ACM_perfectMapping.csv",
    ),
    "pool.csv": hdf5.published(
        "dblp-acm-svm-small.h5",
        "dblp_acm/pool.csv",
        "9a0f563ba2e5645bd0bd910e96ebcb933ddf45f1c10f62351a1f8570d6bfb20a",
    ),
}


def load(*, progress: Progress | None = None) -> Tables:
    """Return the records and the pairs that match; `progress` is told the share that is done."""
    return linked(*contents(FILES, leipzig.LINKED, progress))


def pool(*, progress: Progress | None = None) -> Columns:
    """Return the columns of the authors' pool, which qanat.open_pool takes; to fetch it needs h5py."""
    return columns(*contents(FILES, ["pool.csv"], progress))
