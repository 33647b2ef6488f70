"""What is fetched and kept, and what is said of a file that cannot be had."""

import hashlib
import socket
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from qanat import QanatError
from qanat.datasets import conversion, hdf5, origin
from qanat.datasets.origin import File, NotFetched, Source, contents
from qanat.errors import BadInput, NotInstalled

ROWS = "".join(f"{row},Müller {row}\n" for row in range(20_000))
CANONICAL = f"id,name\n{ROWS}".encode()
PUBLISHED = f'"No";"Name"\r\n{ROWS}'.replace(";", ",").encode("latin-1")
PATH = "/some/Published.csv"
URL = f"http://somewhere{PATH}"
FILES = {
    "left.csv": File(
        "some/left.csv",
        hashlib.sha256(CANONICAL).hexdigest(),
        (Source(URL, hashlib.sha256(PUBLISHED).hexdigest()),),
        partial(conversion.latin1, header=("id", "name")),
    )
}


def get(files: dict[str, File], progress: Callable[[float], None] | None = None) -> bytes:
    """Return the content of the one file."""
    (content,) = contents(files, ["left.csv"], progress)
    return content


def only(files: dict[str, File], **changes: Any) -> dict[str, File]:
    """Return the one file with some of its facts changed."""
    return {"left.csv": files["left.csv"]._replace(**changes)}


def refusal(files: dict[str, File]) -> str:
    """Return what is said of a file that cannot be had; it is one line that says what to do."""
    with pytest.raises(QanatError) as refused:
        get(files)
    said = str(refused.value)
    assert "\n" not in said
    assert "QANAT_DATA" in said
    assert "some/left.csv" in said
    return said


def left_in(folder: Path) -> list[Path]:
    """Return the files that are in a folder."""
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.fixture
def files(origin: Any) -> dict[str, File]:
    """Return the file at a server that has it."""
    origin.has[PATH] = PUBLISHED
    return dict(origin.serving(FILES))


def test_a_file_is_fetched_and_kept(files: dict[str, File], cache: Path) -> None:
    """What comes from the origin is given in its canonical form, and that is all the cache has."""
    assert get(files) == CANONICAL
    assert left_in(cache) == [cache / "some" / "left.csv"]
    assert (cache / "some" / "left.csv").read_bytes() == CANONICAL


def test_the_second_time_the_origin_is_not_asked(files: dict[str, File], cache: Path, origin: Any) -> None:
    """One download serves for ever, also after the origin is gone."""
    get(files)
    del origin.has[PATH]
    assert get(files) == CANONICAL
    assert origin.asked == [PATH]


def test_a_damaged_copy_in_the_cache_is_fetched_again(files: dict[str, File], cache: Path, origin: Any) -> None:
    """A cache that somebody wrote into gives no wrong data."""
    get(files)
    (cache / "some" / "left.csv").write_bytes(CANONICAL[:-1])
    assert get(files) == CANONICAL
    assert len(origin.asked) == 2


@pytest.mark.parametrize("without_length", [False, True])
def test_progress_rises_to_one(
    files: dict[str, File], cache: Path, origin: Any, told: Any, without_length: bool
) -> None:
    """A bar never goes back and ends full, whether the length is announced, or the file is at hand."""
    origin.without_length = without_length
    get(files, told.shares.append)
    told.assert_whole()
    assert without_length or 0 < told.shares[0] < 1
    told.shares.clear()
    get(files, told.shares.append)
    assert told.shares == [1.0]


def test_progress_of_several_files_rises_to_one(files: dict[str, File], cache: Path, told: Any) -> None:
    """Two files share one bar."""
    both = {**files, "right.csv": files["left.csv"]._replace(path="some/right.csv")}
    assert contents(both, ["left.csv", "right.csv"], told.shares.append) == [CANONICAL, CANONICAL]
    told.assert_whole()
    assert 0.5 in told.shares


def test_a_truncated_download_is_refused(files: dict[str, File], cache: Path, origin: Any) -> None:
    """Fewer bytes than announced are no file."""
    origin.truncated = True
    got = len(PUBLISHED)
    assert f"{PATH} ended after {got} of {got + 1000} bytes. Try again, or set QANAT_DATA" in refusal(files)
    assert left_in(cache) == []


def test_another_file_at_the_origin_is_refused(files: dict[str, File], cache: Path, origin: Any) -> None:
    """The checksum of what was sent is held against the known one before anything reads it."""
    origin.has[PATH] = PUBLISHED + b"1,2\n"
    said = refusal(files)
    assert f"has the checksum (sha256) {hashlib.sha256(origin.has[PATH]).hexdigest()}" in said
    assert f"expected {FILES['left.csv'].sources[0].sha256}" in said
    assert left_in(cache) == []


def test_another_content_is_refused(files: dict[str, File], cache: Path, origin: Any) -> None:
    """Where only the result has a known checksum, a wrong result is not kept."""
    origin.has[PATH] = PUBLISHED + b"1,2\n"
    said = refusal(only(files, sources=(Source(origin.address + PATH),)))
    assert f"some/left.csv, made from {origin.address}{PATH}, has the checksum (sha256)" in said
    assert f"expected {FILES['left.csv'].sha256}" in said
    assert left_in(cache) == []


def raises(error: Exception, paths: Any) -> bytes:
    """Convert nothing."""
    raise error


@pytest.mark.parametrize(
    "error",
    [
        KeyError("labels"),
        OSError("file signature\nnot found"),
        ValueError("x"),
        tarfile.ReadError("x"),
        IndexError(),
    ],
)
def test_an_unknown_form_is_refused(files: dict[str, File], cache: Path, error: Exception) -> None:
    """A file of the origin that cannot be read as what it was is told in one line, not as a traceback."""
    assert f"{PATH} is not what it was: " in refusal(only(files, convert=partial(raises, error)))
    assert left_in(cache) == []


def test_a_file_that_is_gone_is_told(files: dict[str, File], cache: Path, origin: Any) -> None:
    """The answer 404 names the address and what to do."""
    del origin.has[PATH]
    assert refusal(files).startswith(
        f"{origin.address}{PATH} answers 404 Not Found, expected a file. Set QANAT_DATA"
    )
    assert left_in(cache) == []


def test_a_refused_connection_is_told(cache: Path) -> None:
    """Without a network, the address and the reason are named."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/gone"
    with pytest.raises(NotFetched) as refused:
        get(only(FILES, sources=(Source(url),)))
    assert str(refused.value).startswith(f"{url} cannot be read: [Errno")
    assert "refused. Try again, or set QANAT_DATA to a folder that has some/left.csv." in str(refused.value)


def test_a_silent_origin_is_given_up(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that takes the connection and says nothing does not keep a user for ever."""
    monkeypatch.setattr(origin, "TIMEOUT", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        began = time.monotonic()
        assert "timed out. Try again" in refusal(only(FILES, sources=(Source(url),)))
    assert time.monotonic() - began < 10


def test_a_cache_that_cannot_be_written_is_told(files: dict[str, File], cache: Path) -> None:
    """The folder, the reason and both ways out are named."""
    cache.write_text("a file where the folder should be")
    said = refusal(files)
    assert said.startswith(f"The cache folder {cache} cannot be written: [Errno 17] File exists")
    assert "Set QANAT_CACHE to a folder that can" in said


def test_a_full_disk_is_told(files: dict[str, File], cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No space is a matter of the cache, not of the origin, and nothing stays on the full disk."""

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert f"The cache folder {cache} cannot be written: [Errno 28] No space left" in refusal(files)
    assert left_in(cache) == []


def test_an_interrupted_download_leaves_nothing(files: dict[str, File], cache: Path) -> None:
    """Ctrl-C in the middle leaves no half file, and the next attempt succeeds."""

    def interrupt(share: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get(files, interrupt)
    assert left_in(cache) == []
    assert get(files) == CANONICAL


def test_two_at_once_do_no_harm(files: dict[str, File], cache: Path) -> None:
    """A second fetch of a file that starts and ends while the first is under way disturbs neither."""
    seen: list[float] = []

    def meanwhile(share: float) -> None:
        if share > 0.5 and not seen:
            seen.append(share)
            assert get(files) == CANONICAL

    assert get(files, meanwhile) == CANONICAL
    assert seen
    assert left_in(cache) == [cache / "some" / "left.csv"]


def test_processes_at_once_do_no_harm(files: dict[str, File], cache: Path) -> None:
    """Four processes that fetch a file at the same time all get it whole."""
    code = (
        "import sys; from functools import partial; from qanat.datasets import conversion, origin; "
        "file = origin.File('some/left.csv', sys.argv[1], (origin.Source(sys.argv[2]),), "
        "partial(conversion.latin1, header=('id', 'name'))); "
        "print(len(origin.contents({'x': file}, ['x'], None)[0]))"
    )
    file = files["left.csv"]
    command = [sys.executable, "-c", code, file.sha256, file.sources[0].url]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate(timeout=60)[0].strip() for process in running] == [str(len(CANONICAL))] * 4
    assert left_in(cache) == [cache / "some" / "left.csv"]


def test_a_missing_library_is_told_before_the_download(
    files: dict[str, File], cache: Path, origin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody downloads megabytes to learn then that h5py is not installed."""
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(NotInstalled, match=r"h5py is not installed.*qanat\[datasets\]"):
        get(only(files, ready=hdf5.library))
    assert origin.asked == []


def test_who_cannot_fetch_can_tell_it_from_wrong_data() -> None:
    """NotFetched is a BadInput: callers who do not care catch one class."""
    assert issubclass(NotFetched, BadInput)
