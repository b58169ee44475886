"""The notebooks' algorithms in plain Python do what the library does."""

import re
from itertools import combinations
from pathlib import Path

import nbformat
import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_moons
from sklearn.tree import DecisionTreeClassifier

from studylib.datasets import make_clean_partitions, make_random_rbf
from studylib.graf import GuidedRandomForestClassifier
from studylib.pcf import PartialClassificationForest
from studylib.rules import apriori, association_rules
from studylib.statistics import strength_correlation
from studylib.trees import AdaBoostClassifier, RandomForestClassifier, TreePredictor

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def shown(notebook):
    """The names that the Python block of a notebook's text defines."""
    cells = nbformat.read(NOTEBOOKS / f"{notebook}.ipynb", as_version=4).cells
    blocks = [
        block
        for cell in cells
        if cell.cell_type == "markdown" and "in plain Python" in cell.source.partition("\n")[0]
        for block in re.findall(r"```python\n(.*?)```", cell.source, re.DOTALL)
    ]
    names = {"np": np, "combinations": combinations, "DecisionTreeClassifier": DecisionTreeClassifier}
    exec("\n".join(blocks), names)
    return names


def test_a_partial_forest_predicts_where_the_librarys_does_and_the_same():
    plain, rng = shown("01_pcf_decision_surfaces"), np.random.default_rng(0)
    X, y = make_clean_partitions(1500, random_state=0)
    X_new, _ = make_clean_partitions(400, random_state=1)
    box = np.column_stack([X.min(axis=0), X.max(axis=0)])
    trees = [plain["fit"](X, y, box, 0.0, 4, 100, rng) for _ in range(60)]
    forest = PartialClassificationForest(60, min_samples_leaf=4, random_state=0).fit(X, y)
    ours = forest.predict(X_new)
    theirs = np.array([plain["predict_forest"](trees, x) for x in X_new], dtype=object)
    answered, ours_answered = theirs != None, ours != forest.abstain_label_  # noqa: E711
    both = answered & ours_answered
    assert 0.05 < answered.mean() < 0.95
    assert (answered == ours_answered).mean() > 0.9
    assert (theirs[both] == ours[both]).all()


def test_a_guided_tree_ends_with_pure_leaves_and_as_many_as_the_librarys():
    plain = shown("03_graf_bias_variance")
    leaves, planes = [], []
    for seed in range(20):
        X, y = make_random_rbf(60, 3, 3, 10, seed)
        y = np.unique(y, return_inverse=True)[1]
        codes = plain["grow"](X, y, np.random.default_rng(seed))
        assert all(len(set(y[codes == code])) == 1 for code in codes)
        assert not any(a != b and b.startswith(a) for a in set(codes) for b in set(codes))
        forest = GuidedRandomForestClassifier(
            10, max_features=3, hyperplane="box", standardize=False, random_state=seed
        ).fit(X, y)
        leaves.append((len(set(codes)), np.mean([tree.is_leaf().sum() for tree in forest.trees_])))
        planes.append((max(map(len, codes)), np.mean([tree.depths().max() for tree in forest.trees_])))
    for pairs in (leaves, planes):
        difference = np.subtract(*np.transpose(pairs))
        assert abs(difference.mean()) < 3 * difference.std(ddof=1) / np.sqrt(len(difference))


def test_strength_and_correlation_are_the_librarys():
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(30, max_depth=2, random_state=0).fit(X[::2], y[::2])
    votes = np.array([tree.predict(X[1::2]) for tree in forest.estimators_]).astype(int)
    measures = shown("04_graf_strength_correlation")["strength_and_correlation"](votes, y[1::2], 3)
    expected = strength_correlation(votes, y[1::2])
    assert measures == pytest.approx((expected.strength, expected.correlation, expected.bound), rel=1e-9)


def test_sensitivity_is_the_librarys():
    X, y = make_moons(150, noise=0.3, random_state=0)
    forest = GuidedRandomForestClassifier(8, hyperplane="box", compute_sensitivity=True, random_state=0).fit(
        X, y
    )
    leaves = forest.apply(X)
    of_trees = [
        shown("06_graf_sensitivity")["sensitivity"](leaves[:, t], tree.heights()[leaves[:, t]], y)
        for t, tree in enumerate(forest.trees_)
    ]
    np.testing.assert_allclose(np.mean(of_trees, axis=0), forest.sensitivity_, rtol=1e-12)


@pytest.mark.parametrize("max_depth", [1, 2, 3, 20])
def test_a_tree_asks_the_librarys_questions(max_depth):
    X, y = load_iris(return_X_y=True)
    tree = shown("07_mushroom_trees")["grow"](X, y, max_depth)
    ours = TreePredictor(max_depth=max_depth).fit(X, y)
    assert len(tree) == ours.n_nodes_
    for x, expected in zip(X, ours.predict(X), strict=True):
        at = tree[0]
        while "children" in at:
            feature, theta = at["question"]
            at = tree[at["children"][int(x[feature] <= theta)]]
        assert at["label"] == expected


def test_boosting_has_the_librarys_votes():
    plain = shown("09_classification_foundations")
    X, y = make_moons(200, noise=0.3, random_state=0)
    y = 2 * y - 1
    members = plain["boost"](X, y, 20)
    ours = AdaBoostClassifier(20).fit(X, y)
    np.testing.assert_allclose([alpha for alpha, _ in members], ours.estimator_weights_, rtol=1e-9)
    np.testing.assert_array_equal(plain["predict"](members, X), ours.predict(X))


def test_apriori_finds_the_librarys_sets_and_rules():
    plain, rng = shown("10b_rules"), np.random.default_rng(0)
    baskets = [frozenset(np.flatnonzero(rng.random(8) < 0.5).tolist()) for _ in range(60)]
    supports = plain["apriori"](baskets, 0.2)
    sets = apriori([list(map(str, basket)) for basket in baskets], 0.2)
    assert {frozenset(map(str, s)): v for s, v in supports.items()} == pytest.approx(
        dict(zip(sets["itemsets"], sets["support"], strict=True))
    )
    ours = association_rules(sets, min_confidence=0.6)
    ours = ours[ours["confidence"] > 0.6]
    assert {tuple(frozenset(map(str, s)) for s in rule[:2]) for rule in plain["rules"](supports, 0.6)} == set(
        zip(ours["antecedents"], ours["consequents"], strict=True)
    )
