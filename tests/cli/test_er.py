"""qanat er on files: what it prints and writes, and what it says of bad ones."""

import csv
import json

import duckdb
import pytest

from qanat.cli import run
from qanat.cli.er import CLASSIFIERS
from qanat.datasets.people import people
from qanat.er import classifiers

PEOPLE = people(seed=5, left=60, right=60)


@pytest.fixture
def folder(tmp_path):
    """Return a folder with two tables and their matches."""
    for name, table in (("left", PEOPLE.left), ("right", PEOPLE.right)):
        rows = [(f"{name}{i}", *person) for i, person in enumerate(table)]
        write(tmp_path / f"{name}.csv", [("id", *table[0]._fields), *rows])
    matches = [(f"left{i}", f"right{j}") for i, j in PEOPLE.matches.tolist()]
    write(tmp_path / "matches.csv", [("left_id", "right_id"), *matches])
    return tmp_path


def write(path, rows):
    """Write rows as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def er(folder, *options, tables=("left.csv", "right.csv")):
    """Return the exit status of the command on tables of the folder."""
    paths = [str(folder / table) for table in tables]
    return run(["er", *paths, "--out", str(folder / "pool.parquet"), *options])


def test_a_pool_is_written_and_described(folder, capsys):
    """The lines say what was compared, what scored it, and how good it is; the file opens as a pool."""
    assert er(folder, "--truth", str(folder / "matches.csv"), "--classifier", "logistic") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "compared: given_name=short, family_name=short, birth_date=short, town=short"
    assert lines[1].startswith("score: logistic, trained on 3,600 of the pairs with 36 matches")
    assert "3,600 pairs" in lines[2]
    assert "36 matches: precision" in lines[2]
    assert (
        run(
            [
                "simulate",
                str(folder / "pool.parquet"),
                "--prediction",
                "prediction",
                "--runs",
                "2",
                "--budget",
                "10",
            ]
        )
        == 0
    )


def test_json_has_what_the_lines_say(folder, capsys):
    """One object with the counts, the shares and the file."""
    options = ("--truth", str(folder / "matches.csv"), "--neighbours", "4", "--json")
    assert er(folder, *options) == 0
    told = json.loads(capsys.readouterr().out)
    with duckdb.connect() as connection:
        pairs, called, found = connection.sql(
            f"SELECT count(*), count_if(prediction), count_if(prediction AND label) FROM '{told['out']}'"
        ).fetchall()[0]
    assert (told["pairs"], told["predicted"], told["found"]) == (pairs, called, found)
    assert told["precision"] == pytest.approx(found / called)
    assert told["matches"] <= told["known"] == 36


def test_one_table_without_truth(folder, capsys):
    """Duplicates within one table; nothing is claimed where the truth is not known."""
    assert er(folder, "--field", "town", tables=("left.csv",)) == 0
    out = capsys.readouterr().out
    assert "compared: town=short; left out: given_name, family_name, birth_date" in out
    assert "1,770 pairs" in out
    assert "the truth is not known" in out


def bad_files(folder):
    """Return ways to be wrong: options, tables, and what the line says."""
    (folder / "empty.csv").write_text("")
    (folder / "header.csv").write_text("id,town\n")
    (folder / "latin.csv").write_bytes("id,town\n1,Z\xfcrich\n".encode("latin-1"))
    (folder / "twice.csv").write_text("id,town\n1,Bern\n1,Rome\n")
    (folder / "three.csv").write_text("id,town,age\n1,Bern,2\n")
    (folder / "two.csv").write_text("a,b\nleft1,right1\n")
    (folder / "labels.csv").write_text("left_id,right_id,label\nleft1,right1,perhaps\n")
    (folder / "selves.csv").write_text("left_id,right_id\nleft1,left1\n")
    (folder / "unknown.csv").write_text("left_id,right_id\nleft1,right999\n")
    (folder / "other.csv").write_text("id,city\nx,Bern\n")
    truth = ("--truth", str(folder / "matches.csv"))
    return {
        "no file": ((), ("nowhere.csv",), "nowhere.csv: expected records in .csv, .csv.gz, .parquet or .jsonl"),
        "no field": (("--field", "city"), ("left.csv", "right.csv"), "left.csv table has no field 'city'"),
        "no common field": ((), ("left.csv", "other.csv"), "other.csv table id, city: expected one in both"),
        "no id": (("--id", "key"), ("left.csv",), "The left.csv table has no column 'key' for the ids"),
        "duplicate ids": (
            (),
            ("twice.csv",),
            "The twice.csv table has 1 repeated ids, the first being '1' in rows 1 and 2",
        ),
        "empty": ((), ("empty.csv",), "empty.csv is empty: expected a header and rows of records"),
        "header only": (
            (),
            ("left.csv", "header.csv"),
            "The header.csv table is empty: expected at least one record",
        ),
        "no UTF-8": ((), ("latin.csv",), "latin.csv cannot be read as csv"),
        "unknown ids": (
            ("--truth", str(folder / "unknown.csv")),
            ("left.csv", "right.csv"),
            "The truth names 1 id that the right.csv table does not have, the first being 'right999'",
        ),
        "truth of three columns": (
            ("--truth", str(folder / "three.csv")),
            ("left.csv", "right.csv"),
            "three.csv has the columns id, town, age: expected left_id and right_id",
        ),
        "truth by position": (
            ("--truth", str(folder / "two.csv")),
            ("left.csv", "right.csv"),
            "two.csv has the columns a, b: expected left_id and right_id",
        ),
        "truth with a wrong label": (
            ("--truth", str(folder / "labels.csv")),
            ("left.csv", "right.csv"),
            "labels.csv has the label 'perhaps': expected 1 for a match and 0 for another pair",
        ),
        "truth of selves": (
            ("--truth", str(folder / "selves.csv")),
            ("left.csv",),
            "The truth has pairs of a record with itself only: expected pairs of two records",
        ),
        "tables changed over": (truth, ("right.csv", "left.csv"), "Check the order of the columns"),
        "too few matches": (
            (*truth, "--training", "5"),
            ("left.csv", "right.csv"),
            "5 pairs drawn for training hold",
        ),
        "block": (("--block", "city"), ("left.csv",), "no field 'city'"),
    }


@pytest.mark.parametrize(
    "case",
    [
        "no file", "no field", "no common field", "no id", "duplicate ids", "empty", "header only", "no UTF-8",
        "unknown ids", "truth of three columns", "truth by position", "truth with a wrong label",
        "truth of selves", "tables changed over", "too few matches", "block",
    ],
)  # fmt: skip
def test_bad_input_is_one_line(folder, capsys, case):
    """Exit status 2, one line on standard error that says what is wrong, and no file."""
    options, tables, message = bad_files(folder)[case]
    assert er(folder, *options, tables=tables) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert message in told.err
    assert not list(folder.glob("*.parquet"))


def test_the_option_names_every_classifier():
    """The command line, which does not wait for scikit-learn, offers the classifiers that there are."""
    assert tuple(classifiers.CLASSIFIERS) == CLASSIFIERS


def test_labelled_pairs_are_a_truth(folder, capsys):
    """In a file with a column label the matches are the pairs with 1, the others are none."""
    rows = (folder / "matches.csv").read_text().splitlines()
    (folder / "labels.csv").write_text(
        "\n".join([f"{rows[0]},label", *(f"{row},1" for row in rows[1:]), "left0,right0,0"])
    )
    told = []
    for name in ("matches.csv", "labels.csv"):
        assert er(folder, "--truth", str(folder / name), "--json") == 0
        told.append(json.loads(capsys.readouterr().out) | {"out": ""})
    assert told[0] == told[1]


def test_the_truth_is_not_compared(folder, capsys):
    """Columns named cluster or label hold the truth and are left out, unless they are asked for."""
    table = (folder / "left.csv").read_text().splitlines()
    (folder / "left.csv").write_text(
        "\n".join([f"{table[0]},cluster", *(f"{row},{i}" for i, row in enumerate(table[1:]))])
    )
    assert er(folder, tables=("left.csv",)) == 0
    assert "left out: cluster" in capsys.readouterr().out
    assert er(folder, "--field", "cluster", tables=("left.csv",)) == 0
    assert "compared: cluster=number" in capsys.readouterr().out


def test_the_output_must_be_a_parquet_file_in_a_folder(folder, capsys):
    """Another ending or a folder that is not there is refused, and nothing is compared."""
    table = str(folder / "left.csv")
    assert run(["er", table, "--out", str(folder / "pool.csv")]) == 2
    assert "pool.csv does not end in .parquet" in capsys.readouterr().err
    assert run(["er", table, "--out", str(folder / "no" / "pool.parquet")]) == 2
    assert "There is no folder" in capsys.readouterr().err
