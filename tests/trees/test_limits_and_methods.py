"""Drawn columns, weights, limits on leaves and gains, readouts: beside scikit-learn's where it has them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from studylib.trees import (
    CRITERIA,
    AdaBoostClassifier,
    MultiwayTreePredictor,
    RandomForestClassifier,
    TreePredictor,
)
from tests.trees.support import mushrooms, plain_gini

TREES = pytest.mark.parametrize("kind", [TreePredictor, MultiwayTreePredictor])


# Drawing columns


def test_two_of_three_columns_are_drawn_without_replacement():
    X = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 1, 1], [1, 1, 0], [1, 1, 1], [1, 1, 0], [1, 0, 1]])
    y = [0, 0, 0, 0, 1, 1, 1, 1]  # column 0 is better than 1, and 1 better than 2
    roots = [
        TreePredictor(max_features=2, max_depth=1, random_state=seed).fit(X, y).nodes_["feature"][0]
        for seed in range(300)
    ]
    first, second, third = np.bincount(roots, minlength=3)
    assert third == 0
    assert first == pytest.approx(200, abs=35)
    assert second == pytest.approx(100, abs=35)


def test_further_columns_are_drawn_while_none_of_the_drawn_can_split():
    X = np.zeros((8, 20))
    X[:, 13] = np.arange(8)
    y = np.arange(8) % 2
    for seed in range(20):
        tree = TreePredictor(max_features=1, random_state=seed).fit(X, y)
        assert tree.score(X, y) == 1.0
        assert set(tree.nodes_["feature"]) == {-1, 13}


# Weights of samples


@pytest.mark.parametrize("criterion", [*CRITERIA, plain_gini])
def test_weights_of_very_different_size_grow_a_pure_tree(criterion):
    X, y = np.arange(6.0)[:, None], [0, 1, 0, 1, 1, 0]
    for weights in ([1, 1e-20, 1, 1, 1, 1e-20], [1e-20, 1, 1, 1, 1, 1], [1e-30, 1, 1e-30, 1, 1, 1e30]):
        tree = TreePredictor(criterion).fit(X, y, sample_weight=weights)
        assert tree.class_counts_.sum(axis=1).min() > 0
        assert ((tree.class_counts_ > 0).sum(axis=1)[tree.apply(X)] == 1).all()


@pytest.mark.parametrize("criterion", ["gini", "information", "sqrt_gini"])
def test_a_weight_that_drowns_in_rounding_changes_no_tie(criterion):
    """A cut inside a run of one class gains less than an end of the run, but here not in floating point.

    Both cuts have the same gain, whatever the class of the middle sample is, so the first one is taken.
    """
    X = [[0.0], [1.0], [2.0]]
    for y in ([0, 0, 1], [0, 1, 1]):
        tree = TreePredictor(criterion, max_depth=1).fit(X, y, sample_weight=[1, 1e-20, 1])
        assert tree.nodes_["value"][0] == 0.5


# Limits


@pytest.mark.parametrize(
    "limit",
    [{"min_samples_leaf": 7}, {"min_impurity_decrease": 0.01}, {"min_weight_fraction_leaf": 0.08}],
    ids=str,
)
@pytest.mark.parametrize(("ours", "theirs"), [("gini", "gini"), ("entropy", "entropy")])
def test_limits_mean_what_scikit_learns_do(limit, ours, theirs):
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    tree = TreePredictor(ours, **limit).fit(X, y, sample_weight=weight)
    peer = DecisionTreeClassifier(criterion=theirs, random_state=0, **limit).fit(X, y, sample_weight=weight)
    assert tree.n_leaves_ == peer.get_n_leaves() < 12
    np.testing.assert_allclose(tree.predict_proba(X), peer.predict_proba(X))


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e3])
def test_a_least_share_of_the_weight_holds_whatever_the_weights_sum_to(scale):
    """A share that is less than the weight of one sample, too."""
    X, y, weight = [[0.0], [1.0], [2.0]], [0, 1, 1], scale * np.array([0.1, 1.0, 0.1])
    for share, n_nodes in ((0.0, 3), (0.05, 3), (0.25, 1)):
        tree = TreePredictor("gini", min_weight_fraction_leaf=share).fit(X, y, sample_weight=weight)
        assert tree.n_nodes_ == n_nodes


@pytest.mark.parametrize("limit", [{"min_samples_leaf": 6}, {"min_weight_fraction_leaf": 0.1}], ids=str)
def test_custom_index_has_the_same_limits(limit):
    X, y = mushrooms(120)
    for condition in ("threshold", "equality"):
        custom = TreePredictor(plain_gini, continuous_condition=condition, **limit).fit(X, y)
        named = TreePredictor("gini", continuous_condition=condition, **limit).fit(X, y)
        np.testing.assert_array_equal(custom.nodes_["feature"], named.nodes_["feature"])
        np.testing.assert_array_equal(custom.nodes_["n_samples"], named.nodes_["n_samples"])
        assert named.n_nodes_ > 1
    custom, named = (MultiwayTreePredictor(index, **limit).fit(X, y) for index in (plain_gini, "gini"))
    np.testing.assert_array_equal(custom.nodes_["n_samples"], named.nodes_["n_samples"])


def test_multiway_limits():
    X, y = mushrooms(200)
    whole = MultiwayTreePredictor().fit(X, y)
    for most in (1, 3, 30):
        assert MultiwayTreePredictor(max_leaf_nodes=most).fit(X, y).n_leaves_ <= most
    assert MultiwayTreePredictor(max_leaf_nodes=whole.n_leaves_).fit(X, y).n_leaves_ == whole.n_leaves_
    least = MultiwayTreePredictor(min_impurity_decrease=0.02).fit(X, y)
    inner = least.nodes_["feature"] >= 0
    decrease = least.nodes_["gain"] * least.nodes_["n_samples"] / 200
    assert 1 < least.n_nodes_ < whole.n_nodes_
    assert decrease[inner].min() >= 0.02
    heavy = MultiwayTreePredictor(min_weight_fraction_leaf=0.2).fit(X, y, sample_weight=np.arange(200))
    for node in np.flatnonzero(heavy.nodes_["feature"] >= 0):
        first = heavy.nodes_["first_child"][node]
        below = heavy.class_counts_[first : first + heavy.condition(node).n_outcomes].sum(axis=1)
        assert (below >= 0.2 * np.arange(200).sum()).sum() >= 2


# Readouts


@TREES
def test_decision_path_leads_from_the_root_to_where_a_sample_ends(kind):
    X, y = mushrooms(120)
    tree = kind(max_depth=4).fit(X, y)
    path, ends = tree.decision_path(X), tree.apply(X)
    assert (path.shape, path.dtype, path.format) == ((120, tree.n_nodes_), np.int64, "csr")
    parents = tree._parents()
    for row, end in zip(path, ends, strict=True):
        nodes = row.indices
        assert (nodes[0], nodes[-1]) == (0, end)
        assert parents[nodes[1:]].tolist() == nodes[:-1].tolist()
    np.testing.assert_array_equal(path.sum(axis=0).A1, tree.nodes_["n_samples"])


@pytest.mark.parametrize(
    "estimator",
    [TreePredictor(), MultiwayTreePredictor(), AdaBoostClassifier(3), RandomForestClassifier(3)],
    ids=lambda e: type(e).__name__,
)
def test_entropy_is_another_name_of_information(estimator):
    X, y = mushrooms(80)
    if "random_state" in estimator.get_params():
        estimator = clone(estimator).set_params(random_state=0)
    first, other = (clone(estimator).set_params(criterion=c).fit(X, y) for c in ("entropy", "information"))
    assert first.predict_proba(X).tobytes() == other.predict_proba(X).tobytes()
