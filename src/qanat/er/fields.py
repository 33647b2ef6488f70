"""Which fields of two records are compared, and how: guessed from the values, or said by the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from qanat.er.normalise import is_number
from qanat.er.similarity import SIMILARITIES, Similarity
from qanat.er.tables import Tables
from qanat.errors import BadInput, BadSetting, nearest

KINDS = tuple(SIMILARITIES)
# Values of a field are numbers if all but so many are; they are long text if they have more letters on average.
EXCEPTIONS = 0.05
LONG = 100
# What tables call the truth: nobody compares it, but who says so.
TRUTH = ("cluster", "label")


class Field(NamedTuple):
    """A column of the left table, the one of the right that it is compared with, and how."""

    left: str
    right: str
    kind: str

    def __str__(self) -> str:
        """Return it as a user writes it."""
        names = self.left if self.left == self.right else f"{self.left}:{self.right}"
        return f"{names}={self.kind}"


def guessed_fields(tables: Tables, *, id_column: str = "id") -> list[Field]:
    """Return the columns that both tables have, with a kind each.

    Left out are the ids, columns without a value, and those that hold the truth by their name.
    """
    names = [name for name in tables.left if name in tables.right and name not in {id_column, *TRUTH}]
    found = [Field(name, name, _kind(tables, name, name)) for name in names if _values(tables, name, name)]
    if not found:
        raise BadInput(
            f"The {tables.names[0]} table has the columns {', '.join(tables.left)}, the {tables.names[1]} "
            f"table {', '.join(tables.right)}: expected one in both that is no id and not empty. "
            "Say which to compare, as in title:name."
        )
    return found


def chosen_fields(tables: Tables, said: Sequence[str]) -> list[Field]:
    """Return the fields that a user named, each as NAME or LEFT:RIGHT, with =KIND to overrule the guess.

    >>> from qanat.er.tables import checked_tables
    >>> two = checked_tables({"id": ["1"], "title": ["a"]}, {"id": ["2"], "name": ["b"]})
    >>> chosen_fields(two, ["title:name", "title:name=long"])
    [Field(left='title', right='name', kind='short'), Field(left='title', right='name', kind='long')]
    """
    return list(dict.fromkeys(_chosen(tables, each) for each in said))


def similarities(tables: Tables, fields: Sequence[Field]) -> list[Similarity]:
    """Return what compares the tables in each of the fields."""
    return [SIMILARITIES[field.kind](tables.left[field.left], tables.right[field.right]) for field in fields]


def _chosen(tables: Tables, said: str) -> Field:
    names, equals, kind = said.rpartition("=") if "=" in said and not _is_name(tables, said) else (said, "", "")
    left, colon, right = (names, "", "") if _is_name(tables, names) else names.partition(":")
    right = right if colon else left
    for records, name, table in zip((tables.left, tables.right), (left, right), tables.names, strict=True):
        if name not in records:
            known = [str(column) for column in records]
            raise BadInput(f"The {table} table has no field {name!r}. {nearest(name, known)}")
    if equals and kind not in KINDS:
        raise BadSetting(f"Field {said!r} is to be compared as {kind!r}: expected one of {', '.join(KINDS)}.")
    return Field(left, right, kind if equals else _kind(tables, left, right))


def _is_name(tables: Tables, name: str) -> bool:
    """Return whether both tables have a column of this whole name, whatever signs are in it."""
    return name in tables.left and name in tables.right


def _kind(tables: Tables, left: str, right: str) -> str:
    """Return the kind that suits the values: numbers, long texts, or short ones."""
    values = _values(tables, left, right)
    if values and sum(not is_number(value) for value in values) <= EXCEPTIONS * len(values):
        return "number"
    return "long" if sum(map(len, values)) > LONG * len(values) else "short"


def _values(tables: Tables, left: str, right: str) -> list[str]:
    """Return the values of the two columns that are not empty."""
    return [value for value in (*tables.left[left], *tables.right[right]) if value.strip()]
