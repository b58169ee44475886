"""Trees as plain arrays and in the DOT language."""

import re

import numpy as np
import pandas as pd
import pytest

from studylib.trees import AdaBoostClassifier, MultiwayTreePredictor, RandomForestClassifier, TreePredictor
from tests.conventions.registry import walked
from tests.trees.support import Interval, mushrooms

pytestmark = pytest.mark.slow


def numbers(n=200, gaps=True, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (n, 3)) / 4
    X[rng.random(X.shape) < 0.1 * gaps] = np.nan
    return X, rng.choice(["a", "b", "c"], n)


@pytest.fixture(scope="module")
def trees():
    X, y = numbers()
    whole, _ = numbers(gaps=False)
    return {
        "binary": (TreePredictor(max_depth=5).fit(X, y), True),
        "smoothed": (TreePredictor("gini", laplace=1.0, min_samples_leaf=4).fit(X, y), True),
        "source": (TreePredictor("gini", source_compatible=True, max_leaf_nodes=9).fit(X, y), True),
        "multiway": (MultiwayTreePredictor(max_depth=5, laplace=0.5).fit(whole, y), False),
        "root": (TreePredictor().fit(X, ["a"] * len(X)), True),
        "forest": (RandomForestClassifier(3, random_state=0).fit(X, y).estimators_[1], True),
        "stump": (AdaBoostClassifier(3).fit(X, y).estimators_[2], True),
    }


@pytest.mark.parametrize("name", ["binary", "smoothed", "source", "multiway", "root", "forest", "stump"])
def test_arrays_lead_to_the_leaves_and_hold_their_shares(trees, name):
    tree, gaps = trees[name]
    new, _ = numbers(300, gaps, seed=1)
    arrays = tree.to_arrays()
    leaves = walked(arrays, new)
    assert leaves == tree.apply(new).tolist()
    assert (arrays["value"][leaves] == tree.predict_proba(new)).all()
    leaf = arrays["children_left"] == -1
    assert leaf.sum() == tree.get_n_leaves()
    assert (arrays["children_right"][leaf] == -1).all()
    assert (arrays["feature"][leaf] == -2).all()
    assert np.isnan(arrays["threshold"][leaf]).all()
    assert arrays["n_node_samples"].tolist() == tree.nodes_["n_samples"].tolist()
    assert {name: array.shape[0] for name, array in arrays.items()} == dict.fromkeys(arrays, tree.n_nodes_)


@pytest.mark.parametrize(
    ("tree", "node"),
    [
        (TreePredictor(), r"\d+ asks: (cap|ring) .* or "),
        (TreePredictor(continuous_condition="equality", max_depth=1), "0 asks: height ≠ .* or height = "),
        (TreePredictor(continuous_condition=Interval), r"\d+ asks: "),
        (MultiwayTreePredictor(), r"\d+ asks: "),
    ],
    ids=["membership", "equality", "custom", "multiway"],
)
def test_other_questions_than_thresholds_are_no_arrays(tree, node):
    X, y = mushrooms()
    X = X[["height"]] if tree.get_params().get("continuous_condition") == "equality" else X
    with pytest.raises(
        ValueError, match=f"^{type(tree).__name__}: to_arrays holds thresholds only, but node {node}"
    ):
        tree.fit(X, y).to_arrays()


NODE = re.compile(r'(\d+) \[label="((?:[^"\\]|\\.)*)"\];')
EDGE = re.compile(r'(\d+) -> (\d+) \[label="((?:[^"\\]|\\.)*)"\];')


def parsed(dot):
    """``(texts of the nodes, texts of the edges)`` of a graph, each line of which must be as expected."""
    head, shape, fonts, *lines, end = dot.splitlines()
    assert (head, end) == ("digraph tree {", "}")
    assert shape.startswith("node [")
    assert fonts.startswith("edge [")
    nodes, edges = {}, {}
    for line in lines:
        if match := NODE.fullmatch(line):
            nodes[int(match[1])] = plain(match[2])
        else:
            match = EDGE.fullmatch(line)
            edges[int(match[1]), int(match[2])] = plain(match[3])
    return nodes, edges


def plain(text):
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], text)


@pytest.mark.parametrize("kind", [TreePredictor, MultiwayTreePredictor])
def test_dot_has_every_node_and_edge(kind):
    X, y = mushrooms()
    tree = kind().fit(X, y)
    nodes, edges = parsed(tree.to_dot())
    above = tree._parents()
    assert sorted(nodes) == list(range(tree.n_nodes_))
    assert sorted(edges) == sorted((int(above[k]), k) for k in range(1, tree.n_nodes_))
    for (node, child), text in edges.items():
        name = tree.feature_names_[tree.nodes_["feature"][node]]
        outcome = child - int(tree.nodes_["first_child"][node])
        assert text.removesuffix(" (or missing)") == tree.condition(node).describe(name, outcome)
        assert nodes[node].startswith(f"{name}\n")
    for leaf in np.flatnonzero(tree.nodes_["feature"] == -1).tolist():
        assert nodes[leaf].startswith(str(tree.classes_[tree.nodes_["label"][leaf]]))


def test_dot_marks_where_missing_numbers_may_be_as_the_text_does():
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y)
    _, edges = parsed(tree.to_dot())
    marked = sum(text.endswith(" (or missing)") for text in edges.values())
    assert marked == tree.to_text().count("(or missing)") > 0


def test_dot_quotes_names_classes_and_categories():
    name, category, label = 'a "quoted"\nname\\', 'back\\slash "\n', '"class"'
    X = pd.DataFrame({name: [category, "other"]})
    nodes, edges = parsed(TreePredictor().fit(X, [label, "b"]).to_dot())
    assert nodes[0].startswith(name)
    assert nodes[2].startswith(label)
    assert edges[0, 2] == f"{name} = {category!r}"
