"""Everything that can be wrong with what a caller gave us, one class for each thing they can do about it.

Every message is one line: what was found, what was expected, and what to do next.
"""

from __future__ import annotations


class QanatError(Exception):
    """Base of all errors that a caller can do something about."""


class BadInput(QanatError):
    """Refuse pairs that cannot be evaluated: wrong values, wrong columns, nothing there."""


class BadSetting(QanatError):
    """Refuse a setting outside its range, naming the range."""


class NotInstalled(QanatError):
    """Refuse what needs an optional library that is not there, naming the extra to install."""

    def __init__(self, library: str, extra: str) -> None:
        """Say which library is missing, and the extra that brings it."""
        super().__init__(f"{library} is not installed, which this needs: pip install 'qanat[{extra}]'.")


class BadLabel(QanatError):
    """Refuse an answer that is neither a match nor a non-match."""


def nearest(name: str, known: list[str]) -> str:
    """Return a hint at the name that was meant.

    >>> nearest("scor", ["id", "score"])
    "Did you mean 'score'? There are: id, score."
    """
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1, cutoff=0.5)
    # Names of two lines are shown in one.
    there = " ".join(", ".join(known[:12]).split()) + (", ..." if len(known) > 12 else "")
    return (f"Did you mean {close[0]!r}? " if close else "") + f"There are: {there}."
