"""qanat simulate: how well a method would have done on a pool whose truth is known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from qanat.cli.parameters import Numbers, Weights, opened, what_is_estimated, what_the_pool_holds
from qanat.cli.progress import progress_bar

if TYPE_CHECKING:
    from qanat.checkpoints import Checkpoint, Stopping
    from qanat.simulation import Simulation


PROBABILITIES = (
    "Note: all scores lie between 0 and 1. If they are probabilities of a match, --probabilities uses them as "
    "such; on the pools of the paper that made estimates two to five times more precise."
)


# Columns that the widest table needs, and what a narrower terminal does without.
WIDE = 100
DISPENSABLE = ("defined", "abs. error", "std. dev.")


@click.command(short_help="Errors of a method over many runs on a labelled pool.")
@click.argument("pool", type=click.Path())
@what_the_pool_holds
@what_is_estimated
@click.option("--label", default="label", show_default=True, help="Column of the truth, 0 or 1.")
@click.option(
    "--sampler",
    type=click.Choice(["adaptive", "passive", "stratified", "importance", "oasis"]),
    default="adaptive",
    show_default=True,
    help="How pairs are chosen for labelling.",
)
@click.option(
    "--stratification",
    type=click.Choice(["csf", "equal-size", "log-rank"]),
    help="How strata are cut.  [default: csf; log-rank for adaptive]",
)
@click.option("--budget", type=int, help="Distinct pairs labelled in each run.  [default: 5000, or all pairs]")
@click.option("--runs", type=int, default=1000, show_default=True, help="Independent runs.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same numbers.")
@click.option("--checkpoints", type=Numbers(), metavar="N,N,...", help="Labels after which errors are shown.")
@click.option(
    "--reading",
    type=click.Choice(["released", "paper"]),
    default="released",
    show_default=True,
    help="OASIS as in the authors' code or as the paper prints it.",
)
@click.option(
    "--probabilities", is_flag=True, help="The scores are probabilities of a match: use them as such."
)
@click.option("--epsilon", type=float, help="Share of exploring draws.  [default: 0.001; 0.05 for adaptive]")
@click.option("--batch", type=int, help="Labels that adaptive plans at a time.  [default: 10]")
@click.option(
    "--focus",
    type=Weights(),
    metavar="TARGET=W,...",
    help="Share the labels of adaptive between targets, as in precision=1,recall=2.  [default: the target]",
)
@click.option(
    "--interval",
    type=click.Choice(["envelope", "anytime", "delta"]),
    help="Add how often this interval holds the truth, and its width: the first two for adaptive, delta else.",
)
@click.option(
    "--half-width",
    type=float,
    help="Tell what becomes of runs that stop when the interval is this narrow; checkpoints are the looks.",
)
@click.option("--lost", type=float, default=0.0, show_default=True, help="Share of answers that never come.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def simulate(pool: str, as_json: bool, **options: Any) -> None:
    """Run a sampler many times on POOL, a file or table of scored pairs whose truth is known.

    Prints the error of the estimate after so many labels, with its Monte Carlo error, beside the smallest
    that any unbiased stratified design could have.

    \b
    Examples:
      qanat simulate pool.csv.gz --prediction pred --label label --interval envelope
      qanat simulate pool.csv.gz --prediction pred --label label \\
          --sampler oasis --strata 30 --target f1 --budget 5000 --runs 1000
    """
    result = _simulated(pool, **options)
    if as_json:
        click.echo(json.dumps(result.as_dict(), allow_nan=False))
    else:
        _show(result)


def _simulated(
    path: str,
    *,
    label: str,
    budget: int | None,
    reading: str,
    probabilities: bool,
    **rest: Any,
) -> Simulation:
    from qanat.design import settings
    from qanat.simulation import most_labels
    from qanat.simulation import simulate as run

    threshold = rest["threshold"]
    pairs = opened(path, rest, label=label)
    config = settings(
        rest["sampler"],
        reading=reading,
        is_probability=probabilities,
        threshold=threshold,
        **{name: rest.pop(name) for name in ("epsilon", "stratification", "batch", "focus")},
    )
    with progress_bar(f"{rest['runs']} runs") as progress:
        result = run(
            pairs,
            budget=min(5000, most_labels(len(pairs), rest["lost"])) if budget is None else budget,
            config=config,
            progress=progress,
            **rest,
        )
    if (
        rest["sampler"] in {"importance", "oasis"}
        and not probabilities
        and pairs.facts.lowest >= 0
        and pairs.facts.highest <= 1
    ):
        click.echo(PROBABILITIES, err=True)
    return result


def _show(result: Simulation) -> None:
    """Print the table, one line for each checkpoint."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 120
    console.print(
        f"[bold]{result.target}[/] of {result.pairs:,} pairs, {result.predicted:,} predicted to match, "
        f"{result.matches:,} matches: truth [bold]{result.truth:.4f}[/]"
    )
    console.print(_method(result))
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    rows = [_row(point) | (_interval_of(point) if result.interval else {}) for point in result.checkpoints]
    # A terminal of 80 columns holds what matters, and no number cut in two.
    is_narrow = console.width < (WIDE if result.interval else 80)
    shown = [name for name in rows[0] if not (is_narrow and name in DISPENSABLE)]
    for name in shown:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*(row[name] for name in shown))
    console.print(table)
    console.print("[dim]± Monte Carlo error; limit: the least RMSE of an unbiased stratified design[/]")
    if result.interval:
        console.print(f"[dim]coverage, width: of the {result.interval} interval at {_percent(result.level)}[/]")
    if result.stopping is not None:
        console.print(_stopping(result.stopping, result.level))
    short = [point for point in result.checkpoints if point.reached < 1]
    if short:
        console.print(
            f"Only {short[-1].reached:.1%} of the runs came to {short[-1].labels:,} labels: the others drew "
            "the same pairs again and again. Lower the budget or raise --epsilon."
        )


def _method(result: Simulation) -> str:
    strata = f", {result.strata:,} strata" if result.strata > 1 else ""
    return (
        f"{result.sampler}{strata}, {result.runs:,} runs of {result.budget:,} labels, seed {result.seed}: "
        f"{result.iterations_per_run:,.0f} draws a run, {result.cpu_seconds:.1f} s"
    )


def _row(point: Checkpoint) -> dict[str, str]:
    return {
        "labels": f"{point.labels:,}",
        "defined": f"{point.defined:.1%}",
        "abs. error": _with_error(point.mean_absolute_error, point.mean_absolute_error_se),
        "bias": _with_error(point.bias, point.bias_se, sign="+"),
        "std. dev.": _with_error(point.standard_deviation, point.standard_deviation_se),
        "RMSE": _with_error(point.rmse, point.rmse_se),
        "limit": _short(point.limit),
    }


def _interval_of(point: Checkpoint) -> dict[str, str]:
    """Return how often the interval holds the truth, and how wide it is."""
    if point.coverage is None or point.width is None:
        return {"coverage": "-", "width": "-"}
    return {"coverage": _with_error(point.coverage, point.coverage_se), "width": _short(point.width)}


def _stopping(stopping: Stopping, level: float) -> str:
    """Return what becomes of the runs that stop; `level` is that of one look."""
    start = f"Stopping at a half-width of {stopping.half_width:g}, {stopping.looks} looks: "
    if stopping.labels is None or stopping.coverage is None or stopping.coverage_se is None:
        return f"{start}no run gets there within the budget."
    return (
        f"{start}{stopping.stopped:.1%} of the runs do, after {stopping.labels:,.0f} labels on average; "
        f"{_with_error(stopping.coverage, stopping.coverage_se)} of their intervals hold the truth "
        f"({_percent(level)} promised at each look)."
    )


def _percent(level: float) -> str:
    return f"{100 * level:g} %"


def _with_error(value: float | None, error: float | None, sign: str = "") -> str:
    return "undefined" if value is None or error is None else f"{_short(value, sign)}±{_short(error)}"


def _short(value: float, sign: str = "") -> str:
    """Return four digits without the zero before the point, so that the table fits a terminal."""
    return f"{value:{sign}.4f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:{sign}.4f}"
