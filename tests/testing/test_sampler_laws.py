"""The laws can fail: samplers that break one are rejected by it."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from qanat.core import proposal
from qanat.samplers import oasis
from qanat.testing import WeightedLaws


def laws_of(**changes: Any) -> WeightedLaws:
    """Return the laws of OASIS with some of its functions replaced."""
    names = ("IS_PREFIX", "init", "ask", "tell", "estimate", "select", "Config")
    broken = SimpleNamespace(**({name: getattr(oasis, name) for name in names} | changes))
    return type(
        "Broken",
        (WeightedLaws,),
        {"sampler": broken, "config": oasis.RELEASED._replace(epsilon=0.2), "epsilon": 0.2},
    )()


def ask_with(change: Any) -> Any:
    """Return an `ask` whose draws are changed."""

    def ask(state: oasis.State, n: int) -> Any:
        state, draws = oasis.ask(state, n)
        return state, change(draws)

    return ask


@pytest.mark.parametrize(
    "power",
    [0.0, 0.5, 0.9],
    ids=["no weights at all", "the root of the weights", "weights a tenth too flat"],
)
def test_wrong_weights_are_noticed(power: float) -> None:
    """Weights that are not p / q bias the counts, and the law sees it."""
    laws = laws_of(ask=ask_with(lambda draws: draws._replace(weight=draws.weight**power)))
    with pytest.raises(AssertionError, match="errors"):
        laws.test_numerator_and_denominator_are_unbiased()


def test_places_drawn_unevenly_are_noticed() -> None:
    """Drawing the first places of a stratum more often biases the counts."""
    laws = laws_of(
        ask=ask_with(lambda d: d._replace(place=d.place // 2, prediction=d.prediction | (d.place % 3 == 0)))
    )
    with pytest.raises(AssertionError, match="errors"):
        laws.test_numerator_and_denominator_are_unbiased()


def test_greed_without_exploration_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sampler that never explores leaves out what the scores call hopeless."""

    def greedy(mass: Any, weight: Any, epsilon: float, u: Any) -> Any:
        del epsilon
        return original(mass, weight, 1e-9, u)

    original = proposal.draw
    monkeypatch.setattr(proposal, "draw", greedy)
    with pytest.raises(AssertionError, match="errors from 1"):
        laws_of().test_every_pair_can_be_drawn()
    with pytest.raises(AssertionError, match="errors from 41"):
        laws_of().test_numerator_and_denominator_are_unbiased()


def test_weights_beyond_the_bound_are_noticed() -> None:
    """A sampler that explores less than it says has weights beyond 1 / epsilon."""
    laws = laws_of(ask=ask_with(lambda draws: draws._replace(weight=draws.weight * 6)))
    with pytest.raises(AssertionError):
        laws.test_weights_are_bounded()


def test_a_changed_state_is_noticed() -> None:
    """A `tell` that writes into the state it was given is no function of values."""

    def tell(state: oasis.State, draws: Any, labels: Any) -> Any:
        state.counts.labels[:] += 1
        return oasis.tell(state, draws, labels)

    with pytest.raises(AssertionError):
        laws_of(tell=tell).test_a_state_is_a_value()


def test_hidden_chance_is_noticed() -> None:
    """A sampler with chance of its own does not replay."""
    generator = np.random.default_rng(0)
    laws = laws_of(
        ask=ask_with(lambda draws: draws._replace(weight=draws.weight * (1 + generator.random() / 1e9)))
    )
    with pytest.raises(AssertionError):
        laws.test_replay_gives_the_same_state()


def test_runs_that_share_something_are_noticed() -> None:
    """An estimate that looks at the other runs depends on its company."""

    def estimate(state: oasis.State) -> Any:
        result = oasis.estimate(state)
        return result._replace(value=result.value - 1e-3 * len(state.stream.runs))

    with pytest.raises(AssertionError):
        laws_of(estimate=estimate).test_runs_do_not_feel_their_company()


def test_order_that_matters_is_noticed() -> None:
    """A `tell` whose effect depends on how many labels came before breaks the law of late labels."""

    def tell(state: oasis.State, draws: Any, labels: Any) -> Any:
        fading = draws._replace(weight=draws.weight / (1 + state.sums.draws[:, None]))
        return oasis.tell(state, fading, labels)

    with pytest.raises(AssertionError):
        laws_of(tell=tell).test_labels_may_come_late_and_in_any_order()
