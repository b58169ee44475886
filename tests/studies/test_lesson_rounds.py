"""What the page of the boosting lesson shows is what AdaBoost does."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from studylib.lessons.rounds import boosted, weights
from studylib.trees import AdaBoostClassifier, TreePredictor

BOX = (-2.0, -1.5, 3.0, 2.0)
X, y = make_moons(40, noise=0.25, random_state=4)
X_new, y_new = make_moons(500, noise=0.25, random_state=5)


@pytest.fixture(scope="module")
def shown():
    return boosted(X, y, X_new, y_new, 20, BOX)


@pytest.fixture(scope="module")
def model():
    return AdaBoostClassifier(20).fit(X, y)


def test_each_stump_is_fitted_to_the_weights_that_are_shown(shown, model):
    for k, weight in enumerate(list(weights(model, X, y))[:-1]):
        stump = TreePredictor(max_depth=1).fit(X, y, sample_weight=weight)
        assert stump.condition(0).threshold == shown["stumps"][k]["threshold"]
        wrong = stump.predict(X) != y
        assert weight[wrong].sum() == pytest.approx(shown["error"][k], abs=1e-6)
        assert np.allclose(shown["weights"][k], weight, atol=1e-6)


def test_what_a_stump_got_wrong_holds_half_of_the_weight_afterwards(shown):
    for k, stump in enumerate(shown["stumps"]):
        side = (X[:, stump["feature"]] > stump["threshold"]).astype(int)
        wrong = np.array(stump["labels"])[side] != y
        assert np.array(shown["weights"][k + 1])[wrong].sum() == pytest.approx(0.5, abs=1e-4)


def test_cells_have_the_answers_of_the_ensemble(shown, model):
    points = np.random.default_rng(0).uniform(BOX[:2], BOX[2:], (500, 2))
    across, up = (np.searchsorted(edges[1:-1], points[:, k]) for k, edges in enumerate(shown["edges"]))
    for cells, expected in zip(shown["cells"], model.staged_predict(points), strict=True):
        labels = np.array(list(cells), dtype=int).reshape(len(shown["edges"][1]) - 1, -1)
        assert np.array_equal(labels[up, across], expected)


def test_errors_are_those_of_the_vote_so_far(shown, model):
    for which, data, labels in (("training", X, y), ("test", X_new, y_new)):
        expected = [np.mean(predicted != labels) for predicted in model.staged_predict(data)]
        assert np.allclose(shown[which], expected, atol=1e-5)
