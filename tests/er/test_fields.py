"""Which fields are compared and how: the guess, and what a user says instead."""

import pytest

from qanat.er.fields import Field, chosen_fields, guessed_fields
from qanat.er.tables import checked_tables
from qanat.errors import BadInput, BadSetting

LONG_TEXT = "a belt drive turntable with servo speed control " * 4
LEFT = {
    "id": ["1", "2", "3"],
    "name": ["Sony PSLX350H", "Bose AM53BK", ""],
    "description": [LONG_TEXT, "", LONG_TEXT],
    "price": ["$1,399.00", "", "12 usd"],
    "phone": ["310/246-1501", "310-246-1501", ""],
    "only_left": ["x", "y", "z"],
    "nothing": ["", " ", ""],
}
RIGHT = {name: values[:2] for name, values in LEFT.items() if name != "only_left"} | {"title": ["a", "b"]}
TABLES = checked_tables(LEFT, RIGHT)


def test_the_guess_compares_what_both_tables_have():
    """Ids, columns of one table and columns without a value are left out; the values tell the kind."""
    assert [str(field) for field in guessed_fields(TABLES)] == [
        "name=short",
        "description=long",
        "price=number",
        "phone=short",
    ]


def test_one_in_twenty_may_be_no_number():
    """A column of numbers stays one with a few exceptions, and is text with more."""
    for exceptions, kind in ((5, "number"), (6, "short")):
        column = ["12.50"] * (100 - exceptions) + ["call us"] * exceptions
        table = {"id": [str(i) for i in range(100)], "price": column}
        assert guessed_fields(checked_tables(table, None)) == [Field("price", "price", kind)]


def test_a_user_overrules_names_and_kinds():
    """Names may differ, a kind may be said or left to the guess, and a field may be compared in two ways."""
    said = ["name:title", "name=long", "name=short", "price", "name=long"]
    assert chosen_fields(TABLES, said) == [
        Field("name", "title", "short"),
        Field("name", "name", "long"),
        Field("name", "name", "short"),
        Field("price", "price", "number"),
    ]


def test_a_field_that_is_not_there_is_named_with_its_table():
    """The line says which table lacks which field, and what it has."""
    with pytest.raises(BadInput, match=r"The left table has no field 'nam'\. Did you mean 'name'\?"):
        chosen_fields(TABLES, ["nam"])
    with pytest.raises(BadInput, match="The right table has no field 'only_left'"):
        chosen_fields(TABLES, ["only_left"])


def test_a_name_may_have_the_signs_of_the_option():
    """A column called a=b or a:b is taken by its whole name, with or without a kind."""
    table = {"id": ["1", "2"], "a=b": ["x", "y"], "a:b": ["x", "y"]}
    said = ["a=b", "a:b", "a=b=long", "a:b=long"]
    assert [tuple(field) for field in chosen_fields(checked_tables(table, None), said)] == [
        ("a=b", "a=b", "short"),
        ("a:b", "a:b", "short"),
        ("a=b", "a=b", "long"),
        ("a:b", "a:b", "long"),
    ]


def test_an_unknown_kind_names_the_known_ones():
    """A kind that there is not is refused with those there are."""
    with pytest.raises(
        BadSetting, match="'name=trigrams' is to be compared as 'trigrams': expected one of short"
    ):
        chosen_fields(TABLES, ["name=trigrams"])


def test_tables_without_a_common_field_are_refused():
    """Where nothing can be guessed, the line shows both headers and how to say it."""
    with pytest.raises(BadInput, match="columns id, a, the right table id, b: expected one in both"):
        guessed_fields(checked_tables({"id": ["1"], "a": ["x"]}, {"id": ["1"], "b": ["x"]}))
