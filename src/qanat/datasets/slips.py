"""What the generators share: names made of parts, choices, and slips of the finger.

Chance is a generator that is passed in, and of which only `random()` is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

# Beginnings, and the endings that go with them.
Parts = Sequence[tuple[str, str]]
T = TypeVar("T")


def joined(parts: Parts) -> list[str]:
    """Return every beginning with every ending that goes with it."""
    return [a + b for start, end in parts for a, b in product(start.split(), end.split())]


def below(size: int, chance: np.random.Generator) -> int:
    """Return a whole number from 0 to size - 1."""
    return int(chance.random() * size)


def one_of(choices: Sequence[T], chance: np.random.Generator) -> T:
    """Return one of the choices, each as likely."""
    return choices[below(len(choices), chance)]


def shuffled(size: int, chance: np.random.Generator) -> NDArray[np.intp]:
    """Return the numbers from 0 to size - 1 in a random order."""
    return np.argsort(chance.random(size), kind="stable")


def with_slip(text: str, chance: np.random.Generator) -> str:
    """Return the text with a letter swapped with the next, dropped, doubled or replaced by another."""
    at = below(len(text), chance)
    before, letter, after = text[:at], text[at : at + 1], text[at + 1 :]
    another = one_of("0123456789" if letter.isdigit() else "abcdefghijklmnopqrstuvwxyz", chance)
    swapped, doubled = after[:1] + letter + after[1:], letter + letter + after
    return before + one_of((swapped, after, doubled, another + after), chance)
