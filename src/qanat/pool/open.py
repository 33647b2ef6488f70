"""The door through which every pool comes in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qanat.errors import BadInput, nearest
from qanat.pool.base import (
    checked_predictions,
    checked_scores,
    checked_zeros_and_ones,
    predicted_above,
)
from qanat.pool.in_memory import InMemoryPool

Source = str | os.PathLike[str] | Mapping[str, Any]


def open_pool(
    source: Source,
    *,
    score: str = "score",
    prediction: str | None = None,
    threshold: float | None = None,
    label: str | None = None,
) -> InMemoryPool:
    """Return the pool of scored pairs in `source`: a CSV, CSV.gz or Parquet file, or a mapping of columns.

    `score`, `prediction` and `label` name its columns. Instead of `prediction`, a `threshold` predicts a
    match for every pair that scores at least as much.

    >>> pairs = {"score": [0.9, 0.2, 0.6], "truth": [1, 0, 0]}
    >>> pool = open_pool(pairs, threshold=0.5, label="truth")
    >>> pool.prediction
    array([ True, False,  True])
    """
    if (prediction is None) == (threshold is None):
        raise BadInput(
            "What counts as a predicted match is not said once: give the name of the prediction column "
            "or a threshold for the score, one of the two."
        )
    names = [name for name in (score, prediction, label) if name is not None]
    columns = _columns(source, names)
    scores = checked_scores(columns[score], score)
    if prediction is None:
        predictions = predicted_above(scores, float(threshold or 0.0))
    else:
        predictions = checked_predictions(columns[prediction], prediction, len(scores))
    labels = None if label is None else checked_zeros_and_ones(columns[label], label, len(scores))
    return InMemoryPool(scores, predictions, labels)


def _columns(source: Source, names: list[str]) -> Mapping[str, Any]:
    if not isinstance(source, str | os.PathLike):
        missing = [name for name in names if name not in source]
        if missing:
            known = [str(name) for name in source]
            raise BadInput(f"There is no column {missing[0]!r}. {nearest(missing[0], known)}")
        return source
    # DuckDB is imported only where a file is read: it is the slowest part of starting.
    from qanat.pool.on_duckdb import read_columns

    return read_columns(Path(source), names)
