"""qanat demo: the main job on a generated problem, from two tables to an estimate beside the truth.

The people are always the same; a seed changes which pairs are labelled, and so the estimate.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.table import Table

    from qanat.datasets.people import People
    from qanat.evaluation import Evaluation

    Columns = dict[str, NDArray[Any]]

# More labels than this take more than seconds: few pairs are left that OASIS, which is compared, has not drawn
# many times.
MOST_LABELS = 2000
RUNS = 200
MEASURES = {
    "precision": "of its matches, so many are",
    "recall": "of the matches, it finds so many",
    "f1": "both in one number",
}
COLUMNS = ("estimate", "low", "high", "truth")
METHODS = {
    "adaptive": "chosen as above",
    "oasis": "chosen by OASIS (2017)",
    "passive": "chosen at random",
}


@click.command(short_help="The main job on a generated problem, in seconds.")
@click.option(
    "--labels",
    type=click.IntRange(1, MOST_LABELS),
    default=300,
    show_default=True,
    help="Pairs that somebody looks at.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    default=0,
    show_default=True,
    help="Another seed, other pairs looked at; the people stay the same.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def demo(labels: int, seed: int, as_json: bool) -> None:
    """Evaluate a small generated entity resolution and show the estimate beside the truth.

    For example: qanat demo --labels 1000 --seed 7
    """
    from qanat.datasets.people import people, scored_pairs

    persons = people()
    pairs = scored_pairs(persons)
    summary = _summary(pairs, labels=labels, seed=seed)
    if as_json:
        click.echo(json.dumps(summary, allow_nan=False))
    else:
        _show(summary, persons, pairs)


def _summary(pairs: Columns, *, labels: int, seed: int) -> dict[str, Any]:
    """Return all numbers of the demonstration, as one object for JSON."""
    from qanat.evaluation import Estimated

    told = _evaluation(pairs, labels=labels, seed=seed)
    f1 = Estimated(told.value, told.low, told.high)
    parts = {"precision": told.precision, "recall": told.recall, "f1": f1}
    return {
        "pairs": len(pairs["label"]),
        "matches": int(pairs["label"].sum()),
        "predicted": int(pairs["prediction"].sum()),
        "labels": labels,
        "seed": seed,
        "level": told.level,
        "assumption": told.assumption,
        "estimate": {name: None if math.isnan(part.value) else part.value for name, part in parts.items()},
        "low": {name: part.low for name, part in parts.items()},
        "high": {name: part.high for name, part in parts.items()},
        "truth": _truth(pairs),
        "runs": RUNS,
        "f1_errors": {method: _errors(pairs, method, labels=labels, seed=seed) for method in METHODS},
    }


def _evaluation(pairs: Columns, *, labels: int, seed: int) -> Evaluation:
    from qanat import evaluate, open_pool

    # The pool does not know the truth: only the oracle does, for the pairs that it is asked about.
    pool = open_pool(pairs, prediction="prediction")
    truth = pairs["label"].reshape(pairs["left_id"][-1] + 1, -1)
    return evaluate(pool, lambda pair: bool(truth[int(pair.left), int(pair.right)]), budget=labels, seed=seed)


def _truth(pairs: Columns) -> dict[str, float]:
    called, label = pairs["prediction"], pairs["label"]
    found, predicted, matches = (int(column.sum()) for column in (called & label, called, label))
    return {"precision": found / predicted, "recall": found / matches, "f1": 2 * found / (predicted + matches)}


def _errors(pairs: Columns, method: str, *, labels: int, seed: int) -> dict[str, float | None]:
    """Return how often F1 has a value after so many labels, and how far off it then is."""
    from qanat import open_pool, settings, simulate

    pool = open_pool(pairs, prediction="prediction", label="label")
    config = settings(method, is_probability=method == "oasis")
    last = simulate(
        pool, sampler=method, budget=labels, runs=RUNS, seed=seed, checkpoints=[labels], config=config
    ).checkpoints[-1]
    return {"defined": last.defined, "rmse": last.rmse}


def _show(summary: dict[str, Any], persons: People, pairs: Columns) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 80
    console.print(
        f"Two lists of {len(persons.left)} people, typed by different hands; "
        f"{summary['matches']} are on both.\n"
        f"Of {summary['pairs']:,} pairs, one in {summary['pairs'] / summary['matches']:,.0f} is a match: "
        "the same person twice.\n"
        f"A simple matcher calls {summary['predicted']} pairs matches. Three of its answers:\n"
    )
    console.print(_examples(persons, pairs))
    console.print(
        f"\nHow good is it? Somebody looks at [bold]{summary['labels']:,}[/] of the {summary['pairs']:,} "
        "pairs, those that tell most, and says which are matches:\n"
    )
    console.print(_estimates(summary))
    if summary["low"]["f1"] is not None:
        console.print(f"\n[dim]The intervals assume: {summary['assumption']}.[/]")
    console.print(f"\nHow far off is such an F1? {summary['runs']} repetitions with as many labels each:\n")
    console.print(_spread(summary))
    console.print(
        "\n[dim]Typical error: the root mean square of those with a value, known here because the truth is.[/]"
    )


def _examples(persons: People, pairs: Columns) -> Table:
    """Return a match found and one missed, both by a hair, and the worst confusion of two persons."""
    score, called, label = pairs["score"], pairs["prediction"], pairs["label"]
    table = _table("", *(name.replace("_", " ") for name in persons.left[0]._fields))
    for answer, cases, order in (
        ("[green]found[/]", called & label, score),
        ("[red]missed[/]", ~called & label, -score),
        ("[red]wrong[/]", called & ~label, -score),
    ):
        (rows,) = cases.nonzero()
        pair = rows[order[rows].argmin()]
        left, right = persons.left[pairs["left_id"][pair]], persons.right[pairs["right_id"][pair]]
        table.add_row(answer, *left)
        table.add_row("", *(_typed(field, beside) for field, beside in zip(right, left, strict=True)))
    return table


def _typed(field: str, beside: str) -> str:
    """Return the field of the second record, marked where it is not that of the first."""
    return field if field == beside else f"[yellow]{field or '-'}[/]"


def _estimates(summary: dict[str, Any]) -> Table:
    interval = f"{100 * summary['level']:g} % interval"
    table = _table("", "estimate", interval, "truth", "", numbers=("estimate", interval, "truth"))
    for name, meaning in MEASURES.items():
        estimate, low, high, truth = (_number(summary[column][name]) for column in COLUMNS)
        ends = "needs more labels" if summary["low"][name] is None else f"{low} to {high}"
        table.add_row(name.capitalize(), f"[bold]{estimate}[/]", ends, truth, f"[dim]{meaning}[/]")
    return table


def _spread(summary: dict[str, Any]) -> Table:
    table = _table("", "has a value", "typical error", numbers=("has a value", "typical error"))
    for method, name in METHODS.items():
        errors = summary["f1_errors"][method]
        table.add_row(name, f"{errors['defined']:.0%}", _number(errors["rmse"]))
    return table


def _table(*names: str, numbers: Sequence[str] = ()) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 3, 0, 0))
    for name in names:
        table.add_column(name, justify="right" if name in numbers else "left")
    return table


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
