"""The one-pair-at-a-time way: the released package `oasis` 0.1.3, or a scalar loop where it cannot be had.

The package asks for a retired name of scikit-learn and for functions that NumPy and SciPy have dropped since.
Both are supplied from outside; its own code, which is what is timed, stays as released.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import importlib.util
import io
import subprocess
import sys
import tempfile
import types
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from qanat import InMemoryPool
from qanat.core import chance
from qanat.core.arrays import Floats
from qanat.samplers import oasis

VERSION = "0.1.3"
MOST_DRAWS = 200_000
RUN = np.zeros(1, dtype=np.int64)

Advance = Callable[[int], object]


def one_at_a_time(pool: InMemoryPool, strata: int) -> tuple[str, Advance]:
    """Return the name of what was found, and the function that makes a number of draws with it."""
    try:
        package = _package()
        return f"the released package oasis {VERSION}", _released(package, pool, strata)
    except Exception as reason:  # noqa: BLE001 - whatever ails a stranger's package, the loop is at hand
        print(f"oasis {VERSION} does not run here ({type(reason).__name__}: {reason}).", file=sys.stderr)
    draws = scalar_loop(pool, strata)
    return "a scalar loop of ours", lambda n: deque(islice(draws, n), maxlen=0)


def scalar_loop(pool: InMemoryPool, strata: int) -> Iterator[float]:
    """Yield the estimate of F1 after each draw of OASIS, in the steps of the released package."""
    stratified = pool.stratify("csf", strata)
    size, label = stratified.strata.size, np.asarray(pool.label)
    start = stratified.strata.start
    state = oasis.init(stratified.strata, alpha=0.5, config=oasis.Config(), stream=chance.stream(0, RUN))
    matches, labels = np.zeros(len(size)), np.zeros(len(size))
    random = np.random.RandomState(0)  # what the package draws from, too
    true_positives = predicted = positives = 0.0
    f = guess = float(state.f_guess[()])
    while True:
        worth = state.prior.strength / np.maximum(labels, 1)
        chosen = _proposal(state, (matches + worth * state.prior.match_rate) / (labels + worth), f)
        stratum = random.choice(len(size), p=chosen)
        pair = stratified.pair[start[stratum] + random.choice(size[stratum])]
        weight = state.weight[stratum] / chosen[stratum]
        matches[stratum] += label[pair]
        labels[stratum] += 1
        true_positives += weight * (label[pair] & pool.prediction[pair])
        predicted += weight * pool.prediction[pair]
        positives += weight * label[pair]
        f = 2 * true_positives / (predicted + positives) if predicted + positives > 0 else guess
        yield f


def _proposal(state: oasis.State, rate: Floats, f: float) -> Floats:
    """Return the epsilon-greedy distribution over the strata at these match rates and this F1."""
    share, epsilon = state.strata.predicted_share, state.config.epsilon
    moment = share * (f**2 * (1 - rate) / 4 + (1 - f) ** 2 * rate) + (1 - share) * f**2 * rate / 4
    mass = state.weight * np.sqrt(moment)
    chosen: Floats = epsilon * state.weight + (1 - epsilon) * mass / mass.sum()
    return chosen


def _released(package: Any, pool: InMemoryPool, strata: int) -> Advance:
    """Return the package's way to draw, after a first draw that shows that it works."""
    np.random.seed(0)  # noqa: NPY002 - the package draws from the global generator
    # It warns of its own divisions and prints the number of its bins.
    warnings.filterwarnings("ignore", module=r"oasis\.")
    label = pool.label.astype(int) if pool.label is not None else np.zeros(0, int)
    with contextlib.redirect_stdout(io.StringIO()):
        sampler = package.OASISSampler(
            0.5,
            pool.prediction.astype(int),
            pool.score,
            label.__getitem__,
            max_iter=MOST_DRAWS,
            stratification_n_strata=strata,
        )
    sampler.sample(1)
    advance: Advance = sampler.sample
    return advance


def _package() -> Any:
    """Return the package, installed for the time of its import if it is not there."""
    if importlib.util.find_spec("oasis"):
        return _imported()
    with tempfile.TemporaryDirectory() as folder:
        _install(folder)
        sys.path.insert(0, folder)
        try:
            return _imported()
        finally:
            sys.path.remove(folder)


def _install(folder: str) -> None:
    """Install the package alone: what it asks for is either here or needs no more than a name."""
    uv = str(Path(sys.executable).with_name("uv"))
    wanted = ["install", "--quiet", "--no-deps", "--target", folder, f"oasis=={VERSION}"]
    for installer in ([sys.executable, "-m", "pip"], [uv, "pip"]):
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            subprocess.run([*installer, *wanted], check=True, capture_output=True)
            return
    raise ModuleNotFoundError(f"oasis {VERSION} is not installed and could not be")


def _imported() -> Any:
    """Return the package with what it misses supplied."""
    found = importlib.metadata.version("oasis")
    if found != VERSION:
        raise ImportError(f"oasis {found} is installed, not {VERSION}")
    _supply_modules()
    verification: Any = importlib.import_module("oasis.input_verification")
    verification.np = _numpy_before_2()
    return importlib.import_module("oasis")


def _supply_modules() -> None:
    """Supply the functions and the modules that it imports; its samplers use the functions only."""
    scipy: Any = importlib.import_module("scipy")
    scipy.percentile, scipy.ptp = np.percentile, np.ptp
    empty: dict[str, dict[str, None]] = {"sklearn": {}, "sklearn.cluster": {"KMeans": None}, "tables": {}}
    missing = [name for name in empty if importlib.util.find_spec(name.partition(".")[0]) is None]
    for name in missing:
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(empty[name])


def _numpy_before_2() -> types.ModuleType:
    """Return NumPy with an `array` whose copy=False copies where it must, as before version 2."""

    def array(values: Any, *, copy: bool = True, **settings: Any) -> Any:
        return np.array(values, copy=copy or None, **settings)

    old = types.ModuleType("numpy")
    vars(old).update(vars(np), array=array)
    return old
