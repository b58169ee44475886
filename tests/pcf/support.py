"""What the tests of the Partial Classification Forest share."""

import math
import random

import numpy as np
from hypothesis import strategies as st

from studylib.core.random import spawn_states
from studylib.pcf import ConfidenceBound, Laplace
from tests.naive import partial_tree as naive

TINY = 5e-324  # the smallest positive double
POOLS = (
    (1.0,),
    (0.0, 1.0),
    (-2.0, -1.0, 0.0, 1.0, 2.5, 4.0),
    (-0.0, 0.0, 1.0, -3.0),
    (1.0, math.nextafter(1, 2), math.nextafter(1, 0), math.nextafter(math.nextafter(1, 2), 2)),
    (0.1, 0.2, 0.3, 1 / 3, 1e-5, -7.25, 123456.789, 1e9, 2.0**53),
)
#: Only for Trees of limited depth: it takes the oracle's recursion too many cuts to tell the small ones apart.
#: (scikit-learn's own check for finite numbers warns where a table's sum overflows on both sides.)
WIDE_POOLS = ((-0.0, 0.0, TINY, 2 * TINY, 3 * TINY, -TINY), (-1e306, 1e306, 1e300, 0.0, 1e-300, -TINY, 1.0))

#: Leaf models that count, each as the library and as the oracle has it.
LEAF_MODELS = {
    "majority": ("majority", naive.majority_loss),
    "laplace": ("laplace", naive.laplace_loss(1.0)),
    "laplace 0.25": (Laplace(0.25), naive.laplace_loss(0.25)),
    "confidence_bound": ("confidence_bound", naive.wilson_loss(0.95)),
    "confidence 0.5": (ConfidenceBound(0.5), naive.wilson_loss(0.5)),
}


def table(rng, wide):
    """Rows with ties, constant columns and duplicates, and a class index for each."""
    n = rng.choice([rng.randint(1, 6), rng.randint(7, 24), 24, 24])
    pools = POOLS + WIDE_POOLS if wide else POOLS
    columns = []
    for _ in range(rng.randint(1, 4)):
        pool = rng.choice([None, None, None, *pools])
        columns.append([rng.choice(pool) if pool else rng.gauss(0, 3) for _ in range(n)])
    rows = [list(row) for row in zip(*columns, strict=True)]
    for _ in range(rng.randint(0, 4)):  # whatever their labels
        rows[rng.randrange(n)] = list(rows[rng.randrange(n)])
    n_classes = rng.choice([2] * 5 + [3] * 4 + [8, 8, 1])
    y = [rng.randrange(n_classes) for _ in range(n)]
    return rows, [sorted(set(y)).index(label) for label in y]  # numbered without gaps


def problem(seed):
    """A table, and parameters of growth that the library and the oracle both know.

    All of it is random: drawn value by value, hypothesis would make most Trees a lone leaf.
    """
    rng = random.Random(seed)
    growth = {
        "max_loss": rng.choice([0.0] * 5 + [0.1, 0.25, 0.3, 0.5]),
        "min_samples_leaf": rng.choice([1] * 6 + [2] * 4 + [3, 4, 7, 25]),
        "max_depth": rng.choice([None] * 4 + [32] * 4 + [3, 3, 1, 0]),
    }
    return *table(rng, wide=growth["max_depth"] is not None), growth


def problems():
    return st.integers(0, 2**32 - 1).map(problem)


def grow_naive(rows, y, loss, growth, small_leaves, seed, n_trees=1, weights=None):
    """The oracle's Trees, from the streams that ``random_state=seed`` stands for."""
    growth = growth | {"max_depth": math.inf if growth["max_depth"] is None else growth["max_depth"]}
    return [
        naive.grow(rows, y, loss, state, as_printed=small_leaves == "as_printed", weights=weights, **growth)
        for state in spawn_states(seed, n_trees)[:, 0]
    ]


def mixed_up_rows(rows):
    """New rows: every column rotated on its own, points between, and points outside the box."""
    n, d = len(rows), len(rows[0])
    moved = [[rows[(i + j + 1) % n][j] for j in range(d)] for i in range(n)]
    between = [
        [a / 2 + b / 2 for a, b in zip(row, other, strict=True)]
        for row, other in zip(rows, moved, strict=True)
    ]
    outside = [[value] * d for value in (-1e306, -0.3, -0.0, 0.25, 0.7, 1e306)]
    return [*rows, *moved, *between, *outside]


def blobs(n=120, d=2, n_classes=2, seed=0):
    """Random rows whose label is mostly that of the cell of the first column, and otherwise chance."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    y = (X[:, 0] * 2 * n_classes).astype(int) % n_classes
    noise = X[:, 0] > 0.5
    y[noise] = rng.integers(0, n_classes, noise.sum())
    return X, y


def majority_gamma(X, y, sample_weight=None):
    """The source's γ as a user would write it."""
    labels, codes = np.unique(y, return_inverse=True)
    counts = np.bincount(codes, sample_weight)
    return labels[counts.argmax()], (counts.sum() - counts.max()) / counts.sum()


def assert_same_trees(forest, other):
    """Two forests, or two Trees, have the same nodes."""
    assert [nodes.tobytes() for nodes in nodes_of(forest)] == [nodes.tobytes() for nodes in nodes_of(other)]


def nodes_of(estimator):
    """Nodes of each Tree of a forest, or of a Tree."""
    return [tree.nodes_ for tree in getattr(estimator, "estimators_", [estimator])]
