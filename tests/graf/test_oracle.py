"""GuidedRandomForestClassifier against the naive tree: equal partition by partition."""

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.graf.support import assert_same_tree, blobs, fit_both
from tests.naive import graf as naive

POOLS = (
    (1.0,),
    (0.0, 1.0),
    (-2.0, -1.0, 0.0, 1.0, 2.5, 4.0),
    (0.1, 0.2, 0.3, 1 / 3, 1e-5, -7.25, 123456.789),
    (1e12, 2e12, -3e12, 0.0),
    (1e-12, 2e-12, -1e-12, 5e-13),
    (1.0, 1.0 + 2**-52, 1.0 - 2**-53),
)


@st.composite
def tables(draw, max_rows=26):
    """Rows and class indices with ties, duplicates whatever their labels, and constant features."""
    n = draw(st.one_of(st.integers(1, 6), st.integers(7, max_rows)))
    columns = [
        draw(st.lists(st.sampled_from(draw(st.sampled_from(POOLS))), min_size=n, max_size=n))
        for _ in range(draw(st.integers(1, 5)))
    ]
    if draw(st.booleans()):  # a feature without ties
        columns.append([float(v) for v in draw(st.permutations(range(n)))])
    rows = [list(row) for row in zip(*columns, strict=True)]
    y = draw(st.lists(st.integers(0, draw(st.integers(0, 5))), min_size=n, max_size=n))
    for source, target in draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=3)):
        rows[target] = list(rows[source])
    return rows, [sorted(set(y)).index(label) for label in y]


@st.composite
def configurations(draw):
    hyperplane = draw(st.sampled_from(["box", "centred", "guided", "canonical"]))
    wanted = {
        "hyperplane": hyperplane,
        "extend": draw(st.booleans()),
        "min_samples_split": draw(st.sampled_from([2, 2, 2, 3, 5])),
        "extension_gain": draw(st.sampled_from([0.0, 0.0, 0.5, 1.0])),
    }
    if hyperplane in ("guided", "canonical"):
        wanted["n_candidates"] = draw(st.sampled_from([1, 3, 20]))
        wanted["features_per_plane"] = draw(st.integers(1, 4))
        wanted["cut"] = draw(st.booleans())
    else:
        wanted["max_features"] = draw(st.sampled_from(["half", "sqrt", "log2", 0.7, 1.0, 1]))
    return wanted


@settings(max_examples=400)
@given(tables(), configurations(), st.integers(0, 2**32 - 1))
def test_equal_to_the_oracle(table, configuration, random_state):
    X, y = table
    forest, trees, totals = fit_both(X, y, 2, random_state, **configuration)
    for tree, (made, planes) in zip(forest.trees_, trees, strict=True):
        assert_same_tree(tree, made, planes, y, totals)
    event(f"partitions: {len(trees[0][0]) // 10}0s")
    partitions = [made for made, _ in trees]
    probes = np.array(X + [[v + 0.25 for v in row] for row in X[:5]])
    leaves = [[naive.find_leaf(made, x) for made in partitions] for x in probes.tolist()]
    assert forest.apply(probes).tolist() == leaves
    codes = [[made[at].code for made, at in zip(partitions, row, strict=True)] for row in leaves]
    assert forest.codes(probes).tolist() == codes
    expected = np.array([naive.scores(partitions, x, y, totals) for x in probes.tolist()])
    ours = forest.decision_function(probes)
    if len(totals) == 2:
        expected = expected[:, 1] - expected[:, 0]
    np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=60)
@given(tables(), configurations(), st.sampled_from(["height", "depth"]))
def test_sensitivity_is_that_of_the_oracle(table, configuration, weight):
    X, y = table
    forest, trees, _ = fit_both(X, y, 3, compute_sensitivity=True, sensitivity_weight=weight, **configuration)
    expected = naive.sensitivity([made for made, _ in trees], y, weight)
    np.testing.assert_allclose(forest.sensitivity_, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize(
    "configuration",
    [
        {},
        {"extend": False},
        {"hyperplane": "centred", "max_features": 1.0},
        {"hyperplane": "guided"},
        {"hyperplane": "guided", "extend": False},
        {"hyperplane": "guided", "extension_gain": 0.5},
        {"hyperplane": "canonical"},
        {"hyperplane": "canonical", "extend": False},
        {"hyperplane": "canonical", "cut": True, "n_candidates": 10},
        {"min_samples_split": 5, "extension_gain": 0.3},
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 7])
def test_equal_to_the_oracle_on_more_rows_than_a_table_by_hypothesis(configuration, n_classes):
    # Enough for storage to be rewritten many times, for blocks, and for candidates scored on a sample.
    X, y = blobs(700, 6, n_classes, flips=0.1)
    X[:, 0] = np.round(X[:, 0])
    X[20:40] = X[:20]
    forest, trees, totals = fit_both(X, y, 1, **configuration)
    assert_same_tree(forest.trees_[0], *trees[0], y.tolist(), totals)


@pytest.mark.parametrize("hyperplane", ["guided", "canonical"])
@pytest.mark.parametrize("cut", [False, True])
def test_candidates_are_scored_on_all_samples_where_the_strided_ones_are_all_equal(hyperplane, cut):
    X, y = np.zeros((1100, 2)), np.zeros(1100, int)
    hidden = min(set(range(1100)) - {k * 1100 // 512 for k in range(512)})
    X[hidden], y[hidden] = 1.0, 1
    forest, trees, totals = fit_both(X, y, 1, hyperplane=hyperplane, cut=cut)
    assert forest.trees_[0].n_draws == 2
    assert len(forest.trees_[0].nodes) == 3
    assert_same_tree(forest.trees_[0], *trees[0], y.tolist(), totals)
