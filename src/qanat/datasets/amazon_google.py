"""Amazon-GoogleProducts: 1,363 products of Amazon, 3,226 of Google, and the 1,300 pairs that are the same.

Some products match more than one. The pool is the one on which the authors of OASIS (Marchant and Rubinstein,
VLDB 2017) evaluated a classifier: 676,267 pairs, of which 200 match. It is in the source archive of their
package oasis 0.1.3, and was made from it here.

Columns of the tables: id, title (on the right: name), description, manufacturer, price. Of the pool: left_row
and right_row, the rows of the two tables from 0, label, pred, score, the margin of a support vector machine.
"""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from qanat.datasets import hdf5, leipzig
from qanat.datasets.base import Columns, Tables, columns, linked
from qanat.datasets.conversion import canonical, comma_separated
from qanat.datasets.origin import File, Progress, Source, contents

ORIGIN = (
    "Database Group Leipzig, benchmark datasets for entity resolution, from github.com/dchud/ddbench; "
    "the pool from the source archive of oasis 0.1.3 on pypi.org"
)
LICENCE = f"{leipzig.LICENCE} The pool: MIT."
LEFT = "amazon-googleproducts/Amazon.csv"
RIGHT = "amazon-googleproducts/GoogleProducts.csv"
ARCHIVE = Source(
    "https://files.pythonhosted.org/packages/source/o/oasis/oasis-0.1.3.tar.gz",
    "314fa9b1e092ff9a400790f2936ff92dba97c442fdaefaed87375e48544d238d",
)
MEMBER = "oasis-0.1.3/docs/tutorial/Amazon-GoogleProducts-test.h5"


def load(*, progress: Progress | None = None) -> Tables:
    """Return the records and the pairs that match; `progress` is told the share that is done."""
    return linked(*contents(FILES, leipzig.LINKED, progress))


def pool(*, progress: Progress | None = None) -> Columns:
    """Return the columns of the authors' pool, which qanat.open_pool takes; to fetch it needs h5py."""
    return columns(*contents(FILES, ["pool.csv"], progress))


def _pool(paths: Sequence[Path]) -> bytes:
    """Return the canonical pool: its archive names the records by id, as the two tables do."""
    found = hdf5.arrays(_member(paths[0]))
    # The ids themselves would double the file.
    rows = [_rows(path, ids) for path, ids in zip(paths[1:], found["id"].T.tolist(), strict=True)]
    values = hdf5.columns(found)
    return canonical(["left_row", "right_row", *values], zip(*rows, *values.values(), strict=True))


def _member(archive: Path) -> BytesIO:
    """Return the one file of the archive that is needed."""
    with tarfile.open(archive) as opened:
        member = opened.extractfile(MEMBER)
        assert member is not None, f"{MEMBER} is a file in the archive, whose checksum was right"
        return BytesIO(member.read())


def _rows(path: Path, ids: list[bytes]) -> list[int]:
    """Return where the ids are in a table."""
    records = comma_separated(path, encoding="latin-1")[1:]
    row = {record[0].encode("latin-1"): number for number, record in enumerate(records)}
    return [row[name] for name in ids]


FILES = {
    "left.csv": leipzig.records(
        "amazon_google/left.csv",
        "4c908bbb9e4ac78051da99e4dd79756c9ecc0e21264c4b90c0faf8cdfd3cb736",
        LEFT,
        ("id", "title", "description", "manufacturer", "price"),
    ),
    "right.csv": leipzig.records(
        "amazon_google/right.csv",
        "2381ebcb33bf8622b727e877be43845084e2ed6d4eb2e8050da46fff6b975723",
        RIGHT,
        ("id", "name", "description", "manufacturer", "price"),
    ),
    "matches.csv": leipzig.matches(
        "amazon_google/matches.csv",
        "2a2902b045ae4b1817d54a652c9db7b1b8a1574d9d24dc49c41e871d2d058998",
        "amazon-googleproducts/Amzon_GoogleProducts_perfectMapping.csv",
    ),
    "pool.csv": File(
        "amazon_google/pool.csv",
        "bb61c62eaaad93ee1dbdce132f72f2c4f35bf2fc9a72e72ffb6cd0f027f513b4",
        (ARCHIVE, leipzig.source(LEFT), leipzig.source(RIGHT)),
        _pool,
        ready=hdf5.library,
    ),
}
