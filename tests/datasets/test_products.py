"""The generated products: the same everywhere, with a truth that holds, and a problem that is not trivial."""

import hashlib
from collections import Counter
from itertools import chain

import numpy as np
import pytest

import qanat
from qanat.datasets.base import Tables
from qanat.datasets.products import products

DIGEST = "6ede0fa8862fec4d415dc45e09d3feddb96f0cb764a98df4098a48750c7d846d"
FIELDS = ["id", "name", "description", "manufacturer", "price"]


def words(table: dict[str, list[str]], row: int) -> set[str]:
    """Return the words of an entry."""
    return set(" ".join(table[field][row] for field in FIELDS[1:4]).lower().replace("/", " ").split())


@pytest.fixture(scope="module", params=range(3))
def shops(request: pytest.FixtureRequest) -> Tables:
    """Return the shops of one seed after the other."""
    return products(seed=request.param)


def test_a_seed_gives_the_same_products_for_ever() -> None:
    """Nobody's numbers change with a release: a change of the generator must change this digest on purpose."""
    assert hashlib.sha256(repr(products()).encode()).hexdigest() == DIGEST


def test_another_seed_gives_other_products() -> None:
    """A seed is not ignored."""
    assert products(seed=1).left != products(seed=2).left


def test_chance_is_drawn_with_random_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The generator is asked for uniforms only, the simplest numbers that it makes."""
    original = np.random.Generator
    expected = products(left=20, right=20)

    class OnlyRandom:
        def __init__(self, bits: np.random.BitGenerator) -> None:
            self.random = original(bits).random

    monkeypatch.setattr(np.random, "Generator", OnlyRandom)
    assert products(left=20, right=20) == expected


@pytest.mark.parametrize(("left", "right"), [(1, 1), (30, 50), (10, 80), (50, 1)])
def test_the_shops_have_the_sizes_asked_for(left: int, right: int) -> None:
    """Every column has as many values, and an id is a row."""
    shops = products(left=left, right=right)
    assert list(shops.left) == FIELDS
    assert {len(values) for values in shops.left.values()} == {left}
    assert shops.right is not None
    assert {len(values) for values in shops.right.values()} == {right}
    assert shops.right["id"] == [str(row) for row in range(right)]
    assert 0 < len(shops.matches) <= round(0.6 * right)


def test_matches_are_not_one_to_one(shops: Tables) -> None:
    """Some products of the left shop are in the right one twice, none more often; no entry is two products."""
    times = Counter(Counter(left for left, _ in shops.matches).values())
    assert set(times) == {1, 2}
    assert times[2] > 10
    assert len({right for _, right in shops.matches}) == len(shops.matches) == 360


def test_the_truth_can_be_found_but_not_easily(shops: Tables) -> None:
    """By shared words alone, more than half of the products that are in both shops are found, and not all."""
    left, right = ([words(table, row) for row in range(len(table["id"]))] for table in shops[:2] if table)
    shared = np.array([[2 * len(one & other) / (len(one) + len(other)) for other in right] for one in left])
    matched = np.zeros(shared.shape, dtype=bool)
    matched[tuple(np.array(shops.matches, dtype=int).T)] = True
    nearest = matched[np.arange(len(left)), shared.argmax(axis=1)]
    assert 0.5 < nearest.sum() / matched.any(axis=1).sum() < 0.9
    assert np.median(shared[matched]) > np.quantile(shared[~matched], 0.99)


def test_relatives_make_it_hard(shops: Tables) -> None:
    """Other products of the same maker and kind are in both shops."""
    assert shops.right is not None
    matched = {int(right) for _, right in shops.matches}
    makers = Counter(maker.lower() for maker in shops.left["manufacturer"])
    others = [maker for row, maker in enumerate(shops.right["manufacturer"]) if row not in matched]
    assert sum(maker.lower() in makers for maker in others if maker) > 50


def test_prices_are_written_in_many_ways(shops: Tables) -> None:
    """Some are missing; some have a currency, before or after, cents, or a comma in the thousands."""
    assert shops.right is not None
    prices = shops.left["price"] + shops.right["price"]
    ways = {
        "missing": sum(not price for price in prices),
        "dollars": sum(price.startswith("$") for price in prices),
        "usd": sum(price.endswith(" usd") for price in prices),
        "cents": sum("." in price for price in prices),
        "thousands": sum("," in price for price in prices),
        "bare": sum(price.isdigit() or price.replace(".", "").isdigit() for price in prices),
    }
    assert min(ways.values()) >= 5, ways
    assert set("".join(prices)) <= set("0123456789$,. usd")


def test_descriptions_are_long_or_missing_words(shops: Tables) -> None:
    """The left shop says everything at length; the right one less, and not always its maker."""
    assert shops.right is not None
    assert np.mean([len(text) for text in shops.left["description"]]) > 80
    assert np.mean([len(text) for text in shops.right["description"]]) < 60
    assert "" in shops.right["manufacturer"]
    assert "" not in shops.left["manufacturer"]


def test_texts_are_plain_letters(shops: Tables) -> None:
    """Every terminal can show them, on one line."""
    for table in shops[:2]:
        assert table is not None
        text = "".join(chain(*table.values()))
        assert text.isascii()
        assert text.isprintable()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"left": 0}, "The shops are to have 0 and 600 products: expected at least 1 in each."),
        ({"right": -3}, "The shops are to have 500 and -3 products: expected at least 1 in each."),
        ({"seed": -1}, "The seed is -1: expected a whole number from 0 to 2**64 - 1."),
        ({"seed": 2**64}, "The seed is 18446744073709551616: expected a whole number from 0 to 2**64 - 1."),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, int], message: str) -> None:
    """What cannot be made is refused in one line that says what was expected."""
    with pytest.raises(qanat.BadSetting) as refusal:
        products(**wrong)
    assert str(refusal.value) == message
