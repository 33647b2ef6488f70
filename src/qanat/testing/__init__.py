"""What whoever adds a method inherits: the laws, as tests, and asserts that state both their error rates.

Needs pytest, hypothesis and scipy.
"""

from qanat.testing.asserts import Mean, assert_agrees, assert_covers, assert_mean, assert_share
from qanat.testing.pool_laws import PoolLaws
from qanat.testing.population import Population
from qanat.testing.sampler_laws import ExactWhenComplete, SamplerLaws, WeightedLaws

__all__ = [
    "ExactWhenComplete",
    "Mean",
    "PoolLaws",
    "Population",
    "SamplerLaws",
    "WeightedLaws",
    "assert_agrees",
    "assert_covers",
    "assert_mean",
    "assert_share",
]
