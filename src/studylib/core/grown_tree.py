"""Methods common to all grown trees, whatever their nodes test."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from studylib.core.tree import LEAF, depths, parents


class GrownTree:
    """Base class of single trees: leaves of rows, predictions for them, and export as arrays or as a graph.

    A subclass has ``classes_`` and the methods below that raise ``NotImplementedError``.  Its forest asks the
    same methods, with rows that it has read once for all its trees.
    """

    def _read_rows(self, X):
        """Rows of a table as :meth:`_leaves_of` takes them."""
        raise NotImplementedError

    def _leaves_of(self, rows):
        """Leaf that each row ends in, int (n_samples,)."""
        raise NotImplementedError

    def _shares_of(self, leaves, rows):
        """Class shares that the tree gives to rows, given their leaves; float64 (n_samples, n_classes)."""
        raise NotImplementedError

    def _labels_of(self, leaves, rows):
        """Class index of rows, given their leaves, -1 where the tree abstains; int (n_samples,)."""
        raise NotImplementedError

    def _first_child(self):
        """First child of each node, -1 in a leaf; int (n_nodes,)."""
        raise NotImplementedError

    def _n_children(self):
        """Number of children of an inner node; int, or int (n_nodes,)."""
        return 2

    def _thresholds(self):
        """Features and thresholds of nodes, if all ask ``x[feature] <= threshold``; else raises ValueError.

        Third comes the child, 0 or 1, that the rows for which it is true go to; all are (n_nodes,).
        """
        raise NotImplementedError

    def _node_values(self):
        """Class shares at each node, float64 (n_nodes, n_classes); zeros where the tree has none."""
        raise NotImplementedError

    def _node_samples(self):
        """Training samples that reached each node, int (n_nodes,)."""
        raise NotImplementedError

    def _texts(self, node):
        """Text of a node, and the texts of its branches, a list."""
        raise NotImplementedError

    def _check_grown(self):
        """Raise ``NotFittedError`` for an estimator before its fit; a forest's trees are grown when made."""
        if hasattr(self, "fit"):
            check_is_fitted(self)

    def _parents(self):
        return parents(self._first_child(), self._n_children())

    def apply(self, X):
        """Index of the leaf that each sample reaches, int64 (n_samples,).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        self._check_grown()
        return np.asarray(self._leaves_of(self._read_rows(X)), np.int64)

    def predict_proba(self, X):
        """Class shares in the leaf of each sample, float64 (n_samples, n_classes).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        self._check_grown()
        rows = self._read_rows(X)
        return self._shares_of(self._leaves_of(rows), rows)

    def predict(self, X):
        """Label of each sample, (n_samples,).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        self._check_grown()
        rows = self._read_rows(X)
        return self.classes_[self._labels_of(self._leaves_of(rows), rows)]

    def get_depth(self):
        """Depth of the deepest leaf; a lone root has 0."""
        self._check_grown()
        return int(depths(self._parents()).max())

    def get_n_leaves(self):
        """Number of leaves."""
        self._check_grown()
        return int((self._first_child() == LEAF).sum())

    def to_arrays(self):
        """The tree as plain arrays with the names that scikit-learn gives them, for tools that read those.

        Returns
        -------
        dict of ndarray (n_nodes,)
            ``children_left`` (the rows with ``x[feature] <= threshold``) and ``children_right``, -1 in
            leaves; ``feature``, -2 in leaves; ``threshold``, NaN in leaves; ``value``, the class shares,
            float64 (n_nodes, n_classes); ``n_node_samples``.

        Raises
        ------
        ValueError
            If a node asks for something else than whether a number is at most a threshold.
        """
        self._check_grown()
        feature, threshold, below = self._thresholds()
        first = np.asarray(self._first_child(), np.int64)
        leaf = first == LEAF
        return {
            "children_left": np.where(leaf, LEAF, first + below),
            "children_right": np.where(leaf, LEAF, first + 1 - below),
            "feature": np.where(leaf, -2, feature).astype(np.int64),
            "threshold": np.where(leaf, np.nan, threshold),
            "value": self._node_values(),
            "n_node_samples": np.asarray(self._node_samples(), np.int64),
        }

    def to_dot(self):
        """The tree in the DOT language of Graphviz, a string."""
        self._check_grown()
        first = self._first_child()
        lines = ["digraph tree {", "node [shape=box, fontname=sans-serif];", "edge [fontname=sans-serif];"]
        for node, child in enumerate(first.tolist()):
            text, branches = self._texts(node)
            lines.append(f"{node} [label={_quoted(text)}];")
            if child != LEAF:
                lines += [f"{node} -> {child + k} [label={_quoted(b)}];" for k, b in enumerate(branches)]
        return "\n".join([*lines, "}", ""])


def _quoted(text):
    """A string of the DOT language."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
