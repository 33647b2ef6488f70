"""From the forms of the origins to the canonical one, and from that to tables and columns."""

import csv
import hashlib
import io
import subprocess
import sys
from pathlib import Path
from typing import Literal

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qanat
from qanat.datasets import amazon_google, base, conversion, cora, hdf5, restaurant
from qanat.datasets.people import people, tables

IMPORTED = """
import sys
from qanat.datasets import abt_buy, amazon_google, cora, dblp_acm, products, restaurant, tweets100k
print(*{"h5py", "click", "rich", "scipy", "sklearn"} & set(sys.modules))
"""
# Python below 3.13 leaves a carriage return unquoted; no value of ours has one.
values = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"))
latin1_values = st.text(st.characters(codec="latin-1", exclude_characters="\0\r\n"))


@given(st.lists(st.tuples(values, values)))
def test_canonical_csv_keeps_every_value(rows: list[tuple[str, str]]) -> None:
    """Commas, quotes, line ends and blanks within a value come back as they went in."""
    found = base.records(conversion.canonical(["id", "name"], rows))
    assert list(zip(found["id"], found["name"], strict=True)) == rows


@given(
    rows=st.lists(st.tuples(latin1_values, latin1_values)),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_latin1_csv_keeps_every_value(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], quoting: Literal[0, 1]
) -> None:
    """However much the origin quotes, and whatever its header is called, the values stay."""
    path = tmp_path_factory.getbasetemp() / "latin1.csv"
    with path.open("w", encoding="latin-1", newline="") as file:
        csv.writer(file, quoting=quoting).writerows([("idAbt", "idBuy"), *rows])
    header = ("left_id", "right_id")
    assert conversion.latin1([path], header=header) == conversion.canonical(header, rows)


def test_bars_separate_and_quotes_do_not(tmp_path: Path) -> None:
    """A value that begins with a quote is not taken for a quoted one."""
    (tmp_path / "bars").write_text('0|"so" they said|\n1|\'a, b||\n')
    assert conversion.bar_separated(tmp_path / "bars") == [["0", '"so" they said', ""], ["1", "'a, b", "", ""]]


def test_matches_are_sorted_as_numbers(tmp_path: Path) -> None:
    """Ten comes after nine, and the last line needs no end."""
    (tmp_path / "pairs").write_text("10|11\n9|10\n9|2")
    assert conversion.matches([tmp_path / "pairs"]) == b"left_id,right_id\n9,2\n9,10\n10,11\n"


def test_restaurants_get_their_cluster(tmp_path: Path) -> None:
    """The two copies are joined row by row: one has the phones, the other says who is who."""
    (tmp_path / "0").write_text(
        "id|name|addr|phone|city|type\n0|art's|1 st., w.|1|la|a\n1|art's deli|1 st.|2|la|b\n"
    )
    (tmp_path / "1").write_text(
        "name,address,city,cuisine,unique_id\n"
        '"art\'s", "1 st., w.", "la", "a", \'0\'\n"art\'s deli", "1 st.", "la", "b", \'0\'\n'
    )
    content = restaurant._records([tmp_path / "0", tmp_path / "1"])
    assert content.decode().splitlines() == [
        "id,name,addr,phone,city,type,cluster",
        '0,art\'s,"1 st., w.",1,la,a,0',
        "1,art's deli,1 st.,2,la,b,0",
    ]


def test_citations_get_their_cluster(tmp_path: Path) -> None:
    """The cluster is the smallest id of those that match, or the id of one that has no match."""
    (tmp_path / "0").write_text("Entity Id|title|\n0|a|\n1|b|\n2|a|\n3|a.|\n")
    (tmp_path / "1").write_text("2|3\n0|3\n0|2\n")
    content = cora._records([tmp_path / "0", tmp_path / "1"])
    assert content == b"id,title,cluster\n0,a,0\n1,b,1\n2,a,0\n3,a.,0\n"


def test_nobody_is_told_the_truth_with_the_records() -> None:
    """A table of one source comes without its column of clusters."""
    read = base.deduplicated(b"id,name,cluster\n0,a,0\n1,a.,0\n", b"left_id,right_id\n0,1\n")
    assert read == base.Tables({"id": ["0", "1"], "name": ["a", "a."]}, None, [("0", "1")])


def test_columns_have_their_kinds() -> None:
    """Rows are int64, ids text, answers bool and all else float64, in a pool of one pair too."""
    header = "id,left_id,right_id,left_row,right_row,label,pred,score,prob,f1"
    read = base.columns(f"{header}\n1,007,x,4,5,1,0,1e-300,0.1,3\n".encode())
    assert {name: (kind.dtype.kind, kind.tolist()) for name, kind in read.items()} == {
        "id": ("i", [1]),
        "left_id": ("U", ["007"]),
        "right_id": ("U", ["x"]),
        "left_row": ("i", [4]),
        "right_row": ("i", [5]),
        "label": ("b", [True]),
        "pred": ("b", [False]),
        "score": ("f", [1e-300]),
        "prob": ("f", [0.1]),
        "f1": ("f", [3.0]),
    }


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_scores_keep_every_digit(scores: list[float]) -> None:
    """A score written and read is the same number."""
    content = conversion.canonical(["label", "score"], [(1, score) for score in scores])
    assert np.array_equal(base.columns(content)["score"], scores)


def test_columns_are_a_pool() -> None:
    """What is read is what open_pool takes."""
    read = base.columns(b"left_id,right_id,label,pred,score\n1,2,1,1,0.5\n1,3,0,0,-0.5\n")
    pool = qanat.open_pool(read, prediction="pred", label="label")
    assert pool.prediction.tolist() == [True, False]


def test_people_have_the_form_of_the_other_datasets() -> None:
    """Every person is in a table, under the id that the matches name."""
    two = people(left=30, right=40)
    made = tables(two)
    assert made.right is not None
    assert made.left["id"] == [str(row) for row in range(30)]
    assert made.left["town"] == [person.town for person in two.left]
    assert made.right["given_name"] == [person.given_name for person in two.right]
    assert made.matches == [(str(a), str(b)) for a, b in two.matches.tolist()]


def test_a_pool_in_hdf5_becomes_columns(tmp_path: Path) -> None:
    """The arrays get the names and the order of a pool; numbers keep every digit."""
    arrays = {"scores": [0.1, -1 / 3], "labels": [1.0, 0.0], "preds": [1, 0], "features": [[1, 0.5], [0, 2]]}
    with h5py.File(tmp_path / "pool.h5", "w") as file:
        for name, found in arrays.items():
            file[name] = found
    assert hdf5.published("pool.h5", "some/pool.csv", "").convert([tmp_path / "pool.h5"]) == (
        b"label,pred,score,f1,f2\n1,1,0.1,1.0,0.5\n0,0,-0.3333333333333333,0.0,2.0\n"
    )


def test_ids_in_hdf5_become_rows(tmp_path: Path) -> None:
    """A pool that names its records gets the rows where the two tables have them."""
    (tmp_path / "left").write_bytes('"id","title"\r\n"b1","a"\r\n"b2","ü"\r\n'.encode("latin-1"))
    (tmp_path / "right").write_bytes(b'"id","name"\n"http://1",a\n"http://2",b\n')
    assert amazon_google._rows(tmp_path / "left", [b"b2", b"b1"]) == [1, 0]
    with pytest.raises(KeyError):
        amazon_google._rows(tmp_path / "right", [b"b1"])


def test_hdf5_is_read_from_memory() -> None:
    """A file inside an archive need not be unpacked to the disk."""
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        file["scores"] = [0.5]
    assert hdf5.arrays(memory)["scores"].tolist() == [0.5]


def test_h5py_is_imported_only_to_read_hdf5() -> None:
    """Who has the files in CSV needs none of the optional libraries."""
    done = subprocess.run([sys.executable, "-c", IMPORTED], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []


@pytest.mark.datasets
def test_every_file_is_canonical(datasets: Path) -> None:
    """The files of the folder are what our writer makes of their rows, to the last byte."""
    for path in sorted(datasets.glob("*/[lrm]*.csv")):
        content = path.read_bytes()
        header, *rows = csv.reader(io.StringIO(content.decode(), newline=""))
        written = conversion.canonical(header, rows)
        assert hashlib.sha256(written).digest() == hashlib.sha256(content).digest(), path
