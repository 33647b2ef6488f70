"""Bets against values that the measure might have, without any model."""

from collections.abc import Callable
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from qanat.core import betting
from qanat.core.arrays import Floats, Integers
from qanat.core.betting import VALUES, Bets, Pending, Table
from qanat.testing.asserts import assert_covers

TARGETS = (0.5, 1.0, 0.0)


class Pool(NamedTuple):
    """What is known of the cells, and how many matches each truly holds (K,)."""

    table: Table
    matches: Integers

    @property
    def measures(self) -> Floats:
        """The true measures, shape (T, 1)."""
        found, predicted, matches = self.counts
        return np.array([[found / (alpha * predicted + (1 - alpha) * matches)] for alpha in self.table.alphas])

    @property
    def counts(self) -> tuple[int, int, int]:
        """True positives, predicted matches and matches."""
        size, is_predicted = self.table.size, self.table.is_predicted
        return int(self.matches[is_predicted].sum()), int(size[is_predicted].sum()), int(self.matches.sum())


def pool(
    size: list[int], predicted: list[bool], matches: list[int], guess: list[float], alphas: tuple[float, ...]
) -> Pool:
    """Return a pool from what is said of each cell."""
    return Pool(Table(np.array(size), np.array(predicted), np.array(guess), alphas), np.array(matches))


@st.composite
def pools(draw: st.DrawFn, most: int = 30) -> Pool:
    """Draw one to four cells, with every alpha."""
    size = draw(st.lists(st.integers(1, most), min_size=1, max_size=4))
    predicted, guess = [draw(st.booleans()) for _ in size], [draw(st.floats(0, 1)) for _ in size]
    alphas = (draw(st.floats(0, 1)), 1.0, 0.0)
    return pool(size, predicted, [draw(st.integers(0, n)) for n in size], guess, alphas)


@st.composite
def midways(draw: st.DrawFn) -> tuple[Pool, Bets, Floats]:
    """Draw a pool with a pair left, bets on the way, and the chance of each cell; a used-up cell has none."""
    whole = draw(pools())
    size, matches = whole.table.size, whole.matches
    labels = np.array([draw(st.integers(0, n)) for n in size])
    assume((labels < size).any())
    low = np.maximum(labels - (size - matches), 0)
    seen = np.array([draw(st.integers(a, b)) for a, b in zip(low, np.minimum(labels, matches), strict=True)])
    # What was added up so far may be anything: it only says how much is staked.
    pull = np.full((1, len(TARGETS), len(VALUES)), draw(st.floats(-1e4, 1e4)))
    bets = betting.no_bets(whole.table, 1)._replace(labels=labels[None], matches=seen[None], sum=pull)
    mass = np.array([draw(st.floats(1e-3, 1)) for _ in size]) * (labels < size)
    return whole, bets, mass[None] / mass.sum()


def outcomes(
    whole: Pool, bets: Bets, chance: Floats, told: Floats | None = None
) -> tuple[Bets, Floats, NDArray[np.intp]]:
    """Return the bets after everything that a step can bring, its probability, and the run before it.

    The gambler is told `chance` unless something else is said.
    """
    runs, cells = chance.shape
    run, cell, label = (part.ravel() for part in np.indices((runs, cells, 2)))
    left = whole.table.size - bets.labels
    rate = ((whole.matches - bets.matches) / np.maximum(left, 1))[run, cell]
    probability = chance[run, cell] * np.where(label, rate, 1 - rate)
    run, cell, label = (part[probability > 0] for part in (run, cell, label == 1))
    draw = Pending(cell, bets.labels[run, cell], (chance if told is None else told)[run])
    after = betting.bet(betting.select(bets, run), whole.table, draw, label)
    return after, probability[probability > 0], run


@given(midways())
def test_a_step_is_right_on_average(midway: tuple[Pool, Bets, Floats]) -> None:
    """Over all it could bring, its mean is TP - f (alpha PP + (1 - alpha) P), exactly: 0 at the truth."""
    whole, bets, chance = midway
    after, probability, _ = outcomes(whole, bets, chance)
    found, predicted, matches = whole.counts
    alpha = np.array(whole.table.alphas)[:, None]
    expected = found - VALUES * (alpha * predicted + (1 - alpha) * matches)
    mean = np.tensordot(probability, after.sum - bets.sum, axes=1)
    np.testing.assert_allclose(mean, expected, atol=1e-9 * np.abs(after.sum).max())


@given(midways())
def test_no_bet_risks_more_than_half_of_the_wealth(midway: tuple[Pool, Bets, Floats]) -> None:
    """Whatever the step brings, at least half of the wealth is left."""
    whole, bets, chance = midway
    after, _, _ = outcomes(whole, bets, chance)
    for wealth in (after.above, after.below):
        assert np.all(wealth >= np.log(1 - betting.RISK) - 1e-6)


def favoured(left: Integers) -> Floats:
    """Return chances that favour the cells with most pairs left (runs, K)."""
    return left**2 / (left**2).sum(axis=1, keepdims=True)


def uniform(left: Integers) -> Floats:
    """Return the chances of cells if every pair left is as likely."""
    return left / left.sum(axis=1, keepdims=True)


def is_held(whole: Pool, bets: Bets, level: float) -> NDArray[np.bool_]:
    """Return where the interval holds the true measure, shape (T, runs)."""
    low, high = betting.interval(bets, level)
    return (low <= whole.measures) & (whole.measures <= high)


# In the first two every measure is 1/2, a value of the grid; in the third two are between two values.
TINY = [
    pool([2, 2], [False, True], [1, 1], [0.2, 0.9], TARGETS),
    pool([4, 2], [False, True], [1, 1], [0.9, 0.3], TARGETS),
    pool([3, 3], [False, True], [2, 1], [0.1, 0.5], TARGETS),
]


@pytest.mark.parametrize("whole", TINY[:2])
def test_betting_against_the_truth_is_a_fair_game(whole: Pool) -> None:
    """Over all orders of labelling a tiny pool, the mean wealth against the true value stays 1."""
    bets, probability = betting.no_bets(whole.table, 1), np.ones(1)
    true_value = int(np.argmin(np.abs(VALUES - 0.5)))
    for _ in range(whole.table.size.sum()):
        bets, chance, run = outcomes(whole, bets, favoured(whole.table.size - bets.labels))
        probability = probability[run] * chance
        for wealth in (bets.above, bets.below):
            np.testing.assert_allclose(probability @ np.exp(wealth[:, :, true_value]), 1.0, atol=1e-9)


@pytest.mark.parametrize("whole", TINY)
def test_a_tiny_pool_labelled_completely_holds_the_truth(whole: Pool) -> None:
    """At the end in every order, and at all steps at once with at least the probability of the level."""
    bets, probability = betting.no_bets(whole.table, 1), np.ones(1)
    has_held = np.ones((len(TARGETS), 1), dtype=bool)
    for _ in range(whole.table.size.sum()):
        bets, chance, run = outcomes(whole, bets, favoured(whole.table.size - bets.labels))
        probability = probability[run] * chance
        has_held = has_held[:, run] & is_held(whole, bets, 0.8)
    assert probability.sum() == pytest.approx(1)
    assert np.all(has_held @ probability >= 0.8)
    assert is_held(whole, bets, 0.8).all()


# The scores hide most of the matches in the cell that is seldom drawn, and all that is predicted matches.
HIDDEN = pool([60, 30], [False, True], [36, 30], [0.02, 0.98], TARGETS)
RUNS = 2600


def test_the_game_is_not_fair_if_the_chances_are_wrong() -> None:
    """Told that large cells are favoured when pairs are drawn uniformly, who bets against the truth gains."""
    left = HIDDEN.table.size[None]
    after, probability, _ = outcomes(HIDDEN, betting.no_bets(HIDDEN.table, 1), uniform(left), favoured(left))
    true_value = int(np.argmin(np.abs(VALUES - HIDDEN.measures[0])))
    assert probability @ np.exp(after.above[:, 0, true_value]) > 1.01


def covering(told: Callable[[Integers], Floats] | None) -> NDArray[np.bool_]:
    """Return in which runs the interval of each measure holds the truth at all steps, shape (T, runs)."""
    random = np.random.Generator(np.random.Philox(key=5))
    table, rows = HIDDEN.table, np.arange(RUNS)
    bets, has_held = betting.no_bets(table, RUNS), np.ones((len(TARGETS), RUNS), dtype=bool)
    for _ in range(50):
        left = table.size - bets.labels
        chance = np.where(
            left > 0, 0.05 * uniform(left) + 0.95 * uniform(left * table.is_predicted + 1e-9 * left), 0
        )
        chance /= chance.sum(axis=1, keepdims=True)
        cell = (np.cumsum(chance, axis=1) > random.random(RUNS)[:, None]).argmax(axis=1)
        rate = (HIDDEN.matches - bets.matches)[rows, cell] / left[rows, cell]
        draw = Pending(cell, bets.labels[rows, cell], chance if told is None else told(left))
        bets = betting.bet(bets, table, draw, random.random(RUNS) < rate)
        has_held &= is_held(HIDDEN, bets, 0.95)
    return has_held


def test_the_interval_covers_at_all_steps_at_once() -> None:
    """At level 0.95, whatever is drawn and however wrong the guess; a coverage of 0.9 would be seen."""
    for hits in covering(told=None).sum(axis=1):
        assert_covers(int(hits), RUNS, 0.95, detects=0.9)


def test_wrong_chances_are_seen() -> None:
    """Negative control: bets told that every pair is as likely leave out the truth of F and of recall."""
    hits = covering(told=uniform).sum(axis=1)
    for target in (0, 2):
        with pytest.raises(AssertionError, match="cover, at least"):
            assert_covers(int(hits[target]), RUNS, 0.95, detects=0.9)


def four_draws() -> tuple[Pool, tuple[Pending, ...], list[NDArray[np.bool_]]]:
    """Return a pool, four draws of two runs that wait, and their labels."""
    whole = TINY[1]
    cells = [np.array(cell) for cell in ([0, 1], [0, 0], [1, 0], [0, 1])]
    places = [np.array(place) for place in ([0, 0], [1, 0], [0, 1], [2, 1])]
    chance = [np.array([[0.1 + 0.2 * t, 0.9 - 0.2 * t], [0.5, 0.5]]) for t in range(4)]
    labels = [np.array(label) for label in ([True, False], [False, True], [True, False], [False, False])]
    return whole, tuple(map(Pending, cells, places, chance)), labels


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_the_order_of_telling_does_not_matter(order: tuple[int, ...]) -> None:
    """Bets are made in the order of drawing, as soon as all draws before have their labels."""
    whole, drawn, labels = four_draws()
    expected = betting.no_bets(whole.table, 2)
    for draw, label in zip(drawn, labels, strict=True):
        expected = betting.bet(expected, whole.table, draw, label)
    bets, pending = betting.no_bets(whole.table, 2), drawn
    for number, t in enumerate(order):
        pending = betting.note(pending, drawn[t].cell, drawn[t].place, labels[t])
        bets, pending = betting.settle(bets, whole.table, pending)
        told = set(order[: number + 1])
        assert bets.labels.sum(axis=1).tolist() == [next((i for i in range(4) if i not in told), 4)] * 2
    assert pending == ()
    for found, wanted in zip(bets, expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_a_selected_run_goes_on_alone() -> None:
    """Selecting a run and betting on is betting and then selecting; draws that wait keep their labels."""
    whole, drawn, labels = four_draws()
    rows = np.array([1])
    pending = betting.note(drawn, drawn[1].cell, drawn[1].place, labels[1])
    alone, waiting = betting.no_bets(whole.table, 2), betting.select_pending(pending, rows)
    assert [None if draw.label is None else draw.label.tolist() for draw in waiting] == [
        None,
        [True],
        None,
        None,
    ]
    waiting = betting.note(waiting, drawn[0].cell[rows], drawn[0].place[rows], labels[0][rows])
    alone, waiting = betting.settle(betting.select(alone, rows), whole.table, waiting)
    pending = betting.note(pending, drawn[0].cell, drawn[0].place, labels[0])
    both, pending = betting.settle(betting.no_bets(whole.table, 2), whole.table, pending)
    assert len(waiting) == len(pending) == 2
    for found, wanted in zip(alone, betting.select(both, rows), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_before_any_label_nothing_is_left_out() -> None:
    """From 0 to 1, at any level."""
    low, high = betting.interval(betting.no_bets(TINY[0].table, 3), 0.5)
    assert low.shape == (3, 3)
    assert np.all(low == 0)
    assert np.all(high == 1)


@given(
    st.lists(st.floats(0, 20), min_size=len(VALUES), max_size=len(VALUES)),
    st.floats(0.5, 0.99),
    st.floats(0, 1),
)
def test_the_interval_is_what_was_not_left_out(peaks: list[float], level: float, share: float) -> None:
    """One step beyond the values below the limit or least spoken against; wider at a higher level."""
    bets = betting.no_bets(TINY[0].table._replace(alphas=(0.5,)), 1)._replace(peak=np.array(peaks)[None, None])
    low, high = (float(end[0, 0]) for end in betting.interval(bets, level))
    stay = [v for v, p in zip(VALUES, peaks, strict=True) if p < np.log(1 / (1 - level)) or p == min(peaks)]
    assert low == pytest.approx(max(min(stay) - betting.STEP, 0))
    assert high == pytest.approx(min(max(stay) + betting.STEP, 1))
    less = betting.interval(bets, share * level)
    assert low <= less.low[0, 0] <= less.high[0, 0] <= high
