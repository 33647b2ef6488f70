"""Persons who never lived, in two tables typed by careless hands, and a simple matcher of the two.

The names are put together here from parts; nothing is read from a file. Chance is one generator, passed to
every function that needs it, of which only `random()` is used: a seed gives the same persons everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core.guess import logistic
from qanat.datasets.base import Records, Tables
from qanat.datasets.slips import below, joined, one_of, shuffled, with_slip
from qanat.errors import BadSetting

# Shares of the right table: persons of the left one again; and their relatives among the others.
REPEATED = 0.6
RELATED = 0.4
# Chances that a relative is a twin, and that a record with so few mistakes has one more.
TWIN = 0.2
ONE_MORE = 0.75
MOST_MISTAKES = 4
# The log odds of a match rise by this much for each unit of likeness, and are even at the second number:
# a logistic regression on the pairs of other seeds, rounded.
STEEPNESS = 21.0
EVEN = 0.65

GIVEN_NAMES = (
    "Aisha Alan Amara Anna Bao Beatriz Carlos Chiara Daniel Diego Elena Emeka Emma Farid Fatima Grace Hana "
    "Hassan Henrik Ines Ivan Jakub Joana Karin Kenji Kwame Lars Leila Lucia Marek Maria Mariam Mei Mohamed "
    "Nadia Ngozi Olga Omar Paul Pedro Priya Rahul Rosa Sara Sven Tariq Thomas Wei Yuki Yusuf Zofia"
)
# Beginnings, and the endings that go with them.
FAMILY_NAMES = (
    ("Ade Ola Oye Olu Aki Ayo", "wale bayo yemi tunde"),
    ("Ander Carl Gustaf Jon Peter Svan", "sson berg strom gren"),
    ("Black White Wood Green Hart Ash", "ford well man ley"),
    ("Georg Nikol Dimitr Theodor Vasil Stav", "iou akis opoulos"),
    ("Gonzal Fernand Rodrigu Lop Alvar Nun", "ez es"),
    ("Ham Nas Rash Kar Sal Jab", "id ir im ani"),
    ("Kowal Malin Zalew Jan Adam Mich", "ski owski czyk ewicz"),
    ("Naka Yama Kita Mura Taka Fuji", "moto gawa shima ta"),
    ("Rama Krishna Ananda Gopala Naga Shiva", "n swamy murthy raj"),
)
TOWNS = (
    ("North South East West Old New", "ton field bridge mouth"),
    ("Stein Wald Rosen Linden Eichen Gold", "bach burg dorf heim"),
    ("Mont Beau Clair Haute Belle Roche", "ville fort bois val"),
    ("Villa Monte Casa Torre Fuente Sierra", "nueva verde blanca alta"),
    ("Novo Belo Staro Krasno Cherno Zlato", "grad polje selo"),
    ("Raja Chandra Indra Rama Jala Surya", "pur nagar gaon"),
)


class Person(NamedTuple):
    """A person as typed: any field may be wrong, in the wrong place, or empty."""

    given_name: str
    family_name: str
    birth_date: str
    town: str


class People(NamedTuple):
    """Two tables of persons, and who is who: `matches` has rows of `left` and `right`, shape (n, 2)."""

    left: tuple[Person, ...]
    right: tuple[Person, ...]
    matches: NDArray[np.int64]


def people(*, seed: int = 0, left: int = 600, right: int = 600) -> People:
    """Return two tables of so many persons; six in ten of the right one are in the left one too.

    No table has a person twice. The two records of one differ by typing errors, swapped names, missing values
    or another town; some of the other persons are relatives of one in the left table, even twins.

    >>> two = people(seed=7, left=1, right=1)
    >>> two.left[0].town, two.right[0].town
    ('Fuentealta', 'Fuenteala')
    """
    _refuse_wrong(seed=seed, left=left, right=right)
    chance = np.random.Generator(np.random.Philox(key=seed))
    first = tuple(_person(chance) for _ in range(left))
    repeated = shuffled(left, chance)[: round(REPEATED * right)]
    again = [_retyped(first[row], chance) for row in repeated]
    others = [_other(first, chance) for _ in range(right - len(again))]
    second, order = [*again, *others], shuffled(right, chance)
    place = np.argsort(order)[: len(again)]
    matches = np.column_stack([repeated, place])[np.argsort(repeated)]
    return People(first, tuple(second[row] for row in order), matches)


def tables(people: People) -> Tables:
    """Return the people in the form of the other datasets; an id is a row of its table, as text.

    >>> two = tables(people(seed=7, left=1, right=1))
    >>> list(two.right), two.right["town"], two.matches
    (['id', 'given_name', 'family_name', 'birth_date', 'town'], ['Fuenteala'], [('0', '0')])
    """
    matches = [(str(left), str(right)) for left, right in people.matches.tolist()]
    return Tables(_fields(people.left), _fields(people.right), matches)


def scored_pairs(people: People) -> dict[str, NDArray[Any]]:
    """Return the columns of all pairs of the two tables: left_id, right_id, score, prediction, label.

    An id is a row of its table. The score is the probability of a match as a simple matcher sees it, from how
    alike the two records are spelt; it predicts a match from 0.5 on. The label is the truth.

    >>> import qanat
    >>> pairs = scored_pairs(people(left=50, right=50))
    >>> len(qanat.open_pool(pairs, prediction="prediction", label="label"))
    2500
    """
    score = logistic(STEEPNESS * (_likeness(people.left, people.right) - EVEN))
    label = np.zeros(score.shape, dtype=bool)
    label[people.matches[:, 0], people.matches[:, 1]] = True
    return {
        "left_id": np.repeat(np.arange(len(people.left)), len(people.right)),
        "right_id": np.tile(np.arange(len(people.right)), len(people.left)),
        "score": score.ravel(),
        "prediction": score.ravel() >= 0.5,
        "label": label.ravel(),
    }


def _fields(persons: Sequence[Person]) -> Records:
    rows = [str(row) for row in range(len(persons))]
    return {"id": rows} | {name: [getattr(person, name) for person in persons] for name in Person._fields}


def _refuse_wrong(*, seed: int, left: int, right: int) -> None:
    if not 0 <= seed < 2**64:
        raise BadSetting(f"The seed is {seed}: expected a whole number from 0 to 2**64 - 1.")
    if min(left, right) < 1:
        raise BadSetting(f"The tables are to have {left} and {right} persons: expected at least 1 in each.")


def _person(chance: np.random.Generator) -> Person:
    return Person(
        one_of(GIVEN_NAMES.split(), chance),
        one_of(joined(FAMILY_NAMES), chance),
        _birth_date(chance),
        one_of(joined(TOWNS), chance),
    )


def _birth_date(chance: np.random.Generator) -> str:
    # No month has fewer days than 28, so that every date exists.
    year, month, day = (low + below(size, chance) for low, size in ((1930, 76), (1, 12), (1, 28)))
    return f"{year}-{month:02}-{day:02}"


def _other(known: Sequence[Person], chance: np.random.Generator) -> Person:
    """Return a person who is not among the known: a relative of one of them, or a stranger."""
    other, relative = _person(chance), one_of(known, chance)
    # Nobody gives two children one name: a twin with the same would be a match in all but the label.
    if chance.random() >= RELATED or other.given_name == relative.given_name:
        return other
    other = other._replace(family_name=relative.family_name, town=relative.town)
    return other._replace(birth_date=relative.birth_date) if chance.random() < TWIN else other


def _retyped(person: Person, chance: np.random.Generator) -> Person:
    """Return the person as somebody else typed them, with a few mistakes or none."""
    mistakes = 0
    while mistakes < MOST_MISTAKES and chance.random() < ONE_MORE:
        # A slip of the finger is as likely as all else together.
        make = one_of((_mistyped, _mistyped, _mistyped, _swapped, _emptied, _moved), chance)
        person = make(person, chance)
        mistakes += 1
    return person


def _mistyped(person: Person, chance: np.random.Generator) -> Person:
    field = one_of(Person._fields, chance)
    return person._replace(**{field: with_slip(getattr(person, field), chance)})


def _swapped(person: Person, chance: np.random.Generator) -> Person:
    """Return the person with given and family name, or month and day, in each other's place."""
    if chance.random() < 0.5:
        return person._replace(given_name=person.family_name, family_name=person.given_name)
    date = person.birth_date
    return person._replace(birth_date=date[:5] + date[8:] + date[7:8] + date[5:7])


def _emptied(person: Person, chance: np.random.Generator) -> Person:
    return person._replace(**{one_of(Person._fields, chance): ""})


def _moved(person: Person, chance: np.random.Generator) -> Person:
    return person._replace(town=one_of(joined(TOWNS), chance))


def _likeness(left: Sequence[Person], right: Sequence[Person]) -> NDArray[np.float64]:
    """Return the Dice coefficient of every pair, shape (left, right): twice the shared trigrams by all."""
    found = [_trigrams(person) for person in (*left, *right)]
    column = {trigram: j for j, trigram in enumerate(sorted(set().union(*found)))}
    has = np.zeros((len(found), len(column)), dtype=np.float32)
    for row, trigrams in zip(has, found, strict=True):
        row[[column[trigram] for trigram in trigrams]] = 1
    # Counts are whole numbers, exact in any order of summing: the scores are the same on every machine.
    shared = (has[: len(left)] @ has[len(left) :].T).astype(np.float64)
    size = has.sum(axis=1, dtype=np.float64)
    return 2 * shared / (size[: len(left), None] + size[len(left) :])


def _trigrams(person: Person) -> set[str]:
    """Return the groups of three letters of the fields; which field does not count, as names get swapped."""
    fields = [f"  {field.lower()} " for field in person]
    return {field[at : at + 3] for field in fields for at in range(len(field) - 2)}
