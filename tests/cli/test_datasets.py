"""qanat datasets lists what there is, and writes the files of one."""

import hashlib
import json

import pytest

from qanat.cli import run
from qanat.datasets.catalogue import NAMES, entry


def test_the_list_has_every_dataset_with_its_terms(capsys):
    """Name, what it is and the licence of all six, without asking the network."""
    assert run(["datasets"]) == 0
    told = capsys.readouterr().out
    for name in NAMES:
        assert f"{name}\n" in told
        assert entry(name).licence in told
    assert run(["datasets", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told) == list(NAMES)
    assert told["tweets100k"]["files"] == ["pool.csv"]
    assert all(each["origin"] and each["licence"] for each in told.values())


@pytest.mark.datasets
def test_a_dataset_is_written_as_files(datasets, tmp_path, monkeypatch, capsys):
    """The files are those of the known checksums, and their terms are told."""
    monkeypatch.setenv("QANAT_DATA", str(datasets))
    assert run(["datasets", "restaurant", "--out", str(tmp_path / "new" / "folder")]) == 0
    told = capsys.readouterr().out
    assert "RIDDLE states no licence" in told
    for name, file in entry("restaurant").files.items():
        content = (tmp_path / "new" / "folder" / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file.sha256
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == sorted(
        entry("restaurant").files
    )


@pytest.mark.datasets
def test_a_folder_that_cannot_be_written_is_one_line(datasets, tmp_path, monkeypatch, capsys):
    """A file in the place of the folder is said, with exit status 2."""
    monkeypatch.setenv("QANAT_DATA", str(datasets))
    (tmp_path / "taken").touch()
    assert run(["datasets", "restaurant", "--out", str(tmp_path / "taken")]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "taken cannot be written (File exists): name a folder that can" in told


@pytest.mark.datasets
def test_a_file_of_ones_own_is_not_overwritten(datasets, tmp_path, monkeypatch, capsys):
    """What is there and is something else stays; the same content may be written again."""
    monkeypatch.setenv("QANAT_DATA", str(datasets))
    assert run(["datasets", "restaurant", "--out", str(tmp_path)]) == 0
    assert run(["datasets", "restaurant", "--out", str(tmp_path)]) == 0
    (tmp_path / "matches.csv").write_text("mine")
    assert run(["datasets", "restaurant", "--out", str(tmp_path)]) == 2
    assert "matches.csv is there and is not that of restaurant: name another folder" in capsys.readouterr().err
    assert (tmp_path / "matches.csv").read_text() == "mine"


def test_an_unknown_dataset_names_the_known_ones(tmp_path, capsys):
    """A slip in the name is met with the name that was meant."""
    assert run(["datasets", "abtbuy", "--out", str(tmp_path)]) == 2
    assert "There is no dataset 'abtbuy'. Did you mean 'abt_buy'?" in capsys.readouterr().err


def test_what_cannot_be_had_is_one_line(tmp_path, monkeypatch, capsys):
    """A folder without the files is named with the file that it lacks; nothing is written."""
    monkeypatch.setenv("QANAT_DATA", str(tmp_path))
    assert run(["datasets", "cora", "--out", str(tmp_path / "out")]) == 2
    assert "has neither cora/records.csv nor cora/records.csv.gz" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
