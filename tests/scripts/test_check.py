"""scripts/check.sh takes its shortcut only if nothing that a result depends on has changed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check.sh"
TOOLS = ("ruff", "mypy", "lint-imports", "python")
# What the script needs of the system: all but git.
NEEDS = "bash cut dirname env find grep head ls mktemp rm sh sha256sum sort tail tee xargs"
# Stands in for pytest: fails on a file that says so.
RUNNER = '#!/bin/sh\necho ran >> .venv/ran\n! grep -rqs broken src || exit 1\necho "1 passed"\n'


def runs(folder: Path) -> int:
    """Return how often the tests were run there."""
    log = folder / ".venv" / "ran"
    return len(log.read_text().splitlines()) if log.exists() else 0


def check(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Return what the script says there, with no git on its path."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("QANAT", "PYTEST"))
    }
    environment |= {"PATH": str(folder / "path")} | settings
    return subprocess.run(
        [str(folder / "path" / "bash"), "scripts/check.sh", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that has passed, without .git, its tools being stand-ins."""
    root = tmp_path / "qanat"
    bin_, source, path = root / ".venv" / "bin", root / "src", root / "path"
    for new in (bin_, source, path, root / "scripts", root / ".venv/lib/python3/site-packages"):
        new.mkdir(parents=True)
    for name in NEEDS.split():
        (path / name).symlink_to(str(shutil.which(name)))
    for name, text in (dict.fromkeys(TOOLS, "#!/bin/sh\n") | {"pytest": RUNNER}).items():
        (bin_ / name).write_text(text)
        (bin_ / name).chmod(0o755)
    shutil.copy(SCRIPT, root / "scripts")
    (source / "some.py").write_text("fine\n")
    done = check(root)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("1 passed\n")
    assert runs(root) == 1
    return root


def test_nothing_is_run_again_without_a_change(folder: Path) -> None:
    """The second time it says what the first said, and runs nothing; FORCE runs everything."""
    done = check(folder)
    assert (done.returncode, runs(folder)) == (0, 1)
    assert done.stdout.startswith("Nothing has changed")
    assert done.stdout.endswith("1 passed\n")
    assert check(folder, "1").returncode == 0
    assert runs(folder) == 2


def test_a_broken_file_is_seen_without_git(folder: Path) -> None:
    """A changed file fails, every time, where there is neither git nor a repository."""
    (folder / "src" / "some.py").write_text("broken\n")
    assert check(folder).returncode != 0
    assert check(folder).returncode != 0
    assert runs(folder) == 3


def test_a_file_more_or_less_is_a_change(folder: Path) -> None:
    """A new file and one that is gone are changes; what tools leave behind is none."""
    (folder / ".mypy_cache").mkdir()
    (folder / ".mypy_cache" / "some.json").write_text("{}")
    check(folder)
    assert runs(folder) == 1
    (folder / "src" / "other.py").write_text("fine\n")
    check(folder)
    assert runs(folder) == 2
    (folder / "src" / "some.py").unlink()
    check(folder)
    assert runs(folder) == 3


@pytest.mark.parametrize("setting", [{"QANAT_HYPOTHESIS": "wide"}, {"PYTEST_ADDOPTS": "-k this"}], ids=str)
def test_a_setting_is_a_change(folder: Path, setting: dict[str, str]) -> None:
    """What passed with few examples has not passed with many."""
    check(folder, **setting)
    assert runs(folder) == 2


def test_another_python_or_package_is_a_change(folder: Path) -> None:
    """A result is that of an interpreter and its packages."""
    (folder / ".venv" / "bin" / "python").write_text("#!/bin/sh\necho Python 3.99\n")
    check(folder)
    assert runs(folder) == 2
    (folder / ".venv/lib/python3/site-packages" / "some-2.0.dist-info").mkdir()
    check(folder)
    assert runs(folder) == 3


def test_the_datasets_are_a_change(folder: Path) -> None:
    """Datasets that come, also behind a link, are seen."""
    (folder.parent / "shared").mkdir()
    link = folder.parent / "shared" / "data"
    (folder / ".venv" / "elsewhere").mkdir()
    link.symlink_to(folder / ".venv" / "elsewhere")
    check(folder)
    (folder / ".venv" / "elsewhere" / "pool.csv").write_text("")
    check(folder)
    assert runs(folder) == 3
