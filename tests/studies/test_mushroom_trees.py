"""The published trees: their tables, tasks and judgements, and what claims say about trees in general."""

import numpy as np
import pandas as pd
import pytest

from studylib import datasets
from studylib.datasets import mushroom
from studylib.studies.mushrooms import properties, published_trees, table_4_1
from studylib.studies.mushrooms.stopping import DEFAULTS, _keeps, same_with_defaults
from studylib.study.measured import tidy
from studylib.trees import TreePredictor
from tests.trees.support import mushrooms


@pytest.fixture
def small(monkeypatch):
    """The first 600 simulated mushrooms instead of 60,000, for tasks that are not to take long."""
    monkeypatch.setattr(published_trees, "ROWS", 600)
    caches = published_trees.first_rows, published_trees._all_columns, published_trees.published_split
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


def paths(tree):
    """Every node as (conditions and outcomes from the root, condition there), spelled out."""
    nodes, queue = [], [(0, ())]
    while queue:
        node, above = queue.pop()
        condition, record = tree.condition(node), tree.nodes_[node]
        asked = None if condition is None else (int(record["feature"]), repr(condition))
        nodes.append((above, asked))
        if condition is not None:
            first = int(record["first_child"])
            queue += [(first + k, (*above, (asked, k))) for k in (0, 1)]
    return nodes


def test_changed_nodes_are_those_whose_path_or_condition_is_not_in_the_other_tree():
    X, y = mushrooms(300)
    tree = TreePredictor().fit(X, y)
    for n_left_out in (0, 1, 5, 60):
        other = TreePredictor().fit(X[n_left_out:], y[n_left_out:])
        theirs = set(paths(other))
        share = properties.changed_nodes(tree, other)
        assert share == pytest.approx(np.mean([node not in theirs for node in paths(tree)]))
    assert 0 < share <= 1


def test_tests_of_a_row_are_the_lines_of_its_explanation():
    X, y = mushrooms(300)
    tree = TreePredictor().fit(X, y)
    lines = [len(tree.explain(X.iloc[[i]]).splitlines()) - 1 for i in range(20)]
    assert properties.tests_of_rows(tree, X.iloc[:20]).tolist() == lines
    assert lines == tree.nodes_["depth"][tree.apply(X.iloc[:20])].tolist()


def test_breadth_first_is_recognised_and_its_absence_too():
    tree = TreePredictor().fit(*mushrooms(300))
    assert properties.is_breadth_first(tree)
    tree.nodes_["first_child"][[0, 1]] = tree.nodes_["first_child"][[1, 0]]
    assert not properties.is_breadth_first(tree)


def test_a_limit_that_a_tree_exceeds_is_noticed():
    X, y = pd.DataFrame({"x": np.arange(30.0)}), np.arange(30) % 2
    tree = TreePredictor().fit(X, y)
    limits = {"depth": 1, "leaves": 3, "nodes": 5, "samples": 20, "entropy": 0.95}
    assert not any(_keeps(tree, name, value) for name, value in limits.items())


def test_defaults_change_a_tree_that_is_deeper_than_they_allow():
    X, y = properties.alternating_chain(150)
    deep = TreePredictor("gini").fit(X, y)
    flat = TreePredictor("gini").fit(X[:90], y[:90])
    assert deep.depth_ > DEFAULTS["max_depth"] > flat.depth_
    assert same_with_defaults([deep], X, y) == [False]
    assert same_with_defaults([flat], X[:90], y[:90]) == [True]


def test_variation_task_compares_trees_with_and_without_a_few_rows(small, monkeypatch):
    monkeypatch.setattr(published_trees, "VARIATIONS", {50: {"1 row": 1, "5 %": 3}, 480: {"1 row": 1}})
    keys = published_trees.variation_keys("simulated", 2)
    assert len(keys) == 6
    X, _, y, _ = published_trees.published_split("simulated")
    for key in keys:
        order = np.random.default_rng([key["n_train"], key["draw"]]).permutation(480)[: key["n_train"]]
        whole, kept = sorted(order), sorted(order[: key["n_train"] - key["n_dropped"]])
        whole_tree, other = (TreePredictor().fit(X.iloc[rows], y.iloc[rows]) for rows in (whole, kept))
        assert published_trees.variation_task(key, 9) == properties.changed_nodes(whole_tree, other)
    shares = published_trees.variation_table(tidy(keys, [0.1, 0.2, 0.6, 0.7, 0.3, 0.4]))
    assert table_4_1.changed_shares(shares)["50 rows"] == {"1 row": [0.1, 0.2], "5 %": [0.6, 0.7]}


@pytest.mark.skipif(
    not (datasets.data_dir() / mushroom.SECONDARY.path).is_file(),
    reason=f"Secondary Mushroom is not in {datasets.data_dir()} (set {datasets.DATA_VARIABLE})",
)
def test_the_authors_forest_is_replayed_with_as_many_nodes():
    error, nodes = published_trees.replayed_forest("real")
    assert error == 25 / 12_000  # forest.ipynb prints 0.0020833333333333333
    assert tuple(nodes) == published_trees.PRINTED_NODES
