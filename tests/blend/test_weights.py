"""Weights of samples and classes: what they must not change, and what they change."""

import numpy as np
import pytest

from studylib.blend import BlendedForestClassifier
from studylib.blend._axis_family import AxisFamily
from studylib.blend._oblique_family import ObliqueFamily
from tests.blend.support import family_of
from tests.graf.support import blobs
from tests.naive import axis as naive
from tests.naive.splitmix64 import Stream

_STEP = 0x9E3779B97F4A7C15  # of a state, with each draw


@pytest.mark.parametrize("weight", [1.0, 0.3, 7])
def test_weights_that_are_all_the_same_are_none(weight):
    X, y = blobs(200, 4, 3, flips=0.1)
    X[::9, 1] = np.nan
    forest = BlendedForestClassifier(12, random_state=0)
    expected = forest.fit(X, y).predict_proba(X).tolist()
    assert forest.fit(X, y, sample_weight=np.full(200, weight)).predict_proba(X).tolist() == expected
    forest.set_params(class_weight=dict.fromkeys([0, 1, 2], weight))
    assert forest.fit(X, y).predict_proba(X).tolist() == expected


def test_a_weighted_axis_tree_is_the_naive_one_on_the_rows_drawn():
    rng = np.random.default_rng(0)
    X, labels = rng.integers(0, 5, (80, 3)).astype(float), rng.integers(0, 2, 80).astype(np.int32)
    weight = rng.random(80) ** 3
    family = family_of(AxisFamily, X, [0, 0, 0], 2, weight)
    some = rng.permutation(80)[:60]
    for rows in (np.arange(80), some):
        [tree] = family.grow(rows, labels[rows], 2, np.array([[9]], np.uint64))
        uniform = Stream(9)
        times = naive.draw_by_weight(weight[rows].tolist(), uniform)
        codes = X[rows].T.astype(int).tolist()
        expected = naive.grow(codes, [False] * 3, labels[rows].tolist(), 2, 2, uniform, times)
        assert tree.nodes["n_samples"].tolist() == [len(node["rows"]) for node in expected]
        assert tree.nodes["feature"].tolist() == [node.get("cut", (-1,))[0] for node in expected]


def test_a_weighted_oblique_tree_is_that_of_repeated_rows():
    X, y = blobs(150, 4, 3)
    weight, labels = np.random.default_rng(0).random(150) ** 3, y.astype(np.int32)
    [tree] = family_of(ObliqueFamily, X, [0] * 4, 3, weight).grow(
        slice(None), labels, 3, np.array([[9]], np.uint64)
    )
    uniform = Stream(9)
    times = [int(w + uniform()) for w in weight / weight.mean()]
    bag, state = np.repeat(np.arange(150), times), np.array([[(9 + 150 * _STEP) % 2**64]], np.uint64)
    [expected] = family_of(ObliqueFamily, X, [0] * 4).grow(bag, labels[bag], 3, state)
    for name in ("nodes", "n_samples", "features", "weights", "thresholds", "shares"):
        assert getattr(tree.arrays, name).tolist() == getattr(expected.arrays, name).tolist()


def test_the_mean_that_stands_for_missing_numbers_is_weighted():
    X = np.array([[1.0], [4.0], [np.nan], [1e308]])
    view = family_of(ObliqueFamily, X, [0], 2, np.array([1.0, 2.0, 5.0, 1e-320])).view
    assert view._means.tolist() == pytest.approx([3.0])
