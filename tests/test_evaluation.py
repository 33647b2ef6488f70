"""An evaluation asks about so many pairs, each once, and says what the answers say."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from qanat import (
    BadInput,
    BadLabel,
    BadSetting,
    Evaluation,
    InMemoryPool,
    evaluate,
    open_pool,
    settings,
    simulate,
)
from qanat.design import design
from qanat.evaluation import ASSUMPTIONS, Estimated, replayed, summary
from qanat.testing import Mean, assert_agrees

WITH_REPLACEMENT = ("passive", "stratified", "importance", "oasis")
SAMPLERS = ("adaptive", *WITH_REPLACEMENT)
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


def measures(told: Evaluation) -> dict[str, float]:
    """Return the values of the three measures."""
    return {"f1": told.value, "precision": told.precision.value, "recall": told.recall.value}


@each_sampler
@pytest.mark.parametrize("budget", [1, 30, 400])
def test_the_budget_counts_pairs_and_each_is_asked_once(sampler: str, budget: int) -> None:
    """As many pairs as the budget says are asked about, none of them twice, however often it is drawn."""
    asked: list[int] = []
    told = evaluate(POOL, counted(asked), sampler=sampler, budget=budget)
    assert len(asked) == len(set(asked)) == told.labels == budget
    assert told.draws >= budget
    assert set(asked) <= set(range(2000))


@pytest.mark.parametrize("sampler", ["adaptive", "passive", "stratified"])
def test_all_labels_of_an_easy_pool_come_near_the_truth(sampler: str) -> None:
    """When every pair has been asked about, the estimates are near the truth of the pool."""
    told = evaluate(POOL, oracle, sampler=sampler, budget=2000)
    assert told.labels == 2000
    for name, value in measures(told).items():
        assert value == pytest.approx(TRUE[name], abs=0.04)


@pytest.mark.parametrize("sampler", ["adaptive", "importance", "oasis"])
def test_few_labels_of_an_easy_pool_come_near_the_truth(sampler: str) -> None:
    """Where the scores tell much, a fifth of the labels is enough for methods that use them."""
    told = evaluate(POOL, oracle, sampler=sampler, budget=400, config=settings(sampler, epsilon=0.1))
    for name, value in measures(told).items():
        assert value == pytest.approx(TRUE[name], abs=0.06)


@pytest.mark.parametrize("sampler", WITH_REPLACEMENT)
@pytest.mark.parametrize("target", ["f1", "precision", "recall", "f:0.3", "f:0", "f:1"])
def test_the_value_is_that_of_the_target(sampler: str, target: str) -> None:
    """The value is F for the alpha asked for; precision and recall are told whatever the target."""
    told = evaluate(POOL, oracle, sampler=sampler, target=target, budget=60, seed=1)
    p, r = told.precision.value, told.recall.value
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
    assert type(told.value) is type(told.precision.value) is type(told.recall.value) is float
    plain = {float, int, bool, str, type(None), Estimated}
    assert {type(value) for value in [*told, *told.precision, *told.recall]} <= plain


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


@pytest.mark.parametrize("sampler", WITH_REPLACEMENT)
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
    assert np.isnan([told.value, told.precision.value, told.recall.value]).all()


def test_few_labels_show_no_interval() -> None:
    """Before it covers no interval is shown, and its half-width is infinite."""
    told = evaluate(POOL, oracle, budget=199)
    assert (told.low, told.high, told.assumption_share, told.certification) == (None, None, None, None)
    assert np.isinf(told.half_width)
    shown = evaluate(POOL, oracle, budget=200)
    assert shown.low is not None
    assert shown.high is not None
    assert shown.half_width == (shown.high - shown.low) / 2


def test_a_small_pool_labelled_whole_is_known() -> None:
    """Where every pair is labelled, interval and estimate are the truth, however few they are."""
    row = np.arange(60)
    pool = open_pool({"score": row / 60, "pred": row > 50}, prediction="pred")
    told = evaluate(pool, lambda pair: pair > 48, budget=60)
    assert told.value == told.low == told.high == 2 * 9 / (9 + 11)
    assert (told.if_none, told.if_all, told.certification) == (told.value, told.value, 0)


def test_what_an_interval_rests_on_is_said() -> None:
    """Beside the envelope stand its assumption, what it buys, and the upper end without it."""
    told = evaluate(POOL, oracle, budget=300)
    assert told.low is not None
    assert told.high is not None
    assert told.low <= told.value <= told.high
    assert told.low <= TRUE["f1"] <= told.high
    assert told.assumption == ASSUMPTIONS["envelope"].format(most=18.0)
    assert 0 <= (told.assumption_share or 0) <= 1
    assert 0 < (told.certification or 0) <= 2000
    assert told.most is not None
    assert told.most >= TRUE["f1"]
    assert not told.doubts_scores


@pytest.mark.parametrize(("sampler", "kind"), [("adaptive", "anytime"), ("oasis", "delta")])
def test_other_intervals_say_what_they_assume(sampler: str, kind: str) -> None:
    """The anytime interval assumes nothing, the delta interval many labels."""
    told = evaluate(POOL, oracle, sampler=sampler, budget=250, interval=kind, level=0.8)
    assert (told.interval, told.level, told.assumption) == (kind, 0.8, ASSUMPTIONS[kind])
    assert told.low is not None
    assert told.high is not None
    assert told.low <= TRUE["f1"] <= told.high
    assert told.assumption_share is None


def test_unsure_answers_are_bounds() -> None:
    """Each unsure pair is asked once and costs a label of the budget; the value is told either way."""
    asked: list[int] = []

    def hesitant(pair: int) -> object:
        asked.append(pair)
        return "unsure" if len(asked) % 5 == 0 else oracle(pair)

    told = evaluate(POOL, hesitant, budget=250)
    assert len(asked) == len(set(asked)) == 250
    assert (told.labels, told.unsure) == (200, 50)
    assert told.if_none != told.if_all
    assert told.low is not None
    assert told.high is not None
    for value in (told.if_none, told.if_all, TRUE["f1"]):
        assert told.low <= value <= told.high


def test_an_unsure_answer_does_not_miss_a_look() -> None:
    """Looks count answers: one that is unsure neither hides the interval nor puts the look off."""
    asked: list[int] = []

    def hesitant(pair: int) -> object:
        asked.append(pair)
        return "unsure" if len(asked) == 5 else oracle(pair)

    told = evaluate(POOL, hesitant, budget=1000, half_width=0.4)
    assert (told.labels, told.unsure) == (199, 1)


def test_a_pool_is_needed() -> None:
    """The path of a pool is not taken for one."""
    with pytest.raises(BadInput, match=r"expected one that qanat\.open_pool has opened"):
        evaluate("pairs.csv", oracle)  # type: ignore[arg-type]


def test_only_adaptive_can_do_without_an_answer() -> None:
    """Where a method draws with replacement, an unsure answer is refused with a way out."""
    with pytest.raises(BadSetting, match="Only the sampler adaptive can do without an answer"):
        evaluate(POOL, lambda _: "unsure", sampler="oasis", budget=5)


def test_it_stops_at_the_first_narrow_look() -> None:
    """With a half-width it ends at a declared look or the budget, at a level shared by all of these."""
    told = evaluate(POOL, oracle, budget=1500, half_width=0.05, looks=[100, 200, 400, 800])
    assert told.labels in {200, 400, 800}
    assert told.half_width <= 0.05
    assert told.level == pytest.approx(1 - 0.05 / 4), "no interval is shown at 100 labels"
    whole = evaluate(POOL, oracle, budget=300, half_width=1e-6, looks=[250])
    assert (whole.labels, whole.level) == (300, 0.975), "the budget is a look too"
    anytime = evaluate(POOL, oracle, budget=400, half_width=0.3, interval="anytime", looks=[50, 400])
    assert anytime.level == 0.95, "it holds at every step at once"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"half_width": 0.0}, "half-width is 0.0"),
        ({"half_width": 0.05, "looks": [100]}, "No look lies between 200 labels"),
        ({"half_width": 0.05, "looks": [0, 200]}, "look 1 is 0"),
        ({"level": 1.0}, "level is 1.0"),
        ({"level": 95}, "Did you mean 0.95?"),
        ({"level": 0.999}, "expected at most 0.998 for the envelope"),
        ({"half_width": 0.05, "level": 0.99, "looks": [*range(200, 300, 10)]}, "declare fewer looks"),
        ({"interval": "delta"}, "interval is 'delta'"),
        ({"interval": "enveloppe"}, "Did you mean 'envelope'?"),
    ],
)
def test_settings_of_intervals_are_checked(wrong: dict[str, Any], said: str) -> None:
    """Each refusal names the setting, what was found and what is expected."""
    with pytest.raises(BadSetting) as caught:
        evaluate(POOL, oracle, budget=300, **wrong)
    assert said in str(caught.value)


def test_answers_can_be_replayed() -> None:
    """The answers of an evaluation, given back, make the same evaluation; those of another are refused."""
    plan = design(POOL, sampler="adaptive", target="f1", budget=80, strata=30, seed=3, config=None)
    given: dict[int, object] = {}

    def noting(pair: int) -> object:
        given[pair] = oracle(pair)
        return given[pair]

    told = evaluate(POOL, noting, budget=80, seed=3)
    again = summary(replayed(plan.keeping("anytime"), 3, given), "envelope", 0.95)
    np.testing.assert_equal(again, told)
    with pytest.raises(BadSetting, match="Pair 7 has an answer but is not asked about"):
        replayed(plan, 3, {7: True})


def test_urns_are_evaluations() -> None:
    """A simulation, which draws from urns, errs as evaluations do, which look up a shuffled order."""
    runs = 250
    values = np.array([evaluate(POOL, oracle, budget=40, seed=seed).value for seed in range(runs)])
    point = simulate(POOL, budget=40, runs=4 * runs, seed=9).checkpoints[-1]
    errors = values - TRUE["f1"]
    bias = Mean(float(errors.mean()), float(errors.std(ddof=1) / np.sqrt(runs)), runs)
    size = Mean(float(np.abs(errors).mean()), float(np.abs(errors).std(ddof=1) / np.sqrt(runs)), runs)
    assert point.bias is not None
    assert point.bias_se is not None
    assert point.mean_absolute_error is not None
    assert point.mean_absolute_error_se is not None
    assert_agrees(
        [
            (bias, Mean(point.bias, point.bias_se, 4 * runs)),
            (size, Mean(point.mean_absolute_error, point.mean_absolute_error_se, 4 * runs)),
        ]
    )
