"""The published datasets by name: what each is, and its files for whoever wants them as files."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from qanat.datasets.origin import File, Progress, contents
from qanat.errors import BadInput, BadSetting, nearest

NAMES = ("abt_buy", "amazon_google", "cora", "dblp_acm", "restaurant", "tweets100k")


class Entry(NamedTuple):
    """What a dataset is, where it is from, on which terms, and its files by name."""

    name: str
    what: str
    origin: str
    licence: str
    files: dict[str, File]


def entry(name: str) -> Entry:
    """Return the dataset of this name.

    >>> entry("cora").what
    'Cora: 1,295 citations of articles on computer science, with 17,184 pairs that cite the same one.'
    """
    if name not in NAMES:
        raise BadSetting(f"There is no dataset {name!r}. {nearest(name, list(NAMES))}")
    module = import_module(f"qanat.datasets.{name}")
    return Entry(name, str(module.__doc__).partition("\n")[0], module.ORIGIN, module.LICENCE, module.FILES)


def save(name: str, folder: Path, progress: Progress | None = None) -> list[Path]:
    """Write the files of a dataset into a folder, which is made if need be, and return their paths."""
    files = entry(name).files
    written = contents(files, list(files), progress)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in zip(files, written, strict=True):
            # Under its own name there is only ever a whole file.
            if (folder / file).exists() and (folder / file).read_bytes() != content:
                raise BadInput(f"{folder / file} is there and is not that of {name}: name another folder.")
            part = folder / f".{file}.part"
            part.write_bytes(content)
            part.replace(folder / file)
    except OSError as error:
        raise BadInput(f"{folder} cannot be written ({error.strerror}): name a folder that can.") from None
    return [folder / file for file in files]
