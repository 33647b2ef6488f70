"""scripts/environment.sh fails in one line, keeps what the tools said, and repairs what was interrupted."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "environment.sh"
# Stands in for the system's Python: it can make an environment, and writes down that it did.
PYTHON = """#!/bin/sh
[ "$*" = "-m venv --clear .venv" ] || exit 0
echo made >> made
rm -rf .venv
mkdir -p .venv/bin
cp environments_python .venv/bin/python
"""
# Stands in for the environment's: its pip finds uv unless the index is away.
ENVIRONMENTS_PYTHON = """#!/bin/sh
case "$*" in
*--help*) [ ! -e .venv/without_pip ] ;;
*"pip install"*)
    [ ! -e index_is_away ] || { echo "WARNING: Retrying" >&2; echo "ERROR: No uv" >&2; exit 1; }
    printf '#!/bin/sh\\n[ ! -e uv_fails ] || { echo "no such package" >&2; exit 2; }\\n' > .venv/bin/uv
    chmod +x .venv/bin/uv ;;
esac
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the script and a Python, without an environment."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPT, tmp_path / "scripts")
    for name, text in {"python9": PYTHON, "environments_python": ENVIRONMENTS_PYTHON}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def made(folder: Path, python: str = "./python9") -> subprocess.CompletedProcess[str]:
    """Return what the script says there."""
    return subprocess.run(
        ["bash", "scripts/environment.sh", python],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def assert_refused(done: subprocess.CompletedProcess[str], words: str) -> None:
    """Fail unless the script ended in one line with these words."""
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("qanat: ")
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


def times_made(folder: Path) -> int:
    """Return how often an environment was made."""
    return len((folder / "made").read_text().splitlines())


def test_an_environment_is_made_once_and_in_silence(folder: Path) -> None:
    """The first time makes it, the second finds it."""
    for _ in range(2):
        done = made(folder)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert times_made(folder) == 1


def test_without_an_index_one_line_says_so(folder: Path) -> None:
    """What pip says is kept in a file, and when the index is back, a repeat succeeds."""
    (folder / "index_is_away").touch()
    assert_refused(made(folder), "uv could not be installed: is a package index reachable?")
    assert (folder / ".venv" / "environment.log").read_text() == "WARNING: Retrying\nERROR: No uv\n"
    (folder / "index_is_away").unlink()
    assert made(folder).returncode == 0


def test_a_package_that_is_not_there_is_one_line_too(folder: Path) -> None:
    """The same holds for the packages."""
    (folder / "uv_fails").touch()
    assert_refused(made(folder), "the packages could not be installed")
    assert (folder / ".venv" / "environment.log").read_text() == "no such package\n"


def test_an_environment_without_pip_is_made_anew(folder: Path) -> None:
    """A set-up that was interrupted does not fail for ever."""
    made(folder)
    (folder / ".venv" / "bin" / "uv").unlink()
    (folder / ".venv" / "without_pip").touch()
    assert made(folder).returncode == 0
    assert times_made(folder) == 2


def test_an_environment_whose_python_is_gone_is_made_anew(folder: Path) -> None:
    """Nor does one whose interpreter was removed from the system."""
    made(folder)
    (folder / ".venv" / "bin" / "python").unlink()
    (folder / ".venv" / "bin" / "python").symlink_to("/nowhere/python9")
    assert made(folder).returncode == 0
    assert times_made(folder) == 2


def test_a_python_that_cannot_make_environments_is_told(folder: Path) -> None:
    """If it fails, its own words are kept."""
    (folder / "python9").write_text('#!/bin/sh\n[ "$2" != venv ] || { echo "disk full" >&2; exit 1; }\n')
    assert_refused(made(folder), "could not make an environment in .venv")
    assert (folder / ".venv" / "environment.log").read_text() == "disk full\n"


def test_a_python_that_is_not_there_is_told(folder: Path) -> None:
    """The line says how another one is named."""
    assert_refused(made(folder, "python-of-nobody"), "make PYTHON=")
