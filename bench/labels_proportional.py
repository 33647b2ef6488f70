"""Proportional stratified sampling without replacement, which no method may do much worse than.

The cells are those of adaptive, log-rank strata crossed with the prediction. The labels fall on them in
proportion to their size, rounded systematically; the match rate of a cell is the share of its labels that are
matches. A cell without a label has no match or the rate of all labels of its prediction, whichever does better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qanat import InMemoryPool
from qanat.core.strata import Strata, crossed

STRATA = 30

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def proportional(pool: InMemoryPool, *, checkpoints: Sequence[int], runs: int, seed: int = 0) -> dict[str, Any]:
    """Return the errors of F_1/2 at each number of labels, every time with samples of their own."""
    assert pool.label is not None
    cut = pool.stratify("log-rank", STRATA)
    cells = crossed(cut.strata)
    matches = np.add.reduceat(pool.label[cut.pair].astype(np.int64), cells.start)
    chance = np.random.default_rng(seed)
    truth = f_measure(cells, matches[None, :].astype(np.float64))[0]
    points = []
    for labels in checkpoints:
        taken = systematic(labels * cells.weight, chance.random(runs))
        found = chance.hypergeometric(matches, cells.size - matches, taken)
        both = (shares_alone(taken, found), shares_pooled(taken, found, cells.predicted > 0))
        ways = [errors(labels, f_measure(cells, rate * cells.size) - truth) for rate in both]
        points.append(min(ways, key=lambda point: point["rmse"]))
    return {"truth": float(truth), "runs": runs, "checkpoints": points}


def systematic(shares: Floats, start: Floats) -> Integers:
    """Return whole numbers (runs, K) whose means are the shares (K,), each the one below it or above it."""
    # The last sum is whole, but for its last bits, which must not cost a label.
    running = np.cumsum(shares)
    running[-1] = round(running[-1])
    steps = np.floor(running + start[:, None]).astype(np.int64)
    return np.diff(steps, axis=1, prepend=0)


def shares_alone(taken: Integers, found: Integers) -> Floats:
    """Return the share of matches among the labels of every cell (runs, K), 0 where there is no label."""
    return found / np.maximum(taken, 1)


def shares_pooled(taken: Integers, found: Integers, is_predicted: NDArray[np.bool_]) -> Floats:
    """Return the same, but where there is no label the share among all labels of that prediction."""
    rate = shares_alone(taken, found)
    for side in (is_predicted, ~is_predicted):
        pooled = shares_alone(taken[:, side].sum(axis=1), found[:, side].sum(axis=1))
        rate[:, side] = np.where(taken[:, side] > 0, rate[:, side], pooled[:, None])
    return rate


def f_measure(cells: Strata, matches: Floats) -> Floats:
    """Return F_1/2 of so many matches in every cell (runs, K)."""
    true_positives = matches[:, cells.predicted > 0].sum(axis=1)
    return 2 * true_positives / (cells.predicted.sum() + matches.sum(axis=1))


def errors(labels: int, error: Floats) -> dict[str, float]:
    """Return the errors over the runs, as a checkpoint of qanat.simulate has them."""
    square, fourth = float((error**2).mean()), float((error**4).mean())
    spread = math.sqrt(max(fourth - square**2, 0.0) / len(error))
    return {
        "labels": labels,
        "bias": float(error.mean()),
        "rmse": math.sqrt(square),
        "rmse_se": spread / (2 * math.sqrt(square)) if square > 0 else 0.0,
    }
