"""qanat datasets: the paper's datasets, listed or written as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qanat.cli.progress import progress_bar

if TYPE_CHECKING:
    from qanat.datasets.catalogue import Entry


@click.command(short_help="The paper's datasets: list them, or write one as files.")
@click.argument("name", required=False)
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write to.  [default: NAME]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def datasets(name: str | None, out: Path | None, as_json: bool) -> None:
    """List the datasets, or write the files of the one called NAME: records, matches, the published pool.

    They come from the folder that QANAT_DATA names, or from their public origin, and are kept in a cache
    (QANAT_CACHE).

    \b
    Example:
      qanat datasets abt_buy
      qanat er abt_buy/left.csv abt_buy/right.csv --truth abt_buy/matches.csv --out pool.parquet
    """
    from qanat.datasets.catalogue import NAMES, entry

    if name is None:
        _list([entry(each) for each in NAMES], as_json=as_json)
    else:
        _save(entry(name), out or Path(name), as_json=as_json)


def _list(entries: list[Entry], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({each.name: _told(each) for each in entries}))
        return
    for each in entries:
        click.echo(f"{each.name}\n  {each.what.partition(': ')[2]}\n  {each.licence}")


def _save(chosen: Entry, folder: Path, *, as_json: bool) -> None:
    from qanat.datasets.catalogue import save

    with progress_bar(chosen.name) as progress:
        paths = save(chosen.name, folder, progress)
    if as_json:
        click.echo(json.dumps(_told(chosen) | {"files": [str(path) for path in paths]}))
        return
    click.echo("\n".join(f"{path}  {path.stat().st_size:,} bytes" for path in paths))
    click.echo(f"{chosen.what}\nOrigin: {chosen.origin}.\nTerms: {chosen.licence}")


def _told(chosen: Entry) -> dict[str, object]:
    return chosen._asdict() | {"files": list(chosen.files)}
