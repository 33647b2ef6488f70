"""Where a file of a dataset is: in a folder that the user names, in the cache, or at its public origin.

The environment says which: QANAT_DATA names a folder that has the files, and then nothing is fetched;
QANAT_CACHE names the folder that keeps what was fetched, else it is `qanat` among the user's caches.
No content is given out whose checksum is not the known one, and nothing half-written has a file's name.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import os
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import build_opener

from qanat.errors import BadInput

# Told the share that is done, from 0 to 1.
Progress = Callable[[float], None]
Convert = Callable[[Sequence[Path]], bytes]

TIMEOUT = 30.0  # seconds without a sign of life
PIECE = 1 << 16
_COPY_AGAIN = "Copy it again from where it came, or unset QANAT_DATA to have it fetched."
# What a converter raises that is given something other than it knows.
NOT_CONVERTED = (csv.Error, tarfile.TarError, zlib.error, EOFError, LookupError, OSError, TypeError, ValueError)


class NotFetched(BadInput):
    """Refuse to go on without a file that could not be had from its origin: try again, or name a folder."""


class Source(NamedTuple):
    """A file at the origin; `sha256` is of its own bytes, where it is known."""

    url: str
    sha256: str | None = None


class File(NamedTuple):
    """A file of a dataset: `sha256` is of its canonical content, uncompressed, that `convert` makes.

    `ready` refuses what would fail after the download.
    """

    path: str
    sha256: str
    sources: tuple[Source, ...]
    convert: Convert = lambda paths: paths[0].read_bytes()
    ready: Callable[[], object] = lambda: None


def contents(files: Mapping[str, File], names: Sequence[str], progress: Progress | None) -> list[bytes]:
    """Return the canonical content of the named files, fetched where they are not at hand."""
    told = progress or (lambda _: None)
    return [_content(files[name], _part(told, done=done, parts=len(names))) for done, name in enumerate(names)]


def cache() -> Path:
    """Return the folder that keeps what was fetched."""
    if named := os.environ.get("QANAT_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "qanat"


def _part(progress: Progress, *, done: int, parts: int) -> Progress:
    return lambda share: progress((done + share) / parts)


def _content(file: File, progress: Progress) -> bytes:
    named = os.environ.get("QANAT_DATA")
    content = _taken(Path(named), file) if named else _kept(file) or _fetched(file, progress)
    progress(1.0)
    return content


def _taken(folder: Path, file: File) -> bytes:
    """Return the content of a file in the folder named by the user, plain or gzipped."""
    path = _named(folder, file)
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"{path} cannot be read: {_reason(error)}. {_COPY_AGAIN}") from None
    if _sha256(content) != file.sha256:
        raise BadInput(
            f"{path} has the checksum (sha256) {_sha256(content)}, expected {file.sha256}. {_COPY_AGAIN}"
        )
    return content


def _named(folder: Path, file: File) -> Path:
    for name in (file.path, f"{file.path}.gz"):
        # Not exists(), which raises what it may not look at; that is told when it is read.
        if os.path.lexists(folder / name):
            return folder / name
    raise BadInput(
        f"QANAT_DATA is {folder}, which has neither {file.path} nor {file.path}.gz: "
        "put the file there, name another folder, or unset QANAT_DATA to have it fetched."
    )


def _kept(file: File) -> bytes | None:
    """Return the content that the cache keeps; nothing, if it was damaged, so that it is fetched again."""
    try:
        content = (cache() / file.path).read_bytes()
    except OSError:
        return None
    return content if _sha256(content) == file.sha256 else None


def _fetched(file: File, progress: Progress) -> bytes:
    """Return the content made from the origin, and keep it in the cache."""
    file.ready()
    with _cache_refused(file):
        cache().mkdir(parents=True, exist_ok=True)
        # A folder of its own for every attempt: two at once do not meet, and what is in it goes with it.
        with tempfile.TemporaryDirectory(dir=cache(), prefix=".fetching-") as folder:
            return _keep(file, _converted(file, _downloads(file, Path(folder), progress)), Path(folder))


def _downloads(file: File, folder: Path, progress: Progress) -> list[Path]:
    paths = [folder / str(number) for number in range(len(file.sources))]
    for number, (source, path) in enumerate(zip(file.sources, paths, strict=True)):
        _download(file, source, path, _part(progress, done=number, parts=len(paths)))
    return paths


def _download(file: File, source: Source, path: Path, progress: Progress) -> None:
    """Write what the origin sends to `path`, piece by piece, and refuse it if it is not whole."""
    digest = hashlib.sha256()
    with path.open("wb") as target:
        for piece, share in _pieces(file, source.url):
            target.write(piece)
            digest.update(piece)
            progress(share)
    if source.sha256 not in (None, digest.hexdigest()):
        raise NotFetched(
            f"{source.url} has the checksum (sha256) {digest.hexdigest()}, expected {source.sha256}. "
            f"Try again, or set {_folder(file)}"
        )


def _pieces(file: File, url: str) -> Iterator[tuple[bytes, float]]:
    """Yield what the origin sends, and the share of its announced length that this completes."""
    try:
        with build_opener().open(url, timeout=TIMEOUT) as answer:
            got, size = 0, _announced(answer)
            while piece := answer.read(PIECE):
                got += len(piece)
                yield piece, min(got / size, 1.0) if size else 0.0
    except HTTPError as error:
        error.close()
        raise NotFetched(
            f"{url} answers {error.code} {error.reason}, expected a file. Set {_folder(file)}"
        ) from None
    except (OSError, HTTPException, ValueError) as error:
        raise NotFetched(f"{url} cannot be read: {_reason(error)}. Try again, or set {_folder(file)}") from None
    if got < size:
        raise NotFetched(f"{url} ended after {got} of {size} bytes. Try again, or set {_folder(file)}")


def _announced(answer: HTTPResponse) -> int:
    """Return the length that the origin announces, 0 if it does not."""
    return int(answer.headers.get("Content-Length") or 0)


def _converted(file: File, paths: list[Path]) -> bytes:
    urls = " and ".join(source.url for source in file.sources)
    try:
        content = file.convert(paths)
    except NOT_CONVERTED as error:
        raise NotFetched(f"{urls} is not what it was: {_reason(error)}. Set {_folder(file)}") from None
    if _sha256(content) != file.sha256:
        raise NotFetched(
            f"{file.path}, made from {urls}, has the checksum (sha256) {_sha256(content)}, "
            f"expected {file.sha256}. Set {_folder(file)}"
        )
    return content


def _keep(file: File, content: bytes, folder: Path) -> bytes:
    """Put the whole content under its name at once, over what another process may have put there."""
    (folder / "whole").write_bytes(content)
    path = cache() / file.path
    path.parent.mkdir(exist_ok=True)
    (folder / "whole").replace(path)
    return content


@contextmanager
def _cache_refused(file: File) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotFetched(
            f"The cache folder {cache()} cannot be written: {_reason(error)}. Set QANAT_CACHE to a folder that "
            f"can, with room for {file.path}, or QANAT_DATA to a folder that has it."
        ) from None


def _folder(file: File) -> str:
    return f"QANAT_DATA to a folder that has {file.path}."


def _reason(error: BaseException) -> str:
    """Return what went wrong in one line."""
    said = error.reason if isinstance(error, URLError) else error
    return " ".join(str(said).split()) or type(said).__name__


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
