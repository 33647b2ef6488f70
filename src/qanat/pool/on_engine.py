"""A pool that stays in the engine that has it: counts come to us, and the pairs that are drawn.

Opening is one scan for the facts; cutting strata takes two or three; the first pairs of every cell one more. An
engine is an object with a dialect, a way to run a query, and the errors that it raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from qanat.core import guess as guessing
from qanat.core import strata as stratification
from qanat.core.arrays import Floats, Integers
from qanat.core.cuts import Cut, Segments, cut, quartiles, unsettled
from qanat.core.guess import Guess
from qanat.core.strata import Histogram, Method
from qanat.errors import BadInput, BadSetting
from qanat.pool import queries
from qanat.pool.base import LARGEST, NOTHING_PREDICTED, Facts, Prefix, repeated
from qanat.pool.order import ALL, Pair, cell_sizes, limit
from qanat.pool.queries import Bins, Columns, Range

# Scores counted one by one; where bins hold more pairs, they are first counted in parts.
MOST_SCORES = 500_000
PARTS = 4096
SCORE = "score"
# Where fewer pairs came than were asked for, the next query takes so many times as many keys.
MORE = 8.0


class Engine(Protocol):
    """Where a pool lives: `rows` runs a query written in DuckDB's dialect."""

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""


class Binned(NamedTuple):
    """The fine bins of a pool, lowest scores first, and what was counted in each."""

    bins: Bins
    bin: Integers
    segments: Segments


class EnginePool:
    """Scored pairs in an engine, under the names that `columns` gives them; qanat.open_pool makes it."""

    label = None

    def __init__(
        self, engine: Engine, columns: Columns, binned: Binned, *, dropped: int = 0, names: str = ""
    ) -> None:
        """Keep what leads to the pairs, and what was counted when the pool was opened.

        `dropped` rows repeated a pair and are left out; `names` says which columns were taken for what.
        """
        self.dropped = dropped
        self.names = names
        self._engine = engine
        self._columns = columns
        self._binned = {SCORE: binned}
        pairs, called = binned.segments.pairs.sum(), binned.segments.predicted.sum()
        self.facts = Facts(int(pairs), int(called), binned.bins.lowest, binned.bins.highest)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return self.facts.pairs

    def histogram(self, bins: int) -> Histogram:
        """Return the pairs counted in so many bins of equal width."""
        if self.facts.lowest < self.facts.highest:
            return self._in_equal_bins(bins, SCORE)
        # As numpy.histogram has it: with one score, all are in the last bin.
        counted = np.zeros((3, bins))
        counted[:, -1] = self.facts.pairs, self.facts.predicted, self.facts.pairs * self.facts.lowest
        return Histogram(counted[0].astype(np.int64), counted[1].astype(np.int64), counted[2])

    def stratify(self, method: Method, strata: int, guess: Guess = "scaled") -> Cut:
        """Return the strata: those that counting every score would give."""
        if method == "score":
            raise BadSetting(
                "The sampler importance makes a stratum of every score, which a pool in an engine does not "
                "count: use adaptive, or open the pool with engine='memory'."
            )
        evidence = self._evidence(guess)
        if method == "none" or self.facts.lowest == self.facts.highest:
            return cut(self._counted(evidence).segments, "none", 1)
        settled = self._settled(method, strata, evidence)
        return self._csf(settled, strata, evidence) if method == "csf" else cut(settled, method, strata)

    def prefix(self, cut: Cut, length: int, seed: int) -> Prefix:
        """Return the first `length` pairs of every cell; a longer prefix begins with a shorter one."""
        sizes = cell_sizes(cut.strata.size, cut.strata.predicted)
        found: list[list[Pair]] = [[] for _ in sizes]
        wanted, factor = [cell for cell, size in enumerate(sizes) if size], 1.0
        while wanted:
            limits = [(cell, limit(length, sizes[cell], factor)) for cell in wanted]
            rows = self._first_places(cut, limits, length, seed)
            for cell in wanted:
                found[cell] = [Pair(left, right) for of, left, right in rows if of == cell]
            wanted = [cell for cell in wanted if len(found[cell]) < min(length, sizes[cell])]
            if wanted and all(text == ALL for _, text in limits):
                raise BadInput(
                    f"The pool has fewer pairs than when it was opened, {len(self):,} then: "
                    "expected it to stay as it is. Open it again."
                )
            factor *= MORE
        start = np.concatenate([[0], np.cumsum([len(pairs) for pairs in found])])
        return Prefix([pair for pairs in found for pair in pairs], start)

    def contains(self, pairs: Sequence[Pair]) -> set[Pair]:
        """Return which of these pairs are in the pool."""
        return (
            {Pair(a, b) for a, b in self._engine.rows(queries.among(self._columns, pairs))} if pairs else set()
        )

    @property
    def scope(self) -> str:
        """What a recall is a share of."""
        return f"the {len(self):,} candidates"

    def _first_places(
        self, cut: Cut, limits: Sequence[tuple[int, str]], length: int, seed: int
    ) -> list[tuple[Any, ...]]:
        bins, bin_, segments = self._binned[SCORE]
        coarse = queries.coarse_rows(bins, bin_, segments.low, segments.high, cut.edges)
        query = queries.first_places(
            self._columns, bins, coarse=coarse, limits=limits, length=length, seed=seed
        )
        return self._engine.rows(query)

    def _evidence(self, guess: Guess) -> str:
        """Return the expression of the number of each pair whose mean makes the guess: see qanat.core.guess."""
        largest = max(abs(self.facts.lowest), abs(self.facts.highest))
        if guess != "scaled":
            return SCORE
        scale = queries.number(-guessing.EXTREME_ODDS / largest if largest else 0.0)
        return f"1.0 / (1.0 + exp({scale} * score))"

    def _counted(self, evidence: str) -> Binned:
        """Return the fine bins, counted once for each kind of evidence."""
        if evidence not in self._binned:
            self._binned[evidence] = binned(self._engine, self._columns, self._binned[SCORE].bins, evidence)[0]
        return self._binned[evidence]

    def _settled(self, method: Method, strata: int, evidence: str) -> Segments:
        """Return segments that no cut goes through, from two more scans at most."""
        _, bin_, segments = self._counted(evidence)
        is_cut = unsettled(segments, method, strata)
        if segments.pairs[is_cut].sum() > MOST_SCORES:
            segments, bin_ = self._again(segments, bin_, is_cut, evidence, parts=PARTS)
            is_cut = unsettled(segments, method, strata)
        if is_cut.any():
            segments, bin_ = self._again(segments, bin_, is_cut, evidence, parts=0)
        return segments

    def _again(
        self, segments: Segments, bin_: Integers, is_cut: NDArray[np.bool_], evidence: str, *, parts: int
    ) -> tuple[Segments, Integers]:
        """Return the segments, and their bins, with some counted anew: in parts, or score by score."""
        ends = (bin_, segments.low, segments.high)
        spans = list(zip(*(column[is_cut].tolist() for column in ends), strict=True))
        bins = self._binned[SCORE].bins
        rows = self._engine.rows(queries.counted(self._columns, bins, evidence, spans, parts))
        numbers = np.array([row[:6] for row in rows], dtype=np.float64)
        both = joined(kept(segments, ~is_cut), as_segments(numbers))
        every = np.concatenate([bin_[~is_cut], numbers[:, 5].astype(np.int64)])
        order = np.argsort(np.concatenate([segments.low[~is_cut], numbers[:, 0]]), kind="stable")
        return both, every[order]

    def _csf(self, settled: Segments, strata: int, evidence: str) -> Cut:
        """Return strata of equal bins of scores, as the paper's CSF rule joins them."""
        lowest, highest = self.facts.lowest, self.facts.highest
        lower, upper = quartiles(settled)
        bins = stratification.bin_count(len(self), highest - lowest, upper - lower, strata)
        histogram = self._in_equal_bins(bins, evidence)
        first = stratification.first_bins(histogram.pairs, "csf", strata)
        edges: Floats = np.linspace(lowest, highest, bins + 1)[first]
        return Cut(stratification.table(histogram, first), edges)

    def _in_equal_bins(self, bins: int, evidence: str) -> Histogram:
        ends = Range(self.facts.lowest, self.facts.highest)
        counted = np.zeros((bins, 3))
        for place, *counts in self._engine.rows(queries.equal_bins(self._columns, ends, bins, evidence)):
            counted[place] = counts
        return Histogram(counted[:, 0].astype(np.int64), counted[:, 1].astype(np.int64), counted[:, 2])


def opened(engine: Engine, columns: Columns, *, name: str, names: str = "", checks: bool = False) -> EnginePool:
    """Return the pool of these columns, or refuse it for what it holds; `name` is that of its source.

    With `checks` all pairs are searched for repeated ones; without, those that are drawn.
    """
    ((pairs, lowest, highest),) = engine.rows(queries.ends(columns))
    if not pairs:
        raise BadInput(f"{name} is empty: expected at least one scored pair. Check the file and its header.")
    if lowest is None or not -LARGEST <= lowest <= highest <= LARGEST:
        _refuse_wrong(engine, columns, pairs, name)
    scale = queries.FINER if pairs > queries.MANY else queries.FINE
    counted, is_right = binned(engine, columns, Bins(float(lowest), float(highest), scale), SCORE)
    if not is_right:
        _refuse_wrong(engine, columns, pairs, name)
    _refuse_repeated(engine, columns, name, checks=checks)
    dropped = 0
    if columns.keeps_highest:
        ((rows, _, _),) = engine.rows(queries.ends(columns._replace(keeps_highest=False)))
        dropped = int(rows) - int(pairs)
    pool = EnginePool(engine, columns, counted, dropped=dropped, names=names)
    if pool.facts.predicted == 0:
        raise BadInput(
            f"{name} has no predicted match: {NOTHING_PREDICTED} The highest score is {pool.facts.highest:g}; "
            "check the column of predictions, or lower the threshold."
        )
    return pool


def binned(engine: Engine, columns: Columns, bins: Bins, evidence: str) -> tuple[Binned, bool]:
    """Return the fine bins counted, and whether every pair has a score, an answer and ids."""
    rows = engine.rows(queries.binned(columns, bins, evidence))
    if any(row[0] is None or row[6] or row[7] or row[8] for row in rows):
        return Binned(bins, *_EMPTY), False
    numbers = np.array([row[:6] for row in rows], dtype=np.float64)
    numbers = numbers[np.argsort(numbers[:, 1], kind="stable")]
    return Binned(bins, numbers[:, 0].astype(np.int64), as_segments(numbers[:, 1:])), True


_EMPTY = (np.empty(0, dtype=np.int64), Segments(*(np.empty(0),) * 5))  # type: ignore[arg-type]


def _refuse_wrong(engine: Engine, columns: Columns, pairs: int, name: str) -> None:
    """Say how many pairs are wrong, and in what."""
    (row,) = engine.rows(queries.wrong(columns))
    what = (
        f"without a score, or with one that is beyond {LARGEST:g}: drop them or give them one",
        "whose prediction is neither 0 nor 1: map its values first",
        "without the ids of two records: drop them or give them some",
        "of a record with itself: drop them",
    )
    counts = [(int(count), text) for count, text in zip(row, what, strict=True) if count]
    raise BadInput("; ".join(f"{name} has {count:,} of {pairs:,} pairs {text}" for count, text in counts) + ".")


def _refuse_repeated(engine: Engine, columns: Columns, name: str, *, checks: bool) -> None:
    for left, right, times in engine.rows(queries.repeated(columns)) if checks else []:
        raise BadInput(repeated(Pair(left, right), times, name))


def as_segments(numbers: Floats) -> Segments:
    """Return segments from rows of low, high, pairs, called, evidence."""
    counts = numbers[:, 2:4].astype(np.int64)
    return Segments(numbers[:, 0], numbers[:, 1], counts[:, 0], counts[:, 1], numbers[:, 4])


def kept(segments: Segments, which: NDArray[Any]) -> Segments:
    """Return some of the segments, in this order."""
    low, high, pairs, predicted, evidence = segments
    return Segments(low[which], high[which], pairs[which], predicted[which], evidence[which])


def joined(some: Segments, others: Segments) -> Segments:
    """Return both, lowest scores first."""
    columns: Any = [np.concatenate(column) for column in zip(some, others, strict=True)]
    both = Segments(*columns)
    return kept(both, np.argsort(both.low, kind="stable"))
