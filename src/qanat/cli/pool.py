"""qanat pool: what is in somebody's scored pairs, before anything is labelled."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import click

from qanat.cli.parameters import what_the_pool_holds

if TYPE_CHECKING:
    from qanat.pool.base import Pool

BINS = 20
# Columns of the longest bar.
WIDTH = 40


@click.group()
def pool() -> None:
    """Look at scored pairs."""


@pool.command(short_help="Sizes, scores and strata of a pool.")
@click.argument("source", type=click.Path())
@what_the_pool_holds
@click.option(
    "--engine", type=click.Choice(["memory", "duckdb", "postgres"]), help="Where the pairs are counted."
)
@click.option("--strata", type=int, default=30, show_default=True, help="Strata to aim at.")
@click.option(
    "--rules",
    metavar="A,B",
    help="Columns (0, 1) of two blocking rules, which proposed a pair: adds the least number of matches.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def describe(source: str, strata: int, rules: str | None, as_json: bool, **options: Any) -> None:
    """Count the pairs of SOURCE: how many, what they score, which are predicted to match, into which strata.

    SOURCE is a CSV, CSV.gz, Parquet or JSONL file, a folder or a pattern of them, a DuckDB file with a --table,
    or the address of a PostgreSQL database (postgresql://...) with a --table.

    \b
    Example:
      qanat pool describe pairs.parquet --threshold 0.9
    """
    from qanat.design import check_at_least
    from qanat.pool import open_pool

    check_at_least(1, strata=strata)
    told = _described(open_pool(source, **options), strata)
    if rules is not None:
        told["rules"] = _least(source, rules.split(","), options)
    if as_json:
        click.echo(json.dumps(told, allow_nan=False))
    else:
        _show(source, told)


def _described(pairs: Pool, strata: int) -> dict[str, Any]:
    """Return what is counted, as one object for JSON."""
    counted = pairs.histogram(BINS)
    cut = pairs.stratify("log-rank", strata, "probability")
    return {
        "columns": pairs.names,
        **pairs.facts._asdict(),
        "dropped": pairs.dropped,
        "histogram": {"pairs": counted.pairs.tolist(), "predicted": counted.predicted.tolist()},
        "strata": {
            "lowest": cut.edges.tolist(),
            "pairs": cut.strata.size.tolist(),
            "predicted": cut.strata.predicted.tolist(),
        },
    }


def _least(source: str, rules: list[str], options: dict[str, Any]) -> dict[str, Any]:
    """Return what two rules found, and the least number of matches that this tells of."""
    from qanat.pool.open import least_matches

    names = ("score", "prediction", "threshold", "left", "right", "table")
    return least_matches(source, rules, **{name: options[name] for name in names})


def _show(source: str, told: dict[str, Any]) -> None:
    low, high, counted = told["lowest"], told["highest"], told["histogram"]
    click.echo(
        f"{source}: {told['pairs']:,} pairs, {told['predicted']:,} predicted to match, "
        f"scores from {low:g} to {high:g}"
    )
    click.echo(f"columns: {told['columns']}")
    sizes = told["strata"]["pairs"]
    click.echo(
        f"strata: {len(sizes)}, of {sizes[-1]:,} pairs from {told['strata']['lowest'][-1]:g} on, "
        f"to {sizes[0]:,} pairs at the bottom\n"
    )
    if found := told.get("rules"):
        click.echo(
            f"of the predicted matches {found['first']:,} were proposed by the first rule, "
            f"{found['second']:,} by the second, {found['both']:,} by both;\n"
            f"if they are right, there are at least {found['chapman']:,.0f} (Chapman) or {found['chao']:,.0f} "
            "(Chao) matches, proposed or not\n"
        )
    if told["dropped"]:
        click.echo(
            f"{told['dropped']:,} rows that repeat a pair were dropped, the highest score of each kept\n"
        )
    step, most = (high - low) / len(counted["pairs"]), max(counted["pairs"])
    click.echo(f"{'score from':>12}  {'pairs':>13}  {'predicted':>10}  (bars: logarithm of the pairs)")
    for place in reversed(range(len(counted["pairs"]))):
        pairs, predicted = counted["pairs"][place], counted["predicted"][place]
        bar = "█" * round(WIDTH * math.log1p(pairs) / math.log1p(most))
        click.echo(f"{low + place * step:12.4g}  {pairs:13,}  {predicted:10,}  {bar}".rstrip())
