"""Categories cost codes in a blend: the trees are those of indicators that are written out, bit by bit."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from studylib.blend import BlendedForestClassifier
from studylib.blend._axis_family import AxisFamily
from studylib.blend._oblique_family import ObliqueFamily
from studylib.core.random import draw_states
from studylib.graf import _grow
from studylib.graf._predict import find_leaves
from studylib.graf._scaling import Scaling
from studylib.graf._tree import Tree
from tests.blend.support import family_of

TABLES = pytest.mark.parametrize(
    ("n_numbers", "sizes"),
    [(0, [2]), (1, [2]), (3, [2, 2]), (0, [2, 2]), (0, [3, 5]), (1, [40]), (4, [7, 1, 30]), (2, [254, 255])],
)


def table(n_numbers, sizes, n=700, seed=0):
    """Numbers between columns of codes; ``(X, codes of each column, labels)``."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_numbers + len(sizes)))
    n_categories = np.zeros(X.shape[1], np.int64)
    for j, size in zip(rng.permutation(X.shape[1]), sizes, strict=False):
        n_categories[j] = size
        X[:, j] = np.r_[np.arange(size), rng.integers(0, size, n - size)]  # each is there
    X[rng.random(n) < 0.1] += np.where(n_categories == 0, np.nan, 0.0)
    rng.shuffle(X)
    signal = np.nansum(np.where(n_categories > 0, X % 3, X), axis=1)
    return X, n_categories, np.searchsorted(np.quantile(signal, [0.3, 0.7]), signal).astype(np.int32)


#: What a tree consists of.
ARRAYS = ("nodes", "n_samples", "features", "weights", "thresholds", "origins", "shares")


class WrittenOut:
    """The oblique family with its indicators written out, as earlier versions had it."""

    def __init__(self, X, n_categories, settings):
        self._n_categories, self._settings = n_categories, settings
        known = ~np.isnan(X)
        n_known = np.maximum(known.sum(axis=0), 1)
        self._means = np.where(known, X / n_known, 0.0).sum(axis=0)
        self._scaling = Scaling(self.features(X))
        self.data, self.single, self.largest = self.view(X)

    def features(self, X):
        of_numbers = self._n_categories == 0
        parts = [np.where(np.isnan(X), self._means, X)[:, of_numbers]]
        for j in np.flatnonzero(~of_numbers):
            size = self._n_categories[j]
            parts.append(X[:, [j]] == np.arange(size if size > 2 else 1))
        return np.hstack(parts, dtype=np.float64)

    def view(self, X):
        data = np.array(self._scaling(self.features(X)).T, order="C")
        return data, data.astype(np.float32), np.abs(data).max(axis=1)

    def grow(self, rows, labels, n_classes, states):
        data, single = self.data[:, rows].copy(), self.single[:, rows].copy()
        totals, d = np.bincount(labels, minlength=n_classes), len(data)
        room = _grow.make_workspace(len(labels), d, n_classes, d, self._settings)
        words = data, single, self.largest, labels, totals, self._settings
        return [Tree(*_grow.grow(*words, state, *room)) for state in states]


def leaves(tree, view):
    return find_leaves(tree.nodes, tree.features, tree.weights, tree.thresholds, *view).tolist()


def states(n):
    return draw_states(np.random.RandomState(0), n)


@TABLES
def test_trees_and_leaves_are_those_of_indicators_written_out(n_numbers, sizes):
    X, n_categories, labels = table(n_numbers, sizes)
    family = family_of(ObliqueFamily, X, n_categories)
    other = WrittenOut(X, n_categories, family._settings)
    assert len(other.data) == n_numbers + sum(size if size > 2 else 1 for size in sizes)
    new = X.copy()
    new[::5, n_categories > 0] = -1.0  # in none of the categories
    new[1::5, n_categories > 0] = np.nan
    new[2::5, n_categories > 0] = 300.0
    some = np.random.default_rng(1).permutation(len(X))[:450]
    for rows, chosen in ((slice(None), labels), (some, labels[some])):
        trees = family.grow(rows, chosen, 3, states(3))
        for tree, expected in zip(trees, other.grow(rows, chosen, 3, states(3)), strict=True):
            for name in ARRAYS:
                assert getattr(tree.arrays, name).tobytes() == getattr(expected, name).tobytes()
            assert tree.arrays.n_draws == expected.n_draws
            for probes in (X, new, new[:1]):
                assert tree._leaves_of(family.view.rows(probes)).tolist() == leaves(
                    tree.arrays, other.view(probes)
                )
    assert any(len(tree.arrays.nodes) > 1 for tree in trees)


@TABLES
def test_scaling_has_the_bits_of_indicators_written_out(n_numbers, sizes):
    X, n_categories, _ = table(n_numbers, sizes, n=20_000)
    family = family_of(ObliqueFamily, X, n_categories)
    scaled = WrittenOut(X, n_categories, family._settings).data
    data, _, largest, sources = family.view.rows(X)
    assert len(sources) == len(scaled) == len(largest)
    for source, column, most in zip(sources, scaled, largest, strict=True):
        values = data[source["row"]]
        if source["category"] >= 0:
            values = np.where(values == source["category"], source["one"], source["zero"])
        assert values.tobytes() == column.tobytes()
        assert most >= np.abs(column).max()


def test_two_categories_have_one_indicator():
    X, n_categories, _ = table(1, [2, 3])
    assert len(family_of(ObliqueFamily, X, n_categories).view.rows(X)[-1]) == 1 + 1 + 3


@pytest.mark.parametrize("strange", [-1.0, np.nan])
def test_an_unknown_category_equals_none_in_axis_parallel_trees(strange):
    X, n_categories, labels = table(2, [6, 30])
    family = family_of(AxisFamily, X, n_categories)
    new, beyond = X.copy(), X.copy()
    new[:, n_categories > 0], beyond[:, n_categories > 0] = strange, 300.0
    for tree in family.grow(slice(None), labels, 3, states(3)):
        assert (n_categories[tree.nodes["feature"][tree.nodes["feature"] >= 0]] > 0).any()
        assert tree._leaves_of(new).tolist() == tree._leaves_of(beyond).tolist()


def test_importances_are_those_of_the_columns_that_indicators_come_from():
    X, n_categories, _ = table(3, [12, 2])
    j = int(np.argmax(n_categories))
    labels = (X[:, j] % 2).astype(np.int32)
    family = family_of(ObliqueFamily, X, n_categories, 2)
    for tree in family.grow(slice(None), labels, 2, states(3)):
        shares = tree.feature_importances_
        assert shares.shape == (5,)
        assert shares.sum() == pytest.approx(1.0)
        assert shares.argmax() == j
        assert shares[j] > 0.5


def peak(call):
    """What ``call`` returns, and the most memory that it had at a time, in MB."""
    tracemalloc.start()
    try:
        returned = call()
        return returned, tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def test_categories_cost_codes_and_not_indicators():
    """800 indicators of 4,000 rows, written out, took 67 MB in ``fit`` and 64 in ``predict``."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 200, (4000, 4)).astype(float), rng.integers(0, 2, 4000)
    forest = BlendedForestClassifier(2, categorical_features=[0, 1, 2, 3], random_state=0)
    forest.fit(X[:300], y[:300]).predict(X[:300])  # compiles
    _, in_fit = peak(lambda: forest.fit(X, y))
    assert in_fit < 12
    _, in_prediction = peak(lambda: forest.predict(X))
    assert in_prediction < 3


@pytest.mark.slow
def test_who_has_no_categories_compiles_nothing_for_them():
    script = """
from studylib.blend import BlendedForestClassifier
from studylib.graf import GuidedRandomForestClassifier, _grow, _predict
from tests.graf.support import blobs
X, y = blobs(60, 4, 2)
BlendedForestClassifier(6, random_state=0).fit(X, y).predict(X)
GuidedRandomForestClassifier(2, hyperplane="canonical", random_state=0).fit(X, y).predict(X)
print(len(_grow._grow.signatures), len(_predict._find_leaves.signatures))
"""
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["1", "1"]
