"""Cora: 1,295 citations of articles on computer science, with 17,184 pairs that cite the same one.

The matches are transitively closed, 112 clusters. They are known to have errors: Marchant and Rubinstein later
corrected them to 125 clusters and 14,498 pairs. The pool of their paper on OASIS (VLDB 2017) was not published:
draw one from these records.

Columns: id, the row from 0, address, author, editor, institution, month, note, pages, publisher, title, venue,
volume, year. The fetched copy is checked by the checksum of what is made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qanat.datasets.base import Tables, deduplicated
from qanat.datasets.conversion import bar_separated, canonical, matches, numbered_pairs
from qanat.datasets.origin import File, Progress, Source, contents

ORIGIN = (
    "RIDDLE repository, University of Texas at Austin, provided by William Cohen, from "
    "github.com/AI-team-UoA/pyJedAI"
)
LICENCE = "RIDDLE states no licence: the records are offered for research."
REPOSITORY = "https://raw.githubusercontent.com/AI-team-UoA/pyJedAI/"
# The one copy of cora.csv whose path at a commit, and whose length, could be looked up.
RECORDS = Source(
    f"{REPOSITORY}14b3507e9a2bd3959c70b3367a69135db6913f59/data/cora/.ipynb_checkpoints/cora-checkpoint.csv"
)
MATCHES = Source(f"{REPOSITORY}9ababa0f4c7af4808afe50b3823929856963c64a/data/der/cora/cora_gt.csv")


def load(*, progress: Progress | None = None) -> Tables:
    """Return the records and the pairs that match; `progress` is told the share that is done."""
    return deduplicated(*contents(FILES, ["records.csv", "matches.csv"], progress))


def _records(paths: Sequence[Path]) -> bytes:
    """Return the canonical records; `cluster` is the smallest id of those that match."""
    # Every line ends in a bar, so that its last value is empty.
    header, *rows = (row[:-1] for row in bar_separated(paths[0]))
    smallest: dict[int, int] = {}
    for left, right in numbered_pairs(paths[1]):
        smallest.setdefault(right, left)
    clusters = ([*row, smallest.get(number, number)] for number, row in enumerate(rows))
    return canonical(["id", *header[1:], "cluster"], clusters)


FILES = {
    "records.csv": File(
        "cora/records.csv",
        "4b83a271e57ebf95fa2993bcd686e3ac96031b3ab7f7772830898d7b12c1ea36",
        (RECORDS, MATCHES),
        _records,
    ),
    "matches.csv": File(
        "cora/matches.csv",
        "bb63b076fe450a5db16257377f7f78f10baaa1503122604db6c642202638280a",
        (MATCHES,),
        matches,
    ),
}
