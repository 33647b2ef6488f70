"""The statistical asserts accept what is right, reject what is wrong, and refuse to guess."""

import numpy as np
import pytest

from qanat.testing import Mean, assert_agrees, assert_covers, assert_mean, assert_share


def test_coverage_that_holds_passes() -> None:
    """95 % of 2,500 is covered at level 95 %."""
    assert_covers(2375, 2500, 0.95, detects=0.90)


def test_coverage_that_is_too_low_fails() -> None:
    """90 % is not 95 %."""
    with pytest.raises(AssertionError, match="expected at level"):
        assert_covers(2250, 2500, 0.95, detects=0.90)


def test_a_design_that_cannot_tell_fails() -> None:
    """A hundred runs cannot tell 93 % from 95 %."""
    with pytest.raises(AssertionError, match="raise `runs`"):
        assert_covers(95, 100, 0.95, detects=0.93)
    with pytest.raises(AssertionError, match="raise `runs`"):
        assert_share(50, 100, 0.5, detects=0.05)


def test_a_share_is_checked_on_both_sides() -> None:
    """Too many is as wrong as too few."""
    assert_share(5000, 10_000, 0.5, detects=0.05)
    for hits in (4500, 5500):
        with pytest.raises(AssertionError, match="expected at"):
            assert_share(hits, 10_000, 0.5, detects=0.05)


def test_a_mean_is_checked_against_its_own_spread() -> None:
    """A shift of a tenth of a standard deviation is seen with 20,000 values, not with 100."""
    values = np.random.Generator(np.random.Philox(key=1)).standard_normal(20_000)
    assert_mean(values, 0.0, detects=0.1)
    with pytest.raises(AssertionError, match="errors from"):
        assert_mean(values + 0.1, 0.0, detects=0.1)
    with pytest.raises(AssertionError, match="too few runs"):
        assert_mean(values[:100], 0.0, detects=0.1)


def test_false_alarms_are_as_rare_as_stated() -> None:
    """At a false alarm of 1 %, about 1 % of correct samples fail."""
    generator = np.random.Generator(np.random.Philox(key=2))
    failed = 0
    for _ in range(4000):
        try:
            assert_mean(generator.standard_normal(200), 0.0, detects=1.0, false_alarm=0.01)
        except AssertionError:
            failed += 1
    assert_share(failed, 4000, 0.01, detects=0.03)


def test_two_means_agree_or_not() -> None:
    """Means three errors apart agree at a millionth; means ten errors apart do not."""
    ours = Mean(1.0, 0.1, 500)
    near, far = (ours, Mean(1.4, 0.1, 100)), (ours, Mean(2.5, 0.1, 100))
    assert_agrees([near])
    with pytest.raises(AssertionError, match="1 and 2"):
        assert_agrees([near, far])


def test_two_constants_agree_only_if_equal() -> None:
    """Without spread there is no chance to excuse a difference."""
    assert_agrees([(Mean(1.0, 0.0, 10), Mean(1.0, 0.0, 10))])
    with pytest.raises(AssertionError):
        assert_agrees([(Mean(1.0, 0.0, 10), Mean(1.1, 0.0, 10))])
