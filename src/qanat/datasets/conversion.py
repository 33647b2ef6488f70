"""From the forms in which others publish their files to one: rows in, canonical CSV out.

Only delimiters, quoting, line ends, encodings and the names of columns change; values stay, damaged ones too.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

LEFT_RIGHT = ("left_id", "right_id")

Header = Sequence[str]
Rows = Iterable[Sequence[object]]


def canonical(header: Header, rows: Rows) -> bytes:
    r"""Return CSV in UTF-8 with commas, as few quotes as can be, and `\n` line ends.

    >>> canonical(["id", "score"], [["7, 8", 0.1]])
    b'id,score\n"7, 8",0.1\n'
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def latin1(paths: Sequence[Path], header: Header) -> bytes:
    """Return the canonical form of one CSV file in Latin-1, whose own header is replaced."""
    return canonical(header, comma_separated(paths[0], encoding="latin-1")[1:])


def comma_separated(path: Path, *, encoding: str) -> list[list[str]]:
    """Return the rows of a CSV file, the header too."""
    with path.open(encoding=encoding, newline="") as file:
        return list(csv.reader(file))


def bar_separated(path: Path) -> list[list[str]]:
    """Return the rows of a file whose values are separated by bars and never quoted."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="|", quoting=csv.QUOTE_NONE))


def numbered_pairs(path: Path) -> list[tuple[int, int]]:
    """Return the pairs of row numbers in a file separated by bars, without header, in rising order."""
    return sorted((int(left), int(right)) for left, right in bar_separated(path))


def matches(paths: Sequence[Path]) -> bytes:
    """Return the canonical form of a file of numbered pairs."""
    return canonical(LEFT_RIGHT, numbered_pairs(paths[0]))
