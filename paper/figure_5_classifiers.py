"""Figure 5: errors after 5000 labels for five classifiers of Abt-Buy, which qanat.er trains."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from paper import markdown, pipeline, plots
from paper.measurements import ADAPTIVE, BASELINES, Job, Method, at, measured, oasis, rows_of, simulation
from paper.pipeline import CLASSIFIERS
from paper.plots import LOOKS
from paper.results import Effort, Row
from qanat import InMemoryPool

TITLE = "Figure 5: five classifiers on Abt-Buy"
POOL = "abt_buy"
EARLY, FAR = 1000, 5000
METHODS = (*BASELINES, oasis(30), ADAPTIVE)
ERROR = "mean_absolute_error"
# Half the width of a 95 % interval in standard errors.
NORMAL = 1.96
# Precision, recall and F in lines of the paper's source that are commented out, and in its Table 2.
PRINTED = {
    "L-SVM": "0.916, 0.44, 0.595",
    "R-SVM": "0.941, 0.32, 0.478",
    "NN": "0.806, 0.58, 0.674",
    "AB": "0.722, 0.52, 0.605",
    "LR": "0.806, 0.5, 0.617",
}


class Task(NamedTuple):
    """A method on the pool of a classifier."""

    classifier: str
    method: Method


def measure(effort: Effort) -> list[Row]:
    """Return the error of every method for every classifier."""
    tasks = [Task(classifier, method) for classifier in CLASSIFIERS for method in METHODS[::-1]]
    return measured(tasks, effort, classified)


def classified(task: Task, effort: Effort) -> list[Row]:
    """Return the errors of a method and how often its interval holds, with what the pool is."""
    pool = pipeline.made(POOL, task.classifier)
    job = Job(POOL, task.method, (EARLY, FAR))
    done = simulation(job, effort, pool, interval="envelope" if task.method == ADAPTIVE else "delta")
    facts = {"classifier": task.classifier} | measures(pool)
    intervals = [{"coverage": point.coverage, "width": point.width} for point in done.checkpoints]
    return [facts | row | each for row, each in zip(rows_of(job, done), intervals, strict=True)]


def measures(pool: InMemoryPool) -> Row:
    """Return precision and recall, and the share of the matches that are not among the highest scores."""
    assert pool.label is not None
    found, matches = int((pool.label & pool.prediction).sum()), int(pool.label.sum())
    highest = np.argsort(-pool.score, kind="stable")[:FAR]
    return {
        "precision": found / int(pool.prediction.sum()),
        "recall": found / matches,
        "buried": 1 - int(pool.label[highest].sum()) / matches,
    }


def draw(rows: list[Row], path: Path) -> None:
    """Draw the errors with 95 % intervals, methods side by side."""
    figure, axes = plots.figure(1, 1, (plots.COLUMN, 2.6))
    for i, method in enumerate(METHODS):
        found = [at(rows, classifier=classifier, method=method.name, labels=FAR) for classifier in CLASSIFIERS]
        _points(axes[0, 0], {place + (i - 2) * 0.14: row for place, row in enumerate(found)}, method.name)
    plots.logarithmic(axes[0, 0], x=False)
    axes[0, 0].set_xticks(range(len(CLASSIFIERS)), list(CLASSIFIERS))
    axes[0, 0].set_ylabel(f"abs. err. after {FAR} labels")
    figure.legend(loc="outside lower center", ncols=3, columnspacing=0.8, handletextpad=0.2)
    plots.save(figure, path)


def _points(axes: Axes, row_at: dict[float, Row], name: str) -> None:
    """Draw the errors of a method; one of zero, which has no place on the scale, is told at the bottom."""
    look, known = LOOKS[name], {x: row for x, row in row_at.items() if row[ERROR]}
    errors = [NORMAL * row[f"{ERROR}_se"] for row in known.values()]
    values = [row[ERROR] for row in known.values()]
    style: dict[str, Any] = {"fmt": look.marker, "color": look.colour, "ms": 4.5, "lw": 1, "capsize": 1.5}
    axes.errorbar(list(known), values, errors, label=name, **style)
    for x in row_at.keys() - known.keys():
        below = axes.get_xaxis_transform()
        axes.text(x, 0.02, "exact", color=look.colour, rotation=90, ha="center", transform=below)


def facts(rows: list[Row]) -> dict[str, float]:
    """Return what expected.toml bounds."""
    error = {(row["classifier"], row["method"]): row[ERROR] for row in rows if row["labels"] == FAR}
    result = {
        f"{each}: next best / OASIS 30": min(error[each, method.name] for method in BASELINES)
        / error[each, "OASIS 30"]
        for each in CLASSIFIERS
    }
    result["IS / OASIS 30, the largest"] = max(
        error[each, "IS"] / error[each, "OASIS 30"] for each in CLASSIFIERS
    )
    return result


def told(rows: list[Row]) -> str:
    """Return the section of the README."""
    shown = [*((method, FAR) for method in METHODS), (oasis(30), EARLY), (ADAPTIVE, EARLY)]
    lines, others = [], []
    for classifier in CLASSIFIERS:
        found = [at(rows, classifier=classifier, method=method.name, labels=n) for method, n in shown]
        lines.append([classifier, *map(markdown.with_error, found)])
        ours = ", ".join(f"{found[0][name]:.3f}" for name in ("precision", "recall", "truth"))
        covered = (f"{markdown.share(row['coverage'])} ({row['width']:.2f})" for row in found[-4:])
        others.append([classifier, PRINTED[classifier], ours, markdown.share(found[0]["buried"]), *covered])
    names = [f"{method.name}, {n:,}" for method, n in shown]
    head = [
        "classifier",
        "precision, recall, F: the paper's",
        "ours",
        f"matches below the {FAR:,} highest scores",
    ]
    return "\n\n".join(
        [
            "Mean absolute error of F_1/2 after so many labels:",
            markdown.table(["classifier", *names], lines),
            "The pools, and how often a 95 % interval holds F_1/2 (its mean width):",
            markdown.table([*head, *names[-4:]], others),
        ]
    )
