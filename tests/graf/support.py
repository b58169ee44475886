"""What the tests of the Guided Random Forest share."""

import math

import numpy as np
import pytest

from studylib.graf import GuidedRandomForestClassifier
from tests.naive import graf as naive

HYPERPLANES = pytest.mark.parametrize("hyperplane", ["box", "centred", "guided"])


def blobs(n=300, d=6, n_classes=3, flips=0.05, seed=0):
    """Overlapping classes with some labels at random."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, d)) + 1.5 * rng.normal(size=(n_classes, d))[y]
    y = np.where(rng.random(n) < flips, rng.integers(0, n_classes, n), y)
    return X, y


def seeds(random_state, n_trees):
    """The seeds that a forest draws for its trees."""
    return np.random.RandomState(random_state).randint(2**63 - 1, size=n_trees, dtype=np.int64).tolist()


def fit_both(X, y, n_trees=2, random_state=0, **parameters):
    """A forest on data as they are, and the oracle's trees: ``(forest, [(partitions, planes)], totals)``."""
    forest = GuidedRandomForestClassifier(
        n_trees, standardize=False, random_state=random_state, **parameters
    ).fit(X, y)
    grown = {
        name: parameters[name]
        for name in (
            "hyperplane",
            "extend",
            "extension_gain",
            "min_samples_split",
            "n_candidates",
            "features_per_plane",
        )
        if name in parameters
    }
    rows = np.asarray(X, dtype=float).tolist()
    labels = np.unique(y, return_inverse=True)[1].tolist()
    trees = [
        naive.grow(rows, labels, naive.splitmix64(seed), max_features=forest.max_features_, **grown)
        for seed in seeds(random_state, n_trees)
    ]
    return forest, trees, np.bincount(labels).tolist()


def assert_same_tree(tree, made, planes, y, totals):
    """Every partition and every hyperplane, floats bit for bit where they decide a bit."""
    nodes = tree.nodes
    assert len(nodes) == len(made)
    assert len(tree.weights) == len(tree.thresholds) == len(tree.origins) == len(planes)
    for h, (plane, origin) in enumerate(planes):
        k = len(plane.features)  # the rest is padding, where fewer features than wanted vary
        assert tree.features[h if len(tree.features) > 1 else 0][:k].tolist() == plane.features
        assert tree.weights[h][:k].tolist() == plane.weights
        assert not tree.weights[h][k:].any()
        assert tree.thresholds[h] == plane.threshold
        assert tree.origins[h] == origin
    for node, partition in zip(nodes, made, strict=True):
        assert node["n_samples"] == len(partition.rows)
        assert node["height"] == partition.height
        assert node["depth"] == len(partition.code)
        if partition.children is not None:
            assert node["first_child"] == partition.children[0]
            assert planes[node["plane"]][0] is partition.plane
            assert (node["label"], node["shares"], node["n_shares"]) == (-1, -1, 0)
            continue
        assert (node["plane"], node["first_child"]) == (-1, -1)
        expected = naive.shares(partition.rows, y, totals)
        if node["shares"] < 0:
            assert expected[node["label"]] == 1.0
            assert node["n_shares"] == 0
            continue
        rows = tree.shares[node["shares"] : node["shares"] + node["n_shares"]]
        assert rows["label"].tolist() == [c for c, share in enumerate(expected) if share > 0]
        counts = naive.counts_of(partition.rows, y, len(totals))
        assert rows["count"].tolist() == [counts[c] for c in rows["label"]]
        for row in rows:
            assert row["share"] == pytest.approx(expected[row["label"]], rel=1e-12)
            assert row["score"] == pytest.approx(math.log2(1 + row["share"]), rel=1e-12)
        largest = max(counts[c] / totals[c] for c in range(len(totals)))
        assert node["label"] == [counts[c] / totals[c] for c in range(len(totals))].index(largest)
