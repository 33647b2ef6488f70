"""Options that several commands have, and their kinds."""

from __future__ import annotations

from collections.abc import Callable
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


def pool_and_target(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what the pool holds, what is estimated, and how surely."""
    options = (
        click.option(
            "--score", default="score", show_default=True, help="Column of scores: higher, more alike."
        ),
        click.option("--prediction", help="Column of the matcher's answers, 0 or 1."),
        click.option("--threshold", type=float, help="Instead of --prediction: match from this score on."),
        click.option(
            "--target",
            default="f1",
            show_default=True,
            metavar="f1|precision|recall|f:ALPHA",
            help="What is estimated; ALPHA from 0 (recall) to 1 (precision).",
        ),
        click.option("--strata", type=int, default=30, show_default=True, help="Strata to aim at."),
        click.option("--level", type=float, default=0.95, show_default=True, help="Level of the interval."),
    )
    # The last to be applied is the first that --help shows.
    for option in reversed(options):
        command = option(command)
    return command
