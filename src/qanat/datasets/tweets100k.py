"""Tweets100k: 20,000 tweets, half of them positive, and what a classifier says of their sentiment.

No entity resolution, but the sixth pool of the paper on OASIS (Marchant and Rubinstein, VLDB 2017), with
balanced classes; drawn from the 100,000 tweets of Mozafari et al. (2014), whose text is not published with it.

Columns of the pool: id, the row of the tweet among the 100,000, label, pred, score, the margin of a support
vector machine.
"""

from __future__ import annotations

from qanat.datasets import hdf5
from qanat.datasets.base import Columns, columns
from qanat.datasets.origin import Progress, contents

ORIGIN = "the pool of github.com/ngmarchant/activeeval-experiments, from the tweets of Mozafari et al. (2014)"
LICENCE = "The pool: MIT. It has no text of a tweet."
FILES = {
    "pool.csv": hdf5.published(
        "tweets100k-svm.h5",
        "tweets100k/pool.csv",
        "ae91c80010d6c6b1c2ccff4d6323186e7748e1fa594f3df6c9ec70f1e9fd4610",
        ids=("id",),
        # Words of a bag, a column for each.
        has_features=False,
    ),
}


def pool(*, progress: Progress | None = None) -> Columns:
    """Return the columns of the authors' pool, which qanat.open_pool takes; to fetch it needs h5py."""
    return columns(*contents(FILES, ["pool.csv"], progress))
