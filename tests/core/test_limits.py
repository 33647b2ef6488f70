"""No unbiased method is better than this."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from qanat.core import chance, limits
from qanat.core.cells import Cells, crossed, totals
from qanat.core.measures import f_measure
from qanat.samplers import passive
from qanat.testing.population import imbalanced

ALPHAS = st.sampled_from([0.0, 0.3, 0.5, 1.0])


@st.composite
def pools(draw: st.DrawFn) -> Cells:
    """Draw strata counted by prediction and truth, with some F between 0 and 1."""
    rows = []
    for _ in range(draw(st.integers(1, 6))):
        predicted, rest = draw(st.integers(0, 60)), draw(st.integers(1, 400))
        hits = draw(st.integers(0, predicted))
        rows.append((predicted + rest, predicted, hits + draw(st.integers(0, rest)), hits))
    cells = Cells(*(np.array(column) for column in zip(*rows, strict=True)))
    f = f_measure(totals(cells), 0.5)[0]
    assume(0 < f < 1)
    return cells


@given(pools(), ALPHAS, st.integers(1, 500))
def test_stratified_beats_importance_and_counting_beats_both(cells: Cells, alpha: float, n: int) -> None:
    """(c) <= (b) <= (a) <= (P), for the same cells, any measure and any number of labels."""
    labels = np.array([n])
    cells = crossed(cells)
    c = limits.without_replacement(cells, alpha, labels)
    b = limits.stratified(cells, alpha, labels)
    a = limits.importance(cells, alpha, labels)
    assert c <= b * (1 + 1e-9)
    assert b <= a * (1 + 1e-9)
    assert a <= limits.passive(cells, alpha, labels) * (1 + 1e-9)
    assert limits.importance_by_pair(cells, alpha, labels) <= a * (1 + 1e-9)


@given(pools(), ALPHAS)
def test_more_labels_never_hurt_and_all_of_them_are_exact(cells: Cells, alpha: float) -> None:
    """(c) falls with the labels and is zero once every informative stratum is labelled completely."""
    pairs = int(cells.size.sum())
    found = limits.without_replacement(cells, alpha, np.array([1, 5, 20, 100, 400, pairs, 2 * pairs]))
    assert np.all(np.diff(found) <= 1e-12)
    assert found[-1] == pytest.approx(0, abs=1e-18)
    assert found[-2] == pytest.approx(0, abs=1e-18)


def test_the_allocation_is_the_best_of_all() -> None:
    """No whole-number allocation of twelve labels over three strata has a smaller variance than (c)."""
    cells = Cells(np.array([30, 20, 6]), np.array([0, 0, 6]), np.array([3, 8, 4]), np.array([0, 0, 4]))
    n = 12
    limit = limits.without_replacement(cells, 0.5, np.array([n]))[0]
    spread = limits._spread(cells, 0.5)
    best = min(
        limits._variance(spread, cells.size, np.array(drawn, dtype=float))
        for drawn in product(range(1, 11), repeat=3)
        if sum(drawn) == n and drawn[2] <= 6
    )
    assert limit <= best * (1 + 1e-12)
    assert limit >= 0.95 * best


def test_a_small_stratum_is_labelled_completely() -> None:
    """Where Neyman's share exceeds the stratum, it gets all its pairs and the rest goes elsewhere."""
    drawn = limits._fill(np.array([1.0, 50.0]), np.array([1000, 10]), 30)
    assert drawn.tolist() == [20.0, 10.0]


def test_cells_without_uncertainty_get_no_label() -> None:
    """A stratum of matches only, or of none, needs no label."""
    assert limits._fill(np.array([0.0, 2.0]), np.array([10, 10]), 5).tolist() == [0.0, 5.0]


@pytest.mark.parametrize("limit", [limits.without_replacement, limits.by_score])
def test_where_the_measure_is_undefined_so_is_its_limit(limit: object) -> None:
    """Recall without a match has no value and no variance."""
    cells = Cells(np.array([50, 10]), np.array([0, 10]), np.array([0, 0]), np.array([0, 0]))
    assert np.isnan(limit(cells, 0.0, np.array([5, 10]))).all()  # type: ignore[operator]


def test_scores_that_follow_the_fit_reach_the_limit_of_strata() -> None:
    """With smooth match rates and fine strata, (d) and (c) say nearly the same."""
    rank = np.arange(1, 201) * 50.0
    rate = 1 / (1 + (rank / 1500) ** 2)
    size = np.full(200, 50)
    matches = np.round(size * rate).astype(int)
    predicted = np.where(rate > 0.5, size, 0)
    cells = Cells(size, predicted, matches, np.where(rate > 0.5, matches, 0))
    cells = Cells(*(column[::-1].copy() for column in cells))
    n = np.array([500, 2000])
    ratio = limits.by_score(cells, 0.5, n) / limits.without_replacement(cells, 0.5, n)
    np.testing.assert_allclose(ratio, 1, atol=0.1)


def test_the_smooth_rate_stays_finite_when_scores_separate() -> None:
    """All matches above all others: the fit is steep, not infinite."""
    cells = Cells(np.array([1000, 100, 10, 10]), *(np.array([0, 0, 0, 10]) for _ in range(3)))
    rate = limits.smooth_match_rate(cells)
    assert np.all((rate > 0) & (rate < 1))
    assert rate[-1] > 0.9
    assert rate[0] < 0.01


def test_passive_sampling_reaches_its_limit() -> None:
    """The mean square error of 4,000 passive runs of 2,000 draws is limit (P), within a tenth."""
    population = imbalanced()
    state = passive.init(
        population.strata, alpha=0.5, config=passive.Config(), stream=chance.stream(5, np.arange(4000))
    )
    state, draws = passive.ask(state, 2000)
    state = passive.tell(state, draws, population.labels(state, draws))
    truth = f_measure(population.totals(), 0.5)
    square = ((passive.estimate(state).value - truth) ** 2).mean()
    place = np.arange(400) - np.repeat(population.strata.start, population.strata.size)
    predicted = place < np.repeat(population.strata.predicted, population.strata.size)
    starts = population.strata.start
    cells = Cells(
        population.strata.size,
        population.strata.predicted,
        np.add.reduceat(population.label.astype(int), starts),
        np.add.reduceat((population.label & predicted).astype(int), starts),
    )
    # The variance of a mean of squares of 4,000 normal errors is 2 / 4000: a tenth is 4.5 errors.
    assert square == pytest.approx(limits.passive(cells, 0.5, np.array([2000]))[0], rel=0.1)
