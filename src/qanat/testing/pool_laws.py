"""The laws of pools, as tests to inherit.

    class TestMine(PoolLaws):
        def opened(self, columns):
            return my_pool(columns)

pytest then holds the pool to the one in memory: equal counts, equal strata, the same pairs in the same order,
for scores of every kind that strata are hard to cut for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from qanat.core.arrays import Floats
from qanat.core.strata import Method
from qanat.errors import BadInput
from qanat.pool.base import Pool
from qanat.pool.in_memory import InMemoryPool
from qanat.pool.open import open_pool
from qanat.pool.order import Pair, cell_sizes, key

Columns = dict[str, NDArray[Any]]
METHODS: tuple[tuple[Method, int], ...] = (("log-rank", 30), ("equal-size", 7), ("csf", 30), ("none", 1))


def _logistic(chance: np.random.Generator, pairs: int) -> Floats:
    is_match = chance.random(pairs) < 0.02
    return 1 / (1 + np.exp(-np.where(is_match, 5.0, -9.0) - 2 * chance.normal(size=pairs)))


# Scores of every kind, some thousand pairs of each.
SCORES: dict[str, Callable[[np.random.Generator], Floats]] = {
    "probabilities": lambda chance: _logistic(chance, 3000),
    "saturated at both ends": lambda chance: np.clip(chance.normal(0.5, 2.0, 3000), 0, 1),
    "nearly 1": lambda chance: 1 - 10.0 ** -chance.integers(1, 17, 3000) * chance.random(3000),
    "weights": lambda chance: chance.normal(-15.0, 10.0, 3000).clip(-40, 40),
    "ten distinct": lambda chance: np.round(chance.random(3000), 1),
    "one heap": lambda chance: np.where(chance.random(3000) < 0.99, -1.0, chance.normal(size=3000)),
    "within a hair": lambda chance: 0.5 + 1e-12 * chance.random(3000) + (chance.random(3000) < 0.01),
    "all equal": lambda _: np.full(50, 0.25),
    "two pairs": lambda _: np.array([0.1, 0.9]),
    "one pair": lambda _: np.array([0.5]),
    "tiny and huge": lambda chance: 10.0 ** chance.uniform(-100, 100, 500) * chance.choice([-1.0, 1.0], 500),
}


def columns_of(kind: str) -> Columns:
    """Return a pool with scores of this kind: ids of numbers and of text, a prediction that is noisy."""
    chance = np.random.default_rng([7, list(SCORES).index(kind)])
    score = SCORES[kind](chance)
    rows = np.arange(len(score))
    called = (chance.random(len(score)) < 0.1) | (score >= score.max())
    return {
        "left_id": rows // 40,
        "right_id": np.array([f"r{row % 40}-é" for row in rows]),
        "score": score,
        "prediction": called,
    }


class PoolLaws:
    """Inherit, say how a pool is opened, and every law is a test of it."""

    kinds: ClassVar[tuple[str, ...]] = tuple(SCORES)

    # Returns the pool of these columns.
    opened: Callable[[Columns], Pool]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Try every kind of scores that the class names."""
        if "kind" in metafunc.fixturenames:
            metafunc.parametrize("kind", self.kinds)

    def test_pools_agree_with_the_one_in_memory(self, kind: str) -> None:
        """Facts, strata and first pairs are those that counting every score in memory gives."""
        columns = columns_of(kind)
        pool, memory = self.opened(columns), in_memory(columns)
        assert len(pool) == len(memory)
        assert pool.facts == memory.facts
        for method, strata in METHODS:
            ours, theirs = pool.stratify(method, strata), memory.stratify(method, strata)
            np.testing.assert_array_equal(ours.edges, theirs.edges)
            np.testing.assert_array_equal(ours.strata.size, theirs.strata.size)
            np.testing.assert_array_equal(ours.strata.predicted, theirs.strata.predicted)
            np.testing.assert_allclose(ours.strata.evidence, theirs.strata.evidence, rtol=1e-9, atol=1e-12)
        ours, theirs = pool.stratify("log-rank", 30), memory.stratify("log-rank", 30)
        for name in ("pairs", "predicted"):
            np.testing.assert_array_equal(getattr(pool.histogram(1), name), getattr(memory.histogram(1), name))
        if memory.facts.lowest < memory.facts.highest:
            np.testing.assert_array_equal(pool.histogram(20).pairs, memory.histogram(20).pairs)
        for length, seed in ((1, 0), (20, 5), (len(memory), 5)):
            first, wanted = pool.prefix(ours, length, seed), memory.prefix(theirs, length, seed)
            assert list(first.pairs) == list(wanted.pairs)
            np.testing.assert_array_equal(first.start, wanted.start)

    def test_a_prefix_is_the_first_pairs_of_every_cell(self) -> None:
        """Each pair lies in its cell, in the order of its key; a longer prefix begins with a shorter one."""
        columns = columns_of("probabilities")
        pool = self.opened(columns)
        cut = pool.stratify("log-rank", 10)
        short, long = pool.prefix(cut, 5, 3), pool.prefix(cut, 50, 3)
        row = {
            (str(a), str(b)): i
            for i, (a, b) in enumerate(
                zip(columns["left_id"].tolist(), columns["right_id"].tolist(), strict=True)
            )
        }
        for cell, size in enumerate(cell_sizes(cut.strata.size, cut.strata.predicted)):
            pairs = [
                pair for pair in long.pairs[long.start[cell] : long.start[cell + 1]] if isinstance(pair, Pair)
            ]
            assert len(pairs) == min(size, 50)
            assert pairs[:5] == list(short.pairs[short.start[cell] : short.start[cell + 1]])
            rows = [row[pair] for pair in pairs]
            stratum = np.searchsorted(cut.edges, columns["score"][rows], side="right") - 1
            assert set(stratum.tolist()) <= {cell // 2}
            assert set(columns["prediction"][rows].tolist()) <= {cell % 2 == 0}
            keys = [key(left, right, 3) for left, right in pairs]
            assert keys == sorted(keys)

    @pytest.mark.parametrize("what", ["a score that is missing", "a score that is no number", "an empty pool"])
    def test_a_wrong_pool_is_refused(self, what: str) -> None:
        """One line says what is wrong, whatever the engine."""
        columns = {name: values[:20].copy() for name, values in columns_of("probabilities").items()}
        columns["prediction"][0] = True
        if what == "an empty pool":
            columns = {name: values[:0] for name, values in columns.items()}
        else:
            columns["score"][3] = np.nan if what == "a score that is no number" else np.inf
        with pytest.raises(BadInput) as refused:
            self.opened(columns)
        assert "\n" not in str(refused.value)


def in_memory(columns: Columns) -> InMemoryPool:
    """Return the reference."""
    pool: InMemoryPool = open_pool(columns)
    return pool
