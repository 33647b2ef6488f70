"""What adaptive claims, as statistics: coverage, and labels saved, on a generated problem with known truth."""

import numpy as np
import pytest
from numpy.typing import NDArray

from qanat import Simulation, open_pool, simulate
from qanat.answers import Urns
from qanat.core.arrays import Integers
from qanat.datasets.people import people, scored_pairs
from qanat.samplers.base import Draws
from qanat.testing import assert_covers

POOL = open_pool(scored_pairs(people(left=200, right=200)), prediction="prediction", label="label")
RUNS = 900
LABELS = (200, 400)


def simulated() -> Simulation:
    """Return what many runs of adaptive with envelopes say."""
    return simulate(POOL, budget=LABELS[-1], checkpoints=LABELS, runs=RUNS, interval="envelope")


def assert_holds(result: Simulation) -> None:
    """Fail if intervals at 95 % hold a measure too rarely; sure to see a coverage of 85 %."""
    for point in result.checkpoints:
        for share in (point.coverage, point.coverage_precision, point.coverage_recall):
            assert share is not None
            assert_covers(round(share * RUNS), RUNS, 0.95, detects=0.85)


class Generous(Urns):
    """Urns in which matches come up twice as easily as they should: a wrong sampler."""

    def answer(self, run: Integers, draws: Draws) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the label of the next pair of each urn."""
        at = (run, draws.stratum[:, 0])
        label = self._uniform()[run] * self._left[at] < 2 * self._matches[at]
        label &= self._matches[at] > 0
        self._left[at] -= 1
        self._matches[at] -= label
        return label, np.ones_like(label)


def test_envelopes_hold_the_truth() -> None:
    """They hold F, precision and recall as often as they say; that of the bets is tested with the bets."""
    assert_holds(simulated())


def test_a_wrong_sampler_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """If pairs are not drawn evenly within a cell, the same check fails."""
    monkeypatch.setattr("qanat.simulation.Urns", Generous)
    with pytest.raises(AssertionError, match="cover"):
        assert_holds(simulated())


def test_a_fifth_of_the_labels_of_oasis_is_enough() -> None:
    """After 300 labels adaptive errs less than OASIS after 1500, by six Monte Carlo errors."""
    ours, theirs = (
        simulate(POOL, sampler=sampler, budget=labels, checkpoints=[labels], runs=400).checkpoints[-1]
        for sampler, labels in (("adaptive", 300), ("oasis", 1500))
    )
    assert ours.rmse is not None
    assert ours.rmse_se is not None
    assert theirs.rmse is not None
    assert theirs.rmse_se is not None
    assert ours.rmse + 6 * np.hypot(ours.rmse_se, theirs.rmse_se) < theirs.rmse
