"""Chance has an address."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qanat.core import chance

runs = st.lists(st.integers(0, 10_000), min_size=1, max_size=4, unique=True)


@given(st.integers(0, 2**64 - 1), runs, st.lists(st.integers(1, 700), min_size=1, max_size=6))
def test_draws_do_not_depend_on_how_they_are_asked_for(seed: int, rows: list[int], sizes: list[int]) -> None:
    """Uniforms asked for in parts are those asked for at once."""
    whole = chance.uniforms(seed, np.array(rows), 0, sum(sizes))
    stream, parts = chance.stream(seed, np.array(rows)), []
    for n in sizes:
        stream, part = chance.take(stream, n)
        parts.append(part)
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), whole)
    assert stream.next == sum(sizes)


@given(runs)
def test_a_run_has_its_chance_wherever_it_is(rows: list[int]) -> None:
    """The uniforms of a run depend on its number, not on its row."""
    together = chance.uniforms(7, np.array(rows), 3, 5)
    for row, run in zip(together, rows, strict=True):
        np.testing.assert_array_equal(row, chance.uniforms(7, np.array([run]), 3, 5)[0])


def test_selected_runs_keep_their_chance() -> None:
    """Dropping runs does not change what the others draw."""
    stream, _ = chance.take(chance.stream(1, np.arange(5)), 10)
    kept = chance.select(stream, np.array([1, 4]))
    for n in (3, 2000):
        stream, all_ = chance.take(stream, n)
        kept, some = chance.take(kept, n)
        np.testing.assert_array_equal(some, all_[[1, 4]])


def test_the_numbers_are_these_for_ever() -> None:
    """A study of today replays in ten years: the first uniforms of seed 0 are fixed."""
    expected = [
        "0x1.7a5d3204726c0p-7",
        "0x1.eeb1585ce5460p-3",
        "0x1.c8667a55d9028p-4",
        "0x1.20faf40a5fab6p-1",
        "0x1.a06ff187f343ap-1",
        "0x1.80ae833698420p-1",
        "0x1.57e2622a22f60p-1",
        "0x1.eeb80d77a9ba8p-2",
    ]
    assert [float.hex(u) for u in chance.uniforms(0, np.array([0, 1]), 0, 1)[:, 0].ravel()] == expected


def test_seeds_runs_and_draws_differ() -> None:
    """No two addresses give the same numbers."""
    numbers = [
        chance.uniforms(seed, np.array([run]), t, 1) for seed in (0, 1) for run in (0, 1) for t in (0, 1)
    ]
    assert len(np.unique(np.concatenate(numbers))) == 8 * chance.PER_DRAW


def test_pick_follows_the_distribution() -> None:
    """The interval that a uniform falls in decides; its lower end belongs to it; no mass, no draw."""
    cumulative = np.cumsum([0.0, 2.0, 0.0, 6.0])
    assert chance.pick(cumulative, np.array([0.0, 0.2, 0.25, 0.99])).tolist() == [1, 1, 3, 3]


@pytest.mark.parametrize("size", [1, 3, 10**9, 2**52])
def test_places_stay_inside(size: int) -> None:
    """The largest uniform gives the last place, the smallest the first."""
    u = np.array([0.0, 1 - 2.0**-53])
    assert chance.pick_uniform(np.array([size, size]), u).tolist() == [0, size - 1]


masses = st.lists(st.sampled_from([0.0, 1e-9, 1.0, 7.0, 1e6]), min_size=1, max_size=200).filter(sum)


@given(masses, st.integers(0, 9))
def test_a_guide_finds_what_a_search_finds(mass: list[float], seed: int) -> None:
    """The table of where to look changes the time, not the answer; the facts are those of the answer."""
    cumulative = np.cumsum(mass)
    u = np.append(chance.uniforms(seed, np.arange(20), 0, 5).ravel(), [0.0, 1 - 2.0**-53])
    index, facts = chance.look_up(chance.guide(cumulative, np.arange(len(mass)), cumulative), u)
    np.testing.assert_array_equal(index, chance.pick(cumulative, u))
    np.testing.assert_array_equal(facts, np.stack([index, cumulative[index]], axis=1))
