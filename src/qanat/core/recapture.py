"""How many matches there are at least, from what two ways of finding them have in common.

Both say something of matches that nobody proposed, and rest on assumptions that blocking breaks in one
direction: two keys that miss the same records (a wrong name misses both) find too much in common. Then the true
number is larger. They are diagnostics, not estimates.
"""

from __future__ import annotations


def chapman(first: int, second: int, both: int) -> float:
    """Return the least number of matches, of which one way finds `first`, another `second`, and `both` both.

    >>> round(chapman(80, 60, 50), 1)
    95.9
    """
    return (first + 1) * (second + 1) / (both + 1) - 1


def chao(found: int, once: int, twice: int) -> float:
    """Return the least number of matches, of which several ways found so many, some `once`, some `twice`.

    >>> chao(90, 40, 50)
    105.29411764705883
    """
    return found + once * (once - 1) / (2 * (twice + 1))
