"""README.md of this folder: each table and figure with the paper's values beside ours, from the results."""

from __future__ import annotations

import re
from pathlib import Path

from paper import expected, markdown, results, savings
from paper.expected import Verdict
from paper.figure_2_budget import FAR, FARTHER
from paper.measurements import ADAPTIVE, at
from paper.parts import NAMES, Part, part
from paper.pools import TITLES
from paper.results import HERE

README = HERE / "README.md"
WORDS = HERE / "words.md"
# Parts whose tables have the printed values beside ours already.
COUNTED = ("table_1_datasets", "table_2_pools")

TITLE = "# The paper's experiments, made again"


def write(path: Path = README) -> None:
    """Write the page."""
    path.write_text(text(), encoding="utf-8")


def text() -> str:
    """Return the page: what holds, then every part."""
    verdicts = expected.verdicts()
    sections = [section(part(name), [each for each in verdicts if each.part == name]) for name in NAMES]
    return "\n\n".join([TITLE, words()["beginning"], summary(verdicts), *sections, seconds()]) + "\n"


def summary(verdicts: list[Verdict]) -> str:
    """Return the headline, how many facts lie within their bounds, and those that do not."""
    outside = [each for each in verdicts if not each.holds]
    told = [
        "## What holds",
        headline(),
        f"{len(verdicts) - len(outside)} of {len(verdicts)} facts lie within their bounds."
        + (" Not so:" if outside else ""),
    ]
    if outside:
        told.append(
            "\n".join(
                f"- {each.fact} ({part(each.part).title}): {each.outside or 'it is not known why'}"
                for each in outside
            )
        )
    return "\n\n".join(told)


def headline() -> str:
    """Return the largest savings of OASIS beside the paper's, and what adaptive does there."""
    rows = results.read("savings")
    lines = []
    for of in (FAR, FARTHER):
        most = savings.best(rows, of)
        ours = at(rows, pool=most["pool"], method=ADAPTIVE.name, of=of)
        lines.append(
            f"For the error that {most['next_best']}, the next best, has after {of:,} labels on "
            f"{TITLES[most['pool']]}, {most['method']} needs {most['labels']:,.0f}, "
            f"{100 * most['saving']:.0f} % fewer, and `adaptive` {ours['labels']:,.0f}."
        )
    return "\n".join([*lines, 'The paper says "up to 83 %".'])


def section(one: Part, verdicts: list[Verdict]) -> str:
    """Return what is told of a part: its figure, its tables, the differences, and the bounds."""
    rows = results.read(one.name)
    image = [] if one.draw is None else [f"![{one.title}](figures/{one.figure.name})"]
    said = [text for text in (words().get(one.name, ""),) if text]
    bounds = [bounds_table(verdicts)]
    if one.name in COUNTED and all(each.holds for each in verdicts):
        bounds = [f"All {len(verdicts)} figures lie within their bounds."]
    origin = f"[Results](results/{one.name}.parquet), made by `{rows[0]['command']}`."
    return "\n\n".join([f"## {one.title}", *image, one.told(rows), *said, *bounds, origin])


def words() -> dict[str, str]:
    """Return the text on each part."""
    sections = re.split(r"^## (\w+)\n", WORDS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {name: text.strip() for name, text in zip(sections[::2], sections[1::2], strict=True)}


def bounds_table(verdicts: list[Verdict]) -> str:
    """Return the facts with what the paper says, ours, the bounds, and whether it lies within."""
    lines = [
        [
            each.fact,
            each.printed,
            markdown.digits(each.ours, 4),
            bounds(each),
            "yes" if each.holds else "**no**",
        ]
        for each in verdicts
    ]
    return markdown.table(["", "paper", "ours", "bounds", "within"], lines)


def bounds(verdict: Verdict) -> str:
    """Return the bounds in words."""
    low, high = (markdown.digits(value, 7) for value in (verdict.low, verdict.high))
    if verdict.low == verdict.high:
        return f"exactly {low}"
    if verdict.low == -float("inf"):
        return f"at most {high}"
    return f"at least {low}" if verdict.high == float("inf") else f"{low} to {high}"


def seconds() -> str:
    """Return how long each part took."""
    rows = results.read("seconds")
    lines = [[row["part"], f"{row['runs']:,}", str(row["processes"]), f"{row['seconds']:.0f}"] for row in rows]
    lines.append(["all", "", "", f"{sum(row['seconds'] for row in rows):.0f}"])
    return f"## How long it takes\n\n{markdown.table(['part', 'runs', 'processes', 'seconds'], lines)}"
