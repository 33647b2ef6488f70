"""qanat plan: how many labels an interval of some width will need."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from qanat.cli.parameters import opened, what_is_estimated, what_the_pool_holds
from qanat.cli.progress import progress_bar

if TYPE_CHECKING:
    from qanat.planning import Plan


@click.command(short_help="Labels needed for an interval of some width.")
@click.argument("pool", type=click.Path())
@click.option("--half-width", type=float, required=True, help="Half the width that the interval shall have.")
@what_the_pool_holds
@what_is_estimated
@click.option("--budget", type=int, default=5000, show_default=True, help="The most labels you would give.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same forecast.")
@click.option(
    "--answers",
    type=click.Path(),
    help="Answers so far (CSV, Parquet): columns left_id and right_id, or pair (row in POOL, from 0), and "
    "label (0, 1, empty: unsure).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plan(pool: str, as_json: bool, **options: Any) -> None:
    """Forecast how many labels the pairs of POOL need until the interval is as narrow as you want it.

    POOL is a file, folder or database of scored pairs (see qanat pool describe); nobody needs to know the
    truth. The forecast labels imagined pools, drawn from what scores, and answers if there are some, let one
    believe.

    \b
    Example:
      qanat plan pairs.csv --threshold 0.9 --half-width 0.05
    """
    forecast = _forecast(pool, **options)
    if as_json:
        click.echo(json.dumps(forecast._asdict(), allow_nan=False))
    else:
        _show(forecast, options["target"])


def _forecast(
    path: str,
    *,
    answers: str | None,
    **rest: Any,
) -> Plan:
    from qanat.planning import plan as run
    from qanat.planning import read_answers

    pairs = opened(path, rest)
    given = None if answers is None else read_answers(answers)
    with progress_bar("imagined pools") as progress:
        return run(pairs, answers=given, progress=progress, **rest)


def _show(forecast: Plan, target: str) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    if forecast.given:
        console.print(f"{forecast.given:,} labels given.")
    needed = "more than " + f"{forecast.budget:,}" if forecast.labels is None else f"about {forecast.labels:,}"
    console.print(
        f"[bold]{needed} labels[/] for {target} within ±{forecast.half_width:g} at {100 * forecast.level:g} %"
        f"{_range(forecast)}.",
        soft_wrap=True,
    )
    if forecast.reached < 1:
        console.print(
            f"{forecast.reached:.0%} of the imagined pools got there with {forecast.budget:,} labels: "
            "raise --budget or --half-width to see further.",
            soft_wrap=True,
        )


def _range(forecast: Plan) -> str:
    if forecast.low is None:
        return ""
    high = f"more than {forecast.budget:,}" if forecast.high is None else f"{forecast.high:,}"
    return f" (four times of five: {forecast.low:,} to {high})"
