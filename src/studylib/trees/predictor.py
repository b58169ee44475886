"""TreePredictor: a binary decision tree over mixed numeric and categorical columns."""

import copy
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd

from studylib.core.labels import as_labels
from studylib.core.model import fit_whole
from studylib.core.parameters import (
    Boolean,
    CallableOr,
    ClassWeight,
    RandomState,
    Real,
    describe,
    resolve_max_features,
)
from studylib.core.random import draw_state
from studylib.core.walk import find_leaves
from studylib.trees import _gains, _grow, pruning
from studylib.trees._base import AT_MOST, DEPTH, LAPLACE, LEAST, MAX_FEATURES, TreeClassifier
from studylib.trees._grow_in_python import Custom, grow_in_python
from studylib.trees._predict import find_leaves_in_python, routes
from studylib.trees.conditions import (
    MISSING,
    Asked,
    EqualityCondition,
    MembershipCondition,
    ThresholdCondition,
)
from studylib.trees.criteria import Criterion, source_form


class StoppingRule(NamedTuple):
    """Constraint: None, or a callable that says where growth stops."""

    def __call__(self, owner, name, value):
        if value is None or callable(value):
            return value
        raise ValueError(
            f"{owner}: {name} must be None or a callable stop(counts, depth), got {describe(value)}."
        )


class TreePredictor(TreeClassifier):
    """Binary decision tree classifier for mixed columns, grown level by level.

    A node's split is the condition with the largest gain over all columns; a later candidate wins only
    with a strictly larger gain (columns in their order, values ascending).  An impure node is split as
    long as some column has two values in it, even at zero gain, so every Boolean function has its tree.

    Parameters
    ----------
    criterion : {"information", "misclassification", "gini", "sqrt_gini", "chi_square"} or callable
        What the gain of a split is computed from; see :mod:`studylib.trees.criteria`.  "entropy" is
        accepted for "information".  A callable is a custom impurity, ``impurity(counts) -> float``, from the
        class counts (float64) of a node; plain Python works, ``numba.njit`` makes it fast.
    continuous_condition : {"threshold", "equality"} or subclass of BinaryCondition
        Question asked of a numeric column: ``x <= θ`` with θ midway between two consecutive values of the
        node, or ``x = v``.  A custom class proposes its conditions itself: see
        :class:`~studylib.trees.BinaryCondition`.
    categorical_condition : {"membership", "equality"} or subclass of BinaryCondition
        Question asked of a categorical column.  A membership set has one value, as in the source.
    max_depth : int or None
        No node is deeper; the root has depth 0.
    max_leaf_nodes, max_nodes : int or None
        The whole tree has at most so many leaves, or nodes.  They are spent level by level, not on the
        best node first as scikit-learn's are.
    min_samples_split : int
        A node with fewer samples is a leaf.  (The source stops at m samples *or fewer*: m + 1 here.)
    min_samples_leaf : int
        Only conditions that leave so many samples on either side are candidates.
    min_weight_fraction_leaf : float
        The same for the share of the total weight, from 0 to 0.5.
    min_impurity_decrease : float
        A split is made only if its gain times the node's share of the total weight is at least this; 0
        splits at any gain.  The gain of "chi_square" (and of the source's "misclassification") is a sum
        over samples and is divided by the total weight instead.
    min_entropy : float
        A node whose entropy in bits is this low is a leaf, whatever the criterion.
    stop : callable or None
        A custom stopping rule, ``stop(counts, depth) -> bool``, from the class counts (float64) and the
        depth of a node (0 at the root): true makes it a leaf.  It is asked after the limits above.
    max_features : None, "sqrt", "log2", "ceil_sqrt", int or float
        Columns drawn without replacement for each node; ``None`` takes all d.  "sqrt", "log2" and a float,
        a share of d, are rounded down as in scikit-learn, to 1 at least; "ceil_sqrt" is the source's ⌈√d⌉.
        If no drawn column can split, one more is drawn.
    class_weight : None, "balanced" or dict
        Weights of the classes, by which those of the samples are multiplied: 1 for a class that the dict
        does not name; "balanced" is n_samples / (n_classes · samples of the class).
    laplace : float
        Added to every class count of a leaf in ``predict_proba``; 1 is Laplace's smoothing, which makes
        the shares of small leaves less extreme.
    source_compatible : bool
        The published program's semantics instead of a textbook's: splits need a strictly positive gain;
        "misclassification" and "chi_square" take the source's forms; a label tie goes to the class of the
        node's first sample among the tied; ``max_depth``, ``max_leaf_nodes`` and ``max_nodes`` stop a node
        once the whole tree *exceeds* them; and the root has depth 1 in ``max_depth`` and ``depth_``.
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
        A lone root has depth 0, with ``source_compatible`` 1.  ``n_leaves_ == (n_nodes_ + 1) / 2``, as in
        every binary tree.

    Notes
    -----
    A frame's string, object and category columns are categorical, its numeric and boolean columns numeric;
    other types are refused.  An array or list of mixed entries is treated column by column in the same way.

    Missing and new values: a missing number is never below a threshold, so it takes the false branch; if
    numbers were missing in training, "is known" is one more candidate.  If categories were missing in
    training, "missing" is a category of its own, behind the others.  A category that was not in training,
    a missing one included, belongs to no set and takes the false branch.  A custom condition is asked
    for every category, new ones too, but for no missing entry: that takes the false branch.

    Of scikit-learn's trees, several outputs, sparse tables, monotonic constraints and pruning by cost
    complexity (``ccp_alpha``) are left out; :meth:`prune` prunes on held-out samples.

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
    height ≤ 6 → edible  (2 samples)
    height > 6 → poisonous  (2 samples)
    """

    _constraints: ClassVar[dict] = {
        "criterion": CallableOr(Criterion()),
        "continuous_condition": Asked(("threshold", "equality")),
        "categorical_condition": Asked(("membership", "equality")),
        "max_depth": DEPTH,
        "max_leaf_nodes": AT_MOST,
        "max_nodes": AT_MOST,
        **LEAST,
        "min_entropy": Real(0.0),
        "stop": StoppingRule(),
        "max_features": MAX_FEATURES,
        "class_weight": ClassWeight(),
        "laplace": LAPLACE,
        "source_compatible": Boolean(),
        "random_state": RandomState(),
    }
    _draw = None  # for trees whose draws were published: see Custom

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
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        min_impurity_decrease=0.0,
        min_entropy=0.0,
        stop=None,
        max_features=None,
        class_weight=None,
        laplace=0.0,
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
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_entropy = min_entropy
        self.stop = stop
        self.max_features = max_features
        self.class_weight = class_weight
        self.laplace = laplace
        self.source_compatible = source_compatible
        self.random_state = random_state

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

    def _check_together(self, parameters):
        if parameters.source_compatible:  # the root has depth 1
            AT_MOST(type(self).__name__, "max_depth", self.max_depth)

    def _fit(self, X, y, sample_weight):
        name, p = type(self).__name__, self._checked()
        X, y, weight = self._training_data(X, y, sample_weight)
        settings = self._settings(p, X.shape[1])
        coded = self._columns.encode(X)
        categorical = self._columns.categorical
        by_equality = categorical | (p.continuous_condition == "equality")
        rng = np.zeros(1, np.uint64)
        if settings.max_features < X.shape[1]:  # else nothing is drawn, from numpy's global state neither
            rng = draw_state(self.random_state)
        data = (coded.codes, coded.n_codes, by_equality, coded.code_values())
        rest = (y, weight.copy(), len(self.classes_), settings, rng)
        asked = [p.categorical_condition if c else p.continuous_condition for c in categorical]
        custom = Custom(
            impurity=p.criterion if callable(p.criterion) else None,
            stop=p.stop,
            conditions={j: condition for j, condition in enumerate(asked) if isinstance(condition, type)},
            values=coded.known,
            draw=self._draw,
        )
        if custom:
            nodes, counts, conditions = grow_in_python(name, custom, *data, *rest)
        else:
            (nodes, counts), conditions = _grow.grow(*data, *rest), []
        return self._adopt(settings.criterion, by_equality, nodes, counts, custom.conditions, conditions)

    def _settings(self, p, d):
        """Growth settings for the kernels, from the checked parameters and the number of features."""
        criterion = -1 if callable(p.criterion) else p.criterion
        return _grow.settings_of(
            _grow.Settings,
            p,
            criterion=source_form(criterion) if p.source_compatible else criterion,
            max_depth=p.max_depth - p.source_compatible,  # its root has depth 1
            max_features=resolve_max_features(type(self).__name__, p.max_features, d, MAX_FEATURES.named),
        )

    def _adopt(self, criterion, by_equality, nodes, counts, custom=None, conditions=()):
        """Become the tree that was grown; classes and columns are set already.

        ``criterion`` is its code in the kernels; ``custom`` maps a column to the class of its custom
        conditions; ``conditions`` are those that are asked.
        """
        self._by_equality, self._custom_conditions, self._conditions = by_equality, custom or {}, conditions
        self._membership = self.categorical_condition == "membership"
        self._gain_is_total = criterion in _gains.TOTALS
        self._root_depth = int(self.source_compatible)
        self._set_nodes(nodes, counts)
        return self

    def _set_nodes(self, nodes, counts):
        super()._set_nodes(nodes, counts)
        self.depth_ += self._root_depth
        self._routes = routes(nodes, self._by_equality)

    def prune(self, X, y):
        """A smaller tree after bottom-up reduced-error pruning; this one stays as it is.

        From the leaves up, an inner node becomes a leaf, labelled by its training samples, if that makes
        no more errors on the given samples than its subtree does: ties prune.  Of all prunings of the tree
        the result is the smallest among those with the fewest errors on ``X`` and ``y``.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
            Held out from training: on the training set pruning removes only splits that leave its error
            as it is.
        y : array-like (n_samples,), their labels; one that is not in ``classes_`` is always an error

        Returns
        -------
        TreePredictor
            A new, fitted tree.

        References
        ----------
        Quinlan, *Simplifying decision trees*, 1987, section 2.2.
        """
        leaves = self.apply(X)
        y = as_labels(type(self).__name__, y, len(leaves))
        # As objects, so that labels are the same if they are equal: True and 1.0, for one.
        codes = pd.Index(self.classes_.astype(object)).get_indexer(y.astype(object))
        if (codes < 0).all():
            raise ValueError(
                f"{type(self).__name__}: prune needs labels among {self.classes_.tolist()}, got only others "
                f"such as {y.tolist()[0]!r}."
            )
        pruned = copy.copy(self)
        pruned._set_nodes(*pruning.reduced_error(self.nodes_, self.class_counts_, leaves, codes))
        return pruned

    def _cut_back(self, min_samples_split):
        """Turn nodes with fewer samples into leaves."""
        self.min_samples_split = min_samples_split
        small = self.nodes_["n_samples"] < min_samples_split
        self._set_nodes(*pruning.cut_back(self.nodes_, self.class_counts_, small))

    def _read_rows(self, X):
        rows = self._columns.rows(self._columns.transform(self, X), self._by_equality)
        return (rows, self._columns.entries(X, self._custom_conditions)) if self._conditions else rows

    def _leaves_of(self, rows):
        if not self._conditions:
            return find_leaves(self._routes, rows)
        custom = self._custom_conditions
        rows, distinct = rows
        return find_leaves_in_python(self.nodes_, self._routes, rows, custom, self._conditions, distinct)

    def _thresholds(self):
        feature = self.nodes_["feature"]
        by_threshold = ~self._by_equality
        by_threshold[list(self._custom_conditions)] = False
        self._check_thresholds(by_threshold[feature])
        return feature, self.nodes_["value"], 1

    def _condition(self, record):
        feature, value = int(record["feature"]), float(record["value"])
        if feature in self._custom_conditions:
            return self._conditions[int(value)]
        if self._columns.categorical[feature]:
            known = self._columns.categories[feature]
            value = known[int(value)] if value < len(known) else MISSING
            if self._membership:
                return MembershipCondition((value,))
            return EqualityCondition(value)
        if self._by_equality[feature]:
            return EqualityCondition(MISSING if np.isinf(value) else value)
        return ThresholdCondition(value)
