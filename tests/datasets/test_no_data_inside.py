"""None of the data is in the package, nor in the repository: only where it is and what it must be."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "qanat"
DATA = (".csv", ".gz", ".h5", ".hdf5", ".parquet", ".svmlight", ".npy", ".npz", ".zip")
LARGEST = 200_000
# Values of the records, put together here so that this file does not have them.
TOLD = ("Turntable - " + "PSLX350H", "arnie " + "morton's", "clickart " + "950 000", "Poosala" + "I96")


def package() -> list[Path]:
    """Return the files that the wheel would have."""
    return [path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


def test_the_package_has_no_file_of_data() -> None:
    """What is installed is small and source, with nothing of a kind that holds data."""
    assert package()
    assert [path for path in package() if path.suffix in DATA or path.stat().st_size > LARGEST] == []


def test_the_package_has_no_record() -> None:
    """No text of a record is in the package."""
    assert [path for path in package() for told in TOLD if told in path.read_text(encoding="utf-8")] == []


def test_the_repository_has_no_record() -> None:
    """No file under version control has the text of a record of the datasets."""
    searched = [part for told in TOLD for part in ("-e", told)]
    done = subprocess.run(
        ["git", "grep", "-lF", *searched], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        pytest.skip("not a working copy of git")
    assert done.stdout == ""
