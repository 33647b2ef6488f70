"""Whatever is wrong with a command ends in one line that says what was found, expected, and to be done."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from qanat import BadSetting, QanatError, evaluate, open_pool, settings, simulate
from qanat.cli import run

# 200 pairs in no order: 60 predicted to match, 80 matches.
SCORE = [i * 37 % 100 / 100 for i in range(200)]
PAIRS = [(score, int(score >= 0.7), int(score >= 0.6)) for score in SCORE]
HEADER = "score,pred,label\n"
GOOD = HEADER + "".join(f"{score},{pred},{label}\n" for score, pred, label in PAIRS)
QUICK = ("--prediction", "pred", "--budget", "20", "--runs", "3")
# One of these tells what was expected or what to do next.
GUIDES = re.compile(
    r"expected|is outside|Did you mean|There are:|[Cc]heck|give the name|leave it out|See qanat|lower the"
)


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the line with which the command is refused, after checking that it is one, with status 2."""
    assert run(["simulate", *arguments]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"qanat: [^\n]+\n", error)
    assert GUIDES.search(error), f"no word on what was expected or what to do: {error}"
    return error


def file_of(folder: Path, content: str | bytes, name: str = "pairs.csv") -> str:
    """Write the content to a file and return its path."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    """Return the path of a file without a fault."""
    return file_of(tmp_path, GOOD)


def test_the_file_without_a_fault_is_taken(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    """The file that the others vary is fine, so that what they are refused for is the fault."""
    assert run(["simulate", pairs, *QUICK]) == 0
    assert "200 pairs, 60 predicted to match, 80 matches" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "asked", "meant"),
    [("--score", "scroe", "score"), ("--label", "lable", "label"), ("--prediction", "prd", "pred")],
)
def test_a_missing_column_is_named_with_the_nearest(
    capsys: pytest.CaptureFixture[str], pairs: str, option: str, asked: str, meant: str
) -> None:
    """A misspelt column is answered with the one that was meant, and with all there are."""
    line = refusal(capsys, pairs, *QUICK, option, asked)
    assert f"has no column '{asked}'. Did you mean '{meant}'? There are: score, pred, label." in line


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "", "1e999"])
def test_scores_that_are_not_finite_are_counted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, value: str
) -> None:
    """How many scores are missing or infinite is said, and in which row the first is."""
    content = GOOD + f"{value},1,1\n0.5,1,1\n{value},0,1\n"
    line = refusal(capsys, file_of(tmp_path, content), *QUICK)
    assert "'score' has 2 wrong values" in line
    assert "in row 201" in line
    assert "expected finite scores" in line


@pytest.mark.parametrize("value", ["high", "N/A", "0;5", "0x10", "2026-01-01"])
def test_scores_that_are_text_are_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path, value: str) -> None:
    """Text among the scores is shown, with its row and the number of such values."""
    line = refusal(capsys, file_of(tmp_path, GOOD + f"{value},1,1\n"), *QUICK)
    assert "'score' has 1 value " in line
    assert f"'{value}' in row 201" in line
    assert "expected" in line


@pytest.mark.parametrize("column", ["label", "pred"])
@pytest.mark.parametrize("value", ["2", "-1", "0.5", "", "nan", "match"])
def test_labels_and_predictions_are_zeros_and_ones(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, column: str, value: str
) -> None:
    """Any other value is refused with its column and row."""
    row = f"0.5,1,{value}\n" if column == "label" else f"0.5,{value},1\n"
    line = refusal(capsys, file_of(tmp_path, GOOD + row), *QUICK)
    assert f"'{column}' has 1 " in line
    assert "in row 201" in line
    assert "expected" in line


def test_a_pool_without_predicted_matches_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Without a predicted match there is nothing to estimate."""
    path = file_of(tmp_path, HEADER + "0.1,0,1\n0.2,0,0\n")
    assert "Column 'pred' predicts no match" in refusal(capsys, path, "--prediction", "pred")


def test_a_threshold_above_all_scores_is_refused(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    """A threshold that nothing reaches is shown beside the highest score."""
    line = refusal(capsys, pairs, "--threshold", "5")
    assert "No score reaches the threshold 5" in line
    assert "The highest score is 0.99" in line


@pytest.mark.parametrize("given", [(), ("--prediction", "pred", "--threshold", "0.5")], ids=["neither", "both"])
def test_what_is_predicted_is_said_once(
    capsys: pytest.CaptureFixture[str], pairs: str, given: tuple[str, ...]
) -> None:
    """Neither --prediction nor --threshold says too little, both say too much."""
    assert "one of the two" in refusal(capsys, pairs, *given)


def test_a_pool_without_matches_has_no_recall(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Where no pair is a match, recall is undefined and not simulated."""
    path = file_of(tmp_path, HEADER + "0.1,1,0\n0.2,0,0\n")
    assert "recall is undefined" in refusal(capsys, path, "--prediction", "pred", "--target", "recall")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--budget", "201", "The budget is 201 labels but the pool has 200 pairs"),
        ("--budget", "0", "budget is 0: expected at least 1"),
        ("--budget", "-5", "budget is -5: expected at least 1"),
        ("--budget", "1.5", "'1.5' is not a valid integer"),
        ("--runs", "0", "runs is 0: expected at least 1"),
        ("--runs", "1000001", "runs is 1000001: expected at most 1000000"),
        ("--runs", "10000000000", "runs is 10000000000: expected at most 1000000"),
        ("--runs", "99999999999999999999", "runs is 99999999999999999999: expected at most 1000000"),
        ("--strata", "0", "strata is 0: expected at least 1"),
        ("--strata", "-30", "strata is -30: expected at least 1"),
        ("--strata", "99999999999999999999", "strata is 99999999999999999999: expected"),
        ("--seed", "-1", "seed is -1: expected at least 0"),
        ("--seed", "18446744073709551616", "seed is 18446744073709551616: expected"),
        ("--checkpoints", "0", "Checkpoint 0 is outside 1 to the budget of 20"),
        ("--checkpoints", "10,-1", "Checkpoint -1 is outside 1 to the budget of 20"),
        ("--checkpoints", "10,21", "Checkpoint 21 is outside 1 to the budget of 20"),
        ("--checkpoints", "10,,20", "'10,,20' is not a list of whole numbers"),
        ("--checkpoints", "", "'' is not a list of whole numbers"),
        ("--target", "f2", "The target is 'f2': expected f1, precision, recall, or f:ALPHA"),
        ("--target", "f:1.5", "The target is 'f:1.5'"),
        ("--target", "f:-0.1", "The target is 'f:-0.1'"),
        ("--target", "f:x", "The target is 'f:x'"),
        ("--target", "f:nan", "The target is 'f:nan'"),
        ("--target", "", "The target is ''"),
        ("--epsilon", "0", "epsilon is 0.0: expected more than 0 and at most 1"),
        ("--epsilon", "-0.1", "epsilon is -0.1: expected more than 0 and at most 1"),
        ("--epsilon", "1.1", "epsilon is 1.1: expected more than 0 and at most 1"),
        ("--epsilon", "nan", "epsilon is nan: expected more than 0 and at most 1"),
        ("--sampler", "oases", "'oases' is not one of"),
        ("--stratification", "even", "'even' is not one of 'csf', 'equal-size', 'log-rank'"),
        ("--reading", "mine", "'mine' is not one of 'released', 'paper'"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(
    capsys: pytest.CaptureFixture[str], pairs: str, option: str, value: str, words: str
) -> None:
    """A setting is refused with the value found and the values expected."""
    assert words in refusal(capsys, pairs, *QUICK, option, value)


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_threshold_is_finite(capsys: pytest.CaptureFixture[str], pairs: str, value: str) -> None:
    """A threshold that is no number predicts nothing."""
    assert f"The threshold is {value}: expected a finite number" in refusal(capsys, pairs, "--threshold", value)


@pytest.mark.parametrize(
    ("sampler", "given"),
    [
        ("passive", ("--epsilon", "0.1")),
        ("passive", ("--stratification", "csf")),
        ("passive", ("--probabilities",)),
        ("passive", ("--reading", "paper")),
        ("stratified", ("--epsilon", "0.1")),
        ("stratified", ("--probabilities",)),
        ("stratified", ("--reading", "paper")),
        ("importance", ("--stratification", "csf")),
        ("importance", ("--reading", "paper")),
    ],
)
def test_a_setting_that_the_sampler_lacks_is_refused(
    capsys: pytest.CaptureFixture[str], pairs: str, sampler: str, given: tuple[str, ...]
) -> None:
    """A setting that would do nothing is refused, and the sampler named."""
    assert sampler in refusal(capsys, pairs, *QUICK, "--sampler", sampler, *given)


def test_probabilities_are_between_0_and_1(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Margins called probabilities are refused, counted."""
    path = file_of(tmp_path, HEADER + "-3,0,1\n0.5,1,1\n2,1,1\n")
    line = refusal(capsys, path, "--prediction", "pred", "--probabilities")
    assert "lie between -3 and 2: expected 0 to 1" in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("simulate",), "Missing argument 'POOL'"),
        (("simulate", "a.csv", "b.csv"), "extra argument"),
        (("simulate", "a.csv", "--bugdet", "5"), "No such option '--bugdet'"),
        (("simulate", "a.csv", "--budget"), "requires an argument"),
        (("simulat", "a.csv"), "No such command 'simulat'"),
    ],
)
def test_a_command_that_is_none_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    """What click refuses is one line of the same form."""
    assert run(arguments) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"qanat: [^\n]+\n", error)
    assert words in error
    assert "--help." in error


@pytest.mark.parametrize(
    "arguments",
    [("nothing.csv", "--prediction", "pred"), ("--target", "f2")],
    ids=["missing file", "target"],
)
def test_the_installed_command_refuses_in_one_line(
    tmp_path: Path, pairs: str, arguments: tuple[str, ...]
) -> None:
    """The command as it is installed: one line on standard error, nothing else, status 2."""
    given = arguments if arguments[0].endswith(".csv") else (pairs, *QUICK, *arguments)
    command = [str(Path(sys.executable).with_name("qanat")), "simulate", *given]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r"qanat: [^\n]+\n", done.stderr)


POOL = open_pool({"score": SCORE, "label": [row[2] for row in PAIRS]}, threshold=0.7, label="label")


@pytest.mark.parametrize(
    "wrong",
    [
        {"budget": 2.5},
        {"budget": float("nan")},
        {"budget": "20"},
        {"seed": 1.5},
        {"seed": 2**64},
        {"strata": 2.5},
        {"strata": 10**12},
        {"sampler": "oases"},
        {"target": "accuracy"},
        {"config": settings("passive")},
        {"config": settings("importance")},
        {"config": {"epsilon": 0.1}},
    ],
    ids=str,
)
def test_settings_are_checked_when_called_from_python(wrong: dict[str, Any]) -> None:
    """What the command line cannot say wrongly, a call can: both products refuse it in one line."""
    for product in (simulate, lambda pool, **given: evaluate(pool, lambda _: True, **given)):
        with pytest.raises(BadSetting) as caught:
            product(POOL, **({"budget": 20} | wrong))
        assert "\n" not in str(caught.value)
        assert GUIDES.search(str(caught.value))


@pytest.mark.parametrize(
    "wrong", [{"runs": 0}, {"runs": 2.5}, {"block": 0}, {"checkpoints": [1.5]}, {"checkpoints": [0]}], ids=str
)
def test_a_simulation_checks_its_own_settings(wrong: dict[str, Any]) -> None:
    """Runs, blocks and checkpoints are whole numbers in their ranges."""
    with pytest.raises(BadSetting):
        simulate(POOL, **({"budget": 20, "runs": 2} | wrong))


@pytest.mark.parametrize(
    ("sampler", "wrong"),
    [
        ("oasis", {"reading": "papr"}),
        ("oasis", {"stratification": "even"}),
        ("oasis", {"epsilon": 0}),
        ("passive", {"epsilon": 0.1}),
        ("oases", {}),
    ],
)
def test_settings_that_mean_nothing_are_refused(sampler: str, wrong: dict[str, Any]) -> None:
    """A misspelt setting is not silently another one."""
    with pytest.raises(QanatError) as caught:
        settings(sampler, **wrong)
    assert GUIDES.search(str(caught.value))
