"""What the tests of the Guided Random Forest share."""

import math

import numpy as np
import pytest

from studylib.graf import GuidedRandomForestClassifier, _canonical
from tests.naive import graf as naive
from tests.naive.splitmix64 import Stream

HYPERPLANES = pytest.mark.parametrize("hyperplane", ["box", "centred", "guided", "canonical"])


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


def directions(columns, labels, features, uniform):
    """Canonical directions by the kernel: ``test_canonical`` compares them with a general eigenvalue problem."""
    block = np.array(columns).T.copy()
    bounds = np.flatnonzero(np.diff(labels, prepend=-1, append=-1)).astype(np.int64)
    state = np.array([uniform.state], np.uint64)
    room = _canonical.make_canonical_workspace(len(labels), len(bounds), len(features))
    n = _canonical.canonical_directions(block, bounds, np.array(features, np.int32), state, room)
    uniform.state = int(state[0])
    return room.directions[:n].tolist()


class WithCuts(GuidedRandomForestClassifier):
    """Whose sparse candidates have their best thresholds, as in the oblique family of a blend."""

    def _settings(self, p, d):
        m, settings = super()._settings(p, d)
        return m, settings._replace(candidates=settings.candidates._replace(cut=True))


def fit_both(X, y, n_trees=2, random_state=0, cut=False, **parameters):
    """A forest on data as they are, and the oracle's trees: ``(forest, [(partitions, planes)], totals)``."""
    forest = (WithCuts if cut else GuidedRandomForestClassifier)(
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
        naive.grow(
            rows,
            labels,
            Stream(seed),
            max_features=forest.max_features_,
            directions=directions,
            cut=cut,
            **grown,
        )
        for seed in seeds(random_state, n_trees)
    ]
    return forest, trees, np.bincount(labels).tolist()


def assert_same_tree(tree, made, planes, y, totals):
    """Every partition and every hyperplane, floats bit for bit where they decide a bit."""
    nodes = tree.nodes
    assert len(nodes) == len(tree.n_samples) == len(made)
    assert len(tree.weights) == len(tree.thresholds) == len(tree.origins) == len(planes)
    for h, (plane, origin) in enumerate(planes):
        k = len(plane.features)  # the rest is padding, where fewer features than wanted vary
        assert tree.features[h if len(tree.features) > 1 else 0][:k].tolist() == plane.features
        assert tree.weights[h][:k].tolist() == plane.weights
        assert not tree.weights[h][k:].any()
        assert tree.thresholds[h] == plane.threshold
        assert tree.origins[h] == origin
    assert tree.n_samples.tolist() == [len(partition.rows) for partition in made]
    assert tree.heights().tolist() == [partition.height for partition in made]
    assert tree.depths().tolist() == [len(partition.code) for partition in made]
    assert tree.codes() == [partition.code for partition in made]
    assert tree.is_leaf().tolist() == [partition.children is None for partition in made]
    labels = tree.labels()
    for i, partition in enumerate(made):
        plane, following = nodes[i].tolist()
        if partition.children is not None:
            assert following == partition.children[0]
            assert planes[plane][0] is partition.plane
            assert labels[i] == -1
            continue
        expected = naive.shares(partition.rows, y, totals)
        counts = naive.counts_of(partition.rows, y, len(totals))
        weighted = [count / total for count, total in zip(counts, totals, strict=True)]
        assert labels[i] == weighted.index(max(weighted))
        if plane == -1:
            assert labels[i] == following
            assert expected[following] == 1.0
            continue
        assert plane == -2
        rows = tree.leaf_shares(i)
        assert rows["label"].tolist() == [c for c, count in enumerate(counts) if count > 0]
        assert rows["rest"].tolist() == list(range(len(rows)))[::-1]
        assert rows["count"].tolist() == [counts[c] for c in rows["label"]]
        for row in rows:
            assert row["share"] == pytest.approx(expected[row["label"]], rel=1e-12)
            assert row["score"] == pytest.approx(math.log2(1 + row["share"]), rel=1e-12)
