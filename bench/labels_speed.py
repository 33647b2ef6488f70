"""Part 5: how long a step takes when somebody waits, and a simulation."""

from __future__ import annotations

import statistics
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from labels_jobs import Job, Report, Results, Verdict, simulated, table
from qanat import InMemoryPool
from qanat.core import chance
from qanat.core.strata import crossed
from qanat.samplers import adaptive

POOL = "amazon_google"
STRATA, LEVEL = 60, 0.95
BATCH, STEPS = 10, 50
RUNS, LABELS = 500, 1000
STEP, PLAIN, ENVELOPE = "step", "simulation", "simulation with envelope"


def jobs(_: int) -> list[Job]:
    """Return the timings; their number of runs is part of what is promised."""
    simulation = partial(simulated, sampler="adaptive", strata=STRATA, runs=RUNS)
    return [
        Job(POOL, "natural", STEP, stepped),
        Job(POOL, "natural", PLAIN, partial(simulation, checkpoints=(100, 200, 500, LABELS))),
        Job(
            POOL, "natural", ENVELOPE, partial(simulation, checkpoints=(200, 500, LABELS), interval="envelope")
        ),
    ]


def report(results: Results, _: Path) -> Report:
    """Return the times and the verdicts."""
    step = results[POOL, "natural", STEP]
    simulations = {way: results[POOL, "natural", way]["cpu_seconds"] for way in (PLAIN, ENVELOPE)}
    rows = [
        [f"step of {BATCH} labels with envelope, {step['cells']} cells, median", f"{step['median']:.1f} ms"],
        ["the same, slowest", f"{step['slowest']:.1f} ms"],
        *(
            [f"{way}, {RUNS} runs to {LABELS} labels", f"{seconds:.1f} s"]
            for way, seconds in simulations.items()
        ),
    ]
    verdicts = [Verdict(f"milliseconds of a step at {STRATA} strata", step["median"], most=30.0)]
    verdicts += [
        Verdict(f"CPU seconds of a {way}", seconds, most=120.0) for way, seconds in simulations.items()
    ]
    return Report([table(f"CPU times, {POOL}, {STRATA} strata", ["", "time"], rows)], verdicts)


def stepped(pool: InMemoryPool) -> dict[str, Any]:
    """Return the milliseconds of a step of one run: ask, tell, estimate with interval."""
    assert pool.label is not None
    cut = pool.stratify("log-rank", STRATA)
    cells = crossed(cut.strata)
    label = pool.label[np.array(pool.prefix(cut, len(pool), 0).pairs)]
    config = adaptive.Config(batch=BATCH)
    state = adaptive.init(cut.strata, alpha=0.5, config=config, stream=chance.stream(0, np.arange(1)))
    times = []
    for _ in range(STEPS):
        started = time.process_time()
        state, draws = adaptive.ask(state, BATCH)
        told = label[cells.start[draws.stratum] + draws.place]
        state = adaptive.tell(state, draws, told)
        adaptive.estimate(state)
        adaptive.envelope(state, LEVEL)
        times.append(1000 * (time.process_time() - started))
    # The first step prepares what all others use.
    return {
        "cells": len(cells.size),
        "first": times[0],
        "median": statistics.median(times),
        "slowest": max(times[1:]),
        "checkpoints": [],
    }
