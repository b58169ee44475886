"""scikit-learn's conventions, what the methods say of each other, and errors."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score

from studylib.graf import PARTITION_DTYPE, SHARE_DTYPE, GuidedRandomForestClassifier, impurity
from tests.estimator_checks import parametrize_with_checks
from tests.graf.support import HYPERPLANES, blobs


@parametrize_with_checks(
    [
        GuidedRandomForestClassifier(10),
        GuidedRandomForestClassifier(7, min_samples_split=5, max_features="log2", n_jobs=2),
        GuidedRandomForestClassifier(7, hyperplane="centred", extend=False, standardize=False),
        GuidedRandomForestClassifier(7, hyperplane="guided", extension_gain=0.5, compute_sensitivity=True),
        GuidedRandomForestClassifier(7, hyperplane="guided", min_samples_split=8, features_per_plane=1),
        GuidedRandomForestClassifier(9, bootstrap=True, oob_score=True, class_weight="balanced"),
    ],
    expected_failed_checks=lambda estimator: {
        "check_sample_weight_equivalence_on_dense_data": "weights are chances: the draws are others"
    },
    xfail_strict=True,
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@HYPERPLANES
def test_it_learns(hyperplane):
    X, y = load_wine(return_X_y=True)
    forest = GuidedRandomForestClassifier(60, hyperplane=hyperplane, random_state=0)
    assert cross_val_score(forest, X, y, cv=4).mean() > 0.93


@HYPERPLANES
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("least", [2, 10])
def test_methods_agree_with_each_other(hyperplane, n_classes, least):
    X, y = blobs(200, 5, n_classes)
    names = np.array(["c", "a", "b"])[:n_classes]
    forest = GuidedRandomForestClassifier(
        9, hyperplane=hyperplane, min_samples_split=least, random_state=1
    ).fit(X, names[y])
    assert forest.classes_.tolist() == sorted(names)
    probes = blobs(150, 5, n_classes, seed=2)[0]
    leaves = forest.apply(probes)
    assert (leaves.dtype, leaves.shape) == (np.int64, (150, 9))
    scores = np.zeros((150, n_classes))
    for t, tree in enumerate(forest.trees_):
        assert tree.is_leaf()[leaves[:, t]].all()
        for i, leaf in enumerate(leaves[:, t]):
            if tree.nodes["plane"][leaf] == -1:
                scores[i, tree.nodes["next"][leaf]] += 1.0
            else:
                rows = tree.leaf_shares(leaf)
                assert rows["share"].sum() == pytest.approx(1.0)
                scores[i, rows["label"]] += rows["score"]
    shown = scores[:, 1] - scores[:, 0] if n_classes == 2 else scores
    np.testing.assert_array_equal(forest.decision_function(probes), shown)
    predicted = forest.predict(probes)
    np.testing.assert_array_equal(predicted, forest.classes_[scores.argmax(axis=1)])
    shares = forest.predict_proba(probes)
    assert shares.shape == (150, n_classes)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares >= 0).all()
    assert (shares.max(axis=1) <= shares[np.arange(150), scores.argmax(axis=1)] + 1e-12).all()
    *_, last = forest.staged_predict(probes)
    np.testing.assert_array_equal(last, predicted)
    labels = forest.tree_predict(probes)
    assert labels.shape == (9, 150)
    np.testing.assert_array_equal(
        labels, [t.labels()[at] for t, at in zip(forest.trees_, leaves.T, strict=True)]
    )
    codes = forest.codes(probes)
    assert codes.shape == (150, 9)
    assert all(
        len(codes[i, t]) == tree.depths()[leaves[i, t]]
        for t, tree in enumerate(forest.trees_)
        for i in range(150)
    )


def test_staged_results_are_those_of_forests_of_the_first_trees():
    X, y = blobs(120, 4, 3)
    forest = GuidedRandomForestClassifier(6, min_samples_split=5, random_state=3).fit(X, y)
    stages = list(zip(forest.staged_decision_function(X), forest.staged_predict(X), strict=True))
    assert len(stages) == 6
    for n, (scores, labels) in enumerate(stages, start=1):
        smaller = clone(forest).set_params(n_estimators=n).fit(X, y)
        np.testing.assert_array_equal(scores, smaller.decision_function(X))
        np.testing.assert_array_equal(labels, smaller.predict(X))


def test_pure_leaves_make_the_forest_a_voting_classifier():
    X, y = blobs(200, 5, 4)
    forest = GuidedRandomForestClassifier(15, random_state=0).fit(X, y)
    probes = blobs(100, 5, 4, seed=5)[0]
    votes = np.stack([(forest.tree_predict(probes) == c).sum(axis=0) for c in range(4)], axis=1)
    np.testing.assert_array_equal(forest.decision_function(probes), votes)
    np.testing.assert_allclose(forest.predict_proba(probes), votes / 15)


def test_training_samples_reach_the_leaf_that_counted_them_and_no_leaf_is_empty():
    X, y = blobs(400, 6, 3, flips=0.2)
    for hyperplane, least in itertools.product(("box", "centred", "guided"), (2, 4)):
        forest = GuidedRandomForestClassifier(
            4, hyperplane=hyperplane, min_samples_split=least, random_state=0
        ).fit(X, y)
        leaves = forest.apply(X)
        for t, tree in enumerate(forest.trees_):
            arrived = np.bincount(leaves[:, t], minlength=len(tree.nodes))
            expected = np.where(tree.is_leaf(), tree.n_samples, 0)
            np.testing.assert_array_equal(arrived, expected)
            assert (tree.n_samples > 0).all()
            for leaf in np.flatnonzero(tree.is_leaf()):
                inside = y[leaves[:, t] == leaf]
                pure = len(set(inside)) == 1
                assert pure == (tree.nodes["plane"][leaf] == -1)
                assert pure or len(inside) < least


def test_trees_are_flat_arrays_of_documented_types():
    X, y = blobs()
    box = GuidedRandomForestClassifier(3, random_state=0).fit(X, y)
    guided = GuidedRandomForestClassifier(3, hyperplane="guided", features_per_plane=2, random_state=0).fit(
        X, y
    )
    assert (box.max_features_, guided.max_features_) == (3, 6)
    for forest, k in ((box, 3), (guided, 2)):
        for tree in forest.trees_:
            n_planes = len(tree.thresholds)
            assert (tree.nodes.dtype, tree.shares.dtype) == (PARTITION_DTYPE, SHARE_DTYPE)
            assert tree.features.shape == ((1 if forest is box else n_planes), k)
            assert tree.weights.shape == (n_planes, k)
            assert tree.n_draws >= n_planes
            assert (np.diff(tree.features, axis=1) > 0).all() or forest is guided
            # Each hyperplane divides ω at least, and ω is in play when it is drawn.
            assert (tree.nodes["plane"][tree.origins] == np.arange(n_planes)).all()
            assert 2 * tree.is_leaf().sum() == len(tree.nodes) + 1


def test_the_first_hyperplane_is_the_same_without_extension():
    X, y = blobs()
    everywhere = GuidedRandomForestClassifier(5, random_state=0).fit(X, y)
    only_there = GuidedRandomForestClassifier(5, extend=False, random_state=0).fit(X, y)
    for a, b in zip(everywhere.trees_, only_there.trees_, strict=True):
        assert a.features.tolist() == b.features.tolist()
        assert a.weights[0].tolist() == b.weights[0].tolist()
        assert len(a.weights) < len(b.weights) == (~b.is_leaf()).sum()


def test_impurity_of_equation_10_is_not_superadditive():
    N = np.array([2, 6])
    node, zero, one = (impurity(np.array(counts), N) for counts in ((2, 1), (1, 1), (1, 0)))
    assert node == pytest.approx(0.7347, abs=1e-4)
    assert zero + one == pytest.approx(0.75)


def test_results_depend_on_the_origin_only_without_standardisation():
    X, y = load_iris(return_X_y=True)
    X = np.round(X * 8)  # sums of small whole numbers are exact, so that a shift leaves the same bits
    for standardize in (True, False):
        forest = GuidedRandomForestClassifier(8, standardize=standardize, random_state=0)
        here = forest.fit(X, y).apply(X)
        there = forest.fit(X + 2048, y).apply(X + 2048)
        assert (here == there).mean() > 0.99 if standardize else (here == there).mean() < 0.9


def test_scaling_by_a_power_of_two_changes_no_bit():
    X, y = blobs()
    forest = GuidedRandomForestClassifier(8, random_state=0)
    here = forest.fit(X, y).decision_function(X)
    for factor in (2.0**40, 2.0**-40, 2.0**900):
        np.testing.assert_array_equal(forest.fit(factor * X, y).decision_function(factor * X), here)


def test_max_features_is_rounded_down_but_at_least_one():
    rng = np.random.default_rng(0)
    for d, wanted, m in (
        (1, "half", 1),
        (9, "half", 4),
        (9, "log2", 3),
        (9, "sqrt", 3),
        (1, "log2", 1),
        (9, 5, 5),
        (9, 0.99, 8),
        (9, 0.01, 1),
        (9, 1.0, 9),
        (9, np.int64(2), 2),
    ):
        forest = GuidedRandomForestClassifier(2, max_features=wanted, random_state=0)
        forest.fit(rng.normal(size=(20, d)), rng.integers(0, 2, 20))
        assert forest.max_features_ == m
        assert {tree.features.shape for tree in forest.trees_} == {(1, m)}


def test_sensitivity_is_there_on_request_only():
    X, y = blobs(150)
    forest = GuidedRandomForestClassifier(5, compute_sensitivity=True, random_state=0).fit(X, y)
    by_height = forest.sensitivity_
    assert by_height.shape == (150,)
    assert (by_height > 0).all()
    assert (by_height <= np.log(2)).all()
    by_depth = clone(forest).set_params(sensitivity_weight="depth").fit(X, y).sensitivity_
    assert (by_depth != by_height).any()
    assert not hasattr(forest.set_params(compute_sensitivity=False).fit(X, y), "sensitivity_")


def test_frames_pickles_clones_and_searches():
    frame, y = load_iris(return_X_y=True, as_frame=True)
    y = y.map({0: "setosa", 1: "versicolor", 2: "virginica"})
    forest = GuidedRandomForestClassifier(10, random_state=0).fit(frame, y)
    assert forest.feature_names_in_.tolist() == list(frame)
    again = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(again.predict_proba(frame), forest.predict_proba(frame))
    np.testing.assert_array_equal(clone(forest).fit(frame, y).predict(frame), forest.predict(frame))
    with pytest.raises(ValueError, match=r"unseen at fit time, and is missing column 'sepal length \(cm\)'"):
        forest.predict(frame.rename(columns=str.upper))
    search = GridSearchCV(forest, {"max_features": ["half", 1.0], "min_samples_split": [2, 5]}, cv=2)
    assert search.fit(frame, y).best_score_ > 0.9
    assert "GuidedRandomForestClassifier" in forest._repr_html_()
    assert isinstance(pd.Series(forest.predict(frame)), pd.Series)


@pytest.mark.parametrize(
    ("parameter", "value", "allowed"),
    [
        ("n_estimators", 0, "an integer from 1 to 1000000"),
        ("n_estimators", 1.5, "an integer from 1 to 1000000"),
        ("max_features", "third", "'half', 'log2', 'sqrt', an integer from 1 to"),
        ("max_features", 7, "an integer from 1 to 6"),
        ("max_features", 0, "an integer from 1 to the number of features"),
        ("max_features", True, "an integer from 1 to the number of features"),
        ("max_features", 1.5, "a share in (0, 1]"),
        ("max_features", float("nan"), "a share in (0, 1]"),
        ("min_samples_split", 1, "an integer >= 2"),
        ("hyperplane", "axis", "'box', 'centred', 'guided'"),
        ("standardize", "yes", "True or False"),
        ("extend", 1, "True or False"),
        ("extension_gain", -0.5, "a number >= 0"),
        ("n_candidates", 0, "an integer from 1 to 1000000"),
        ("features_per_plane", 0, "an integer >= 1"),
        ("compute_sensitivity", None, "True or False"),
        ("sensitivity_weight", "length", "'height', 'depth'"),
    ],
)
def test_a_bad_parameter_is_one_sentence(parameter, value, allowed):
    X, y = blobs(30)
    with pytest.raises(ValueError, match=r"^[^\n]*\.$") as caught:
        GuidedRandomForestClassifier(**{parameter: value}).fit(X, y)
    said = str(caught.value)
    assert said.startswith(f"GuidedRandomForestClassifier: {parameter} must be ")
    assert allowed in said
    assert repr(value) in said
