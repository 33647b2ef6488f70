"""Settings of every test: chance is fixed, and what was left out is said at the end."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every machine and every day; a nightly job may set another profile.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("wide", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("QANAT_HYPOTHESIS", "fixed"))

BESIDE = Path(__file__).parents[2] / "shared" / "data"
NEEDED = (
    *(f"{pool}/pool.csv" for pool in ("abt_buy", "amazon_google", "dblp_acm", "restaurant", "tweets100k")),
    "cora/records.csv",
)
LEFT_OUT = "left out: the tests marked 'datasets', which need the paper's pools, because"


def datasets_folder() -> Path:
    """Return the folder where the paper's datasets are looked for."""
    return Path(os.environ.get("QANAT_DATA") or BESIDE).absolute()


def why_left_out() -> str | None:
    """Return why the tests on the paper's datasets cannot run, or nothing if they can."""
    folder = datasets_folder()
    said = "QANAT_DATA is set but" if os.environ.get("QANAT_DATA") else "QANAT_DATA is not set and"
    if not folder.is_dir():
        return f"{said} {folder} is not there"
    missing = [file for file in NEEDED if not list(folder.glob(f"{file}*"))]
    return f"{said} {folder} lacks {', '.join(missing)}" if missing else None


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    config.addinivalue_line("markers", "datasets: needs the paper's datasets, in the folder QANAT_DATA")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests whose datasets are not there."""
    if why_left_out():
        left_out = [item for item in items if item.get_closest_marker("datasets")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out and why."""
    if reason := why_left_out():
        terminalreporter.write_line(f"{LEFT_OUT} {reason}")


@pytest.fixture(scope="session")
def datasets() -> Path:
    """Return the folder of the paper's datasets."""
    assert why_left_out() is None, "a test that uses this fixture must be marked 'datasets'"
    return datasets_folder()
