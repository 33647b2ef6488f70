"""The paper's experiments, made again with fewer runs, are those of the results that are committed.

False alarm: a millionth for all comparisons of a test together (Bonferroni). Each test says which fault it is
sure to see, and a negative control shows one that it does see.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import norm

from paper import expected, pipeline, pools, report, results, table_2_pools
from paper.figure_2_budget import ERROR, methods_of
from paper.measurements import ADAPTIVE, BASELINES, DEFINED, Job, at, oasis, rows_of, simulated, simulation
from paper.parts import NAMES, part
from paper.results import Effort, Row
from paper.savings import labels_to_reach
from qanat import settings
from qanat.samplers import oasis as sampler
from qanat.testing import Mean, assert_agrees
from qanat.testing.asserts import FALSE_ALARM

# Another seed than that of the results, so that the two are independent.
EFFORT = Effort(runs=200, processes=1, seed=7)
CHECKPOINTS = (200, 500, 1000, 2000)
CELLS = [
    *((pool, method) for pool in ("abt_buy", "dblp_acm") for method in methods_of(pool)),
    ("restaurant", oasis(30)),
    ("amazon_google", oasis(60)),
    ("tweets100k", oasis(20)),
    ("abt_buy", oasis(30, "paper")),
]


@pytest.fixture(scope="module")
def at_hand(datasets: Path) -> Iterator[None]:
    """Let qanat.datasets read the folder that the tests read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QANAT_DATA", str(datasets))
        yield


@pytest.fixture(scope="module")
def again(at_hand: None) -> list[Row]:
    """Return the cells, measured again with fewer runs."""
    few = [(pool, ADAPTIVE, (100, 200)) for pool in ("abt_buy", "amazon_google")]
    jobs = [Job(*cell, CHECKPOINTS) for cell in CELLS] + [Job(*cell) for cell in few]
    return [row for job in jobs for row in simulated(job, EFFORT)]


def both(again: list[Row]) -> Iterator[tuple[Mean, Mean]]:
    """Yield the errors of each cell now and in the results, where nearly all runs have an estimate."""
    kept = results.read("figure_2_budget")
    for row in again:
        known = at(kept, **{name: row[name] for name in ("pool", "method", "labels")})
        if min(row["defined"], known["defined"]) >= DEFINED:
            yield mean(row, EFFORT.runs), mean(known, known["runs"])


def mean(row: Row, runs: int) -> Mean:
    """Return the mean absolute error of a row."""
    return Mean(row[ERROR], row[f"{ERROR}_se"], round(runs * row["defined"]))


@pytest.mark.datasets
def test_errors_are_those_of_the_results(again: list[Row]) -> None:
    """Every error agrees with that of the results."""
    pairs = list(both(again))
    assert len(pairs) > 40
    assert_agrees(pairs)


@pytest.mark.datasets
def test_errors_agree_on_the_whole(again: list[Row]) -> None:
    """Summed over pools and methods, errors are neither larger nor smaller; a quarter would be seen."""
    pairs = list(both([row for row in again if row["labels"] == CHECKPOINTS[-1]]))
    # On the scale of standard errors, so that no pool outweighs the others.
    error = [math.hypot(now.error, then.error) for now, then in pairs]
    score = sum((now.value - then.value) / each for (now, then), each in zip(pairs, error, strict=True))
    shift = sum(then.value / 4 / each for (_, then), each in zip(pairs, error, strict=True))
    critical = norm.isf(FALSE_ALARM / 2) * math.sqrt(len(pairs))
    assert shift >= critical + norm.isf(FALSE_ALARM) * math.sqrt(len(pairs)), "too few runs to see a quarter"
    assert abs(score) <= critical


@pytest.mark.datasets
def test_the_ranking_is_that_of_the_paper(again: list[Row]) -> None:
    """On an imbalanced pool OASIS 30 is better than every baseline; a ranking the other way round is seen."""
    for pool in ("abt_buy", "dblp_acm"):
        ours = mean(at(again, pool=pool, method="OASIS 30", labels=2000), EFFORT.runs)
        for method in BASELINES:
            row = at(again, pool=pool, method=method.name, labels=2000)
            if row["defined"] >= 0.95:
                error = math.hypot(ours.error, row[f"{ERROR}_se"])
                # If they were equal, this would come about once in a thousand times.
                assert row[ERROR] - ours.value >= norm.isf(1e-3) * error


@pytest.mark.datasets
@pytest.mark.parametrize(
    "config",
    [settings("oasis", epsilon=0.9), settings("oasis", reading="paper")],
    ids=["nine draws in ten passive", "the printed reading"],
)
def test_another_config_is_noticed(at_hand: None, config: Any) -> None:
    """The negative control: OASIS with another epsilon, or in another reading, is not that of the results."""
    job = Job("abt_buy", oasis(30), CHECKPOINTS)
    rows = rows_of(job, simulation(job, EFFORT, pools.opened("abt_buy"), config=config))
    with pytest.raises(AssertionError, match="at most"):
        assert_agrees(list(both(rows)))


@pytest.mark.datasets
def test_wrong_weights_are_noticed(at_hand: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: neither is OASIS without its weights."""

    def ask(state: sampler.State, n: int) -> Any:
        state, draws = original(state, n)
        return state, draws._replace(weight=draws.weight**0)

    original = sampler.ask
    monkeypatch.setattr(sampler, "ask", ask)
    rows = simulated(Job("abt_buy", oasis(30), CHECKPOINTS), EFFORT)
    with pytest.raises(AssertionError, match="at most"):
        assert_agrees(list(both(rows)))


@pytest.mark.datasets
@pytest.mark.parametrize("name", ["table_1_datasets", "figure_1_strata"])
def test_what_is_counted_is_that_of_the_results(at_hand: None, name: str) -> None:
    """Counts have no chance in them: made again, they are the same to the last digit."""
    rows, kept = part(name).measure(EFFORT), results.read(name)
    assert [{column: row[column] for column in rows[0]} for row in kept] == rows


@pytest.mark.datasets
@pytest.mark.parametrize("pool", pools.POOLS)
def test_the_pools_are_those_of_the_results(at_hand: None, pool: str) -> None:
    """So are size, matches and measures of every pool."""
    kept = [row for row in results.read("table_2_pools") if row["pool"] == pool and row["made"] != "qanat er"]
    row = table_2_pools.counted(pool, kept[0]["made"], pools.opened(pool))
    assert [{column: each[column] for column in row} for each in kept] == [row]


@pytest.mark.datasets
@pytest.mark.parametrize("pool", ["restaurant", "dblp_acm", "abt_buy"])
def test_pools_of_our_own_are_those_of_the_results(at_hand: None, pool: str) -> None:
    """Our pipeline draws the same pairs; another version of scikit-learn may classify some otherwise."""
    row = table_2_pools.counted(pool, "qanat er", pipeline.made(pool))
    kept = at(results.read("table_2_pools"), pool=pool, made="qanat er")
    assert (row["pairs"], row["matches"]) == (kept["pairs"], kept["matches"])
    assert row["f"] == pytest.approx(kept["f"], abs=0.05)


@pytest.mark.parametrize("name", NAMES)
def test_the_results_lie_within_the_bounds(name: str) -> None:
    """Every line of expected.toml holds, or says why not and does not."""
    verdicts = expected.of_part(name, part(name).facts(results.read(name)))
    assert verdicts
    assert [str(verdict) for verdict in verdicts if verdict.is_surprise] == []


def test_no_line_is_expected_of_nothing() -> None:
    """Every line of expected.toml is about a fact of a part; a misspelt one would be not a number."""
    assert set(expected.lines()) == set(NAMES)
    assert not [str(verdict) for verdict in expected.verdicts() if math.isnan(verdict.ours)]


def test_a_wrong_result_lies_outside() -> None:
    """The negative control: a saving of half, or a pool with a better classifier, is noticed."""
    for name, fact, wrong in (
        ("savings", "the largest saving of 5,000 labels", 0.5),
        ("table_2_pools", "abt_buy: matches", 51.0),
    ):
        facts = part(name).facts(results.read(name)) | {fact: wrong}
        surprises = [verdict.fact for verdict in expected.of_part(name, facts) if verdict.is_surprise]
        assert surprises == [fact]


def test_the_readme_shows_the_results() -> None:
    """README.md is what the results and expected.toml make of it, to the last character."""
    assert report.README.read_text(encoding="utf-8") == report.text()


def test_every_figure_is_there_and_small() -> None:
    """Figures are PNG files below 150 kB."""
    for name in NAMES:
        if part(name).draw is not None:
            content = part(name).figure.read_bytes()
            assert content.startswith(b"\x89PNG")
            assert len(content) < 150_000


def test_results_say_where_they_come_from() -> None:
    """Every row has the seed, the runs, the versions and the command that makes it again."""
    for name in NAMES:
        for row in results.read(name):
            assert f"--only {name} " in row["command"]
            assert all(row[column] for column in ("seed", "runs", "qanat", "numpy", "python"))


def test_labels_to_reach_an_error() -> None:
    """A power law is interpolated exactly; a curve that is too high never reaches, one that begins low has."""
    power = [(n, n**-0.5) for n in (100.0, 200.0, 500.0, 1000.0)]
    assert labels_to_reach(power, 300**-0.5) == pytest.approx(300)
    assert labels_to_reach(power, 0.01) == math.inf
    assert labels_to_reach(power, 0.5) == 100
    # What counts is the last time that the curve comes down.
    assert labels_to_reach([(10, 0.1), (20, 0.4), (40, 0.1)], 0.2) == pytest.approx(20 * math.sqrt(2))
    assert 20 < labels_to_reach([(10, 0.2), (20, 0.1), (40, 0.0)], 0.05) < 40
