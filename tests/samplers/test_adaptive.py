"""What adaptive promises beyond the laws of every sampler."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from numpy.typing import NDArray

from qanat.core import allocation, chance, doubt, imagined, smooth
from qanat.core.arrays import Floats, Integers
from qanat.core.strata import Strata
from qanat.errors import BadSetting
from qanat.samplers import adaptive
from qanat.samplers.base import Draws
from qanat.testing.population import Population, imbalanced, populations

CONFIG = adaptive.Config(batch=5)
ALL = np.arange(3)


def start(population: Population, runs: int = 3, alpha: float = 0.5, **config: Any) -> adaptive.State:
    """Return the state before the first draw."""
    stream = chance.stream(1, np.arange(runs))
    return adaptive.init(population.strata, alpha=alpha, config=CONFIG._replace(**config), stream=stream)


def truth(population: Population, state: adaptive.State, draws: Draws) -> NDArray[np.bool_]:
    """Return the labels of the pairs drawn."""
    return population.labels(state, draws)


def labelled(population: Population, state: adaptive.State, n: int) -> adaptive.State:
    """Return the state after `n` labels, told as they are asked for."""
    for _ in range(n):
        state, draws = adaptive.ask(state, 1)
        state = adaptive.tell(state, draws, truth(population, state, draws))
    return state


def ends(state: adaptive.State, kind: str = "envelope", level: float = 0.95) -> Floats:
    """Return the ends of all intervals, checked: two numbers between 0 and 1, the lower first."""
    low, high = adaptive.interval(state, kind, level)
    both = np.stack([low, high])
    assert np.isfinite(both).all()
    assert np.all((both >= 0) & (both <= 1 + 1e-12))
    assert np.all(low <= high)
    return both


def rectangle(size: list[int], predicted: list[int], matches: list[int]) -> Population:
    """Return a population of strata whose last pairs, predicted or not, are the matches."""
    label = np.concatenate([np.arange(n)[::-1] < m for n, m in zip(size, matches, strict=True)])
    counts = (np.array(size), np.array(predicted), np.zeros(len(size)))
    return Population(Strata(*counts), label)


TRUSTWORTHY = rectangle([3000, 800, 150, 40, 10], [0, 0, 10, 30, 10], [0, 2, 20, 30, 9])
# The highest scores do not match, those below them do.
TURNED = rectangle([3000, 800, 150, 100, 100], [0, 0, 20, 100, 100], [0, 0, 0, 90, 10])


@examples(deadline=None)
@given(populations(), st.integers(1, 6))
def test_a_budget_is_a_prefix_of_a_larger_one(population: Population, n: int) -> None:
    """What is asked first does not depend on how much will be asked."""
    first, more = (labelled(population, start(population), labels) for labels in (n, n + 4))
    again = labelled(population, start(population), n)
    np.testing.assert_array_equal(first.labels, again.labels)
    assert np.all(first.labels <= more.labels)


@examples(deadline=None)
@given(populations())
def test_places_are_taken_from_the_first_on(population: Population) -> None:
    """Each draw of a cell is its next place: labels are always a prefix of the cell's order."""
    state = start(population)
    taken = np.zeros_like(state.asked)
    for _ in range(10):
        state, draws = adaptive.ask(state, 1)
        np.testing.assert_array_equal(draws.place[:, 0], taken[ALL, draws.stratum[:, 0]])
        taken[ALL, draws.stratum[:, 0]] += 1
        state = adaptive.tell(state, draws, truth(population, state, draws))


def test_what_is_asked_and_not_told_counts() -> None:
    """With many labels under way, further ones go elsewhere than where those already go."""
    state = labelled(imbalanced(), start(imbalanced(), runs=1), 30)
    plain = adaptive.planned(state).shares[0]
    busiest = int(np.argmax(plain))
    pending = np.zeros_like(state.asked)
    pending[0, busiest] = min(20, int(state.strata.size[busiest] - state.asked[0, busiest]))
    later = adaptive.planned(state._replace(asked=state.asked + pending)).shares[0]
    assert later[busiest] < 0.9 * plain[busiest]


def test_the_first_plans_are_short() -> None:
    """However large the batch, no plan is longer than a quarter of the labels asked for, or 25."""
    state = start(imbalanced(), runs=1, batch=100)
    lengths = []
    for _ in range(150):
        if state.planned == 0:
            lengths.append(adaptive.planned(state).planned)
        state = labelled(imbalanced(), state, 1)
    assert lengths == [25, 25, 25, 25, 25, 31]


def test_the_weight_is_that_of_the_pair() -> None:
    """The weight p / q of a draw is that of any pair left in its cell, as the log needs it."""
    state = adaptive.planned(start(imbalanced()))
    left = state.strata.size - state.asked
    chances = allocation.chances(state.shares, left)
    _, draws = adaptive.ask(state, 1)
    cell = draws.stratum[:, 0]
    pair = chances[ALL, cell] / left[ALL, cell]
    np.testing.assert_allclose(draws.weight[:, 0], 1 / (400 * pair))


def test_labels_follow_the_focus() -> None:
    """For precision, labels go to the predicted pairs; for recall, more go to the others."""
    inside = {}
    for name, focus in {
        "precision": ((1.0, 1.0),),
        "recall": ((0.0, 1.0),),
        "both": ((1.0, 1.0), (0.0, 1.0)),
    }.items():
        state = labelled(imbalanced(), start(imbalanced(), runs=40, focus=focus), 60)
        inside[name] = float(state.labels[:, state.is_predicted].mean(axis=0).sum() / 60)
    assert inside["precision"] > inside["both"] > inside["recall"]


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
def test_measures_come_from_the_same_belief(alpha: float) -> None:
    """Precision and recall are the same whatever the target, given the same labels."""
    labels = labelled(imbalanced(), start(imbalanced()), 40)
    one, other = (adaptive.estimate(labels._replace(alpha=each)) for each in (alpha, 0.5))
    np.testing.assert_array_equal(one.precision, other.precision)
    np.testing.assert_array_equal(one.recall, other.recall)
    expected = {0.0: one.recall, 1.0: one.precision}.get(alpha)
    if expected is not None:
        np.testing.assert_array_equal(one.value, expected)


def test_useless_scores_are_noticed() -> None:
    """Scores whose best pairs do not match are doubted in nearly all runs, better ones in none."""
    doubted = []
    for population in (TRUSTWORTHY, TURNED):
        state = labelled(population, start(population, runs=20), 120)
        is_doubted = adaptive.believed(adaptive.learned(state))[1]
        doubted.append(int(is_doubted.sum()))
    assert doubted[0] == 0
    assert doubted[1] >= 18


def test_scores_are_not_doubted_at_once() -> None:
    """Before 100 labels nothing is said of the scores."""
    state = labelled(imbalanced(), start(imbalanced()), doubt.DOUBT_FROM - 1)
    assert not adaptive.believed(adaptive.learned(state))[1].any()


def test_doubted_scores_make_labels_explore() -> None:
    """Where scores are doubted, at least three labels of ten go where pairs are left."""
    state = labelled(TURNED, start(TURNED), 120)
    shares = adaptive.planned(state._replace(planned=0)).shares
    left = state.strata.size - state.asked
    explored = left / (state.asked + 1)
    assert np.all(shares >= 0.3 * explored / explored.sum(axis=1, keepdims=True) * (1 - 1e-9))


def test_probabilities_are_the_first_belief() -> None:
    """With calibrated probabilities the estimate begins where they say."""
    population = imbalanced()
    state = start(population, guess="probability")
    expected = state.strata.evidence / state.strata.size
    rate = smooth.odds_to_rate(state.beliefs.trust.mean)
    half = 0.5 / state.strata.size
    np.testing.assert_allclose(rate, np.clip(expected, half, 1 - half))


def test_lost_labels_are_bounds() -> None:
    """The estimate lies between that with no lost pair a match and that with all, which part with each."""
    population = imbalanced()
    state = labelled(population, start(population), 30)
    width = [np.zeros(3)]
    for _ in range(5):
        state, draws = adaptive.ask(state, 2)
        state = adaptive.lose(state, draws)
        none, every = adaptive.bounds(state)
        assert np.all(none.totals.matches < every.totals.matches)
        width.append(every.totals.matches - none.totals.matches)
        assert np.all(width[-1] > width[-2])
        inside = adaptive.estimate(state).totals.matches
        assert np.all((none.totals.matches - 1 <= inside) & (inside <= every.totals.matches + 1))


def test_nothing_lost_bounds_nothing() -> None:
    """Without a lost label both bounds are the estimate."""
    state = labelled(imbalanced(), start(imbalanced()), 30)
    none, every = adaptive.bounds(state)
    np.testing.assert_array_equal(none.value, adaptive.estimate(state).value)
    np.testing.assert_array_equal(every.value, none.value)


def test_the_envelope_holds_what_lost_labels_could_be() -> None:
    """With labels lost, both bounds of the estimate are in the envelope, and it is wider than before."""
    state = labelled(imbalanced(), start(imbalanced()), 60)
    asked, draws = adaptive.ask(state, 6)
    lost = adaptive.lose(asked, draws)
    both, before = ends(lost), ends(state)
    for bound in adaptive.bounds(lost):
        assert np.all((both[0, 0] <= bound.value) & (bound.value <= both[1, 0]))
    assert np.all(both[0] <= before[0] + 0.01)
    assert np.all(both[1] >= before[1] - 0.01)
    assert (both[1] - both[0]).sum() > (before[1] - before[0]).sum()


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("n", [0, 30])
def test_the_anytime_interval_holds_what_lost_labels_could_be(alpha: float, n: int) -> None:
    """It holds that of the pool in which no lost pair matches, and what becomes of it if all do."""
    state = labelled(imbalanced(), start(imbalanced(), alpha=alpha, keeps_interval=True), n)
    asked, draws = adaptive.ask(state, 6)
    lost = ends(adaptive.lose(asked, draws), "anytime")
    told = ends(adaptive.tell(asked, draws, np.zeros((3, 6), dtype=bool)), "anytime")
    assert np.all(lost[0] <= told[0])
    assert np.all(lost[1] >= told[1])
    assert (lost[1] - lost[0]).sum() >= (told[1] - told[0]).sum()


EDGES = {
    "no predicted positives": rectangle([40, 10], [0, 0], [1, 3]),
    "nothing but predicted positives": rectangle([5, 10], [5, 10], [1, 8]),
    "no matches": rectangle([40, 10], [0, 5], [0, 0]),
    "nothing but matches": rectangle([6, 6], [0, 6], [6, 6]),
    "one pair, a match": rectangle([1], [0], [1]),
    "one pair, predicted": rectangle([1], [1], [0]),
    "one pair, right": rectangle([1], [1], [1]),
}


@pytest.mark.parametrize("kind", adaptive.INTERVALS)
@pytest.mark.parametrize("edge", EDGES)
def test_edges_have_defined_results(edge: str, kind: str) -> None:
    """At every step from the first label to the last there is an interval, and at the end the truth."""
    population = EDGES[edge]
    state = start(population, keeps_interval=True)
    for _ in range(len(population.label)):
        ends(state, kind)
        state = labelled(population, state, 1)
    exact = np.stack(adaptive.estimate(state)[:3])
    true = population.totals()
    found, predicted, matches = (float(count[0]) for count in true)
    values = [
        found / base if base else np.nan for base in (0.5 * predicted + 0.5 * matches, predicted, matches)
    ]
    np.testing.assert_allclose(exact, np.repeat(np.array(values)[:, None], 3, axis=1))
    both = ends(state, kind)
    known = ~np.isnan(exact)
    np.testing.assert_allclose(both[0][known], exact[known])
    np.testing.assert_allclose(both[1][known], exact[known])


def test_a_cell_used_up_is_known() -> None:
    """Where every pair of a cell is labelled, no draw of the belief says otherwise."""
    state = labelled(imbalanced(), start(imbalanced()), 300)
    full = state.labels == state.strata.size
    assert full.any()
    drawn = imagined.together(adaptive.known(state), adaptive.believed(adaptive.learned(state))[0])
    assert np.all(drawn.transpose(0, 2, 1)[full] == 0)


def test_the_anytime_interval_must_be_kept() -> None:
    """It needs the bets of every step: asked for too late, it is refused."""
    with pytest.raises(BadSetting, match="keeps_interval"):
        adaptive.anytime(start(imbalanced()), 0.95)


@pytest.mark.parametrize("late", [1, 4])
def test_bets_wait_for_late_labels(late: int) -> None:
    """Labels told in another order than asked make the same interval."""
    population = imbalanced()
    state = labelled(population, start(population, keeps_interval=True), 20)
    asked, draws = adaptive.ask(state, 5)
    labels: NDArray[np.bool_] = truth(population, asked, draws)
    in_order = adaptive.tell(asked, draws, labels)
    shuffled = asked
    columns: Integers = np.roll(np.arange(5), late)
    for column in columns:
        part = slice(int(column), int(column) + 1)
        shuffled = adaptive.tell(shuffled, draws.part(part), labels[:, part])
    np.testing.assert_allclose(ends(in_order, "anytime"), ends(shuffled, "anytime"))
    assert shuffled.pending == ()


def test_a_higher_level_is_wider() -> None:
    """An interval at 99 % holds that at 80 %."""
    state = labelled(imbalanced(), start(imbalanced(), keeps_interval=True), 60)
    for kind in adaptive.INTERVALS:
        narrow, wide = (ends(state, kind, level) for level in (0.8, 0.99))
        assert np.all(wide[0] <= narrow[0])
        assert np.all(wide[1] >= narrow[1])
        assert (wide[1] - wide[0]).sum() > (narrow[1] - narrow[0]).sum()
