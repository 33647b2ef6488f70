"""Table 2: size, imbalance and true measures of the pools on which everything else is measured."""

from __future__ import annotations

from paper import markdown, pipeline, pools
from paper.pools import ENTITY_RESOLUTION, POOLS, TITLES
from paper.results import Effort, Row
from qanat import InMemoryPool

TITLE = "Table 2: the pools"
PRINTED = {
    "amazon_google": ("676,267", "3381", "200", "0.597", "0.185", "0.282"),
    "restaurant": ("149,747", "3328", "45", "0.909", "0.888", "0.899"),
    "dblp_acm": ("53,946", "2697", "20", "1.0", "0.9", "0.947"),
    "abt_buy": ("53,753", "1075", "50", "0.916", "0.44", "0.595"),
    "cora": ("328,291", "47.76", "6874", "0.841", "0.837", "0.839"),
    "tweets100k": ("20,000", "0.9903", "10049", "0.762", "0.778", "0.770"),
}
COLUMNS = ("pairs", "imbalance", "matches", "precision", "recall", "f")


def measure(effort: Effort) -> list[Row]:
    """Return a row for each pool."""
    del effort
    published = [
        counted(name, "ours" if name == "cora" else "the authors'", pools.opened(name)) for name in POOLS
    ]
    return published + [counted(name, "qanat er", pipeline.made(name)) for name in ENTITY_RESOLUTION]


def counted(name: str, made: str, pool: InMemoryPool) -> Row:
    """Return the true measures of a pool, and who made it."""
    assert pool.label is not None
    pairs, matches, predicted = len(pool), int(pool.label.sum()), int(pool.prediction.sum())
    found = int((pool.label & pool.prediction).sum())
    return {
        "pool": name,
        "made": made,
        "pairs": pairs,
        "imbalance": (pairs - matches) / matches,
        "matches": matches,
        "predicted": predicted,
        "precision": found / predicted,
        "recall": found / matches,
        "f": 2 * found / (predicted + matches),
    }


def facts(rows: list[Row]) -> dict[str, float]:
    """Return what expected.toml bounds."""
    return {
        f"{row['pool']}: {column}": float(row[column])
        for row in rows
        if row["made"] != "qanat er"
        for column in COLUMNS
    } | {f"{row['pool']} of qanat er: f": float(row["f"]) for row in rows if row["made"] == "qanat er"}


def told(rows: list[Row]) -> str:
    """Return the section of the README."""
    lines = []
    for name in POOLS:
        lines.append([TITLES[name], "the paper's table", *PRINTED[name]])
        lines += [["", row["made"], *_cells(row)] for row in rows if row["pool"] == name]
    head = ["pool", "made by", "pairs", "imbalance", "matches", "precision", "recall", "F_1/2"]
    return markdown.table(head, lines)


def _cells(row: Row) -> list[str]:
    return [
        f"{row['pairs']:,}",
        f"{row['imbalance']:,.{4 if row['imbalance'] < 1 else 2}f}",
        f"{row['matches']:,}",
        *(f"{row[column]:.4f}" for column in ("precision", "recall", "f")),
    ]
