"""The laws of samplers, as tests to inherit.

    class TestMine(WeightedLaws):
        sampler = mine
        config = mine.Config()
        epsilon = 0.1

pytest then runs every law on it. The laws hold for any population, any number of runs side by side, and any
order in which labels come back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from qanat.core import chance
from qanat.samplers.base import Draws, Sampler, joined
from qanat.testing.asserts import assert_mean
from qanat.testing.population import Population, imbalanced, populations, positions, single_pairs

# Runs and draws of the unbiasedness law: enough to see a bias of a twentieth of the true count.
RUNS = 20_000
DRAWS = 40
# The laws are one body run by several classes, which hypothesis would otherwise take for a mistake.
LAW = settings(deadline=None, suppress_health_check=[HealthCheck.differing_executors])


class SamplerLaws:
    """Inherit, name a sampler and its config, and every law is a test of it."""

    sampler: Sampler[Any, Any]
    config: Any

    def start(self, population: Population, runs: int = 3, seed: int = 1, alpha: float = 0.5) -> Any:
        """Return the state before the first draw."""
        stream = chance.stream(seed, np.arange(runs))
        return self.sampler.init(population.strata, alpha=alpha, config=self.config, stream=stream)

    def step(self, population: Population, state: Any, n: int = 1) -> tuple[Any, Draws, NDArray[np.bool_]]:
        """Return the state after asking for and telling `n` draws, the draws, and their labels."""
        state, draws = self.sampler.ask(state, n)
        labels = population.labels(state, draws)
        return self.sampler.tell(state, draws, labels), draws, labels

    @LAW
    @given(populations())
    def test_draws_are_places_of_the_strata(self, population: Population) -> None:
        """Every draw is a place that exists, with the prediction of the pair there."""
        state, draws = self.sampler.ask(self.start(population), 8)
        size, predicted = state.strata.size[draws.stratum], state.strata.predicted[draws.stratum]
        assert np.all((draws.place >= 0) & (draws.place < size))
        np.testing.assert_array_equal(draws.prediction, draws.place < predicted)

    @LAW
    @given(populations(), st.integers(2, 6))
    def test_a_batch_is_as_many_single_draws(self, population: Population, n: int) -> None:
        """Asking for n is asking n times before any label is told."""
        state = self.start(population)
        state, _, _ = self.step(population, state, 2)
        batched, batch = self.sampler.ask(state, n)
        singles = []
        for _ in range(n):
            state, draw = self.sampler.ask(state, 1)
            singles.append(draw)
        assert_equal(batch, joined(singles))
        assert_equal(batched, state)

    @LAW
    @given(populations(), st.permutations(range(6)))
    def test_labels_may_come_late_and_in_any_order(self, population: Population, order: list[int]) -> None:
        """The order in which labels are told changes nothing beyond rounding."""
        asked, draws = self.sampler.ask(self.start(population), 6)
        labels = population.labels(asked, draws)
        at_once = self.sampler.tell(asked, draws, labels)
        later = asked
        for column in order:
            part = slice(column, column + 1)
            later = self.sampler.tell(later, draws.part(part), labels[:, part])
        for one, other in zip(self.sampler.estimate(at_once), self.sampler.estimate(later), strict=True):
            np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-12)
        following, late = self.sampler.ask(at_once, 1)[1], self.sampler.ask(later, 1)[1]
        np.testing.assert_array_equal(following.stratum, late.stratum)

    @LAW
    @given(populations(), st.integers(0, 5))
    def test_replay_gives_the_same_state(self, population: Population, seed: int) -> None:
        """The same seed and labels give the same state to the last bit."""
        first, second = self.start(population, seed=seed), self.start(population, seed=seed)
        for n in (1, 3, 1):
            first, _, _ = self.step(population, first, n)
            second, _, _ = self.step(population, second, n)
        assert_equal(first, second)

    @LAW
    @given(populations())
    def test_a_state_is_a_value(self, population: Population) -> None:
        """Asking and telling leave the state they are given as it was."""
        state, _, _ = self.step(population, self.start(population), 2)
        kept = copied(state)
        self.step(population, state, 3)
        assert_equal(state, kept)

    @LAW
    @given(populations())
    def test_runs_do_not_feel_their_company(self, population: Population) -> None:
        """A run alone is the run in any block, to the last bit."""
        together, alone = self.start(population, runs=4), self.start(population, runs=4)
        alone = self.sampler.select(alone, np.array([2]))
        for n in (1, 2, 1):
            together, _, _ = self.step(population, together, n)
            alone, _, _ = self.step(population, alone, n)
        for one, other in zip(self.sampler.estimate(together), self.sampler.estimate(alone), strict=True):
            np.testing.assert_array_equal(np.asarray(one)[..., 2], np.asarray(other)[..., 0])
        assert_equal(self.sampler.select(together, np.array([2])), alone)

    @LAW
    @given(populations(), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
    def test_what_is_not_known_is_undefined(self, population: Population, alpha: float) -> None:
        """Before the first label no measure has a value; afterwards it has one or is NaN, without a warning."""
        state = self.start(population, alpha=alpha)
        assert np.isnan(self.sampler.estimate(state).value).all()
        for _ in range(4):
            state, _, _ = self.step(population, state)
            values = np.stack(self.sampler.estimate(state)[:3])
            assert np.all(np.isnan(values) | ((values >= 0) & (values <= 1 + 1e-12)))

    @LAW
    @given(populations(), st.integers(0, 6), st.sampled_from([0.5, 0.95]))
    def test_an_interval_has_two_ends(self, population: Population, n: int, level: float) -> None:
        """Every kind of interval has ends between 0 and 1 after any number of labels, none too."""
        stream = chance.stream(1, np.arange(3))
        config = self.config._replace(keeps_interval=True)
        state = self.sampler.init(population.strata, alpha=0.5, config=config, stream=stream)
        for _ in range(n):
            state, _, _ = self.step(population, state)
        for kind in self.sampler.INTERVALS:
            low, high = self.sampler.interval(state, kind, level)
            assert low.shape == high.shape == (3, 3)
            assert np.all((low >= 0) & (low <= high) & (high <= 1 + 1e-12))


class WeightedLaws(SamplerLaws):
    """The laws of a method whose estimate is a sum over draws, each with its weight p / q."""

    # No weight may exceed 1 / epsilon; a sampler whose weights are all one says 1.
    epsilon: float

    def test_numerator_and_denominator_are_unbiased(self) -> None:
        """The estimated counts are right on average (theorem 1): a bias of a twentieth would be seen."""
        population = imbalanced()
        state = self.start(population, runs=RUNS)
        for _ in range(DRAWS):
            state, _, _ = self.step(population, state)
        for estimated, true in zip(self.sampler.estimate(state).totals, population.totals(), strict=True):
            known = estimated[~np.isnan(estimated)]
            assert len(known) == RUNS, "a count is undefined after every stratum could be drawn"
            if known.std() > 0:
                assert_mean(known, true[0], detects=0.05 * true[0])
            else:
                assert known[0] == pytest.approx(true[0])

    @LAW
    @given(populations(), st.integers(0, 5))
    def test_weights_are_bounded(self, population: Population, seed: int) -> None:
        """No pair is so unlikely that its weight exceeds 1 / epsilon, whatever was seen (theorem 3)."""
        state = self.start(population, seed=seed)
        for _ in range(6):
            state, draws, _ = self.step(population, state)
            assert np.all(draws.weight > 0)
            assert np.all(draws.weight <= (1 + 1e-12) / self.epsilon)

    def test_every_pair_can_be_drawn(self) -> None:
        """Weights average to one, as they do only if no part of the pool is left out; a tenth would be seen."""
        state = self.start(imbalanced(), runs=RUNS)
        for _ in range(3):
            state, _, _ = self.step(imbalanced(), state)
        _, draws = self.sampler.ask(state, 1)
        if self.epsilon < 1:
            assert_mean(draws.weight.ravel(), 1.0, detects=0.1)
        else:
            assert np.all(draws.weight == 1)


class ExactWhenComplete(SamplerLaws):
    """The laws of a method that claims to be exact once every pair has its label.

    Checked where every stratum is one pair, so that methods with replacement can claim it too.
    """

    @LAW
    @given(single_pairs())
    def test_a_complete_sample_is_exact(self, population: Population) -> None:
        """When every pair of the pool is labelled, the estimate is the truth."""
        state = self.start(population)
        drawn = np.zeros((3, len(population.label)), dtype=bool)
        while not drawn.all():
            state, draws, _ = self.step(population, state)
            drawn[np.arange(3)[:, None], positions(state.strata, draws)] = True
        for estimated, true in zip(self.sampler.estimate(state).totals, population.totals(), strict=True):
            np.testing.assert_allclose(estimated, true[0], rtol=1e-12)


def leaves(value: Any) -> list[Any]:
    """Return the arrays and numbers of a nested tuple, in order."""
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def copied(value: Any) -> list[Any]:
    """Return copies of the leaves of a state."""
    return [leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in leaves(value)]


def assert_equal(one: Any, other: Any) -> None:
    """Fail if two nested tuples differ in any bit."""
    ones, others = leaves(one), other if isinstance(other, list) else leaves(other)
    for left, right in zip(ones, others, strict=True):
        np.testing.assert_array_equal(left, right)
