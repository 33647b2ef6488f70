"""Every sampler obeys the laws."""

from qanat.samplers import importance, oasis, passive, stratified
from qanat.testing import ExactWhenComplete, SamplerLaws

# The paper's epsilon of 0.001 allows weights of 1000, whose mean no affordable number of runs can check.
EPSILON = 0.2


class TestPassive(SamplerLaws):
    sampler = passive
    config = passive.Config()
    epsilon = 1.0


class TestStratified(ExactWhenComplete):
    sampler = stratified
    config = stratified.Config()
    epsilon = 1.0


class TestImportance(SamplerLaws):
    sampler = importance
    config = importance.Config(epsilon=EPSILON)
    epsilon = EPSILON


class TestOasis(SamplerLaws):
    sampler = oasis
    config = oasis.RELEASED._replace(epsilon=EPSILON)
    epsilon = EPSILON


class TestOasisOfThePaper(SamplerLaws):
    sampler = oasis
    config = oasis.PAPER._replace(epsilon=EPSILON)
    epsilon = EPSILON
