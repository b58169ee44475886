"""Columns of numbers in MultiwayTreePredictor: C4.5's cuts against the naive tree, a textbook and a peer."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from studylib.datasets import load_weather
from studylib.trees import CutCondition, MultiwayTreePredictor
from tests.naive import multiway as naive
from tests.trees.support import EVERY_CRITERION, assert_same_tree, plain_gini


@st.composite
def tables(draw):
    """Rows (dicts) of numbers and categories with missing entries, and a label each."""
    n, d = draw(st.integers(1, 25)), draw(st.integers(1, 4))
    columns = {}
    for j in range(d):
        pool = draw(st.sampled_from([(0.0, 1.0), (3.5, -1.0, 2.0, 7.25), tuple(map(float, range(9))), "abc"]))
        gaps = [None] * draw(st.sampled_from([0, 0, 1, 3]))
        columns[f"column {j}"] = draw(st.lists(st.sampled_from([*pool, *gaps]), min_size=n, max_size=n))
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return rows, draw(st.lists(st.sampled_from("xyz"[: draw(st.integers(1, 3))]), min_size=n, max_size=n))


def numeric_columns(rows):
    """The columns without strings: one that is missing throughout holds numbers, too."""
    return [c for c in rows[0] if not any(isinstance(row[c], str) for row in rows)]


def as_frame(rows, numeric):
    columns = {c: [row[c] for row in rows] for c in rows[0]}
    return pd.DataFrame(columns, dtype=object).astype(dict.fromkeys(numeric, float))


def assert_is_naive(tree, expected, at=0):
    """The subtree at a node equals the naive one, node by node; returns the number of nodes."""
    node = tree.nodes_[at]
    assert (node["depth"], node["n_samples"]) == (expected["depth"], len(expected["samples"]))
    assert tree.classes_[node["label"]] == expected["label"]
    assert node["gain"] == pytest.approx(expected["gain"], abs=1e-9)
    if expected["column"] is None:
        assert (node["feature"], node["first_child"]) == (-1, -1)
        return 1
    assert tree.feature_names_[node["feature"]] == expected["column"]
    condition = tree.condition(at)
    if expected["threshold"] is None:
        assert math.isnan(node["value"])
        assert [None if pd.isna(v) else v for v in condition.values] == list(expected["children"])
    else:
        assert node["value"] == condition.threshold == expected["threshold"]
    assert condition.n_outcomes == len(expected["children"])
    children = enumerate(expected["children"].values(), start=node["first_child"])
    return 1 + sum(assert_is_naive(tree, child, k) for k, child in children)


@EVERY_CRITERION
@settings(max_examples=60)
@given(
    table=tables(),
    max_depth=st.sampled_from([None, None, 0, 1, 3]),
    least=st.sampled_from([1, 1, 2, 3]),
    data=st.data(),
)
def test_numbers_are_cut_as_in_the_naive_tree(criterion, table, max_depth, least, data):
    rows, y = table
    numeric = numeric_columns(rows)
    tree = MultiwayTreePredictor(criterion, max_depth=max_depth, min_samples_leaf=least)
    tree.fit(as_frame(rows, numeric), y)
    deepest = math.inf if max_depth is None else max_depth
    expected = naive.grow(rows, y, criterion, cut=numeric, max_depth=deepest, min_samples_leaf=least)
    assert assert_is_naive(tree, expected) == tree.n_nodes_ == len(tree.nodes_)
    event(f"cuts: {min(3, int((~np.isnan(tree.nodes_['value'])).sum()))}")
    # Combinations of values that no row has, numbers between and beyond, missing ones, a new category.
    new = [{c: data.draw(st.sampled_from([row[c] for row in rows])) for c in rows[0]} for _ in range(4)]
    for column in rows[0]:
        strange = [-99.0, 0.75, 3.0, 5.5, 99.0, None] if column in numeric else ["new", None]
        new += [{**new[0], column: value} for value in strange]
    ends = [naive.end(expected, row) for row in [*rows, *new]]
    X = as_frame([*rows, *new], numeric)
    assert tree.predict(X).tolist() == [end["label"] for end in ends]
    shares = [[end["voters"].count(c) / len(end["voters"]) for c in tree.classes_] for end in ends]
    np.testing.assert_allclose(tree.predict_proba(X), shares)


def test_custom_index_cuts_as_the_named_one():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((200, 3)) < 0.1, np.nan, rng.integers(0, 40, (200, 3)))
    y = rng.integers(0, 3, 200)
    for limits in ({}, {"min_samples_leaf": 5}, {"min_weight_fraction_leaf": 0.05}, {"max_leaf_nodes": 9}):
        tree = MultiwayTreePredictor("gini", **limits).fit(X, y)
        own = MultiwayTreePredictor(plain_gini, **limits).fit(X, y)
        np.testing.assert_allclose(own.nodes_["gain"], tree.nodes_["gain"], atol=1e-12)
        own.nodes_["gain"] = tree.nodes_["gain"]
        assert_same_tree(own, tree)
        assert tree.n_nodes_ > 3


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
