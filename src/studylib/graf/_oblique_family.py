"""The oblique family of a blend: canonical trees on numbers with nothing missing."""

import math

import numpy as np
from numba import njit

from studylib.graf import _grow
from studylib.graf._choice import Candidates
from studylib.graf._predict import find_leaves
from studylib.graf._scaling import Scaling
from studylib.graf._tree import IMPURE, PURE, Tree

_N_SPARSE, _K_SPARSE = 10, 3


class ObliqueFamily:
    """Canonical trees: every hyperplane divides all impure partitions, every tree sees all rows.

    Parameters
    ----------
    X : float64 (n, d), the training rows; NaN where a value is missing, codes in columns of categories
    n_categories : int64 (d,), codes of each column, 0 for one of numbers
    """

    def __init__(self, X, n_categories):
        self._n_categories = n_categories
        known = ~np.isnan(X)
        n_known = np.maximum(known.sum(axis=0), 1)
        self._means = np.where(known, X / n_known, 0.0).sum(axis=0)  # divided first: nothing overflows
        self._scaling = Scaling(self._numbers(X))
        self._training = self.view(X)
        d = len(self._scaling.center)
        self._settings = _grow.Settings(
            hyperplane=_grow.CHOSEN,
            extend=True,
            extension_gain=0.0,
            min_samples_split=2,
            candidates=Candidates(_N_SPARSE, min(d, _K_SPARSE), k_canonical=math.isqrt(d - 1) + 1, cut=True),
        )

    def _numbers(self, X):
        """The numbers, the mean for what is missing; then indicators of categories, one if there are two."""
        of_numbers = self._n_categories == 0
        parts = [np.where(np.isnan(X), self._means, X)[:, of_numbers]]
        for j in np.flatnonzero(~of_numbers):
            n = self._n_categories[j]
            parts.append(X[:, [j]] == np.arange(n if n > 2 else 1))
        return np.hstack(parts, dtype=np.float64)

    def view(self, X):
        """What trees need of rows: features in rows, the same rounded, the largest of each feature."""
        data = np.array(self._scaling(self._numbers(X)).T, order="C")
        with np.errstate(over="ignore"):
            return data, data.astype(np.float32), np.abs(data).max(axis=1)

    def grow(self, rows, labels, n_classes, states):
        """A tree for each state, on some of the training rows.

        Parameters
        ----------
        rows : int array (m,) or slice
        labels : int32 (m,), class indices, every one of which is there
        n_classes : int
        states : uint64 (n_trees, 1)
        """
        data, single, largest = self._training
        if not isinstance(rows, slice):
            data, single = np.take(data, rows, axis=1), np.take(single, rows, axis=1)
        totals = np.bincount(labels, minlength=n_classes)
        d = len(data)
        room = _grow.make_room(len(labels), d, n_classes, d, self._settings)
        return [
            Tree(*_grow.grow(data, single, largest, labels, totals, self._settings, state, *room))
            for state in states
        ]

    def forget_training(self):
        """Let go of the training rows."""
        del self._training

    @staticmethod
    def leaves(tree, view):
        """Leaf of each row, int32 (n,)."""
        return find_leaves(tree.nodes, tree.features, tree.weights, tree.thresholds, *view)

    @staticmethod
    def first_child(tree):
        """First child of each node, int32 (n_nodes,)."""
        return tree.first_child()

    def importances(self, tree, n_classes):
        """Share of each column in the tree's decrease of Gini impurity, float64 (d,)."""
        of_numbers = self._n_categories == 0
        coded = [np.full(n if n > 2 else 1, j) for j, n in enumerate(self._n_categories) if n > 0]
        columns = np.concatenate([np.flatnonzero(of_numbers), *coded])
        own = tree.importances(len(columns), n_classes, np.ones(len(columns)))
        return np.bincount(columns, own, len(of_numbers))

    @staticmethod
    def labels(tree):
        """Most frequent class of each leaf, int32 (n_nodes,)."""
        labels = np.where(tree.nodes["plane"] == PURE, tree.nodes["next"], -1).astype(np.int32)
        for leaf in np.flatnonzero(tree.nodes["plane"] == IMPURE):
            rows = tree.leaf_shares(leaf)
            labels[leaf] = rows["label"][rows["count"].argmax()]
        return labels

    @staticmethod
    def add_shares(tree, leaves, votes):
        """Add the class shares of the leaves, as they were in training, to ``votes``, float64 (n, C)."""
        _add_shares(tree.nodes, tree.shares, leaves, votes)


@njit(cache=True, nogil=True)
def _add_shares(nodes, shares, leaves, votes):
    for i in range(leaves.shape[0]):
        node = nodes[leaves[i]]
        if node.plane == PURE:
            votes[i, node.next] += 1.0
            continue
        first, last = node.next, node.next + shares[node.next].rest
        total = 0.0
        for k in range(first, last + 1):
            total += shares[k].count
        for k in range(first, last + 1):
            votes[i, shares[k].label] += shares[k].count / total
