"""Which column is what: as the user says, or by names that are common and leave no doubt.

A column that an engine has is known by its name, the SQL that reads it, and its kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from qanat.errors import BadInput, nearest
from qanat.pool.queries import Columns
from qanat.pool.queries import number as literal

Kind = Literal["number", "truth", "text"]

# The first name of a role is ours, and is taken whatever else there is.
SCORES = ("score", "match_probability", "match_weight", "probability", "prob", "similarity", "match_score")
PREDICTION = "prediction"
IDS = (
    ("left_id", "right_id"),
    ("unique_id_l", "unique_id_r"),
    ("id_l", "id_r"),
    ("id1", "id2"),
    ("id_a", "id_b"),
    ("ltable_id", "rtable_id"),
)


class Column(NamedTuple):
    """A column of an engine: its name, the expression that reads it, and what is in it."""

    name: str
    sql: str
    kind: Kind


class Names(NamedTuple):
    """What each column is called; a threshold may stand for the prediction."""

    score: str
    prediction: str | None
    left: str | None
    right: str | None
    label: str | None

    def __str__(self) -> str:
        """Return it in one line."""
        told = {
            "score": self.score,
            "prediction": self.prediction,
            "ids": self.left and f"{self.left}, {self.right}",
        }
        return "; ".join(f"{role} = {name}" for role, name in told.items() if name)


def named(
    header: Sequence[str],
    *,
    score: str | None = None,
    prediction: str | None = None,
    threshold: float | None = None,
    left: str | None = None,
    right: str | None = None,
    label: str | None = None,
    of: str | None = None,
) -> Names:
    """Return the columns that were named, and guess the others.

    >>> print(named(["id_l", "id_r", "match_probability"], threshold=0.9))
    score = match_probability; ids = id_l, id_r
    """
    if (left is None) != (right is None) or (left is not None and left == right):
        raise BadInput("One column of ids is named: expected two, left and right, or neither.")
    if prediction is not None and threshold is not None:
        raise BadInput(TWICE)
    if prediction is None and threshold is None:
        if PREDICTION not in header:
            raise BadInput(TWICE)
        prediction = PREDICTION
    score = score or _score(header)
    for name in (score, prediction, left, right, label):
        if name is not None and name not in header:
            there = "There is" if of is None else f"{of} has"
            raise BadInput(f"{there} no column {name!r}. {nearest(name, list(header))}")
    if left is None:
        left, right = _ids(header)
    return Names(score, prediction, left, right, label)


TWICE = (
    "What counts as a predicted match is not said once: give the name of the prediction column "
    "or a threshold for the score, one of the two."
)


def _score(header: Sequence[str]) -> str:
    """Return the one column of scores that is there, or what it should be called."""
    found = [name for name in SCORES if name in header]
    if len(found) > 1 and found[0] != SCORES[0]:
        raise BadInput(f"{' and '.join(found)} may all be the scores: expected one. Name the column.")
    return found[0] if found else SCORES[0]


def _ids(header: Sequence[str]) -> tuple[str, str] | tuple[None, None]:
    found = [names for names in IDS if set(names) <= set(header)]
    if len(found) > 1 and found[0] != IDS[0]:
        told = " and ".join(", ".join(names) for names in found)
        raise BadInput(f"The columns {told} may all be the ids of records: expected two. Name left and right.")
    return found[0] if found else (None, None)


def as_columns(
    source: str,
    header: Sequence[Column],
    names: Names,
    threshold: float | None,
    *,
    is_one: bool = False,
    keeps_highest: bool = False,
) -> Columns:
    """Return the expressions that make a pool of the source."""
    by_name = {column.name: column for column in header}
    if names.left is None or names.right is None:
        raise BadInput(
            f"None of the columns {', '.join(list(by_name)[:12])} is known for ids of records: "
            "a pool that stays in its engine needs two. Name left and right."
        )
    score = _number(by_name[names.score])
    if names.prediction is None:
        called = f"CASE WHEN {score} >= {literal(threshold or 0.0)} THEN 1 ELSE 0 END"
    else:
        called = _truth(by_name[names.prediction])
    ids = _id(by_name[names.left]), _id(by_name[names.right])
    return Columns(source, *ids, score, called, is_one=is_one, keeps_highest=keeps_highest)


def by_rules(source: str, header: Sequence[Column], columns: Columns, rules: Sequence[str], of: str) -> str:
    """Return the query that counts the predicted matches of two rules: of the first, the second, and both.

    A rule is a column of truth values, or of 0 and 1: whether it proposed the pair.
    """
    by_name = {column.name: column for column in header}
    if len(rules) != 2:
        raise BadInput(f"There are {len(rules)} columns of rules: expected two, separated by a comma.")
    for name in rules:
        if name not in by_name:
            raise BadInput(f"{of} has no column {name!r}. {nearest(name, list(by_name))}")
    a, b = (f"coalesce({_truth(by_name[name])}, 0)" for name in rules)
    return (
        "SELECT sum(called * a), sum(called * b), sum(called * a * b) FROM "
        f"(SELECT {columns.called} AS called, {a} AS a, {b} AS b FROM {source}) AS ruled"
    )


def _id(column: Column) -> str:
    """Return an id; an empty text is none."""
    return f"NULLIF({column.sql}, '')" if column.kind == "text" else column.sql


def _number(column: Column) -> str:
    """Return a number, of truth values 1 or 0, or null for what is neither."""
    if column.kind == "number":
        return f"CAST({column.sql} AS DOUBLE)"
    if column.kind == "truth":
        return f"CASE WHEN {column.sql} THEN 1.0 WHEN NOT {column.sql} THEN 0.0 END"
    names = f"CASE lower({column.sql}) WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 END"
    return f"coalesce(TRY_CAST({column.sql} AS DOUBLE), {names})"


def _truth(column: Column) -> str:
    """Return 1 or 0, or null for what is neither."""
    return f"CASE {_number(column)} WHEN 1 THEN 1 WHEN 0 THEN 0 END"
