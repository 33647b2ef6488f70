"""qanat simulate says on the command line what qanat.simulate says in Python."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qanat import open_pool, settings, simulate
from qanat.cli import run

QANAT = str(Path(sys.executable).with_name("qanat"))
QUICK = ("--prediction", "pred", "--budget", "60", "--runs", "20")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of 400 pairs: margins as scores, 100 predicted, 110 matches."""
    row = np.arange(400)
    rows = zip(row * 7 % 400 / 50 - 4, row * 7 % 400 >= 300, row * 7 % 400 >= 290, strict=True)
    path = tmp_path_factory.mktemp("pool") / "pairs.csv"
    path.write_text("score,pred,label\n" + "".join(f"{s},{int(p)},{int(m)}\n" for s, p, m in rows))
    return str(path)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what the command prints, after checking that it succeeds without a word on standard error."""
    assert run(["simulate", *arguments]) == 0
    out, error = capsys.readouterr()
    assert error == ""
    return out


def parsed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Return the JSON that the command prints, which must be one line of strict JSON."""
    out = printed(capsys, *arguments, "--json")
    assert out.count("\n") == 1
    result: dict[str, Any] = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    return result


@pytest.mark.parametrize("sampler", ["adaptive", "passive", "stratified", "importance", "oasis"])
def test_json_is_the_result_of_the_call(capsys: pytest.CaptureFixture[str], pairs: str, sampler: str) -> None:
    """The object has the names and numbers of the call, but for the time it took."""
    asked = (
        "--sampler",
        sampler,
        "--seed",
        "3",
        "--strata",
        "8",
        "--target",
        "f:0.3",
        "--checkpoints",
        "10,40",
    )
    told = parsed(capsys, pairs, *QUICK, *asked)
    pool = open_pool(pairs, prediction="pred", label="label")
    called = simulate(
        pool, sampler=sampler, seed=3, strata=8, target="f:0.3", checkpoints=[10, 40], budget=60, runs=20
    ).as_dict()
    assert told.pop("cpu_seconds") >= 0
    called.pop("cpu_seconds")
    assert told == called


@pytest.mark.parametrize(
    ("given", "config"),
    [
        (("oasis", "--epsilon", "0.2"), {"epsilon": 0.2}),
        (("oasis", "--stratification", "equal-size"), {"stratification": "equal-size"}),
        (("oasis", "--stratification", "log-rank"), {"stratification": "log-rank"}),
        (("oasis", "--reading", "paper"), {"reading": "paper"}),
        (("adaptive", "--epsilon", "0.5"), {"epsilon": 0.5}),
        (("adaptive", "--batch", "25"), {"batch": 25}),
        (("adaptive", "--focus", "precision=1, recall=2"), {"focus": {"precision": 1, "recall": 2}}),
        (("adaptive", "--focus", "recall"), {"focus": {"recall": 1}}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_settings_reach_the_method(
    capsys: pytest.CaptureFixture[str], pairs: str, given: tuple[str, ...], config: dict[str, Any]
) -> None:
    """Each option changes the numbers, to those of the same setting in a call."""
    sampler, *options = given
    told = parsed(capsys, pairs, *QUICK, "--sampler", *given)["checkpoints"]
    pool = open_pool(pairs, prediction="pred", label="label")
    called = simulate(pool, sampler=sampler, budget=60, runs=20, config=settings(sampler, **config)).as_dict()
    assert options
    assert told == called["checkpoints"]
    assert told != parsed(capsys, pairs, *QUICK, "--sampler", sampler)["checkpoints"]


def test_a_threshold_predicts(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    """A threshold in place of predictions is the same where it says the same."""
    by_column, by_threshold = (
        parsed(capsys, pairs, "--budget", "60", "--runs", "5", *given)
        for given in (("--prediction", "pred"), ("--threshold", "2.0"))
    )
    assert by_column["checkpoints"] == by_threshold["checkpoints"]
    assert by_threshold["predicted"] == 100


def test_the_threshold_is_that_of_the_paper(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    """In the reading of the paper the threshold is subtracted from the scores."""
    given = ("--budget", "60", "--runs", "20", "--threshold", "2.0", "--sampler", "oasis", "--reading", "paper")
    pool = open_pool(pairs, threshold=2.0, label="label")
    config = settings("oasis", reading="paper", threshold=2.0)
    called = simulate(pool, sampler="oasis", budget=60, runs=20, config=config).as_dict()
    assert parsed(capsys, pairs, *given)["checkpoints"] == called["checkpoints"]


def test_what_is_undefined_is_null(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    """JSON has no NaN: an error over no runs is null, and the table says that it is undefined."""
    given = (pairs, "--prediction", "pred", "--budget", "5", "--runs", "4", "--sampler", "stratified")
    point = parsed(capsys, *given)["checkpoints"][0]
    assert point["labels"] == 5
    assert point["defined"] == 0
    for name in ("mean_absolute_error", "bias", "standard_deviation", "rmse"):
        assert point[name] is None
        assert point[f"{name}_se"] is None
    assert "undefined" in printed(capsys, *given)


def test_json_has_the_promised_names(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    """Programs rely on these names."""
    told = parsed(capsys, pairs, *QUICK)
    assert {"truth", "checkpoints", "iterations_per_run", "iterations_per_run_se", "cpu_seconds"} <= set(told)
    errors = {"labels", "defined", "mean_absolute_error", "bias", "standard_deviation", "rmse", "limit"}
    assert errors <= set(told["checkpoints"][0])


def test_the_budget_is_5000_labels_or_the_pool(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    """Without a budget a small pool is labelled whole."""
    told = parsed(capsys, pairs, "--prediction", "pred", "--runs", "2", "--sampler", "passive")
    assert told["budget"] == 400
    assert [point["labels"] for point in told["checkpoints"]] == [100, 200, 400]


def test_the_table_has_a_line_for_each_checkpoint(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    """Truth first, then a line for each checkpoint, within the width of a terminal."""
    out = printed(capsys, pairs, *QUICK, "--checkpoints", "10,20,30")
    assert "f1 of 400 pairs, 100 predicted to match, 110 matches: truth 0.9524" in out
    assert re.findall(r"(?m)^ *(\d+) +\d+\.\d%", out) == ["10", "20", "30", "60"]
    assert max(len(line) for line in out.splitlines()) <= 120


def test_a_run_that_is_given_up_is_told(
    capsys: pytest.CaptureFixture[str], pairs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If runs do not come to the budget, the table says so and what to do."""
    monkeypatch.setattr("qanat.simulation.DRAWS_PER_LABEL", 1)
    assert "of the runs came to 60 labels" in printed(capsys, pairs, *QUICK, "--sampler", "passive")


def test_a_pipe_gets_the_result_and_nothing_else(pairs: str) -> None:
    """No progress bar, no colours: standard output is the table, standard error is empty."""
    command = [QANAT, "simulate", pairs, *QUICK]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    assert done.stderr == b""
    assert done.stdout.startswith(b"f1 of 400 pairs")
    assert b"\x1b" not in done.stdout


def test_a_terminal_gets_a_progress_bar(pairs: str) -> None:
    """On a terminal the runs are shown to go on, on standard error only."""
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    command = [QANAT, "simulate", pairs, *QUICK, "--json"]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=theirs, env=environment, timeout=60, check=True
    )
    os.close(theirs)
    shown = os.read(ours, 65536)
    os.close(ours)
    assert b"20 runs" in shown
    assert json.loads(done.stdout)["runs"] == 20


def test_scores_that_could_be_probabilities_are_noted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Scores between 0 and 1 get a hint at --probabilities, on standard error; who gives it gets none."""
    path = tmp_path / "pairs.csv"
    path.write_text(
        "score,pred,label\n" + "".join(f"{i / 90},{int(i > 60)},{int(i > 55)}\n" for i in range(90))
    )
    assert run(["simulate", str(path), *QUICK, "--sampler", "oasis"]) == 0
    out, error = capsys.readouterr()
    assert "Note:" not in out
    assert error.startswith("Note: all scores lie between 0 and 1.")
    assert error.count("\n") == 1
    printed(capsys, str(path), *QUICK, "--sampler", "oasis", "--probabilities")
    printed(capsys, str(path), *QUICK)
    printed(capsys, str(path), *QUICK, "--sampler", "passive")


def test_intervals_add_coverage_and_width(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    """Every checkpoint at which an interval is shown tells how often it holds the truth, and its width."""
    given = (pairs, "--prediction", "pred", "--budget", "300", "--runs", "10", "--checkpoints", "100,200")
    told = parsed(capsys, *given, "--interval", "envelope", "--level", "0.9")
    assert (told["interval"], told["level"], told["stopping"]) == ("envelope", 0.9, None)
    few, *enough = told["checkpoints"]
    assert (few["coverage"], few["width"]) == (None, None)
    for point in enough:
        assert 0.5 < point["coverage"] <= 1
        assert 0 < point["width"] < 0.5
    table = printed(capsys, *given, "--interval", "envelope", "--level", "0.9")
    assert re.findall(r"coverage +width\n", table)
    assert "of the envelope interval at 90 %" in table


@pytest.mark.parametrize(("sampler", "kind"), [("adaptive", "anytime"), ("passive", "delta")])
def test_each_method_has_its_intervals(
    capsys: pytest.CaptureFixture[str], pairs: str, sampler: str, kind: str
) -> None:
    """The anytime interval is shown from the first label on, that of the paper's methods from 200."""
    given = (pairs, "--prediction", "pred", "--budget", "220", "--runs", "10", "--checkpoints", "50")
    told = parsed(capsys, *given, "--sampler", sampler, "--interval", kind)["checkpoints"]
    assert (told[0]["coverage"] is None) is (kind == "delta")
    assert told[1]["coverage"] > 0.5


def test_stopping_is_told(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    """With a half-width the table says which share of the runs stops, when, and how often rightly."""
    given = (pairs, "--prediction", "pred", "--budget", "350", "--runs", "10", "--checkpoints", "200,300")
    told = parsed(capsys, *given, "--half-width", "0.05")["stopping"]
    assert (told["half_width"], told["looks"], told["stopped"]) == (0.05, 3, 1.0)
    assert 200 <= told["labels"] <= 350
    assert told["coverage"] > 0.5
    assert "Stopping at a half-width of 0.05, 3 looks: 100.0% of the runs do" in printed(
        capsys, *given, "--half-width", "0.05"
    )
    assert "no run gets there within the budget" in printed(
        capsys, *given, "--half-width", "0.0001", "--sampler", "passive"
    )


def test_lost_answers_are_made_up_for(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    """A share of the answers that never comes costs draws, not labels."""
    told = parsed(capsys, pairs, *QUICK, "--lost", "0.2")
    assert told["checkpoints"][-1]["labels"] == 60
    assert 65 < told["iterations_per_run"] < 95


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("--lost", "0.2", "--sampler", "oasis"), "Only the sampler adaptive can do without an answer"),
        (("--lost", "1"), "expected at least 0 and less than 1"),
        (("--lost", "0.9"), "400 pairs are sure to give only 0"),
        (("--interval", "delta"), "interval is 'delta'"),
        (("--interval", "envelope", "--sampler", "oasis"), "There are: delta."),
        (("--level", "95", "--interval", "envelope"), "level is 95.0"),
        (("--half-width", "0"), "half-width is 0.0"),
        (("--focus", "precision=much"), "is not a list of targets"),
        (("--focus", "precision=-1"), "positive weights"),
        (("--focus", "precison=1"), "The target is 'precison'"),
        (("--batch", "0"), "batch is 0"),
        (("--batch", "5", "--sampler", "oasis"), "batch means nothing to the sampler oasis"),
    ],
)
def test_wrong_settings_are_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], pairs: str, wrong: tuple[str, ...], said: str
) -> None:
    """Each says what was found and what was expected, with exit status 2 and no traceback."""
    assert run(["simulate", pairs, *QUICK, *wrong]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.count("\n") == 1
    assert said in error


@pytest.mark.parametrize("columns", [66, 80, 100])
def test_no_number_is_cut_on_a_narrow_terminal(pairs: str, columns: int) -> None:
    """Columns that can be done without are left out before any number is."""
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns)}
    command = [QANAT, "simulate", pairs, *QUICK, "--budget", "250", "--interval", "envelope"]
    subprocess.run(command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment, timeout=60, check=True)
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert "…" not in shown
    assert "coverage" in shown
    assert ("std. dev." in shown) is (columns == 100)
