"""What a tree of the forest can be asked by itself."""

import numpy as np
import pandas as pd
import pytest

from studylib.graf import GuidedRandomForestClassifier
from tests.conventions.registry import walked
from tests.graf.support import blobs


def test_the_forest_adds_the_shares_of_its_trees_as_equation_23_does():
    X, y = blobs(flips=0.2)
    forest = GuidedRandomForestClassifier(5, min_samples_split=20, random_state=0).fit(X, y)
    scores = sum(np.log2(1.0 + tree.predict_proba(X)) for tree in forest)
    np.testing.assert_allclose(forest.decision_function(X), scores, rtol=1e-12)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("factor", [1.0, 1e-300, 1e300])
@pytest.mark.parametrize(
    "parameters",
    [{"max_features": 1}, {"hyperplane": "guided", "features_per_plane": 1}],
    ids=["box", "guided"],
)
def test_plain_arrays_send_every_number_where_the_hyperplanes_do(parameters, standardize, factor):
    X, y = blobs()
    X = np.round(X, 2) * factor
    forest = GuidedRandomForestClassifier(
        4, min_samples_split=10, standardize=standardize, random_state=1, **parameters
    ).fit(X, y)
    for tree in forest:
        arrays = tree.to_arrays()
        inner = arrays["feature"] >= 0
        edges = arrays["threshold"][inner]
        on_edge = np.column_stack([np.tile(c, (6, 1)).T for c in (edges, np.nextafter(edges, np.inf))])
        probes = np.vstack([X, *on_edge.reshape(-1, 6)])
        np.testing.assert_array_equal(walked(arrays, probes), tree.apply(probes))
        leaves = arrays["children_left"] == -1
        assert (leaves == tree.is_leaf()).all()
        assert leaves.sum() == tree.get_n_leaves()
        np.testing.assert_array_equal(arrays["value"][tree.apply(X)], tree.predict_proba(X))
        np.testing.assert_array_equal(arrays["n_node_samples"], tree.n_samples)


def test_arrays_of_hyperplanes_with_several_features_are_refused():
    X, y = blobs(60)
    tree = GuidedRandomForestClassifier(1, max_features=4, random_state=0).fit(X, y)[0]
    with pytest.raises(ValueError, match=r"^Tree: to_arrays needs [^\n]* this tree has 4 features\.$"):
        tree.to_arrays()
    lone = GuidedRandomForestClassifier(1, random_state=0).fit(np.zeros((4, 3)), [0, 1, 1, 0])[0]
    assert lone.to_arrays()["value"].tolist() == [[0.5, 0.5]]


def test_dot_shows_each_test_in_the_units_of_the_table():
    X = np.array([[0.0, 7.0], [10.0, 7.0], [20.0, 7.0], [30.0, 7.0]])
    frame = pd.DataFrame(X, columns=['a "size"', "b"])
    forest = GuidedRandomForestClassifier(1, hyperplane="guided", features_per_plane=1, random_state=0).fit(
        frame, ["no", "no", "yes", "yes"]
    )
    tree = forest[0]
    weight = tree.weights[0, 0] / np.std(X[:, 0])
    dot = tree.to_dot()
    text = f'λ1: {weight:+.3g} · a \\"size\\" > {15 * weight:.3g}\\nn = 4'
    assert dot.startswith("digraph tree {")
    assert f'0 [label="{text}"];' in dot
    assert dot.count(" -> ") == 2 * (~tree.is_leaf()).sum()
    sides = ("yes", "no") if weight > 0 else ("no", "yes")
    for leaf in np.flatnonzero(tree.is_leaf()):
        label = forest.classes_[tree.labels()[leaf]]
        assert f'{leaf} [label="{label}\\nn = {tree.n_samples[leaf]}"];' in dot
        assert label == sides[1 - (leaf - 1)]


def test_dot_names_the_heaviest_terms_of_a_long_sum_only():
    X, y = blobs(60)
    tree = GuidedRandomForestClassifier(1, max_features=6, random_state=0).fit(X, y)[0]
    line = tree.to_dot().splitlines()[3]
    heaviest = np.argsort(-np.abs(tree.weights[0]))[:4]
    assert [word for word in line.split() if word.startswith("x")] == [f"x{j}" for j in heaviest]
    assert "+ 2 more > " in line
