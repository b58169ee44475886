"""Drawn columns and weighted samples."""

import itertools
import math

import numpy as np
import pytest
from sklearn.base import clone

from studylib.trees import (
    CRITERIA,
    TreePredictor,
)
from tests.trees.support import BOTH_MODES, assert_same_tree, mushrooms
from tests.trees.test_estimator import plain_gini

# Drawing columns


def test_drawn_columns_repeat_with_the_random_state_and_differ_between_seeds():
    X, y = mushrooms(150)

    def fit(seed):
        return TreePredictor(max_features=1, random_state=seed).fit(X, y)

    trees = [fit(seed) for seed in range(10)]
    for seed, tree in enumerate(trees):
        assert_same_tree(tree, fit(seed))
    assert len({tree.nodes_.tobytes() for tree in trees}) > 8
    a = TreePredictor(max_features=1, random_state=np.random.RandomState(3)).fit(X, y)
    assert_same_tree(a, fit(3))


def test_random_state_changes_nothing_when_all_columns_are_taken():
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y)
    for max_features in (None, 4, 1.0):
        for seed in (0, 1):
            assert_same_tree(TreePredictor(max_features=max_features, random_state=seed).fit(X, y), tree)


def test_one_of_four_columns_is_drawn_uniformly():
    X = np.array(list(itertools.product([0.0, 1.0], repeat=4)))
    y = X.sum(axis=1) > 2
    roots = [
        TreePredictor(max_features=1, max_depth=1, random_state=seed).fit(X, y).nodes_["feature"][0]
        for seed in range(400)
    ]
    # Binomial(400, 1/4): mean 100, standard deviation 8.7.
    assert np.bincount(roots, minlength=4) == pytest.approx(100, abs=35)


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


@pytest.mark.parametrize(
    ("max_features", "d", "drawn"),
    [
        (None, 13, 13),
        ("sqrt", 13, 3),
        ("sqrt", 16, 4),
        ("sqrt", 1, 1),
        ("ceil_sqrt", 13, 4),
        ("ceil_sqrt", 16, 4),
        ("ceil_sqrt", 1, 1),
        ("log2", 13, 3),
        ("log2", 16, 4),
        ("log2", 1, 1),
        (5, 13, 5),
        (0.5, 13, 6),
        (0.01, 13, 1),
        (1.0, 13, 13),
        (1, 13, 1),
        (0.3, 10, 3),
        (0.07, 100, 7),
        (0.55, 100, 55),
    ],
)
def test_max_features_is_so_many_columns(max_features, d, drawn):
    """A binary column asks an index twice, once a side, and the node itself asks once."""
    calls = []

    def index(counts):
        calls.append(counts)
        return 0.0

    X = np.tile([[0.0], [1.0]], d)
    TreePredictor(index, max_features=max_features, random_state=0).fit(X, [0, 1])
    assert (len(calls) - 1) / 2 == drawn


# Weights


@BOTH_MODES
@pytest.mark.parametrize("criterion", [*CRITERIA, plain_gini])
def test_weight_equals_repetition(criterion, source):
    X, y = mushrooms()
    times = np.random.default_rng(3).integers(1, 4, len(X))
    weighted = TreePredictor(criterion, source_compatible=source, min_samples_split=1)
    weighted.fit(X, y, sample_weight=times)
    repeated = clone(weighted).fit(X.loc[X.index.repeat(times)], np.repeat(y, times))
    assert weighted.class_counts_.tolist() == repeated.class_counts_.tolist()
    for field in ("feature", "first_child", "value", "label", "depth", "gain"):
        np.testing.assert_array_equal(weighted.nodes_[field], repeated.nodes_[field])


@BOTH_MODES
def test_weight_zero_equals_removal_of_rows_their_categories_and_their_gaps(source):
    X, y = mushrooms()
    used = np.ones(len(X))
    used[::3] = 0
    used[(X["cap"] == "flat") | X["ring"].isna()] = 0
    kept = used > 0
    assert set(y[kept]) == set(y)
    tree = TreePredictor(source_compatible=source)
    left = clone(tree).fit(X[kept], y[kept])
    tree.fit(X, y, sample_weight=used)
    assert_same_tree(tree, left)
    assert tree.apply(X).tolist() == left.apply(X).tolist()


def test_class_of_weight_zero_stays_a_class_without_support():
    tree = TreePredictor().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"], sample_weight=[1, 0, 1])
    assert tree.classes_.tolist() == ["a", "b", "c"]
    assert tree.predict_proba([[0.0], [2.0]]).tolist() == [[1, 0, 0], [0, 0, 1]]


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


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0, 0, 0], "sample_weight is 0 for all 3 samples|at least one non-zero"),
        ([1, -1, 1], "[Nn]egative"),
        ([1, 1], "sample_weight"),
        ([1, math.nan, 1], "sample_weight contains NaN"),
        ([1, math.inf, 1], "sample_weight contains inf"),
        ([[1], [1], [1]], "1D"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        TreePredictor().fit([[0.0], [1.0], [2.0]], [0, 1, 0], sample_weight=weights)
