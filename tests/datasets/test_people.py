"""The generated people: the same everywhere, with a truth that holds, and a problem that is not trivial."""

import hashlib
import os
import subprocess
import sys
from itertools import chain

import numpy as np
import pytest

import qanat
from qanat.datasets.people import People, _likeness, _trigrams, people, scored_pairs

DIGEST = "b93fe406a58015e8a27172de0cf771587a380b152664f545a909dac713bb4e4c"
SEEDS = range(5)
# NumPy without what processors have learnt since 2013; it warns where there is nothing to leave out.
OLD_PROCESSOR = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 X86_V3", "PYTHONWARNINGS": "ignore"}


def digest(seed: int) -> str:
    """Return a digest of both tables, the truth, and every bit of the scores."""
    persons = people(seed=seed)
    pairs = scored_pairs(persons)
    texts = repr((persons.left, persons.right, persons.matches.tolist()))
    scores = pairs["score"].astype("<f8").tobytes()
    return hashlib.sha256(texts.encode() + scores).hexdigest()


@pytest.fixture(scope="module", params=SEEDS)
def persons(request: pytest.FixtureRequest) -> People:
    """Return the people of one seed after the other."""
    return people(seed=request.param)


def test_a_seed_gives_the_same_people_for_ever() -> None:
    """Nobody's numbers change with a release: a change of the generator must change this digest on purpose."""
    assert digest(0) == DIGEST


def test_an_older_processor_gives_the_same_people() -> None:
    """Without newer vector instructions, every record and every bit of a score is the same."""
    code = f"import runpy; print(runpy.run_path({__file__!r})['digest'](0))"
    command = [sys.executable, "-c", code]
    told = subprocess.run(command, env=os.environ | OLD_PROCESSOR, check=True, capture_output=True, text=True)
    assert told.stdout.strip() == DIGEST


def test_another_seed_gives_other_people() -> None:
    """A seed is not ignored."""
    assert people(seed=1).left != people(seed=2).left


def test_chance_is_drawn_with_random_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The generator is asked for uniforms only, the simplest numbers that it makes."""
    original = np.random.Generator
    expected = people(left=20, right=20)

    class OnlyRandom:
        def __init__(self, bits: np.random.BitGenerator) -> None:
            self.random = original(bits).random

    monkeypatch.setattr(np.random, "Generator", OnlyRandom)
    assert people(left=20, right=20).right == expected.right


def test_the_tables_have_the_sizes_asked_for() -> None:
    """The right table repeats six in ten, or all of a left table that is smaller than that."""
    assert [len(table) for table in people(left=30, right=50)] == [30, 50, 30]
    assert [len(table) for table in people(left=10, right=50)] == [10, 50, 10]
    assert [len(table) for table in people(left=50, right=1)] == [50, 1, 1]


def test_nobody_is_in_a_table_twice(persons: People) -> None:
    """Each person has one record in a table, so no left or right row is matched twice."""
    for side in persons.matches.T:
        assert len(set(side)) == len(side)
    assert len(set(persons.left)) == len(persons.left)


def test_matches_are_the_same_person(persons: People) -> None:
    """Two records of a person share more than those of two other people, in nearly every case."""
    likeness = _likeness(persons.left, persons.right)
    matched = likeness[tuple(persons.matches.T)]
    assert len(matched) == 360
    assert np.median(matched) > 0.75
    assert np.median(likeness) < 0.15
    assert (matched > np.quantile(likeness, 0.99)).mean() > 0.95


def test_a_stranger_is_never_a_copy(persons: People) -> None:
    """No record of the right table that is no match equals one of the left: the truth can be told."""
    known = {persons.right[row] for row in persons.matches[:, 1]}
    strangers = set(persons.right) - known
    assert len(strangers) == 240
    assert not strangers & set(persons.left)


def test_every_kind_of_mistake_is_made(persons: People) -> None:
    """Among the repeated persons are exact copies, missing values, swapped names and other towns."""
    records = [(persons.left[left], persons.right[right]) for left, right in persons.matches]
    kinds = {
        "exact": sum(a == b for a, b in records),
        "missing": sum("" in b for _, b in records),
        "swapped": sum(a[:2] == b[1::-1] for a, b in records),
        "moved": sum(a[:3] == b[:3] and a.town[:2] != b.town[:2] for a, b in records),
    }
    assert min(kinds.values()) >= 3, kinds


def test_relatives_make_it_hard(persons: People) -> None:
    """Some strangers share family name, birth date and town with somebody in the left table."""
    families = {person[1:] for person in persons.left}
    matched = set(persons.matches[:, 1])
    assert sum(row not in matched and person[1:] in families for row, person in enumerate(persons.right)) >= 5


def test_names_are_plain_letters(persons: People) -> None:
    """Every terminal can show them."""
    assert "".join(chain(*persons.left, *persons.right)).isascii()


def test_columns_are_a_pool(persons: People) -> None:
    """All pairs, each once, are what open_pool takes; predicting from a half is the same as the column."""
    pairs = scored_pairs(persons)
    pool = qanat.open_pool(pairs, prediction="prediction", label="label")
    assert len(pool) == 360_000
    assert len(set(zip(pairs["left_id"].tolist(), pairs["right_id"].tolist(), strict=True))) == 360_000
    assert np.array_equal(qanat.open_pool(pairs, threshold=0.5).prediction, pool.prediction)


def test_labels_are_the_matches(persons: People) -> None:
    """The label column says of a pair what the matches say."""
    pairs = scored_pairs(persons)
    labelled = np.column_stack([pairs["left_id"], pairs["right_id"]])[pairs["label"]]
    assert labelled.tolist() == persons.matches.tolist()


def test_scores_are_dice_coefficients(persons: People) -> None:
    """The score of a pair is what its definition gives, computed one pair at a time."""
    pairs = scored_pairs(persons)
    for pair in range(0, 360_000, 7919):
        one = _trigrams(persons.left[pairs["left_id"][pair]])
        other = _trigrams(persons.right[pairs["right_id"][pair]])
        likeness = 2 * len(one & other) / (len(one) + len(other))
        assert pairs["score"][pair] == pytest.approx(1 / (1 + np.exp(-21 * (likeness - 0.65))), rel=1e-12)


def test_the_matcher_is_good_but_not_perfect(persons: People) -> None:
    """Precision and recall are worth estimating: neither perfect nor awful."""
    pairs = scored_pairs(persons)
    found = (pairs["prediction"] & pairs["label"]).sum()
    precision, recall = found / pairs["prediction"].sum(), found / pairs["label"].sum()
    assert 0.85 < precision < 0.95
    assert 0.7 < recall < 0.9


def test_scores_are_nearly_probabilities() -> None:
    """Among pairs of a middling score, about as many match as the scores say: they may be used as such."""
    pairs = [scored_pairs(people(seed=seed)) for seed in SEEDS]
    score, label = (np.concatenate([columns[name] for columns in pairs]) for name in ("score", "label"))
    middling = (score > 0.1) & (score < 0.9)
    assert label[middling].mean() == pytest.approx(score[middling].mean(), abs=0.1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"left": 0}, "The tables are to have 0 and 600 persons: expected at least 1 in each."),
        ({"right": -3}, "The tables are to have 600 and -3 persons: expected at least 1 in each."),
        ({"seed": -1}, "The seed is -1: expected a whole number from 0 to 2**64 - 1."),
        ({"seed": 2**64}, "The seed is 18446744073709551616: expected a whole number from 0 to 2**64 - 1."),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, int], message: str) -> None:
    """What cannot be made is refused in one line that says what was expected."""
    with pytest.raises(qanat.BadSetting) as refusal:
        people(**wrong)
    assert str(refusal.value) == message
