"""The answers of a simulation are the truth of the pool, and they know which pairs are new."""

from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from qanat.answers import URNS, Answers, Book, Seen, Urns
from qanat.core import chance
from qanat.core.strata import Strata
from qanat.samplers.base import Draws
from qanat.simulation import MOST_RUNS
from qanat.testing import Population, assert_mean
from qanat.testing.population import populations, positions

RUNS = 3


def state_of(population: Population, runs: int) -> Any:
    """Return as much of a state as the answers ask for."""
    return SimpleNamespace(strata=population.strata, stream=chance.stream(4, np.arange(runs)))


def urns_of(population: Population, runs: int) -> Urns:
    """Return urns of the pairs and matches of every stratum."""
    matches = np.add.reduceat(population.label.astype(np.int64), population.strata.start)
    return Urns(state_of(population, runs), matches, population.strata.size)


def draws_of(stratum: NDArray[Any], place: NDArray[Any]) -> Draws:
    """Return one draw for each run."""
    return Draws(stratum[:, None], place[:, None], np.zeros((len(place), 1), bool), np.ones((len(place), 1)))


@given(st.lists(st.tuples(st.integers(0, RUNS - 1), st.integers(0, 20)), max_size=60))
def test_a_pair_is_new_once_in_each_run(told: list[tuple[int, int]]) -> None:
    """One bit a pair remembers what a set of pairs remembers."""
    seen, known = Seen(RUNS, 21), set[tuple[int, int]]()
    for run, pair in told:
        assert seen.add(np.array([run]), np.array([pair])).tolist() == [(run, pair) not in known]
        known.add((run, pair))


@given(populations(), st.integers(0, 2**32 - 1))
def test_the_book_tells_the_label_of_the_place(population: Population, seed: int) -> None:
    """A place has its own label at every draw of it, and is new at the first only."""
    book, size = Book(state_of(population, RUNS), population.label), population.strata.size
    random, known = np.random.default_rng(seed), set[tuple[int, int]]()
    for _ in range(20):
        stratum = random.integers(len(size), size=RUNS)
        draws = draws_of(stratum, random.integers(size[stratum]))
        label, is_new = book.answer(np.arange(RUNS), draws)
        pair = positions(population.strata, draws)[:, 0]
        np.testing.assert_array_equal(label, population.label[pair])
        drawn = list(enumerate(pair.tolist()))
        assert is_new.tolist() == [one not in known for one in drawn]
        known.update(drawn)


@given(populations())
def test_an_urn_drawn_to_its_end_has_told_every_match(population: Population) -> None:
    """Each run finds all matches of every stratum, in whatever order, and no pair twice."""
    strata, label = population.strata, population.label
    urns: Answers = urns_of(population, RUNS)
    for stratum, (start, size) in enumerate(zip(strata.start, strata.size, strict=True)):
        found = np.zeros(RUNS, dtype=np.int64)
        for place in range(size):
            told, is_new = urns.answer(np.arange(RUNS), draws_of(np.full(RUNS, stratum), np.full(RUNS, place)))
            assert is_new.all()
            found += told
        assert found.tolist() == [label[start : start + size].sum()] * RUNS


def test_urns_have_chance_of_their_own() -> None:
    """No run of a simulation has the number of another run's urns."""
    assert MOST_RUNS <= URNS


def test_an_urn_is_a_shuffled_order() -> None:
    """At every place of the order a match is as likely as in the urn; a twentieth more would be seen."""
    size, runs = 5, 40_000
    label = np.arange(size) < 2
    one = Population(Strata(np.array([size]), np.array([0]), np.array([0.0])), label)
    urns = urns_of(one, runs)
    rows, nothing = np.arange(runs), np.zeros(runs, dtype=np.int64)
    told = np.stack([urns.answer(rows, draws_of(nothing, nothing + place))[0] for place in range(size)])
    for column in told:
        assert_mean(column.astype(float), 0.4, detects=0.05)
    # Two places are both matches in one of ten shuffled orders.
    assert_mean((told[0] & told[3]).astype(float), 0.1, detects=0.05)
