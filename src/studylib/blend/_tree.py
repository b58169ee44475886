"""Base classes of the trees of a blend, and of the view of rows that a family's trees share."""

import numpy as np

from studylib.core.frames import feature_names
from studylib.core.grown_tree import GrownTree
from studylib.core.tree import accumulate_to_ancestors


class View:
    """View of rows that the trees of a family share with their forest."""

    def __init__(self, table, classes):
        self.table = table
        self.classes_ = classes

    def n_read(self):
        """Number of features that trees read."""
        return self.table.column_names.n_features_in_

    def rows(self, X):
        """Rows that the table has read, as the walk down a tree takes them."""
        return np.ascontiguousarray(X)

    def name(self, column):
        """Name of a column, a string."""
        return feature_names(self.table.column_names)[column]

    def is_category(self, column, code):
        """Text that asks whether a column holds the category of a code."""
        return f"{self.name(column)} = {self.table.category(column, code)}"


class BlendedTree(GrownTree):
    """A tree of a blend: it votes with the class shares in a sample's leaf."""

    def __init__(self, view):
        self._view = view

    @property
    def classes_(self):
        """Classes, as in the forest."""
        return self._view.classes_

    @property
    def n_features_in_(self):
        """Number of columns, as in the forest."""
        return self._view.table.column_names.n_features_in_

    @property
    def feature_names_in_(self):
        """Names of the columns, as in the forest, if they are strings."""
        return self._view.table.column_names.feature_names_in_

    @property
    def feature_importances_(self):
        """Share of each column in the tree's decrease of Gini impurity, float64 (n_features,); sum 1 or 0."""
        raise NotImplementedError

    def _leaf_counts(self):
        """Samples of each class in the leaves, int64 (n_nodes, n_classes); 0 in inner nodes."""
        raise NotImplementedError

    def _leaf_labels(self):
        """Most frequent class of each leaf, int32 (n_nodes,)."""
        raise NotImplementedError

    def _add_shares(self, leaves, votes):
        """Add the class shares of the leaves to ``votes``, float64 (n, n_classes)."""
        raise NotImplementedError

    def _read_rows(self, X):
        return self._view.rows(self._view.table.transform(self, X))

    def _shares_of(self, leaves, rows):
        shares = np.zeros((len(leaves), len(self.classes_)))
        self._add_shares(leaves, shares)
        return shares

    def _labels_of(self, leaves, rows):
        return self._leaf_labels()[leaves]

    def _node_values(self):
        counts = accumulate_to_ancestors(self._leaf_counts(), self._parents())
        return counts / counts.sum(axis=1, keepdims=True)

    def _leaf_text(self, node):
        label = self._shares_of(np.array([node]), None).argmax()
        return f"{self.classes_[label]}\nn = {self._node_samples()[node]}"
