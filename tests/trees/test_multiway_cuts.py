"""Columns of numbers in MultiwayTreePredictor: C4.5's cuts against a textbook and a peer."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from studylib.datasets import load_weather
from studylib.trees import CutCondition, MultiwayTreePredictor


@pytest.mark.parametrize("criterion", ["information", "gain_ratio"])
def test_golf_with_numbers_is_quinlans_tree(criterion):
    """C4.5, 1993, figure 1-1: the sunny days are cut at a humidity of 75, which none of them has."""
    golf = load_weather(numeric=True)
    tree = MultiwayTreePredictor(criterion, min_samples_leaf=2).fit(golf.data, golf.target)
    assert tree.to_text() == "\n".join([
        "outlook = 'sunny':",
        "  humidity ≤ 75 → yes  (2 samples)",
        "  humidity > 75 → no  (3 samples)",
        "outlook = 'overcast' → yes  (4 samples)",
        "outlook = 'rainy':",
        "  windy = False → yes  (3 samples)",
        "  windy = True → no  (2 samples)",
    ])  # fmt: skip
    sunny = golf.data[golf.data["outlook"] == "sunny"]
    assert sunny["humidity"].max() > 75 not in set(sunny["humidity"])
    assert 75 in set(golf.data["humidity"])


@pytest.mark.parametrize(("ours", "theirs"), [("information", "entropy"), ("gini", "gini")])
def test_without_categories_the_training_samples_are_divided_as_by_scikit_learn(ours, theirs):
    X, y = load_wine(return_X_y=True)
    weight = np.random.default_rng(0).random(len(y)) + 0.5  # so that no two columns are tied
    for depth in (1, 2, 3):
        tree = MultiwayTreePredictor(ours, max_depth=depth).fit(X, y, weight)
        peer = DecisionTreeClassifier(criterion=theirs, max_depth=depth, random_state=0).fit(X, y, weight)
        assert tree.n_nodes_ == peer.tree_.node_count
        np.testing.assert_allclose(tree.predict_proba(X), peer.predict_proba(X))


def test_missing_numbers_have_a_branch_of_their_own_if_there_were_any():
    X = pd.DataFrame({"width": [1.0, 2.0, 3.0, np.nan]})
    tree = MultiwayTreePredictor().fit(X, ["a", "a", "b", "c"])
    assert tree.to_text().splitlines() == [
        "width ≤ 2 → a  (2 samples)",
        "width > 2 → b  (1 sample)",
        "width is missing → c  (1 sample)",
    ]
    assert tree.apply(X).tolist() == [1, 1, 2, 3]
    assert tree.explain(X.iloc[3]).splitlines()[0].startswith("1. width is missing")
    tree = MultiwayTreePredictor().fit(X[:3], ["a", "a", "b"])
    assert tree.apply(X).tolist() == [1, 1, 2, 0]
    assert tree.explain(X.iloc[3]).splitlines()[0] == "1. width is missing, as none was in training"
    tree = MultiwayTreePredictor().fit([[7.0], [np.nan], [7.0]], ["a", "b", "a"])
    assert tree.to_text() == "x0 is known → a  (2 samples)\nx0 is missing → b  (1 sample)"
    assert tree.apply([[1e9], [np.nan]]).tolist() == [1, 2]


def test_neighbouring_and_huge_numbers_are_told_apart():
    for low, high in ((1.0, math.nextafter(1, 2)), (-1.7e308, 1.7e308), (1.6e308, 1.7e308), (0.0, 5e-324)):
        tree = MultiwayTreePredictor().fit([[low], [high]], [0, 1])
        assert tree.predict([[low], [high]]).tolist() == [0, 1]
        assert tree.nodes_["value"][0] == low


def test_cut_condition_says_on_which_side_a_number_is():
    condition = CutCondition(2.5, has_missing=True)
    assert [condition.test(v) for v in (2.5, 3, None)] == [0, 1, 2]
    assert [condition.describe("x", k) for k in range(3)] == ["x ≤ 2.5", "x > 2.5", "x is missing"]
    assert (CutCondition(2.5).n_outcomes, CutCondition(2.5).test(math.nan)) == (2, -1)
    known = CutCondition(math.inf, has_missing=True)
    assert [known.describe("x", k) for k in range(known.n_outcomes)] == ["x is known", "x is missing"]
    assert [known.test(v) for v in (1e300, None)] == [0, 1]


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame])
def test_a_number_is_missing_where_none_was_and_another_column_had_some(form):
    """The row ends at the node that asks, in an array as in a frame."""
    X, y = np.array([[1.0, 0.0], [np.nan, 0.0], [1.0, 1.0], [np.nan, 1.0]]), ["a", "a", "b", "b"]
    tree = MultiwayTreePredictor().fit(form(X), y)
    assert tree.n_nodes_ == 3
    new = form(np.array([[1.0, np.nan], [np.nan, np.nan], [np.nan, 1.0]]))
    assert tree.apply(new).tolist() == [0, 0, 2]
    assert tree.predict(new).tolist() == ["a", "a", "b"]
