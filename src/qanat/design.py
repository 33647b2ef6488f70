"""What a caller may set, checked: the method and its settings, the target, the budget."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from qanat.core import chance, measures
from qanat.core.arrays import Integers
from qanat.core.imagined import DRAWS
from qanat.core.strata import MOST_BINS, Method
from qanat.deck import Deck, Rows
from qanat.errors import BadInput, BadSetting, nearest
from qanat.pool.base import Pool, Stratified, checked_probabilities
from qanat.pool.in_memory import InMemoryPool
from qanat.pool.on_engine import EnginePool
from qanat.pool.outside import WithOutside
from qanat.samplers import SAMPLERS, oasis
from qanat.samplers.base import Draws, Sampler

READINGS = ("released", "paper")
STRATIFICATIONS = ("csf", "equal-size", "log-rank")
SETTINGS = {
    "adaptive": ("batch", "epsilon", "focus", "guess", "stratification"),
    "passive": (),
    "stratified": ("stratification",),
    "importance": ("epsilon", "guess"),
    "oasis": ("epsilon", "guess", "stratification", "threshold"),
}
TARGETS = {"f1": measures.BALANCED, "precision": measures.PRECISION, "recall": measures.RECALL}

# Draws a label may take on average before a run is given up: a proposal that has converged draws the same
# pairs again and again.
DRAWS_PER_LABEL = 1000


# Labels from which an interval covers as it says, and is shown (docs/adr/0013).
INTERVAL_FROM = {"envelope": 200, "anytime": 1, "delta": 200}

# Labels after which one may stop, unless others are declared.
LOOKS = (200, 500, 1000, 2000, 5000)

# A seed is one half of the key of the generator.
SEEDS = 2**64


class Design(NamedTuple):
    """A method on the strata of a pool, ready to draw: what `simulate` and `evaluate` have in common."""

    method: Sampler[Any, Any]
    config: Any
    alpha: float
    pool: Pool
    stratified: Stratified

    def deck(self, seed: int) -> Deck | Rows:
        """Return what tells the pair of a place.

        With replacement a pool in memory needs no order: its places are its rows, and a simulation of one run
        draws what an evaluation draws.
        """
        if isinstance(self.pool, InMemoryPool) and not self.method.IS_PREFIX:
            return Rows(self.pool, self.pool.rows(self.stratified))
        return Deck(self.pool, self.stratified, seed)

    def init(self, seed: int, runs: Integers) -> Any:
        """Return the state of these runs before the first draw."""
        strata = self.stratified.strata
        stream = chance.stream(seed, runs)
        return self.method.init(strata, alpha=self.alpha, config=self.config, stream=stream)

    def keeping(self, interval: str | None) -> Design:
        """Return the design that keeps what this kind of interval needs; the envelope needs labels only."""
        if interval in {None, "envelope"}:
            return self
        return self._replace(config=self.config._replace(keeps_interval=True))

    @property
    def default_interval(self) -> str:
        """The kind of interval that is shown if none is named.

        Matches that blocking lost follow no score: the envelope assumes that there are few of these.
        """
        known = self.method.INTERVALS
        return "anytime" if isinstance(self.pool, WithOutside) and "anytime" in known else known[0]

    def check_interval(self, interval: str | None) -> None:
        """Refuse a kind of interval that the method does not have."""
        known = self.method.INTERVALS
        if interval is not None and interval not in known:
            raise BadSetting(f"The setting interval is {interval!r}. {nearest(interval, list(known))}")

    def without(self, state: Any, draws: Draws) -> Any:
        """Return the state that knows that these draws have no answer, if the method can do with that."""
        if not hasattr(self.method, "lose"):
            raise BadSetting(
                "Only the sampler adaptive can do without an answer: use it, or answer every pair."
            )
        return self.method.lose(state, draws)


def design(
    pool: Pool, *, sampler: str, target: str, budget: int, strata: int, seed: int, config: Any
) -> Design:
    """Return the design, or refuse a setting that is out of its range."""
    if not isinstance(pool, InMemoryPool | EnginePool | WithOutside):
        raise BadInput(f"The pool is {pool!r}: expected one that qanat.open_pool has opened.")
    method = find_sampler(sampler)
    config = method.Config() if config is None else config
    if not isinstance(config, method.Config):
        raise BadSetting(
            f"The config is {config!r}: expected one of {sampler}, as qanat.settings({sampler!r}) makes."
        )
    alpha = parse_target(target)
    check_at_least(1, budget=budget, strata=strata)
    check_at_least(0, seed=seed)
    check_at_most(SEEDS - 1, seed=seed)
    check_at_most(MOST_BINS, strata=strata)
    if budget > len(pool):
        raise BadSetting(
            f"The budget is {budget} labels but the pool has {len(pool)} pairs: expected at most {len(pool)}."
        )
    if config.guess == "probability":
        checked_probabilities(pool)
    return Design(method, config, alpha, pool, pool.stratify(config.stratification, strata, config.guess))


def parse_target(target: str) -> float:
    """Return the alpha of a target: f1, precision, recall, or f:ALPHA with 0 <= ALPHA <= 1.

    >>> parse_target("f1"), parse_target("f:0.3")
    (0.5, 0.3)
    """
    if target in TARGETS:
        return TARGETS[target]
    prefix, _, number = target.partition(":")
    try:
        alpha = float(number) if prefix == "f" else math.nan
    except ValueError:
        alpha = math.nan
    if not 0 <= alpha <= 1:
        raise BadSetting(
            f"The target is {target!r}: expected f1, precision, recall, or f:ALPHA with ALPHA from 0 to 1, "
            "as in f:0.3 (1 is precision, 0 recall)."
        )
    return alpha


def settings(
    sampler: str,
    *,
    reading: str = "released",
    is_probability: bool = False,
    threshold: float | None = None,
    epsilon: float | None = None,
    stratification: Method | None = None,
    batch: int | None = None,
    focus: Mapping[str, float] | None = None,
) -> Any:
    """Return the Config of a sampler with these settings in place of its own; those it lacks are refused.

    `reading` "paper" is OASIS as printed, whose guess subtracts the threshold from the scores. `batch` labels
    of adaptive are planned at a time, and `focus` shares them out between several targets by weight, as in
    {"precision": 1, "recall": 2}.
    """
    method = find_sampler(sampler)
    config = method.Config()
    _check_one_of(READINGS, reading=reading)
    if stratification is not None:
        _check_one_of(STRATIFICATIONS, stratification=stratification)
    if batch is not None:
        check_at_least(1, batch=batch)
    asked: dict[str, Any] = {"batch": batch, "epsilon": epsilon, "stratification": stratification}
    asked["focus"] = None if focus is None else _parse_focus(focus)
    if reading == "paper":
        if sampler != "oasis":
            raise BadSetting(f"The sampler {sampler} has one reading only, in paper and code: leave it out.")
        config, asked["threshold"] = oasis.PAPER, threshold
    if is_probability:
        asked["guess"] = "probability"
    given = {name: value for name, value in asked.items() if value is not None}
    unknown = [name for name in given if name not in SETTINGS[sampler]]
    if unknown:
        raise BadSetting(f"The setting {unknown[0]} means nothing to the sampler {sampler}: leave it out.")
    if not 0 < given.get("epsilon", 1.0) <= 1:
        raise BadSetting(f"The setting epsilon is {epsilon}: expected more than 0 and at most 1.")
    return config._replace(**given)


def _parse_focus(focus: Mapping[str, float]) -> tuple[tuple[float, float], ...]:
    if not focus or any(not (0 < weight < math.inf) for weight in focus.values()):
        raise BadSetting(
            f"The focus is {dict(focus)!r}: expected targets with positive weights, as in "
            "{'precision': 1, 'recall': 2}."
        )
    return tuple((parse_target(target), float(weight)) for target, weight in focus.items())


def find_sampler(name: str) -> Sampler[Any, Any]:
    """Return the method of this name."""
    if name not in SAMPLERS:
        raise BadSetting(f"There is no sampler {name!r}. {nearest(name, list(SAMPLERS))}")
    return SAMPLERS[name]


def _check_one_of(known: Sequence[str], **settings: str) -> None:
    for name, value in settings.items():
        if value not in known:
            raise BadSetting(f"The setting {name} is {value!r}. {nearest(value, list(known))}")


def checked_looks(looks: Sequence[int], budget: int, first: int) -> list[int]:
    """Return the looks within the budget, and the budget; one of the looks must show an interval."""
    check_at_least(1, **{f"look {i + 1}": look for i, look in enumerate(looks)})
    planned = sorted({int(look) for look in looks if first <= look <= budget})
    if not planned:
        raise BadSetting(
            f"No look lies between {first} labels, from which an interval is shown, and the budget of "
            f"{budget}: raise the budget, or name a look between them."
        )
    return sorted({*planned, budget})


def shared_level(kind: str, level: float, looks: int) -> float:
    """Return the level of each look that together hold at `level`, or refuse one that is beyond the draws.

    The anytime interval holds at all steps at once: looking costs nothing.
    """
    shared = level if kind == "anytime" else 1 - (1 - level) / max(looks, 1)
    highest = 1 - 2 / DRAWS
    if kind == "envelope" and shared > highest:
        raise BadSetting(
            f"The level is {level:g} with {looks} look{'s' * (looks > 1)}, {shared:.6g} for each: expected "
            f"at most {highest:g} for the envelope. Lower it, declare fewer looks, or use the anytime interval."
        )
    return shared


def check_share(share: float, name: str) -> None:
    """Refuse what is no share of something; only `lost` may be zero."""
    if not (0 < share < 1 or (name == "lost" and share == 0)):
        least = "at least 0" if name == "lost" else "more than 0"
        hint = f" Did you mean {share / 100:g}?" if name == "level" and 1 < share < 100 else ""
        raise BadSetting(f"The setting {name} is {share}: expected {least} and less than 1.{hint}")


def check_at_most(most: int, **settings: int) -> None:
    """Refuse settings above the most that makes sense."""
    for name, value in settings.items():
        if value > most:
            raise BadSetting(f"The setting {name} is {value}: expected at most {most}.")


def check_at_least(least: int, **settings: Any) -> None:
    """Refuse settings that are no whole numbers, or below the least that makes sense."""
    for name, value in settings.items():
        if not isinstance(value, numbers.Integral):
            raise BadSetting(f"The setting {name} is {value!r}: expected a whole number.")
        if value < least:
            raise BadSetting(f"The setting {name} is {value}: expected at least {least}.")
