"""A forecast says how many labels an interval will need, and the labels then needed lie in its range."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qanat import BadInput, BadSetting, InMemoryPool, evaluate, plan, simulate
from qanat.datasets.people import people, scored_pairs
from qanat.planning import RUNS, read_answers
from qanat.pool import open_pool
from qanat.pool.order import Pair


def pool_of_people() -> InMemoryPool:
    """Return a generated problem of 40,000 pairs with its truth."""
    return open_pool(scored_pairs(people(left=200, right=200, seed=5)), prediction="prediction", label="label")


POOL = pool_of_people()
LABEL: dict[Any, bool] = {
    (str(i), str(j)): bool(label)
    for (i, j), label in np.ndenumerate(np.reshape(np.asarray(POOL.label), (200, 200)))
}


def answers(labels: int, seed: int = 0) -> dict[Pair, object]:
    """Return the answers of an evaluation with so many labels."""
    given: dict[Pair, object] = {}

    def oracle(pair: Pair) -> bool:
        given[pair] = LABEL[pair]
        return LABEL[pair]

    evaluate(POOL, oracle, budget=labels, seed=seed)
    return given


@pytest.mark.parametrize("half_width", [0.06, 0.05])
def test_the_forecast_is_near_what_is_needed(half_width: float) -> None:
    """Before the first label, the labels at which the mean interval is narrow enough lie in the range."""
    forecast = plan(POOL, half_width=half_width, budget=3000)
    points = simulate(
        POOL, budget=3000, runs=40, interval="envelope", checkpoints=range(200, 3000, 100)
    ).checkpoints
    needed = next(point.labels for point in points if (point.width or 1.0) / 2 <= half_width)
    assert forecast.labels is not None
    assert (forecast.low or 0) <= needed <= (forecast.high or np.inf)
    assert needed / 3 < forecast.labels < needed * 3


def test_a_higher_level_needs_more_labels() -> None:
    """That of each of several looks, for one."""
    once, often = (
        plan(POOL, half_width=0.06, level=level, budget=3000, runs=15).labels for level in (0.95, 0.99)
    )
    assert once is not None
    assert often is None or once < often


def test_a_narrower_interval_needs_more_labels() -> None:
    """The forecast rises as the half-width falls, up to more than the budget."""
    labels = [plan(POOL, half_width=h, budget=2000, runs=15).labels for h in (0.2, 0.05, 0.0001)]
    assert labels[0] is not None
    assert labels[1] is not None
    assert labels[0] < labels[1]
    assert labels[2] is None


def test_what_cannot_be_reached_is_none() -> None:
    """Beyond the budget nothing is said, and the share that got there is told."""
    forecast = plan(POOL, half_width=0.001, budget=220, runs=8)
    assert (forecast.labels, forecast.high) == (None, None)
    assert forecast.reached < 0.5


def test_a_small_pool_is_labelled_whole() -> None:
    """No forecast exceeds the pool: when all is labelled, the interval has no width."""
    row = np.arange(150)
    pool = open_pool({"score": row / 150, "p": row > 120}, prediction="p")
    forecast = plan(pool, half_width=0.001, runs=6)
    assert (forecast.budget, forecast.labels, forecast.reached) == (150, 150, 1.0)


def test_answers_narrow_the_range() -> None:
    """With 300 answers the forecast counts them, and its range is no wider than before."""
    before, after = (
        plan(POOL, half_width=0.07, budget=3000, seed=2, runs=20, answers=given)
        for given in (None, answers(300, seed=2))
    )
    assert (before.given, after.given) == (0, 300)
    assert after.labels is not None
    assert after.labels >= 300
    widths = [np.log((each.high or 3000) / (each.low or 3000)) for each in (before, after)]
    assert widths[1] <= widths[0]


def test_a_seed_is_a_choice_of_chance() -> None:
    """The same seed gives the same forecast; progress is told up to the end."""
    seen: list[float] = []
    first, again = (plan(POOL, half_width=0.05, runs=8, progress=p) for p in (seen.append, None))
    assert first == again
    assert seen == sorted(seen)
    assert 0 < seen[-1] <= 1


def test_unsure_answers_can_be_gone_on_from() -> None:
    """An evaluation in which some answers were unsure is replayed with them."""
    given: dict[Pair, object] = {}

    def hesitant(pair: Pair) -> object:
        given[pair] = "unsure" if len(given) % 10 == 0 else LABEL[pair]
        return given[pair]

    evaluate(POOL, hesitant, budget=60)
    assert plan(POOL, half_width=0.3, answers=given, runs=4, budget=400).given == 60


def test_enough_answers_need_no_more() -> None:
    """Where the interval is narrow enough already, the labels given are the forecast."""
    forecast = plan(POOL, half_width=0.3, answers=answers(250), runs=6)
    assert (forecast.labels, forecast.low, forecast.high) == (250, 250, 250)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"half_width": 0.0}, "half-width is 0.0"),
        ({"half_width": 0.1, "level": 2.0}, "level is 2.0"),
        ({"half_width": 0.1, "budget": 0}, "budget is 0"),
        ({"half_width": 0.1, "runs": 0}, "runs is 0"),
        ({"half_width": 0.1, "budget": 199}, "an interval is shown from 200 on"),
        ({"half_width": 0.1, "level": 0.9999}, "expected at most 0.998"),
        ({"half_width": 0.1, "budget": 200, "answers": dict.fromkeys(range(201), True)}, "201 answers for a"),
        (
            {"half_width": 0.1, "answers": {Pair("0", "3"): True}},
            "Pair 0, 3 has an answer but is not asked about",
        ),
    ],
)
def test_settings_are_checked(wrong: dict[str, Any], said: str) -> None:
    """Each refusal names what was found."""
    with pytest.raises(BadSetting) as caught:
        plan(POOL, **wrong)
    assert said in str(caught.value)


def test_answers_are_read_from_a_file(tmp_path: Path) -> None:
    """The columns pair and label of a CSV file, in any order; an empty label is an unsure answer."""
    path = tmp_path / "answers.csv"
    path.write_text("label,note,pair\n1,sure,7\n0,,3\n,who knows,5\n")
    assert read_answers(path) == {7: True, 3: False, 5: "unsure"}
    path.write_text("right_id,label,left_id\nb7,1,a\nb3,,a\n")
    assert read_answers(path) == {Pair("a", "b7"): True, Pair("a", "b3"): "unsure"}
    path.write_text("right_id,label,left_id\nb7,1,a\nb7,,a\n")
    with pytest.raises(BadInput, match="answers a pair twice: expected each once"):
        read_answers(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pair,label\n1,1\n1,0\n", "no distinct rows of a pool"),
        ("pair,label\n-1,1\n", "no distinct rows of a pool"),
        ("pair,label\n1.5,1\n", "no distinct rows of a pool"),
        ("pair,label\ninf,1\n", "no distinct rows of a pool"),
        ("pair,label\n1,2\n", "expected 0 or 1"),
        ("row,label\n1,1\n", "pair"),
    ],
)
def test_wrong_answers_are_refused(tmp_path: Path, text: str, said: str) -> None:
    """Rows twice, below zero or between two, other labels, a missing column: one line each."""
    path = tmp_path / "answers.csv"
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        read_answers(path)
    assert said in str(caught.value)


def test_the_default_is_enough_for_a_range() -> None:
    """The range holds four forecasts of five, which needs at least ten."""
    assert RUNS >= 10


def test_answers_must_name_pairs_as_the_pool_does() -> None:
    """Rows mean nothing to a pool whose pairs have ids, and the line says which columns are expected."""
    with pytest.raises(BadSetting, match=r"expected their ids \(left_id, right_id\)"):
        plan(POOL, half_width=0.1, answers={3: True})
