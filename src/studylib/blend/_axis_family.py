"""The axis-parallel family of a blend: trees over columns as one-byte codes."""

import math

import numpy as np

from studylib.blend._axis import grow_axis, make_workspace
from studylib.blend._binned_split import MISSING_CODE
from studylib.blend._bins import Bins
from studylib.blend._tree import BlendedTree, View
from studylib.core import walk
from studylib.core.compiling import njit
from studylib.core.forest import gini_decreases
from studylib.core.random import draw_by_weight
from studylib.core.tree import LEAF


class AxisTree(BlendedTree):
    """An axis-parallel tree of a blend.

    A node asks whether a number is at most a threshold, or whether a column holds a category.  ``nodes`` are
    those of :data:`studylib.blend._axis.AXIS_NODE_DTYPE`, ``routes`` of :func:`studylib.core.walk.routes`;
    ``counts``, int64 (n_impure, n_classes), are the samples of each class in the impure leaves.
    """

    def __init__(self, view, nodes, counts, routes):
        super().__init__(view)
        self.nodes, self.counts, self.routes = nodes, counts, routes

    @property
    def feature_importances_(self):
        """Share of each column in the tree's decrease of Gini impurity, float64 (n_features,); sum 1 or 0."""
        inner = self.nodes["feature"] != LEAF
        gains = gini_decreases(self._leaf_counts(), self._first_child())[inner]
        sums = np.bincount(self.nodes["feature"][inner], gains, self.n_features_in_)
        return sums / (sums.sum() or 1.0)

    def to_arrays(self):
        """The tree as plain arrays, as :meth:`studylib.core.grown_tree.GrownTree.to_arrays` has them.

        ``missing_go_to_left`` is added, bool (n_nodes,): the side of what is missing, with scikit-learn's
        name.  A threshold of inf sets apart what is missing.  ValueError if a node asks for a category.
        """
        return {**super().to_arrays(), "missing_go_to_left": ~self.nodes["missing_right"] & ~self._is_leaf()}

    def _is_leaf(self):
        return self.nodes["feature"] == LEAF

    def _leaves_of(self, rows):
        return walk.find_leaves(self.routes, rows)

    def _first_child(self):
        return np.where(self._is_leaf(), np.int32(LEAF), self.nodes["first_child"])

    def _node_samples(self):
        return self.nodes["n_samples"]

    def _leaf_counts(self):
        counts = np.zeros((len(self.nodes), self.counts.shape[1]), np.int64)
        pure, impure = self._pure_and_impure()
        counts[pure, self.nodes["label"][pure]] = self.nodes["n_samples"][pure]
        counts[impure] = self.counts[self.nodes["first_child"][impure]]
        return counts

    def _leaf_labels(self):
        labels = self.nodes["label"].copy()
        _, impure = self._pure_and_impure()
        labels[impure] = self.counts.argmax(axis=1)[self.nodes["first_child"][impure]]
        return labels

    def _pure_and_impure(self):
        """Pure leaves and impure leaves, two int arrays."""
        leaf, pure = self._is_leaf(), self.nodes["first_child"] == LEAF
        return np.flatnonzero(leaf & pure), np.flatnonzero(leaf & ~pure)

    def _add_shares(self, leaves, votes):
        _add_shares(self.nodes, self.counts, leaves, votes)

    def _thresholds(self):
        by_category = np.flatnonzero(self.nodes["equal"])
        if len(by_category):
            here = self.nodes[by_category[0]]
            raise ValueError(
                f"AxisTree: to_arrays needs a tree of thresholds, but node {by_category[0]} asks whether "
                f"{self._view.is_category(here['feature'], here['code'])}; see to_dot."
            )
        feature, second = self.nodes["feature"], self.nodes["missing_right"]
        return feature, self._largest_below(slice(None)), second.astype(np.int64)

    def _largest_below(self, nodes):
        """The thresholds of nodes, float64; inf where the node sets apart what is missing."""
        routes = self.routes[nodes]
        if "low" not in routes.dtype.names:
            return routes["high"]
        return np.where(
            self.nodes["missing_right"][nodes], routes["high"], np.nextafter(routes["low"], -np.inf)
        )

    def _texts(self, node):
        here = self.nodes[node]
        if here["feature"] == LEAF:
            return self._leaf_text(node), []
        n, name = f"n = {here['n_samples']}", self._view.name(here["feature"])
        if here["equal"]:
            return f"{self._view.is_category(here['feature'], here['code'])}\n{n}", ["no", "yes"]
        if here["next_code"] == MISSING_CODE:
            return f"{name} is missing\n{n}", ["yes", "no"]
        branches = ["no, or missing", "yes"] if here["missing_right"] else ["yes, or missing", "no"]
        return f"{name} <= {self._largest_below(node):.6g}\n{n}", branches


class AxisFamily:
    """Grows axis-parallel trees on bootstrap samples: in a node the best cut of ⌈√d⌉ columns that vary.

    ``X``, float64 (n, d), are the training rows; NaN where a value is missing, codes in columns of
    categories.  A row's chance to be drawn is its weight, float64 (n,); all have the same if that is None.
    """

    def __init__(self, X, table, classes, weight=None):
        self.view = View(table, classes)
        self._equal = table.n_categories > 0
        self._bins = Bins(X, self._equal)
        self._n_features = math.isqrt(X.shape[1] - 1) + 1
        self._weight = weight

    def grow(self, rows, labels, n_classes, states, min_samples_split=2):
        """Grow a tree for each state, uint64 (n_trees, 1), on bootstrap samples of some of the training rows.

        ``labels``, int32, are the class indices of these rows.
        """
        codes = self._bins.codes if isinstance(rows, slice) else np.take(self._bins.codes, rows, axis=1)
        sums = None if self._weight is None else np.cumsum(self._weight[rows])
        workspace = make_workspace(len(labels), len(codes), n_classes)
        trees = []
        for state in states:
            bag = () if sums is None else (draw_by_weight(sums, len(labels), state),)
            nodes, counts = grow_axis(
                codes, self._equal, labels, self._n_features, min_samples_split, state, workspace, *bag
            )
            first_child = np.where(nodes["feature"] == LEAF, LEAF, nodes["first_child"])
            routes = walk.routes(first_child, nodes["feature"], *self._bins.limits(nodes))
            trees.append(AxisTree(self.view, nodes, counts, routes))
        return trees


@njit(cache=True, nogil=True)
def _add_shares(nodes, counts, leaves, votes):
    for i in range(leaves.shape[0]):
        node = nodes[leaves[i]]
        if node.first_child == LEAF:
            votes[i, node.label] += 1.0
            continue
        for c in range(counts.shape[1]):
            votes[i, c] += counts[node.first_child, c] / node.n_samples
