"""Tests that are left out are told at the end, with the folder looked at and what it lacks."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = (
    "abt_buy/pool.csv.gz",
    "amazon_google/pool.csv.gz",
    "dblp_acm/pool.csv.gz",
    "restaurant/pool.csv",
    "tweets100k/pool.csv",
    "cora/records.csv",
)


def collected(folder: Path) -> tuple[int, str]:
    """Return the number of tests on datasets that pytest would run with them there, and its last line."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "tests/statistical/test_agreement.py"],
        cwd=ROOT,
        env=os.environ | {"QANAT_DATA": str(folder), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = done.stdout.splitlines()
    return sum("::test_" in line for line in lines), next((x for x in lines if x.startswith("left out")), "")


def there(folder: Path, files: Sequence[str]) -> None:
    """Put these files, empty, into the folder."""
    for file in files:
        (folder / file).parent.mkdir()
        (folder / file).touch()


def test_the_folder_looked_at_is_named(tmp_path: Path) -> None:
    """A wrong QANAT_DATA is shown as it is, not as if it were not set."""
    tests, told = collected(tmp_path / "typo")
    assert tests == 0
    assert f"because QANAT_DATA is set but {tmp_path / 'typo'} is not there" in told


def test_a_folder_of_something_else_is_missing_too(tmp_path: Path) -> None:
    """A folder without all that is needed fails no test: what it lacks is told."""
    there(tmp_path, FILES[:2])
    tests, told = collected(tmp_path)
    assert tests == 0
    assert told.endswith(
        f"{tmp_path} lacks dblp_acm/pool.csv, restaurant/pool.csv, tweets100k/pool.csv, cora/records.csv"
    )


def test_with_all_pools_nothing_is_left_out(tmp_path: Path) -> None:
    """The tests run, and there is nothing to tell."""
    there(tmp_path, FILES)
    tests, told = collected(tmp_path)
    assert tests > 10
    assert told == ""
