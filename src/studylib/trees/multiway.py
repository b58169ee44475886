"""MultiwayTreePredictor: a tree as ID3 and C4.5 grow it, in which a node has a child for every value."""

from typing import ClassVar

import numpy as np

from studylib.core.model import fit_whole
from studylib.core.parameters import CallableOr, Choice, ClassWeight
from studylib.core.tree import copy_records
from studylib.trees import _gains, _grow, _grow_multiway
from studylib.trees._base import AT_MOST, DEPTH, LAPLACE, LEAST, TreeClassifier
from studylib.trees._grow_in_python import grow_multiway_in_python
from studylib.trees.conditions import MISSING, CutCondition, ValueCondition
from studylib.trees.criteria import CRITERIA, Criterion

__all__ = ["MULTIWAY_CRITERIA", "MultiwayTreePredictor"]

#: The names that ``criterion`` accepts in multiway trees; the values are the kernels' own codes.
MULTIWAY_CRITERIA = {**CRITERIA, "gain_ratio": _grow_multiway.GAIN_RATIO}


class MultiwayTreePredictor(TreeClassifier):
    """Decision tree classifier with one branch for each value of a category, and cuts of numbers: ID3, C4.5.

    A node asks for the value of the column with the largest gain; of columns whose gains are equal up to
    rounding, the first.  Only columns that tell samples of the node apart are candidates, so no category is
    asked twice on a path.  An impure node is split even at zero gain, so every Boolean function has its tree.

    A column of numbers is cut at a threshold as in C4.5: between two neighbouring numbers of the node, where
    the gain is largest, the lowest of tied cuts.  The threshold is the largest number of the training table
    that is not above their middle.  The column may be cut again further down.

    Growth stops at a pure node, and where no columns are left: there the majority decides, and a tie goes to
    the first class.  A value that no sample of the node has becomes an empty leaf with its parent's majority.

    Parameters
    ----------
    criterion : str or callable
        "information" (ID3's; "entropy" is accepted, too), "gain_ratio" (C4.5's), "misclassification",
        "gini", "sqrt_gini" or "chi_square".  With I the impurity of a node as in
        :mod:`studylib.trees.criteria` and n_v of its n samples in branch v, the gain is
        ``I - Σ n_v/n I_v`` over the branches that are not empty; chi-square is the statistic summed over
        them.  The gain ratio is the information gain over the entropy of the branches' sizes,
        -Σ n_v/n log2(n_v/n); C4.5's rule that only columns of at least average gain compete is left out.
        A callable is a custom impurity, ``impurity(counts) -> float``, from the class counts (float64) of a
        node; plain Python works, ``numba.njit`` makes it fast.
    max_depth : int or None
        No node is deeper; the root has depth 0.
    max_leaf_nodes : int or None
        A split after which the tree would have more leaves is not made.
    min_samples_split : int
        A node with fewer samples is a leaf.
    min_samples_leaf : int
        As in C4.5, only columns are candidates of whose branches at least two have so many samples, and only
        cuts with so many on both sides; other branches may have fewer.  C4.5's own default is 2.
    min_weight_fraction_leaf : float
        The same for the share of the total weight, from 0 to 0.5.
    min_impurity_decrease : float
        A split is made only if its gain times the node's share of the total weight is at least this; 0
        splits at any gain.  Chi-square adds up over samples and is divided by the total weight instead.
    class_weight : None, "balanced" or dict
        As in :class:`~studylib.trees.TreePredictor`.
    numeric : {"threshold", "categories", "refuse"}
        Columns of numbers are cut at thresholds, or each distinct number is a category as in ID3.  With
        "refuse" that holds for whole numbers only, and ``fit`` raises if others are there.  Booleans are
        always categories.
    laplace : float
        Added to the count of each class in ``predict_proba``: 1 is Laplace's rule, 0 gives plain shares.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if ``X`` had string column names
    nodes_ : structured ndarray (n_nodes,)
        The tree, breadth first: see :data:`studylib.trees.NODE_DTYPE`.  The children of a node are numbered
        in a row: in the order of its column's values, ``first_child + v`` for the value of code ``v``, or up
        to the threshold, above it, and missing.  ``value`` is the threshold (infinity where the node asks
        whether a number is known), and NaN elsewhere.  An empty leaf has ``n_samples`` 0.
    class_counts_ : float64 ndarray (n_nodes, n_classes)
        Weight of each class among the training samples of a node; zero in an empty leaf.
    depth_, n_nodes_, n_leaves_ : int
        A lone root has depth 0.  Empty leaves are counted.
    feature_importances_ : float64 ndarray (n_features,)

    Notes
    -----
    Values are those of the whole training table, in ascending order (in their own order, for an ordered
    categorical); if entries were missing, "missing" is one more value, behind the others, and one more branch
    of each cut.  A row whose value was not in training (for a cut: that is missing, where none was in
    training) ends at the node that asks for it, and gets that node's majority and class shares.

    With ``numeric="categories"`` a number that was not in training is such a value, so a column of
    measurements says little about new rows.

    Of C4.5 are left out: samples in fractions where a value is missing, a larger least size of the sides of a
    cut than ``min_samples_leaf``, the penalty for many thresholds (release 8), grouped values and its
    pruning.  So are several outputs, sparse tables, drawn columns (``max_features``) and pruning.

    References
    ----------
    Quinlan, *Induction of Decision Trees*, Machine Learning 1, 1986; *C4.5: Programs for Machine Learning*,
    1993, chapters 2 and 3.
    Zachmann, *Massively Parallel Algorithms: Classification and Prediction Using Random Forests*.

    Examples
    --------
    >>> from studylib.datasets import load_golf
    >>> from studylib.trees import MultiwayTreePredictor
    >>> golf = load_golf()
    >>> print(MultiwayTreePredictor().fit(golf.data, golf.target).to_text())
    wind = 'strong' → no  (2 samples)
    wind = 'weak' → yes  (3 samples)
    >>> print(MultiwayTreePredictor().fit([[1.5], [2.0], [4.5]], ["no", "no", "yes"]).to_text())
    x0 ≤ 2 → no  (2 samples)
    x0 > 2 → yes  (1 sample)
    """

    _constraints: ClassVar[dict] = {
        "criterion": CallableOr(Criterion(MULTIWAY_CRITERIA)),
        "max_depth": DEPTH,
        "max_leaf_nodes": AT_MOST,
        **LEAST,
        "class_weight": ClassWeight(),
        "numeric": Choice(("threshold", "categories", "refuse")),
        "laplace": LAPLACE,
    }

    def __init__(
        self,
        criterion="information",
        *,
        max_depth=None,
        max_leaf_nodes=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        min_impurity_decrease=0.0,
        class_weight=None,
        numeric="threshold",
        laplace=0.0,
    ):
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
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
        return fit_whole(self, X, y, sample_weight)

    def _fit(self, X, y, sample_weight):
        name, p = type(self).__name__, self._checked()
        custom = callable(p.criterion)
        settings = _grow.settings_of(_grow_multiway.Settings, p, criterion=-1 if custom else p.criterion)
        X, y, weight = self._training_data(X, y, sample_weight)
        coded = self._columns.encode(X)
        if p.numeric == "refuse":
            self._check_whole(coded.known)
        cut = (p.numeric == "threshold") & ~self._columns.categorical & ~self._columns.boolean
        n_known = np.where(cut, [len(known) for known in coded.known], _grow_multiway.BY_VALUE)
        data = (
            coded.codes,
            coded.n_codes,
            n_known,
            coded.code_values() if cut.any() else np.zeros((X.shape[1], 1)),
            y,
            weight.copy(),
            len(self.classes_),
            settings,
        )
        if custom:
            nodes, counts, n_nodes = grow_multiway_in_python(name, p.criterion, *data)
        else:
            nodes, counts, n_nodes = _grow_multiway.grow(*data)
        self._gain_is_total = settings.criterion in _gains.TOTALS
        nodes = copy_records(nodes[:n_nodes])
        self._values = [
            np.unique(nodes["value"][(nodes["feature"] == j) & np.isfinite(nodes["value"])])
            if cut[j]
            else known
            for j, known in enumerate(coded.known)
        ]
        self._n_codes = coded.n_codes
        self._n_known = np.where(cut, [len(known) for known in self._values], _grow_multiway.BY_VALUE)
        self._set_nodes(nodes, counts[:n_nodes].copy())
        self._cuts = self._cut_codes()
        return self

    def apply(self, X):
        """Index of the node at which each sample ends, int64 (n_samples,).

        That is a leaf, or the node that asks for a value that was not in training.
        """
        return super().apply(X)

    def _read_rows(self, X):
        return self._codes(self._columns.transform(self, X))

    def _leaves_of(self, rows):
        return _grow_multiway.find_nodes(self.nodes_, self._cuts, self._n_known, rows)

    def _counts(self, ends):
        """Class counts that decide the shares at the given nodes; an empty leaf has its parent's."""
        empty = self.nodes_["n_samples"][ends] == 0
        return self.class_counts_[np.where(empty, self._parents()[ends], ends)]

    def _n_children(self):
        nodes, columns = self.nodes_, self._columns
        of_cut = np.where(np.isinf(nodes["value"]), 2, 2 + columns.has_missing[nodes["feature"]])
        return np.where(np.isnan(nodes["value"]), self._n_codes[nodes["feature"]], of_cut)

    def _thresholds(self):
        value = self.nodes_["value"]
        self._check_thresholds(~np.isnan(value) & (self._n_children() == 2))
        return self.nodes_["feature"], value, 0

    def _condition(self, record):
        feature, has_missing = record["feature"], bool(self._columns.has_missing[record["feature"]])
        if not np.isnan(record["value"]):
            return CutCondition(float(record["value"]), has_missing)
        known = self._values[feature].tolist()
        if self._columns.boolean[feature]:
            known = [bool(value) for value in known]
        return ValueCondition((*known, *[MISSING] * has_missing))

    def _cut_codes(self):
        """Code of each node's threshold as ``find_nodes`` wants it, int32 (n_nodes,)."""
        nodes = self.nodes_
        codes = np.full(len(nodes), _grow_multiway.BY_VALUE, np.int32)
        for i in np.flatnonzero(~np.isnan(nodes["value"])):
            codes[i] = np.searchsorted(self._values[nodes["feature"][i]], nodes["value"][i])
        return codes

    def _check_whole(self, known_values):
        for name, known in zip(self.feature_names_, known_values, strict=True):
            broken = [] if known.dtype == object else known[known % 1 != 0]
            if len(broken):
                raise ValueError(
                    f"{type(self).__name__}: column {name!r} holds {broken[0]}, but with numeric='refuse' "
                    "numbers must be whole; cut the column into ranges, or set numeric='categories'."
                )

    def _codes(self, X):
        """Code of every entry as ``find_nodes`` wants it, int32 (n_features, n_samples); -1 if it is new."""
        columns = self._columns
        entries = columns.rows(X, np.ones(X.shape[1], bool))
        codes = np.full(entries.shape[::-1], -1, np.int32)
        for j, known in enumerate(self._values):
            column = entries[:, j]
            if columns.categorical[j]:
                codes[j] = np.where(np.isnan(column), -1, column)
                continue
            at = np.searchsorted(known, column)
            if self._n_known[j] >= 0:
                at[np.isinf(column)] = len(known) + 1
                codes[j] = np.where(np.isnan(column), -1, at)
                continue
            known_there = at < len(known)
            known_there[known_there] = known[at[known_there]] == column[known_there]
            codes[j, known_there] = at[known_there]
            if columns.has_missing[j]:
                codes[j, np.isinf(column)] = len(known)
        return codes
