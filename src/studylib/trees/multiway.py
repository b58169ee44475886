"""MultiwayTreePredictor: ID3's tree, in which a node has a child for every value of its column."""

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from studylib.core.parameters import check_choice, check_integer
from studylib.trees import _grow, _grow_multiway
from studylib.trees._base import MixedTableClassifier
from studylib.trees._nodes import LEAF
from studylib.trees._validation import NO_LIMIT, check_laplace, table
from studylib.trees.conditions import MISSING, ValueCondition
from studylib.trees.criteria import CRITERIA

__all__ = ["MULTIWAY_CRITERIA", "MultiwayTreePredictor"]

#: The names that ``criterion`` accepts; the values are the kernels' own codes.
MULTIWAY_CRITERIA = {**CRITERIA, "gain_ratio": _grow_multiway.GAIN_RATIO}


class MultiwayTreePredictor(MixedTableClassifier):
    """Decision tree classifier with one branch for each value of a column: ID3.

    A node asks for the value of the column with the largest gain; of columns whose gains are equal up to
    rounding, the first.  Only columns that tell samples of the node apart are candidates, so none is asked
    twice on a path.  An impure node is split even at zero gain, so every Boolean function has its tree.

    Growth stops at a pure node, and where no columns are left: there the majority decides, of tied classes
    the first.  A value that no sample of the node has becomes an empty leaf with its parent's majority.

    Parameters
    ----------
    criterion : str or callable
        "information" (ID3's), "gain_ratio" (C4.5's), "misclassification", "gini", "sqrt_gini" or
        "chi_square".  With I the index of a node as in :mod:`studylib.trees.criteria` and n_v of its n
        samples in branch v, the gain is ``I - Σ n_v/n I_v`` over the branches that are not empty; chi-square
        is the statistic summed over them.  The gain ratio is the information gain over the entropy of the
        branches' sizes, -Σ n_v/n log2(n_v/n); C4.5's rule that only columns of at least average gain
        compete is left out.  A callable is an index of your own, ``index(counts) -> float``, from the class
        counts (float64) of a node; plain Python works, ``numba.njit`` makes it fast.
    max_depth : int or None
        No node is deeper; the root has depth 0.
    min_samples_split : int
        A node with fewer samples is a leaf.
    numeric : {"categories", "refuse"}
        What happens to a column of numbers that are not all whole: each distinct number is a category, or
        ``fit`` raises.  Whole numbers and booleans are categories either way.
    laplace : float
        Added to the count of each class in ``predict_proba``: 1 is Laplace's rule, 0 gives plain shares.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if ``X`` had string column names
    nodes_ : structured ndarray (n_nodes,)
        The tree, breadth first: see :data:`studylib.trees.NODE_DTYPE`.  The children of a node stand side
        by side in the order of its column's values, ``first_child + v`` for the value of code ``v``;
        ``value`` is not used (NaN).  An empty leaf has ``n_samples`` 0.
    class_counts_ : float64 ndarray (n_nodes, n_classes)
        Weight of each class among the training samples of a node; zero in an empty leaf.
    depth_, n_nodes_, n_leaves_ : int
        A lone root has depth 0.  Empty leaves are counted.
    feature_importances_ : float64 ndarray (n_features,)

    Notes
    -----
    Values are those of the whole training table, in ascending order (in their own order, for an ordered
    categorical); if entries were missing, "missing" is one more value, behind the others.  A row whose value
    was not in training ends at the node that asks for it, and gets that node's majority and class shares.

    A number that was not in training is such a value too, so a column of measurements says little about new
    rows unless it is cut into ranges first.

    References
    ----------
    Quinlan, *Induction of Decision Trees*, Machine Learning 1, 1986.
    Zachmann, *Massively Parallel Algorithms: Classification and Prediction Using Random Forests*.

    Examples
    --------
    >>> from studylib.datasets import load_golf
    >>> from studylib.trees import MultiwayTreePredictor
    >>> golf = load_golf()
    >>> print(MultiwayTreePredictor().fit(golf.data, golf.target).to_text())
    wind = 'strong' → no  (2 samples)
    wind = 'weak' → yes  (3 samples)
    """

    def __init__(
        self,
        criterion="information",
        *,
        max_depth=None,
        min_samples_split=2,
        numeric="categories",
        laplace=0.0,
    ):
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.numeric = numeric
        self.laplace = laplace

    def fit(self, X, y, sample_weight=None):
        """Grow the tree.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        y : array-like (n_samples,), class labels of any type
        sample_weight : array-like (n_samples,) or None
            Non-negative; a sample of weight 0 is left out.

        Returns
        -------
        self
        """
        name = type(self).__name__
        settings = self._settings()
        X, y, weight = self._training_data(X, y, sample_weight)
        codes = self._fit_columns(X)
        if self.numeric == "refuse":
            self._check_whole()
        self._boolean = np.zeros(X.shape[1], bool)
        if isinstance(X, pd.DataFrame):
            self._boolean[:] = [pd.api.types.is_bool_dtype(dtype) for dtype in X.dtypes]
        data = (codes, self._columns.n_codes, y, weight.copy(), len(self.classes_), settings)
        if callable(self.criterion):
            nodes, counts, n_nodes = _grow_multiway.grow_with_index(name, self.criterion, *data)
        else:
            nodes, counts, n_nodes = _grow_multiway.grow(*data)
        self._gain_is_total = settings.criterion in _grow.TOTALS
        self.nodes_ = nodes[:n_nodes].copy()
        self.class_counts_ = counts[:n_nodes].copy()
        self.n_nodes_ = int(n_nodes)
        self.n_leaves_ = int((self.nodes_["feature"] == LEAF).sum())
        self.depth_ = int(self.nodes_["depth"].max())
        self._parents = self._find_parents()
        return self

    def apply(self, X):
        """Index of the node at which each sample ends, int64 (n_samples,).

        That is a leaf, or the node that asks for a value that was not in training.
        """
        check_is_fitted(self)
        return _grow_multiway.find_nodes(self.nodes_, self._codes(table(self, X)))

    def predict(self, X):
        """Majority class of the node at which each sample ends, (n_samples,)."""
        ends = self.apply(X)
        return self.classes_[self.nodes_["label"][ends]]

    def predict_proba(self, X):
        """Class shares of the training samples where each sample ends, float64 (n_samples, n_classes).

        An empty leaf has its parent's.  ``laplace`` is added to every count first.
        """
        ends = self.apply(X)
        empty = self.nodes_["n_samples"][ends] == 0
        counts = self.class_counts_[np.where(empty, self._parents[ends], ends)] + check_laplace(self)
        return counts / counts.sum(axis=1, keepdims=True)

    @property
    def feature_importances_(self):
        """Share of each column in the tree's total gain, float64 (n_features,); zeros if nothing was gained.

        A split counts with its gain times the weight of its node; the chi-square statistic, which adds up
        over samples, as it is.
        """
        check_is_fitted(self)
        inner = self.nodes_["feature"] != LEAF
        total = np.maximum(self.nodes_["gain"][inner], 0.0)  # rounding may leave a gain of zero below it
        if not self._gain_is_total:
            total = total * self.class_counts_[inner].sum(axis=1)
        sums = np.bincount(self.nodes_["feature"][inner], total, self.n_features_in_)
        return sums / sums.sum() if sums.sum() > 0.0 else sums

    def condition(self, node):
        """What an inner node asks, a :class:`~studylib.trees.ValueCondition`, or None for a leaf."""
        check_is_fitted(self)
        if not 0 <= node < self.n_nodes_:
            raise IndexError(
                f"{type(self).__name__}: there is no node {node}, only 0 to {self.n_nodes_ - 1}."
            )
        feature = self.nodes_["feature"][node]
        if feature == LEAF:
            return None
        known = self._columns.values[feature].tolist()
        if self._boolean[feature]:
            known = [bool(value) for value in known]
        missing = [MISSING] if self._columns.has_missing[feature] else []
        return ValueCondition((*known, *missing))

    def to_text(self, max_depth=None):
        """The tree's rules as indented text: the nodes down to depth ``max_depth``, or all."""
        check_is_fitted(self)
        if max_depth is not None:
            max_depth = check_integer(type(self).__name__, "to_text's max_depth", max_depth, 0)
        lines, stack = [], [(0, "", -1)]
        while stack:
            node, answer, level = stack.pop()
            record = self.nodes_[node]
            pad = "  " * max(level, 0) + answer
            if record["feature"] == LEAF:
                lines.append(f"{pad} → {self._label(node)}" if answer else f"→ {self._label(node)}")
                continue
            if max_depth is not None and record["depth"] > max_depth:
                lines.append(f"{pad}: … mostly {self._label(node)}")
                continue
            if answer:
                lines.append(f"{pad}:")
            condition, name = self.condition(node), self._columns.names[record["feature"]]
            for v in reversed(range(condition.n_outcomes)):
                stack.append((int(record["first_child"]) + v, condition.describe(name, v), level + 1))
        return "\n".join(lines)

    def explain(self, x):
        """The answers that lead one sample to its label, as text.

        Parameters
        ----------
        x : Series, one-row DataFrame, or array-like (n_features,) or (1, n_features)
        """
        check_is_fitted(self)
        if isinstance(x, pd.Series):
            x = x.to_frame().T.infer_objects()
        elif not isinstance(x, pd.DataFrame):
            x = np.atleast_2d(np.asarray(x, dtype=object))
        if len(x) != 1:
            raise ValueError(f"{type(self).__name__}: explain takes one sample, got {len(x)}.")
        end = node = int(self.apply(x)[0])
        steps = []
        if self.nodes_["feature"][end] != LEAF:
            steps.append(f"{self._columns.names[self.nodes_['feature'][end]]} has a value that is new")
        while node:
            above = self._parents[node]
            record = self.nodes_[above]
            name = self._columns.names[record["feature"]]
            steps.append(self.condition(above).describe(name, node - record["first_child"]))
            node = above
        numbered = [f"{k}. {step}" for k, step in enumerate(reversed(steps), start=1)]
        return "\n".join([*numbered, f"→ {self._label(end)}"])

    def _label(self, node):
        """Majority class of a node, and how many training samples say so."""
        counts, n = self.class_counts_[node], int(self.nodes_["n_samples"][node])
        label = self.classes_[self.nodes_["label"][node]]
        if n == 0:
            return f"{label}  (no samples: its parent's majority)"
        share = counts.max() / counts.sum()
        purity = "" if share == 1.0 else f", {share:.1%} of them"
        return f"{label}  ({n} sample{'s' if n != 1 else ''}{purity})"

    def _settings(self):
        """Growth settings for the kernels, every parameter checked."""
        name = type(self).__name__
        criterion = -1
        if not callable(self.criterion):
            criterion = MULTIWAY_CRITERIA[check_choice(name, "criterion", self.criterion, MULTIWAY_CRITERIA)]
        check_choice(name, "numeric", self.numeric, ("categories", "refuse"))
        check_laplace(self)
        return _grow_multiway.Settings(
            criterion=criterion,
            max_depth=check_integer(name, "max_depth", self.max_depth, 0, none_as=NO_LIMIT),
            min_samples_split=check_integer(name, "min_samples_split", self.min_samples_split, 1),
        )

    def _check_whole(self):
        columns = self._columns
        for name, known, categorical in zip(columns.names, columns.values, columns.categorical, strict=True):
            broken = [] if categorical else known[known % 1 != 0]
            if len(broken):
                raise ValueError(
                    f"{columns.owner}: column {name!r} holds {broken[0]}, but with numeric='refuse' numbers "
                    "must be whole; cut the column into ranges, or set numeric='categories'."
                )

    def _codes(self, X):
        """Code of every entry, int32 (n_features, n_samples); -1 for a value that was not in training."""
        columns = self._columns
        entries = columns.transform(X, np.ones(X.shape[1], bool))
        codes = np.full(entries.shape[::-1], -1, np.int32)
        for j, known in enumerate(columns.values):
            column = entries[:, j]
            if columns.categorical[j]:
                codes[j] = np.where(np.isnan(column), -1, column)
                continue
            at = np.searchsorted(known, column)
            found = at < len(known)
            found[found] = known[at[found]] == column[found]
            codes[j, found] = at[found]
            if columns.has_missing[j]:
                codes[j, np.isinf(column)] = len(known)
        return codes

    def _find_parents(self):
        """Parent of every node, int64 (n_nodes,); -1 for the root."""
        parents = np.full(self.n_nodes_, -1, np.int64)
        inner = np.flatnonzero(self.nodes_["feature"] != LEAF)  # in the order of their children
        parents[1:] = np.repeat(inner, self._columns.n_codes[self.nodes_["feature"][inner]])
        return parents
