"""A file gives the columns that were written to it, to the last row and bit, in any format."""

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from qanat import BadInput, open_pool
from qanat.pool.on_duckdb import read_columns

FORMATS = ("pairs.csv", "pairs.csv.gz", "pairs.parquet")
TABLES = ("pairs.csv", "pairs.csv.gz")
# The types of a CSV's columns can be guessed from its first 20,480 rows: this many are beyond the guess.
MANY = 25_000


def written(folder: Path, name: str, columns: dict[str, Any]) -> Path:
    """Write the columns as the suffix of the name says, and return where."""
    path = folder / name
    if name.lower().endswith(".parquet"):
        write_parquet(path, columns)
    elif name.lower().endswith(".gz"):
        path.write_bytes(gzip.compress(as_csv(columns).encode()))
    else:
        path.write_text(as_csv(columns))
    return path


def as_csv(columns: dict[str, Any]) -> str:
    """Return the columns as CSV with a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(np.asarray(values).tolist() for values in columns.values()), strict=True))
    return text.getvalue()


def write_parquet(path: Path, columns: dict[str, Any]) -> None:
    """Write the columns as Parquet in many row groups, each column with the type of its array."""
    arrays = {f"c{i}": np.asarray(values) for i, values in enumerate(columns.values())}
    names = ", ".join(
        f"""{old} AS "{new.replace('"', '""')}" """ for old, new in zip(arrays, columns, strict=True)
    )
    with duckdb.connect() as connection:
        connection.register("arrays", arrays)
        connection.sql(f"SELECT {names} FROM arrays").write_parquet(str(path), row_group_size=2048)


@pytest.mark.parametrize("name", FORMATS)
def test_rows_keep_their_order_and_numbers_their_bits(tmp_path: Path, name: str) -> None:
    """Every format gives the same arrays, in the order of the rows, of more rows than one batch holds."""
    n = 150_000
    score = np.random.Generator(np.random.Philox(key=1)).standard_normal(n)
    path = written(tmp_path, name, {"row": np.arange(n), "score": score, "match": score > 1})
    read = read_columns(path, ["score", "row", "match"])
    np.testing.assert_array_equal(read["score"], score)
    np.testing.assert_array_equal(read["row"], np.arange(n))
    np.testing.assert_array_equal(read["match"], score > 1)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "label",
    [
        np.array([1, 0, 0, 1], dtype=np.int64),
        np.array([1, 0, 0, 1], dtype=np.uint8),
        np.array([1.0, 0.0, 0.0, 1.0]),
        np.array([True, False, False, True]),
        np.array(["1", "0", "0", "1"], dtype=object),
        np.array(["True", "False", "False", "True"], dtype=object),
        np.array(["true", "false", "false", "true"], dtype=object),
    ],
    ids=["integers", "bytes", "floats", "booleans", "digits as text", "True as text", "true as text"],
)
def test_truth_values_may_be_written_in_many_ways(tmp_path: Path, name: str, label: Any) -> None:
    """0 and 1 as numbers, truth values or their names are the same labels."""
    path = written(tmp_path, name, {"score": [0.9, 0.1, 0.2, 0.8], "pred": [1, 0, 0, 1], "label": label})
    pool = open_pool(path, prediction="pred", label="label")
    assert pool.label is not None
    assert pool.label.tolist() == [True, False, False, True]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("column", ["a score", 'the "best" score', "it's", "select", "score;x", "Größe", "a,b"])
def test_columns_may_have_any_name(tmp_path: Path, name: str, column: str) -> None:
    """Spaces, quotes, keywords of SQL and foreign letters are parts of a name like others."""
    path = written(tmp_path, name, {"id": [7, 8], column: [0.25, 0.75]})
    assert open_pool(path, score=column, threshold=0.5).score.tolist() == [0.25, 0.75]


@pytest.mark.parametrize("name", FORMATS)
def test_integer_scores_are_read(tmp_path: Path, name: str) -> None:
    """A score counted in whole numbers is a score, negative ones included."""
    path = written(tmp_path, name, {"score": [-3, 0, 12, 1000]})
    assert open_pool(path, threshold=0).score.tolist() == [-3.0, 0.0, 12.0, 1000.0]


def test_float32_scores_become_the_same_numbers(tmp_path: Path) -> None:
    """A float of 32 bits is exactly a float of 64."""
    score = np.random.Generator(np.random.Philox(key=2)).random(1000).astype(np.float32)
    read = open_pool(written(tmp_path, "pairs.parquet", {"score": score}), threshold=0.5).score
    assert read.dtype == np.float64
    np.testing.assert_array_equal(read, score.astype(np.float64))


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("late", ["0.4", "1.7"])
def test_decimals_after_many_whole_numbers_are_not_rounded(tmp_path: Path, name: str, late: str) -> None:
    """A pool sorted by score begins with many zeros; the first decimal still counts as written."""
    path = written(tmp_path, name, {"score": ["0"] * MANY + [late], "pred": [1] * (MANY + 1)})
    assert open_pool(path, prediction="pred").score[-1] == float(late)


@pytest.mark.parametrize("late", ["0.4", "2"])
def test_a_late_value_that_is_no_label_is_refused(tmp_path: Path, late: str) -> None:
    """A label other than 0 or 1 is found in whatever row it is."""
    columns = {"score": [0.5] * (MANY + 1), "label": ["0"] * MANY + [late]}
    with pytest.raises(
        BadInput, match=rf"'label' has 1 wrong value, the first being {late}\S* in row {MANY + 1}"
    ):
        open_pool(written(tmp_path, "pairs.csv", columns), threshold=0.5, label="label")


def test_late_text_is_refused_with_its_row(tmp_path: Path) -> None:
    """A score that is text is shown with its row, wherever it is."""
    path = written(tmp_path, "pairs.csv", {"score": ["0.5"] * MANY + ["high"]})
    with pytest.raises(BadInput, match=rf"'score' has 1 .*'high' in row {MANY + 1}"):
        open_pool(path, threshold=0.5)


@pytest.mark.parametrize("name", TABLES)
def test_no_row_is_taken_for_a_comment(tmp_path: Path, name: str) -> None:
    """A row that begins with # is a pair like the others: an identifier may look so."""
    ids = [f"#{i}" if i % 2 else str(i) for i in range(100)]
    path = written(tmp_path, name, {"id": ids, "score": np.arange(100) / 100})
    np.testing.assert_array_equal(open_pool(path, threshold=0.5).score, np.arange(100) / 100)


@pytest.mark.parametrize("name", ["pairs[1].csv", "pairs*.csv", "pairs?.csv", "pairs[1].parquet"])
def test_a_file_name_is_no_pattern(tmp_path: Path, name: str) -> None:
    """Brackets, stars and question marks in a name mean themselves: no other file is read."""
    suffix = Path(name).suffix
    written(tmp_path, "pairs1" + suffix, {"score": [0.1, 0.2]})
    path = written(tmp_path, name, {"score": [0.7, 0.8, 0.9]})
    assert open_pool(path, threshold=0.5).score.tolist() == [0.7, 0.8, 0.9]


@pytest.mark.parametrize("name", FORMATS)
def test_the_name_of_a_folder_is_no_column(tmp_path: Path, name: str) -> None:
    """A folder called score=7 does not replace the scores of the files in it."""
    folder = tmp_path / "score=7"
    folder.mkdir()
    path = written(folder, name, {"score": [0.25, 0.75]})
    assert open_pool(path, threshold=0.5).score.tolist() == [0.25, 0.75]


@pytest.mark.parametrize("name", ["PAIRS.CSV", "Pairs.Csv.Gz", "PAIRS.PARQUET"])
def test_suffixes_may_be_capital(tmp_path: Path, name: str) -> None:
    """A suffix means the same in capital letters."""
    path = written(tmp_path, name, {"score": [0.25, 0.75]})
    assert open_pool(path, threshold=0.5).score.tolist() == [0.25, 0.75]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_columns_may_be_separated_otherwise(tmp_path: Path, delimiter: str) -> None:
    """Semicolons, tabs and bars separate columns as commas do."""
    path = tmp_path / "pairs.csv"
    path.write_text(as_csv({"score": [0.25, 0.75], "pred": [0, 1]}).replace(",", delimiter))
    assert open_pool(path, prediction="pred").prediction.tolist() == [False, True]


def test_commas_in_a_quoted_name_separate_nothing(tmp_path: Path) -> None:
    """What separates columns is seen outside of quotes."""
    path = tmp_path / "pairs.csv"
    path.write_text('"last, first, middle";score\nx;0.25\ny;0.75\n')
    assert open_pool(path, threshold=0.5).score.tolist() == [0.25, 0.75]


@pytest.mark.parametrize("header", ["score,,", "score,note,note", "score,Score,SCORE"])
@pytest.mark.parametrize("name", TABLES)
def test_only_the_names_of_the_columns_asked_for_must_differ(tmp_path: Path, name: str, header: str) -> None:
    """Columns without a name, as spreadsheets leave them, or with one name in two cases, do not matter."""
    content = f"{header}\n0.25,1,1\n0.75,2,2\n".encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert open_pool(path, threshold=0.5).score.tolist() == [0.25, 0.75]


def test_two_columns_of_the_name_asked_for_are_refused(tmp_path: Path) -> None:
    """Which of two columns is meant cannot be known."""
    path = tmp_path / "pairs.csv"
    path.write_text("score,score\n0.25,0.75\n")
    with pytest.raises(BadInput, match="2 columns 'score': expected one"):
        open_pool(path, threshold=0.5)


@pytest.mark.parametrize(
    "change", [("\n", "\r\n"), ("score", "\ufeffscore")], ids=["line ends", "byte order mark"]
)
def test_files_of_a_spreadsheet_are_read(tmp_path: Path, change: tuple[str, str]) -> None:
    """Line ends of two characters and a mark before the header are not part of the values."""
    path = tmp_path / "pairs.csv"
    path.write_bytes(as_csv({"score": [0.25, 0.75]}).replace(*change).encode())
    assert open_pool(path, threshold=0.5).score.tolist() == [0.25, 0.75]


def test_text_may_hold_commas_quotes_and_line_ends(tmp_path: Path) -> None:
    """Quoted text in other columns does not shift the scores."""
    names = ["Smith, Jane", 'the "Duke"', "two\nlines", "O'Neil"]
    path = written(tmp_path, "pairs.csv", {"name": names, "score": [0.1, 0.2, 0.3, 0.9]})
    assert open_pool(path, threshold=0.5).score.tolist() == [0.1, 0.2, 0.3, 0.9]


def test_columns_that_are_not_asked_for_do_not_matter(tmp_path: Path) -> None:
    """Missing values and text elsewhere are nobody's business."""
    path = written(tmp_path, "pairs.csv", {"note": ["", "x", "nan"], "score": [0.1, 0.2, 0.9]})
    assert len(open_pool(path, threshold=0.5)) == 3


def test_a_path_may_be_text_or_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path is taken as text, as a path, and from the folder one is in."""
    path = written(tmp_path, "pairs.csv", {"score": [0.25, 0.75]})
    monkeypatch.chdir(tmp_path)
    for given in (path, str(path), "pairs.csv", "./pairs.csv"):
        assert open_pool(given, threshold=0.5).score.tolist() == [0.25, 0.75]
