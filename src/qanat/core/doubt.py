"""Two beliefs side by side: one that trusts the order of the scores, and one that does not.

Once there are labels enough, the second takes over in the runs whose labels it foretold much better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core import smooth
from qanat.core.arrays import Floats, Integers
from qanat.core.priors import Prior
from qanat.core.smooth import Posterior

# Labels from which the scores can be doubted, and the odds (as a logarithm) at which they are.
DOUBT_FROM = 100
DOUBT = 5.0


class Beliefs(NamedTuple):
    """The posterior under the prior that trusts the scores, and that under the one that doubts them."""

    trust: Prior
    distrust: Prior
    trusting: Posterior
    doubting: Posterior


def before(trust: Prior, distrust: Prior, runs: int) -> Beliefs:
    """Return the beliefs before the first label."""
    return Beliefs(trust, distrust, smooth.before(trust, runs), smooth.before(distrust, runs))


def learned(beliefs: Beliefs, matches: Integers, labels: Integers) -> Beliefs:
    """Return the beliefs after so many matches in so many labels (runs, K)."""
    trusting = smooth.fit(beliefs.trust, matches, labels, beliefs.trusting)
    if not _may_doubt(labels).any():
        return beliefs._replace(trusting=trusting)
    return beliefs._replace(
        trusting=trusting, doubting=smooth.fit(beliefs.distrust, matches, labels, beliefs.doubting)
    )


def held(beliefs: Beliefs, matches: Integers, labels: Integers) -> tuple[Posterior, NDArray[np.bool_]]:
    """Return the belief that each run holds, and in which runs the labels contradict the scores (runs,)."""
    may = _may_doubt(labels)
    if not may.any():
        return beliefs.trusting, may
    odds = smooth.evidence(beliefs.distrust, beliefs.doubting, matches, labels)
    odds -= smooth.evidence(beliefs.trust, beliefs.trusting, matches, labels)
    is_doubted = may & (odds > DOUBT)
    return _chosen(is_doubted, beliefs.doubting, beliefs.trusting), is_doubted


def anticipated(
    beliefs: Beliefs, posterior: Posterior, is_doubted: NDArray[np.bool_], pending: Integers
) -> Posterior:
    """Return what will be believed after so many more labels, as far as that can be foreseen."""
    if not pending.any():
        return posterior
    one, other = (smooth.anticipating(prior, posterior, pending) for prior in (beliefs.distrust, beliefs.trust))
    return _chosen(is_doubted, one, other)


def select(beliefs: Beliefs, rows: NDArray[np.intp]) -> Beliefs:
    """Return the beliefs of the runs at `rows` only."""
    trusting, doubting = (
        Posterior(*(part[rows] for part in posterior)) for posterior in (beliefs.trusting, beliefs.doubting)
    )
    return beliefs._replace(trusting=trusting, doubting=doubting)


def _may_doubt(labels: Integers) -> NDArray[np.bool_]:
    return labels.sum(axis=1) >= DOUBT_FROM


def _chosen(rows: NDArray[np.bool_], one: Posterior, other: Posterior) -> Posterior:
    """Return the first posterior in these runs, the other in the rest."""
    return Posterior(*(_where(rows, *parts) for parts in zip(one, other, strict=True)))


def _where(rows: NDArray[np.bool_], one: Floats, other: Floats) -> Floats:
    return np.where(rows.reshape(-1, *(1,) * (one.ndim - 1)), one, other)
