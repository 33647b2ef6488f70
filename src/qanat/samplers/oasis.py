"""OASIS: adaptive importance sampling over strata (Marchant and Rubinstein 2017, algorithm 3).

Each draw goes where the present belief says that the variance of F is made, with a little exploration.
`Config()` is the authors' released code, `PAPER` the printed text; docs/adr/0002 to 0004 say where they part.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core import chance, estimators, posterior, proposal
from qanat.core.arrays import Floats
from qanat.core.estimators import Sums
from qanat.core.guess import Guess, of_stratum
from qanat.core.intervals import Interval
from qanat.core.measures import denominator
from qanat.core.posterior import Counts, Prior
from qanat.core.proposal import Average, Coefficients, Terms
from qanat.core.strata import Method, Strata
from qanat.samplers.base import Draws, Estimate, estimate_of, place_in, weighted_delta

IS_PREFIX = False
INTERVALS = ("delta",)

# A prior strength that grows with the number of strata: eta = 2K, for every stratum.
TWICE_THE_STRATA = -1.0


class Config(NamedTuple):
    """How to read the paper where its text and its code part.

    `strength` is the number of labels that the prior of one stratum is worth; it fades as 1 / n with the n
    labels of the stratum if `is_decaying`. `average` says where the proposal averages (qanat.core.proposal).
    """

    stratification: Method = "csf"
    guess: Guess = "scaled"
    threshold: float = 0.0
    strength: float = 2.0
    is_decaying: bool = True
    average: Average = "inside"
    epsilon: float = 1e-3
    keeps_interval: bool = False


RELEASED = Config()
PAPER = Config(guess="logistic", strength=TWICE_THE_STRATA, is_decaying=False, average="outside")


class State(NamedTuple):
    """The labels of every stratum, the proposal's terms at the rates they make, and the weighted sums.

    `first` is the first stratum with predicted matches.
    """

    strata: Strata
    alpha: float
    stream: chance.Stream
    config: Config
    weight: Floats
    coefficients: Coefficients
    first: int
    f_guess: Floats
    prior: Prior
    counts: Counts
    terms: Terms
    sums: Sums


def init(strata: Strata, *, alpha: float, config: Config, stream: chance.Stream) -> State:
    """Return the state before the first draw."""
    rate = of_stratum(strata.evidence / strata.size, config.guess, config.threshold)
    runs, rows = len(stream.runs), len(rate)
    first = int(np.argmax(strata.predicted > 0)) if strata.predicted.any() else rows
    coefficients = proposal.coefficients(strata, alpha, config.average)
    terms = proposal.terms(coefficients, np.tile(rate, (runs, 1)))
    return State(
        strata=strata,
        alpha=alpha,
        stream=stream,
        config=config,
        weight=strata.weight,
        coefficients=coefficients,
        first=first,
        f_guess=proposal.f_guess(strata, rate, alpha),
        prior=Prior(rate, _strength(config, rows), config.is_decaying),
        counts=posterior.no_counts(runs, rows),
        terms=proposal.short(terms, first),
        sums=estimators.no_sums(runs, has_squares=config.keeps_interval),
    )


def _strength(config: Config, strata: int) -> float:
    return 2.0 * strata if config.strength == TWICE_THE_STRATA else config.strength


def ask(state: State, n: int) -> tuple[State, Draws]:
    """Return the state after `n` more draws from the present proposal, and the draws."""
    stream, u = chance.take(state.stream, n)
    mass = proposal.optimal(state.terms, f_believed(state))
    stratum, weight = proposal.draw(mass, state.weight, state.config.epsilon, u)
    place, prediction = place_in(state.strata, stratum, u[..., 1])
    return state._replace(stream=stream), Draws(stratum, place, prediction, weight)


def f_believed(state: State) -> Floats:
    """Return the estimate of F that the next proposal uses: the guess while F is undefined."""
    below = denominator(state.sums.predicted, state.sums.matches, state.alpha)
    guess = np.full_like(below, state.f_guess)
    return np.divide(state.sums.true_positives, below, out=guess, where=below > 0)


def tell(state: State, draws: Draws, labels: NDArray[np.bool_]) -> State:
    """Return the state that knows the labels of these draws."""
    counts, terms = state.counts, state.terms
    for stratum, label in zip(draws.stratum.T, labels.T, strict=True):
        counts, rate = posterior.observe(counts, state.prior, stratum, label)
        new = proposal.terms(proposal.at(state.coefficients, stratum), rate)
        terms = proposal.revised(terms, state.first, stratum, new)
    sums = estimators.add(state.sums, draws.weight, draws.prediction, labels)
    return state._replace(counts=counts, terms=terms, sums=sums)


def estimate(state: State) -> Estimate:
    """Return F of the weighted sums."""
    pairs = int(state.strata.size.sum())
    return estimate_of(estimators.weighted_totals(state.sums, pairs), state.alpha)


def interval(state: State, kind: str, level: float) -> Interval:
    """Return the delta interval of the target, precision and recall; `kind` can be no other."""
    del kind
    return weighted_delta(state.sums, estimate(state), state.alpha, level)


def select(state: State, rows: NDArray[np.intp]) -> State:
    """Return the state of the runs at `rows` only."""
    return state._replace(
        stream=chance.select(state.stream, rows),
        counts=Counts(*(count[rows] for count in state.counts)),
        terms=Terms(*(term[rows] for term in state.terms)),
        sums=estimators.select(state.sums, rows),
    )
