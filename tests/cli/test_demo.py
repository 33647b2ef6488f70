"""The demonstration: true numbers, the same each time, in plain text where it is not a terminal."""

import io
import json
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache
from typing import Any

import pytest

import qanat
from qanat.cli import run
from qanat.datasets.people import people, scored_pairs

COLUMNS = ("left_id", "right_id", "prediction", "label")


@cache
def shown(*options: str) -> str:
    """Return what the demonstration prints; the same options are run once for all tests."""
    with redirect_stdout(io.StringIO()) as text:
        assert run(["demo", *options]) == 0
    return text.getvalue()


@pytest.fixture(autouse=True)
def in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what would make the output that of a terminal, or of another width."""
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


def test_json_has_every_number() -> None:
    """One object holds the problem, the estimate, the truth, and how far off estimates are."""
    result = json.loads(shown("--json"))
    names = "pairs matches predicted labels seed level assumption estimate low high truth runs f1_errors"
    assert " ".join(result) == names
    assert (result["pairs"], result["matches"], result["labels"], result["seed"]) == (360_000, 360, 300, 0)
    for column in ("estimate", "low", "high", "truth"):
        assert list(result[column]) == ["precision", "recall", "f1"]
    assert {method: list(errors) for method, errors in result["f1_errors"].items()} == {
        method: ["defined", "rmse"] for method in ("adaptive", "oasis", "passive")
    }


def test_truth_is_a_direct_count() -> None:
    """The truth beside the estimate is that of all pairs, counted one by one."""
    pairs = scored_pairs(people())
    rows = list(zip(pairs["prediction"].tolist(), pairs["label"].tolist(), strict=True))
    found, wrong, missed = (rows.count(case) for case in ((True, True), (True, False), (False, True)))
    assert json.loads(shown("--json"))["truth"] == {
        "precision": found / (found + wrong),
        "recall": found / (found + missed),
        "f1": 2 * found / (2 * found + wrong + missed),
    }


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_the_estimate_is_near_the_truth(seed: str) -> None:
    """An estimate is off by no more than five typical errors, which are small beside those of other ways."""
    result = json.loads(shown("--json", "--seed", seed))
    adaptive, oasis, passive = (result["f1_errors"][method] for method in ("adaptive", "oasis", "passive"))
    assert abs(result["estimate"]["f1"] - result["truth"]["f1"]) < 5 * adaptive["rmse"]
    assert adaptive["rmse"] < oasis["rmse"] / 2
    assert oasis["rmse"] < passive["rmse"] / 3
    assert adaptive["defined"] == 1
    assert passive["defined"] < 0.5


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_the_intervals_hold_the_truth(seed: str) -> None:
    """The truth lies in the interval of every measure, and the text shows both ends."""
    result = json.loads(shown("--json", "--seed", seed))
    for name, truth in result["truth"].items():
        assert result["low"][name] <= truth <= result["high"][name]
        assert f"{result['low'][name]:.3f} to {result['high'][name]:.3f}" in shown("--seed", seed)
    assert result["assumption"].split()[0] in shown("--seed", seed)


def test_few_labels_show_no_interval() -> None:
    """Before an interval covers, the text says that it needs more labels, and JSON has null."""
    result = json.loads(shown("--labels", "100", "--json"))
    assert set(result["low"].values()) == set(result["high"].values()) == {None}
    assert shown("--labels", "100").count("needs more labels") == 3


def test_the_oracle_is_asked_for_so_many_pairs_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate is made of `labels` answers; the pool that it draws from holds no truth."""
    asked: list[int] = []
    evaluate = qanat.evaluate

    def watched(pool: qanat.InMemoryPool, oracle: Callable[[int], bool], **settings: Any) -> qanat.Evaluation:
        assert pool.label is None

        def told(pair: int) -> bool:
            asked.append(pair)
            return oracle(pair)

        return evaluate(pool, told, **settings)

    monkeypatch.setattr(qanat, "evaluate", watched)
    shown("--labels", "150")
    assert len(asked) == len(set(asked)) == 150


def test_the_seed_changes_the_estimate_and_not_the_truth() -> None:
    """The same seed repeats every number; another one has other pairs labelled, of the same people."""
    one, other = (json.loads(shown("--json", "--seed", seed)) for seed in ("1", "2"))
    assert one == json.loads(shown.__wrapped__("--json", "--seed", "1"))
    assert one["estimate"] != other["estimate"]
    assert one["truth"] == other["truth"]


def test_the_text_is_plain_and_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a pipe there are no control characters, and lines of 80 columns whatever the shell says."""
    monkeypatch.setenv("COLUMNS", "300")
    text = shown.__wrapped__()
    assert text.replace("\n", "").isprintable()
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) <= 36


def test_the_text_shows_estimate_beside_truth() -> None:
    """The table has the numbers of the JSON, in the same order."""
    result = json.loads(shown("--json"))
    lines = {line.split()[0]: line.split() for line in shown().splitlines() if line.strip()}
    for name in ("precision", "recall", "f1"):
        estimate, low, high, truth = (
            f"{result[column][name]:.3f}" for column in ("estimate", "low", "high", "truth")
        )
        assert lines[name.capitalize()][1:6] == [estimate, low, "to", high, truth]


def test_the_text_shows_three_pairs() -> None:
    """A match found, one missed and a confusion are shown, as the matcher answered them."""
    text = shown()
    persons, pairs = people(), scored_pairs(people())
    answers = {"found": (True, True), "missed": (False, True), "wrong": (True, False)}
    for answer, case in answers.items():
        lines = text[text.index(f"\n{answer} ") :].splitlines()[1:3]
        left, right = (line.removeprefix(answer).split() for line in lines)
        rows = [
            (bool(called), bool(label))
            for i, j, called, label in zip(*(pairs[name] for name in COLUMNS), strict=True)
            if list(persons.left[i]) == left and [field or "-" for field in persons.right[j]] == right
        ]
        assert rows == [case]


def test_what_is_not_defined_is_said_to_be() -> None:
    """With one label most random samples have no estimate: no zero, no NaN, no warning."""
    assert json.loads(shown("--labels", "1", "--json"))["f1_errors"]["passive"]["rmse"] is None
    assert "undefined" in shown("--labels", "1")


@pytest.mark.parametrize(
    "wrong",
    [
        ["--labels", "0"],
        ["--labels", "2001"],
        ["--labels", "360001"],
        ["--labels", "many"],
        ["--seed", "-1"],
        ["--seed", str(2**64)],
        ["people.csv"],
        ["--label", "1", "--no-such"],
    ],
)
def test_wrong_options_are_refused_in_one_line(capsys: pytest.CaptureFixture[str], wrong: list[str]) -> None:
    """Each wrong option ends with status 2 and one line that names it and the way to help."""
    assert run(["demo", *wrong]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("qanat: ")
    assert captured.err.endswith("See qanat demo --help.\n")


def test_it_ends_in_seconds() -> None:
    """The default takes less than 5 s of processor time."""
    started = time.process_time()
    shown.__wrapped__()
    assert time.process_time() - started < 5
