"""AdaBoostClassifier: every round against the lecture written out, with stumps found by trying all."""

from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from studylib.pcf import PartialClassificationTree
from studylib.trees import CRITERIA, AdaBoostClassifier, TreePredictor
from tests.estimator_checks import parametrize_with_checks
from tests.naive import boosting as naive
from tests.trees.support import assert_same_tree, mushrooms


@parametrize_with_checks(
    [
        AdaBoostClassifier(5),
        AdaBoostClassifier(4, estimator=TreePredictor("gini", max_depth=3)),
        AdaBoostClassifier(3, estimator=DecisionTreeClassifier(max_depth=1), random_state=0),
    ],
    expected_failed_checks=lambda model: (
        {"check_sample_weight_equivalence_on_dense_data": "rounding, by the order of the rows, decides ties"}
        if model.estimator is None
        else {}
    ),
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


def noisy(seed, n=64, d=3):
    """Numbers without ties, and labels that no stump gets right."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32).astype(float)  # scikit-learn compares in float32
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0).astype(int)


def rows_of(X):
    return X.to_numpy(object).tolist() if isinstance(X, pd.DataFrame) else X.tolist()


def rounds_of(model, X, y):
    """``(estimator, α, ε, Z, wrong, weights)`` of each round, with the weights of the lecture."""
    weights = [1 / len(y)] * len(y)
    parts = (model.estimators_, model.estimator_weights_, model.estimator_errors_, model.normalisers_)
    for estimator, alpha, error, z in zip(*parts, strict=True):
        wrong = estimator.predict(X) != y
        yield estimator, alpha, error, z, wrong, weights
        if 0 < error < 1:
            weights = naive.reweighted(wrong, weights, error, len(model.classes_))


# The lecture


@pytest.mark.parametrize("seed", range(6))
def test_stumps_votes_and_margins_equal_the_lectures(seed):
    X, y = noisy(seed)
    model = AdaBoostClassifier(8).fit(X, y)
    plain = naive.boost(X.tolist(), y.tolist(), 8)
    assert len(plain) == len(model.estimators_) == 8
    _, alphas, errors, normalisers = zip(*plain, strict=True)
    assert model.estimator_weights_ == pytest.approx(alphas, rel=1e-10)
    assert model.estimator_errors_ == pytest.approx(errors, rel=1e-10)
    assert model.normalisers_ == pytest.approx(normalisers, rel=1e-12)
    margins = [naive.margin(plain, row) for row in X.tolist()]
    assert model.decision_function(X) == pytest.approx(margins, rel=1e-9, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(
    n=st.integers(2, 25),
    seed=st.integers(0, 10**6),
    n_classes=st.integers(2, 3),
    criterion=st.sampled_from(["misclassification", "information"]),
)
def test_every_round_is_the_lectures_on_mixed_columns(n, seed, n_classes, criterion):
    """Ties may be broken otherwise than by the oracle, so each round is judged with its own weights."""
    X, y = mushrooms(n, seed)
    y = np.where(y == "unknown", "edible", y) if n_classes == 2 else y
    assume(len(set(y)) == n_classes)
    model = AdaBoostClassifier(6, criterion=criterion).fit(X, y)
    rows, labels = rows_of(X), np.searchsorted(model.classes_, y).tolist()
    pool = naive.stumps(rows, n_classes, {0, 2})
    for _, alpha, error, z, wrong, weights in rounds_of(model, X, y):
        assert error == pytest.approx(sum(np.array(weights)[wrong]), abs=1e-12)
        least = min(naive.weighted_error(stump, rows, labels, weights) for stump in pool)
        assert error >= least - 1e-12
        if criterion == "misclassification":
            assert error == pytest.approx(least, abs=1e-12)
        if 0 < error < 1 - 1 / n_classes - 1e-11:
            assert alpha == pytest.approx(naive.vote(error, n_classes), abs=1e-12)
            assert z == pytest.approx(naive.normaliser(wrong, weights, alpha), abs=1e-12)
    votes = np.zeros((n, n_classes))
    for estimator, alpha in zip(model.estimators_, model.estimator_weights_, strict=True):
        votes[np.arange(n), np.searchsorted(model.classes_, estimator.predict(X))] += alpha
    assert model.predict(X).tolist() == model.classes_[votes.argmax(axis=1)].tolist()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_stumps_are_those_of_tree_predictor_with_the_same_weights(criterion):
    X, y = mushrooms(80)
    model = AdaBoostClassifier(12, criterion=criterion).fit(X, y)
    generic = AdaBoostClassifier(12, estimator=TreePredictor(criterion, max_depth=1)).fit(X, y)
    assert len(model.estimators_) == 12
    for stump, other in zip(model.estimators_, generic.estimators_, strict=True):
        assert_same_tree(stump, other)
        assert stump.to_text() == other.to_text()
    assert model.estimator_weights_.tobytes() == generic.estimator_weights_.tobytes()
    assert model.decision_function(X).tobytes() == generic.decision_function(X).tobytes()
    assert model.feature_importances_.tolist() == generic.feature_importances_.tolist()


# When rounds end


def test_a_stump_without_error_is_the_only_one():
    model = AdaBoostClassifier(10).fit([[0.0], [1.0], [2.0]], ["a", "a", "b"])
    assert (model.estimator_weights_.tolist(), model.estimator_errors_.tolist()) == ([1.0], [0.0])
    assert model.normalisers_.tolist() == [0.0]
    assert model.predict([[1.4], [1.6]]).tolist() == ["a", "b"]


class Recites(DecisionTreeClassifier):
    """A constant, then a stump, then a tree that knows the training set by heart."""

    calls = 0

    def fit(self, X, y, sample_weight=None):
        type(self).calls += 1
        self.max_depth = {1: 1, 2: 1}.get(type(self).calls)
        return super().fit(X, y, sample_weight=sample_weight)


def test_a_classifier_without_error_overrules_all_before_it():
    X, y = noisy(2, n=100)
    model = AdaBoostClassifier(10, estimator=Recites()).fit(X, y)
    assert len(model.estimators_) == 3
    assert model.estimator_weights_[2] > sum(model.estimator_weights_[:2])
    assert model.score(X, y) == 1.0


def test_if_the_first_stump_only_guesses_it_is_kept_alone():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = AdaBoostClassifier(10).fit(X, y)
    assert (model.estimator_weights_.tolist(), model.estimator_errors_.tolist()) == ([1.0], [0.5])
    assert model.predict(X).tolist() == model.estimators_[0].predict(X).tolist()


def test_a_later_classifier_that_only_guesses_is_left_out():
    """A constant errs on half of the weight once it has been reweighted."""
    y = ["a"] * 7 + ["b"] * 3
    for estimator in (None, DummyClassifier(strategy="most_frequent"), DummyClassifier(strategy="prior")):
        model = AdaBoostClassifier(10, estimator=estimator).fit(np.zeros((10, 2)), y)
        assert len(model.estimators_) == 1
        assert model.estimator_weights_ == pytest.approx([0.5 * np.log(7 / 3)])
        assert model.predict(np.zeros((1, 2))) == ["a"]


# Predictions


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_margins_probabilities_and_stages_agree(load):
    X, y = load(return_X_y=True)
    y = np.array(["one", "three", "two"])[y]
    model = AdaBoostClassifier(15).fit(X, y)
    margins, probabilities = model.decision_function(X), model.predict_proba(X)
    assert probabilities.sum(axis=1) == pytest.approx(1)
    if len(model.classes_) == 2:
        assert probabilities[:, 1] == pytest.approx(1 / (1 + np.exp(-2 * margins)), rel=1e-12)
        assert model.predict(X).tolist() == model.classes_[(margins > 0).astype(int)].tolist()
    else:
        assert margins.sum(axis=1) == pytest.approx(0, abs=1e-12)
        odds = np.exp(4 / 3 * margins)  # 2 (K − 1) / K
        assert probabilities == pytest.approx(odds / odds.sum(axis=1, keepdims=True), rel=1e-11)
    stages = list(model.staged_predict(X))
    assert len(stages) == 15
    assert stages[-1].tolist() == model.predict(X).tolist()
    part = AdaBoostClassifier(4).fit(X, y)
    assert stages[3].tolist() == part.predict(X).tolist()
    assert list(model.staged_decision_function(X))[3].tobytes() == part.decision_function(X).tobytes()


def test_reliability_of_features_is_the_share_of_the_votes():
    X, y = noisy(3, n=200)
    model = AdaBoostClassifier(20).fit(X, y)
    asked = [stump.nodes_["feature"][0] for stump in model.estimators_]
    expected = np.bincount(asked, model.estimator_weights_, minlength=3) / model.estimator_weights_.sum()
    assert model.feature_importances_ == pytest.approx(expected, rel=1e-12)


def test_reliability_needs_importances_of_the_estimator():
    X, y = load_iris(return_X_y=True)
    tree = AdaBoostClassifier(5, estimator=DecisionTreeClassifier(max_depth=2), random_state=0).fit(X, y)
    assert tree.feature_importances_.sum() == pytest.approx(1)
    with pytest.raises(AttributeError, match="feature_importances_"):
        _ = AdaBoostClassifier(5, estimator=GaussianNB()).fit(X, y).feature_importances_


# Tables and weights


class Witness(DummyClassifier):
    """Notes which kinds of table it gets."""

    kinds: ClassVar[list] = []

    def fit(self, X, y, sample_weight=None):
        self.kinds.append(type(X))
        return super().fit(X, y, sample_weight)

    def predict(self, X):
        self.kinds.append(type(X))
        return super().predict(X)


@pytest.mark.parametrize(
    ("container", "kind"),
    [
        (pd.DataFrame, pd.DataFrame),
        (pl.DataFrame, pd.DataFrame),
        (pa.table, pd.DataFrame),
        (lambda table: np.array(list(table.values()), dtype=object).T, np.ndarray),
        (lambda table: [list(row) for row in zip(*table.values(), strict=True)], np.ndarray),
    ],
    ids=["pandas", "polars", "Arrow", "array", "list"],
)
def test_an_estimator_gets_the_same_kind_of_table_in_fit_and_to_predict(container, kind):
    X = container({"a": [1.0, 2.0, 3.0, 4.0], "b": ["u", "v", "u", "w"]})
    Witness.kinds.clear()
    model = AdaBoostClassifier(3, estimator=Witness()).fit(X, [0, 1, 1, 1], sample_weight=[1, 0, 1, 2])
    assert model.predict(X).tolist() == [1, 1, 1, 1]
    assert set(Witness.kinds) == {kind}


def test_a_custom_estimator_reads_the_table_by_itself():
    """Complex numbers, dates and infinity are its own affair; names and numbers of columns are compared."""
    X = pd.DataFrame({"when": pd.to_datetime(["2024-01-01", "2024-01-02"]), "far": [np.inf, 1.0]})
    model = AdaBoostClassifier(2, estimator=DummyClassifier()).fit(X, ["a", "a"])
    assert model.predict(X).tolist() == ["a", "a"]
    assert model.feature_names_ == ["when", "far"]
    with pytest.raises(ValueError, match="AdaBoostClassifier: X is missing column 'far'"):
        model.predict(X[["when"]])
    with pytest.raises(ValueError, match="AdaBoostClassifier: X cannot be used: Expected 2D array"):
        AdaBoostClassifier(2, estimator=DummyClassifier()).fit([1.0, 2.0], ["a", "b"])


def test_an_estimator_predicts_classes_only():
    abstaining = PartialClassificationTree(min_samples_leaf=2, abstain_label=9)  # beyond the last class
    with pytest.raises(ValueError, match="estimator must predict classes of y only, but predicts 9"):
        AdaBoostClassifier(2, estimator=abstaining).fit([[1.0]] * 4, [0, 1, 0, 1])


def test_weights_that_vanish_are_no_samples():
    """The smallest double, halved, is 0; and the inverse of the smallest error would be infinite."""
    X = np.arange(6.0)[:, None]
    model = AdaBoostClassifier().fit(X, [0, 0, 0, 1, 1, 0], sample_weight=[2e-323, 1, 1, 1, 1, 1e-320])
    assert model.predict(X[1:5]).tolist() == [0, 0, 1, 1]
    assert np.isfinite(model.estimator_weights_).all()
