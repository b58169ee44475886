"""γ compared: the fitted ones are scikit-learn's, and one forest shows what every pair of thresholds would."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from studylib.datasets import DataNotAvailableError, load_uci_suite, make_clean_partitions, uci_suite_names
from studylib.pcf import CrossValidated, PartialClassificationForest
from studylib.studies.pcf import comparison, leaf_classifiers, tuning
from studylib.studies.pcf.leaf_classifiers import Logistic, NearestNeighbour
from tests.naive import selective as naive

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(20))
def test_folds_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    y = np.unique(rng.integers(0, rng.integers(2, 5), rng.integers(9, 60)), return_inverse=True)[1]
    counts = np.bincount(y)
    n_folds = min(3, counts.min())
    assert n_folds >= 2  # true of these seeds
    expected = np.empty(len(y), int)
    for k, (_, test) in enumerate(StratifiedKFold(n_folds).split(y[:, None], y)):
        expected[test] = k
    assert leaf_classifiers.stratified_folds(y, counts, n_folds).tolist() == expected.tolist()


EXACT = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-9, max_iter=10_000))
PAIRS = {
    "logistic": (Logistic(), CrossValidated(EXACT)),
    "nearest neighbour": (NearestNeighbour(), CrossValidated(KNeighborsClassifier(1))),
}


@pytest.mark.slow
@pytest.mark.parametrize("model", PAIRS)
@pytest.mark.parametrize("n_classes", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_fitted_leaf_models_have_the_loss_and_the_predictions_of_scikit_learn(model, n_classes, seed):
    rng = np.random.default_rng(seed)
    y = np.sort(rng.integers(0, n_classes, 40))
    X = rng.normal(size=(40, 3)) + y[:, None] * [1.0, 0.5, 0.0]
    X[:, 2] = 7.0  # constant
    (ours, own_loss), (other, other_loss) = (gamma(X, y) for gamma in PAIRS[model])
    assert own_loss == pytest.approx(other_loss)
    if n_classes > 1:
        grid = rng.normal(size=(200, 3), scale=2)
        assert ours.predict(grid).tolist() == other.predict(grid).tolist()
    else:
        assert ours == other


def test_a_class_of_one_sample_leaves_the_majority():
    for gamma, _ in PAIRS.values():
        assert gamma(np.arange(4.0)[:, None], np.array([2, 2, 2, 0])) == (2, 0.25)


DATA = make_clean_partitions(300, random_state=0)
NEW = make_clean_partitions(60, random_state=1)[0]


@pytest.mark.parametrize("model", tuning.LEAF_MODELS)
def test_votes_of_the_grid_are_those_of_trees_cut_back(model):
    """The losses of the nodes are asked of γ itself here, with the samples found by walking down."""
    X, y = DATA
    votes = tuning.grid_votes(model, X, y, NEW, 2, 3)
    forest = PartialClassificationForest(
        2, leaf_model=tuning.LEAF_MODELS[model] if model in tuning.FITTED else "majority",
        max_loss=0.0, min_samples_leaf=4, random_state=3,
    ).fit(X, y)  # fmt: skip
    expected = np.zeros_like(votes)
    for nodes in (tree.nodes_ for tree in forest.estimators_):
        plain = [
            (int(n["feature"]) if n["feature"] >= 0 else None, float(n["threshold"]), int(n["first_child"]),
             int(n["n_samples"]))
            for n in nodes
        ]  # fmt: skip
        members = {0: list(range(len(X)))}
        for at, (feature, threshold, first, _) in enumerate(plain):
            if feature is not None:
                members[first] = [i for i in members[at] if X[i, feature] < threshold]
                members[first + 1] = [i for i in members[at] if X[i, feature] >= threshold]
        answers = [answer(model, X[members[at]], y[members[at]]) for at in range(len(plain))]
        losses = [loss for _, loss in answers]
        for k, (max_loss, smallest) in enumerate(tuning.GRID):
            for i, x in enumerate(NEW):
                at = naive.stop(plain, x, losses, max_loss, smallest)
                label = -1 if at is None else label_of(answers[at][0], x)
                expected[k, i, label] += 1
    assert (votes == expected).all()


def answer(model, X, y):
    gamma = tuning.LEAF_MODELS[model]
    if len(y) < 4:
        return None, np.inf
    if model in tuning.FITTED:
        return gamma(X, y)
    counts = np.bincount(y, minlength=2)
    return int(counts.argmax()), gamma.loss(int(counts.min()), len(y), 2)


def label_of(predictor, x):
    return int(predictor.predict(x[None])[0]) if hasattr(predictor, "predict") else int(predictor)


def test_the_first_pair_of_the_grid_is_a_forest_with_these_thresholds():
    X, y = DATA
    for model in tuning.LEAF_MODELS:
        votes = tuning.grid_votes(model, X, y, NEW, 3, 0)[0]
        forest = PartialClassificationForest(
            3, leaf_model=tuning.LEAF_MODELS[model], max_loss=0.0, min_samples_leaf=4, random_state=0
        )
        if model in ("Laplace", "confidence bound"):  # no leaf has a loss of 0: these Trees are deeper
            assert votes[:, -1].tolist() == [3] * len(NEW)
        else:
            assert (votes / 3 == forest.fit(X, y).vote_shares(NEW)).all()


def test_real_sets_follow_from_the_rule_that_was_written_down():
    try:
        load_uci_suite("iris")
    except DataNotAvailableError:
        pytest.skip("the UCI archive is not here")
    chosen, families = [], set()
    for name in uci_suite_names():
        family = name.split("-")[0]
        if family in families:
            continue
        uci_set = load_uci_suite(name) if name < "j" else None
        if uci_set is None or "test_data" in uci_set:
            continue
        counts = np.bincount(uci_set.target)
        n, d = uci_set.data.shape
        if 150 <= n <= 2000 and 4 <= d <= 30 and counts[counts > 0].min() >= 10:
            chosen.append(name)
            families.add(family)
    assert tuple(chosen[:12]) == comparison.UCI_SETS
