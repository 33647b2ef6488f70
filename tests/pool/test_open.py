"""A pool of columns in memory: what is taken, and what is refused in one line."""

from typing import Any

import numpy as np
import pytest

from qanat import BadInput, open_pool

SCORE = [0.9, 0.7, 0.3, 0.1]
PREDICTION = [1, 1, 0, 0]


def refusal(columns: dict[str, Any], **names: Any) -> str:
    """Return the one line with which the columns are refused."""
    with pytest.raises(BadInput) as caught:
        open_pool(columns, **(names or {"prediction": "p", "label": "l"}))
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda v: np.array(v, dtype=object)])
def test_columns_may_be_lists_or_arrays(kind: Any) -> None:
    """Lists, tuples and arrays of any kind hold the same pairs."""
    pool = open_pool(
        {"score": kind(SCORE), "p": kind(PREDICTION), "l": kind([1, 0, 1, 0])}, prediction="p", label="l"
    )
    assert pool.score.tolist() == SCORE
    assert pool.prediction.tolist() == [True, True, False, False]
    assert pool.label is not None
    assert pool.label.tolist() == [True, False, True, False]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8, bool])
def test_scores_may_have_any_numeric_type(dtype: Any) -> None:
    """Scores become floats of 64 bits with the same values."""
    given = np.array([0, 1, 1, 0], dtype=dtype)
    pool = open_pool({"score": given}, threshold=0.5)
    assert pool.score.dtype == np.float64
    assert pool.score.tolist() == [0.0, 1.0, 1.0, 0.0]


def test_a_threshold_includes_its_score() -> None:
    """A pair that scores exactly the threshold is predicted to match."""
    assert open_pool({"score": SCORE}, threshold=0.7).prediction.tolist() == [True, True, False, False]
    assert open_pool({"score": [-1.0, 0.0]}, threshold=0).prediction.tolist() == [False, True]


def test_the_truth_may_be_unknown() -> None:
    """Without a column of labels the pool has none."""
    assert open_pool({"score": SCORE}, threshold=0.5).label is None


@pytest.mark.parametrize("column", ["p", "l"])
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ([1, 0], "has 2 values for 4 scores"),
        ([1, 0, 1, 0, 1], "has 5 values for 4 scores"),
        ([1, -1, 1, -1], "2 wrong values, the first being -1 in row 2"),
        ([1, 0, 2, 0], "1 wrong value, the first being 2 in row 3"),
        ([1, 0.7, 1, 0], "1 wrong value, the first being 0.7 in row 2"),
        ([1, float("nan"), 1, 0], "1 wrong value, the first being nan in row 2"),
        ([1, None, 1, 0], "1 wrong value, the first being None in row 2"),
        ([1, float("inf"), 1, 0], "1 wrong value, the first being inf in row 2"),
        (["1", "0", "yes", "0"], "'yes'"),
        ([[1], [0, 1], [1], [0]], "column"),
        ([[1, 0], [1, 0], [1, 0], [1, 0]], "dimensions"),
        (1, "dimensions"),
        (np.ma.array([1, 0, 1, 0], mask=[False, True, False, False]), "1 wrong value"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_columns_of_zeros_and_ones_hold_nothing_else(column: str, wrong: Any, words: str) -> None:
    """Predictions and labels other than one 0 or 1 for each pair are refused, naming what is wrong."""
    columns = {"score": SCORE, "p": PREDICTION, "l": PREDICTION} | {column: wrong}
    message = refusal(columns)
    assert f"'{column}'" in message
    assert words.lower() in message.lower()
    assert "expected" in message


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ([0.9, float("nan"), 0.3, float("nan")], "2 wrong values, the first being nan in row 2"),
        ([0.9, 0.7, 0.3, float("inf")], "1 wrong value, the first being inf in row 4"),
        ([float("-inf"), 0.7, 0.3, 0.1], "1 wrong value, the first being -inf in row 1"),
        ([0.9, None, 0.3, 0.1], "1 wrong value, the first being nan in row 2"),
        (np.ma.array(SCORE, mask=[False, True, True, False]), "2 wrong values"),
        (["high", "low", "low", "low"], "not numeric"),
        ([[0.9], [0.7, 0.1], [0.3], [0.1]], "not numeric"),
        ([[0.9, 0.7], [0.3, 0.1]], "2 dimensions"),
        (0.9, "0 dimensions"),
        ([10**400, 0.7, 0.3, 0.1], "expected"),
        (np.array([0.9, 0.7 + 1j, 0.3, 0.1]), "not numeric"),
        ([], "empty"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_scores_are_finite_numbers(wrong: Any, words: str) -> None:
    """Scores that are not one finite number for each pair are refused, naming what is wrong."""
    message = refusal({"score": wrong}, threshold=0.5)
    assert words in message
    assert "expected" in message


def test_a_missing_column_is_named_with_the_nearest_one() -> None:
    """A misspelt name is answered with the name that was meant, and all there are."""
    message = refusal({"score": SCORE, "truth": PREDICTION}, threshold=0.5, label="trth")
    assert message == "There is no column 'trth'. Did you mean 'truth'? There are: score, truth."


def test_names_of_two_lines_are_shown_in_one() -> None:
    """A refusal is one line whatever the columns are called."""
    refusal({"the\nscore": SCORE, "other": SCORE}, threshold=0.5, score="the score")


def test_no_columns_at_all_are_refused() -> None:
    """A mapping without columns says so."""
    assert "There is no column 'score'" in refusal({}, threshold=0.5)


@pytest.mark.parametrize("names", [{}, {"prediction": "p", "threshold": 0.5}], ids=["neither", "both"])
def test_what_is_predicted_is_said_once(names: dict[str, Any]) -> None:
    """Neither a column nor a threshold says too little, both too much."""
    with pytest.raises(BadInput, match="one of the two"):
        open_pool({"score": SCORE, "p": PREDICTION}, **names)


def test_a_pool_without_predicted_matches_is_refused() -> None:
    """Without a predicted match nothing can be estimated: both ways to say it are refused."""
    assert "predicts no match" in refusal({"score": SCORE, "p": [0] * 4}, prediction="p")
    assert "The highest score is 0.9; lower the threshold." in refusal({"score": SCORE}, threshold=0.91)


@pytest.mark.parametrize("scores", [[1e308, -1e308, 0.0, 1.0], [1e-310, 2e-310, 3e-310, 0.0]])
@pytest.mark.parametrize("method", ["csf", "equal-size", "log-rank", "score", "none"])
def test_scores_at_the_ends_of_the_floats_are_stratified_or_refused(scores: list[float], method: Any) -> None:
    """Scores too large or small to compute with are cut without a warning, or refused in one line."""
    columns = {"score": scores, "p": PREDICTION}
    try:
        pool = open_pool(columns, prediction="p")
    except BadInput as error:
        assert "expected" in str(error)  # noqa: PT017
        return
    table = pool.stratify(method, 3).strata
    assert table.size.sum() == 4
    assert np.isfinite(table.evidence).all()
