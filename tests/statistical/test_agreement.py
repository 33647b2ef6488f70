"""Our samplers do what the authors' released package does, on the authors' own pools.

The reference (tests/assets/released_oasis.json) has 11 to 100 runs a method; ours have 250. Compared are, at
each number of labels at which both estimates are defined in 95 % of the runs, the mean absolute error and
the bias (Welch's t), everywhere the share of runs in which the estimate is defined (Fisher's exact test), and
the mean number of draws (a t-test).

False alarm: a millionth for all comparisons of a pool together. Power: pooled over the pools, errors that are
all a third larger or smaller would be seen as surely, a fifteenth more draws of any method too, and the wrong
weights of the negative control are. On dblp_acm the weights matter too little for so few runs to tell.
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import fisher_exact, norm, t

from qanat import Simulation, open_pool, simulate
from qanat.samplers import oasis
from qanat.testing import Mean, assert_agrees
from qanat.testing.asserts import FALSE_ALARM, agreement

pytestmark = pytest.mark.datasets

ASSET = Path(__file__).parents[1] / "assets" / "released_oasis.json"
REFERENCE = json.loads(ASSET.read_text())["pools"]
METHODS = {
    "oasis:passive": ("passive", 30),
    "oasis:druck30": ("stratified", 30),
    "oasis:is": ("importance", 30),
    "oasis:oasis30": ("oasis", 30),
    "oasis:oasis60": ("oasis", 60),
    "oasis:oasis120": ("oasis", 120),
}
RUNS = 250
# The reference is printed to five digits.
ROUNDING = 1e-5 / math.sqrt(12)
DETECTS = 1 / 3


def simulated(folder: Path, pool: str, method: str, runs: int = RUNS) -> Simulation:
    """Return our simulation of a method of the reference."""
    pairs = open_pool(next((folder / pool).glob("pool.csv*")), prediction="pred", label="label")
    sampler, strata = METHODS[method]
    grid = [point["labels"] for point in REFERENCE[pool]["methods"][method]["grid"]]
    return simulate(
        pairs, sampler=sampler, strata=strata, runs=runs, budget=grid[-1], checkpoints=grid, seed=17
    )


def both(pool: str, method: str, ours: Simulation) -> Iterator[tuple[dict[str, Any], int, Any]]:
    """Yield the reference and our checkpoint at each number of labels, with the reference's runs."""
    theirs = REFERENCE[pool]["methods"][method]
    for point, mine in zip(theirs["grid"], ours.checkpoints, strict=True):
        assert point["labels"] == mine.labels
        yield point, theirs["runs"], mine


def errors(pool: str, method: str, ours: Simulation) -> list[tuple[Mean, Mean]]:
    """Return the pairs of means that must agree: mean absolute error and bias, ours and theirs."""
    rows: list[tuple[Mean, Mean]] = []
    for point, runs, mine in both(pool, method, ours):
        if min(point["defined"], mine.defined) < 0.95:
            continue
        defined, known = round(point["defined"] * runs), round(mine.defined * ours.runs)
        mae_error = math.hypot(point["mae_se"], ROUNDING)
        bias_error = math.hypot(point["std"] / math.sqrt(defined - 1), ROUNDING)
        rows += [
            (
                Mean(mine.mean_absolute_error, mine.mean_absolute_error_se, known),
                Mean(point["mae"], mae_error, defined),
            ),
            (Mean(mine.bias, mine.bias_se, known), Mean(point["bias"], bias_error, defined)),
        ]
    return rows


def chance_of_defined(pool: str, method: str, ours: Simulation) -> list[float]:
    """Return how likely so different shares of defined estimates are, if the methods are the same."""
    result = []
    for point, runs, mine in both(pool, method, ours):
        theirs, known = round(point["defined"] * runs), round(mine.defined * ours.runs)
        table = [[theirs, runs - theirs], [known, ours.runs - known]]
        result.append(float(fisher_exact(table).pvalue))
    return result


@pytest.fixture(scope="module")
def simulations(datasets: Path) -> dict[tuple[str, str], Simulation]:
    """Return all our simulations: four pools, six methods."""
    return {(pool, method): simulated(datasets, pool, method) for pool in REFERENCE for method in METHODS}


@pytest.mark.parametrize("pool", REFERENCE)
def test_the_pool_is_that_of_the_reference(pool: str, simulations: dict[Any, Simulation]) -> None:
    """Pairs, predicted matches, matches and F are those of the reference."""
    ours, theirs = simulations[pool, "oasis:passive"], REFERENCE[pool]
    assert (ours.pairs, ours.predicted, ours.matches) == (
        theirs["pairs"],
        theirs["predicted"],
        theirs["matches"],
    )
    assert ours.truth == pytest.approx(theirs["f"], rel=1e-12)


@pytest.mark.parametrize("pool", REFERENCE)
def test_errors_agree(pool: str, simulations: dict[Any, Simulation]) -> None:
    """Mean absolute error and bias agree for every method and number of labels."""
    rows = [row for method in METHODS for row in errors(pool, method, simulations[pool, method])]
    assert len(rows) > 40
    assert_agrees(rows)


@pytest.mark.parametrize("pool", REFERENCE)
def test_estimates_are_defined_as_often(pool: str, simulations: dict[Any, Simulation]) -> None:
    """The share of runs with an estimate agrees for every method and number of labels."""
    chances = [p for method in METHODS for p in chance_of_defined(pool, method, simulations[pool, method])]
    assert min(chances) >= FALSE_ALARM / len(chances)


@pytest.mark.parametrize("labels", [1000, 5000])
def test_errors_agree_on_the_whole(labels: int, simulations: dict[Any, Simulation]) -> None:
    """Pooled over pools and methods, errors are neither larger nor smaller; a third would be seen."""
    statistics, shifts = [], []
    for (pool, method), ours in simulations.items():
        for point, runs, mine in both(pool, method, ours):
            if point["labels"] == labels and min(point["defined"], mine.defined) >= 0.95:
                ours_ = Mean(mine.mean_absolute_error, mine.mean_absolute_error_se, ours.runs)
                statistics.append(agreement(ours_, Mean(point["mae"], point["mae_se"], runs))[0])
                shifts.append(point["mae"] / math.hypot(point["mae_se"], mine.mean_absolute_error_se))
    pooled, critical = sum(statistics) / math.sqrt(len(statistics)), norm.isf(FALSE_ALARM / 2)
    shift = DETECTS * sum(shifts) / math.sqrt(len(shifts))
    assert shift >= critical + norm.isf(FALSE_ALARM), "too few runs to see a third"
    assert abs(pooled) <= critical


@pytest.mark.parametrize("pool", REFERENCE)
def test_as_many_draws_are_needed(pool: str, simulations: dict[Any, Simulation]) -> None:
    """The mean number of draws for the budget agrees for every method; a fifteenth would be seen.

    The reference does not say how the numbers of its runs differ: if the methods are the same, as ours do.
    """
    critical = t.isf(FALSE_ALARM / 2 / len(METHODS), RUNS - 1)
    for method in METHODS:
        ours, theirs = simulations[pool, method], REFERENCE[pool]["methods"][method]
        error = ours.iterations_per_run_se * math.sqrt(1 + RUNS / theirs["runs"])
        shift = ours.iterations_per_run / 15
        assert shift >= (critical + norm.isf(FALSE_ALARM)) * error, "too few runs to see a fifteenth"
        assert abs(ours.iterations_per_run - theirs["iterations_per_run"]) <= critical * error


@pytest.mark.parametrize(
    ("pool", "method"),
    [("abt_buy", "oasis:oasis30"), ("amazon_google", "oasis:oasis60"), ("restaurant", "oasis:oasis120")],
)
@pytest.mark.parametrize("power", [0.0, 0.5], ids=["no weights", "the roots of the weights"])
def test_wrong_weights_do_not_agree(
    pool: str, method: str, power: float, datasets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control: OASIS with wrong weights is told from the released package."""

    def ask(state: oasis.State, n: int) -> Any:
        state, draws = original(state, n)
        return state, draws._replace(weight=draws.weight**power)

    original = oasis.ask
    monkeypatch.setattr(oasis, "ask", ask)
    rows = errors(pool, method, simulated(datasets, pool, method))
    with pytest.raises(AssertionError, match="at most"):
        assert_agrees(rows)
