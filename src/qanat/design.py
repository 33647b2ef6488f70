"""What a caller may set, checked: the method and its settings, the target, the budget."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core import chance, measures
from qanat.core.arrays import Integers
from qanat.core.strata import MOST_BINS, Method
from qanat.errors import BadSetting, nearest
from qanat.pool.base import checked_probabilities
from qanat.pool.in_memory import InMemoryPool, Stratified
from qanat.samplers import SAMPLERS, oasis
from qanat.samplers.base import Sampler

READINGS = ("released", "paper")
STRATIFICATIONS = ("csf", "equal-size", "log-rank")
SETTINGS = {
    "adaptive": ("epsilon", "stratification"),
    "passive": (),
    "stratified": ("stratification",),
    "importance": ("epsilon", "guess"),
    "oasis": ("epsilon", "guess", "stratification", "threshold"),
}
TARGETS = {"f1": measures.BALANCED, "precision": measures.PRECISION, "recall": measures.RECALL}

# Draws a label may take on average before a run is given up: a proposal that has converged draws the same
# pairs again and again.
DRAWS_PER_LABEL = 1000


# A seed is one half of the key of the generator.
SEEDS = 2**64


class Design(NamedTuple):
    """A method on the strata of a pool, ready to draw: what `simulate` and `evaluate` have in common."""

    method: Sampler[Any, Any]
    config: Any
    alpha: float
    stratified: Stratified

    def shuffled(self, seed: int) -> NDArray[np.intp]:
        """Return the pairs in the order of the places, those of each cell shuffled for methods that ask so."""
        if not self.method.IS_PREFIX:
            return self.stratified.pair
        return self.stratified.shuffled(seed)

    def init(self, seed: int, runs: Integers) -> Any:
        """Return the state of these runs before the first draw."""
        strata = self.stratified.strata
        stream = chance.stream(seed, runs)
        return self.method.init(strata, alpha=self.alpha, config=self.config, stream=stream)


def design(
    pool: InMemoryPool, *, sampler: str, target: str, budget: int, strata: int, seed: int, config: Any
) -> Design:
    """Return the design, or refuse a setting that is out of its range."""
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
        checked_probabilities(pool.score)
    return Design(method, config, alpha, pool.stratify(config.stratification, strata, config.guess))


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
) -> Any:
    """Return the Config of a sampler with these settings in place of its own; those it lacks are refused.

    `reading` "paper" is OASIS as printed, whose guess subtracts the threshold from the scores.
    """
    method = find_sampler(sampler)
    config = method.Config()
    _check_one_of(READINGS, reading=reading)
    if stratification is not None:
        _check_one_of(STRATIFICATIONS, stratification=stratification)
    asked: dict[str, Any] = {"epsilon": epsilon, "stratification": stratification}
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


def find_sampler(name: str) -> Sampler[Any, Any]:
    """Return the method of this name."""
    if name not in SAMPLERS:
        raise BadSetting(f"There is no sampler {name!r}. {nearest(name, list(SAMPLERS))}")
    return SAMPLERS[name]


def _check_one_of(known: Sequence[str], **settings: str) -> None:
    for name, value in settings.items():
        if value not in known:
            raise BadSetting(f"The setting {name} is {value!r}. {nearest(value, list(known))}")


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
