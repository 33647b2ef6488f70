"""How alike two values are, from 0 (nothing in common) to 1 (equal): one class for each kind of field.

Each takes the values of both tables once and then compares every row of a slice with every row of the right
table, or pairs one by one. Whole blocks cost a sparse product, some fifty million pairs a second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Integers
from qanat.er.normalise import normalised, numbers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Likeness = NDArray[np.float32]


class Similarity(Protocol):
    """What a kind of field can do."""

    def between(self, rows: slice) -> Likeness:
        """Return the likeness of these rows of the left table and all of the right, shape (rows, right)."""

    def of(self, left: Integers, right: Integers) -> Likeness:
        """Return the likeness of pairs of rows, shape (pairs,)."""


class Jaccard(NamedTuple):
    """The share of groups of three letters that two texts have in common."""

    left: csr_array
    right: csr_array
    columns: csr_array
    left_size: Likeness
    right_size: Likeness

    def between(self, rows: slice) -> Likeness:
        """Return the likeness of these rows of the left table and all of the right, shape (rows, right)."""
        common: Likeness = (self.left[rows] @ self.columns).toarray()
        return _share(common, self.left_size[rows, None] + self.right_size)

    def of(self, left: Integers, right: Integers) -> Likeness:
        """Return the likeness of pairs of rows, shape (pairs,)."""
        return _share(
            _products(self.left, self.right, left, right), self.left_size[left] + self.right_size[right]
        )


class Cosine(NamedTuple):
    """The cosine of the words of two texts, rare ones counting more (tf-idf)."""

    left: csr_array
    right: csr_array
    columns: csr_array

    def between(self, rows: slice) -> Likeness:
        """Return the likeness of these rows of the left table and all of the right, shape (rows, right)."""
        likeness: Likeness = (self.left[rows] @ self.columns).toarray()
        return likeness

    def of(self, left: Integers, right: Integers) -> Likeness:
        """Return the likeness of pairs of rows, shape (pairs,)."""
        return _products(self.left, self.right, left, right)


class Nearness(NamedTuple):
    """One less the difference of two numbers, as a share of the largest difference there is."""

    left: Likeness
    right: Likeness

    def between(self, rows: slice) -> Likeness:
        """Return the likeness of these rows of the left table and all of the right, shape (rows, right)."""
        difference = self.left[rows, None] - self.right
        return 1 - np.abs(difference, out=difference)

    def of(self, left: Integers, right: Integers) -> Likeness:
        """Return the likeness of pairs of rows, shape (pairs,)."""
        return 1 - np.abs(self.left[left] - self.right[right])


def jaccard(left: Sequence[str], right: Sequence[str]) -> Jaccard:
    """Return the trigram similarity of two columns of text; where either is empty it is 0.

    >>> jaccard(["Main Street"], ["main st.", ""]).between(slice(1)).round(2)
    array([[0.56, 0.  ]], dtype=float32)
    """
    from sklearn.feature_extraction.text import CountVectorizer

    first, second = _rows(CountVectorizer(analyzer=_trigrams, binary=True, dtype=np.float32), left, right)
    sizes = [np.asarray(rows.sum(axis=1), dtype=np.float32).ravel() for rows in (first, second)]
    return Jaccard(first, second, second.T.tocsr(), *sizes)


def cosine(left: Sequence[str], right: Sequence[str]) -> Cosine:
    """Return the tf-idf similarity of two columns of text; where either is empty it is 0.

    >>> cosine(["new york pizza", "pizza"], ["Pizza, New York"]).of(np.array([0, 1]), np.array([0, 0])).round(2)
    array([1.  , 0.48], dtype=float32)
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    first, second = _rows(TfidfVectorizer(analyzer=str.split, dtype=np.float32), left, right)
    return Cosine(first, second, second.T.tocsr())


def nearness(left: Sequence[str], right: Sequence[str]) -> Nearness:
    """Return the similarity of two columns of numbers; a missing one is taken for the mean.

    >>> nearness(["$10", ""], ["10", "50"]).between(slice(2)).round(2)
    array([[1.  , 0.  ],
           [0.67, 0.33]], dtype=float32)
    """
    values = numbers([*left, *right])
    span = float(np.ptp(values)) or 1.0
    # The smallest is taken away first: single precision is for differences, not for large numbers.
    scaled = ((values - values.min()) / span).astype(np.float32)
    return Nearness(scaled[: len(left)], scaled[len(left) :])


def _trigrams(text: str) -> list[str]:
    """Return the groups of three letters; a text of one or two is a group by itself."""
    return [text[at : at + 3] for at in range(max(len(text) - 2, 1))] if text else []


def _rows(vectorizer: Any, left: Sequence[str], right: Sequence[str]) -> tuple[csr_array, csr_array]:
    """Return what the vectorizer makes of each text, a row each for the left and the right table."""
    from scipy.sparse import csr_array

    texts = [normalised(text) for text in (*left, *right)]
    if not any(texts):
        return csr_array((len(left), 1), dtype=np.float32), csr_array((len(right), 1), dtype=np.float32)
    rows = csr_array(vectorizer.fit_transform(texts))
    return rows[: len(left)], rows[len(left) :]


def _products(first: csr_array, second: csr_array, left: Integers, right: Integers) -> Likeness:
    """Return the product of pairs of rows, shape (pairs,)."""
    return np.asarray(first[left].multiply(second[right]).sum(axis=1), dtype=np.float32).ravel()


def _share(common: Likeness, sizes: Likeness) -> Likeness:
    """Return common / (sizes - common), 0 where there is nothing; counts are exact in single precision."""
    sizes -= common
    np.maximum(sizes, 1, out=sizes)
    common /= sizes
    return common


SIMILARITIES: dict[str, Callable[[Sequence[str], Sequence[str]], Similarity]] = {
    "short": jaccard,
    "long": cosine,
    "number": nearness,
}
