"""A simulation is many evaluations at once: the same numbers run by run, and errors that add up."""

import json
import math
import os
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from numpy.typing import NDArray

from qanat import BadInput, InMemoryPool, Simulation, evaluate, open_pool, settings, simulate
from qanat.design import design
from qanat.testing import assert_mean

METHODS = ("passive", "stratified", "importance", "oasis", "oasis of the paper")
ERRORS = ("mean_absolute_error", "bias", "standard_deviation", "rmse")

each_method = pytest.mark.parametrize("method", METHODS)


def pool_of(pairs: int, seed: int = 1) -> InMemoryPool:
    """Return a pool with few matches at high scores, some of them tied."""
    u = np.random.Generator(np.random.Philox(key=seed)).random((2, pairs))
    score = np.round(u[0] * u[0] * u[0], 3)
    return open_pool({"score": score, "label": u[1] < score**2}, threshold=0.6, label="label")


POOL = pool_of(1500)


def of_method(method: str) -> dict[str, Any]:
    """Return the arguments that choose a method; "oasis of the paper" is a reading of oasis."""
    sampler, _, reading = method.partition(" of the ")
    return {"sampler": sampler, "config": settings(sampler, reading=reading or "released")}


def numbers(result: Simulation) -> dict[str, Any]:
    """Return all that a simulation says but how long it took."""
    return {name: value for name, value in result.as_dict().items() if name != "cpu_seconds"}


class Run(NamedTuple):
    """One run alone: its estimates at the checkpoints and its number of draws."""

    estimates: NDArray[np.float64]
    draws: int


def alone(method: str, run: int, *, budget: int, checkpoints: list[int], **rest: Any) -> Run:
    """Return a run of the simulation made draw by draw, without any other run beside it."""
    arguments: dict[str, Any] = {"target": "f1", "seed": 0, "strata": 30} | of_method(method) | rest
    plan = design(POOL, budget=budget, **arguments)
    state = plan.init(arguments["seed"], np.array([run]))
    asked, draws, estimates = set[int](), 0, np.full(len(checkpoints), np.nan)
    assert POOL.label is not None
    while len(asked) < budget:
        state, drawn = plan.method.ask(state, 1)
        pair = POOL.rows(plan.stratified)[state.strata.start[drawn.stratum] + drawn.place]
        state = plan.method.tell(state, drawn, POOL.label[pair])
        is_new = int(pair[0, 0]) not in asked
        asked.add(int(pair[0, 0]))
        draws += 1
        if is_new and len(asked) in checkpoints:
            estimates[checkpoints.index(len(asked))] = plan.method.estimate(state).value[0]
    return Run(estimates, draws)


@each_method
def test_a_run_is_a_function_of_seed_and_number(method: str) -> None:
    """The errors of many runs are those of each run made alone, however many others there are."""
    checkpoints = [40, 90, 150]
    runs = [alone(method, run, budget=150, checkpoints=checkpoints, seed=3) for run in range(7)]
    for several in (2, 7):
        given = of_method(method)
        result = simulate(POOL, budget=150, runs=several, seed=3, checkpoints=checkpoints, **given)
        error = np.array([run.estimates for run in runs[:several]]) - result.truth
        for point, column in zip(result.checkpoints, error.T, strict=True):
            known = column[~np.isnan(column)]
            assert point.reached == 1
            assert point.defined == len(known) / several
            if len(known) == 0:
                assert [getattr(point, name) for name in ERRORS] == [None] * 4
                continue
            assert point.mean_absolute_error == pytest.approx(np.abs(known).mean(), rel=1e-12)
            assert point.bias == pytest.approx(known.mean(), rel=1e-9, abs=1e-15)
            assert point.standard_deviation == pytest.approx(known.std(), rel=1e-9)
            assert point.rmse == pytest.approx(math.sqrt((known**2).mean()), rel=1e-12)
        draws = np.array([run.draws for run in runs[:several]])
        assert result.iterations_per_run == draws.sum() / several
        assert result.iterations_per_run_se == pytest.approx(draws.std() / math.sqrt(several), rel=1e-12)


@each_method
@pytest.mark.parametrize("target", ["f1", "precision", "recall", "f:0.3"])
def test_one_run_is_an_evaluation(method: str, target: str) -> None:
    """What a simulation says of its first run is what an evaluation with the same seed says."""
    given = of_method(method) | {"budget": 200, "seed": 5, "target": target}
    label = np.asarray(POOL.label)
    told = evaluate(POOL, lambda pair: bool(label[pair]), **given)
    result = simulate(POOL, runs=1, **given)
    assert result.checkpoints[-1].bias == pytest.approx(told.value - result.truth, abs=1e-15)
    assert result.iterations_per_run == told.draws


@each_method
def test_blocks_of_any_size_give_the_same_numbers(method: str) -> None:
    """How many runs are made side by side changes no bit."""
    blocks = [
        numbers(simulate(POOL, budget=60, runs=20, checkpoints=[20], block=block, **of_method(method)))
        for block in (1, 7, 250)
    ]
    assert blocks[0] == blocks[1] == blocks[2]


@each_method
def test_a_seed_is_a_choice_of_chance(method: str) -> None:
    """The same seed gives the same numbers, another seed others; the largest seed is one too."""
    first, again, other, last = (
        numbers(simulate(POOL, budget=60, runs=4, seed=seed, **of_method(method)))["checkpoints"]
        for seed in (7, 7, 8, 2**64 - 1)
    )
    assert first == again
    assert first != other
    assert other != last


def test_adding_labels_keeps_the_earlier_ones() -> None:
    """A larger budget, or other checkpoints, changes nothing at a checkpoint."""
    short = simulate(POOL, budget=100, runs=9).checkpoints[-1]
    long = simulate(POOL, budget=300, runs=9, checkpoints=[17, 100]).checkpoints[1]
    assert short == long


# A program of its own, because NumPy looks once, when it is imported, for what the processor can do.
ALL_METHODS = """
import json
import numpy as np
from qanat import open_pool, settings, simulate
u = np.random.Generator(np.random.Philox(key=2)).random((2, 3000))
# Products, because NumPy's power differs between processors, and the pool must not.
score = u[0] * u[0] * u[0]
pool = open_pool({"score": score, "label": u[1] < score * score}, threshold=0.6, label="label")
for method in ("passive", "stratified", "importance", "oasis", "oasis paper"):
    for target in ("f1", "recall"):
        sampler, _, reading = method.partition(" ")
        config = settings(sampler, reading=reading or "released")
        given = {"sampler": sampler, "config": config, "target": target}
        result = simulate(pool, budget=60, runs=15, checkpoints=range(12, 60, 4), **given).as_dict()
        del result["cpu_seconds"]
        print(json.dumps(result))
"""


def test_processors_do_not_matter() -> None:
    """Without the vector units of newer processors, all numbers of all methods are the same to the last bit."""
    said = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", ALL_METHODS],
            env=os.environ | {"NPY_DISABLE_CPU_FEATURES": disabled},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout.splitlines()
        for disabled in ("", "X86_V4 X86_V3")
    ]
    assert len(said[0]) == 10
    assert said[0] == said[1]


@examples(max_examples=25)
@given(st.sampled_from(METHODS), st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.integers(1, 60), st.integers(2, 8))
def test_errors_add_up(method: str, alpha: float, budget: int, runs: int) -> None:
    """RMSE squared is bias squared plus variance; no error is larger than the RMSE; NaN is nowhere."""
    result = simulate(POOL, target=f"f:{alpha}", budget=budget, runs=runs, **of_method(method))
    for point in result.checkpoints:
        assert 0 <= point.defined <= 1
        values = [getattr(point, name) for name in ERRORS]
        standard_errors = [getattr(point, f"{name}_se") for name in ERRORS]
        assert [value is None for value in values] == [point.defined == 0] * 4
        assert [value is None for value in standard_errors] == [point.defined == 0] * 4
        assert not any(math.isnan(value) for value in point if value is not None)
        if point.rmse is None or point.bias is None or point.standard_deviation is None:
            continue
        assert point.rmse**2 == pytest.approx(point.bias**2 + point.standard_deviation**2, abs=1e-12)
        assert abs(point.bias) <= (point.mean_absolute_error or 0) + 1e-12
        assert (point.mean_absolute_error or 0) <= point.rmse + 1e-12
        assert min(value for value in standard_errors if value is not None) >= 0


def test_what_is_undefined_is_left_out_of_the_errors() -> None:
    """Recall has no value in runs that saw no match: the others alone make the errors."""
    runs = [alone("passive", run, budget=8, checkpoints=[8], target="recall") for run in range(200)]
    error = np.array([run.estimates[0] for run in runs])
    point = simulate(POOL, sampler="passive", target="recall", budget=8, runs=200).checkpoints[-1]
    assert 0 < np.isnan(error).mean() < 1
    assert point.defined == pytest.approx(1 - np.isnan(error).mean(), rel=1e-12)
    truth = simulate(POOL, sampler="passive", target="recall", budget=8, runs=1).truth
    assert point.bias == pytest.approx(np.nanmean(error) - truth, rel=1e-9)


def test_where_nothing_is_defined_there_are_no_errors() -> None:
    """The stratified estimate has no value before every stratum has a label: null, not NaN."""
    point = simulate(POOL, sampler="stratified", budget=5, runs=20).checkpoints[-1]
    assert (point.reached, point.defined) == (1.0, 0.0)
    assert [getattr(point, name) for name in ERRORS] == [None] * 4
    json.dumps(point._asdict(), allow_nan=False)


def test_checkpoints_are_sorted_and_end_with_the_budget() -> None:
    """Checkpoints may be given in any order and twice; the budget is always one."""
    result = simulate(POOL, budget=60, runs=2, checkpoints=[50, 10, 50])
    assert [point.labels for point in result.checkpoints] == [10, 50, 60]
    usual = simulate(POOL, sampler="passive", budget=1000, runs=2)
    assert [point.labels for point in usual.checkpoints] == [100, 200, 500, 1000]


def test_the_facts_of_the_pool_are_counted() -> None:
    """Truth, pairs, predicted matches and matches are those of the whole pool."""
    label, prediction = np.asarray(POOL.label), POOL.prediction
    result = simulate(POOL, budget=10, runs=2, target="precision")
    assert result.truth == pytest.approx((label & prediction).sum() / prediction.sum(), rel=1e-15)
    assert (result.pairs, result.predicted, result.matches) == (1500, prediction.sum(), label.sum())
    assert (result.sampler, result.target, result.budget, result.runs) == ("adaptive", "precision", 10, 2)


def test_the_limit_falls_with_the_labels() -> None:
    """More labels can only help, and a whole pool labelled leaves no error at all."""
    points = simulate(
        POOL, sampler="passive", budget=1400, runs=1, checkpoints=list(range(10, 1400, 40))
    ).checkpoints
    limits = [point.limit for point in points]
    assert limits == sorted(limits, reverse=True)
    assert limits[0] > limits[10] > limits[20] > 0
    assert limits[-1] >= 0
    whole = pool_of(40)
    assert simulate(whole, sampler="stratified", budget=40, runs=1, strata=3).checkpoints[-1].limit == 0


def test_runs_that_draw_the_same_pairs_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that does not come to the budget within its draws is not counted at that checkpoint."""
    monkeypatch.setattr("qanat.simulation.DRAWS_PER_LABEL", 1)
    result = simulate(POOL, sampler="passive", budget=60, runs=50, checkpoints=[10])
    assert result.checkpoints[0].reached == 1
    assert 0 < result.checkpoints[1].reached < 1
    assert result.iterations_per_run == pytest.approx(60, abs=1)


def test_importance_weighs_ties_with_mixed_predictions_rightly() -> None:
    """Pairs of one score, half of them predicted, are drawn unequally and counted without bias."""
    row = np.arange(240)
    pool = open_pool(
        {"s": row // 80 / 2, "p": row % 2, "l": row % 5 == 0}, score="s", prediction="p", label="l"
    )
    given = settings("importance", epsilon=0.2)
    plan = design(pool, sampler="importance", target="f1", budget=1, strata=1, seed=0, config=given)
    state, draws = plan.method.ask(plan.init(0, np.arange(8000)), 50)
    pair = pool.rows(plan.stratified)[state.strata.start[draws.stratum] + draws.place]
    np.testing.assert_array_equal(pool.prediction[pair], draws.prediction)
    for truth in (pool.label, pool.prediction, pool.prediction & np.asarray(pool.label)):
        assert truth is not None
        estimated = 240 * (draws.weight * truth[pair]).mean(axis=1)
        assert_mean(estimated, float(truth.sum()), detects=0.05 * float(truth.sum()))


def test_progress_rises_to_the_end() -> None:
    """Progress is reported between 0 and 1 and never falls."""
    seen: list[float] = []
    simulate(POOL, budget=150, runs=4, block=2, progress=seen.append)
    assert seen == sorted(seen)
    assert 0 <= seen[0] <= seen[-1] <= 1


def test_the_truth_is_needed() -> None:
    """A pool without labels cannot be simulated."""
    with pytest.raises(BadInput, match="The truth is not known"):
        simulate(open_pool({"score": [0.9, 0.1]}, threshold=0.5), budget=1)
