"""The results that are committed are those of the code that is committed."""

import json
from pathlib import Path
from typing import Any

import pytest

from qanat import open_pool, simulate

RESULTS = Path(__file__).parents[2] / "bench" / "results"
ERRORS: list[dict[str, Any]] = json.loads((RESULTS / "errors.json").read_text())


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
    kept = next(row for row in ERRORS if (row["pool"], row["sampler"]) == (pool, sampler))
    wanted = [point for point in kept["checkpoints"] if point["labels"] <= labels]
    pairs = open_pool(datasets / pool / "pool.csv.gz", prediction="pred", label="label")
    checkpoints = [point["labels"] for point in wanted]
    told = simulate(pairs, sampler=sampler, runs=kept["runs"], budget=labels, checkpoints=checkpoints)
    assert told.truth == kept["truth"]
    for point, known in zip(told.checkpoints, wanted, strict=True):
        # A checkpoint may tell more than it did when the results were made.
        assert {name: getattr(point, name) for name in known} == known
