"""The results that are committed are those of the code that is committed."""

import json
from pathlib import Path
from typing import Any

import pytest

from qanat import open_pool, simulate

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "bench" / "results"
ERRORS: list[dict[str, Any]] = json.loads((RESULTS / "errors.json").read_text())
LABELS: dict[str, Any] = json.loads((RESULTS / "labels.json").read_text())["parts"]
SHOWN = (100, 200, 500, 1000, 2000, 5000)


def kept(pool: str, method: str) -> dict[int, dict[str, float]]:
    """Return the checkpoints of a method on a pool as it is, by number of labels."""
    key = {"pool": pool, "change": "natural", "method": method}
    row = next(row for row in LABELS["errors"]["results"] if key.items() <= row.items())
    return {point["labels"]: point for point in row["checkpoints"]}


@pytest.mark.datasets
@pytest.mark.parametrize(
    ("pool", "sampler", "labels"),
    [
        ("abt_buy", "oasis", 1000),
        ("abt_buy", "importance", 200),
        ("dblp_acm", "stratified", 200),
        ("dblp_acm", "passive", 100),
    ],
)
def test_errors_are_what_the_code_gives(datasets: Path, pool: str, sampler: str, labels: int) -> None:
    """The table of errors can be made again, to the last digit; checkpoints do not depend on later ones."""
    row = next(row for row in ERRORS if (row["pool"], row["sampler"]) == (pool, sampler))
    wanted = [point for point in row["checkpoints"] if point["labels"] <= labels]
    pairs = open_pool(datasets / pool / "pool.csv.gz", prediction="pred", label="label")
    checkpoints = [point["labels"] for point in wanted]
    told = simulate(pairs, sampler=sampler, runs=row["runs"], budget=labels, checkpoints=checkpoints)
    assert told.truth == row["truth"]
    for point, known in zip(told.checkpoints, wanted, strict=True):
        # A checkpoint may tell more than it did when the results were made.
        assert {name: getattr(point, name) for name in known} == known


@pytest.mark.datasets
@pytest.mark.parametrize("pool", ["abt_buy", "restaurant"])
def test_errors_of_adaptive_are_what_the_code_gives(datasets: Path, pool: str) -> None:
    """Its table can be made again, to the digits that are kept."""
    pairs = open_pool(datasets / pool / "pool.csv.gz", prediction="pred", label="label")
    told = simulate(pairs, runs=LABELS["errors"]["runs"], budget=100, checkpoints=[50]).checkpoints
    for point in told:
        known = kept(pool, "adaptive")[point.labels]
        assert (point.rmse, point.bias) == pytest.approx((known["rmse"], known["bias"]), rel=1e-4)


def test_the_readme_shows_what_was_measured() -> None:
    """Every number of its table of errors is that of the results."""
    lines = [line.split("|")[1:-1] for line in (ROOT / "README.md").read_text().splitlines()]
    rows = [[cell.strip() for cell in line] for line in lines if len(line) == 2 + len(SHOWN)][2:]
    assert len(rows) == 12
    for pool, method, *cells in rows:
        points = kept(pool, method.strip("`"))
        shown = [(points[n]["rmse"], points[n]["rmse_se"]) for n in SHOWN]
        assert cells == ["0" if rmse == 0 else f"{rmse:.4f} ± {error:.4f}" for rmse, error in shown]
