"""What normalising must do to any text, and how numbers are read."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qanat.er.normalise import is_number, normalised, number, numbers


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    """What is normalised stays as it is."""
    once = normalised(text)
    assert normalised(once) == once


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_is_treated_like_any_text(text):
    """The short way for ASCII gives what the long way gives."""
    marked = normalised(text + " é")
    assert marked == f"{normalised(text)} e".strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Crème BRÛLÉE", "creme brulee"),
        ("A/V-Input_2", "a v input 2"),
        ("Straße", "strasse"),
        ("Ἀθῆναι", "αθηναι"),
        ("हिन्दी", "हिन्दी"),
        ("서울", "서울"),
        ("東京!", "東京"),
        ("ﬁle", "file"),
        (" \t\n", ""),
        ("...", ""),
    ],
)
def test_case_accents_and_symbols_go_and_letters_stay(text, expected):
    """Nothing but case, accents and symbols is lost, in any script."""
    assert normalised(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("399", 399.0),
        ("$1,299.00", 1299.0),
        ("1.299,00 EUR", 1299.0),
        ("1,299", 1299.0),
        ("12,5", 12.5),
        ("1.299", 1.299),
        ("1.000.000", 1e6),
        ("-3.5", -3.5),
        ("in 1993.", 1993.0),
        ("99.95 gbp", 99.95),
        ("0", 0.0),
    ],
)
def test_the_first_number_in_a_text_is_read(text, expected):
    """Currencies, grouped thousands and both signs of a fraction are understood."""
    assert number(text) == expected


@given(st.integers(-(10**9), 10**9), st.integers(0, 99))
def test_a_printed_amount_is_read_back(whole, cents):
    """An amount with grouped thousands and two digits of cents is read as it was printed."""
    amount = math.copysign(abs(whole) + cents / 100, whole)
    assert number(f"{amount:,.2f}") == pytest.approx(amount, abs=1e-9)


@pytest.mark.parametrize("text", ["9" * 320, "1" + "0" * 200, "-" + "7" * 160])
def test_a_number_too_large_to_compare_is_missing(text):
    """Long rows of digits are no amounts: they would overflow, and make every difference meaningless."""
    assert math.isnan(number(text))
    assert np.isfinite(numbers([text, "1"])).all()


@given(st.text())
def test_no_text_breaks_the_reading_of_numbers(text):
    """Whatever is in a column of prices, a float comes back."""
    assert isinstance(number(text), float)
    assert is_number(text) in {True, False}


@pytest.mark.parametrize("text", ["399", "$49.00", "99.95 gbp", "EUR 12", "1993.", "(1999)", " 7 "])
def test_a_number_with_a_currency_is_a_number(text):
    """A value that is one number and its currency counts as a number."""
    assert is_number(text)


@pytest.mark.parametrize(
    "text", ["", "310/246-1501", "pages 322-331", "vol. 3", "12 and 13", "abc", "9th street"]
)
def test_a_number_within_text_is_text(text):
    """Telephone numbers, pages and streets are no numbers."""
    assert not is_number(text)


def test_missing_numbers_take_the_mean_of_the_others():
    """The paper imputes missing values by the mean; with no number at all they are 0."""
    np.testing.assert_array_equal(numbers(["1", "n/a", "3", ""]), [1, 2, 3, 2])
    np.testing.assert_array_equal(numbers(["", "?"]), [0, 0])
