"""None of the data is in the package, nor in the repository: only where it is and what it must be."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "qanat"
DATA = (".csv", ".gz", ".h5", ".hdf5", ".parquet", ".svmlight", ".npy", ".npz", ".zip")
LARGEST = 200_000
FOLDERS = ("bench", "docs", "paper", "scripts", "tests")
TEXT = (".json", ".md", ".py", ".sh", ".toml", ".txt")
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
    """No text of a record is in any other file either."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in TEXT]
    assert len(found) > 100
    assert [path for path in found for told in TOLD if told in path.read_text(encoding="utf-8")] == []
