"""A tree of a blend by itself: what it predicts, and how it is written down."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from studylib.blend import BlendedForestClassifier
from studylib.core.tree import LEAF
from tests.conventions.registry import walked


@pytest.fixture(scope="module")
def forest():
    """Fitted to numbers and categories, with gaps in both."""
    n, rng = 300, np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=n), "city": rng.choice(["Bern", "Oslo", "Rome"], n)})
    X.loc[::9, "size"] = np.nan
    X.loc[::11, "city"] = None
    y = np.where((X["city"] == "Rome") ^ (X["size"].fillna(0) > 0.3) ^ (rng.random(n) < 0.1), "yes", "no")
    return BlendedForestClassifier(12, categorical_features=["city"], random_state=0).fit(X, y)


def test_the_plain_arrays_lead_to_the_same_leaves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)).round(1)
    X[rng.random(X.shape) < 0.2] = np.nan
    y = np.isnan(X[:, 0]) + 2 * (np.nan_to_num(X[:, 1]) > 0) ^ (rng.random(400) < 0.1)
    forest = BlendedForestClassifier(20, random_state=0).fit(X, y)
    trees = [tree for tree, kind in zip(forest, forest.tree_families_, strict=True) if kind == "axis"]
    sides = set()
    for tree in trees:
        arrays = tree.to_arrays()
        assert walked(arrays, X) == tree.apply(X).tolist()
        inner = arrays["children_left"] != LEAF
        sides |= set(arrays["missing_go_to_left"][inner])
        np.testing.assert_allclose(arrays["value"].sum(axis=1), 1.0)
        children, sizes = (
            (arrays[f"children_{side}"][inner] for side in ("left", "right")),
            arrays["n_node_samples"],
        )
        assert (sizes[inner] == sum(sizes[child] for child in children)).all()
    assert sides == {False, True}
    assert any(np.isinf(tree.to_arrays()["threshold"]).any() for tree in trees)


def test_no_plain_arrays_of_other_nodes(forest):
    for tree, kind in zip(forest, forest.tree_families_, strict=True):
        message = "its nodes compare weighted sums" if kind == "oblique" else r"asks whether city = \w+; see"
        with pytest.raises(ValueError, match=f"^{type(tree).__name__}: to_arrays needs .*{message}"):
            tree.to_arrays()


def test_the_drawing_of_an_axis_parallel_tree(forest):
    tree = forest[forest.tree_families_.index("axis")]
    text = tree.to_dot()
    assert text.startswith("digraph tree {")
    assert text.count("->") == 2 * (tree.get_n_leaves() - 1)
    for part in (
        r'"city = (Bern|Oslo|Rome|missing)\\nn = \d+"',
        r'"size <= -?[\d.]+\\nn = \d+"',
        r'"(yes|no)\\nn = \d+"',
        r'label="(yes|no), or missing"',
    ):
        assert re.search(part, text)


def test_the_drawing_of_an_oblique_tree_is_over_the_numbers_of_the_table():
    """The sums in the text, computed by hand, send every row to its own leaf."""
    iris = load_iris(as_frame=True)
    X = iris.data.set_axis(list("abcd"), axis=1)
    forest = BlendedForestClassifier(8, random_state=0).fit(X, iris.target)
    tree = forest[forest.tree_families_.index("oblique")]
    first = tree._first_child()
    node, text = np.zeros(len(X), np.int64), {k: tree._texts(k) for k in range(len(first))}
    for _ in range(tree.get_depth()):
        for i in np.flatnonzero(first[node] != LEAF):
            told, branches = text[node[i]]
            assert branches == ["no", "yes"]
            total, threshold = told.split("\n")[0].split(" > ")
            terms = re.findall(r"([+-][\d.e+-]+) · (\w)", total)
            above = sum(float(w) * X[name].iloc[i] for w, name in terms) > float(threshold)
            node[i] = first[node[i]] + above
    assert (node == tree.apply(X)).mean() > 0.95  # the text is rounded
    assert set(text[0][0].split("\n")[1].split()) == {"n", "=", "150"}


def test_an_oblique_tree_says_which_categories_it_adds(forest):
    tree = forest[forest.tree_families_.index("oblique")]
    assert re.search(r"[+-][\d.]+ · \[city = (Bern|Oslo|Rome|missing)\]", tree.to_dot())
