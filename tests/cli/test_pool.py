"""qanat pool describe: what it prints of any source."""

import json

import duckdb
import pytest

from qanat.cli import run
from qanat.testing.pool_laws import columns_of


@pytest.fixture
def pairs(tmp_path):
    """Return a Parquet file of pairs."""
    with duckdb.connect() as connection:
        connection.register("columns", columns_of("probabilities"))
        connection.table("columns").write_parquet(str(tmp_path / "pairs.parquet"))
    return str(tmp_path / "pairs.parquet")


def described(capsys, *arguments):
    """Return what the command prints."""
    assert run(["pool", "describe", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("engine", [(), ("--engine", "memory"), ("--engine", "duckdb")])
def test_counts_are_told_whatever_the_engine(capsys, pairs, engine):
    """Pairs, predictions, range and strata in one line, and a bar for every twentieth of the range."""
    columns = columns_of("probabilities")
    lines = described(capsys, pairs, *engine).splitlines()
    assert lines[0].startswith(
        f"{pairs}: 3,000 pairs, {columns['prediction'].sum()} predicted to match, scores from "
    )
    assert lines[1] == "columns: score = score; prediction = prediction; ids = left_id, right_id"
    assert lines[2].startswith("strata: ")
    assert len(lines) == 25
    assert sum(int(line.split()[1].replace(",", "")) for line in lines[5:]) == 3000
    assert lines[-1].endswith("█" * 40)


def test_json_has_every_count(capsys, pairs):
    """One object: facts, histogram and strata, which add up to the pool."""
    told = json.loads(described(capsys, pairs, "--json", "--strata", "12"))
    assert told["pairs"] == sum(told["histogram"]["pairs"]) == sum(told["strata"]["pairs"]) == 3000
    assert told["predicted"] == sum(told["histogram"]["predicted"]) == sum(told["strata"]["predicted"])
    assert len(told["strata"]["lowest"]) <= 12
    assert told["strata"]["lowest"][0] == told["lowest"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.parquet",), "There is no file nowhere.parquet"),
        (("{pairs}", "--score", "scores"), "has no column 'scores'. Did you mean 'score'?"),
        (
            ("{pairs}", "--left", "left_id"),
            "One column of ids is named: expected two, left and right, or neither",
        ),
        (("{pairs}", "--prediction", "score"), "expected 0 or 1 for each pair. Map its values first"),
        (("{pairs}", "--strata", "0"), "The setting strata is 0: expected at least 1"),
        (("{pairs}", "--engine", "postgres"), "The setting engine is 'postgres', but the pairs are in duckdb"),
        (("postgresql://127.0.0.1:1/base",), "no table is named: expected one"),
        (("{pairs}", "--table", "pairs"), "is no database, and has no tables: leave out the table"),
        (("{pairs}", "--left", "left_id", "--right", "left_id"), "One column of ids is named"),
    ],
)
def test_bad_input_is_one_line(capsys, pairs, arguments, message):
    """Exit status 2 and one line that says what to do."""
    given = [argument.format(pairs=pairs) for argument in arguments]
    assert run(["pool", "describe", *given]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert message in told.err


def test_what_was_repaired_is_told(capsys, tmp_path):
    """Rows that repeat a pair are refused when asked, or dropped and counted."""
    path = tmp_path / "pairs.csv"
    path.write_text("left_id,right_id,score\na,b,0.9\na,b,0.7\nb,a,0.3\na,c,0.1\n")
    assert run(["pool", "describe", str(path), "--threshold", "0.5", "--duplicates", "refuse"]) == 2
    assert "the pair a and b 2 times: expected each pair once" in capsys.readouterr().err
    kept = ("--threshold", "0.5", "--duplicates", "keep-highest")
    assert "3 pairs" in (told := described(capsys, str(path), *kept))
    assert "1 rows that repeat a pair were dropped" in told
    assert json.loads(described(capsys, str(path), *kept, "--one-table", "--json"))["dropped"] == 2


def test_columns_that_could_be_two_are_refused(capsys, tmp_path):
    """Two columns with names of scores: the line names both, and naming one helps."""
    path = tmp_path / "splink.csv"
    path.write_text("unique_id_l,unique_id_r,match_weight,match_probability\na,b,3.5,0.9\na,c,-8,0.01\n")
    assert run(["pool", "describe", str(path), "--threshold", "0"]) == 2
    assert "match_probability and match_weight may all be the scores: expected one" in capsys.readouterr().err
    told = described(capsys, str(path), "--threshold", "0", "--score", "match_weight", "--engine", "duckdb")
    assert "2 pairs, 1 predicted to match, scores from -8 to 3.5" in told


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("a,b,0.3\na,c,0.3\n", "2 pairs, 2 predicted to match, scores from 0.3 to 0.3"),
        ("a,b,0.3\n", "1 pairs, 1 predicted to match"),
        ("a,b,True\na,c,False\n", "2 pairs, 1 predicted to match, scores from 0 to 1"),
    ],
)
def test_odd_pools_are_described_alike(capsys, tmp_path, engine, rows, told):
    """Equal scores, one pair, truth values as scores: every engine says the same."""
    path = tmp_path / "pairs.csv"
    path.write_text(f"left_id,right_id,score\n{rows}")
    assert told in described(capsys, str(path), "--threshold", "0.3", "--engine", engine)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_an_empty_id_is_none(capsys, tmp_path, engine):
    """A pair without an id is refused, in a file whose empty values are text too."""
    path = tmp_path / "pairs.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT '' AS left_id, 'b' AS right_id, 0.5 AS score) TO '{path}'")
    assert run(["pool", "describe", str(path), "--threshold", "0.3", "--engine", engine]) == 2
    assert "id" in capsys.readouterr().err


def test_a_database_needs_a_table(capsys, tmp_path):
    """A DuckDB file without the name of a table is told what is missing."""
    duckdb.connect(str(tmp_path / "base.duckdb")).close()
    assert run(["pool", "describe", str(tmp_path / "base.duckdb"), "--threshold", "0.3"]) == 2
    assert "base.duckdb is a database: expected one of its tables. Name it" in capsys.readouterr().err


def test_two_rules_tell_the_least_number_of_matches(capsys, tmp_path):
    """Predicted matches are counted by rule; Chapman and Chao follow from what the rules have in common."""
    path = tmp_path / "pairs.csv"
    rows = [f"a{i},b{i},{0.9 if i < 90 else 0.1},{int(i % 10 != 0)},{int(i % 3 != 0)}" for i in range(120)]
    path.write_text("left_id,right_id,score,by_name,by_town\n" + "\n".join(rows))
    both = sum(i % 10 != 0 and i % 3 != 0 for i in range(90))
    told = json.loads(
        described(capsys, str(path), "--threshold", "0.5", "--rules", "by_name,by_town", "--json")
    )
    assert (told["rules"]["first"], told["rules"]["second"], told["rules"]["both"]) == (81, 60, both)
    assert told["rules"]["chapman"] == pytest.approx(82 * 61 / (both + 1) - 1)
    assert "at least" in described(capsys, str(path), "--threshold", "0.5", "--rules", "by_name,by_town")
    for rules, message in (
        ("by_name", "1 columns of rules: expected two"),
        ("by_name,town", "has no column 'town'"),
    ):
        assert run(["pool", "describe", str(path), "--threshold", "0.5", "--rules", rules]) == 2
        assert message in capsys.readouterr().err


def test_a_guess_that_is_not_our_name_is_told(capsys, tmp_path):
    """One line on standard error names the guessed columns, where another name was found than ours."""
    path = tmp_path / "pairs.csv"
    rows = "".join(f"a{i},b{i},{i / 400}\n" for i in range(400))
    path.write_text(f"id_l,id_r,match_probability\n{rows}")
    asked = ["plan", str(path), "--threshold", "0.9", "--half-width", "0.3", "--budget", "250"]
    assert run(asked) == 0
    assert capsys.readouterr().err == "columns: score = match_probability; ids = id_l, id_r\n"
    named = ["--score", "match_probability", "--left", "id_l", "--right", "id_r"]
    assert run([*asked, *named]) == 0
    assert capsys.readouterr().err == ""


BROKEN = {
    "cut short": ("pairs.parquet", lambda whole: whole[: len(whole) // 2], "cannot be read as parquet"),
    "a broken row": (
        "pairs.csv",
        lambda _: b"left_id,right_id,score\n" + b"a,b,0.5\n" * 3000 + b"a,b\n" + b"a,b,0.5\n" * 3000,
        "Line: 3002",
    ),
    "of the wrong type": (
        "pairs.csv",
        lambda _: b"left_id,right_id,score\na,b,high\na,c,low\n",
        "2 of 2 pairs without a score",
    ),
    "no UTF-8": ("pairs.csv", lambda _: b"left_id,right_id,score\nZ\xfcrich,b,0.5\n", "cannot be read as csv"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_is_one_line_of_the_engine_too(capsys, pairs, tmp_path, what):
    """A file that stays where it is is refused as one that is read: with the line where it breaks."""
    name, broken, message = BROKEN[what]
    path = tmp_path / f"broken-{name}"
    path.write_bytes(broken((tmp_path / "pairs.parquet").read_bytes()))
    assert run(["pool", "describe", str(path), "--threshold", "0.4", "--engine", "duckdb"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert message in told
