"""A file that is no pool ends the command in one line: what was found, and what is expected or to be done."""

import gzip
import re
from pathlib import Path

import duckdb
import pytest

from qanat.cli import run

HEADER = "score,pred,label\n"
GOOD = HEADER + "".join(f"{i / 200},{int(i >= 150)},{int(i >= 140)}\n" for i in range(200))
GUIDES = re.compile(r"expected|There are:|[Cc]heck|rename")


def refusal(capsys: pytest.CaptureFixture[str], path: str) -> str:
    """Return the line with which the file is refused, after checking that it is one, with status 2."""
    assert run(["simulate", path, "--prediction", "pred", "--budget", "20", "--runs", "3"]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"qanat: [^\n]+\n", error)
    assert GUIDES.search(error), f"no word on what was expected or what to do: {error}"
    return error


def file_of(folder: Path, content: str | bytes, name: str = "pairs.csv") -> str:
    """Write the content to a file and return its path."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def test_the_file_without_a_fault_is_taken(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The file that the others are made of is fine, so that what they are refused for is the fault."""
    path = file_of(tmp_path, GOOD)
    assert run(["simulate", path, "--prediction", "pred", "--budget", "20", "--runs", "3"]) == 0
    assert "200 pairs, 50 predicted to match, 60 matches" in capsys.readouterr().out


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A path at which there is nothing is shown."""
    assert "There is no file" in refusal(capsys, str(tmp_path / "nothing.csv"))


def test_a_folder_is_no_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A folder is refused, even if it is called like a file."""
    (tmp_path / "pairs.csv").mkdir()
    assert "There is no file" in refusal(capsys, str(tmp_path / "pairs.csv"))


def test_a_name_that_no_file_can_have_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A name too long for the file system, as a paste by mistake gives it, is no file."""
    assert "There is no file" in refusal(capsys, "a" * 5000 + ".csv")


@pytest.mark.parametrize("name", ["pairs.txt", "pairs", "pairs.csv.zip", "pairs.json"])
def test_an_unknown_suffix_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    """The formats that are read are named."""
    line = refusal(capsys, file_of(tmp_path, GOOD, name))
    assert f"{name} is none of .csv, .csv.gz, .parquet or .jsonl" in line


def test_a_file_without_a_header_shows_what_is_in_its_place(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Without a header there is no column of that name."""
    assert "has no column 'score'" in refusal(capsys, file_of(tmp_path, "0.1,1,0\n0.2,0,1\n"))


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.csv.gz", "pairs.parquet"])
def test_an_empty_file_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    """A file of no bytes is no pool."""
    refusal(capsys, file_of(tmp_path, b"", name))


@pytest.mark.parametrize("content", ["", "\n", "\n\n\n"])
def test_a_file_without_text_is_called_empty(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str
) -> None:
    """Nothing but line ends is nothing, packed or not."""
    packed = file_of(tmp_path, gzip.compress(content.encode()), "pairs.csv.gz")
    for path in (file_of(tmp_path, content), packed):
        assert "empty" in refusal(capsys, path)


@pytest.mark.parametrize("content", [HEADER, HEADER.strip()])
def test_a_header_alone_is_an_empty_pool(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str
) -> None:
    """A file with a header and no pair is refused as empty."""
    assert "The pool is empty" in refusal(capsys, file_of(tmp_path, content))


def test_a_torn_gzip_file_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A packed file cut short, in the header or after, or one that is not packed, is named as csv.gz."""
    packed = gzip.compress(GOOD.encode())
    for content in (packed[:12], packed[: len(packed) // 2], packed[:-9], GOOD.encode()):
        line = refusal(capsys, file_of(tmp_path, content, "pairs.csv.gz"))
        assert "cannot be read as csv.gz" in line


def test_a_torn_parquet_file_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A Parquet file cut short, damaged inside, or made of CSV is named as parquet."""
    path = tmp_path / "good.parquet"
    with duckdb.connect() as connection:
        connection.sql(
            "SELECT i / 100 AS score, i % 2 AS pred, 1 AS label FROM range(90) AS t(i)"
        ).write_parquet(str(path))
    good = path.read_bytes()
    damaged = good[:40] + bytes(160) + good[200:]
    for content in (good[: len(good) // 2], good[:-1], damaged, GOOD.encode()):
        line = refusal(capsys, file_of(tmp_path, content, "pairs.parquet"))
        assert "cannot be read as parquet" in line


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_file_in_another_encoding_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, encoding: str
) -> None:
    """A file that is not UTF-8 is refused as such."""
    content = "name,score,pred,label\n" + "café,0.9,1,1\n" * 3
    line = refusal(capsys, file_of(tmp_path, content.encode(encoding)))
    assert "utf-8" in line.lower()


@pytest.mark.parametrize("row", ["0.5,1\n", "0.5\n", "0.5,1,1,7\n", '"0.5,1,1\n'])
@pytest.mark.parametrize("at", [0, 200])
def test_a_row_with_other_columns_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, row: str, at: int
) -> None:
    """A row with too few or too many values, or an open quote, is named by its line in the file."""
    lines = GOOD.splitlines(keepends=True)
    content = "".join([*lines[: at + 1], row, *lines[at + 1 :]])
    line = refusal(capsys, file_of(tmp_path, content))
    assert re.search(rf"\b{at + 2}\b", line.partition("pairs.csv")[2]), line


@pytest.mark.parametrize("content", ["x" * 200_000 + "\n0.5\n", '{"pairs": [' + "0.5," * 2_000 + "]}"])
def test_a_file_of_something_else_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str
) -> None:
    """A long line without a header, as of JSON that is called CSV, is refused like any other file."""
    assert "pairs.csv" in refusal(capsys, file_of(tmp_path, content))
