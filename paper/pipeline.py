"""Pools of our own: records compared and scored by qanat.er with the paper's features and classifiers."""

from __future__ import annotations

from functools import lru_cache

from paper import pools
from qanat import InMemoryPool
from qanat.er import Recipe, scored_pairs

# As many pairs as in the paper's pools. Its features are trigrams of short texts, tf-idf of long ones and
# differences of numbers; for Abt-Buy those that the authors published, as far as they are known. The share of
# the pairs that a classifier is trained on was not printed: ours are chosen so that it learns something.
RECIPES = {
    "amazon_google": Recipe(
        fields=(
            *("title:name=short", "title:name=long", "description=long"),
            *("manufacturer=short", "price=number"),
        ),
        training=1_000_000,
        sample=676_267,
    ),
    "restaurant": Recipe(fields=("name", "addr", "city", "type"), sample=149_747),
    "dblp_acm": Recipe(
        fields=("title=short", "authors=short", "venue=short", "year=number"), training=20_000, sample=53_946
    ),
    "abt_buy": Recipe(
        fields=("name=short", "description=short", "name=long", "description=long"), sample=53_753
    ),
    "cora": Recipe(training=2_000, sample=328_291),
}
# The paper's names, and the classifiers with scikit-learn's default settings.
CLASSIFIERS = {"L-SVM": "linear-svm", "R-SVM": "rbf-svm", "NN": "mlp", "AB": "adaboost", "LR": "logistic"}


@lru_cache(maxsize=2)
def made(name: str, classifier: str = "L-SVM") -> InMemoryPool:
    """Return the pool that a classifier makes of a dataset."""
    left, right, matches = pools.dataset(name).load()
    recipe = RECIPES[name]._replace(classifier=CLASSIFIERS[classifier])
    columns = scored_pairs(left, right, truth=matches, recipe=recipe)
    return InMemoryPool(columns["score"], columns["prediction"], columns["label"])
