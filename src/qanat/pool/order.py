"""The order of pairs: a random permutation that every engine computes alike, from the ids and a seed.

A pair's place within its cell (a stratum's predicted matches, or its rest) is that of the MD5 of
`left:right:seed` in hexadecimal: every engine has that function, and such text compares alike in all.
"""

from __future__ import annotations

import math
from hashlib import md5
from typing import NamedTuple

from qanat.core.arrays import Integers

# Of a limit; a key has twice as many and some.
DIGITS = 15
# Greater than every key.
ALL = "g"


class Pair(NamedTuple):
    """A pair of records by their ids, as text."""

    left: str
    right: str


def key(left: object, right: object, seed: int) -> str:
    """Return the digits by which a pair is ordered.

    >>> key(17, 4, seed=0)
    '188899bb61688af7b469e424be779811'
    """
    return md5(f"{left}:{right}:{seed}".encode(), usedforsecurity=False).hexdigest()


def key_of(left: object, right: object) -> str:
    """Return digits that depend on the pair alone, to choose between its two orders."""
    return md5(f"{left}:{right}".encode(), usedforsecurity=False).hexdigest()


def limit(length: int, size: int, factor: float = 1.0) -> str:
    """Return a key below which at least `length` of `size` pairs lie, but for a chance of one in a billion."""
    share = factor * (length + 6 * math.sqrt(length) + 20) / max(size, 1)
    return ALL if share >= 1 else f"{int(share * 16**DIGITS):0{DIGITS}x}"


def cell_sizes(size: Integers, predicted: Integers) -> list[int]:
    """Return the pairs of each cell: of every stratum its predicted matches, then the rest."""
    return [
        number for row in zip(predicted.tolist(), (size - predicted).tolist(), strict=True) for number in row
    ]
