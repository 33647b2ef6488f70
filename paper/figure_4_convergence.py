"""Figure 4: how F, the match rates and the proposal of OASIS converge on Abt-Buy, calibrated, K = 30."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from paper import convergence_figure, markdown, pools
from paper.measurements import measured
from paper.results import Effort, Row
from qanat import settings
from qanat.answers import Book
from qanat.core import chance, proposal
from qanat.core.arrays import Floats, Integers
from qanat.core.measures import BALANCED
from qanat.samplers import oasis

TITLE = "Figure 4: convergence of OASIS"
POOL, STRATA = "abt_buy", 30
# Fewer runs than elsewhere: one comes to hundreds of thousands of draws.
MOST_RUNS = 200
LABELS = (10, 50, 100, *range(250, 10_001, 250))
SHOWN = (100, 500, 1000, 2000, 4000, 6000, 8500, 10_000)
# A divergence of zero to the eye; what an unseen match leaves is tens of times as much.
ZERO = 0.05
# Labels after which the run that the paper shows comes to zero.
THEIRS = 8500


class Truth(NamedTuple):
    """What is converged to: F, the match rate of every stratum, and the optimal proposal."""

    f: float
    rate: Floats
    proposal: Floats


class Trace(NamedTuple):
    """Absolute errors of every run at LABELS, (runs, L) and (runs, L, K), and the KL divergence."""

    f: Floats
    rate: Floats
    proposal: Floats
    divergence: Floats


def measure(effort: Effort) -> list[Row]:
    """Return a row for each number of labels and stratum: the first run, and the mean of all."""
    runs = np.arange(min(effort.runs, MOST_RUNS))
    parts = [part.tolist() for part in np.array_split(runs, effort.processes)]
    return summarised([row["trace"] for row in measured(parts, effort, traced)])


def summarised(parts: list[Trace]) -> list[Row]:
    """Return the run that is most like the paper's, means over all runs, and quartiles of their divergence."""
    trace = Trace(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    mean = [column.mean(axis=0) for column in trace[:3]]
    quartiles = np.quantile(trace.divergence, [0.25, 0.5, 0.75], axis=0, method="nearest")
    like = like_theirs(trace.divergence)
    one = [column[like] for column in trace]
    return [
        {
            "labels": n,
            "stratum": k + 1,
            "runs": len(trace.f),
            "f_one": one[0][i],
            "f_mean": mean[0][i],
            "rate_one": one[1][i, k],
            "rate_mean": mean[1][i, k],
            "proposal_one": one[2][i, k],
            "proposal_mean": mean[2][i, k],
            "divergence_one": one[3][i],
            "divergence_lower": quartiles[0, i],
            "divergence_median": quartiles[1, i],
            "divergence_upper": quartiles[2, i],
            "converged": float((trace.divergence[:, i] < ZERO).mean()),
            "one": like,
        }
        for i, n in enumerate(LABELS)
        for k in range(trace.rate.shape[2])
    ]


def like_theirs(divergence: Floats) -> int:
    """Return the run whose divergence comes to zero, to stay there, most nearly after as many labels."""
    is_above = divergence >= ZERO
    # The number of the last point above; of a run that never comes down it is the last of all.
    last = divergence.shape[1] - 1 - np.argmax(is_above[:, ::-1], axis=1)
    return int(
        np.argmin(
            np.abs(np.array(LABELS)[np.minimum(last + 1, len(LABELS) - 1)] - THEIRS) + is_above[:, -1] * 1e9
        )
    )


def traced(runs: list[int], effort: Effort) -> list[Row]:
    """Return the trace of these runs, step by step as qanat.simulate makes them."""
    state, labels, truth = begun(np.array(runs), effort.seed)
    book, distinct = Book(state, labels), np.zeros(len(runs), dtype=np.int64)
    trace = Trace(
        *(np.full((len(runs), len(LABELS), *shape), np.nan) for shape in ((), _K(state), _K(state), ()))
    )
    point_of = np.full(LABELS[-1] + 1, -1)
    point_of[list(LABELS)] = np.arange(len(LABELS))
    running = np.arange(len(runs))
    while len(running):
        state, draws = oasis.ask(state, 1)
        label, is_new = book.answer(running, draws)
        state = oasis.tell(state, draws, label[:, None])
        if not is_new.any():
            continue
        distinct[running] += is_new
        for row in np.flatnonzero(is_new & (point_of[distinct[running]] >= 0)):
            at = (running[row], point_of[distinct[running[row]]])
            for column, value in zip(trace, errors(oasis.select(state, np.array([row])), truth), strict=True):
                column[at] = value
        if (done := distinct[running] >= LABELS[-1]).any():
            state, running = oasis.select(state, np.flatnonzero(~done)), running[~done]
    return [{"trace": trace}]


def _K(state: oasis.State) -> tuple[int]:  # noqa: N802
    return (len(state.weight),)


def begun(runs: Integers, seed: int) -> tuple[oasis.State, Any, Truth]:
    """Return the state before the first draw, the labels by place, and the truth."""
    pool = pools.opened(POOL, "prob")
    assert pool.label is not None
    config = settings("oasis", is_probability=True)
    cut = pool.stratify(config.stratification, STRATA, config.guess)
    state = oasis.init(cut.strata, alpha=BALANCED, config=config, stream=chance.stream(seed, runs))
    labels = pool.label[cut.pair]
    rate = np.add.reduceat(labels.astype(np.float64), cut.strata.start) / cut.strata.size
    found = (pool.label & pool.prediction).sum()
    f = 2 * found / (pool.label.sum() + pool.prediction.sum())
    best = proposal.optimal(proposal.terms(state.coefficients, rate[None]), np.array([f]))[0]
    return state, labels, Truth(float(f), rate, best / best.sum())


def errors(state: oasis.State, truth: Truth) -> Trace:
    """Return the errors of a state of one run; its F is the guess while it is undefined."""
    f = oasis.f_believed(state)
    mass = proposal.optimal(state.terms, f)[0]
    chosen, is_used = mass / mass.sum(), truth.proposal > 0
    with np.errstate(divide="ignore"):
        ratio = np.log(truth.proposal[is_used] / chosen[is_used])
    return Trace(
        np.abs(f[0] - truth.f),
        np.abs(believed(state)[0] - truth.rate),
        np.abs(chosen - truth.proposal),
        np.asarray((truth.proposal[is_used] * ratio).sum()),
    )


def believed(state: oasis.State) -> Floats:
    """Return the match rates believed of every stratum: (10) of docs/notation.md."""
    labels = state.counts.labels
    worth = state.prior.strength / (np.maximum(labels, 1) if state.prior.is_decaying else 1)
    return np.asarray((state.counts.matches + worth * state.prior.match_rate) / (labels + worth))


def draw(rows: list[Row], path: Path) -> None:
    """Draw errors, heat maps and divergence, of the first run and of all."""
    convergence_figure.draw(rows, path)


def by_labels(rows: list[Row]) -> dict[int, Row]:
    """Return for every number of labels what does not differ between strata, and means over them."""
    result: dict[int, Row] = {}
    for n in LABELS:
        strata = [row for row in rows if row["labels"] == n]
        means = {name: float(np.mean([row[name] for row in strata])) for name in ("rate_mean", "proposal_mean")}
        result[n] = strata[0] | means
    return result


def facts(rows: list[Row]) -> dict[str, float]:
    """Return what expected.toml bounds."""
    points = by_labels(rows)
    return {
        "mean absolute error of the match rates at 4000 / at 10": points[4000]["rate_mean"]
        / points[10]["rate_mean"],
        "share of the runs converged at 4000": points[4000]["converged"],
        "share of the runs converged at 8500": points[8500]["converged"],
    }


def told(rows: list[Row]) -> str:
    """Return the section of the README."""
    points = by_labels(rows)
    columns = {
        "f_mean": "mean abs. err. of F_1/2",
        "rate_mean": "of the match rates",
        "proposal_mean": "of the proposal",
        "divergence_median": "median KL divergence",
    }
    lines = [
        [
            f"{n:,}",
            *(markdown.digits(points[n][name]) for name in columns),
            markdown.share(points[n]["converged"]),
        ]
        for n in SHOWN
    ]
    head = ["labels", *columns.values(), f"runs with less than {ZERO}"]
    return "\n\n".join(
        [
            f"Over {rows[0]['runs']} runs; errors of match rates and proposal are means over the strata:",
            markdown.table(head, lines),
        ]
    )
