"""What the lecture says about every tree, made checkable: each check takes a seed and draws its own case."""

import numpy as np
import pandas as pd

from studylib.studies.forest_lecture.experiments import noisy_split
from studylib.trees import MultiwayTreePredictor, TreePredictor, entropy


def entropy_bound_holds(n_cases, seed=0):
    """Whether H ≤ log2 k holds for random distributions, with equality for the uniform one only.

    ``n_cases``: distributions drawn, each over 2 to 19 values.
    """
    rng = np.random.default_rng(seed)
    return [_entropy_is_bounded(rng) for _ in range(n_cases)]


def _entropy_is_bounded(rng):
    k = int(rng.integers(2, 20))
    p = rng.dirichlet(np.full(k, rng.choice([0.1, 1.0, 100.0])))
    uniform = np.full(k, 1 / k)
    entropies = [-(q[q > 0] * np.log2(q[q > 0])).sum() for q in (p, uniform)]
    return bool(entropies[0] < np.log2(k) and abs(entropies[1] - np.log2(k)) < 1e-12)


def purer_has_lower_entropy(n_cases, seed=0):
    """Whether entropy never rises when samples of a smaller class are replaced by samples of the largest.

    ``n_cases``: Nodes drawn, each of 2 to 9 classes.
    """
    rng = np.random.default_rng(seed)
    return [_entropy_does_not_rise(rng) for _ in range(n_cases)]


def _entropy_does_not_rise(rng):
    before = np.sort(rng.integers(1, 50, int(rng.integers(2, 10))))
    after = before.copy()
    smaller = int(rng.integers(len(before) - 1))
    moved = int(rng.integers(1, before[smaller] + 1))
    after[smaller] -= moved
    after[-1] += moved
    first, second = (entropy(np.repeat(np.arange(len(counts)), counts)) for counts in (before, after))
    return bool(second <= first + 1e-12)  # up to rounding


def sums_are_below_the_parent(n_cases, seed=0):
    """Whether the children's Gini indices add up to less than the parent's, for splits that lower their mean.

    The mean is that of the samples.  ``n_cases``: splits drawn, each of up to 98 samples of two classes.
    """
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < n_cases:
        children = rng.integers(0, 50, (2, 2))  # a row for each child, a column for each class
        sizes = children.sum(axis=1)
        if sizes.all():
            indices, parent = _gini(children), _gini(children.sum(axis=0))
            if (sizes * indices).sum() / sizes.sum() < parent - 1e-12:
                found.append(bool(indices.sum() < parent))
    return found


def _gini(counts):
    """Gini index of the class counts in the last dimension."""
    shares = counts / counts.sum(axis=-1, keepdims=True)
    return 1 - (shares**2).sum(axis=-1)


def _multiway_tree(seed):
    """An ID3 tree of a small random table with contradictions, and the table and its classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 4, (40, 3)), columns=list("abc")).astype("category")
    y = rng.integers(0, 3, 40)
    return MultiwayTreePredictor().fit(X, y), X, y


def mixed_leaves_take_the_majority(seed):
    """Whether leaves that are still mixed when no attribute is left predict their majority class."""
    tree, X, y = _multiway_tree(seed)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        inside = y[leaves == leaf]
        counts = np.bincount(inside, minlength=3)
        alike = (X[leaves == leaf].nunique() == 1).all()
        if len(np.unique(inside)) > 1 and not alike:
            return False  # an attribute was left
        if tree.nodes_["label"][leaf] != counts.argmax():
            return False
    return True


def empty_leaves_take_the_parents_majority(seed):
    """Whether every leaf without samples predicts the majority class of its parent."""
    tree, X, _ = _multiway_tree(seed)
    nodes = tree.nodes_
    for node in np.flatnonzero(nodes["feature"] >= 0):
        first = nodes["first_child"][node]
        children = np.arange(first, first + X.iloc[:, nodes["feature"][node]].nunique())
        empty = children[nodes["n_samples"][children] == 0]
        if (nodes["label"][empty] != tree.class_counts_[node].argmax()).any():
            return False
    return True


def leaves_are_boxes(seed):
    """Whether the leaves of a tree are boxes that tile the space: each random point lies in its own only."""
    X, _, y, _ = noisy_split(seed, 400)
    X = X[:, :3]
    tree = TreePredictor().fit(X, y)
    low = np.full((tree.n_nodes_, 3), -np.inf)  # boxes are open below and closed above
    high = np.full((tree.n_nodes_, 3), np.inf)
    for node in np.flatnonzero(tree.nodes_["feature"] >= 0):
        feature, first, value = (tree.nodes_[node][name] for name in ("feature", "first_child", "value"))
        low[[first, first + 1]], high[[first, first + 1]] = low[node], high[node]
        low[first, feature] = value
        high[first + 1, feature] = value
    leaves = np.flatnonzero(tree.nodes_["feature"] < 0)
    points = np.random.default_rng(seed).normal(0, 3, (500, 3))
    inside = ((points[:, None] > low[leaves]) & (points[:, None] <= high[leaves])).all(axis=2)
    return bool(
        (inside.sum(axis=1) == 1).all() and (leaves[inside.argmax(axis=1)] == tree.apply(points)).all()
    )
