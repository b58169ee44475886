"""Data at the edge: nothing to learn, nothing to divide, huge and tiny numbers, more features than rows."""

import numpy as np
import pytest

from studylib.graf import GuidedRandomForestClassifier
from tests.graf.support import HYPERPLANES, assert_same_tree, blobs, fit_both


@HYPERPLANES
def test_duplicates_with_different_labels_share_a_leaf(hyperplane):
    X = np.repeat([[0.0, 1.0], [2.0, 5.0], [3.0, 4.0]], [3, 4, 2], axis=0)
    y = np.array([0, 0, 1, 1, 1, 1, 2, 2, 2])
    forest = GuidedRandomForestClassifier(5, max_features=2, hyperplane=hyperplane, random_state=0).fit(X, y)
    assert (forest.apply(X)[[0, 3, 7]] != forest.apply(X)[[3, 7, 0]]).all()
    for tree in forest.trees_:
        leaf = tree.leaf_shares(np.flatnonzero(tree.nodes["plane"] == -2)[0])
        # N = (2, 4, 3): shares (2/2, 1/4) of the first point, (3/4, 1/3) of the second
        ratio = leaf["share"][0] / leaf["share"][1]
        assert ratio == pytest.approx(4.0) or ratio == pytest.approx(9 / 4)
        assert set(tree.labels()[tree.is_leaf()]) == {0, 1, 2}
    assert forest.predict(X).tolist() == [0] * 3 + [1] * 4 + [2] * 2


@HYPERPLANES
def test_constant_features_beside_others(hyperplane):
    X, y = blobs(100, 3, 2, flips=0.0)
    X = np.column_stack([np.full(100, 7.0), X, np.full(100, -0.1)])
    forest = GuidedRandomForestClassifier(20, hyperplane=hyperplane, random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.9
    if hyperplane in ("guided", "canonical"):
        assert all(((tree.features >= 1) & (tree.features <= 3)).all() for tree in forest.trees_)


@HYPERPLANES
@pytest.mark.parametrize(
    ("standardize", "factor"),
    # As they are, the squares of larger or smaller ones leave the range of doubles.
    [(False, f) for f in (1e12, 1e-12, 1e140, 1e-140)] + [(True, f) for f in (1e12, 1e-12, 1e300, 1e-300)],
)
def test_features_of_any_size(hyperplane, standardize, factor):
    X, y = blobs(120, 4, 3, flips=0.0)
    forest = GuidedRandomForestClassifier(
        10, hyperplane=hyperplane, standardize=standardize, max_features=1.0, random_state=0
    ).fit(factor * X, y)
    assert forest.score(factor * X, y) == 1.0


def test_features_of_very_different_sizes():
    X, y = blobs(120, 4, 3, flips=0.0)
    X *= [1e12, 1.0, 1e-12, 1e-300]
    assert GuidedRandomForestClassifier(10, max_features=1.0, random_state=0).fit(X, y).score(X, y) == 1.0


@HYPERPLANES
@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_single_precision_never_decides(hyperplane, offset):
    # Beside the offset nothing of the data is left in single precision.
    X, y = blobs(150, 4, 3)
    X = np.round(X * 2**10) / 2**10 + offset
    forest, trees, totals = fit_both(X, y, 1, hyperplane=hyperplane, max_features=1.0)
    assert_same_tree(forest.trees_[0], *trees[0], y.tolist(), totals)
    assert forest.score(X, y) > 0.9


@pytest.mark.parametrize("offset", [0.0, 1e7])
@pytest.mark.parametrize("n", [1, 700])
def test_many_features_lead_where_double_precision_does(n, offset):
    X, y = blobs(1500, 24, flips=0.3)
    X += offset
    forest = GuidedRandomForestClassifier(2, max_features=20, standardize=False, random_state=0).fit(X, y)
    assert len(forest._to_view(X)) == 5  # with a row for each sample
    leaves = forest.apply(X[:n])
    for k, tree in enumerate(forest):
        assert len(tree.thresholds) > 8  # not all are followed in one step
        node = np.zeros(n, int)
        while (plane := tree.nodes["plane"][node]).max() >= 0:
            total = np.zeros(n)
            for weight, column in zip(tree.weights[plane].T, X[:n, tree.features[0]].T, strict=True):
                total += weight * column
            following = tree.nodes["next"][node] + (total > tree.thresholds[plane])
            node = np.where(plane >= 0, following, node)
        assert (leaves[:, k] == node).all()
        assert (tree.apply(X[:n]) == node).all()  # without a row for each sample


def test_doubles_that_are_next_to_each_other_are_told_apart():
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)], [np.nextafter(1.0, 0.0)]] * 4)
    y = np.array([0, 1, 2] * 4)
    for hyperplane in ("box", "centred", "guided"):
        forest = GuidedRandomForestClassifier(20, hyperplane=hyperplane, random_state=0).fit(X, y)
        assert forest.score(X, y) == 1.0


@HYPERPLANES
def test_a_thousand_features_and_twenty_rows(hyperplane):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 1000)), np.repeat([0, 1], 10)
    X[:, :50] += 3 * y[:, None]
    forest = GuidedRandomForestClassifier(10, hyperplane=hyperplane, random_state=0).fit(X, y)
    assert forest.score(X, y) == 1.0


@HYPERPLANES
def test_a_hundred_classes(hyperplane):
    X, y = blobs(600, 8, 100, flips=0.0)
    forest = GuidedRandomForestClassifier(20, hyperplane=hyperplane, random_state=0).fit(X, y)
    assert len(forest.classes_) == len(set(y))
    assert forest.score(X, y) == 1.0
    assert forest.predict_proba(X[:3]).shape == (3, len(set(y)))


@HYPERPLANES
def test_binary_features_with_contradictions_come_to_an_end(hyperplane):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (500, 6)).astype(float), rng.integers(0, 3, 500)
    forest = GuidedRandomForestClassifier(5, hyperplane=hyperplane, max_features=1.0, random_state=0).fit(
        X, y
    )
    patterns = np.unique(X, axis=0)
    assert all(tree.is_leaf().sum() == len(patterns) for tree in forest.trees_)


def test_a_class_of_one_sample_beside_many():
    X, y = blobs(300, 3, 2)
    y[17] = 9
    forest = GuidedRandomForestClassifier(10, max_features=1.0, random_state=0).fit(X, y)
    assert forest.predict(X[17:18]) == [9]
