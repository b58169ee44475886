"""√Gini and the balance of classes (lecture 2): which ratio is invariant, and which is not."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from studylib.trees import CRITERIA, TreePredictor, _gains

COUNT = st.integers(1, 1000)


def impurity(name, counts):
    counts = np.array(counts, float)
    return _gains.impurity(CRITERIA[name], counts, counts.sum())


def ratio(name, child, parent, weighted):
    plain = impurity(name, child) / impurity(name, parent)
    return sum(child) / sum(parent) * plain if weighted else plain


@given(counts=st.lists(COUNT, min_size=2, max_size=5))
def test_sqrt_gini_is_the_lectures(counts):
    shares = [count / sum(counts) for count in counts]
    assert impurity("sqrt_gini", counts) == pytest.approx(math.sqrt(sum(p * (1 - p) for p in shares)))
    a, b = shares[0] / (shares[0] + shares[1]), shares[1] / (shares[0] + shares[1])
    assert impurity("sqrt_gini", counts[:2]) == pytest.approx(math.sqrt(2) * math.sqrt(a * b))


@given(child=st.tuples(COUNT, COUNT), other=st.tuples(COUNT, COUNT), times=st.integers(2, 50))
def test_weighted_ratio_does_not_change_with_the_class_balance_but_the_plain_one_does(child, other, times):
    """The plain ratio changes whenever the child's class shares are not its parent's."""
    assume(child[0] * other[1] != child[1] * other[0])
    parent = [child[0] + other[0], child[1] + other[1]]
    more = [times * child[0], child[1]], [times * parent[0], parent[1]]
    before, after = ratio("sqrt_gini", child, parent, True), ratio("sqrt_gini", *more, True)
    assert after == pytest.approx(before, rel=1e-9)
    before, after = ratio("sqrt_gini", child, parent, False), ratio("sqrt_gini", *more, False)
    assert after != pytest.approx(before, rel=1e-9)


@pytest.mark.parametrize("name", ["gini", "information", "misclassification"])
def test_weighted_ratio_of_other_criteria_changes(name):
    before, after = ratio(name, [1, 3], [4, 8], True), ratio(name, [10, 3], [40, 8], True)
    assert abs(after - before) > 0.01


def test_weighted_ratio_changes_with_three_classes():
    before = ratio("sqrt_gini", [1, 3, 2], [4, 8, 9], True)
    after = ratio("sqrt_gini", [10, 3, 2], [40, 8, 9], True)
    assert abs(after - before) > 0.005


def test_root_split_by_sqrt_gini_does_not_depend_on_the_class_balance():
    def root(name, X, y, times):
        tree = TreePredictor(name, max_depth=1).fit(X, y, sample_weight=np.where(y, times, 1))
        return tree.nodes_["feature"][0], tree.nodes_["value"][0]

    changed = dict.fromkeys(("sqrt_gini", "gini", "information"), 0)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 3))
        y = X[:, 0] + X[:, 1] + rng.normal(size=60) > 0
        for name in changed:
            changed[name] += root(name, X, y, 1) != root(name, X, y, 100)
    assert changed["sqrt_gini"] == 0
    assert min(changed["gini"], changed["information"]) > 5
