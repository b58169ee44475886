"""The least size of a node that is divided, chosen for each family by the inner evaluation."""

import numpy as np
import pytest

from studylib.blend import BlendedForestClassifier, classifier
from studylib.blend._axis_family import AxisFamily
from studylib.core.node_size import N_TREES, SIZES
from studylib.core.random import draw_states
from tests.blend.support import family_of
from tests.estimator_checks import parametrize_with_checks
from tests.graf.support import blobs
from tests.naive import node_size as naive


def auto(n_estimators=12, seed=0, **parameters):
    return BlendedForestClassifier(n_estimators, min_samples_split="auto", random_state=seed, **parameters)


def noisy(n=400, flips=0.4, n_classes=2):
    X, y = blobs(n, 5, n_classes, flips=flips)
    X[::9, 1] = np.nan
    return X, y


def outcome(forest, X):
    return (
        forest.family_weights_,
        forest.family_min_samples_split_,
        forest.predict_proba(X).tolist(),
        forest.apply(X).tolist(),
    )


@parametrize_with_checks(
    [auto(5)],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "weights are chances: the draws are others"
    },
    xfail_strict=True,
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


def test_noisy_data_get_larger_leaves_than_clean_ones():
    X, y = noisy()
    sizes = auto().fit(X, y).family_min_samples_split_
    assert set(sizes) == {"oblique", "axis"}
    assert all(m in SIZES and m >= 16 for m in sizes.values())
    clean = np.linspace(-1.0, 1.0, 600)[:, None] + np.zeros((1, 2))
    assert auto().fit(clean, np.arange(600) // 30 % 2).family_min_samples_split_["axis"] <= 4


@pytest.mark.parametrize("m", [2, 20, 10**6])
def test_a_given_size_holds_for_both_families(m):
    X, y = noisy()
    forest = BlendedForestClassifier(12, min_samples_split=m, random_state=0).fit(X, y)
    assert set(forest.family_min_samples_split_.values()) == {m}
    for tree in forest:
        inner = tree._first_child() >= 0
        assert (tree._node_samples()[inner] >= m).all()
    if m == 10**6:
        assert {tree.get_n_leaves() for tree in forest} == {1}


def test_trees_have_the_size_of_their_family():
    X, y = noisy()
    forest = auto(20).fit(X, y)
    for tree, family in zip(forest, forest.tree_families_, strict=True):
        inner = tree._first_child() >= 0
        assert (tree._node_samples()[inner] >= forest.family_min_samples_split_[family]).all()


def path_shares(tree, rows, n_classes):
    """What the tree shows each row: samples and shares from the root to the leaf, by plain loops."""
    first, n, counts = tree._first_child(), tree._node_samples(), tree._leaf_counts().tolist()
    above = {int(first[k]) + j: k for k in range(len(first)) if first[k] >= 0 for j in (0, 1)}
    for k in range(len(first) - 1, 0, -1):
        counts[above[k]] = [a + b for a, b in zip(counts[above[k]], counts[k], strict=True)]
    paths = []
    for leaf in tree._leaves_of(rows).tolist():
        path = [leaf]
        while path[0]:
            path.insert(0, above[path[0]])
        paths.append([(int(n[k]), [c / sum(counts[k]) for c in counts[k][:n_classes]]) for k in path])
    return paths


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", ["auto", 2, 20])
def test_shares_and_sizes_are_those_of_the_oracle(monkeypatch, m, weighted):
    """The inner trees are the library's; what is made of them is computed again from their paths."""
    candidates = SIZES if m == "auto" else (m,)
    X, y = noisy(120, 0.3, 3)
    weight = np.random.default_rng(0).random(120) if weighted else np.ones(120)
    folds = []

    def kept(family, train, test, X, labels, weight, states, sizes):
        folds.append((family, train, test, states.copy()))
        return errors(family, train, test, X, labels, weight, states, sizes)

    errors = classifier._squared_errors
    monkeypatch.setattr(classifier, "_squared_errors", kept)
    forest = auto().set_params(min_samples_split=m).fit(X, y, sample_weight=weight if weighted else None)
    expected, total = {name: np.zeros((2, len(candidates))) for name in ("oblique", "axis")}, weight.sum()
    for family, train, test, states in folds:
        trees = family.grow(train, y[train].astype(np.int32), 3, states, candidates[0])
        of_trees = [path_shares(tree, family.view.rows(X[test]), 3) for tree in trees]
        truth = [[float(c == label) for c in range(3)] for label in y[test]]
        name = "axis" if isinstance(family, AxisFamily) else "oblique"
        for s, size in enumerate(candidates):
            paths = [list(of_row) for of_row in zip(*of_trees, strict=True)]
            expected[name][:, s] += naive.scores(paths, truth, weight[test], size, N_TREES)
    assert len(folds) == 6
    best = {name: error[1].argmin() for name, error in expected.items()}
    assert forest.family_min_samples_split_ == {name: candidates[s] for name, s in best.items()}
    shares = {name: (error[0, best[name]] / total + 1 / 120) ** -8.0 for name, error in expected.items()}
    for name, share in forest.family_weights_.items():
        assert share == pytest.approx(shares[name] / sum(shares.values()))


def test_axis_trees_read_as_if_cut_back_are_those_grown_anew():
    """With one column there is nothing to draw, so the same state grows the same tree for every size."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 1)), rng.integers(0, 3, 300).astype(np.int32)
    family, states = family_of(AxisFamily, X, [0]), draw_states(np.random.RandomState(0), 10)
    rows = family.view.rows(rng.normal(size=(80, 1)))
    pure = [path_shares(tree, rows, 3) for tree in family.grow(slice(None), y, 3, states.copy(), 2)]
    for m in SIZES:
        for tree, paths in zip(family.grow(slice(None), y, 3, states.copy(), m), pure, strict=True):
            shares = tree._shares_of(tree._leaves_of(rows), rows)
            np.testing.assert_allclose(shares, [naive.answer(path, m) for path in paths])


def test_a_larger_forest_begins_with_the_trees_of_a_smaller_one():
    X, y = noisy()
    small, large = auto(6).fit(X, y), auto(15).fit(X, y)
    assert small.family_min_samples_split_ == large.family_min_samples_split_
    assert small.apply(X).tolist() == large.apply(X)[:, :6].tolist()
    warm = auto(6, warm_start=True).fit(X, y).set_params(n_estimators=15).fit(X, y)
    assert outcome(warm, X) == outcome(large, X)


def test_weights_enter_the_scores():
    """Half of the samples are noise; with weight only on the others, pure leaves are right."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    clean = np.arange(600) % 2 == 0
    y = np.where(clean, np.floor(4 * X[:, 0]) % 2, rng.integers(0, 2, 600))
    X[:, 1] = clean
    light = auto(seed=1).fit(X, y, sample_weight=np.where(clean, 1e-6, 1.0)).family_min_samples_split_
    heavy = auto(seed=1).fit(X, y, sample_weight=np.where(clean, 1.0, 1e-6)).family_min_samples_split_
    assert heavy["axis"] < light["axis"]
    same = outcome(auto().fit(X, y, sample_weight=np.ones(600)), X)
    assert same == outcome(auto().fit(X, y), X)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_a_few_samples_suffice(n):
    rng = np.random.default_rng(n)
    forest = auto(4).fit(rng.normal(size=(n, 2)), np.arange(n) % 2)
    assert set(forest.family_min_samples_split_.values()) <= set(SIZES)
    if n == 1:
        assert forest.family_min_samples_split_ == {"oblique": 2, "axis": 2}
