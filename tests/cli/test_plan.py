"""qanat plan says on the command line what qanat.plan says in Python."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qanat import evaluate, open_pool, plan
from qanat.cli import run


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of 2,000 pairs: margins as scores, 100 predicted."""
    row = np.arange(2000)
    path = tmp_path_factory.mktemp("pool") / "pairs.csv"
    path.write_text("score,pred\n" + "".join(f"{r / 200 - 9.5},{int(r >= 1900)}\n" for r in row))
    return str(path)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what the command prints, after checking that it succeeds without a word on standard error."""
    assert run(["plan", *arguments]) == 0
    out, error = capsys.readouterr()
    assert error == ""
    return out


def test_json_is_the_result_of_the_call(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    """The object has the names and numbers of the call."""
    given = (pairs, "--prediction", "pred", "--half-width", "0.08", "--target", "recall", "--seed", "2")
    told: dict[str, Any] = json.loads(printed(capsys, *given, "--json"))
    pool = open_pool(pairs, prediction="pred")
    assert told == plan(pool, half_width=0.08, target="recall", seed=2)._asdict()


def test_the_text_names_labels_and_range(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    """One sentence: so many labels for this target, width and level, in this range."""
    text = printed(capsys, pairs, "--threshold", "0", "--half-width", "0.1", "--level", "0.9")
    assert "labels for f1 within ±0.1 at 90 % (four times of five: " in " ".join(text.split())
    far = printed(capsys, pairs, "--threshold", "0", "--half-width", "0.0001", "--budget", "210")
    assert "more than 210 labels" in far
    assert "raise --budget or --half-width" in " ".join(far.split())


def test_answers_so_far_are_counted(capsys: pytest.CaptureFixture[str], pairs: str, tmp_path: Path) -> None:
    """With the answers of an evaluation, the forecast goes on from there."""
    pool, given = open_pool(pairs, prediction="pred"), list[str]()

    def oracle(pair: int) -> bool:
        given.append(f"{pair},{int(pair >= 1905)}")
        return pair >= 1905

    evaluate(pool, oracle, budget=120, seed=4)
    path = tmp_path / "answers.csv"
    path.write_text("pair,label\n" + "\n".join(given) + "\n")
    asked = (pairs, "--prediction", "pred", "--half-width", "0.1", "--seed", "4", "--answers", str(path))
    assert printed(capsys, *asked).startswith("120 labels given.")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ((), "Missing option '--half-width'"),
        (("--half-width", "2"), "half-width is 2.0"),
        (("--half-width", "0.1", "--answers", "nowhere.csv"), "nowhere.csv"),
        (("--half-width", "0.1", "--target", "accuracy"), "The target is 'accuracy'"),
    ],
)
def test_wrong_options_are_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], pairs: str, wrong: tuple[str, ...], said: str
) -> None:
    """Each wrong option ends with status 2 and one line."""
    assert run(["plan", pairs, "--prediction", "pred", *wrong]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.count("\n") == 1
    assert said in error
