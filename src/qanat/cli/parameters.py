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


def what_the_pool_holds(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what the pool holds; `open_pool` takes them all."""
    return with_options(
        command,
        click.option("--score", help="Column of scores: higher, more alike.  [default: a common name]"),
        click.option(
            "--prediction",
            help="Column of the matcher's answers, 0 or 1.  [default: prediction, if it is there]",
        ),
        click.option("--threshold", type=float, help="Instead of --prediction: match from this score on."),
        click.option("--left", help="Column of ids of the one record.  [default: a common name]"),
        click.option("--right", help="Column of ids of the other."),
        click.option("--table", help="Table, where the source is a database."),
        click.option(
            "--duplicates",
            type=click.Choice(["refuse", "keep-highest"]),
            help="Search all pairs for repeated ones, or keep the row of each that scores highest.  "
            "[default: refuse those that are met]",
        ),
        click.option(
            "--one-table", is_flag=True, help="The records are of one table: a, b and b, a are the same pair."
        ),
    )


def what_is_estimated(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what is estimated, and how surely."""
    return with_options(
        command,
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


def with_options(
    command: Callable[..., Any], *options: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Callable[..., Any]:
    """Give a command these options; the last to be applied is the first that --help shows."""
    for option in reversed(options):
        command = option(command)
    return command


OURS = ("score = score", "ids = left_id, right_id")


def opened(source: str, options: dict[str, Any], **more: Any) -> Any:
    """Return the pool of a command's options, which are taken out; a guess that is not our own name is told."""
    from qanat.pool import open_pool

    holds = {name: options.pop(name) for name in HOLDS}
    pool = open_pool(source, **holds, **more)
    guessed = {"score": holds["score"] is None, "ids": holds["left"] is None}
    roles = [part for part in pool.names.split("; ") if guessed.get(part.partition(" = ")[0])]
    if told := [part for part in roles if part not in OURS]:
        click.echo(f"columns: {'; '.join(told)}", err=True)
    return pool


HOLDS = ("score", "prediction", "threshold", "left", "right", "table", "duplicates", "one_table")
