"""Every classifier of the paper learns a problem that can be learnt, and gives scores that rank."""

import numpy as np
import pytest

from qanat.er.classifiers import CLASSIFIERS, trained
from qanat.errors import BadInput, BadSetting


def problem(pairs: int = 3000, seed: int = 0):
    """Return features of which the first tells matches, one in ten, with a little noise."""
    chance = np.random.default_rng(seed)
    label = chance.random(pairs) < 0.1
    informative = np.where(label, 0.8, 0.2) + 0.12 * chance.normal(size=pairs)
    return np.column_stack([informative, chance.random(pairs)]).astype(np.float32), label


@pytest.mark.parametrize("probabilities", [False, True])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_classifier_finds_the_matches_of_pairs_it_has_not_seen(name, probabilities):
    """On other pairs of the same kind precision and recall exceed 0.9; the same seed gives the same scores."""
    features, label = problem()
    model = trained(name, features, label, probabilities=probabilities, seed=3)
    unseen, truth = problem(seed=1)
    scores = model.scores(unseen)
    called = scores >= model.threshold
    assert (called & truth).sum() / called.sum() > 0.9
    assert (called & truth).sum() / truth.sum() > 0.9
    again = trained(name, features, label, probabilities=probabilities, seed=3).scores(unseen)
    np.testing.assert_array_equal(scores, again)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_probabilities_are_calibrated(name):
    """Of many unseen pairs as many match as the probabilities add up to, within a twentieth; margins do not."""
    features, label = problem()
    unseen, truth = problem(20_000, seed=2)
    probability = trained(name, features, label, probabilities=True).scores(unseen)
    assert probability.min() >= 0
    assert probability.max() <= 1
    assert probability.sum() == pytest.approx(truth.sum(), rel=0.05)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_margins_are_negative_where_a_match_is_unlikely(name):
    """The answer is the sign of the score, and a constant feature breaks nothing."""
    features, label = problem()
    features[:, 1] = 0.5
    model = trained(name, features, label)
    scores = model.scores(features)
    assert model.threshold == 0
    assert np.isfinite(scores).all()
    assert scores[label].mean() > 0 > scores[~label].mean()


def test_training_without_matches_is_refused():
    """Nothing can be learnt from pairs of one kind; five-fold calibration needs five of each."""
    features = np.zeros((50, 1), dtype=np.float32)
    with pytest.raises(
        BadInput, match="50 pairs drawn for training hold 0 matches, 50 others: expected at least 1"
    ):
        trained("logistic", features, np.zeros(50, dtype=bool))
    with pytest.raises(BadInput, match="hold 50 matches, 0 others"):
        trained("logistic", features, np.ones(50, dtype=bool))
    with pytest.raises(BadInput, match="hold 4 matches, 46 others: expected at least 5"):
        trained("logistic", features, np.arange(50) < 4, probabilities=True)


def test_an_unknown_classifier_is_refused():
    """The line names those that there are."""
    with pytest.raises(BadSetting, match=r"no classifier 'logistics'\. Did you mean 'logistic'"):
        trained("logistics", *problem(10))
