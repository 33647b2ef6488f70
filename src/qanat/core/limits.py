"""How precise any method can be: limits of the variance of F_alpha on a fully labelled pool.

Letters are those of the table in docs/notation.md. All take cells, which are strata whose pairs are counted
by prediction and truth, and numbers of labels `n`; all return variances, one for each `n`. The limits bind
unbiased estimates; one that shrinks can be below them, at the price of a bias.
"""

from __future__ import annotations

import numpy as np

from qanat.core.arrays import Floats, Integers, total
from qanat.core.cells import Cells, crossed, totals
from qanat.core.guess import logistic
from qanat.core.measures import denominator, f_measure, influence

# The fit of the smooth match rate: strong enough a penalty to keep separable data finite, too weak to see.
PENALTY = 0.01
NEWTON_STEPS = 50
LONGEST_STEP = 4.0


def passive(cells: Cells, alpha: float, n: Integers) -> Floats:
    """Return limit (P): uniform draws with replacement."""
    return cells.size.sum() * total(_square_errors(cells, alpha)) / n


def importance(cells: Cells, alpha: float, n: Integers) -> Floats:
    """Return limit (a): the best importance sampler that knows the strata, with replacement."""
    return total(np.sqrt(cells.size * _square_errors(cells, alpha))) ** 2 / n


def importance_by_pair(cells: Cells, alpha: float, n: Integers) -> Floats:
    """Return limit (a'): the best importance sampler that knows every label, with replacement."""
    counts, errors = _outcomes(cells, alpha)
    return total((counts * np.abs(errors)).ravel()) ** 2 / n


def stratified(cells: Cells, alpha: float, n: Integers) -> Floats:
    """Return limit (b): stratified with replacement, the best allocation."""
    return total(_spread(crossed(cells), alpha)) ** 2 / n


def without_replacement(cells: Cells, alpha: float, n: Integers) -> Floats:
    """Return limit (c): stratified without replacement, the best allocation within the strata's sizes.

    An allocation below one label in a stratum counts as drawn with replacement: the finite-population
    factor (N - n) / (N - 1) is one there. So (c) <= (b) for every n, also where the strata are tiny.
    """
    cells = crossed(cells)
    spread = _spread(cells, alpha)
    if np.isnan(spread).any():
        return np.full(len(n), np.nan)
    # The finite-population form of the spread, and the plain one, which is better below one label each.
    finite = spread * np.sqrt(cells.size / np.maximum(cells.size - 1, 1))
    return np.array(
        [
            min(_variance(spread, cells.size, _fill(by, cells.size, labels)) for by in (finite, spread))
            for labels in n
        ]
    )


def by_score(cells: Cells, alpha: float, n: Integers) -> Floats:
    """Return limit (d): what the scores allow, the match rate being smooth in the logarithm of the rank.

    The anticipated variance of Godambe and Joshi; `cells` are fine strata by rising score, not crossed.
    """
    slope = influence(totals(cells), alpha)
    rate = smooth_match_rate(cells)
    size = np.concatenate([cells.predicted, cells.size - cells.predicted])
    slopes = np.repeat([slope.predicted[0], slope.not_predicted[0]], len(rate))
    spread = size * np.abs(slopes) * np.sqrt(np.tile(rate * (1 - rate), 2))
    if np.isnan(spread).any():
        return np.full(len(n), np.nan)
    return np.array([_anticipated(spread, size, _fill(spread, size, labels)) for labels in n])


def smooth_match_rate(cells: Cells) -> Floats:
    """Return a match rate for each cell that is a cubic in log rank on the log-odds scale.

    Fitted to the matches by penalised maximum likelihood; four coefficients cannot follow single pairs.
    """
    rank = cells.size[::-1].cumsum()[::-1] - cells.size / 2
    depth = np.log1p(rank)
    basis = np.polynomial.legendre.legvander(2 * depth / depth.max() - 1, 3)
    coefficients = np.zeros(4)
    for _ in range(NEWTON_STEPS):
        rate = logistic(basis @ coefficients)
        curvature = basis.T @ (basis * (cells.size * rate * (1 - rate))[:, None]) + PENALTY * np.eye(4)
        gradient = basis.T @ (cells.matches - cells.size * rate) - PENALTY * coefficients
        step = np.linalg.solve(curvature, gradient)
        coefficients = coefficients + step / max(1.0, float(np.abs(step).max()) / LONGEST_STEP)
    return logistic(basis @ coefficients)


def _outcomes(cells: Cells, alpha: float) -> tuple[Floats, Floats]:
    """Return, for the outcomes TP, FP and FN, their counts (3, K) and the error of each (3, 1).

    The error h of a pair is its share in num - F den, divided by den (docs/notation.md, equation 3).
    """
    whole = totals(cells)
    f = f_measure(whole, alpha)
    counts = np.stack(
        [
            cells.true_positives,
            cells.predicted - cells.true_positives,
            cells.matches - cells.true_positives,
        ]
    )
    errors = np.array([1 - f, -alpha * f, -(1 - alpha) * f]) / denominator(
        whole.predicted, whole.matches, alpha
    )
    return counts.astype(np.float64), errors


def _square_errors(cells: Cells, alpha: float) -> Floats:
    """Return the sum of h squared over the pairs of each cell."""
    counts, errors = _outcomes(cells, alpha)
    squares: Floats = (counts * errors**2).sum(axis=0)
    return squares


def _spread(cells: Cells, alpha: float) -> Floats:
    """Return N |c| sqrt(pi (1 - pi)) of each crossed cell: its part in the error of F."""
    slope = influence(totals(cells), alpha)
    rate = cells.matches / cells.size
    weight = np.where(cells.predicted > 0, slope.predicted, slope.not_predicted)
    return cells.size.astype(np.float64) * np.abs(weight) * np.sqrt(rate * (1 - rate))


def _variance(spread: Floats, size: Integers, drawn: Floats) -> float:
    """Return the variance of F when `drawn` labels are drawn from each cell without replacement."""
    at = spread > 0
    finite = np.minimum(1.0, (size[at] - drawn[at]) / np.maximum(size[at] - 1, 1))
    return float(total(spread[at] ** 2 / drawn[at] * finite))


def _anticipated(spread: Floats, size: Integers, drawn: Floats) -> float:
    """Return the variance when each pair of a cell is drawn with probability `drawn` / `size`."""
    at = spread > 0
    return float(total(spread[at] ** 2 * (1 / drawn[at] - 1 / size[at])))


def _fill(spread: Floats, size: Integers, labels: int) -> Floats:
    """Share out the labels in proportion to `spread`, no cell getting more than it holds.

    A cell that would get more is labelled completely and what it leaves over goes to the others.
    """
    drawn: Floats = np.where(spread > 0, size, 0).astype(np.float64)
    is_open = spread > 0
    left = float(labels)
    while is_open.any():
        share = left * spread / total(spread[is_open])
        full = is_open & (share >= size)
        if not full.any():
            drawn[is_open] = share[is_open]
            break
        left -= float(size[full].sum())
        is_open &= ~full
    return drawn
