"""What the source says of any fitted Tree and of its cost, each checked on one small data set."""

import numpy as np

from studylib.pcf import PartialClassificationTree, node_boxes, node_depths
from studylib.studies.pcf.algorithm1 import fit_as_printed
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest

_N_POINTS = 100  # in and around the box of a data set


def tree_of(X, y, seed):
    """A fitted Tree with τ_|X| = 2."""
    return PartialClassificationTree(min_samples_leaf=2, random_state=seed).fit(X, y)


def has_no_nil(tree):
    """Whether every node is a Leaf or has two successors, and each but the root is one Node's successor."""
    nodes = tree.nodes_
    left = nodes["first_child"][nodes["feature"] >= 0]
    successors = np.sort(np.concatenate([left, left + 1]))
    return np.array_equal(successors, np.arange(1, len(nodes)))


def leaves_are_large(tree, active_only=False):
    """Whether every Leaf, or every active one, has at least τ_|X| observations."""
    leaves = tree.nodes_[tree.nodes_["feature"] < 0]
    if active_only:
        leaves = leaves[leaves["label"] >= 0]
    return bool((leaves["n_samples"] >= tree.min_samples_leaf).all())


def partitions_are_disjoint(tree, X, seed):
    """Whether observations and random points lie in the partition of one Leaf only, the one that they reach.

    ``tree``: PartialClassificationTree; fitted on ``X``. ``seed``: of the points.
    """
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.1 * (high - low) + 0.1
    random = np.random.default_rng(seed).uniform(low - margin, high + margin, (_N_POINTS, X.shape[1]))
    points = np.vstack([X, random])[:, None, :]
    everywhere = np.repeat([[-np.inf], [np.inf]], X.shape[1], axis=1)  # outer partitions have no end
    lower, upper = node_boxes(tree.nodes_, everywhere)
    inside = ((lower <= points) & (points < upper)).all(axis=2) & (tree.nodes_["feature"] < 0)
    return bool((inside.sum(axis=1) == 1).all() and (inside.argmax(axis=1) == tree.apply(points[:, 0])).all())


def splits_are_between_bounds(tree):
    """Whether every split lies between the bounds of its node's partition in its dimension."""
    inner = np.flatnonzero(tree.nodes_["feature"] >= 0)
    at = inner, tree.nodes_["feature"][inner]
    lower, upper = node_boxes(tree.nodes_, tree.bounds_)
    split = tree.nodes_["threshold"][inner]
    return bool(((lower[at] <= split) & (split <= upper[at])).all())


def dimensions_follow_the_height(tree):
    """Whether the dimension of every Node is h mod d."""
    inner = tree.nodes_["feature"] >= 0
    return np.array_equal(
        tree.nodes_["feature"][inner], node_depths(tree.nodes_)[inner] % tree.n_features_in_
    )


def data_without_ties(rng):
    """A small random data set in which no value occurs twice: X and y."""
    n, d, n_classes = rng.integers(2, 31), rng.integers(1, 5), rng.integers(2, 5)
    return rng.random((n, d)), rng.integers(0, n_classes, n)


# Cost (section III).  γ is the source's: it looks once at each observation.


def fit_shares(X, y, n_trees, max_depth, seed):
    """Work of FIT as a share of N (2^(τ_h + 1) − 1)(n + γ) + d n, which bounds it.

    Counted are d n for β_X, and each observation of a node once for γ and once if the node is split.

    Returns the share of our forest, and of Algorithm 1 with h > τ_h.
    """
    n, d = X.shape
    bound = n_trees * (2 ** (max_depth + 1) - 1) * (n + n) + d * n
    forest = _forest(n_trees, max_depth, seed).fit(X, y)
    ours = sum(_looked_at(tree.nodes_) for tree in forest.estimators_)
    printed = sum(_printed(X, y, max_depth, seed + k).n_looked_at for k in range(n_trees))
    return (ours + d * n) / bound, (printed + d * n) / bound


def _looked_at(nodes):
    inner = nodes["feature"] >= 0
    return int(nodes["n_samples"].sum() + nodes["n_samples"][inner].sum())


def predict_shares(X, y, n_trees, max_depth, seed):
    """Work of PREDICT on every Tree's costliest path as a share of N (τ_h + predictor) + N, which bounds it.

    Counted are a comparison for each Node on a path, a call of an active Leaf's predictor, and N votes.

    ``X``, ``y``, ``n_trees``, ``max_depth``, ``seed``: as for :func:`fit_shares`. Returns of our forest, and
    of Algorithm 1 with h > τ_h.
    """
    bound = n_trees * (max_depth + 1) + n_trees
    forest = _forest(n_trees, max_depth, seed).fit(X, y)
    ours = sum(_steps(tree.nodes_) for tree in forest.estimators_)
    printed = sum(_printed(X, y, max_depth, seed + k).n_steps for k in range(n_trees))
    return (ours + n_trees) / bound, (printed + n_trees) / bound


def _steps(nodes):
    return int((node_depths(nodes) + (nodes["label"] >= 0)).max())


def _forest(n_trees, max_depth, seed):
    return PartialClassificationForest(n_trees, min_samples_leaf=2, max_depth=max_depth, random_state=seed)


def _printed(X, y, max_depth, seed):
    return fit_as_printed(X, y, tau_h=max_depth, line_4="prose", random_state=seed)
