"""Tables and numbers in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from paper.results import Row


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, the first column to the left and the others to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def digits(value: float | None, figures: int = 3) -> str:
    """Return a number to so many significant figures, in plain digits where they suffice."""
    if value is None:
        return "-"
    if value == 0:
        return "0"
    text = f"{value:,.{figures}g}"
    if "e" not in text:
        return text
    return f"{value:,.0f}" if abs(value) >= 1 else f"{value:.{figures - 1}e}"


def with_error(row: Row | None, column: str = "mean_absolute_error") -> str:
    """Return a mean and its Monte Carlo error, or a dash where there is none."""
    if row is None or row[column] is None:
        return "-"
    if row[column] == 0:
        return "0"
    return f"{row[column]:.4f} ± {row[f'{column}_se']:.4f}"


def share(value: float) -> str:
    """Return a share in per cent."""
    return f"{100 * value:.0f} %"
