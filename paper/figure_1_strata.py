"""Figure 1: size and mean score of the CSF strata of Abt-Buy, with calibrated scores."""

from __future__ import annotations

from pathlib import Path

from paper import plots, pools
from paper.results import Effort, Row

TITLE = "Figure 1: CSF strata of Abt-Buy"
# The paper does not say how many; 30 is what its other figure with calibrated scores has.
STRATA = 30


def measure(effort: Effort) -> list[Row]:
    """Return a row for each stratum, by rising score."""
    del effort
    strata = pools.opened("abt_buy", "prob").stratify("csf", STRATA, "probability").strata
    return [
        {"stratum": k + 1, "size": int(size), "predicted": int(predicted), "mean_score": evidence / size}
        for k, (size, predicted, evidence) in enumerate(zip(*strata, strict=True))
    ]


def draw(rows: list[Row], path: Path) -> None:
    """Draw sizes as bars and mean scores as a line."""
    figure, axes = plots.figure(2, 1, (plots.COLUMN, 2.7), sharex=True)
    stratum = [row["stratum"] for row in rows]
    above, below = axes[:, 0]
    above.bar(stratum, [row["size"] for row in rows], color=plots.SKY, edgecolor=plots.BLUE, lw=0.5)
    above.set_ylabel("pairs")
    below.plot(stratum, [row["mean_score"] for row in rows], "o-", color=plots.VERMILION, lw=1)
    below.set(xlabel="stratum, by rising score", ylabel="mean score")
    for each in (above, below):
        plots.logarithmic(each, x=False)
    above.set_ylim(bottom=10)
    plots.save(figure, path)


def facts(rows: list[Row]) -> dict[str, float]:
    """Return what expected.toml bounds."""
    size = [row["size"] for row in rows]
    return {
        "largest stratum / smallest": max(size) / min(size),
        "pairs in the smallest stratum": float(min(size)),
    }


def told(rows: list[Row]) -> str:
    """Return the section of the README."""
    low, high = rows[0], rows[-1]
    return (
        f"The lowest of {len(rows)} strata holds {low['size']:,} pairs with a mean score of "
        f"{low['mean_score']:.5f}, the highest {high['size']} with {high['mean_score']:.3f}: "
        "large strata of low scores and small ones of high scores, as the paper says."
    )
