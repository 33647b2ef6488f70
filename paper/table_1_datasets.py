"""Table 1: pairs, matches and their imbalance in the datasets, counted from the records."""

from __future__ import annotations

from paper import markdown, pools
from paper.pools import ENTITY_RESOLUTION, TITLES
from paper.results import Effort, Row

TITLE = "Table 1: the datasets"
PRINTED = {
    "amazon_google": ("4,397,038", "3381", "1300"),
    "restaurant": ("745,632", "3328", "224"),
    "dblp_acm": ("5,998,880", "2697", "2224"),
    "abt_buy": ("1,180,452", "1075", "1097"),
    "cora": ("1,675,730", "47.76", "34,368"),
    "tweets100k": ("100,000", "1", "50,000"),
}


def measure(effort: Effort) -> list[Row]:
    """Return a row for each dataset whose records there are."""
    del effort
    return [counted(name) for name in ENTITY_RESOLUTION]


def counted(name: str) -> Row:
    """Return the pairs and matches of a dataset; those of a single source in both orders, as in the paper."""
    left, right, matches = pools.dataset(name).load()
    records = len(left["id"])
    if right is None:
        pairs, found = records * (records - 1), 2 * len(matches)
    else:
        pairs, found = records * len(right["id"]), len(matches)
    return {"dataset": name, "pairs": pairs, "matches": found, "imbalance": (pairs - found) / found}


def facts(rows: list[Row]) -> dict[str, float]:
    """Return what expected.toml bounds."""
    return {
        f"{row['dataset']}: {column}": float(row[column])
        for row in rows
        for column in ("pairs", "matches", "imbalance")
    }


def told(rows: list[Row]) -> str:
    """Return the section of the README."""
    ours = {row["dataset"]: row for row in rows}
    lines = []
    for name, printed in PRINTED.items():
        row = ours.get(name)
        counts = (
            ["-"] * 3
            if row is None
            else [f"{row['pairs']:,}", f"{row['imbalance']:,.2f}", f"{row['matches']:,}"]
        )
        both = [cell for pair in zip(printed, counts, strict=True) for cell in pair]
        lines.append([TITLES[name], *both])
    head = ["dataset", "pairs, paper", "ours", "imbalance, paper", "ours", "matches, paper", "ours"]
    return markdown.table(head, lines)
