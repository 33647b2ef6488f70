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
LEFT_OUT = (
    "left out: the tests marked 'datasets' (agreement with the released package on the paper's pools), "
    "because QANAT_DATA names no folder of datasets and ../shared/data is not there"
)


def datasets_folder() -> Path | None:
    """Return the folder of the paper's datasets, if there is one."""
    folder = Path(os.environ.get("QANAT_DATA") or BESIDE)
    return folder if folder.is_dir() else None


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    config.addinivalue_line("markers", "datasets: needs the paper's datasets, in the folder QANAT_DATA")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests whose datasets are not there."""
    if datasets_folder() is None:
        left_out = [item for item in items if item.get_closest_marker("datasets")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out and why."""
    if datasets_folder() is None:
        terminalreporter.write_line(LEFT_OUT)


@pytest.fixture(scope="session")
def datasets() -> Path:
    """Return the folder of the paper's datasets."""
    folder = datasets_folder()
    assert folder is not None, "a test that uses this fixture must be marked 'datasets'"
    return folder
