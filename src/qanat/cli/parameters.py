"""Kinds of options that several commands have."""

from __future__ import annotations

from typing import Any

import click


class Numbers(click.ParamType[tuple[int, ...]]):
    """Whole numbers separated by commas."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Return the numbers."""
        try:
            return tuple(int(part) for part in value.split(","))
        except ValueError:
            self.fail(f"{value!r} is not a list of whole numbers such as 100,200,500.", param, ctx)


class Weights(click.ParamType[dict[str, float]]):
    """Names with weights, separated by commas."""

    name = "weights"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, float]:
        """Return the weight of each name, 1 where none is given."""
        parts = [part.partition("=") for part in value.split(",")]
        try:
            return {name.strip(): float(weight) if equals else 1.0 for name, equals, weight in parts}
        except ValueError:
            self.fail(f"{value!r} is not a list of targets such as precision=1,recall=2.", param, ctx)
