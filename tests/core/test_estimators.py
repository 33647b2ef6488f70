"""Labelled draws become counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qanat.core import estimators
from qanat.core.estimators import Tallies
from qanat.core.measures import f_measure
from qanat.errors import BadSetting
from qanat.testing.asserts import assert_mean

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


def columns(rows: list[tuple[float, bool, bool, int]]) -> list[np.ndarray]:
    """Return weight, prediction, label and stratum of the draws of one run, shape (1, n)."""
    kinds = (np.float64, np.bool_, np.bool_, np.intp)
    return [np.array([part], dtype=kind) for part, kind in zip(zip(*rows, strict=True), kinds, strict=True)]


def error(prediction: np.ndarray, label: np.ndarray, f: float, alpha: float) -> np.ndarray:
    """Return the numerator of docs/notation.md, equation (3)."""
    return prediction * label - f * (alpha * prediction + (1 - alpha) * label)


@given(draws, st.floats(0, 1))
def test_weighted_variance_adds_up_the_squared_errors(
    rows: list[tuple[float, bool, bool, int]], alpha: float
) -> None:
    """Sum of (w h)^2 over the squared sum of w (alpha yhat + (1 - alpha) y); NaN where F is undefined."""
    weight, prediction, label, _ = columns(rows)
    sums = estimators.no_sums(1, has_squares=True)
    for i in range(len(rows)):
        sums = estimators.add(sums, weight[:, [i]], prediction[:, [i]], label[:, [i]])
    base = float((weight * (alpha * prediction + (1 - alpha) * label)).sum())
    found = estimators.weighted_variance(sums, alpha)
    if base == 0:
        assert np.isnan(found)
        return
    f = float((weight * prediction * label).sum() / base)
    np.testing.assert_allclose(
        found, ((weight * error(prediction, label, f, alpha)) ** 2).sum() / base**2, rtol=1e-6, atol=1e-12
    )


@given(draws, st.floats(0, 1))
def test_stratified_variance_adds_up_the_variances_of_strata(
    rows: list[tuple[float, bool, bool, int]], alpha: float
) -> None:
    """Sum of N_k^2 times the variance of the errors in k over its draws; NaN where F is undefined."""
    _, prediction, label, stratum = columns(rows)
    tallies = estimators.count(estimators.no_tallies(1, 3), stratum, prediction, label)
    size = np.array([50, 7, 300])
    found = estimators.stratified_variance(tallies, size, alpha)
    totals = estimators.stratified_totals(tallies, size)
    f = float(f_measure(totals, alpha)[0])
    assert np.isnan(found[0]) == np.isnan(f)
    if np.isnan(f):
        return
    errors = error(prediction, label, f, alpha)
    variance = sum(n**2 * errors[stratum == k].var() / (stratum == k).sum() for k, n in enumerate(size))
    base = float((alpha * totals.predicted + (1 - alpha) * totals.matches)[0])
    np.testing.assert_allclose(found, variance / base**2, rtol=1e-6, atol=1e-12)


def test_before_any_draw_no_variance_is_defined() -> None:
    """Nothing drawn, nothing known, not even how uncertain it is."""
    assert np.isnan(estimators.weighted_variance(estimators.no_sums(2, has_squares=True), 0.5)).all()
    assert np.isnan(estimators.stratified_variance(estimators.no_tallies(2, 3), np.array([5, 5, 5]), 0.5)).all()


def test_sums_without_squares_have_no_variance() -> None:
    """Where squares were not kept, a variance is refused, and not made up."""
    weight, yes = np.array([[2.0, 1.0]]), np.array([[True, True]])
    with pytest.raises(BadSetting, match="set keeps_interval"):
        estimators.weighted_variance(estimators.add(estimators.no_sums(1), weight, yes, yes), 0.5)


def test_where_the_draws_of_a_stratum_agree_its_variance_is_not_negative() -> None:
    """A stratum of one kind of pair has no variance, whatever the rounding."""
    for kind in [(1, 1, 1), (0, 1, 0), (0, 0, 1)]:
        for alpha in np.arange(1, 100) / 100:
            seen = [np.array([[7.0, 14.0]])] + [np.array([[7.0, 14.0 * part]]) for part in kind]
            assert estimators.stratified_variance(Tallies(*seen), np.array([40, 900]), alpha) >= 0


# Three strata: size, predicted share, and match rates of the predicted and of the other pairs.
SIZE, SHARE, HIT, MISS = np.array([2000, 300, 100]), (0.0, 0.3, 1.0), (0.0, 0.5, 0.9), (0.02, 0.2, 0.0)
RUNS, DRAWS = 4000, 600


def sampled(stratum: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return predictions and labels of pairs drawn from these strata."""
    prediction = random.random(stratum.shape) < np.array(SHARE)[stratum]
    rate = np.where(prediction, np.array(HIT)[stratum], np.array(MISS)[stratum])
    return prediction, random.random(stratum.shape) < rate


def true_f() -> float:
    """Return the balanced F of the strata."""
    predicted, found = SIZE * SHARE, SIZE * SHARE * HIT
    matches = found + (SIZE - predicted) * MISS
    return float(found.sum() / (predicted.sum() + matches.sum()) * 2)


def assert_is_variance(variance: np.ndarray, f: np.ndarray) -> None:
    """Fail if the mean square error is not the mean variance; sure to notice a quarter more or less."""
    assert_mean((f - true_f()) ** 2 / variance.mean(), 1.0, detects=0.25)


def test_the_variances_are_those_of_the_estimates() -> None:
    """Over 4,000 runs of 600 draws the mean square error is what they say; negative control: half of it."""
    random = np.random.Generator(np.random.Philox(key=11))
    stratum = random.integers(0, 3, (RUNS, DRAWS))
    prediction, label = sampled(stratum, random)
    weight = (3 * SIZE / SIZE.sum())[stratum]
    sums = estimators.add(estimators.no_sums(RUNS, has_squares=True), weight, prediction, label)
    tallies = estimators.count(estimators.no_tallies(RUNS, 3), stratum, prediction, label)
    f = f_measure(estimators.weighted_totals(sums, 2400), 0.5)
    assert_is_variance(estimators.weighted_variance(sums, 0.5), f)
    g = f_measure(estimators.stratified_totals(tallies, SIZE), 0.5)
    assert_is_variance(estimators.stratified_variance(tallies, SIZE, 0.5), g)
    with pytest.raises(AssertionError, match="errors from 1"):
        assert_is_variance(2 * estimators.weighted_variance(sums, 0.5), f)


def test_selected_runs_keep_their_sums() -> None:
    """With squares and without."""
    yes = np.ones((3, 2), dtype=bool)
    for has_squares in (True, False):
        sums = estimators.add(
            estimators.no_sums(3, has_squares=has_squares),
            np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
            yes,
            yes,
        )
        one = estimators.select(sums, np.array([2]))
        assert one.matches == 11
        assert (one.squares is not None) == has_squares
        assert one.squares is None or one.squares.tolist() == [[61, 0, 0]]


@pytest.mark.parametrize(("alpha", "expected"), [(1.0, 5.0), (0.0, 4.0), (0.5, 6.0), (0.3, 6.0)])
def test_the_draws_that_tell_of_a_measure_are_counted(alpha: float, expected: float) -> None:
    """Of precision tell the predicted pairs, of recall the matches, of F both; others tell nothing."""
    prediction = np.array([[True, True, True, True, True, False, False, False]])
    label = np.array([[True, True, True, False, False, True, False, False]])
    sums = estimators.add(estimators.no_sums(1, has_squares=True), np.ones((1, 8)), prediction, label)
    assert estimators.informative(sums, alpha) == pytest.approx(expected)
    stratum = np.array([[0, 0, 0, 1, 1, 1, 1, 1]])
    tallies = estimators.count(estimators.no_tallies(1, 2), stratum, prediction, label)
    assert estimators.stratified_informative(tallies, alpha) == expected


def test_uneven_weights_tell_less() -> None:
    """Draws of which one weighs nearly all are worth little more than one; without any, nothing is known."""
    yes, weight = np.ones((1, 3), dtype=bool), np.array([[100.0, 1.0, 1.0]])
    sums = estimators.add(estimators.no_sums(1, has_squares=True), weight, yes, yes)
    assert 1 < estimators.informative(sums, 0.5)[0] < 1.1
    assert np.isnan(estimators.informative(estimators.no_sums(1, has_squares=True), 0.5)).all()
    with pytest.raises(BadSetting, match="set keeps_interval"):
        estimators.informative(estimators.no_sums(1), 0.5)
