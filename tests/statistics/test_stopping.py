"""A search that grows one tree finds what one that grows them all finds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from studylib import statistics
from studylib.trees import TreePredictor

#: Each rule alone, all of them together, and limits at which nothing or everything is cut off.
GRID = [
    {"max_depth": [1, 2, 5, None]},
    {"max_leaf_nodes": [1, 2, 7, 20, None]},
    {"max_nodes": [1, 2, 3, 4, 12, 13, None]},
    {"min_samples_split": [1, 2, 3, 30, 1000]},
    {"min_entropy": [0, 0.25, 0.6, 1.0, 5.0]},
    {
        "max_depth": [3, 6],
        "max_leaf_nodes": [4, 9],
        "max_nodes": [10, 15],
        "min_samples_split": [2, 20],
        "min_entropy": [0.0, 0.5],
    },
]


def mixed_table(n, n_classes, random_state):
    rng = np.random.default_rng(random_state)
    X = pd.DataFrame(
        {
            "x": rng.normal(size=n).round(1),
            "c": pd.Categorical(rng.choice(list("abcd"), n)),
            "z": rng.integers(0, 3, n).astype(float),
        }
    )
    X.loc[rng.random(n) < 0.1, "x"] = np.nan
    score = X["x"].fillna(0) + 2 * (X["c"] == "a") + X["z"] * (X["c"] == "b") + 0.3 * rng.normal(size=n)
    return X, pd.qcut(score, n_classes, labels=[f"class {k}" for k in range(n_classes)]).astype(str)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("source_compatible", [False, True])
@pytest.mark.parametrize("criterion", ["information", "misclassification"])
def test_losses_are_those_of_one_fit_a_configuration(criterion, source_compatible, n_classes):
    X, y = mixed_table(300, n_classes, n_classes)
    parts = X[:200], y[:200], X[200:], y[200:]
    tree = TreePredictor(criterion, source_compatible=source_compatible)
    search = statistics.stopping_search(tree, GRID, *parts)
    naive = statistics.holdout_search(tree, GRID, *parts)
    assert search.configurations == naive.configurations
    assert np.array_equal(search.losses, naive.losses)
    assert len(np.unique(search.losses)) > 2


def test_rules_that_the_grid_does_not_name_are_the_trees_own():
    X, y = mixed_table(200, 3, 0)
    tree = TreePredictor(max_depth=3, min_samples_split=10)
    grid = {"max_leaf_nodes": [3, 6, None], "min_samples_split": [2, 40]}
    args = tree, grid, X[:120], y[:120], X[120:], y[120:]
    assert np.array_equal(statistics.stopping_search(*args).losses, statistics.holdout_search(*args).losses)
    assert not hasattr(tree, "nodes_")


def test_a_label_that_was_not_in_training_is_always_wrong():
    X, y = mixed_table(60, 2, 1)
    search = statistics.stopping_search(TreePredictor(), {"max_depth": [0, None]}, X, y, X, ["new"] * 60)
    assert search.losses.tolist() == [[1.0], [1.0]]


def test_it_serves_flat_and_nested_searches():
    X, y = mixed_table(150, 2, 2)
    args = TreePredictor("gini"), {"max_depth": [2, 4, None], "min_entropy": [0.0, 0.8]}, X, y, 3
    for run in (statistics.flat_cv, statistics.nested_cv):
        quick = run(*args, search=statistics.stopping_search)
        assert np.array_equal(quick.losses, run(*args).losses)


def test_bad_input_is_named():
    X, y = mixed_table(30, 2, 3)
    for tree in (KNeighborsClassifier(), TreePredictor(max_features=1)):
        with pytest.raises(ValueError, match="^stopping_search: tree must be a TreePredictor with max_f"):
            statistics.stopping_search(tree, {"max_depth": [1]}, X, y, X, y)
    with pytest.raises(ValueError, match="^stopping_search: X has 30 rows and y has 29 labels; they must"):
        statistics.stopping_search(TreePredictor(), {"max_depth": [1]}, X, y, X, y[1:])
    for grid, sentence in (
        ({"criterion": ["gini"]}, "grid may name max_depth, max_leaf_nodes, .* only, got 'criterion'."),
        ([], r"grid must have at least one configuration, got \[\]."),
        ({"max_depth": [-1]}, "max_depth must be an integer >= 0 or None, got -1."),
        ({"min_entropy": [-1]}, "min_entropy must be a number >= 0, got -1."),
    ):
        with pytest.raises(ValueError, match=f"^stopping_search: {sentence}"):
            statistics.stopping_search(TreePredictor(), grid, X, y, X, y)
