"""Numbers of matches from fixed points of chance: quantile functions instead of generators.

An interval is a function of the labels alone: its draws come from points that are spread evenly over
chance (Latin hypercube) and are the same for every run, so that it can be repeated anywhere and moves
smoothly from label to label.
"""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from qanat.core.arrays import Floats

# Counts with a larger mean are nearly normal.
MANY = 30.0
_SEED = 20170801


class Points(NamedTuple):
    """Points of chance, shape (draws, columns): uniform, and the same as standard normal."""

    uniform: Floats
    normal: Floats


@lru_cache(maxsize=8)
def points(draws: int, columns: int) -> Points:
    """Return as many points as draws; each column holds the middles of equal parts of chance, shuffled."""
    middle = (np.arange(draws) + 0.5) / draws
    normal = np.array([NormalDist().inv_cdf(u) for u in middle])
    keys = np.random.Generator(np.random.Philox(key=_SEED)).random((draws, columns))
    order = np.argsort(keys, axis=0)
    return Points(middle[order], normal[order])


def binomial(n: Floats, p: Floats, at: Points) -> Floats:
    """Return the quantile of the number of matches among `n` pairs of match rate `p`.

    Exact where few of either kind are expected, else normal with a correction for skewness.
    """
    n, p, uniform, normal = np.broadcast_arrays(n, p, at.uniform, at.normal)
    # Counted are whichever are fewer, the matches or the others.
    is_swapped = p > 0.5
    few = np.where(is_swapped, 1 - p, p)
    mean = n * few
    deviation = np.sqrt(mean * (1 - few))
    z = np.where(is_swapped, -normal, normal)
    near = np.floor(mean + deviation * z + (1 - 2 * few) * (z**2 - 1) / 6 + 0.5)
    result = np.clip(near, 0.0, n)
    rare = mean < MANY
    u = np.where(is_swapped, 1 - uniform, uniform)
    result[rare] = _counted(n[rare], few[rare], u[rare])
    return np.where(is_swapped, n - result, result)


def _counted(n: Floats, p: Floats, u: Floats) -> Floats:
    """Return the quantiles by adding up the probabilities of 0, 1, 2, ..."""
    result = np.zeros(len(n))
    mass = np.exp(n * np.log1p(-p))
    below, at = mass.copy(), np.flatnonzero(u > mass)
    odds = p / (1 - p)
    while len(at):
        k = result[at]
        mass[at] *= (n[at] - k) / (k + 1) * odds[at]
        below[at] += mass[at]
        result[at] = k + 1
        # Beyond the last digit nothing is added any more, and no more pairs than there are can match.
        at = at[(u[at] > below[at]) & (result[at] < n[at]) & (mass[at] > 1e-18)]
    return result


def beta(a: Floats, b: Floats, at: tuple[Points, Points, Points, Points]) -> Floats:
    """Return a Beta(a, b) variate for every four points, as a quotient of Gamma variates.

    Each needs two numbers of chance, all independent: points of columns of their own.
    """
    first, second = _gamma(a, at[0].normal, at[1].uniform), _gamma(b, at[2].normal, at[3].uniform)
    return first / np.maximum(first + second, 1e-300)


def _gamma(shape: Floats, normal: Floats, uniform: Floats) -> Floats:
    """Return Gamma variates, their quantiles within a few hundredths (Wilson and Hilferty).

    Where the shape is small, those of shape + 1 times a power of a uniform, which is exact.
    """
    part = 1 / (9 * (shape + 1.0))
    cube = np.maximum(1 - part + normal * np.sqrt(part), 0.0) ** 3
    return (shape + 1.0) * cube * uniform ** (1 / np.maximum(shape, 1e-12))
