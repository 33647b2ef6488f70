"""What the scores alone say about the match rate of a stratum (the paper's algorithm 2, lines 2-5).

Two steps, so that an engine can take the first in a scan: a number for every pair, averaged over the
stratum, and a number for the stratum made of that average. docs/adr/0002 tells how the readings differ.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from qanat.core.arrays import Floats

Guess = Literal["scaled", "logistic", "probability"]

# The released code maps the most extreme score to a probability of 0.99 or 0.01.
EXTREME_ODDS = 4.59511985013459  # ln 99

# ln 2 in two parts, so that x - k ln 2 loses nothing (the upper part has 21 trailing zero bits).
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_TERMS = 14
_PART = 8192


def of_pair(scores: Floats, guess: Guess, largest: float) -> Floats:
    """Return the number of every pair whose mean over a stratum makes the guess.

    `largest` is the largest absolute score in the pool.
    """
    if guess != "scaled":
        return scores
    if largest == 0:
        # No score differs from zero: they say nothing, and the guess is one half.
        return np.full(scores.shape, 0.5)
    return logistic(EXTREME_ODDS * (scores / largest))


def of_stratum(mean: Floats, guess: Guess, threshold: float) -> Floats:
    """Return the guessed match rate of strata whose pairs have the given mean number."""
    return logistic(mean - threshold) if guess == "logistic" else mean


def logistic(x: Floats) -> Floats:
    """Return 1 / (1 + exp(-x)), the same to the last bit on every machine.

    >>> logistic(np.array([-1.0, 0.0, 800.0]))
    array([0.26894142, 0.5       , 1.        ])
    """
    flat, result = x.ravel(), np.empty(x.size)
    # In parts that fit the cache: ten million scores take a third of the time.
    for start in range(0, x.size, _PART):
        part = flat[start : start + _PART]
        small = _exp_of_negative(-np.abs(part))
        result[start : start + _PART] = np.where(part < 0, small, 1.0) / (1.0 + small)
    return result.reshape(x.shape)


def _exp_of_negative(x: Floats) -> Floats:
    """Return exp(x) for x <= 0 from additions and multiplications only.

    Libraries' exponentials differ in the last bit between processors, and a last bit in the guess can
    send a draw to another stratum; sums and products are exact to the standard everywhere.
    """
    x = np.maximum(x, -745.0)
    power = np.rint(x * (1 / (_LN2_HIGH + _LN2_LOW)))
    rest = (x - power * _LN2_HIGH) - power * _LN2_LOW
    total = np.ones_like(rest)
    for term in range(_TERMS, 0, -1):
        total *= rest
        total /= term
        total += 1.0
    return np.ldexp(total, power.astype(np.int64))
