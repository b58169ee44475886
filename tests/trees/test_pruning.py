"""Reduced-error pruning: the facts that make it what it is, and every pruning of small trees beside it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from studylib.core.tree import parents
from studylib.trees import CRITERIA, NODE_DTYPE, TreePredictor
from tests.naive import pruning as naive
from tests.trees.support import FastInterval, Subset, assert_same_tree, mushrooms

OWN = {"continuous_condition": FastInterval, "categorical_condition": Subset}


def n_errors(tree, X, y):
    return int((tree.predict(X) != y).sum())


def path_of(tree, leaf):
    parent, path = parents(tree.nodes_["first_child"]), [int(leaf)]
    while parent[path[-1]] >= 0:
        path.append(int(parent[path[-1]]))
    return path


def naive_best(tree, X, y):
    """Errors and leaves of the best pruning, by trying them all."""
    children = {
        i: (int(node["first_child"]), int(node["first_child"]) + 1)
        for i, node in enumerate(tree.nodes_)
        if node["feature"] >= 0
    }
    paths = [path_of(tree, leaf) for leaf in tree.apply(X)]
    return naive.best(children, dict(enumerate(tree.classes_[tree.nodes_["label"]])), paths, list(y))


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    n_held_out=st.integers(1, 25),
    limit=st.integers(1, 7),
    custom=st.booleans(),
    source=st.booleans(),
)
def test_pruned_tree_is_the_smallest_of_the_best_of_all_prunings(seed, n_held_out, limit, custom, source):
    X, y = mushrooms(30, seed)
    tree = TreePredictor(max_leaf_nodes=limit, source_compatible=source, **(OWN if custom else {})).fit(X, y)
    X_new, y_new = mushrooms(n_held_out, seed + 1)
    errors, leaves = naive_best(tree, X_new, y_new)
    pruned = tree.prune(X_new, y_new)
    assert n_errors(pruned, X_new, y_new) == errors <= n_errors(tree, X_new, y_new)
    assert pruned.n_leaves_ == len(leaves)
    # The same leaves: their counts, in the order of the full tree.
    np.testing.assert_array_equal(
        pruned.class_counts_[pruned.nodes_["feature"] < 0], tree.class_counts_[sorted(leaves)]
    )


@pytest.mark.parametrize("parameters", [{}, OWN, {"max_features": 1, "random_state": 0}])
def test_pruned_tree_is_a_whole_tree(parameters):
    X, y = mushrooms(200)
    tree = TreePredictor("gini", **parameters).fit(X, y)
    before = pickle.dumps(tree)
    X_new, y_new = mushrooms(300, seed=3)
    pruned = tree.prune(X_new, y_new)
    assert pickle.dumps(tree) == before
    assert 1 < pruned.n_nodes_ < tree.n_nodes_
    nodes = pruned.nodes_
    assert nodes.dtype == NODE_DTYPE
    assert pruned.n_nodes_ == len(nodes) == len(pruned.class_counts_) == 2 * pruned.n_leaves_ - 1
    assert pruned.depth_ == nodes["depth"].max() <= tree.depth_
    inner = nodes["feature"] >= 0
    first = nodes["first_child"][inner]
    assert first.tolist() == list(range(1, pruned.n_nodes_, 2))
    for child in (first, first + 1):
        assert (nodes["depth"][child] == nodes["depth"][inner] + 1).all()
    np.testing.assert_array_equal(
        pruned.class_counts_[first] + pruned.class_counts_[first + 1], pruned.class_counts_[inner]
    )
    assert (nodes["first_child"][~inner] == -1).all()
    assert np.isnan(nodes["value"][~inner]).all()
    assert (nodes["gain"][~inner] == 0).all()
    assert (nodes["label"] == pruned.class_counts_.argmax(axis=1)).all()
    # Each row stops at an ancestor of its former leaf, and training rows where they are counted.
    tallies = pd.crosstab(pruned.apply(X), y).reindex(columns=pruned.classes_)
    np.testing.assert_array_equal(pruned.class_counts_[tallies.index], tallies.to_numpy())
    back = pickle.loads(pickle.dumps(pruned))
    assert_same_tree(back, pruned)
    assert back.predict(X_new).tolist() == pruned.predict(X_new).tolist()
    assert len(pruned.to_text().splitlines()) == max(1, pruned.n_nodes_ - 1)
    assert len(pruned.rules()) == pruned.n_leaves_


@pytest.mark.parametrize("criterion", CRITERIA)
def test_pruning_twice_on_the_same_samples_changes_nothing_more(criterion):
    X, y = mushrooms(150)
    X_new, y_new = mushrooms(100, seed=2)
    pruned = TreePredictor(criterion).fit(X, y).prune(X_new, y_new)
    assert_same_tree(pruned.prune(X_new, y_new), pruned)


def test_a_label_that_training_did_not_know_is_an_error_everywhere():
    X, y = [[0.0], [1.0]], ["a", "b"]
    tree = TreePredictor().fit(X, y)
    assert_same_tree(tree.prune([[0.0], [1.0], [1.0]], ["a", "b", "c"]), tree)
    message = r"TreePredictor: prune needs labels among \['a', 'b'\], got only others such as 'c'\.$"
    with pytest.raises(ValueError, match=message):
        tree.prune(X, ["c", "d"])


def test_bad_input_is_refused():
    X, y = mushrooms()
    with pytest.raises(NotFittedError):
        TreePredictor().prune(X, y)
    tree = TreePredictor().fit(X, y)
    with pytest.raises(ValueError, match="TreePredictor: X has 60 rows and y has 59 labels; they must match"):
        tree.prune(X, y[:-1])
    with pytest.raises(ValueError, match="TreePredictor: y contains missing labels"):
        tree.prune(X, [None, *y[1:]])


def test_a_deep_chain_is_pruned_without_recursion():
    n = 3000
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    tree = TreePredictor("gini").fit(X, y)
    assert tree.prune(X[: n // 2], y[: n // 2]).depth_ >= n // 2 - 1
    assert tree.prune(X[:1], y[:1]).n_nodes_ <= 3
