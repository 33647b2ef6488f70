"""The published datasets: what their descriptions say of them, and that fetching them gives the same."""

import csv
import gzip
import hashlib
import importlib
import io
import shutil
import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import h5py
import numpy as np
import pytest

import qanat
from qanat.datasets import amazon_google, base, cora, dblp_acm, hdf5, restaurant, tweets100k
from qanat.datasets.origin import File, NotFetched

NAMES = ("abt_buy", "amazon_google", "cora", "dblp_acm", "restaurant", "tweets100k")
MODULES = {name: importlib.import_module(f"qanat.datasets.{name}") for name in NAMES}
# Records on the left and right, matches; the paper counts both orders of a pair of one source.
TABLES = {
    "abt_buy": (1081, 1092, 1097),
    "amazon_google": (1363, 3226, 1300),
    "cora": (1295, None, 34_368 // 2),
    "dblp_acm": (2616, 2294, 2224),
    "restaurant": (864, None, 224 // 2),
}
# Pairs, matches, precision, recall and F of the paper's Table 3, to four places.
POOLS = {
    "abt_buy": (53_753, 50, 0.9167, 0.4400, 0.5946),
    "amazon_google": (676_267, 200, 0.5968, 0.1850, 0.2824),
    "dblp_acm": (53_946, 20, 1.0000, 0.9000, 0.9474),
    "restaurant": (149_747, 45, 0.9091, 0.8889, 0.8989),
    "tweets100k": (20_000, 10_049, 0.7625, 0.7781, 0.7702),
}
FETCHED = [
    ("abt_buy", "load"),
    ("amazon_google", "load"),
    ("amazon_google", "pool"),
    ("cora", "load"),
    ("abt_buy", "pool"),
    ("dblp_acm", "load"),
    ("dblp_acm", "pool"),
    ("restaurant", "load"),
    ("restaurant", "pool"),
    ("tweets100k", "pool"),
]


@pytest.fixture
def folder(datasets: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the datasets, which is named in the environment."""
    monkeypatch.setenv("QANAT_DATA", str(datasets))
    return datasets


@pytest.mark.datasets
@pytest.mark.parametrize("name", TABLES)
def test_tables_have_the_records_and_matches_of_the_paper(folder: Path, name: str) -> None:
    """As many records and matches as the paper counts; every match names two records, and none twice."""
    left, right, matches = MODULES[name].load()
    records = (len(left["id"]), None if right is None else len(right["id"]), len(matches))
    assert records == TABLES[name]
    assert len({frozenset(pair) if right is None else pair for pair in matches}) == len(matches)
    assert {one for one, _ in matches} <= set(left["id"])
    assert {other for _, other in matches} <= set((right or left)["id"])
    assert "cluster" not in left


@pytest.mark.datasets
@pytest.mark.parametrize("name", TABLES)
def test_tables_are_whole(folder: Path, name: str) -> None:
    """Every column has a value, perhaps empty, for every record, and ids come first and once each."""
    for table in MODULES[name].load()[:2]:
        if table is not None:
            assert {len(values) for values in table.values()} == {len(set(table["id"]))}
            assert next(iter(table)) == "id"


@pytest.mark.datasets
@pytest.mark.parametrize("name", POOLS)
def test_pools_have_the_figures_of_the_paper(folder: Path, name: str) -> None:
    """Pairs, matches, precision, recall and F are those that were published."""
    columns = MODULES[name].pool()
    pool = qanat.open_pool(columns, prediction="pred", label="label")
    label, pred = columns["label"], columns["pred"]
    both = int((label & pred).sum())
    precision, recall = both / pred.sum(), both / label.sum()
    figures = [round(float(value), 4) for value in (precision, recall, 2 * both / (pred.sum() + label.sum()))]
    assert (len(pool), int(label.sum()), *figures) == POOLS[name]
    assert np.array_equal(pred, columns["score"] >= 0)


@pytest.mark.datasets
@pytest.mark.parametrize("name", ["abt_buy", "amazon_google", "restaurant"])
def test_labels_agree_with_the_matches(folder: Path, name: str) -> None:
    """A pair of a pool that names its records is labelled a match exactly if the matches have it."""
    left, right, matches = MODULES[name].load()
    columns = MODULES[name].pool()
    if name == "amazon_google":
        ids = (np.array(left["id"])[columns["left_row"]], np.array(right["id"])[columns["right_row"]])
    else:
        ids = (columns["left_id"], columns["right_id"])
    known = set(matches) | ({(b, a) for a, b in matches} if right is None else set())
    labels = [pair in known for pair in zip(*(side.tolist() for side in ids), strict=True)]
    assert labels == columns["label"].tolist()


def content(folder: Path, file: File) -> bytes:
    """Return the content of a file of the folder, whose checksum was tested."""
    plain = folder / file.path
    found = plain.read_bytes() if plain.exists() else gzip.decompress(Path(f"{plain}.gz").read_bytes())
    assert hashlib.sha256(found).hexdigest() == file.sha256
    return found


def rows(folder: Path, file: File) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of a file of the folder."""
    header, *found = csv.reader(io.StringIO(content(folder, file).decode(), newline=""))
    return header, found


def latin1(header: Sequence[str], found: Iterable[Sequence[str]]) -> bytes:
    """Return rows as the Database Group Leipzig publishes them."""
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows([header, *found])
    return text.getvalue().encode("latin-1")


def bars(lines: Iterable[Sequence[str]], end: str = "\n") -> bytes:
    """Return rows separated by bars."""
    return "".join("|".join(line) + end for line in lines).encode()


def of_nobody(_files: dict[str, File], _folder: Path) -> list[bytes]:
    """Return what is sent for the records of a dataset that has none."""
    return []


def published(name: str, folder: Path) -> list[bytes]:
    """Return, in the order of the sources, what their origins would send for every file that is fetched."""
    files = MODULES[name].FILES
    makers = {"restaurant": of_restaurant, "cora": of_cora, "tweets100k": of_nobody}
    sent = makers.get(name, of_leipzig)(files, folder)
    return [*sent, *(of_pool(name, folder) if "pool.csv" in files else [])]


def of_leipzig(files: dict[str, File], folder: Path) -> list[bytes]:
    """Return three files of the benchmark."""
    return [latin1(*rows(folder, files[key])) for key in ("left.csv", "right.csv", "matches.csv")]


def of_restaurant(files: dict[str, File], folder: Path) -> list[bytes]:
    """Return the records, who is who, and the pairs, which have no header, in another order."""
    header, found = rows(folder, files["records.csv"])
    clusters = "".join(
        f'"{name}", "{addr}", "{city}", "{kind}", \'{cluster}\'\n'
        for _, name, addr, _, city, kind, cluster in found
    )
    who = f"name,address,city,cuisine,unique_id\n{clusters}".encode()
    pairs = bars(reversed(rows(folder, files["matches.csv"])[1])).rstrip()
    return [bars(row[:-1] for row in [header, *found]), who, pairs]


def of_cora(files: dict[str, File], folder: Path) -> list[bytes]:
    """Return the records, whose lines end in a bar, and the pairs twice: they tell the clusters too."""
    header, found = rows(folder, files["records.csv"])
    pairs = bars(reversed(rows(folder, files["matches.csv"])[1]))
    return [bars((row[:-1] for row in [["Entity Id", *header[1:]], *found]), "|\n"), pairs, pairs]


def of_pool(name: str, folder: Path) -> list[bytes]:
    """Return an archive with a pool and the two tables that it names, or a pool that is a file of its own."""
    columns = base.columns(content(folder, MODULES[name].FILES["pool.csv"]))
    arrays = {array: columns[key] for array, key in hdf5.PUBLISHED.items() if key in columns}
    if name != "amazon_google":
        return [in_hdf5(arrays | ids_and_features(name, columns))]
    found = [rows(folder, amazon_google.FILES[key]) for key in ("left.csv", "right.csv")]
    sides = zip(found, ("left_row", "right_row"), strict=True)
    ids = [np.array([row[0].encode() for row in side])[columns[key]] for (_, side), key in sides]
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz", compresslevel=1) as opened:
        member = in_hdf5(arrays | {"id": np.column_stack(ids)})
        info = tarfile.TarInfo(amazon_google.MEMBER)
        info.size = len(member)
        opened.addfile(info, io.BytesIO(member))
    return [archive.getvalue(), *(latin1(*side) for side in found)]


def ids_and_features(name: str, columns: base.Columns) -> dict[str, Any]:
    """Return the other arrays of a pool: ids of any name or kind, features; one has no answers."""
    features = [columns[key] for key in columns if key[0] == "f"] or [np.ones(len(columns["score"]))]
    named = {
        "abt_buy": lambda: {"id": np.column_stack([columns[key].astype("S") for key in base.IDS])},
        "restaurant": lambda: {"pairs": np.column_stack([columns[key].astype(np.int64) for key in base.IDS])},
        "tweets100k": lambda: {"rows": columns["id"]},
        "dblp_acm": dict,
    }
    return {"features": np.column_stack(features)} | named[name]()


def in_hdf5(arrays: dict[str, Any]) -> bytes:
    """Return an HDF5 file."""
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        for name, found in arrays.items():
            file[name] = found
    return memory.getvalue()


def serve(module: ModuleType, origin: Any, sent: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Put what is sent on the server, and the server in the place of the origins."""
    sources = [source for file in module.FILES.values() for source in file.sources]
    for source, sent_by in zip(sources, sent, strict=True):
        origin.has[urlsplit(source.url).path] = sent_by
    files = origin.serving(module.FILES)
    # What we put together has another checksum than the authors' own archive.
    unchecked = {
        name: file._replace(sources=tuple(source._replace(sha256=None) for source in file.sources))
        for name, file in files.items()
    }
    monkeypatch.setattr(module, "FILES", unchecked)


@pytest.mark.datasets
@pytest.mark.parametrize(("name", "get"), FETCHED)
def test_what_is_fetched_is_what_the_folder_has(
    *, datasets: Path, cache: Path, origin: Any, monkeypatch: pytest.MonkeyPatch, told: Any, name: str, get: str
) -> None:
    """From an origin that sends what the public ones do, every file is made to the last byte, and once."""
    module = MODULES[name]
    serve(module, origin, published(name, datasets), monkeypatch)
    fetched = getattr(module, get)(progress=told.shares.append)
    told.assert_whole()
    asked = len(origin.asked)
    again = getattr(module, get)()
    assert len(origin.asked) == asked > 0
    monkeypatch.setenv("QANAT_DATA", str(datasets))
    known = getattr(module, get)()
    for one in (fetched, again):
        assert repr(one) == repr(known) if get == "pool" else one == known


@pytest.mark.datasets
def test_what_was_fetched_can_be_named(
    datasets: Path, cache: Path, origin: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The cache has the form of the folder: copied to a machine without network, it serves as one."""
    serve(restaurant, origin, published("restaurant", datasets), monkeypatch)
    fetched = restaurant.load()
    shutil.copytree(cache, tmp_path / "copy")
    monkeypatch.setenv("QANAT_DATA", str(tmp_path / "copy"))
    assert restaurant.load() == fetched


def test_a_pool_whose_ids_cannot_be_made_out_is_not_taken(
    cache: Path, origin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where two arrays might be the ids, one line says that the file is not what it was."""
    empty = np.zeros(3)
    arrays = dict.fromkeys(("scores", "labels", "first", "second"), empty)
    serve(tweets100k, origin, [in_hdf5(arrays)], monkeypatch)
    with pytest.raises(NotFetched, match=r"tweets100k-svm.h5 is not what it was: .*Set QANAT_DATA to a folder"):
        tweets100k.pool()
    assert list(cache.rglob("*.csv")) == []


@pytest.mark.datasets
def test_answers_that_are_not_published_are_the_sign_of_the_score(
    datasets: Path, cache: Path, origin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of Abt-Buy has no answers; those made from the scores give the known checksum."""
    columns = base.columns(content(datasets, MODULES["abt_buy"].FILES["pool.csv"]))
    arrays = {array: columns[key] for array, key in hdf5.PUBLISHED.items() if key != "pred"}
    sent = in_hdf5(arrays | ids_and_features("abt_buy", columns))
    serve(MODULES["abt_buy"], origin, [b"", b"", b"", sent], monkeypatch)
    assert np.array_equal(MODULES["abt_buy"].pool()["pred"], columns["pred"])


@pytest.mark.parametrize("name", NAMES)
def test_every_dataset_says_where_it_is_from(name: str) -> None:
    """Origin and terms are said, and addresses are of a fixed state: a commit or a release."""
    module = MODULES[name]
    assert len(str(module.__doc__)) > 200
    assert "github.com" in module.ORIGIN
    assert module.LICENCE.endswith(".")
    for key, file in module.FILES.items():
        assert file.path == f"{name}/{key}"
        assert file.sources
        for source in file.sources:
            assert source == amazon_google.ARCHIVE or len(source.url.split("/")[5]) == 40


def test_datasets_offer_the_same_calls() -> None:
    """Tweets have no tables and citations no pool; the others have both."""
    assert [name for name in NAMES if hasattr(MODULES[name], "load")] == list(TABLES)
    assert [name for name in NAMES if hasattr(MODULES[name], "pool")] == list(POOLS)
    assert not hasattr(cora, "pool")
    assert dblp_acm.FILES["pool.csv"].ready is hdf5.library
