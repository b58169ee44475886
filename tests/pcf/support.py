"""What the tests of the Partial Classification Forest share."""

import math
import random

import numpy as np
from hypothesis import strategies as st

from studylib._random import tree_states
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
WIDE_POOLS = (
    (-0.0, 0.0, TINY, 2 * TINY, 3 * TINY, -TINY),
    (-1e306, 1e306, 1e300, 0.0, 1e-300, -TINY, 1.0),
)

#: Leaf models that count, each as the library and as the oracle has it.
LEAF_MODELS = {
    "majority": ("majority", naive.majority_loss),
    "laplace": ("laplace", naive.laplace_loss(1.0)),
    "laplace 0.25": (Laplace(0.25), naive.laplace_loss(0.25)),
    "confidence_bound": ("confidence_bound", naive.wilson_loss(0.95)),
    "confidence 0.5": (ConfidenceBound(0.5), naive.wilson_loss(0.5)),
}


@st.composite
def tables(draw, max_rows=24, wide=False):
    """Rows with ties, constant columns and duplicates, and a class index for each.

    Shapes and pools are drawn, and what comes from them is random: a Tree worth comparing needs more
    disorder than hypothesis likes to begin with.
    """
    n = draw(st.sampled_from([9, 12, 1, 2, 3, 5, 7, 16, max_rows]))
    pools = POOLS + WIDE_POOLS if wide else POOLS
    kinds = draw(st.lists(st.sampled_from([None, *pools, None]), min_size=1, max_size=4))
    n_classes, n_duplicates = draw(st.sampled_from([2, 3, 1, 8, 2])), draw(st.integers(0, 4))
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    columns = [[rng.choice(pool) if pool else rng.gauss(0, 3) for _ in range(n)] for pool in kinds]
    rows = [list(row) for row in zip(*columns, strict=True)]
    for _ in range(n_duplicates):  # whatever their labels
        rows[rng.randrange(n)] = list(rows[rng.randrange(n)])
    y = [rng.randrange(n_classes) for _ in range(n)]
    return rows, [sorted(set(y)).index(label) for label in y]  # numbered without gaps


@st.composite
def growths(draw):
    """Parameters that the library and the oracle both know.

    Hypothesis likes the ends of a range: those are the values that let a Tree grow.
    """
    return {
        "max_loss": draw(st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 1.0, 0.0])),
        "min_samples_leaf": draw(st.sampled_from([1, 2, 3, 4, 7, 25, 2, 1])),
        "max_depth": draw(st.sampled_from([None, 32, 0, 1, 3, 32, None])),
    }


@st.composite
def problems(draw):
    """A table, and parameters under which the oracle ends on it."""
    growth = draw(growths())
    rows, y = draw(tables(wide=growth["max_depth"] is not None))
    return rows, y, growth


def grow_naive(rows, y, loss, growth, small_leaves, seed, n_trees=1):
    """The oracle's Trees, from the streams that ``random_state=seed`` stands for."""
    growth = growth | {"max_depth": math.inf if growth["max_depth"] is None else growth["max_depth"]}
    return [
        naive.grow(rows, y, loss, state, as_printed=small_leaves == "as_printed", **growth)
        for state in tree_states(seed, n_trees)[:, 0]
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


def majority_gamma(X, y):
    """The source's γ as a user would write it."""
    labels, counts = np.unique(y, return_counts=True)
    return labels[counts.argmax()], (len(y) - counts.max()) / len(y)


def assert_same_trees(forest, other):
    assert len(forest.trees_) == len(other.trees_)
    for nodes, others in zip(forest.trees_, other.trees_, strict=True):
        assert nodes.tobytes() == others.tobytes()
