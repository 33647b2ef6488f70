"""What is expected of the results: expected.toml, and which facts lie within its bounds."""

from __future__ import annotations

import math
import tomllib
from typing import Any, NamedTuple

from paper import results
from paper.parts import NAMES, part
from paper.results import HERE

PATH = HERE / "expected.toml"


class Verdict(NamedTuple):
    """A fact of ours, what the paper says of it, the bounds, and why it lies outside, where that is known."""

    part: str
    fact: str
    printed: str
    ours: float
    low: float
    high: float
    outside: str | None

    @property
    def holds(self) -> bool:
        """Whether ours lies within the bounds; what is not a number does not."""
        return self.low <= self.ours <= self.high

    @property
    def is_surprise(self) -> bool:
        """Whether ours lies outside without being known to, or within although said not to."""
        return self.holds == (self.outside is not None)

    def __str__(self) -> str:
        """Return the verdict on one line."""
        return f"{self.part}: {self.fact} is {self.ours:g}, between {self.low:g} and {self.high:g} expected"


def lines() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the lines of expected.toml, by part and fact."""
    return tomllib.loads(PATH.read_text(encoding="utf-8"))


def verdicts() -> list[Verdict]:
    """Return the verdict on every line, from the results on disk."""
    return [
        verdict
        for name in NAMES
        if name in lines()
        for verdict in of_part(name, part(name).facts(results.read(name)))
    ]


def of_part(name: str, facts: dict[str, float]) -> list[Verdict]:
    """Return the verdicts on these facts of a part; a line without a fact is NaN."""
    known = lines()[name]
    return [
        Verdict(
            part=name,
            fact=fact,
            printed=_text(line.get("printed", "")),
            ours=facts.get(fact, math.nan),
            low=line.get("low", -math.inf),
            high=line.get("high", math.inf),
            outside=line.get("outside"),
        )
        for fact, line in known.items()
    ]


def _text(printed: Any) -> str:
    return f"{printed:,}" if isinstance(printed, int) else str(printed)
