"""The pools of bench/labels.py: those of the paper, cora and held out, as they are and changed on purpose.

A change keeps the prediction of every pair, but for `other-classifier`, and is the same at every call. Its
name says what changed; `natural` is no change.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat import InMemoryPool, open_pool

ENTITY_RESOLUTION = ("abt_buy", "amazon_google", "restaurant", "dblp_acm")
# The authors published calibrated probabilities of these only.
CALIBRATED = ("abt_buy", "restaurant", "dblp_acm")
NATURAL = (*ENTITY_RESOLUTION, "tweets100k", "cora")
# Those that bench/held_out.py writes: nothing of a method is ever set by looking at them.
HELD_OUT = (
    "rldata",
    "dblp_acm_forest",
    "abt_buy_logistic",
    "abt_buy_forest",
    "amazon_google_boosted",
    "restaurant_mlp",
    "people",
)
SEED = 20170801

Floats = NDArray[np.float64]
Chance = np.random.Generator
Change = Callable[[InMemoryPool, Chance], InMemoryPool]


class Source(NamedTuple):
    """Where the pools are: the folder of the paper's datasets, and what bench/cora.py and held_out.py wrote."""

    datasets: Path
    cora: Path
    held_out: Path


@lru_cache(maxsize=2)
def opened(source: Source, name: str, change: str = "natural") -> InMemoryPool:
    """Return a pool by its name, changed."""
    if change in {"calibrated", "saturated"}:
        score = probabilities(source, name)
        pool = with_scores(read(source, name), score if change == "calibrated" else saturated(score))
    else:
        pool = CHANGES[change](read(source, name), np.random.default_rng(SEED))
    assert pool.label is not None
    return pool


@lru_cache(maxsize=2)
def read(source: Source, name: str, score: str = "score") -> InMemoryPool:
    """Return a pool as it was published."""
    return open_pool(path_of(source, name), score=score, prediction="pred", label="label")


def path_of(source: Source, name: str) -> Path:
    """Return the file of a pool, which is gzipped or not."""
    if name == "cora":
        return source.cora
    if name in HELD_OUT:
        return source.held_out / f"{name}.parquet"
    path = source.datasets / name / "pool.csv"
    return path if path.exists() else path.with_name("pool.csv.gz")


def probabilities(source: Source, name: str) -> Floats:
    """Return the published calibrated probabilities, or a logistic curve fitted to the scores and the truth."""
    if name in CALIBRATED:
        return read(source, name, "prob").score
    pool = read(source, name)
    return logistic_fit(pool.score, truth(pool))


def logistic_fit(score: Floats, label: NDArray[np.bool_], steps: int = 30) -> Floats:
    """Return the probabilities of a logistic regression on one score, by Newton's method."""
    design = np.column_stack([np.ones(len(score)), (score - score.mean()) / score.std()])
    weights = np.array([np.log(label.mean() / (1 - label.mean())), 0.0])
    for _ in range(steps):
        rate = expit(design @ weights)
        slope = design.T @ (label - rate)
        step = np.linalg.solve(design.T @ (design * (rate * (1 - rate))[:, None]), slope)
        # Matches are rare, so that the first full steps would jump to where every rate is 0 or 1.
        weights += np.clip(step, -1.0, 1.0)
    return expit(design @ weights)


def saturated(probability: Floats) -> Floats:
    """Return the probabilities with those nearer to 0 or 1 than a hundredth put there."""
    return np.where(probability < 0.01, 0.0, np.where(probability > 0.99, 1.0, probability))


def natural(pool: InMemoryPool, _: Chance) -> InMemoryPool:
    """Return the pool as it is."""
    return pool


def rank_prior(pool: InMemoryPool, _: Chance) -> InMemoryPool:
    """Return the pool with what adaptive expects of each rank before any label as probabilities."""
    x = np.log(ranks(pool.score) / pool.prediction.sum())
    return with_scores(pool, expit(-x - 0.15 * np.maximum(x, 0.0) ** 2))


def permuted(pool: InMemoryPool, chance: Chance) -> InMemoryPool:
    """Return the pool with its scores dealt out anew."""
    return with_scores(pool, chance.permutation(pool.score))


def flipped(pool: InMemoryPool, _: Chance) -> InMemoryPool:
    """Return the pool with its scores reversed."""
    return with_scores(pool, -pool.score)


def tied(pool: InMemoryPool, _: Chance) -> InMemoryPool:
    """Return the pool with its scores rounded to one digit."""
    return with_scores(pool, np.round(pool.score, 1))


def moved(share: float) -> Change:
    """Return the change in which so many of the matches change places with random non-matches."""

    def change(pool: InMemoryPool, chance: Chance) -> InMemoryPool:
        places = np.flatnonzero(~truth(pool))
        return swapped(pool, share, chance, lambda number: chance.choice(places, number, replace=False))

    return change


def spike(pool: InMemoryPool, chance: Chance) -> InMemoryPool:
    """Return the pool with 15 % of the matches at one place in the middle of the ranks."""
    order = np.argsort(-pool.score, kind="stable")
    middle = order[len(order) // 2 :]
    places = middle[~truth(pool)[middle]]
    return swapped(pool, 0.15, chance, lambda number: places[:number])


def other_classifier(pool: InMemoryPool, chance: Chance) -> InMemoryPool:
    """Return the pool with as many predictions by a noisy copy of the scores: log rank, give or take 1."""
    noisy = np.log(ranks(pool.score)) + chance.normal(size=len(pool))
    prediction = np.zeros(len(pool), dtype=bool)
    prediction[np.argsort(noisy)[: pool.prediction.sum()]] = True
    return InMemoryPool(pool.score, prediction, pool.label)


CHANGES: dict[str, Change] = {
    "natural": natural,
    "rank-prior": rank_prior,
    "permuted": permuted,
    "reversed": flipped,
    "moved-5%": moved(0.05),
    "moved-15%": moved(0.15),
    "moved-30%": moved(0.30),
    "spike": spike,
    "ties": tied,
    "other-classifier": other_classifier,
}


def swapped(
    pool: InMemoryPool, share: float, chance: Chance, places: Callable[[int], NDArray[np.intp]]
) -> InMemoryPool:
    """Return the pool in which a share of the matches changes places with non-matches."""
    label = truth(pool).copy()
    matches = np.flatnonzero(label)
    number = max(1, round(share * len(matches)))
    gone, come = chance.choice(matches, number, replace=False), places(number)
    label[gone], label[come] = False, True
    return InMemoryPool(pool.score, pool.prediction, label)


def with_scores(pool: InMemoryPool, score: Floats) -> InMemoryPool:
    """Return the pool with other scores."""
    return InMemoryPool(score, pool.prediction, pool.label)


def truth(pool: InMemoryPool) -> NDArray[np.bool_]:
    """Return the labels, which every pool here has."""
    assert pool.label is not None
    return pool.label


def ranks(score: Floats) -> Floats:
    """Return the rank of each pair, 1 being the highest score; equal scores share their mean rank."""
    _, bin_, count = np.unique(-score, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[bin_]


def expit(x: Floats) -> Floats:
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-np.clip(x, -700.0, 700.0)))
