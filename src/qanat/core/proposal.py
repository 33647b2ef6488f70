"""Where to draw next: distributions over strata, as mass that need not sum to one unless said.

A pair is a stratum of one, so the per-pair distribution of Sawade and others is `optimal` on such strata.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core import chance
from qanat.core.arrays import Floats, total
from qanat.core.measures import Totals, f_measure
from qanat.core.strata import Strata

Average = Literal["inside", "outside"]

# A draw divides its mass into units of this size.
UNITS = 2.0**52


def f_guess(strata: Strata, match_rate: Floats, alpha: float) -> Floats:
    """Return F_alpha if the match rates (..., K) were right (algorithm 2, line 8); one half where undefined."""
    matches = strata.size * match_rate
    guess = f_measure(
        Totals(
            true_positives=total(matches * strata.predicted_share),
            predicted=np.float64(strata.predicted.sum()) * np.ones(match_rate.shape[:-1]),
            matches=total(matches),
        ),
        alpha,
    )
    return np.where(np.isnan(guess), 0.5, guess)


class Coefficients(NamedTuple):
    """What weight and prediction make of a stratum's match rate: see `terms`; shape (K,)."""

    flat: Floats
    missed: Floats
    overlooked: Floats
    hit: Floats


class Terms(NamedTuple):
    """The parts of the optimal mass that do not depend on F: see `optimal`.

    `linear` is (..., K); `missed` and `hit` are zero in strata without predicted matches, which are most,
    so they leave out the first of these, being (..., K - first).
    """

    linear: Floats
    missed: Floats
    hit: Floats


def coefficients(strata: Strata, alpha: float, average: Average) -> Coefficients:
    """Return the coefficients of the terms of each stratum.

    With "inside" the second moments of the predicted and the other pairs are averaged under the root, which
    is the minimiser when a pair is drawn uniformly within its stratum; with "outside" the two roots are
    averaged, as the paper's section 4.2.3 prints it. docs/adr/0004.
    """
    weight, share = strata.weight, strata.predicted_share
    others = (1 - alpha) * weight
    if average == "outside":
        root = weight * share
        return Coefficients((1 - share) * others, (alpha * root) ** 2, np.zeros_like(root), root**2)
    # Without predicted matches the root is of one term only, and can be taken once and for all.
    is_mixed = share > 0
    hit = weight**2 * share
    return Coefficients(others * ~is_mixed, alpha**2 * hit, is_mixed * (1 - share) * others**2, hit)


def terms(of: Coefficients, match_rate: Floats) -> Terms:
    """Return the terms at these match rates, none left out."""
    return Terms(
        linear=of.flat * np.sqrt(match_rate),
        missed=of.missed * (1 - match_rate) + of.overlooked * match_rate,
        hit=of.hit * match_rate,
    )


def at(of: Coefficients, stratum: NDArray[np.intp]) -> Coefficients:
    """Return the coefficients of one stratum of each run."""
    return Coefficients(of.flat[stratum], of.missed[stratum], of.overlooked[stratum], of.hit[stratum])


def short(terms: Terms, first: int) -> Terms:
    """Return the terms without the zeros of the strata below `first`, the first with predicted matches."""
    return terms._replace(missed=terms.missed[..., first:], hit=terms.hit[..., first:])


def revised(terms: Terms, first: int, stratum: NDArray[np.intp], new: Terms) -> Terms:
    """Return short `terms` (runs, ...) with those of one stratum of each run, (runs,), replaced by `new`."""
    result = Terms(*(term.copy() for term in terms))
    rows = np.arange(len(stratum))
    result.linear[rows, stratum] = new.linear
    curved = np.flatnonzero(stratum >= first)
    at = (curved, stratum[curved] - first)
    result.missed[at] = new.missed[curved]
    result.hit[at] = new.hit[curved]
    return result


def optimal(terms: Terms, f: Floats) -> Floats:
    """Return the mass of each stratum, shape (runs, K), that minimises the asymptotic variance of F.

    F linear + sqrt(F^2 missed + (1 - F)^2 hit), for `f` of shape (runs,): the paper's v* before
    normalisation. All that depends on the strata is in the terms, so that a step costs few operations.
    """
    f = f[:, None]
    mass = f * terms.linear
    root = f**2 * terms.missed
    root += (1 - f) ** 2 * terms.hit
    mass[:, mass.shape[1] - root.shape[1] :] += np.sqrt(root, out=root)
    return mass


def explore(mass: Floats, weight: Floats, epsilon: float) -> Floats:
    """Return the epsilon-greedy distribution: `mass` made to sum to one, mixed with the passive `weight`.

    Every stratum keeps at least epsilon times its weight, so no importance weight exceeds 1 / epsilon.
    Mass that is zero everywhere says that nothing is left to learn: it leaves the passive distribution.
    """
    whole = total(mass)[..., None]
    greedy = np.divide(mass, whole, out=np.broadcast_to(weight, mass.shape).copy(), where=whole > 0)
    return epsilon * weight + (1 - epsilon) * greedy


def draw(mass: Floats, weight: Floats, epsilon: float, u: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return strata drawn from the epsilon-greedy distribution of `mass`, and their importance weights.

    The same as drawing from `explore(mass, weight, epsilon)`, without making it: with probability epsilon
    the draw is passive, else greedy. `u` (runs, n, 4) holds the uniforms of each draw; its first and third
    are used. No mass may exceed 2^10.
    """
    # In whole units, so that the running sum is exact, and several times faster than one of fractions. The
    # weights are those of the units: a mass too small for one is left to exploration.
    units = (mass * UNITS).astype(np.int64)
    cumulative = np.cumsum(units, axis=1)
    whole = cumulative[:, -1:]
    if not whole.all():
        units = np.where(whole > 0, units, (weight * UNITS).astype(np.int64))
        cumulative = np.cumsum(units, axis=1)
        whole = cumulative[:, -1:]
    # u < 1 keeps the threshold below the total, and a stratum without a unit is never the first above it.
    threshold = (u[..., 0] * whole).astype(np.int64)
    stratum = np.argmax(cumulative[:, None, :] > threshold[:, :, None], axis=2)
    is_passive = u[..., 2] < epsilon
    if is_passive.any():
        stratum[is_passive] = chance.pick(np.cumsum(weight), u[..., 0][is_passive])
    passive = weight[stratum]
    greedy = units[np.arange(len(units))[:, None], stratum] / whole
    return stratum, passive / (epsilon * passive + (1 - epsilon) * greedy)
