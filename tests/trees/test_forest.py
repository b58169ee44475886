"""RandomForestClassifier: its trees, its votes and its out-of-bag error against the plain forest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studylib.core.random import spawn_states
from studylib.trees import CRITERIA, RandomForestClassifier, TreePredictor
from tests.estimator_checks import parametrize_with_checks
from tests.naive import forest as naive
from tests.naive import node_size as naive_sizes
from tests.trees.support import assert_same_tree, mushrooms


@parametrize_with_checks(
    [
        RandomForestClassifier(5, random_state=0),
        RandomForestClassifier(4, oob_score=True, weighted_votes=True, n_jobs=2, random_state=0),
        RandomForestClassifier(3, min_samples_split="auto", random_state=0),
        RandomForestClassifier(3, criterion="gini", bootstrap=False, max_features=None, min_samples_split=5),
    ],
    expected_failed_checks=lambda estimator: (
        {"check_sample_weight_equivalence_on_dense_data": "weights are chances: the draws are others"}
        if estimator.bootstrap
        else {}
    ),
    xfail_strict=True,
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


def bags_of(forest, n):
    states = spawn_states(forest.random_state, forest.n_estimators)
    return [naive.bag(int(state[0]), n) for state in states]


def labels_of(forest, X):
    """Class indices that every tree gives every row, from the trees themselves."""
    return [np.searchsorted(forest.classes_, tree.predict(X)).tolist() for tree in forest.estimators_]


# Trees


@pytest.mark.parametrize("criterion", CRITERIA)
def test_trees_are_those_of_tree_predictor_on_the_bags(criterion):
    X, y = mushrooms(80)
    forest = RandomForestClassifier(6, criterion=criterion, max_features=None, random_state=3).fit(X, y)
    for tree, times in zip(forest.estimators_, bags_of(forest, len(y)), strict=True):
        alone = TreePredictor(criterion).fit(X, y, sample_weight=times)
        assert tree.class_counts_.tolist() == alone.class_counts_.tolist()
        for field in ("feature", "first_child", "label", "n_samples", "gain"):
            np.testing.assert_array_equal(tree.nodes_[field], alone.nodes_[field])
        numeric = np.isin(tree.nodes_["feature"], [1, 3])  # a bag may lack a category, which shifts the codes
        np.testing.assert_array_equal(tree.nodes_["value"][numeric], alone.nodes_["value"][numeric])
        assert tree.to_text() == alone.to_text()


def test_without_bootstrap_and_with_all_columns_every_tree_is_the_tree():
    X, y = mushrooms(80)
    forest = RandomForestClassifier(3, bootstrap=False, max_features=None, max_depth=3, min_samples_split=6)
    alone = TreePredictor(max_depth=3, min_samples_split=6).fit(X, y)
    for tree in forest.fit(X, y).estimators_:
        assert_same_tree(tree, alone)
    assert forest.predict_proba(X) == pytest.approx(alone.predict_proba(X), rel=1e-15)


# Votes


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 30),
    n_trees=st.integers(1, 6),
    seed=st.integers(0, 10**6),
    weighted=st.booleans(),
    depth=st.sampled_from([None, 1, 2]),
)
def test_votes_and_out_of_bag_error_equal_the_plain_ones(n, n_trees, seed, weighted, depth):
    X, y = mushrooms(n, seed)
    forest = RandomForestClassifier(
        n_trees, oob_score=True, weighted_votes=weighted, voting="hard", max_depth=depth, random_state=seed
    ).fit(X, y)
    truth = np.searchsorted(forest.classes_, y).tolist()
    n_classes, labels, bags = len(forest.classes_), labels_of(forest, X), bags_of(forest, n)
    weights = [
        naive.tree_weight(*pair, truth) if weighted else 1.0 for pair in zip(labels, bags, strict=True)
    ]
    error, shares = naive.out_of_bag(labels, bags, weights, truth, n_classes)
    assert forest.oob_error_ == pytest.approx(error, nan_ok=True, abs=0)
    for ours, plain in zip(forest.oob_decision_function_, shares, strict=True):
        assert np.isnan(ours).all() if plain is None else ours == pytest.approx(plain, rel=1e-14)
    if sum(weights) == 0:
        weights = [1.0] * n_trees
    assert forest.tree_weights_.tolist() == weights
    votes = [naive.tally(each, weights, n_classes) for each in zip(*labels, strict=True)]
    assert forest.predict(X).tolist() == [forest.classes_[naive.winner(v)] for v in votes]
    share = sum(w * t.predict_proba(X) for w, t in zip(weights, forest.estimators_, strict=True))
    np.testing.assert_allclose(forest.predict_proba(X), share / sum(weights), rtol=1e-13)


# Out of bag


def test_one_row_is_in_every_bag():
    forest = RandomForestClassifier(3, oob_score=True, weighted_votes=True).fit([[1.0, 2.0]], ["a"])
    assert np.isnan(forest.oob_error_)
    assert np.isnan(forest.oob_decision_function_).tolist() == [[True]]
    assert forest.tree_weights_.tolist() == [1, 1, 1]
    assert forest.predict([[5.0, 5.0]]) == ["a"]


# Importances


def test_importances_sum_to_one_and_are_the_mean_of_the_trees():
    X, y = mushrooms(100)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    shares = np.zeros(4)
    for tree in forest.estimators_:
        total = np.zeros(4)
        for node, counts in zip(tree.nodes_, tree.class_counts_, strict=True):
            if node["feature"] >= 0:
                total[node["feature"]] += node["gain"] * counts.sum()
        shares += total / total.sum() / 5
    assert forest.feature_importances_ == pytest.approx(shares, rel=1e-10)
    assert forest.feature_importances_.sum() == pytest.approx(1)


# Tables


def noisy(n=500):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    return X, np.where(rng.random(n) < 0.4, rng.integers(0, 3, n), (X[:, 0] > 0) * 1)


def auto(n_estimators=40, **parameters):
    return RandomForestClassifier(n_estimators, min_samples_split="auto", random_state=0, **parameters)


def test_the_least_node_size_is_the_best_out_of_bag():
    X, y = noisy()
    forest, pure = auto().fit(X, y), RandomForestClassifier(32, random_state=0).fit(X, y)
    unseen = np.array([np.bincount(bag, minlength=len(y)) == 0 for bag in pure.estimators_samples_])
    paths = [[] for _ in y]
    for tree, some in zip(pure, unseen, strict=True):
        shares = (tree.class_counts_ / tree.class_counts_.sum(axis=1, keepdims=True)).tolist()
        passed = tree.decision_path(X)
        for i in np.flatnonzero(some):
            paths[i].append([(tree.nodes_["n_samples"][k], shares[k]) for k in passed[i].indices])
    truth = np.eye(3)[y].tolist()
    scores = [naive_sizes.scores(paths, truth, [1.0] * len(y), m, 100)[1] for m in (2, 4, 8, 16, 32, 64, 128)]
    assert forest.min_samples_split_ == 2 ** (1 + int(np.argmin(scores))) > 4


def test_trees_cut_back_are_those_grown_so_where_nothing_is_drawn():
    X, y = noisy()
    forest = auto(max_features=None).fit(X, y)
    anew = RandomForestClassifier(
        40, max_features=None, min_samples_split=forest.min_samples_split_, random_state=0
    ).fit(X, y)
    for tree, other in zip(forest, anew, strict=True):
        assert tree.min_samples_split == other.min_samples_split == forest.min_samples_split_
        assert tree.nodes_.tobytes() == other.nodes_.tobytes()
        assert tree.class_counts_.tolist() == other.class_counts_.tolist()
    assert forest.predict_proba(X).tolist() == anew.predict_proba(X).tolist()


def test_trees_cut_back_keep_to_the_size_and_larger_forests_begin_with_them():
    X, y = noisy()
    large = auto(50, oob_score=True).fit(X, y)
    for tree in large:
        inner = tree.nodes_["first_child"] >= 0
        assert (tree.nodes_["n_samples"][inner] >= large.min_samples_split_).all()
    for n in (1, 20, 40):
        small = auto(n).fit(X, y)
        assert len(small) == len(small.estimators_samples_) == n
        assert small.min_samples_split_ == large.min_samples_split_
        assert small.apply(X).tolist() == large.apply(X)[:, :n].tolist()
        warm = auto(n, oob_score=True, warm_start=True).fit(X, y).set_params(n_estimators=50).fit(X, y)
        assert warm.apply(X).tolist() == large.apply(X).tolist()
        assert warm.oob_error_ == large.oob_error_
