"""What is asked of an engine, written once, in DuckDB's dialect.

Every query begins with the same table `pairs`: l and r, the ids; score, a double; called, 1 for a
predicted match and 0 for another. Numbers go in as text that is cast, so that no engine rounds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from qanat.core.arrays import Floats, Integers
from qanat.pool.base import LARGEST

# Bins for each factor e of the odds of lying below or above: half a per cent each, some 16,000 in all, or ten
# times as many where there are so many pairs that counting them anew costs more.
FINE, FINER, MANY = 200, 2000, 10_000_000
# Bins for each factor e in the table that finds the stratum of a pair.
COARSE = 20
# Shares of the range nearer to an end than this are one bin.
NEAREST = 1e-18


class Columns(NamedTuple):
    """Where the columns of `pairs` come from: SQL expressions over the source.

    With `is_one` table of records a pair is the same in both orders; with `keeps_highest` a repeated pair is
    there once, as it scores highest.
    """

    source: str
    left: str
    right: str
    score: str
    called: str
    is_one: bool = False
    keeps_highest: bool = False


class Range(NamedTuple):
    """The lowest and the highest score."""

    lowest: float
    highest: float


class Bins(NamedTuple):
    """Fine bins: the range of the scores, and how many bins there are for each factor e of their odds."""

    lowest: float
    highest: float
    scale: int


def number(value: float) -> str:
    """Return a double as SQL."""
    return f"CAST('{float(value)!r}' AS DOUBLE)"


def pairs(columns: Columns) -> str:
    """Return the beginning of every query."""
    every = (
        f"SELECT {columns.left} AS l, {columns.right} AS r, {columns.score} AS score, "
        f"{columns.called} AS called FROM {columns.source}"
    )
    if not columns.keeps_highest:
        return f"WITH pairs AS ({every})"
    # The last is for a pair in both orders with one score: every engine must keep the same.
    order = "score DESC, called DESC, md5(CAST(l AS VARCHAR) || ':' || CAST(r AS VARCHAR))"
    return (
        f"WITH every AS ({every}), numbered AS (SELECT *, row_number() OVER "
        f"(PARTITION BY {same(columns)} ORDER BY {order}) AS nth FROM every), "
        "pairs AS (SELECT l, r, score, called FROM numbered WHERE nth = 1)"
    )


def same(columns: Columns) -> str:
    """Return what two rows of the same pair have in common."""
    return "least(l, r), greatest(l, r)" if columns.is_one else "l, r"


def ends(columns: Columns) -> str:
    """Return the query of the number of pairs, and the lowest and highest score; some engines need no scan."""
    return f"{pairs(columns)} SELECT count(*), min(score), max(score) FROM pairs"


def wrong(columns: Columns) -> str:
    """Return the query that counts pairs without a finite score, a right prediction, both ids."""
    return (
        f"{pairs(columns)} SELECT sum(CASE WHEN abs(score) <= {number(LARGEST)} THEN 0 ELSE 1 END), "
        f"sum({NO_ANSWER}), sum({NO_ID}), sum({itself(columns)}) FROM pairs"
    )


def among(columns: Columns, wanted: Sequence[tuple[str, str]]) -> str:
    """Return the query of those of the wanted pairs of ids that are there."""
    rows = ", ".join(f"({text(left)}, {text(right)})" for left, right in wanted)
    return (
        f"{pairs(columns)}, wanted(a, b) AS (VALUES {rows}) SELECT DISTINCT a, b FROM pairs "
        "JOIN wanted ON CAST(l AS VARCHAR) = a AND CAST(r AS VARCHAR) = b"
    )


def quoted(name: str) -> str:
    """Return the name of a column or a table as SQL."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """Return a text as SQL."""
    return "'" + value.replace("'", "''") + "'"


def repeated(columns: Columns) -> str:
    """Return the query of the pair that is there most often, and how often, if any is there twice."""
    return (
        f"{pairs(columns)}, often AS (SELECT min(l) AS l, max(r) AS r, count(*) AS times FROM pairs "
        f"GROUP BY {same(columns)} HAVING count(*) > 1) "
        "SELECT CAST(l AS VARCHAR), CAST(r AS VARCHAR), times FROM often ORDER BY times DESC, 1, 2 LIMIT 1"
    )


NO_ANSWER = "CASE WHEN called IS NULL THEN 1 ELSE 0 END"
NO_ID = "CASE WHEN l IS NULL OR r IS NULL THEN 1 ELSE 0 END"


def itself(columns: Columns) -> str:
    """Return 1 for a pair of a record with itself, which only one table can have."""
    return "CASE WHEN l = r THEN 1 ELSE 0 END" if columns.is_one else "0"


def bin_of(bins: Bins) -> str:
    """Return the expression of the fine bin of a score: steps of its odds within the range."""
    low, high = number(bins.lowest), number(bins.highest)
    near = number(max((bins.highest - bins.lowest) * NEAREST, 1e-300))
    odds = f"((score - {low}) + {near}) / (({high} - score) + {near})"
    return f"CAST(floor(ln({odds}) * {bins.scale}) AS INTEGER)"


COUNTS = "count(*), sum(called), sum({evidence})"


def binned(columns: Columns, bins: Bins, evidence: str) -> str:
    """Return the query of the fine bins: bin, lowest and highest score, the counts, and what is wrong."""
    return (
        f"{pairs(columns)} SELECT {bin_of(bins)} AS bin, min(score), max(score), "
        f"{COUNTS.format(evidence=evidence)}, sum({NO_ANSWER}), "
        f"sum({NO_ID}), sum({itself(columns)}) FROM pairs GROUP BY 1"
    )


def counted(
    columns: Columns, bins: Bins, evidence: str, spans: Sequence[tuple[int, float, float]], parts: int
) -> str:
    """Return the query that counts some bins anew: low, high, pairs, called, evidence, and the bin.

    `spans` are bins with the lowest and highest score that is wanted of each. They are counted in so many equal
    `parts` each, or score by score if there are none.
    """
    rows = ", ".join(
        f"({bin_}, {number(low)}, {number(high)}, {number(parts / (high - low))})" for bin_, low, high in spans
    )
    part = "CAST(floor((score - low) * scale) AS INTEGER)" if parts else "score"
    return (
        f"{pairs(columns)}, spans(bin, low, high, scale) AS (VALUES {rows}) "
        f"SELECT min(score), max(score), {COUNTS.format(evidence=evidence)}, spans.bin AS bin, {part} AS part "
        f"FROM (SELECT *, {bin_of(bins)} AS bin FROM pairs) AS binned "
        "JOIN spans ON binned.bin = spans.bin AND score BETWEEN low AND high GROUP BY spans.bin, part"
    )


def equal_bins(columns: Columns, scores: Range, bins: int, evidence: str) -> str:
    """Return the query of the counts in so many bins of equal width, cut where numpy.linspace cuts."""
    low, step = number(scores.lowest), number((scores.highest - scores.lowest) / bins)
    guess = f"least(greatest(CAST(floor((score - {low}) / {step}) AS INTEGER), 0), {bins - 1})"
    exact = (
        f"bin - CASE WHEN bin > 0 AND score < bin * {step} + {low} THEN 1 ELSE 0 END "
        f"+ CASE WHEN bin < {bins - 1} AND score >= (bin + 1) * {step} + {low} THEN 1 ELSE 0 END"
    )
    return (
        f"{pairs(columns)} SELECT {exact} AS place, {COUNTS.format(evidence=evidence)} "
        f"FROM (SELECT *, {guess} AS bin FROM pairs) AS guessed GROUP BY 1"
    )


def first_places(
    columns: Columns,
    bins: Bins,
    *,
    coarse: Sequence[tuple[int, int, Sequence[float]]],
    limits: Sequence[tuple[int, str]],
    length: int,
    seed: int,
) -> str:
    """Return the query of the first pairs of some cells: cell, l, r, in their order.

    `coarse` rows are a coarse bin, the stratum of its lowest score, and the edges of strata within it; `limits`
    the wanted cells, each with the key below which its first pairs lie.
    """
    most = max(len(edges) for _, _, edges in coarse)
    names = "".join(f", e{i}" for i in range(most))
    none = [", CAST(NULL AS DOUBLE)"] * most
    rows = ", ".join(
        f"({bin_}, {first}{''.join([*(f', {number(edge)}' for edge in edges), *none][:most])})"
        for bin_, first, edges in coarse
    )
    stratum = "first" + "".join(f" + CASE WHEN score >= e{i} THEN 1 ELSE 0 END" for i in range(most))
    cells = ", ".join(f"({cell}, '{text}')" for cell, text in limits)
    return (
        f"{pairs(columns)}, bins(coarse, first{names}) AS (VALUES {rows}), "
        f"cells(cell, least) AS (VALUES {cells}), "
        "placed AS (SELECT CAST(l AS VARCHAR) AS l, CAST(r AS VARCHAR) AS r, "
        f"2 * ({stratum}) + 1 - called AS cell FROM "
        f"(SELECT *, CAST(floor({bin_of(bins)} / {bins.scale // COARSE}.0) AS INTEGER) AS coarse FROM pairs) "
        "AS binned "
        "JOIN bins ON binned.coarse = bins.coarse), "
        f"keyed AS (SELECT placed.cell AS cell, l, r, least, md5(l || ':' || r || ':{seed}') AS place "
        "FROM placed JOIN cells ON placed.cell = cells.cell), "
        "ranked AS (SELECT cell, l, r, place, row_number() OVER (PARTITION BY cell ORDER BY place, l, r) AS n "
        "FROM keyed WHERE place < least) "
        f"SELECT cell, l, r FROM ranked WHERE n <= {length} ORDER BY cell, n"
    )


def coarse_rows(
    fine: Bins, bin_: Integers, low: Floats, high: Floats, edges: Floats
) -> list[tuple[int, int, list[float]]]:
    """Return the rows of the table that finds strata: coarse bin, first stratum, edges of others within it.

    `bin_` are fine bins with the lowest and highest score of each; `edges` the lowest score of each stratum.
    """
    # Whole fine bins make a coarse one; the floor of a floor is that of the quotient.
    coarse = np.floor_divide(bin_, fine.scale // COARSE)
    starts = np.flatnonzero(np.diff(coarse, prepend=coarse[0] - 1))
    least, most = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
    first = np.searchsorted(edges[1:], least, side="right")
    last = np.searchsorted(edges[1:], most, side="right")
    return [
        (int(each), int(a), edges[1 + a : 1 + b].tolist())
        for each, a, b in zip(coarse[starts], first, last, strict=True)
    ]
