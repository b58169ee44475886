"""The axis-parallel family of a blend: trees over columns as one-byte codes."""

import math
from typing import NamedTuple

import numpy as np

from studylib.blend._axis import LEAF, grow_axis, make_room
from studylib.blend._bins import Bins
from studylib.core import walk
from studylib.core.compiling import njit
from studylib.core.forest import gini_decreases


class AxisTree(NamedTuple):
    """One axis-parallel tree.

    Attributes
    ----------
    nodes : array (n_nodes,), see ``studylib.blend._axis.NODE_DTYPE``
    counts : int64 (n_impure, C), samples of each class in the impure leaves
    routes : array (n_nodes,), see ``studylib.core.walk.routes``
    """

    nodes: np.ndarray
    counts: np.ndarray
    routes: np.ndarray


class AxisFamily:
    """Axis-parallel trees, each on a bootstrap sample: in each node the best cut of ⌈√d⌉ columns that vary.

    Parameters
    ----------
    X : float64 (n, d), the training rows; NaN where a value is missing, codes in columns of categories
    n_categories : int64 (d,), codes of each column, 0 for one of numbers
    """

    def __init__(self, X, n_categories):
        self._equal = n_categories > 0
        self._bins = Bins(X, self._equal)
        self._n_features = math.isqrt(X.shape[1] - 1) + 1

    @staticmethod
    def view(X):
        """What the walk down a tree needs of rows."""
        return np.ascontiguousarray(X)

    def grow(self, rows, labels, n_classes, states):
        """A tree for each state, on bootstrap samples of some of the training rows.

        Parameters
        ----------
        rows : int array (m,) or slice
        labels : int32 (m,), class indices
        n_classes : int
        states : uint64 (n_trees, 1)
        """
        codes = self._bins.codes if isinstance(rows, slice) else np.take(self._bins.codes, rows, axis=1)
        room = make_room(len(labels), len(codes), n_classes)
        trees = []
        for state in states:
            nodes, counts = grow_axis(codes, self._equal, labels, self._n_features, 2, True, state, room)
            first_child = np.where(nodes["feature"] == LEAF, LEAF, nodes["first_child"])
            routes = walk.routes(first_child, nodes["feature"], *self._bins.limits(nodes))
            trees.append(AxisTree(nodes, counts, routes))
        return trees

    def forget_training(self):
        """Let go of the training rows."""
        del self._bins

    @staticmethod
    def leaves(tree, view):
        """Leaf of each row, int64 (n,)."""
        return walk.find_leaves(tree.routes, view)

    @staticmethod
    def first_child(tree):
        """First child of each node, int32 (n_nodes,)."""
        return np.where(tree.nodes["feature"] == LEAF, np.int32(LEAF), tree.nodes["first_child"])

    def importances(self, tree, n_classes):
        """Share of each column in the tree's decrease of Gini impurity, float64 (d,)."""
        leaf = tree.nodes["feature"] == LEAF
        counts = np.zeros((len(leaf), n_classes), np.int64)
        pure = np.flatnonzero(leaf & (tree.nodes["first_child"] == LEAF))
        counts[pure, tree.nodes["label"][pure]] = tree.nodes["n_samples"][pure]
        impure = np.flatnonzero(leaf & (tree.nodes["first_child"] != LEAF))
        counts[impure] = tree.counts[tree.nodes["first_child"][impure]]
        gains = gini_decreases(counts, self.first_child(tree))[~leaf]
        sums = np.bincount(tree.nodes["feature"][~leaf], gains, len(self._equal))
        return sums / (sums.sum() or 1.0)

    @staticmethod
    def labels(tree):
        """Most frequent class of each leaf, int32 (n_nodes,)."""
        labels = tree.nodes["label"].copy()
        impure = (tree.nodes["feature"] == LEAF) & (tree.nodes["first_child"] != LEAF)
        labels[impure] = tree.counts.argmax(axis=1)[tree.nodes["first_child"][impure]]
        return labels

    @staticmethod
    def add_shares(tree, leaves, votes):
        """Add the class shares of the leaves, as they were in training, to ``votes``, float64 (n, C)."""
        _add_shares(tree.nodes, tree.counts, leaves, votes)


@njit(cache=True, nogil=True)
def _add_shares(nodes, counts, leaves, votes):
    for i in range(leaves.shape[0]):
        node = nodes[leaves[i]]
        if node.first_child == LEAF:
            votes[i, node.label] += 1.0
            continue
        for c in range(counts.shape[1]):
            votes[i, c] += counts[node.first_child, c] / node.n_samples
