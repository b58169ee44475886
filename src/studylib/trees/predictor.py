"""TreePredictor: a binary decision tree over mixed numeric and categorical columns."""

import numbers

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from studylib._checks import check_boolean, check_choice, check_integer, check_real, describe
from studylib.trees import _grow, text
from studylib.trees._columns import Columns
from studylib.trees._grow_with_index import grow_with_index
from studylib.trees._nodes import LEAF
from studylib.trees._predict import find_leaves, routes
from studylib.trees.conditions import (
    MISSING,
    EqualityCondition,
    MembershipCondition,
    ThresholdCondition,
)
from studylib.trees.criteria import criterion_code

_NO_LIMIT = 2**62


class TreePredictor(ClassifierMixin, BaseEstimator):
    """Binary decision tree classifier for mixed columns, grown level by level.

    A node's split is the condition with the largest gain over all columns; a later candidate wins only
    with a strictly larger gain (columns in their order, values ascending).  An impure node is split as
    long as some column has two values in it, even at zero gain, so every Boolean function has its tree.

    Parameters
    ----------
    criterion : {"information", "misclassification", "gini", "sqrt_gini", "chi_square"} or callable
        What the gain of a split is computed from; see :mod:`studylib.trees.criteria`.  A callable is an
        index of your own, ``index(counts) -> float``, from the class counts (float64) of a node; plain
        Python works, ``numba.njit`` makes it fast.
    continuous_condition : {"threshold", "equality"}
        Question asked of a numeric column: ``x <= θ`` with θ midway between two consecutive values of the
        node, or ``x = v``.
    categorical_condition : {"membership", "equality"}
        Question asked of a categorical column.  A membership set has one value, as in the source.
    max_depth : int or None
        No node lies deeper; a lone root has depth 1.
    max_leaf_nodes, max_nodes : int or None
        The whole tree has at most so many leaves, or nodes.
    min_samples_split : int
        A node with fewer samples is a leaf.  (The source stops at m samples *or fewer*: m + 1 here.)
    min_entropy : float
        A node whose entropy in bits is this low is a leaf, whatever the criterion.
    max_features : None, "sqrt", "log2", int or float
        Columns drawn without replacement for each node; ``None`` takes all.  "sqrt" is ⌈√d⌉ and
        "log2" is ⌈log2 d⌉, at least 1; a float is a share of d, rounded up.  If no drawn column can
        split, one more is drawn.
    source_compatible : bool
        The published program's semantics instead of a textbook's: splits need a strictly positive gain;
        "misclassification" and "chi_square" take the source's forms; a label tie goes to the class of the
        node's first sample among the tied; ``max_depth``, ``max_leaf_nodes`` and ``max_nodes`` stop a node
        once the whole tree *exceeds* them.
    random_state : int, RandomState instance or None
        Draws the columns when ``max_features`` is set.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if ``X`` had string column names
    nodes_ : structured ndarray (n_nodes,)
        The tree, breadth first: see :data:`studylib.trees.NODE_DTYPE`.
    class_counts_ : float64 ndarray (n_nodes, n_classes)
        Weight of each class among the training samples of a node.
    depth_, n_nodes_, n_leaves_ : int
        ``n_leaves_ == (n_nodes_ + 1) / 2``, as in every binary tree.

    Notes
    -----
    A frame's string, object and category columns are categorical, its numeric and boolean columns numeric;
    other types are refused.  An array or list of mixed entries is treated column by column in the same way.

    Missing and new values: a missing number is never below a threshold, so it takes the false branch; if
    numbers were missing in training, "is known" is one more candidate.  If categories were missing in
    training, "missing" is a category of its own, behind the others.  A category that was not in training,
    a missing one included, belongs to no set and takes the false branch.

    References
    ----------
    Raffini, *Tree Predictors for Binary Classification*, 2024, sections 3 and 4.

    Examples
    --------
    >>> import pandas as pd
    >>> from studylib.trees import TreePredictor
    >>> X = pd.DataFrame({"height": [3.0, 9.0, 4.0, 8.0], "cap": ["flat", "bell", "bell", "bell"]})
    >>> tree = TreePredictor().fit(X, ["edible", "poisonous", "edible", "poisonous"])
    >>> print(tree.to_text())
    height ≤ 6?
      no → poisonous  (2 samples)
      yes → edible  (2 samples)
    """

    def __init__(
        self,
        criterion="information",
        *,
        continuous_condition="threshold",
        categorical_condition="membership",
        max_depth=None,
        max_leaf_nodes=None,
        max_nodes=None,
        min_samples_split=2,
        min_entropy=0.0,
        max_features=None,
        source_compatible=False,
        random_state=None,
    ):
        self.criterion = criterion
        self.continuous_condition = continuous_condition
        self.categorical_condition = categorical_condition
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_nodes = max_nodes
        self.min_samples_split = min_samples_split
        self.min_entropy = min_entropy
        self.max_features = max_features
        self.source_compatible = source_compatible
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

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
        if y is None:
            raise ValueError(f"{name}: fit requires y to be passed, but the target y is None.")
        X, y = self._validated(X, y)
        self.classes_, y = self._encoded(y)
        self._columns = Columns(name)
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(X.shape[1])])
        weight = np.ones(len(y))
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            used = np.flatnonzero(weight)
            X = X.iloc[used] if isinstance(X, pd.DataFrame) else X[used]
            y, weight = y[used], weight[used]
        settings = self._settings(X.shape[1])
        codes = self._columns.fit_codes(X, names)
        by_equality = self._columns.categorical | (self.continuous_condition == "equality")
        rng = np.zeros(1, np.uint64)
        if settings.max_features < X.shape[1]:  # else nothing is drawn, from numpy's global state neither
            seed = check_random_state(self.random_state).randint(2**31, size=2, dtype=np.int64)
            rng[0] = (seed[0] << 31) ^ seed[1]
        data = (codes, self._columns.n_codes, by_equality, self._columns.code_values())
        rest = (y, weight.copy(), len(self.classes_), settings, rng)
        if callable(self.criterion):
            nodes, counts, n_nodes = grow_with_index(name, self.criterion, *data, *rest)
        else:
            nodes, counts, n_nodes = _grow.grow(*data, *rest)
        return self._adopt(by_equality, nodes[:n_nodes], counts[:n_nodes])

    def _adopt(self, by_equality, nodes, counts):
        """Become the tree that a kernel has grown; classes and columns are set already."""
        self._by_equality = by_equality
        self._membership = self.categorical_condition == "membership"
        self.nodes_ = nodes.copy()
        self._routes = routes(self.nodes_, by_equality)
        self.class_counts_ = counts.copy()
        self.n_nodes_ = len(nodes)
        self.n_leaves_ = int((self.nodes_["feature"] == LEAF).sum())
        self.depth_ = int(self.nodes_["depth"].max())
        return self

    def apply(self, X):
        """Index of the leaf that each sample reaches, int64 (n_samples,)."""
        check_is_fitted(self)
        X = self._columns.transform(self._validated(X), self._by_equality)
        return find_leaves(self._routes, X)

    def predict(self, X):
        """Majority class of each sample's leaf, (n_samples,)."""
        leaves = self.apply(X)
        return self.classes_[self.nodes_["label"][leaves]]

    def predict_proba(self, X):
        """Class shares of the training samples in each sample's leaf, float64 (n_samples, n_classes)."""
        leaves = self.apply(X)
        counts = self.class_counts_[leaves]
        return counts / counts.sum(axis=1, keepdims=True)

    def condition(self, node):
        """The condition of an inner node, a :class:`~studylib.trees.Condition`, or None for a leaf."""
        check_is_fitted(self)
        if not 0 <= node < self.n_nodes_:
            raise IndexError(
                f"{type(self).__name__}: there is no node {node}, only 0 to {self.n_nodes_ - 1}."
            )
        record = self.nodes_[node]
        if record["feature"] == LEAF:
            return None
        feature, value = int(record["feature"]), float(record["value"])
        if self._columns.categorical[feature]:
            known = self._columns.values[feature]
            value = known[int(value)] if value < len(known) else MISSING
            if self._membership:
                return MembershipCondition((value,))
            return EqualityCondition(value)
        if self._by_equality[feature]:
            return EqualityCondition(MISSING if np.isinf(value) else value)
        return ThresholdCondition(value)

    def to_text(self, max_depth=None):
        """The tree's rules as indented text: the conditions of the top ``max_depth`` levels, or all."""
        check_is_fitted(self)
        if max_depth is not None:
            max_depth = check_integer(type(self).__name__, "to_text's max_depth", max_depth, 1)
        return text.tree_as_text(self, max_depth)

    def explain(self, x):
        """The conditions that lead one sample to its label, as text.

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
        row = x.iloc[0].tolist() if isinstance(x, pd.DataFrame) else x[0].tolist()
        return text.path_as_text(self, int(self.apply(x)[0]), row)

    def _settings(self, d):
        """Growth settings for the kernels, every parameter checked."""
        name = type(self).__name__
        if not callable(self.criterion):
            criterion = criterion_code(name, self.criterion, self.source_compatible)
        else:
            criterion = -1
        check_choice(name, "continuous_condition", self.continuous_condition, ("threshold", "equality"))
        check_choice(name, "categorical_condition", self.categorical_condition, ("membership", "equality"))
        return _grow.Settings(
            criterion=criterion,
            max_depth=check_integer(name, "max_depth", self.max_depth, 1, none_as=_NO_LIMIT),
            max_leaf_nodes=check_integer(name, "max_leaf_nodes", self.max_leaf_nodes, 1, none_as=_NO_LIMIT),
            max_nodes=check_integer(name, "max_nodes", self.max_nodes, 1, none_as=_NO_LIMIT),
            min_samples_split=check_integer(name, "min_samples_split", self.min_samples_split, 1),
            min_entropy=check_real(name, "min_entropy", self.min_entropy, 0.0),
            max_features=self._n_columns_drawn(name, d),
            source_compatible=check_boolean(name, "source_compatible", self.source_compatible),
        )

    def _n_columns_drawn(self, name, d):
        """``max_features`` as a number of columns."""
        value = self.max_features
        if value is None:
            return d
        if isinstance(value, str) and value in ("sqrt", "log2"):
            return max(1, int(np.ceil(np.sqrt(d) if value == "sqrt" else np.log2(d))))
        if isinstance(value, numbers.Integral) and not isinstance(value, bool) and 1 <= value <= d:
            return int(value)
        if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and 0 < value <= 1:
            return int(np.ceil(round(value * d, 9)))  # 0.07 of 100 are 7, whatever 0.07 * 100 is in binary
        raise ValueError(
            f"{name}: max_features must be None, 'sqrt', 'log2', an integer from 1 to {d} (the number of "
            f"columns) or a share in (0, 1], got {describe(value)}."
        )

    def _validated(self, X, y=None):
        """``X`` as a frame or float64 array, its shape and names checked; with ``y``, both for ``fit``."""
        fitting = y is not None
        if fitting and np.any(pd.isna(y)):
            raise ValueError(f"{type(self).__name__}: y contains missing labels (NaN).")
        if isinstance(X, (list, tuple)) and any(
            isinstance(entry, str) for row in X for entry in np.ravel(row)
        ):
            X = np.asarray(X, dtype=object)
        if hasattr(X, "dtype") and getattr(X.dtype, "kind", "") in "OUS" and np.ndim(X) == 2:
            # An array of mixed objects: its columns say themselves what they hold.
            X = pd.DataFrame(X).infer_objects()
            X.columns = [f"x{j}" for j in range(X.shape[1])]
            self._check_rows(X)
            validate_data(self, X.to_numpy(), reset=fitting, skip_check_array=True)
        elif isinstance(X, pd.DataFrame):
            self._check_rows(X)
            validate_data(self, X, reset=fitting, skip_check_array=True)
        elif fitting:
            X, y = validate_data(
                self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", accept_sparse=False
            )
        else:
            X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        if not fitting:
            return X
        y = column_or_1d(y, warn=True)
        if len(y) != len(X):
            raise ValueError(
                f"{type(self).__name__}: X has {len(X)} rows and y has {len(y)} labels; they must match."
            )
        return X, y

    @staticmethod
    def _encoded(y):
        """Classes in ascending order, and ``y`` as indices into them, int32."""
        if y.dtype.kind in "OU":  # hashing texts is several times faster than sorting them
            codes, found = pd.factorize(y)
            check_classification_targets(found)
            classes, ranks = np.unique(found.astype(y.dtype), return_inverse=True)
            return classes, ranks[codes].astype(np.int32)
        check_classification_targets(y)
        classes, y = np.unique(y, return_inverse=True)
        return classes, y.astype(np.int32)

    def _check_rows(self, X):
        for axis, what in enumerate(("sample", "feature")):
            if X.shape[axis] == 0:
                raise ValueError(
                    f"{type(self).__name__}: found 0 {what}(s) (shape={X.shape}) while a minimum of 1 is "
                    "required."
                )
        if not X.columns.is_unique:
            twice = X.columns[X.columns.duplicated()][0]
            raise ValueError(f"{type(self).__name__}: the column name {twice!r} stands more than once in X.")
