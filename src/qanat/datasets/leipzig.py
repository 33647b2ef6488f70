"""The benchmark of the Database Group Leipzig: its public copy, its terms, and what all its datasets share.

The original files are CSV in Latin-1. Here they were not at hand: the layout was seen in other public copies
of the same files, and every conversion is checked by the checksum of its result.
"""

from __future__ import annotations

from functools import partial

from qanat.datasets.conversion import LEFT_RIGHT, Header, latin1
from qanat.datasets.origin import File, Source

LICENCE = (
    "Creative Commons: the page of the Database Group Leipzig links CC BY 4.0. Credit its page and Köpcke, "
    "Thor and Rahm, Evaluation of entity resolution approaches on real-world match problems, VLDB 2010."
)
# The copy of the original files, byte for byte, from which the checksums were made.
COPY = "https://raw.githubusercontent.com/dchud/ddbench/3bbedeaea67dc1b53bcd2e7d34c7da7e4edfdb66/data/"
LINKED = ("left.csv", "right.csv", "matches.csv")


def source(name: str) -> Source:
    """Return a file of the benchmark's copy."""
    return Source(COPY + name)


def records(path: str, sha256: str, name: str, header: Header) -> File:
    """Return a file of records."""
    return File(path, sha256, (source(name),), partial(latin1, header=header))


def matches(path: str, sha256: str, name: str) -> File:
    """Return a file of the pairs that match."""
    return records(path, sha256, name, LEFT_RIGHT)
