"""Speed and memory of the samplers, measured in one run and printed beside their targets.

    python bench/samplers.py [--json bench/results/samplers.json]

Times are CPU times, each the best of several repeats; what is compared takes turns, so that a noisy machine
disturbs both. The exit status is 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import qanat
from one_at_a_time import one_at_a_time
from qanat.answers import Seen
from qanat.core import chance
from qanat.pool.in_memory import InMemoryPool, Stratified
from qanat.samplers import SAMPLERS
from table import HEAD, Line, ratio, repeated, write

RUNS, STRATA = 250, 60
# Pairs in the pools: Cora as in the paper, the smallest and the largest that IS is compared on, a huge one.
CORA, SMALL, LARGE, HUGE = 328_291, 53_753, 676_267, 10_000_000
# As many iterations as uniforms are made at a time, so that every repeat pays for them alike.
ITERATIONS = chance.AHEAD
DRAWS_ALONE = 2000
REPEATS = 9
MICRO = 1e6

Timing = Callable[[], float]


def main() -> int:
    """Measure, print, write, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    parser.add_argument("--peak", choices=SAMPLERS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peak:
        print(peak(arguments.peak))
        return 0
    notes: list[str] = []
    lines = printed(measured(notes))
    print(*notes, sep="\n")
    missed = [line.name for line in lines if line.is_missed]
    print("Missed: " + "; ".join(missed) + "." if missed else "Every target is met.")
    if arguments.json:
        write(arguments.json, lines, notes)
    return 1 if missed else 0


def printed(lines: Iterator[Line]) -> list[Line]:
    """Return the lines, each printed when it is there."""
    print(HEAD)
    kept = []
    for line in lines:
        print(line, flush=True)
        kept.append(line)
    return kept


def measured(notes: list[str]) -> Iterator[Line]:
    """Yield every line, and add to `notes` what must be said of them."""
    # Memory first: the peak of a child counts that of the parent from which it was split.
    yield from memory()
    yield from start_up()
    yield from against_one_at_a_time(notes)
    yield from by_pool_size()
    yield from set_up()


def memory() -> Iterator[Line]:
    """Yield the peak memory of simulations, each in a process of its own."""
    for method in ("oasis", "importance"):
        command = [sys.executable, __file__, "--peak", method]
        spoken = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        name = f"{method}: peak of {RUNS} runs, 1000 labels, {LARGE} pairs"
        yield Line(name, "GiB", float(spoken), most=1.0)


def start_up() -> Iterator[Line]:
    """Yield the CPU seconds of starting, the bare interpreter's included and beside them."""
    python = [sys.executable, "-c"]
    shell = str(Path(sys.executable).with_name("qanat"))
    commands: dict[str, tuple[list[str], float | None]] = {
        "python -c pass": ([*python, "pass"], None),
        "import qanat": ([*python, "import qanat"], 0.3),
        "import qanat, and its parts that come when used": (
            [*python, "import qanat; qanat.open_pool, qanat.simulate"],
            None,
        ),
        "qanat --help": ([shell, "--help"], 0.15),
    }
    seconds = in_turn([partial(child_seconds, command) for command, _ in commands.values()], repeats=7)
    for (name, (_, most)), values in zip(commands.items(), seconds, strict=True):
        yield repeated(name, "s", values, most=most)


def against_one_at_a_time(notes: list[str]) -> Iterator[Line]:
    """Yield the cost of OASIS on a pool like Cora, ours and one pair at a time."""
    pool = generated(CORA)
    name, advance = one_at_a_time(pool, STRATA)
    notes.append(f"One pair at a time: {name}.")
    step = partial(step_cost, "oasis", pool, pool.stratify("csf", STRATA))
    ours, whole, theirs = in_turn([step, partial(simulation_cost, pool), partial(draw_cost, advance)])
    yield repeated(f"oasis: iteration and run, {CORA} pairs", "us", ours, most=1.0)
    yield repeated("oasis: the same of qanat.simulate, all included", "us", whole)
    yield repeated(f"one pair at a time: iteration, {CORA} pairs", "us", theirs)
    # The target is about the package; our own loop is a better one.
    least = 40.0 if name.startswith("the released") else None
    yield ratio("one pair at a time / oasis", theirs, ours, least=least)


def by_pool_size() -> Iterator[Line]:
    """Yield how the cost of a draw of IS grows with the pool.

    The target is meant for the draw, which is `ask` alone and where the pool's size tells most; the whole
    iteration, which also looks up the label and tells it, must meet it too.
    """
    pools = [generated(size) for size in (SMALL, LARGE)]
    cuts = [pool.stratify("score", STRATA) for pool in pools]
    steps = [partial(step_cost, "importance", pool, cut) for pool, cut in zip(pools, cuts, strict=True)]
    asks = [partial(ask_cost, "importance", cut) for cut in cuts]
    small, large, small_ask, large_ask = in_turn([*steps, *asks])
    for part, few, many in (("iteration and run", small, large), ("ask alone", small_ask, large_ask)):
        yield repeated(f"importance: {part}, {SMALL} pairs", "us", few)
        yield repeated(f"importance: {part}, {LARGE} pairs", "us", many)
        yield ratio(f"importance: {part}, {LARGE} / {SMALL} pairs", many, few, most=1.5)


def set_up() -> Iterator[Line]:
    """Yield the cost of preparing a huge pool, beside one sort of its scores."""
    columns = pairs(HUGE)
    sort = partial(np.argsort, columns["score"])
    ours, theirs = in_turn(
        [partial(cpu_seconds, partial(prepared, columns)), partial(cpu_seconds, sort)], repeats=3
    )
    yield repeated(f"open, stratify and init, {HUGE} pairs", "s", ours)
    yield ratio("open, stratify and init / one argsort", ours, theirs)
    pool = opened(columns)
    step = partial(step_cost, "oasis", pool, pool.stratify("csf", STRATA), runs=1)
    yield repeated(f"oasis: iteration of a single run, {HUGE} pairs", "us", *in_turn([step], repeats=3))


def in_turn(timings: Sequence[Timing], repeats: int = REPEATS) -> list[list[float]]:
    """Return what each timing says, `repeats` times, taken in turn."""
    rounds = [[timing() for timing in timings] for _ in range(repeats)]
    return [list(values) for values in zip(*rounds, strict=True)]


def step_cost(method: str, pool: InMemoryPool, stratified: Stratified, runs: int = RUNS) -> float:
    """Return the microseconds of an iteration of one run, as qanat.simulate makes them: ask to tell."""
    sampler, state = SAMPLERS[method], begun(method, stratified, runs)
    labels = np.asarray(pool.label)[stratified.pair]
    start, running = state.strata.start, np.arange(runs)
    seen, distinct = Seen(runs, len(pool)), np.zeros(runs, dtype=np.int64)
    started = time.process_time()
    for _ in range(ITERATIONS):
        state, draws = sampler.ask(state, 1)
        pair = (start[draws.stratum] + draws.place)[:, 0]
        state = sampler.tell(state, draws, labels[pair][:, None])
        distinct += seen.add(running, pair)
    return (time.process_time() - started) / ITERATIONS / runs * MICRO


def ask_cost(method: str, stratified: Stratified) -> float:
    """Return the microseconds of a draw that is not told."""
    sampler, state = SAMPLERS[method], begun(method, stratified, RUNS)
    started = time.process_time()
    for _ in range(ITERATIONS):
        state, _draws = sampler.ask(state, 1)
    return (time.process_time() - started) / ITERATIONS / RUNS * MICRO


def draw_cost(advance: Callable[[int], object]) -> float:
    """Return the microseconds of a draw made one at a time."""
    return cpu_seconds(partial(advance, DRAWS_ALONE)) / DRAWS_ALONE * MICRO


def simulation_cost(pool: InMemoryPool) -> float:
    """Return the microseconds of an iteration of one run with the set-up, the checkpoints and the limits."""
    result = qanat.simulate(pool, sampler="oasis", strata=STRATA, budget=2000, runs=RUNS)
    return result.cpu_seconds / result.iterations_per_run / RUNS * MICRO


def peak(method: str) -> float:
    """Return the peak memory of this process in GiB after a simulation."""
    qanat.simulate(generated(LARGE), sampler=method, strata=STRATA, budget=1000, runs=RUNS)
    return peak_memory()


def peak_memory() -> float:
    """Return the peak memory of this process in GiB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30


def cpu_seconds(action: Callable[[], object]) -> float:
    """Return the CPU seconds that an action takes."""
    started = time.process_time()
    action()
    return time.process_time() - started


def child_seconds(command: Sequence[str]) -> float:
    """Return the CPU seconds of a command, its own and the system's for it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def pairs(size: int) -> dict[str, NDArray[Any]]:
    """Return scored pairs as a linear classifier leaves them: 2 % match, nearly all margins are negative."""
    random = np.random.default_rng(size)
    label = random.random(size) < 0.02
    score = np.where(label, random.normal(0.4, 0.5, size), random.gamma(3.0, 0.15, size) - 1.6)
    return {"score": score, "prediction": score > 0, "label": label}


def generated(size: int) -> InMemoryPool:
    """Return a pool of generated pairs whose scores all differ."""
    pool = opened(pairs(size))
    assert len(np.unique(pool.score)) == size
    return pool


def opened(columns: dict[str, NDArray[Any]]) -> InMemoryPool:
    """Return the pool of these columns."""
    return qanat.open_pool(columns, prediction="prediction", label="label")


def prepared(columns: dict[str, NDArray[Any]]) -> Any:
    """Return the state of OASIS before the first draw, from the columns."""
    return begun("oasis", opened(columns).stratify("csf", STRATA), runs=1)


def begun(method: str, stratified: Stratified, runs: int) -> Any:
    """Return the state of a method before its first draw."""
    sampler = SAMPLERS[method]
    stream = chance.stream(0, np.arange(runs))
    return sampler.init(stratified.strata, alpha=0.5, config=sampler.Config(), stream=stream)


if __name__ == "__main__":
    sys.exit(main())
