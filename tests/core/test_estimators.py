"""Labelled draws become counts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qanat.core import estimators

draws = st.lists(
    st.tuples(st.floats(0.1, 10), st.booleans(), st.booleans(), st.integers(0, 2)), min_size=1, max_size=20
)


@given(draws)
def test_weighted_sums_are_sums_over_the_draws(rows: list[tuple[float, bool, bool, int]]) -> None:
    """Draw by draw or all at once: the sums of weight times prediction, label, and both."""
    weight, prediction, label = (np.array([[row[i] for row in rows]]) for i in range(3))
    at_once = estimators.add(estimators.no_sums(1), weight, prediction.astype(bool), label.astype(bool))
    by_hand = [sum(w * p * y for w, p, y, _ in rows), sum(w * p for w, p, _, _ in rows)]
    np.testing.assert_allclose(at_once.true_positives, by_hand[0])
    np.testing.assert_allclose(at_once.predicted, by_hand[1])
    np.testing.assert_allclose(at_once.matches, sum(w * y for w, _, y, _ in rows))
    totals = estimators.weighted_totals(at_once, 100)
    np.testing.assert_allclose(totals.predicted, 100 * by_hand[1] / len(rows))


def test_no_draw_estimates_nothing() -> None:
    """Before the first draw every count is unknown."""
    totals = estimators.weighted_totals(estimators.no_sums(2), 100)
    assert np.isnan(np.stack(totals)).all()


def test_a_stratum_without_a_draw_leaves_the_total_unknown() -> None:
    """The rate of a stratum that was never seen could be anything."""
    tallies = estimators.no_tallies(1, 2)
    one = np.array([[True]])
    tallies = estimators.count(tallies, np.array([[0]]), one, one)
    assert np.isnan(estimators.stratified_totals(tallies, np.array([5, 5])).matches).all()
    tallies = estimators.count(tallies, np.array([[1]]), ~one, one)
    totals = estimators.stratified_totals(tallies, np.array([5, 7]))
    assert (totals.true_positives[0], totals.predicted[0], totals.matches[0]) == (5.0, 5.0, 12.0)


def test_draws_of_one_stratum_in_a_batch_all_count() -> None:
    """Two draws of the same stratum told together are two."""
    yes, no = True, False
    tallies = estimators.count(
        estimators.no_tallies(1, 2),
        np.array([[1, 1, 1]]),
        np.array([[yes, no, no]]),
        np.array([[yes, yes, no]]),
    )
    assert tallies.draws.tolist() == [[0, 3]]
    assert tallies.matches.tolist() == [[0, 2]]
    assert tallies.true_positives.tolist() == [[0, 1]]
