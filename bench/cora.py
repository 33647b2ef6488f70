"""The cora pool: the only one of the paper's pools that is not published, drawn anew from its records.

    python bench/cora.py DATASETS OUT.parquet

Trigram Jaccard similarity of short fields, tf-idf cosine of title and venue, normalised difference of the
years; a linear SVM trained on pairs with their truth; 328,291 of the pairs (both orders counted) drawn at
random. Needs `pip install scikit-learn`.
"""

from __future__ import annotations

import argparse
import csv
import re
import unicodedata
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

PAIRS = 328_291
TRAINING = 2_000
SEED = 0
SHORT = ("author", "address", "publisher", "pages", "volume", "editor")
LONG = ("title", "venue")

Floats = NDArray[np.float64]


def main() -> None:
    """Write the pool and print what the paper prints of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    pool = cora(arguments.datasets / "cora" / "records.csv")
    write(pool, arguments.out)
    print(summary(pool))


def write(pool: dict[str, NDArray[Any]], path: Path) -> None:
    """Write the pool as Parquet."""
    with duckdb.connect() as connection:
        connection.register("pairs", pool)
        connection.sql("FROM pairs").write_parquet(str(path))


def summary(pool: dict[str, NDArray[Any]]) -> str:
    """Return what the paper prints of a pool."""
    found = int((pool["pred"] & pool["label"]).sum())
    predicted, matches = int(pool["pred"].sum()), int(pool["label"].sum())
    return (
        f"{len(pool['score']):,} pairs, {matches:,} matches, {predicted:,} predicted, "
        f"precision {found / predicted:.3f}, recall {found / matches:.3f}"
    )


def cora(path: Path) -> dict[str, NDArray[Any]]:
    """Return scores, predictions and truth of the pool."""
    with path.open(newline="", encoding="utf-8") as file:
        records = list(csv.DictReader(file))
    left, right = np.triu_indices(len(records), 1)
    cluster = np.array([record["cluster"] for record in records])
    label = cluster[left] == cluster[right]
    chance = np.random.default_rng(SEED)
    # Both orders of a pair are in the paper's count: half as many unordered pairs, each twice, would be no
    # random draw, so that ordered pairs are drawn and mapped to their unordered ones.
    drawn = chance.choice(2 * len(left), PAIRS, replace=False) % len(left)
    features = np.column_stack([column[left, right] for column in similarities(records)])
    scaled = StandardScaler().fit_transform(features)
    training = chance.choice(len(left), TRAINING, replace=False)
    model = LinearSVC(random_state=SEED).fit(scaled[training], label[training])
    score = model.decision_function(scaled[drawn])
    return {"score": score, "pred": score >= 0, "label": label[drawn]}


def similarities(records: list[dict[str, str]]) -> list[Floats]:
    """Return a matrix of similarities of all records for every field."""
    texts = {name: [normalised(record[name]) for record in records] for name in (*SHORT, *LONG)}
    years = np.array([year(record["year"]) for record in records])
    return [
        *(jaccard(texts[name]) for name in SHORT),
        *(cosine(texts[name]) for name in LONG),
        1 - np.abs(years[:, None] - years) / np.ptp(years),
    ]


def normalised(text: str) -> str:
    """Return the text in lower case, without accents and symbols."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return " ".join(re.sub(r"[^a-z0-9]+", " ", plain).split())


def jaccard(texts: list[str]) -> Floats:
    """Return the share of trigrams that two texts have in common; two empty ones have nothing."""
    counter = CountVectorizer(analyzer="char", ngram_range=(3, 3), binary=True)
    grams = counter.fit_transform(f"  {text} " for text in texts).astype(np.float64)
    common = (grams @ grams.T).toarray()
    size = common.diagonal()
    return np.asarray(common / np.maximum(size[:, None] + size - common, 1.0))


def cosine(texts: list[str]) -> Floats:
    """Return the tf-idf cosine of the words of two texts."""
    words = TfidfVectorizer(token_pattern=r"\S+").fit_transform(texts)
    return np.asarray((words @ words.T).toarray())


def year(text: str) -> float:
    """Return the first number of four digits in the text, or the middle of the data where there is none."""
    found = re.search(r"\d{4}", text)
    return float(found.group()) if found and 1900 <= int(found.group()) <= 2000 else 1994.0


if __name__ == "__main__":
    main()
