"""Where oasis 0.1.3 and activeeval crash or answer nonsense, qanat answers right or refuses in one line."""

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qanat import BadInput, BadLabel, BadSetting, InMemoryPool, evaluate, open_pool, settings, simulate
from qanat.design import Design, design
from qanat.testing import assert_mean, assert_share
from qanat.testing.sampler_laws import assert_equal

SAMPLERS = ("passive", "stratified", "importance", "oasis")
WITH_GUESS = ("importance", "oasis")

each_sampler = pytest.mark.parametrize("sampler", SAMPLERS)


def random(n: int, seed: int = 1) -> NDArray[np.float64]:
    """Return `n` uniforms, always the same."""
    return np.random.Generator(np.random.Philox(key=seed)).random(n)


def pool_of(score: Any, prediction: Any = None, label: Any = None) -> InMemoryPool:
    """Return the pool of 0.5 as threshold where no predictions are given."""
    columns = {"score": score, "p": prediction, "l": label}
    names: dict[str, Any] = {"threshold": 0.5} if prediction is None else {"prediction": "p"}
    return open_pool(columns, label=None if label is None else "l", **names)


def easy() -> InMemoryPool:
    """Return 60 pairs whose scores tell much of the truth: 28 predicted to match."""
    score = random(60)
    return pool_of(score, label=random(60, seed=2) < score)


def truth_of(pool: InMemoryPool) -> Callable[[int], bool]:
    """Return an oracle that knows the truth of the pool."""
    return lambda pair: bool(np.asarray(pool.label)[pair])


def refusal(error: type[Exception], call: Callable[[], object]) -> str:
    """Return the one line with which the call is refused."""
    with pytest.raises(error) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def plan_of(pool: InMemoryPool, sampler: str, config: Any = None, strata: int = 10) -> Design:
    """Return the method on the strata of the pool."""
    return design(pool, sampler=sampler, target="f1", budget=1, strata=strata, seed=0, config=config)


def exploring(sampler: str, is_probability: bool = False) -> Any:
    """Return settings whose weights are at most 5: the mean of weights of 1,000 takes a million runs."""
    return settings(sampler, epsilon=0.2 if sampler in WITH_GUESS else None, is_probability=is_probability)


def step(pool: InMemoryPool, plan: Design, state: Any) -> Any:
    """Return the state that knows the truth of one more draw of every run."""
    state, draws = plan.method.ask(state, 1)
    pair = pool.rows(plan.stratified)[state.strata.start[draws.stratum] + draws.place]
    return plan.method.tell(state, draws, np.asarray(pool.label)[pair])


def assert_unbiased(pool: InMemoryPool, sampler: str, *, runs: int, is_probability: bool = False) -> None:
    """Fail if the estimated number of matches is not right on average; a tenth would be seen."""
    plan = plan_of(pool, sampler, exploring(sampler, is_probability))
    state = plan.init(0, np.arange(runs))
    for _ in range(60):
        state = step(pool, plan, state)
    true = float(np.asarray(pool.label).sum())
    assert_mean(plan.method.estimate(state).totals.matches, true, detects=0.1 * true)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_not_finite(wrong: float) -> None:
    """Missing and infinite scores are refused: how many, and the first."""
    line = refusal(BadInput, lambda: pool_of([0.9, wrong, 0.1, wrong]))
    assert f"2 wrong values, the first being {wrong} in row 2: expected finite scores" in line


@pytest.mark.parametrize("sampler", WITH_GUESS)
@pytest.mark.parametrize("wrong", [1.5, -0.1])
def test_a_probability_that_is_none(sampler: str, wrong: float) -> None:
    """Scores that are said to be probabilities must be; a missing one is refused like any score."""
    pool, config = pool_of([0.9, 0.1, wrong, 0.8]), settings(sampler, is_probability=True)
    line = refusal(BadInput, lambda: evaluate(pool, lambda _: True, sampler=sampler, budget=2, config=config))
    assert "are said to be probabilities but lie between" in line
    assert f"{wrong:g}" in line
    assert "1 wrong value, the first being nan" in refusal(BadInput, lambda: pool_of([0.9, float("nan")]))


@pytest.mark.parametrize("other", [[1], [1, 0], [1, 0, 1, 0]])
def test_columns_of_different_lengths(other: list[int]) -> None:
    """Predictions or labels more or fewer than the scores are refused."""
    score = [0.9, 0.6, 0.1]
    for call in (lambda: pool_of(score, other), lambda: pool_of(score, label=other)):
        assert f"has {len(other)} values for 3 scores: expected one for each pair" in refusal(BadInput, call)


@pytest.mark.parametrize("wrong", [[1, -1, -1], [1, 2, 0], [1, 0.7, 0], ["1", "x", "0"]])
def test_predictions_that_are_not_0_or_1(wrong: list[Any]) -> None:
    """Predictions of -1, 2, 0.7 or words are refused; the text "1" is the prediction 1."""
    assert "expected 0 or 1 for each pair" in refusal(BadInput, lambda: pool_of([0.9, 0.6, 0.1], wrong))
    assert pool_of([0.9, 0.6, 0.1], ["1", "0", "1"]).prediction.tolist() == [True, False, True]


@each_sampler
@pytest.mark.parametrize(
    "wrong",
    [2, None, 0.5, float("nan"), "1", -1, "yes", float("inf"), [1], 1 + 0j, np.array([1]), np.zeros((2, 2))],
    ids=repr,
)
def test_an_answer_that_is_no_label(sampler: str, wrong: object) -> None:
    """The oracle may answer True, False, 1 or 0; anything else is refused, -1 for a non-match too."""
    call = lambda: evaluate(easy(), lambda _: wrong, sampler=sampler, budget=5)  # noqa: E731
    assert "expected True (a match), False or 'unsure'" in refusal(BadLabel, call)


@each_sampler
def test_contradictory_labels_for_one_pair(sampler: str) -> None:
    """A pair drawn twice has the label it got first: nobody is asked twice, so nothing can contradict."""
    pool, asked = easy(), list[int]()

    def fickle(pair: int) -> bool:
        asked.append(pair)
        return truth_of(pool)(pair) == (asked.count(pair) == 1)

    told = evaluate(pool, fickle, sampler=sampler, budget=50)
    assert told.draws > told.labels == len(asked) == len(set(asked)) == 50
    np.testing.assert_equal(told, evaluate(pool, truth_of(pool), sampler=sampler, budget=50))


@each_sampler
@pytest.mark.parametrize("score", [0.3, 0.0, -2.0])
def test_scores_that_say_nothing(sampler: str, score: float) -> None:
    """One score for all pairs, zero or not, is one stratum, and the estimate is unbiased."""
    pool = pool_of(np.full(60, score), np.arange(60) % 3 == 0, np.arange(60) % 4 == 0)
    assert len(plan_of(pool, sampler).stratified.strata.size) == 1
    assert_unbiased(pool, sampler, runs=2000)


@each_sampler
def test_scores_that_are_nearly_all_tied(sampler: str) -> None:
    """Nine pairs in ten share a score, so that the quartiles are equal; the estimate is unbiased."""
    score = np.where(np.arange(200) < 180, 0.1, 0.5 + np.arange(200) / 400)
    pool = pool_of(score, label=(np.arange(200) % 18 == 0) | (score > 0.6))
    assert np.percentile(score, 25) == np.percentile(score, 75)
    assert_unbiased(pool, sampler, runs=2000)


@each_sampler
def test_scores_that_are_integers(sampler: str) -> None:
    """Whole numbers are scores: the same as floats of the same size."""
    score = (random(60) * 9).astype(np.int64)
    pool, floats = (pool_of(kind, score >= 6, random(60, seed=2) * 9 < score) for kind in (score, score / 1.0))
    told = [evaluate(each, truth_of(pool), sampler=sampler, budget=40) for each in (pool, floats)]
    np.testing.assert_equal(told[0], told[1])
    assert_unbiased(pool, sampler, runs=2000)


def test_no_pair_is_predicted_to_match() -> None:
    """A matcher that finds nothing has no precision, and an F of 0 without any label: refused."""
    assert "predicts no match" in refusal(BadInput, lambda: pool_of([0.9, 0.1], [0, 0]))


def certain() -> InMemoryPool:
    """Return 100 pairs with probabilities of 0 and 1 only, 28 matches: 25 of the 30 predicted, 3 others."""
    row = np.arange(100)
    return pool_of(np.where(row < 25, 1.0, 0.0), row < 30, (row < 25) | (row >= 97))


@pytest.mark.parametrize("sampler", WITH_GUESS)
@pytest.mark.parametrize("is_probability", [True, False])
def test_probabilities_of_exactly_0_and_1(sampler: str, is_probability: bool) -> None:
    """A matcher that is always certain does not hide its misses: the count of matches is right on average."""
    assert_unbiased(certain(), sampler, runs=5000, is_probability=is_probability)


def test_static_sampling_leaves_the_predicted_matches() -> None:
    """All guessed mass is on the predicted matches; the others are drawn as often as epsilon says."""
    plan = plan_of(certain(), "importance", settings("importance", is_probability=True))
    _, draws = plan.method.ask(plan.init(0, np.arange(1000)), 1000)
    assert draws.weight.max() == pytest.approx(1000)
    assert_share(int((~draws.prediction).sum()), 1_000_000, 0.001 * 0.7, detects=0.0003)


@each_sampler
def test_no_true_match_in_the_pool(sampler: str) -> None:
    """Where every answer is no, F and precision are 0, recall has no value, and the evaluation ends."""
    pool = pool_of(random(60), label=np.zeros(60))
    told = evaluate(pool, truth_of(pool), sampler=sampler, budget=20, strata=8)
    assert (told.value, told.precision.value, told.labels) == (0.0, 0.0, 20)
    assert np.isnan(told.recall.value)
    assert simulate(pool, sampler=sampler, budget=20, runs=3, strata=8).checkpoints[-1].rmse == 0.0


def test_an_empty_pool() -> None:
    """No pair is no pool."""
    assert "The pool is empty: expected at least one scored pair" in refusal(BadInput, lambda: pool_of([]))


@each_sampler
def test_one_pair_in_one_stratum(sampler: str) -> None:
    """A pool of one pair is evaluated by its one label."""
    for label, value in ((True, 1.0), (False, 0.0)):
        pool = pool_of([0.7], label=[label])
        told = evaluate(pool, truth_of(pool), sampler=sampler, budget=1, strata=30)
        assert (told.value, told.labels) == (value, 1)


@each_sampler
def test_an_oracle_that_fails_is_heard(sampler: str) -> None:
    """An exception of the oracle comes through, and asking again from the start gives what it would have."""
    pool, asked = easy(), list[int]()

    def unreliable(pair: int) -> bool:
        asked.append(pair)
        if len(asked) == 7:
            raise ConnectionError
        return truth_of(pool)(pair)

    with pytest.raises(ConnectionError):
        evaluate(pool, unreliable, sampler=sampler, budget=20)
    again = evaluate(pool, unreliable, sampler=sampler, budget=20)
    np.testing.assert_equal(again, evaluate(pool, truth_of(pool), sampler=sampler, budget=20))


@each_sampler
def test_a_draw_whose_label_is_lost_can_be_drawn_again(sampler: str) -> None:
    """The state before a failure is still good: going on from it is as if nothing had failed."""
    pool = easy()
    plan = plan_of(pool, sampler)
    undisturbed = disturbed = plan.init(0, np.arange(3))
    for _ in range(30):
        plan.method.ask(disturbed, 1)  # and the oracle fails
        undisturbed, disturbed = step(pool, plan, undisturbed), step(pool, plan, disturbed)
    assert_equal(undisturbed, disturbed)


@each_sampler
@pytest.mark.parametrize("others", [40, 90])
def test_strata_of_another_pool(sampler: str, others: int) -> None:
    """Strata are counted from the pool itself: one seen before, longer or shorter, leaves no trace."""
    pool = easy()
    alone = evaluate(pool, truth_of(pool), sampler=sampler, budget=30)
    evaluate(pool_of(random(others, seed=3)), lambda _: True, sampler=sampler, budget=20)
    np.testing.assert_equal(evaluate(pool, truth_of(pool), sampler=sampler, budget=30), alone)
    assert plan_of(pool, sampler).stratified.strata.size.sum() == 60


@each_sampler
@pytest.mark.parametrize("labels", [0, -1])
def test_no_labels_or_fewer(sampler: str, labels: int) -> None:
    """A budget of nothing is refused by both products."""
    pool = easy()
    line = refusal(BadSetting, lambda: evaluate(pool, truth_of(pool), sampler=sampler, budget=labels))
    assert line == refusal(BadSetting, lambda: simulate(pool, sampler=sampler, budget=labels))
    assert f"budget is {labels}: expected at least 1" in line


@each_sampler
def test_more_labels_than_pairs(sampler: str) -> None:
    """A budget beyond the pool is refused; one of the whole pool asks about every pair and ends."""
    pool = easy()
    line = refusal(BadSetting, lambda: evaluate(pool, truth_of(pool), sampler=sampler, budget=61))
    assert "The budget is 61 labels but the pool has 60 pairs" in line
    told = evaluate(pool, truth_of(pool), sampler=sampler, budget=60, config=exploring(sampler))
    assert told.labels == 60


@pytest.mark.parametrize("sampler", ["stratified", "oasis"])
def test_strata_of_one_pair(sampler: str) -> None:
    """As many strata as pairs work; the stratified estimate is the truth when all are labelled."""
    pool, config = easy(), settings(sampler, stratification="equal-size")
    assert plan_of(pool, sampler, config, strata=60).stratified.strata.size.tolist() == [1] * 60
    told = evaluate(pool, truth_of(pool), sampler=sampler, budget=60, strata=60, config=config)
    if sampler == "stratified":
        assert told.value == pytest.approx(simulate(pool, budget=1, runs=1).truth, rel=1e-12)


def test_ten_million_pairs() -> None:
    """Ten million pairs are set up for OASIS and drawn from a thousand times in 2 GiB and a minute."""
    score = random(10_000_000)
    tracemalloc.start()
    started = time.process_time()
    pool = open_pool({"score": score}, threshold=0.999)
    told = evaluate(pool, lambda pair: bool(score[pair] > 0.9985), budget=1000)
    seconds, peak = time.process_time() - started, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert told.labels == 1000
    assert peak < 2 * 2**30
    assert seconds < 60
