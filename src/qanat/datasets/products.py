"""Products that nobody makes, as two shops describe them, and which are the same.

Names of makers are put together here from parts; nothing is read from a file. Chance is one generator, passed
to every function that needs it, of which only `random()` is used: a seed gives the same products everywhere.
The shops write names and prices in ways of their own, make typing errors, and the right one may list a product
twice: matches are not one to one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from qanat.datasets.base import Records, Tables
from qanat.datasets.slips import joined, one_of, shuffled, with_slip
from qanat.errors import BadSetting

# Shares of the right shop: products of the left one; of them, those listed once more; and the others that are
# of the maker and kind of one in the left shop.
REPEATED = 0.6
TWICE = 0.1
RELATED = 0.4
# Chances that a text has one more slip, and that a value is left out.
ONE_MORE = 0.4
LEFT_OUT = 0.25

MAKERS = (
    ("Bral Drem Fost Gav Hulm", "dax rune tovik morra"),
    ("Jemb Korv Lunt Mevr Narp", "elle ista ondo ax"),
    ("Pelq Ruvo Sabr Tovn Velk", "imar ent osk uma"),
)
# A kind of product, its usual price, and what is said of it.
KINDS = (
    (
        "Turntable",
        150,
        ("Belt drive", "33 and 45 turns a minute", "Static balance arm", "Dust cover", "Pitch control"),
    ),
    (
        "Microwave oven",
        180,
        ("800 watts", "Ten power levels", "Child lock", "Glass tray", "Defrosts by weight"),
    ),
    (
        "Cordless telephone",
        60,
        ("Speaks numbers aloud", "Two handsets", "Answering machine", "Large keys", "Headset jack"),
    ),
    (
        "Photo printer",
        220,
        ("Prints without a computer", "Four colours", "Borderless prints", "Wireless", "Card reader"),
    ),
    ("Dishwasher", 540, ("Five programmes", "Half load", "Quiet motor", "Delayed start", "Folding racks")),
    (
        "Loudspeaker pair",
        390,
        ("Wall mounts", "200 watts", "Wide range drivers", "Gold plated plugs", "Ten years' warranty"),
    ),
    (
        "Accounting software",
        95,
        ("For one user", "Invoices and wages", "Reads bank statements", "Two years' updates"),
    ),
    (
        "Wide screen television",
        1290,
        ("Three inputs", "Teletext", "Two tuners", "Wall bracket", "Remote control"),
    ),
)
COLOURS = ("black", "white", "silver", "red", "blue")


class Product(NamedTuple):
    """A product as its maker knows it; `price` in cents, and no two have the same `model`."""

    maker: str
    kind: str
    model: str
    colour: str
    features: tuple[str, ...]
    price: int


def products(*, seed: int = 0, left: int = 500, right: int = 600) -> Tables:
    """Return what two shops say of so many products: id, name, description, manufacturer and price.

    The id is the row. About six in ten entries of the right shop are products of the left one. A price is text:
    with or without currency and cents, or missing.

    >>> shops = products(seed=7, left=1, right=1)
    >>> shops.left["name"], shops.right["name"], shops.matches
    (['Korvelle Photo pinter - KPA1001'], ['Korvelle KPA1001 Photo printer'], [('0', '0')])
    """
    _refuse_wrong(seed=seed, left=left, right=right)
    chance = np.random.Generator(np.random.Philox(key=seed))
    numbers = (1000 + shuffled(left + right, chance)).tolist()
    known = [_product(number, chance) for number in numbers[:left]]
    rows = _repeated(left, round(REPEATED * right), chance)
    others = [_other(known, number, chance) for number in numbers[left : left + right - len(rows)]]
    second = [*(known[row] for row in rows), *others]
    order = shuffled(right, chance).tolist()
    place = {entry: position for position, entry in enumerate(order)}
    matches = sorted((row, place[entry]) for entry, row in enumerate(rows))
    return Tables(
        _table([_left(product, chance) for product in known]),
        _table([_right(second[entry], chance) for entry in order]),
        [(str(row), str(position)) for row, position in matches],
    )


def _refuse_wrong(*, seed: int, left: int, right: int) -> None:
    if not 0 <= seed < 2**64:
        raise BadSetting(f"The seed is {seed}: expected a whole number from 0 to 2**64 - 1.")
    if min(left, right) < 1:
        raise BadSetting(f"The shops are to have {left} and {right} products: expected at least 1 in each.")


def _product(number: int, chance: np.random.Generator) -> Product:
    kind, usual, features = one_of(KINDS, chance)
    return Product(
        maker := one_of(joined(MAKERS), chance),
        kind,
        f"{maker[0]}{kind[0]}{one_of('ABCDEFGH', chance)}{number}",
        one_of(COLOURS, chance),
        tuple(feature for feature in features if chance.random() < 0.7) or features[:1],
        int(100 * usual * (0.5 + chance.random())) // 500 * 500 - 1,
    )


def _other(known: Sequence[Product], number: int, chance: np.random.Generator) -> Product:
    """Return a product that is not among the known: a relative of one of them, or a stranger."""
    other, relative = _product(number, chance), one_of(known, chance)
    if chance.random() >= RELATED:
        return other
    model = relative.model[:3] + str(number)
    return relative._replace(model=model, colour=other.colour, price=relative.price + 1000)


def _repeated(known: int, entries: int, chance: np.random.Generator) -> list[int]:
    """Return the row of the product in the left shop for each entry that the right shop repeats."""
    rows: list[int] = []
    for row in shuffled(known, chance).tolist():
        rows += [row, row] if chance.random() < TWICE else [row]
    return rows[:entries]


def _left(product: Product, chance: np.random.Generator) -> tuple[str, ...]:
    """Return the entry of a shop that is careful: everything said, prices in dollars."""
    name = f"{product.maker} {product.kind} - {product.model}"
    said = "/ ".join([name, *product.features, f"{product.colour} finish".capitalize()])
    price = "" if chance.random() < LEFT_OUT else f"${product.price / 100:,.2f}"
    return _slipped(name, chance), said, product.maker, price


def _right(product: Product, chance: np.random.Generator) -> tuple[str, ...]:
    """Return the entry of a shop that is not: other words and prices, and much left out."""
    short = f"{product.maker} {product.colour} {product.kind}"
    names = (f"{product.maker} {product.model} {product.kind}", f"{short} {product.model}", short.lower())
    said = ". ".join(feature for feature in product.features if chance.random() >= LEFT_OUT)
    made_by = one_of((product.maker, product.maker.upper(), ""), chance)
    return _slipped(one_of(names, chance), chance), _slipped(said, chance), made_by, _price(product, chance)


def _price(product: Product, chance: np.random.Generator) -> str:
    """Return a price near that of the left shop, written in one of many ways, or nothing."""
    price = product.price * (0.9 + 0.2 * chance.random()) / 100
    return one_of((f"{price:,.2f}", f"{price:.2f}", f"${price:.0f}", f"{price:.0f} usd", ""), chance)


def _slipped(text: str, chance: np.random.Generator) -> str:
    """Return the text as typed: with a slip or more, in a few cases."""
    while text and chance.random() < ONE_MORE:
        text = with_slip(text, chance)
    return text


def _table(entries: Sequence[tuple[str, ...]]) -> Records:
    fields = ("name", "description", "manufacturer", "price")
    columns = ([entry[field] for entry in entries] for field in range(len(fields)))
    return {"id": [str(row) for row in range(len(entries))], **dict(zip(fields, columns, strict=True))}
