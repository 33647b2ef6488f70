"""Records are fetched for the pairs that are drawn, from any source, and from one table or two."""

import duckdb
import pyarrow as pa
import pytest

from qanat.errors import BadInput
from qanat.pool.order import Pair
from qanat.pool.records import open_records

LEFT = {"id": [1, 2, 3], "name": ["Ann", "O'Neil", None], "born": [1980, 1990, 2000]}
RIGHT = {"id": ["a", "b'c"], "name": ["Anne", "Zoë"]}
PAIRS = [Pair("2", "b'c"), Pair("3", "a"), Pair("2", "a")]


def saved(folder, name, columns, ending):
    """Write columns to a file of this kind and return its path."""
    path = folder / f"{name}.{ending}"
    with duckdb.connect() as connection:
        connection.register("columns", pa.table(columns))
        connection.execute(f"COPY columns TO '{path}'")
    return path


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_fields_come_in_the_order_of_the_pairs(tmp_path, ending):
    """Both records of every pair, with all their fields as text, a missing one as none."""
    records = open_records(saved(tmp_path, "left", LEFT, ending), saved(tmp_path, "right", RIGHT, ending))
    found = records.of(PAIRS)
    assert [(left["id"], right["id"]) for left, right in found] == [tuple(pair) for pair in PAIRS]
    assert found[0] == ({"id": "2", "name": "O'Neil", "born": "1990"}, {"id": "b'c", "name": "Zoë"})
    assert found[1][0]["name"] in {None, ""}
    assert records.of([]) == []


def test_one_table_has_both_records(tmp_path):
    """Pairs within one table are fetched from it."""
    records = open_records(pa.table(LEFT))
    assert [left["name"] for left, _ in records.of([Pair("1", "2")])] == ["Ann"]
    assert [right["name"] for _, right in records.of([Pair("1", "2")])] == ["O'Neil"]


@pytest.mark.parametrize(
    ("left", "pairs", "message"),
    [
        (LEFT, [Pair("9", "1"), Pair("8", "1")], "has no record '8', nor 1 others that the pairs name"),
        ({"key": ["1"]}, [], "has no column 'id' for the ids of its records"),
        ({"id": ["1", "1"]}, [Pair("1", "1")], "has an id several times: expected each once"),
    ],
)
def test_what_is_wrong_is_one_line(left, pairs, message):
    """Ids without a record, tables without ids, and ids of several records are refused."""
    with pytest.raises(BadInput, match=message) as refused:
        open_records(pa.table(left)).of(pairs)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_told(tmp_path):
    """The line says that records were expected."""
    with pytest.raises(BadInput, match="expected records in"):
        open_records(tmp_path / "nowhere.csv")
