"""HDF5 files: the one place that imports h5py, and the pools that their authors published in this form.

The files of the authors' experiments were not at hand here. They are read as their README describes them; the
array of ids, which it does not name, is found by elimination. The checksum of the result decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qanat.datasets.conversion import canonical
from qanat.datasets.origin import File, Source
from qanat.errors import NotInstalled

# The pools of the authors of OASIS.
POOLS = (
    "https://raw.githubusercontent.com/ngmarchant/activeeval-experiments/"
    "212d601dc44c4917a64ab251e75f8de935ae247f/datasets/"
)
# The names of the arrays, and of the columns made from them.
PUBLISHED = {"labels": "label", "preds": "pred", "scores": "score", "probs": "prob"}
ANSWERS = ("label", "pred")
FEATURES = "features"


def library() -> Any:
    """Return h5py, or refuse in one line if it is not installed."""
    try:
        import h5py
    except ImportError:
        raise NotInstalled("h5py", "datasets") from None
    return h5py


def arrays(source: Path | BytesIO) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file by name."""
    with library().File(source, "r") as file:
        return {name: np.asarray(file[name]) for name in file}


def columns(found: dict[str, NDArray[Any]]) -> dict[str, list[object]]:
    """Return the columns of a pool: label, pred, score, then what there is of prob and features f1, f2..."""
    # Where there are no answers they are the sign of the score, as its authors take them.
    found = {"preds": found["scores"] >= 0} | found
    pool = {name: found[array].ravel() for array, name in PUBLISHED.items() if array in found}
    pool |= {name: pool[name].astype(np.int64) for name in ANSWERS}
    features = np.asarray(found.get(FEATURES, np.empty((len(pool["label"]), 0))), dtype=np.float64)
    pool |= {f"f{place}": feature for place, feature in enumerate(features.T, start=1)}
    return {name: values.tolist() for name, values in pool.items()}


def published(name: str, path: str, sha256: str, *, ids: Sequence[str] = (), has_features: bool = True) -> File:
    """Return a pool that is a file of its own, whose items are named by these columns of ids."""
    convert = partial(_pool, names=ids, has_features=has_features)
    return File(path, sha256, (Source(POOLS + name),), convert, ready=library)


def _pool(paths: Sequence[Path], *, names: Sequence[str], has_features: bool) -> bytes:
    """Return the canonical form of a pool."""
    found = arrays(paths[0])
    ids = _ids(found, names) if names else {}
    kept = {name: array for name, array in found.items() if has_features or name != FEATURES}
    pool = ids | columns(kept)
    return canonical(list(pool), zip(*pool.values(), strict=True))


def _ids(found: dict[str, NDArray[Any]], names: Sequence[str]) -> dict[str, list[object]]:
    """Return the columns of ids: the one array that the authors do not describe, or the one they call `id`."""
    (unknown,) = set(found) - {*PUBLISHED, FEATURES} if "id" not in found else {"id"}
    ids = found[unknown].reshape(-1, len(names))
    text = np.char.decode(ids) if ids.dtype.kind == "S" else ids
    return {name: text[:, place].tolist() for place, name in enumerate(names)}
