"""The classifiers of the paper, trained on pairs with their truth: a score for every pair, and an answer.

The score is a margin, positive for a match, or a probability that five-fold cross-validation calibrated.
Settings are those that scikit-learn has by itself, as in the paper.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qanat.core.arrays import Floats
from qanat.errors import BadInput, BadSetting, nearest

FOLDS = 5
# Probabilities nearer to 0 or 1 than this would have an infinite margin.
LEAST = 1e-15


class Trained(NamedTuple):
    """A classifier that was trained: its scores, and from which score on it answers match."""

    scores: Callable[[NDArray[np.float32]], Floats]
    threshold: float


def trained(
    name: str,
    features: NDArray[np.float32],
    label: NDArray[np.bool_],
    *,
    probabilities: bool = False,
    seed: int = 0,
) -> Trained:
    """Return the classifier of this name, trained on pairs whose truth is known.

    >>> features = np.array([[0.1], [0.2], [0.8], [0.9]], dtype=np.float32)
    >>> model = trained("logistic", features, np.array([False, False, True, True]))
    >>> model.scores(features) >= model.threshold
    array([False, False,  True,  True])
    """
    check_name(name)
    _check_training(label, FOLDS if probabilities else 1)
    if not probabilities:
        model = _fitted(_pipeline(name, seed), features, label)
        margin = _margin_of_probability if name == "mlp" else type(model).decision_function
        return Trained(lambda rows: np.asarray(margin(model, rows), dtype=np.float64), 0.0)
    from sklearn.calibration import CalibratedClassifierCV

    calibrated = CalibratedClassifierCV(_pipeline(name, seed), cv=FOLDS, ensemble=False)
    fitted = _fitted(calibrated, features, label)
    return Trained(lambda rows: np.asarray(fitted.predict_proba(rows)[:, 1], dtype=np.float64), 0.5)


def check_name(name: str) -> None:
    """Refuse a classifier that there is not."""
    if name not in CLASSIFIERS:
        raise BadSetting(f"There is no classifier {name!r}. {nearest(name, list(CLASSIFIERS))}")


def _linear_svm(seed: int) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(random_state=seed)


def _logistic(_: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression()


def _rbf_svm(_: int) -> Any:
    from sklearn.svm import SVC

    return SVC()


def _mlp(seed: int) -> Any:
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier(random_state=seed)


def _adaboost(seed: int) -> Any:
    from sklearn.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(random_state=seed)


CLASSIFIERS: dict[str, Callable[[int], Any]] = {
    "linear-svm": _linear_svm,
    "logistic": _logistic,
    "rbf-svm": _rbf_svm,
    "mlp": _mlp,
    "adaboost": _adaboost,
}


def _pipeline(name: str, seed: int) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), CLASSIFIERS[name](seed))


def _fitted(model: Any, features: NDArray[np.float32], label: NDArray[np.bool_]) -> Any:
    """Return the model after training; that it might gain from more rounds is no news to a user."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(features, label)


def _margin_of_probability(model: Any, rows: NDArray[np.float32]) -> Floats:
    """Return the log odds where a classifier has probabilities only."""
    probability = np.clip(model.predict_proba(rows)[:, 1].astype(np.float64), LEAST, 1 - LEAST)
    return np.log(probability) - np.log1p(-probability)


def _check_training(label: NDArray[np.bool_], least: int) -> None:
    matches = int(label.sum())
    if min(matches, len(label) - matches) < least:
        raise BadInput(
            f"The {len(label):,} pairs drawn for training hold {matches:,} matches, "
            f"{len(label) - matches:,} others: expected at least {least} of each. "
            "Train on more pairs, or on other candidates."
        )
