"""Every kind of candidates hands out each of its pairs once, with the features of that very pair."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from qanat.er import pairs
from qanat.er.pairs import AllPairs, Listed, features_of, nearest_neighbours, with_equal_key
from qanat.er.similarity import Similarity, cosine, jaccard
from qanat.errors import BadInput

LEFT = ["red hat", "blue hat", "green shoe", "", "old red shoe", "hat"]
RIGHT = ["red hats", "a blue shoe", "hat", "green"]


def handed_out(candidates, compare):
    """Return the rows of all blocks, and their features."""
    blocks = list(candidates.blocks(compare))
    rows = [tuple(row) for block in blocks for row in np.column_stack([block.left, block.right]).tolist()]
    return rows, np.concatenate([block.features for block in blocks])


@pytest.mark.parametrize("size", [1, 5, 9, 2**19])
@pytest.mark.parametrize("is_one", [False, True])
def test_all_pairs_come_once_in_order_with_their_features(monkeypatch, size, is_one):
    """Blocks of any size hold every pair once; within one table none with itself and none twice."""
    monkeypatch.setattr(pairs, "BLOCK", size)
    right = LEFT if is_one else RIGHT
    compare: list[Similarity] = [jaccard(LEFT, right), cosine(LEFT, right)]
    candidates = AllPairs(len(LEFT), len(right), is_one)
    rows, features = handed_out(candidates, compare)
    expected = list(combinations(range(len(LEFT)), 2)) if is_one else list(product(range(6), range(4)))
    assert rows == expected
    assert candidates.number == len(expected)
    i, j = np.array(rows).T
    np.testing.assert_allclose(features, features_of(i, j, compare), atol=1e-6)


@given(st.integers(2, 30), st.integers(1, 30), st.booleans(), st.floats(0, 1), st.integers(0, 100))
def test_a_draw_has_as_many_different_pairs_as_asked(left, right, is_one, share, seed):
    """Drawn pairs exist, are different, and come in their order."""
    candidates = AllPairs(left, left if is_one else right, is_one)
    number = max(1, round(share * candidates.number))
    i, j = candidates.some(number, np.random.Generator(np.random.Philox(key=seed)))
    drawn = list(zip(i.tolist(), j.tolist(), strict=True))
    assert len(set(drawn)) == number
    assert drawn == sorted(drawn)
    assert all(0 <= a < left and (a < b < left if is_one else 0 <= b < right) for a, b in drawn)


@pytest.mark.parametrize("number", [3, 12])
@pytest.mark.parametrize("is_one", [False, True])
def test_every_pair_is_as_likely_to_be_drawn(number, is_one):
    """In 6000 draws no pair comes more or less often than chance allows.

    False alarm 1e-6 for all pairs together; one with 1.35 or 0.65 times its probability is surely seen.
    """
    runs, candidates = 6000, AllPairs(7, 7 if is_one else 3, is_one)
    chance = np.random.Generator(np.random.Philox(key=5))
    count = np.zeros((7, 7), dtype=int)
    for _ in range(runs):
        count[candidates.some(number, chance)] += 1
    drawn = count[np.triu_indices(7, 1)] if is_one else count[:, :3].ravel()
    low, high = binom.ppf([1e-6 / 42, 1 - 1e-6 / 42], runs, number / candidates.number)
    assert drawn.sum() == runs * number
    assert low <= drawn.min()
    assert drawn.max() <= high
    if number == 3:
        assert binom.sf(high, runs, 1.35 * number / candidates.number) > 1 - 1e-3
        assert binom.cdf(low - 1, runs, 0.65 * number / candidates.number) > 1 - 1e-3


def test_a_listed_draw_is_a_part_of_the_list():
    """A sample of candidates keeps their order and repeats none."""
    listed = Listed(np.arange(50), np.arange(50) + 1)
    i, j = listed.some(20, np.random.default_rng(1))
    assert np.all(np.diff(i) > 0)
    np.testing.assert_array_equal(j, i + 1)


@pytest.mark.parametrize("is_one", [False, True])
@given(left=st.lists(st.sampled_from(["", "a", "A!", "b", "c"]), min_size=1, max_size=8), right=st.data())
def test_blocking_on_a_key_finds_all_pairs_that_share_it(is_one, left, right):
    """The candidates are the pairs of equal normalised keys that are not empty, and no others."""
    other = (
        left if is_one else right.draw(st.lists(st.sampled_from(["", "a", "B", "d"]), min_size=1, max_size=8))
    )
    plain = [[key.strip("!").lower() for key in side] for side in (left, other)]
    expected = [
        (i, j)
        for i, a in enumerate(plain[0])
        for j, b in enumerate(plain[1])
        if a == b != "" and (not is_one or i < j)
    ]
    if not expected:
        with pytest.raises(BadInput, match=r"to block on|No pair is a candidate"):
            with_equal_key(left, other, is_one=is_one)
        return
    listed = with_equal_key(left, other, is_one=is_one)
    assert list(zip(listed.left.tolist(), listed.right.tolist(), strict=True)) == expected


@pytest.mark.parametrize("size", [1, 7, 2**19])
@pytest.mark.parametrize("is_one", [False, True])
def test_neighbours_are_the_nearest_by_their_words(monkeypatch, size, is_one):
    """For every record the pairs kept are as near as the nearest of all its pairs; none is without a word."""
    monkeypatch.setattr(pairs, "BLOCK", size)
    right = LEFT if is_one else RIGHT
    listed = nearest_neighbours(LEFT, right, number=2, is_one=is_one)
    rows = list(zip(listed.left.tolist(), listed.right.tolist(), strict=True))
    assert len(set(rows)) == len(rows)
    likeness = cosine(LEFT, right).between(slice(None)).astype(float)
    if is_one:
        np.fill_diagonal(likeness, -1)
    for i in range(len(LEFT)):
        best = np.sort(likeness[i][likeness[i] > 0])[::-1][:2]
        kept = [likeness[a, b] for a, b in rows if i == a or (is_one and i == b)]
        assert set(best.round(5)) <= set(np.round(kept, 5))
        assert all(value > 0 for value in kept)
    i, j = np.array(rows).T
    compare = [jaccard(LEFT, right)]
    _, features = handed_out(listed, compare)
    np.testing.assert_allclose(features, features_of(i, j, compare))


def test_nothing_in_common_is_said():
    """Without a candidate there is one clear line, not an empty pool."""
    with pytest.raises(BadInput, match="No pair is a candidate: expected at least one"):
        nearest_neighbours(["red"], ["blue"], number=3, is_one=False)
