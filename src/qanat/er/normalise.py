"""Text and numbers made comparable: no case, accents or symbols; numbers parsed, missing ones imputed.

The rules are those of the paper (section 6.1.2) and go on where it is silent: scripts other than Latin keep
their letters and marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from qanat.core.arrays import Floats

# Differences of larger ones would overflow.
LARGEST = 1e150
SYMBOLS = re.compile(r"[\W_]+")
# What is dropped of a letter and its accent: those of Latin, Greek and Cyrillic. In other scripts a mark is a
# vowel.
ACCENTS = re.compile("[\u0300-\u036f]")
DIGITS = re.compile(r"[-+]?\d(?:[\d.,]*\d)?")
# A whole value that is a number: signs or three letters of a currency around it, as in "$49", "99.95 gbp".
NUMBER = re.compile(rf"[^\w+-]*(?:[a-z]{{3}}\s*)?{DIGITS.pattern}\s*(?:[a-z]{{3}})?[^\w]*", re.IGNORECASE)


def normalised(text: str) -> str:
    """Return the words of the text in lower case, without accents and symbols.

    >>> normalised("Café “Zoë”: A/V-Input  (33 1/3)")
    'cafe zoe a v input 33 1 3'
    """
    if text.isascii():
        return " ".join(SYMBOLS.sub(" ", text.lower()).split())
    bare = ACCENTS.sub("", unicodedata.normalize("NFKD", text).casefold())
    return " ".join("".join(c if _is_letter(c) else " " for c in unicodedata.normalize("NFC", bare)).split())


def _is_letter(character: str) -> bool:
    """Return whether it is a letter, a digit, or the mark of one."""
    return character.isalnum() or unicodedata.category(character).startswith("M")


def number(text: str) -> float:
    """Return the first number in the text, NaN if there is none or it is too large to be told from others.

    Of points and commas the last one that stands once, and not before exactly three digits if it is a comma,
    divides the fraction; others group thousands.

    >>> [number(text) for text in ("$1,299.00", "1.299,00 EUR", "12,50", "in 1993.", "unknown")]
    [1299.0, 1299.0, 12.5, 1993.0, nan]
    """
    found = DIGITS.search(text)
    if not found:
        return float("nan")
    digits = found.group()
    last = max(digits.rfind("."), digits.rfind(","))
    if last >= 0 and not _divides(digits, last):
        last = len(digits)
    whole, fraction = (digits, "") if last < 0 else (digits[:last], digits[last + 1 :])
    value = float(f"{re.sub('[.,]', '', whole)}.{fraction or 0}")
    return value if abs(value) <= LARGEST else float("nan")


def _divides(digits: str, last: int) -> bool:
    """Return whether the last point or comma divides whole and fraction."""
    sign, other = digits[last], "," if digits[last] == "." else "."
    if digits.count(sign) > 1:
        return False
    return sign == "." or other in digits or len(digits) - last - 1 != 3


def is_number(text: str) -> bool:
    """Return whether the whole text is one number, with a currency at most."""
    return NUMBER.fullmatch(text.strip()) is not None


def numbers(texts: Sequence[str], mean: float | None = None) -> Floats:
    """Return the number in each text; where there is none, `mean`, or else that of the others.

    >>> numbers(["$10", "", "30"])
    array([10., 20., 30.])
    """
    parsed = np.array([number(text) for text in texts])
    missing = np.isnan(parsed)
    if mean is None:
        mean = 0.0 if missing.all() else float(parsed[~missing].mean())
    parsed[missing] = mean
    return parsed
