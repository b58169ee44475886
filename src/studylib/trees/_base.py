"""Base classes of the classifiers: reading of their tables, and methods of fitted trees."""

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from studylib.core.frames import as_frame, as_one_row, feature_names
from studylib.core.grown_tree import GrownTree
from studylib.core.labels import encode_labels
from studylib.core.model import Classifier
from studylib.core.parameters import Integer, MaxFeatures, Real, check_integer
from studylib.core.tree import LEAF, path
from studylib.core.weights import training_weights
from studylib.trees import text
from studylib.trees._columns import Columns
from studylib.trees._grow import NO_LIMIT

#: Constraints that several estimators have.
DEPTH, AT_MOST = Integer(0, none_as=NO_LIMIT), Integer(1, none_as=NO_LIMIT)
MAX_FEATURES = MaxFeatures((None, "sqrt", "log2", "ceil_sqrt"))
LEAST = {
    "min_samples_split": Integer(1),
    "min_samples_leaf": Integer(1),
    "min_weight_fraction_leaf": Real(0.0, 0.5),
    "min_impurity_decrease": Real(0.0),
}
LAPLACE = Real(0.0, 1e9)  # not infinite


class MixedTableClassifier(Classifier):
    """A classifier of tables with numeric and categorical columns, and with missing values in both."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    @property
    def feature_names_(self):
        """Names of the columns in text and pictures, a list: those of the training frame, else x0, x1, …"""
        check_is_fitted(self)
        return feature_names(self)

    def _training_data(self, X, y, sample_weight=None):
        """Values of ``X``, ``y`` as class indices, and weights, without samples of weight 0.

        Sets ``classes_`` and ``_columns``.
        The weights are those of ``class_weight``, too, if the estimator has that parameter.
        """
        values, y = self._read(X, y)
        weight = training_weights(self, values, y, sample_weight, getattr(self, "class_weight", None))
        if weight is None:
            return values, y, np.ones(len(y))
        used = weight > 0
        return self._columns.forget(values, used)[used], y[used], weight[used]

    def _read(self, X, y):
        """Values of a training table, and ``y`` as class indices.  Sets ``classes_`` and ``_columns``."""
        self._columns = Columns()
        values = self._columns.fit(self, X)
        self.classes_, y = encode_labels(type(self).__name__, y, len(values))
        return values, y


class TreeClassifier(GrownTree, MixedTableClassifier):
    """A classifier that is one tree.

    A subclass has the parameter ``laplace`` and the methods below, and those of
    :class:`~studylib.core.grown_tree.GrownTree`, that raise ``NotImplementedError``; its ``fit`` sets
    ``_columns`` and ``_gain_is_total`` and calls ``_set_nodes``.
    """

    def _condition(self, record):
        """The condition of an inner node, given its record in ``nodes_``."""
        raise NotImplementedError

    def _set_nodes(self, nodes, counts):
        """Set the fitted attributes that follow from the nodes."""
        self.nodes_, self.class_counts_ = nodes, counts
        self.n_nodes_ = len(nodes)
        self.n_leaves_ = int((nodes["feature"] == LEAF).sum())
        self.depth_ = int(nodes["depth"].max())

    def predict(self, X):
        """Majority class of the training samples where each sample ends, (n_samples,).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        return super().predict(X)

    def predict_proba(self, X):
        """Class shares of the training samples where each sample ends, float64 (n_samples, n_classes).

        With ``laplace`` they are (n_c + laplace) / (n + laplace · n_classes).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        return super().predict_proba(X)

    def get_depth(self):
        """Depth of the tree, ``depth_``."""
        check_is_fitted(self)
        return self.depth_

    def get_n_leaves(self):
        """Number of leaves, ``n_leaves_``."""
        check_is_fitted(self)
        return self.n_leaves_

    def _shares_of(self, leaves, rows):
        counts = self._counts(leaves) + self._value("laplace")
        return counts / counts.sum(axis=1, keepdims=True)

    def _labels_of(self, leaves, rows):
        return self.nodes_["label"][leaves]

    def _first_child(self):
        return self.nodes_["first_child"]

    def _node_values(self):
        return self._shares_of(np.arange(self.n_nodes_), None)

    def _node_samples(self):
        return self.nodes_["n_samples"]

    def _texts(self, node):
        return text.node_texts(self, node)

    def _check_thresholds(self, compares):
        """Raise if some nodes compare no number with a threshold; ``compares`` is bool (n_nodes,)."""
        other = np.flatnonzero(~compares & (self._first_child() != LEAF))
        if len(other):
            branches = " or ".join(self._texts(other[0])[1])
            raise ValueError(
                f"{type(self).__name__}: to_arrays holds thresholds only, but node {other[0]} asks: "
                f"{branches}."
            )

    def decision_path(self, X):
        """Nodes that each sample passes, from the root to the node at which it ends.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)

        Returns
        -------
        csr_matrix of int64 (n_samples, n_nodes)
            1 where a sample passes a node.
        """
        ends, place = np.unique(self.apply(X), return_inverse=True)
        above = self._parents()
        paths = [path(above, end) for end in ends]
        starts = np.cumsum([0, *map(len, paths)])
        passed = np.concatenate(paths)
        ones = np.ones(len(passed), np.int64)
        return csr_matrix((ones, passed, starts), shape=(len(ends), self.n_nodes_))[place]

    def _counts(self, ends):
        """Class counts that decide the shares of samples which end at the given nodes."""
        return self.class_counts_[ends]

    @property
    def feature_importances_(self):
        """Share of each column in the tree's total gain, float64 (n_features,); zeros if nothing was gained.

        A split counts with its gain times the weight of its node, and not at all if its gain is negative.
        ``chi_square`` and the source's form of ``misclassification`` add up over the samples of a node
        instead of averaging: such a gain holds the weight already and counts as it is.
        """
        check_is_fitted(self)
        inner = self.nodes_["feature"] != LEAF
        total = np.maximum(self.nodes_["gain"][inner], 0.0)
        if not self._gain_is_total:
            total = total * self.class_counts_[inner].sum(axis=1)
        sums = np.bincount(self.nodes_["feature"][inner], total, self.n_features_in_)
        return sums / sums.sum() if sums.sum() > 0.0 else sums

    def condition(self, node):
        """The condition of an inner node, a :class:`~studylib.trees.Condition`, or None for a leaf."""
        check_is_fitted(self)
        if not 0 <= node < self.n_nodes_:
            raise IndexError(
                f"{type(self).__name__}: there is no node {node}, only 0 to {self.n_nodes_ - 1}."
            )
        record = self.nodes_[node]
        return None if record["feature"] == LEAF else self._condition(record)

    def to_text(self, max_depth=None):
        """The tree as indented text: a line for each outcome says what holds below it.

        Numbers above a threshold are marked "(or missing)" where missing ones of the training set took the
        same branch.  "50.9% of them" is the share of a class in the weight of a leaf's samples, where
        samples or classes are weighted.

        Parameters
        ----------
        max_depth : int or None
            Conditions of nodes down to this depth (the root has 0) are shown, by default all.
        """
        check_is_fitted(self)
        if max_depth is not None:
            max_depth = check_integer(type(self).__name__, "to_text's max_depth", max_depth, 0)
        return text.tree_as_text(self, max_depth)

    def rules(self):
        """The tree as a table of rules, one row per leaf.

        Returns
        -------
        DataFrame
            Indexed by ``leaf`` as in ``apply``, with the columns ``rule`` (what all samples of the leaf
            have in common), ``label``, ``n_samples`` (of the training set) and ``share`` (that of the
            label's class; of the parent's samples if the leaf has none).  Several thresholds of one column
            make one interval, with "(or missing)" as in ``to_text``.  It is shown with its rules in full.
        """
        check_is_fitted(self)
        return text.rules_as_table(self)

    def explain(self, x):
        """The conditions that lead one sample to its label, as text.

        Parameters
        ----------
        x : Series, one-row DataFrame, or array-like (n_features,) or (1, n_features)
        """
        check_is_fitted(self)
        x = as_frame(type(self).__name__, as_one_row(type(self).__name__, x))
        row = x.iloc[0].tolist() if isinstance(x, pd.DataFrame) else x[0].tolist()
        return text.path_as_text(self, int(self.apply(x)[0]), row)


class TreeEnsemble(MixedTableClassifier):
    """An ensemble of trees that all look at one table, which is encoded once."""

    def _encode(self, X):
        """The table as the kernel ``_grow.grow`` wants it: its first four arguments."""
        coded = self._columns.encode(X)
        return coded.codes, coded.n_codes, self._columns.categorical, coded.code_values()

    def _rows(self, values):
        """Rows that were read as ``find_leaves`` wants them."""
        return self._columns.rows(values, self._columns.categorical)

    def _check_X(self, X):
        """New rows as ``find_leaves`` wants them, checked."""
        check_is_fitted(self)
        return self._rows(self._columns.transform(self, X))

    def _as_predictor(self, tree, nodes, counts, criterion):
        """Turn an unfitted TreePredictor into the tree that was grown; it shares the ensemble's columns."""
        tree.classes_ = self.classes_
        tree._columns = self._columns
        self._columns.column_names.record(tree)
        return tree._adopt(criterion, self._columns.categorical, nodes, counts)
