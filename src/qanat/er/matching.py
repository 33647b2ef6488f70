"""From two tables to a scored pool: fields compared, a classifier trained on some pairs, all pairs scored.

The Parquet file with the columns of a pool is all that the rest of qanat sees of this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Integers
from qanat.er.classifiers import Trained, check_name, trained
from qanat.er.fields import Field, chosen_fields, guessed_fields, similarities
from qanat.er.pairs import (
    AllPairs,
    Block,
    Candidates,
    Listed,
    features_of,
    nearest_neighbours,
    with_equal_key,
)
from qanat.er.similarity import Similarity
from qanat.er.tables import Matches, Records, Tables, checked_tables, matching_rows
from qanat.errors import BadSetting, NotInstalled

# Pairs to train on, if there are as many: some thirty matches of the paper's least rare.
TRAINING = 100_000
# Without a classifier a pair is predicted to match from this mean likeness on.
ALIKE = 0.5

Columns = dict[str, NDArray[Any]]
Progress = Callable[[float], None]


class Recipe(NamedTuple):
    """How pairs are found, compared and scored; all of it has a default.

    `fields` are compared (see `chosen_fields`; by default all that both tables have). `training` random pairs
    train the `classifier`, from their truth. `block` names a column, or LEFT:RIGHT, in which the two records
    of a candidate are equal; with `neighbours` the candidates are so many for each record whose words are the
    most alike; without either, all pairs are. Of these, `sample` are drawn at random for the pool.
    """

    fields: Sequence[str] = ()
    classifier: str = "linear-svm"
    training: int = TRAINING
    probabilities: bool = False
    block: str | None = None
    neighbours: int | None = None
    sample: int | None = None
    id_column: str = "id"
    seed: int = 0


class Summary(NamedTuple):
    """What was made: `matches` are those among the pairs, `known` all of the truth."""

    fields: list[str]
    left_out: list[str]
    scorer: str
    training: int
    training_matches: int
    pairs: int
    predicted: int
    matches: int | None
    known: int | None
    found: int | None

    @property
    def precision(self) -> float | None:
        """Return the share of predicted pairs that match, if it is known and there are some."""
        return None if self.found is None or not self.predicted else self.found / self.predicted

    @property
    def recall(self) -> float | None:
        """Return the share of the matches among the pairs that are predicted."""
        return None if self.found is None or not self.matches else self.found / self.matches

    @property
    def f1(self) -> float | None:
        """Return the F-measure of the two."""
        if self.found is None or self.matches is None or not self.predicted + self.matches:
            return None
        return 2 * self.found / (self.predicted + self.matches)


class _Job(NamedTuple):
    """Everything that scoring needs: the pairs, what compares them, what scores them, and the truth."""

    tables: Tables
    id_column: str
    fields: list[Field]
    compare: list[Similarity]
    candidates: Candidates
    matches: Integers | None
    model: Trained
    scorer: str
    training: int
    training_matches: int


def scored_pairs(
    left: Records,
    right: Records | None = None,
    *,
    truth: Matches | None = None,
    recipe: Recipe | None = None,
    progress: Progress | None = None,
) -> Columns:
    """Return the columns of a pool of pairs of two tables, or within one.

    The columns are pair_id, left_id, right_id, score, prediction, the likeness in each field (as name_short),
    and label if the truth is given: pairs of ids of records that match. Without it nothing can be trained, and
    the score is the mean likeness.

    >>> left = {"id": ["1", "2"], "name": ["Ann Lee", "Bo Ng"]}
    >>> right = {"id": ["a", "b"], "name": ["Anne Lee", "Jo Poe"]}
    >>> scored_pairs(left, right)["score"]
    array([0.375, 0.   , 0.   , 0.   ])
    """
    job = _job(checked_tables(left, right, id_column=_recipe(recipe).id_column), truth, _recipe(recipe))
    blocks = list(_columns(job, progress))
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


def write_pool(
    out: str | Path,
    left: Records,
    right: Records | None = None,
    *,
    truth: Matches | None = None,
    recipe: Recipe | None = None,
    names: tuple[str, str] = ("left", "right"),
    progress: Progress | None = None,
) -> Summary:
    """Write what `scored_pairs` returns to a Parquet file, a block of pairs at a time, and say what it is.

    `names` are what the tables are called where something is wrong with them.
    """
    from qanat.pool.on_duckdb import parquet_writer

    predicted = matches = found = 0
    # A file that cannot be written is noticed before the work, not after it.
    with parquet_writer(Path(out)) as write:
        tables = checked_tables(left, right, id_column=_recipe(recipe).id_column, names=names)
        job = _job(tables, truth, _recipe(recipe))
        for block in _columns(job, progress):
            write(block)
            called, label = block["prediction"], block.get("label", np.zeros(0, dtype=bool))
            predicted, matches = predicted + int(called.sum()), matches + int(label.sum())
            found += int(label[called].sum()) if len(label) else 0
    return _summary(job, predicted, matches, found)


def _recipe(recipe: Recipe | None) -> Recipe:
    return recipe or Recipe()


def _summary(job: _Job, predicted: int, matches: int, found: int) -> Summary:
    known = None if job.matches is None else len(job.matches)
    compared = {job.id_column, *(name for field in job.fields for name in (field.left, field.right))}
    columns = dict.fromkeys([*job.tables.left, *job.tables.right])
    return Summary(
        fields=[str(field) for field in job.fields],
        left_out=[name for name in columns if name not in compared],
        scorer=job.scorer,
        training=job.training,
        training_matches=job.training_matches,
        pairs=job.candidates.number,
        predicted=predicted,
        matches=None if known is None else matches,
        known=known,
        found=None if known is None else found,
    )


def _job(tables: Tables, truth: Matches | None, recipe: Recipe) -> _Job:
    """Return everything that scoring needs; whatever is wrong with the input is found here."""
    _check(recipe)
    matches = None if truth is None else matching_rows(tables, truth)
    fields = chosen_fields(tables, recipe.fields) or guessed_fields(tables, id_column=recipe.id_column)
    compare, candidates = similarities(tables, fields), _candidates(tables, recipe)
    chance = np.random.Generator(np.random.Philox(key=recipe.seed))
    model, scorer, label = Trained(_mean, ALIKE), "mean likeness", np.zeros(0, dtype=bool)
    if matches is not None:
        rows = candidates.some(min(recipe.training, candidates.number), chance)
        label, scorer = _is_match(rows, matches, tables), recipe.classifier
        model = trained(
            scorer, features_of(*rows, compare), label, probabilities=recipe.probabilities, seed=recipe.seed
        )
    elif recipe.probabilities:
        raise BadSetting(
            "Probabilities need pairs to learn from: give the truth, or take the mean likeness as it is."
        )
    if recipe.sample is not None:
        candidates = _sampled(candidates, recipe.sample, chance)
    return _Job(
        tables,
        recipe.id_column,
        fields,
        compare,
        candidates,
        matches,
        model,
        scorer,
        len(label),
        int(label.sum()),
    )


def _check(recipe: Recipe) -> None:
    if find_spec("sklearn") is None:
        raise NotInstalled("scikit-learn", "er")
    check_name(recipe.classifier)
    for name in ("training", "sample", "neighbours"):
        value = getattr(recipe, name)
        if value is not None and value < 1:
            raise BadSetting(f"The number of {name} is {value}: expected at least 1.")
    if not 0 <= recipe.seed < 2**32:
        raise BadSetting(f"The seed is {recipe.seed}: expected a whole number from 0 to 2**32 - 1.")


def _mean(features: NDArray[np.float32]) -> NDArray[np.float64]:
    return features.mean(axis=1, dtype=np.float64)


def _sampled(candidates: Candidates, number: int, chance: np.random.Generator) -> Listed:
    if number > candidates.number:
        raise BadSetting(
            f"The sample is {number:,} of {candidates.number:,} pairs: expected fewer. Leave it out for all."
        )
    return Listed(*candidates.some(number, chance))


def _candidates(tables: Tables, recipe: Recipe) -> Candidates:
    if recipe.block is not None and recipe.neighbours is not None:
        raise BadSetting("Both a key to block on and neighbours are asked for: expected one of the two.")
    if recipe.block is not None:
        (field,) = chosen_fields(tables, [f"{recipe.block}=short"])
        return with_equal_key(tables.left[field.left], tables.right[field.right], is_one=tables.is_one)
    if recipe.neighbours is not None:
        texts = [_words(records, recipe.id_column) for records in (tables.left, tables.right)]
        return nearest_neighbours(*texts, number=recipe.neighbours, is_one=tables.is_one)
    return AllPairs(len(tables.left_ids), len(tables.right_ids), tables.is_one)


def _words(records: Records, id_column: str) -> list[str]:
    """Return all values of each record as one text."""
    return [" ".join(values) for values in zip(*(records[n] for n in records if n != id_column), strict=True)]


def _is_match(rows: tuple[Integers, Integers], matches: Integers, tables: Tables) -> NDArray[np.bool_]:
    width = len(tables.right_ids)
    return np.isin(rows[0] * width + rows[1], matches[:, 0] * width + matches[:, 1])


def _columns(job: _Job, progress: Progress | None) -> Iterator[Columns]:
    """Hand out the columns of the pool, a block of pairs at a time."""
    ids = [np.array(each, dtype=object) for each in (job.tables.left_ids, job.tables.right_ids)]
    done = 0
    for block in job.candidates.blocks(job.compare):
        yield _of_block(job, block, ids, done)
        done += len(block.left)
        if progress is not None:
            progress(done / job.candidates.number)


def _of_block(job: _Job, block: Block, ids: list[NDArray[Any]], done: int) -> Columns:
    score = job.model.scores(block.features)
    columns: Columns = {
        "pair_id": np.arange(done, done + len(score)),
        "left_id": ids[0][block.left],
        "right_id": ids[1][block.right],
        "score": score,
        "prediction": score >= job.model.threshold,
    }
    if job.matches is not None:
        columns["label"] = _is_match((block.left, block.right), job.matches, job.tables)
    names = [f"{field.left}_{field.kind}" for field in job.fields]
    return columns | {name: block.features[:, i] for i, name in enumerate(names)}
