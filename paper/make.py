"""Make the paper's tables and figures again: results, figures, and README.md with both sides.

    python -m paper.make [--only figure_2_budget] [--runs 1000] [--processes 2] [--seed 2017]

The datasets are those of qanat.datasets: in the folder named by QANAT_DATA, or fetched. Needs scikit-learn,
SciPy and matplotlib. With --only, the other parts stay as they are. The exit status is 1 if a fact lies
outside its bounds in expected.toml without being known to.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

# Before NumPy is imported: small matrices do not gain from threads, and processes would fight for them.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from paper import expected, report, results
from paper.parts import NAMES, Part, part
from paper.results import Effort

SECONDS = "seconds"


def main() -> int:
    """Make every part asked for and the README; return 1 if something is not as expected."""
    arguments = parsed()
    effort = Effort(arguments.runs, arguments.processes, arguments.seed)
    for name in arguments.only or NAMES:
        print(f"{name} ...", flush=True)
        print(f"{name}: {made(part(name), effort):.0f} s", flush=True)
    missing = [name for name in NAMES if not (results.RESULTS / f"{name}.parquet").exists()]
    if missing:
        print(f"README.md stays as it is until these are made: {', '.join(missing)}.")
        return 1
    report.write()
    surprises = [verdict for verdict in expected.verdicts() if verdict.is_surprise]
    print(*(f"Not as expected: {verdict}" for verdict in surprises), sep="\n")
    print(f"README.md is written; {sum(row['seconds'] for row in results.read(SECONDS)):.0f} s for all parts.")
    return int(bool(surprises))


def made(one: Part, effort: Effort) -> float:
    """Measure a part, write its results and its figure, and return the seconds that it took."""
    began = time.monotonic()
    rows = one.measure(effort)
    results.write(one.name, rows, effort)
    if one.draw is not None:
        one.draw(results.read(one.name), one.figure)
    seconds = time.monotonic() - began
    note(one.name, seconds, effort)
    return seconds


def note(name: str, seconds: float, effort: Effort) -> None:
    """Write down the seconds of a part beside those of the others."""
    kept = results.read(SECONDS) if (results.RESULTS / f"{SECONDS}.parquet").exists() else []
    known = {row["part"]: row for row in kept}
    known[name] = {
        "part": name,
        "seconds": seconds,
        "runs": effort.runs,
        "processes": effort.processes,
        "command": results.command(name, effort),
    }
    results.store(SECONDS, [known[each] for each in NAMES if each in known])


def parsed() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=NAMES, action="append", help="this part; may be given again")
    parser.add_argument("--runs", type=int, default=Effort().runs)
    parser.add_argument("--processes", type=int, default=Effort().processes)
    parser.add_argument("--seed", type=int, default=Effort().seed)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
