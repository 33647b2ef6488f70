"""Beliefs about each stratum's match rate: Beta-Bernoulli, strata independent (the paper's section 4.2.2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats


class Prior(NamedTuple):
    """What is believed before the first label: a match rate (K,), worth `strength` labels.

    A decaying prior is worth `strength` / n labels after n labels from the stratum (the paper's remark).
    """

    match_rate: Floats
    strength: float
    is_decaying: bool


class Counts(NamedTuple):
    """The labels of each stratum, shape (runs, K)."""

    matches: NDArray[np.int32]
    labels: NDArray[np.int32]


def no_counts(runs: int, strata: int) -> Counts:
    """Return the counts before the first label."""
    nothing = np.zeros((runs, strata), dtype=np.int32)
    return Counts(nothing, nothing)


def observe(
    counts: Counts, prior: Prior, stratum: NDArray[np.intp], label: NDArray[np.bool_]
) -> tuple[Counts, Floats]:
    """Return the counts after one more label of every run, and the match rate now believed of its stratum.

    `stratum` and `label` have the shape (runs,), and so has the rate: the posterior mean.
    """
    at = (np.arange(len(stratum)), stratum)
    matches = counts.matches[at] + label
    labels = counts.labels[at] + 1
    result = Counts(counts.matches.copy(), counts.labels.copy())
    result.matches[at] = matches
    result.labels[at] = labels
    worth = prior.strength / labels if prior.is_decaying else prior.strength
    return result, (matches + worth * prior.match_rate[stratum]) / (labels + worth)
