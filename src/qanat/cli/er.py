"""qanat er: a simple entity resolution, from one or two tables to a pool of scored pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qanat.cli.progress import progress_bar

if TYPE_CHECKING:
    from qanat.er import Summary

CLASSIFIERS = ("linear-svm", "logistic", "rbf-svm", "mlp", "adaboost")


@click.command(short_help="From one or two tables to a pool of scored pairs.")
@click.argument("left", type=click.Path(path_type=Path))
@click.argument("right", type=click.Path(path_type=Path), required=False)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Parquet file to write.")
@click.option(
    "--truth",
    type=click.Path(path_type=Path),
    help="Matches to learn from (CSV, Parquet): columns left_id, right_id, perhaps label (1, 0). Without it "
    "the score is the mean likeness of the fields.",
)
@click.option("--id", "id_column", default="id", show_default=True, help="Column of ids, in both tables.")
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME[:RIGHT][=KIND]",
    help="Compare this field; may be given again. RIGHT is its name in the right table; KIND is short "
    "(trigrams), long (words) or number.  [default: all that both tables have, but for cluster and label]",
)
@click.option("--classifier", type=click.Choice(CLASSIFIERS), default="linear-svm", show_default=True)
@click.option(
    "--training",
    type=int,
    default=100_000,
    show_default=True,
    help="Random pairs that the classifier learns from.",
)
@click.option(
    "--probabilities", is_flag=True, help="Scores are probabilities, calibrated five-fold, instead of margins."
)
@click.option("--block", metavar="NAME[:RIGHT]", help="Only pairs with equal values in this field.")
@click.option(
    "--neighbours", type=int, help="Only so many pairs for each record: those whose words are nearest."
)
@click.option("--sample", type=int, help="So many of the pairs, drawn at random.  [default: all]")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same pool.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def er(left: Path, right: Path | None, out: Path, truth: Path | None, as_json: bool, **options: Any) -> None:
    """Compare the records of LEFT and RIGHT, or those of LEFT with each other, and score every pair.

    LEFT and RIGHT are CSV, CSV.gz, Parquet or JSONL files with an id for each record. The pool that is written
    has the columns pair_id, left_id, right_id, score, prediction, the likeness in each field, and label if the
    truth is given.

    \b
    Example:
      qanat er abt.csv buy.csv --truth matches.csv --out pool.parquet
      qanat simulate pool.parquet --prediction prediction
    """
    summary = _written(left, right, out, truth, **options)
    if as_json:
        shares = {"precision": summary.precision, "recall": summary.recall, "f1": summary.f1}
        click.echo(json.dumps(summary._asdict() | shares | {"out": str(out)}, allow_nan=False))
    else:
        _show(summary, out)


def _written(left: Path, right: Path | None, out: Path, truth: Path | None, **options: Any) -> Summary:
    from qanat.er import Recipe, read_matches, read_records, write_pool

    _check_out(out)
    with progress_bar("comparing") as progress:
        return write_pool(
            out,
            read_records(left),
            None if right is None else read_records(right),
            truth=None if truth is None else read_matches(truth),
            recipe=Recipe(**options),
            names=(left.name, left.name if right is None else right.name),
            progress=progress,
        )


def _check_out(out: Path) -> None:
    if out.suffix.lower() != ".parquet":
        raise click.BadParameter(
            f"{out.name} does not end in .parquet, which is what is written.", param_hint="--out"
        )


def _show(summary: Summary, out: Path) -> None:
    click.echo(f"compared: {', '.join(summary.fields)}" + _left_out(summary))
    how = ", a match from 0.5 on"
    if summary.training:
        how = f", trained on {summary.training:,} of the pairs with {summary.training_matches:,} matches"
    click.echo(f"score: {summary.scorer}{how}")
    click.echo(f"{out}: {summary.pairs:,} pairs, {summary.predicted:,} predicted to match{_truth(summary)}")
    if summary.matches is not None and summary.known is not None and summary.matches < summary.known:
        click.echo(
            f"{summary.known - summary.matches:,} of the {summary.known:,} known matches are not among them"
        )


def _left_out(summary: Summary) -> str:
    return f"; left out: {', '.join(summary.left_out)}" if summary.left_out else ""


def _truth(summary: Summary) -> str:
    if summary.matches is None:
        return "; the truth is not known"
    shares = {"precision": summary.precision, "recall": summary.recall, "F1": summary.f1}
    told = ", ".join(
        f"{name} {'undefined' if value is None else f'{value:.3f}'}" for name, value in shares.items()
    )
    return f", {summary.matches:,} matches: {told}"
