"""An evaluation asks about so many pairs, each once, and says what the answers say."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from qanat import BadLabel, Evaluation, InMemoryPool, evaluate, open_pool, settings

SAMPLERS = ("passive", "stratified", "importance", "oasis")
# Measures of the pool below, whose 2,000 pairs are 106 matches: 96 of the 102 predicted, 10 of the others.
TRUE = {"f1": 2 * 96 / (102 + 106), "precision": 96 / 102, "recall": 96 / 106}

each_sampler = pytest.mark.parametrize("sampler", SAMPLERS)


def easy() -> InMemoryPool:
    """Return 2,000 pairs whose scores are nearly always right."""
    row = np.arange(2000)
    columns = {
        "score": (row / 2000) ** 4,
        "pred": row >= 1898,
        "label": (row >= 1904) | ((row >= 1880) & (row < 1890)),
    }
    return open_pool(columns, prediction="pred", label="label")


POOL = easy()


def oracle(pair: int) -> bool:
    """Return the truth."""
    return bool(np.asarray(POOL.label)[pair])


def counted(asked: list[int]) -> Callable[[int], bool]:
    """Return the oracle, which notes every pair it is asked about."""

    def counting(pair: int) -> bool:
        asked.append(pair)
        return oracle(pair)

    return counting


@each_sampler
@pytest.mark.parametrize("budget", [1, 30, 400])
def test_the_budget_counts_pairs_and_each_is_asked_once(sampler: str, budget: int) -> None:
    """As many pairs as the budget says are asked about, none of them twice, however often it is drawn."""
    asked: list[int] = []
    told = evaluate(POOL, counted(asked), sampler=sampler, budget=budget)
    assert len(asked) == len(set(asked)) == told.labels == budget
    assert told.draws >= budget
    assert set(asked) <= set(range(2000))


@pytest.mark.parametrize("sampler", ["passive", "stratified"])
def test_all_labels_of_an_easy_pool_come_near_the_truth(sampler: str) -> None:
    """When every pair has been asked about, the estimates are near the truth of the pool."""
    told = evaluate(POOL, oracle, sampler=sampler, budget=2000)
    assert told.labels == 2000
    for value, name in zip(told, TRUE, strict=False):
        assert value == pytest.approx(TRUE[name], abs=0.04)


@pytest.mark.parametrize("sampler", ["importance", "oasis"])
def test_few_labels_of_an_easy_pool_come_near_the_truth(sampler: str) -> None:
    """Where the scores tell much, a fifth of the labels is enough for methods that use them."""
    told = evaluate(POOL, oracle, sampler=sampler, budget=400, config=settings(sampler, epsilon=0.1))
    for value, name in zip(told, TRUE, strict=False):
        assert value == pytest.approx(TRUE[name], abs=0.06)


@each_sampler
@pytest.mark.parametrize("target", ["f1", "precision", "recall", "f:0.3", "f:0", "f:1"])
def test_the_value_is_that_of_the_target(sampler: str, target: str) -> None:
    """The value is F for the alpha asked for; precision and recall are told whatever the target."""
    told = evaluate(POOL, oracle, sampler=sampler, target=target, budget=60, seed=1)
    p, r = told.precision, told.recall
    expected = {
        "f1": 1 / (0.5 / p + 0.5 / r),
        "f:0.3": 1 / (0.3 / p + 0.7 / r),
        "precision": p,
        "f:1": p,
        "recall": r,
        "f:0": r,
    }
    assert told.value == pytest.approx(expected[target], rel=1e-12)


@each_sampler
def test_a_result_is_made_of_plain_numbers(sampler: str) -> None:
    """Floats and integers of Python, so that a result can be stored and sent anywhere."""
    told = evaluate(POOL, oracle, sampler=sampler, budget=40)
    assert isinstance(told, Evaluation)
    assert [type(value) for value in told] == [float, float, float, int, int]


@each_sampler
def test_a_seed_decides_who_is_asked(sampler: str) -> None:
    """The same seed asks about the same pairs in the same order, another seed about others."""
    asked: dict[str, list[int]] = {"first": [], "again": [], "other": []}
    told = [
        evaluate(POOL, counted(pairs), sampler=sampler, budget=120, seed=seed)
        for pairs, seed in zip(asked.values(), (4, 4, 5), strict=True)
    ]
    assert asked["first"] == asked["again"] != asked["other"]
    np.testing.assert_equal(told[0], told[1])


@each_sampler
def test_the_truth_of_the_pool_is_not_looked_at(sampler: str) -> None:
    """Only the oracle's answers count: a pool that knows its labels is evaluated like one that does not."""
    blind = open_pool({"score": POOL.score, "pred": POOL.prediction}, prediction="pred")
    np.testing.assert_equal(
        evaluate(blind, oracle, sampler=sampler, budget=100),
        evaluate(POOL, oracle, sampler=sampler, budget=100),
    )


@each_sampler
@pytest.mark.parametrize("kind", [bool, int, float, np.bool_, np.int64, np.uint8, np.float32])
def test_an_answer_may_have_any_type_of_a_truth_value(sampler: str, kind: Any) -> None:
    """1 and 0 of any type are True and False."""
    told = evaluate(POOL, lambda pair: kind(oracle(pair)), sampler=sampler, budget=40)
    np.testing.assert_equal(told, evaluate(POOL, oracle, sampler=sampler, budget=40))


def test_a_wrong_answer_is_named_with_its_pair() -> None:
    """Which pair was asked about, and what came back, is said."""
    asked: list[int] = []

    def wrong(pair: int) -> object:
        asked.append(pair)
        return "maybe" if len(asked) == 3 else True

    with pytest.raises(BadLabel) as caught:
        evaluate(POOL, wrong, budget=10)
    assert f"The answer for pair {asked[-1]} is 'maybe'" in str(caught.value)


@each_sampler
def test_an_evaluation_that_draws_the_same_pairs_ends(sampler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many draws a label the evaluation ends with the labels it has."""
    monkeypatch.setattr("qanat.evaluation.DRAWS_PER_LABEL", 1)
    told = evaluate(POOL, oracle, sampler=sampler, budget=1500)
    assert told.draws == 1500
    assert told.labels < 1500


def test_what_the_labels_do_not_define_is_nan() -> None:
    """One label of a pair that is neither predicted nor a match says nothing of any measure."""
    row = np.arange(50)
    pool = open_pool({"score": row / 50, "pred": row == 49}, prediction="pred")
    told = evaluate(pool, lambda _: False, sampler="passive", budget=1, seed=1)
    assert np.isnan([told.value, told.precision, told.recall]).all()
