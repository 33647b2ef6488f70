"""A folder that the user names, and where the cache is."""

import gzip
import hashlib
from pathlib import Path
from typing import Any

import pytest

from qanat.datasets import origin
from qanat.datasets.origin import File, Progress, Source, contents
from qanat.errors import BadInput

CANONICAL = b"id,name\n1,Ann\n2,Bo\n"
FILES = {
    "left.csv": File(
        "some/left.csv", hashlib.sha256(CANONICAL).hexdigest(), (Source("http://somewhere/left.csv"),)
    )
}


@pytest.fixture
def files(origin: Any) -> dict[str, File]:
    """Return the file at a server that has it."""
    origin.has["/left.csv"] = CANONICAL
    return dict(origin.serving(FILES))


def get(files: dict[str, File], progress: Progress | None = None) -> bytes:
    """Return the content of the one file."""
    (content,) = contents(files, ["left.csv"], progress)
    return content


def refusal(files: dict[str, File]) -> str:
    """Return what is said of a file that cannot be had."""
    with pytest.raises(BadInput) as refused:
        get(files)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def put(folder: Path, name: str, content: bytes) -> None:
    """Write a file where the dataset has it."""
    (folder / "some").mkdir(parents=True, exist_ok=True)
    (folder / "some" / name).write_bytes(content)


@pytest.mark.parametrize("packed", [False, True])
def test_a_named_folder_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: Any, packed: bool, told: Any
) -> None:
    """QANAT_DATA is taken plain or gzipped, and the origin is not asked."""
    name, content = ("left.csv.gz", gzip.compress(CANONICAL)) if packed else ("left.csv", CANONICAL)
    put(tmp_path, name, content)
    monkeypatch.setenv("QANAT_DATA", str(tmp_path))
    assert get(origin.serving(FILES), told.shares.append) == CANONICAL
    assert origin.asked == []
    assert told.shares == [1.0]


def test_a_named_folder_wins_over_the_cache(
    files: dict[str, File], cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that was named is looked at even if the cache has the file, and its lack is told."""
    get(files)
    monkeypatch.setenv("QANAT_DATA", str(tmp_path / "mine"))
    assert refusal(files) == (
        f"QANAT_DATA is {tmp_path / 'mine'}, which has neither some/left.csv nor some/left.csv.gz: "
        "put the file there, name another folder, or unset QANAT_DATA to have it fetched."
    )


def test_an_empty_name_is_no_folder(
    files: dict[str, File], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """QANAT_DATA set to nothing is not set."""
    monkeypatch.setenv("QANAT_DATA", "")
    assert get(files) == CANONICAL


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("left.csv", CANONICAL[:-1], "has the checksum (sha256)"),
        ("left.csv.gz", gzip.compress(CANONICAL + b"1,2\n", mtime=0), "has the checksum (sha256)"),
        ("left.csv.gz", gzip.compress(CANONICAL, mtime=0)[:-10], "cannot be read: "),
        ("left.csv.gz", CANONICAL, "cannot be read: Not a gzipped file"),
    ],
)
def test_a_damaged_file_in_a_named_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, said: str
) -> None:
    """A user's own copy that is not the known one is told by its path, not repaired behind their back."""
    put(tmp_path, name, content)
    monkeypatch.setenv("QANAT_DATA", str(tmp_path))
    refused = refusal(FILES)
    assert refused.startswith(f"{tmp_path / 'some' / name} {said}")
    assert refused.endswith("Copy it again from where it came, or unset QANAT_DATA to have it fetched.")


def test_the_cache_is_where_it_is_told_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """QANAT_CACHE, else the user's folder for caches, else the usual one."""
    monkeypatch.setenv("QANAT_CACHE", "mine")
    monkeypatch.setenv("XDG_CACHE_HOME", "caches")
    monkeypatch.setenv("HOME", "home")
    assert origin.cache() == Path("mine")
    monkeypatch.delenv("QANAT_CACHE")
    assert origin.cache() == Path("caches/qanat")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert origin.cache() == Path("home/.cache/qanat")
