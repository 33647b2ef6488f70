"""From tables to a pool: what is written is what is returned, and whatever is wrong is one clear line."""

import json

import duckdb
import numpy as np
import pandas as pd
import pytest

import qanat
from qanat import er
from qanat.datasets.people import people
from qanat.er.matching import TRAINING
from qanat.er.tables import checked_tables, matching_rows
from qanat.errors import BadInput, BadSetting, NotInstalled

PEOPLE = people(seed=3, left=80, right=70)
LEFT, RIGHT = (
    {"id": [f"{side}{i}" for i in range(len(table))]}
    | {name: [getattr(person, name) for person in table] for name in table[0]._fields}
    for side, table in (("a", PEOPLE.left), ("b", PEOPLE.right))
)
TRUTH = [(f"a{i}", f"b{j}") for i, j in PEOPLE.matches.tolist()]


def written(folder, **settings):
    """Return the summary of a pool and its columns, as they are in the file."""
    out = folder / "pool.parquet"
    truth = settings.pop("truth", TRUTH)
    summary = er.write_pool(out, LEFT, RIGHT, truth=truth, recipe=er.Recipe(**settings))
    with duckdb.connect() as connection:
        return summary, connection.read_parquet(str(out)).fetchnumpy()


def test_the_file_is_a_pool_and_its_summary_is_that_of_its_columns(tmp_path):
    """Every pair is there once with its truth; what the summary says can be counted in the file."""
    summary, columns = written(tmp_path)
    assert list(columns)[:5] == ["pair_id", "left_id", "right_id", "score", "prediction"]
    np.testing.assert_array_equal(columns["pair_id"], np.arange(80 * 70))
    pairs = list(zip(columns["left_id"], columns["right_id"], strict=True))
    assert pairs == [(a, b) for a in LEFT["id"] for b in RIGHT["id"]]
    assert {pair for pair, label in zip(pairs, columns["label"], strict=True) if label} == set(TRUTH)
    called, label = columns["prediction"], columns["label"]
    assert (summary.pairs, summary.predicted, summary.matches) == (5600, called.sum(), len(TRUTH))
    assert summary.precision == pytest.approx((called & label).sum() / called.sum())
    assert summary.recall == pytest.approx((called & label).sum() / label.sum())
    assert summary.f1 > 0.8
    pool = qanat.open_pool(tmp_path / "pool.parquet", prediction="prediction", label="label")
    assert len(pool) == 5600


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"block": "family_name"},
        {"neighbours": 3},
        {"sample": 500},
        {"probabilities": True},
        {"truth": None},
    ],
)
def test_what_is_written_is_what_is_returned(tmp_path, monkeypatch, settings):
    """The file holds the columns that scored_pairs returns, whatever the recipe and the size of blocks."""
    _, columns = written(tmp_path, **settings)
    monkeypatch.setattr("qanat.er.pairs.BLOCK", 333)
    truth = settings.pop("truth", TRUTH)
    returned = er.scored_pairs(LEFT, RIGHT, truth=truth, recipe=er.Recipe(**settings))
    assert list(returned) == list(columns)
    for name, values in returned.items():
        if values.dtype.kind == "f":
            np.testing.assert_allclose(values, columns[name], atol=1e-5)
        else:
            np.testing.assert_array_equal(values, columns[name])


def test_blocking_says_which_matches_it_lost(tmp_path):
    """Among candidates with an equal key recall is of those pairs; the summary knows all matches."""
    summary, columns = written(tmp_path, block="family_name")
    both = {
        i: name for table in (LEFT, RIGHT) for i, name in zip(table["id"], table["family_name"], strict=True)
    }
    assert all(
        both[a].lower() == both[b].lower() for a, b in zip(columns["left_id"], columns["right_id"], strict=True)
    )
    assert summary.pairs == len(columns["score"]) < 5600
    assert summary.matches == columns["label"].sum() < summary.known == len(TRUTH)


def test_a_sample_is_drawn_anew_by_another_seed(tmp_path):
    """The same seed gives the same pairs and scores, another one others."""
    pairs = [tuple(written(tmp_path, sample=300, seed=seed)[1]["score"]) for seed in (1, 1, 2)]
    assert pairs[0] == pairs[1] != pairs[2]


def test_probabilities_and_margins_answer_by_their_own_thresholds(tmp_path):
    """A probability predicts a match from a half on, a margin from 0 on."""
    for settings, threshold in (({"probabilities": True}, 0.5), ({}, 0.0)):
        _, columns = written(tmp_path, **settings)
        np.testing.assert_array_equal(columns["prediction"], columns["score"] >= threshold)


def test_without_the_truth_the_score_is_the_mean_likeness(tmp_path):
    """Nothing is trained, nothing is said of matches, and a pair is predicted from a half on."""
    summary, columns = written(tmp_path, truth=None)
    fields = [name for name in columns if name.endswith(("_short", "_number", "_long"))]
    np.testing.assert_allclose(columns["score"], np.mean([columns[name] for name in fields], axis=0), atol=1e-6)
    assert "label" not in columns
    assert (summary.training, summary.matches, summary.precision, summary.recall) == (0, None, None, None)


def test_duplicates_within_one_table():
    """Each pair of a table comes once; a match may be told in either order, twice, or with the record."""
    table = {name: [*LEFT[name], *RIGHT[name]] for name in LEFT}
    truth = [(b, a) for a, b in TRUTH] + TRUTH[:3] + [("a1", "a1")]
    columns = er.scored_pairs(table, truth=truth)
    assert len(columns["score"]) == 150 * 149 // 2
    assert columns["label"].sum() == len(TRUTH)
    assert len(matching_rows(checked_tables(table, None), truth)) == len(TRUTH)
    assert {frozenset(p) for p in zip(columns["left_id"], columns["right_id"], strict=True)} >= set(
        map(frozenset, TRUTH)
    )


def test_values_need_not_be_text():
    """Numbers, dates, missing values and frames are taken as they print; the truth may be columns."""
    left: dict[str, list[object]] = {"id": [1, 2], "name": ["Ann", None], "born": [1980, float("nan")]}
    right = pd.DataFrame({"id": ["a", "b"], "name": ["Anne", "Bo"], "born": [1980.5, 2000.0]})
    plain = {"id": ["1", "2"], "name": ["Ann", ""], "born": ["1980", ""]}
    given = er.scored_pairs(left, right, truth=pd.DataFrame({"left_id": [1], "right_id": ["a"]}))
    text = {name: [str(value) for value in right[name]] for name in right}
    for name, values in er.scored_pairs(plain, text, truth=[("1", "a")]).items():
        np.testing.assert_array_equal(values, given[name])


def test_progress_goes_from_the_first_block_to_the_end(monkeypatch):
    """Progress rises to 1."""
    monkeypatch.setattr("qanat.er.pairs.BLOCK", 700)
    told: list[float] = []
    er.scored_pairs(LEFT, RIGHT, progress=told.append)
    assert len(told) > 5
    assert told == sorted(told)
    assert told[-1] == 1


WRONG_INPUT = {
    "no-id": ({"key": ["1"]}, None, "The left table has no column 'id' for the ids"),
    "empty": ({"id": []}, None, "The left table is empty: expected at least one record"),
    "one-record": ({"id": ["1"], "name": ["a"]}, None, "has one record: expected two at least, or a second"),
    "repeated": (
        {"id": ["1", "2", "1"], "name": ["a", "b", "c"]},
        None,
        "has 1 repeated ids, the first being '1' in",
    ),
    "missing-id": (
        {"id": ["1", ""], "name": ["a", "b"]},
        None,
        "1 of the 2 records of the left table have no id",
    ),
    "ragged": (
        {"id": ["1", "2"], "name": ["a"]},
        None,
        "Column 'name' of the left table has 1 values for 2 ids",
    ),
    "unknown": (
        LEFT,
        [("a1", "a999")],
        "The truth names 1 id that the left table does not have, the first being 'a999'",
    ),
    "no-truth": (LEFT, [], "The truth is empty: expected the ids of at least one pair"),
}


@pytest.mark.parametrize(("table", "truth", "message"), WRONG_INPUT.values(), ids=WRONG_INPUT)
def test_wrong_tables_and_truth_are_refused(table, truth, message):
    """What was found, what was expected, what to do: in one line, before anything is compared."""
    with pytest.raises(BadInput, match=message.replace("(", r"\(")) as refused:
        er.scored_pairs(table, truth=truth)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"training": 0}, "number of training is 0: expected at least 1"),
        ({"sample": 0}, "number of sample is 0: expected at least 1"),
        ({"sample": 5601}, "sample is 5,601 of 5,600 pairs: expected fewer"),
        ({"neighbours": -1}, "number of neighbours is -1"),
        ({"neighbours": 2, "block": "town"}, "Both a key to block on and neighbours"),
        ({"classifier": "forest"}, "There is no classifier 'forest'"),
        ({"seed": -1}, "The seed is -1: expected"),
        ({"truth": None, "probabilities": True}, "Probabilities need pairs to learn from"),
    ],
)
def test_wrong_settings_are_refused_and_nothing_is_written(tmp_path, settings, message):
    """A setting outside its range is named with its range, and no file is made."""
    with pytest.raises(BadSetting, match=message):
        written(tmp_path, **settings)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_writing_leaves_the_old_file(tmp_path):
    """A pool that was there stays as it was until the new one is whole, and nothing else is left behind."""
    written(tmp_path, sample=10)
    before = (tmp_path / "pool.parquet").read_bytes()

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        er.write_pool(tmp_path / "pool.parquet", LEFT, RIGHT, progress=stop)
    assert [file.name for file in tmp_path.iterdir()] == ["pool.parquet"]
    assert (tmp_path / "pool.parquet").read_bytes() == before


def test_a_missing_scikit_learn_names_the_extra(monkeypatch):
    """Who installed qanat alone is told what to install."""
    monkeypatch.setattr("qanat.er.matching.find_spec", lambda _: None)
    with pytest.raises(NotInstalled, match=r"scikit-learn is not installed.*pip install 'qanat\[er\]'"):
        er.scored_pairs(LEFT, RIGHT)


def test_training_takes_no_more_pairs_than_there_are(tmp_path):
    """A small problem trains on all of its pairs."""
    summary, _ = written(tmp_path)
    assert summary.training == 5600 < TRAINING
    assert summary.training_matches == len(TRUTH)
    assert json.dumps(summary._asdict())
