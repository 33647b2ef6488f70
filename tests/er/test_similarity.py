"""The similarities against their definitions, written down plainly, and the laws that all of them keep."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qanat.er.normalise import normalised
from qanat.er.similarity import SIMILARITIES, cosine, jaccard, nearness

some_words = st.sampled_from(["red", "blue", "shoe", "hat", "a", "of", "New-York", "Café", "12", "x"])
words = st.lists(some_words, max_size=5).map(" ".join)
tables = st.tuples(st.lists(words, min_size=1, max_size=5), st.lists(words, min_size=1, max_size=5))
prices = st.one_of(st.just(""), st.floats(0, 1e6).map("{:.2f}".format))


def trigrams(text: str) -> set[str]:
    """Return the groups of three letters of a text, and the whole of a shorter one."""
    plain = normalised(text)
    return {plain[at : at + 3] for at in range(len(plain) - 2)} or ({plain} - {""})


def plain_jaccard(left: list[str], right: list[str]) -> list[list[float]]:
    """Return common / all of the trigrams of every pair, from sets."""
    return [[len(a & b) / max(len(a | b), 1) for b in map(trigrams, right)] for a in map(trigrams, left)]


def plain_cosine(left: list[str], right: list[str]) -> list[list[float]]:
    """Return the cosine of counts times log((1 + n) / (1 + df)) + 1, the smoothed form of tf-idf."""
    counts = [Counter(normalised(text).split()) for text in (*left, *right)]
    occurs = Counter(word for count in counts for word in count)
    weigh = {word: math.log((1 + len(counts)) / (1 + occurs[word])) + 1 for word in occurs}
    vectors = [{word: n * weigh[word] for word, n in count.items()} for count in counts]
    lengths = [math.sqrt(sum(x * x for x in vector.values())) or 1.0 for vector in vectors]

    def of(i: int, j: int) -> float:
        return sum(x * vectors[j].get(word, 0.0) for word, x in vectors[i].items()) / lengths[i] / lengths[j]

    return [[of(i, len(left) + j) for j in range(len(right))] for i in range(len(left))]


@given(tables)
def test_jaccard_is_the_share_of_common_trigrams(two):
    """The sparse product agrees with sets."""
    np.testing.assert_allclose(jaccard(*two).between(slice(None)), plain_jaccard(*two), atol=1e-6)


@given(tables)
def test_cosine_is_that_of_the_words_weighed_by_their_rarity(two):
    """The sparse product agrees with dictionaries of words."""
    np.testing.assert_allclose(cosine(*two).between(slice(None)), plain_cosine(*two), atol=1e-5)


@given(st.lists(prices, min_size=1, max_size=5), st.lists(prices, min_size=1, max_size=5))
def test_nearness_is_one_less_the_difference_as_a_share_of_the_range(left, right):
    """A difference counts as a share of the largest there is; a missing number is the mean of the others."""
    given_ = [float(price) for price in (*left, *right) if price]
    mean = sum(given_) / len(given_) if given_ else 0.0
    a, b = ([float(price) if price else mean for price in side] for side in (left, right))
    span = (max(*a, *b) - min(*a, *b)) or 1.0
    expected = [[1 - abs(x - y) / span for y in b] for x in a]
    np.testing.assert_allclose(nearness(left, right).between(slice(None)), expected, atol=1e-6)


@pytest.mark.parametrize("kind", SIMILARITIES)
@given(two=tables)
def test_blocks_and_single_pairs_agree(kind, two):
    """A pair has the same likeness alone, in a block, and with the tables changed over; it lies in 0 to 1."""
    left, right = two
    whole = SIMILARITIES[kind](left, right).between(slice(0, len(left)))
    i, j = (index.ravel() for index in np.indices(whole.shape))
    np.testing.assert_allclose(SIMILARITIES[kind](left, right).of(i, j), whole.ravel(), atol=1e-6)
    np.testing.assert_allclose(SIMILARITIES[kind](right, left).between(slice(None)).T, whole, atol=1e-6)
    assert whole.min() >= 0
    assert whole.max() <= 1 + 1e-6


@pytest.mark.parametrize("kind", ["short", "long"])
def test_equal_texts_are_wholly_alike_and_empty_ones_not_at_all(kind):
    """Case and symbols do not count; a missing value says nothing for a match, even beside another."""
    compared = SIMILARITIES[kind](["The Hat!", "", "no"], ["the hat", "", "NO"]).between(slice(None))
    np.testing.assert_allclose(np.diag(compared), [1, 0, 1], atol=1e-6)


@pytest.mark.parametrize("kind", SIMILARITIES)
def test_columns_without_a_value_are_compared(kind):
    """Two columns of missing values break nothing; numbers that are all missing are all alike."""
    compared = SIMILARITIES[kind](["", ""], [""]).between(slice(None))
    np.testing.assert_array_equal(compared, np.full((2, 1), float(kind == "number")))


def test_large_numbers_keep_their_differences():
    """Years or ids far from 0 are told apart: the smallest is taken away before precision is given up."""
    compared = nearness(["1000000001"], ["1000000001", "1000000002", "1000000003"]).between(slice(None))
    np.testing.assert_allclose(compared, [[1, 0.5, 0]])


@pytest.mark.datasets
def test_the_authors_features_are_those_of_the_same_trigrams(datasets):
    """The trigram distances in the paper's restaurant pool are ours for nine in ten names and types.

    The others are near: their text was prepared in a way that the paper does not tell.
    """
    from qanat.er import read_records

    records = read_records(datasets / "restaurant" / "records.csv")
    pool = read_records(datasets / "restaurant" / "pool.csv.gz")
    row = {each: i for i, each in enumerate(records["id"])}
    i, j = (np.array([row[each] for each in pool[name][:20_000]]) for name in ("left_id", "right_id"))
    for field, column in (("name", "f1"), ("type", "f4")):
        theirs = np.array(pool[column][:20_000], dtype=float)
        ours = 1 - jaccard(records[field], records[field]).of(i, j)
        assert np.mean(np.abs(ours - theirs) < 1e-6) > 0.88
        assert np.abs(ours - theirs).mean() < 0.008
