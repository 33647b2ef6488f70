"""Every sampler obeys the laws."""

import pytest

from qanat.errors import BadSetting
from qanat.samplers import adaptive, importance, oasis, passive, stratified
from qanat.testing import ExactWhenComplete, WeightedLaws
from qanat.testing.population import imbalanced

# The paper's epsilon of 0.001 allows weights of 1000, whose mean no affordable number of runs can check.
EPSILON = 0.2


class TestPassive(WeightedLaws):
    sampler = passive
    config = passive.Config()
    epsilon = 1.0


class TestStratified(WeightedLaws, ExactWhenComplete):
    sampler = stratified
    config = stratified.Config()
    epsilon = 1.0


class TestImportance(WeightedLaws):
    sampler = importance
    config = importance.Config(epsilon=EPSILON)
    epsilon = EPSILON


class TestOasis(WeightedLaws):
    sampler = oasis
    config = oasis.RELEASED._replace(epsilon=EPSILON)
    epsilon = EPSILON


class TestOasisOfThePaper(WeightedLaws):
    sampler = oasis
    config = oasis.PAPER._replace(epsilon=EPSILON)
    epsilon = EPSILON


class TestAdaptive(ExactWhenComplete):
    sampler = adaptive
    config = adaptive.Config(batch=3)

    def test_nothing_is_drawn_from_an_empty_pool(self) -> None:
        """Without replacement there is an end: asking beyond it is refused."""
        state, _, _ = self.step(imbalanced(), self.start(imbalanced()), 400)
        with pytest.raises(BadSetting, match="Every pair of the pool has been drawn"):
            self.sampler.ask(state, 1)


class TestAdaptiveThatBets(ExactWhenComplete):
    sampler = adaptive
    config = adaptive.Config(batch=3, keeps_interval=True)
