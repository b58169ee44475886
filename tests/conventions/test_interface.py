"""What a user may ask of every estimator, and what it is after ``fit``, a copy, another ``fit``."""

import importlib
import inspect
import pickle
import pkgutil
import re

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import studylib
from studylib.pcf import PartialClassificationForest
from studylib.trees import TreePredictor
from tests.conventions.registry import (
    ESTIMATORS,
    FORESTS,
    TAKES_WEIGHTS,
    ask,
    each,
    having,
    methods,
    name_of,
    output,
    state,
    table,
    taken,
)

# Most tables here are too small or too random for a forest of clean partitions.
pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

#: Rooms that hold no estimators for users.
ELSEWHERE = ("studylib.studies", "studylib.study", "studylib.plots")
CLASSIFIERS = [e for e in ESTIMATORS if is_classifier(e)]


def public_estimators():
    """Classes with ``fit`` that a user can import from a public module, by walking the package."""
    classes = set()
    for module in pkgutil.walk_packages(studylib.__path__, "studylib."):
        if module.name.startswith(ELSEWHERE) or "._" in module.name or module.name.endswith("__main__"):
            continue
        for name, thing in vars(importlib.import_module(module.name)).items():
            if not inspect.isclass(thing) or name.startswith("_") or not hasattr(thing, "fit"):
                continue
            here = thing.__module__.startswith("studylib.") and "._" not in thing.__module__
            if here and issubclass(thing, BaseEstimator):
                classes.add(thing)
    return classes


def test_every_public_estimator_is_in_the_registry():
    assert {type(estimator) for estimator in ESTIMATORS} == public_estimators()


def test_what_has_many_trees_and_threads_is_a_forest():
    assert {name_of(e) for e in having("n_estimators", "n_jobs")} == {name_of(e) for e in FORESTS}


@each(ESTIMATORS)
def test_constructor_stores_and_fit_returns_self(estimator):
    for name, parameter in inspect.signature(type(estimator)).parameters.items():
        assert parameter.default is not inspect.Parameter.empty, name
    X, y = table()
    fresh = clone(estimator)
    assert not [name for name in vars(fresh) if name.endswith("_")]
    assert fresh.fit(X, y) is fresh
    assert fresh.n_features_in_ == 7


@each(ESTIMATORS)
def test_every_fitted_attribute_is_documented(estimator):
    documented = inspect.getdoc(type(estimator)).split("\nAttributes\n")[1]
    fitted = clone(estimator).fit(*taken(estimator))
    for name in vars(fitted):
        if name.endswith("_") and not name.startswith("_"):
            assert re.search(rf"^(?! )[\w, ]*\b{name}\b", documented, re.MULTILINE), name


@each(ESTIMATORS)
def test_nothing_can_be_asked_before_fit(estimator):
    """Of what takes a table, or nothing."""
    X, _ = table()
    given = {("self", "X"): [X], ("self", "x"): [X[0]], ("self",): []}
    asked = {name: given[needed] for name, needed in methods(estimator).items() if needed in given}
    assert asked
    for name, arguments in asked.items():
        with pytest.raises(NotFittedError):
            ask(clone(estimator), name, *arguments)


@each(CLASSIFIERS)
def test_most_votes_win_where_a_classifier_does_not_abstain(estimator):
    X, y = table()
    fitted = clone(estimator).fit(X, y)
    shares, predicted = fitted.predict_proba(X), fitted.predict(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    says = predicted != getattr(fitted, "abstain_label_", None)
    assert (fitted.classes_[shares.argmax(axis=1)] == predicted)[says].all()
    np.testing.assert_array_equal(np.exp(fitted.predict_log_proba(X)) > 0.0, shares > 0.0)
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba(X)), shares, atol=1e-15)


@each(CLASSIFIERS)
def test_a_classifier_works_in_cross_validation_over_a_frame(estimator):
    X, y = taken(estimator)
    assert cross_val_score(estimator, X, y, cv=3, error_score="raise").shape == (3,)


# Copies


@each([*ESTIMATORS, PartialClassificationForest(3, leaf_model="nearest_neighbor", max_loss=0.5)])
def test_a_model_survives_pickling_and_a_clone_forgets_it(estimator):
    X, y = taken(estimator)
    fitted = clone(estimator).fit(X, y)
    back = pickle.loads(pickle.dumps(fitted))
    for name in ("predict", "predict_proba", "transform", "apply", "decision_function"):
        if hasattr(fitted, name):
            assert joblib.hash(getattr(back, name)(X)) == joblib.hash(getattr(fitted, name)(X)), name
    again = clone(fitted)
    assert again.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        output(again, X)


@each(ESTIMATORS)
def test_fit_leaves_its_arguments_alone_and_forgets_the_fit_before(estimator):
    X, y = taken(estimator)
    before = joblib.hash([X, y])
    weights = {"sample_weight": np.arange(60) % 3 + 1.0} if estimator in TAKES_WEIGHTS else {}
    weights_before = joblib.hash(weights)
    model = clone(estimator)
    parameters = joblib.hash(model.get_params())
    once = state(model.fit(X, y, **weights), X)
    assert [joblib.hash([X, y]), joblib.hash(weights)] == [before, weights_before]
    assert joblib.hash(model.get_params()) == parameters
    other, labels = table(50, 4, seed=1)
    fresh = clone(estimator).fit(other, labels.astype(str))
    assert state(model.fit(other, labels.astype(str)), other) == state(fresh, other)
    assert (model.n_features_in_, hasattr(model, "feature_names_in_")) == (4, False)
    assert state(model.fit(X, y, **weights), X) == once


# Seeds


@each([*FORESTS, TreePredictor(max_features=1, random_state=0)])
def test_a_seed_decides_and_no_seed_is_another_every_time(estimator):
    (X, y), (new, _) = table(), table(300, seed=1)

    def grown(random_state):
        return joblib.hash(
            clone(estimator).set_params(random_state=random_state).fit(X, y).predict_proba(new)
        )

    assert grown(0) == grown(0) == grown(np.random.RandomState(0)) == grown(np.int64(0))
    assert len({grown(seed) for seed in (0, 1, 2, None, None)}) == 5
    moving = np.random.RandomState(0)
    assert grown(moving) != grown(moving)
    np.random.seed(3)  # where no seed is given, numpy's global one counts
    first = grown(None)
    np.random.seed(3)
    assert grown(None) == first


# Nothing to learn


@each(ESTIMATORS)
@pytest.mark.parametrize(
    ("X", "y"),
    [([[1.0], [2.0]], ["a", "a"]), ([[1.0, 2.0]], [3]), ([[5.0, 5.0]] * 6, ["b", "a"] * 3)],
    ids=["one class", "one row", "equal rows"],
)
def test_where_nothing_can_be_learnt_trees_are_lone_roots_and_the_first_class_is_predicted(estimator, X, y):
    fitted = clone(estimator)
    if "n_neighbors" in fitted.get_params():
        fitted.set_params(n_neighbors=len(X))
    fitted.fit(X, y)
    for tree in [fitted, *getattr(fitted, "estimators_", [])]:
        if hasattr(tree, "get_depth"):
            assert (tree.get_depth(), tree.get_n_leaves()) == (0, 1)
        assert getattr(tree, "depth_", 0) == 0
    assert not np.any(getattr(fitted, "feature_importances_", 0))
    if not is_classifier(estimator):
        assert not fitted.transform(X).any()
        return
    assert fitted.predict_proba(X).shape == (len(X), len(set(y)))
    abstains = name_of(estimator).startswith("Partial") and len(set(y)) > 1
    if name_of(estimator) in ("RandomForestClassifier", "BlendedForestClassifier") and len(set(y)) > 1:
        assert set(fitted.predict(X)) <= {"a", "b"}  # as the bags have it
    else:
        assert set(fitted.predict(X)) == {fitted.abstain_label_ if abstains else min(y)}


# Depth


@each(having("max_depth"))
def test_no_node_is_deeper_than_max_depth(estimator):
    X, y = table()
    for max_depth in (0, 1, 3):
        fitted = clone(estimator).set_params(max_depth=max_depth).fit(X, y)
        for tree in [fitted, *getattr(fitted, "estimators_", [])]:
            assert getattr(tree, "depth_", 0) <= max_depth
        if hasattr(fitted, "depth_"):
            assert fitted.depth_ == max_depth  # the table has enough in it


def test_the_tree_that_follows_its_source_counts_as_its_source():
    X, _ = table()
    assert TreePredictor(source_compatible=True).fit(X, np.ones(len(X))).depth_ == 1
    with pytest.raises(ValueError, match="max_depth must be an integer >= 1 or None, got 0"):
        TreePredictor(max_depth=0, source_compatible=True).fit(X, X[:, 0])
