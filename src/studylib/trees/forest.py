"""RandomForestClassifier: bootstrapped trees over mixed columns, with out-of-bag error."""

from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from studylib.core.bagging import BaggedForest, MaxSamples
from studylib.core.compiling import njit
from studylib.core.forest import add_votes, grow_trees, mean_importances
from studylib.core.model import fit_whole
from studylib.core.node_size import SIZES, AutoOr, CutBack
from studylib.core.parameters import (
    NUMBER,
    Boolean,
    CallableOr,
    Choice,
    ClassWeight,
    Jobs,
    RandomState,
    resolve_max_features,
)
from studylib.core.random import spawn_states
from studylib.core.unmanaged import without_refcount
from studylib.core.weights import class_weights, training_weights, weighted_mean
from studylib.trees import _grow
from studylib.trees._base import AT_MOST, DEPTH, LEAST, MAX_FEATURES, TreeEnsemble
from studylib.trees.criteria import Criterion
from studylib.trees.predictor import TreePredictor

#: Parameters that a forest hands on to its trees.
_OF_TREES = (
    "max_features",
    "max_depth",
    "max_leaf_nodes",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "min_impurity_decrease",
)
#: Trees and samples that "auto" looks at, at most: its cost does not grow with the forest or the data.
_N_JUDGED, _N_ROWS = 32, 4096


class RandomForestClassifier(BaggedForest, TreeEnsemble):
    """Random forest (Breiman 2001) over mixed numeric and categorical columns.

    Each tree is grown on as many samples as there are, drawn with replacement, and looks at a few columns
    at each node, drawn anew.  The class with the largest mean share in a sample's leaves is predicted; a tie
    goes to the first class.  The samples that a tree has not seen, about 37%, are out of its bag: they tell
    its error, and that of the forest, without a test set.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    criterion : {"information", "misclassification", "gini", "sqrt_gini", "chi_square"}
        What the gain of a split is computed from; see :mod:`studylib.trees.criteria`.  "entropy" is
        accepted for "information".
    max_features : None, "sqrt", "log2", "ceil_sqrt", int or float
        Columns drawn without replacement for each node; ``None`` takes all d.  "sqrt", "log2" and a float,
        a share of d, are rounded down as in scikit-learn, to 1 at least; "ceil_sqrt" is ⌈√d⌉.  If no drawn
        column can split, one more is drawn.
    bootstrap : bool
        Whether samples are drawn; otherwise every tree is grown on all of them.
    max_samples : None, int or float
        Draws per tree: as many as there are samples, a number, or a share of the samples, rounded down, to 1
        at least.
    max_depth : int or None
        No node is deeper; the root has depth 0.
    max_leaf_nodes : int or None
        A tree has at most so many leaves.  Trees grow level by level, not best first as scikit-learn's.
    min_samples_split : int or "auto"
        A node with fewer samples, m, is a leaf; a sample counts once, however often it was drawn.  "auto"
        chooses m on samples out of bag, see ``min_samples_split_``.
    min_samples_leaf, min_weight_fraction_leaf, min_impurity_decrease : int, float, float
        What a split must leave on either side and gain at least, as in
        :class:`~studylib.trees.TreePredictor`.
    class_weight : "balanced", "balanced_subsample", dict of class to weight, or None
        Multiplied with ``sample_weight``; a class that a dict does not name has weight 1.  Balanced classes
        have the same total weight, "balanced_subsample" in the bag of each tree (in the training set, without
        ``bootstrap``).
    voting : {"soft", "hard"}
        Whether trees vote with the class shares in a sample's leaf, as in scikit-learn, or each for the
        majority class there, as in Breiman's paper.  Nothing changes where leaves are pure, as they are by
        default if no two samples of different classes are equal.
    weighted_votes : bool
        Whether a tree's vote weighs its accuracy on the samples out of its bag, rather than 1.  A tree
        whose bag holds all samples has weight 1, and so have all trees if each is always wrong.
    oob_score : bool or callable
        Whether ``fit`` computes ``oob_score_``, ``oob_error_`` and ``oob_decision_function_``; a callable
        ``score(y_true, y_pred)`` stands in for accuracy in the first.
    warm_start : bool
        Whether ``fit`` keeps the trees that there are and grows further ones, up to ``n_estimators``: the
        same forest, bit by bit, as if all were grown at once.  The data must be the same.
    n_jobs : int or None
        Threads for trees in ``fit`` and for rows in prediction; None is 1 outside a joblib context.  Results
        are bit-identical for any ``n_jobs``.
    random_state : int, RandomState instance or None
        With the same seed, a smaller forest is the beginning of a larger one.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if ``X`` had string column names
    estimators_ : list of TreePredictor
        The trees, each usable by itself (``predict``, ``to_text``, ``to_arrays``).  In ``class_counts_`` a
        sample counts as often as it was drawn.  The forest can be indexed and iterated over, too.
    estimators_samples_ : list of int32 ndarray
        Rows that each tree was grown on, each as often as it was drawn.
    min_samples_split_ : int
        The parameter, or what "auto" has chosen: of 2, 4, 8, …, 128 the m with the smallest Brier score out
        of bag, of the first 32 trees on at most 4,096 samples, corrected to that of a hundred trees.
    tree_weights_ : float64 ndarray (n_estimators,)
        Weights of the trees' votes.
    oob_error_ : float, if ``oob_score``
        Share of samples that the trees which have not seen them get wrong together; samples without such a
        tree are left out, and it is NaN if there are no others.  Samples count with their weights.
    oob_score_ : float, if ``oob_score``
        1 − ``oob_error_``, or what the callable says of the same samples.
    oob_decision_function_ : float64 ndarray (n_samples, n_classes), if ``oob_score``
        Shares of the (weighted) votes of the trees that have not seen a sample; NaN where there are none.

    Notes
    -----
    A frame's columns, missing values and new categories are treated as in
    :class:`~studylib.trees.TreePredictor`.  The frame is encoded once, whatever the number of trees.

    Weights: with ``bootstrap``, a sample is drawn with a chance in proportion to its weight, as in
    scikit-learn since 1.9, so equal weights draw other samples than none; without, it counts with its weight
    in gains and shares.  Weights of any size are taken; a sample of weight 0 is left out.

    With ``min_samples_split="auto"`` the first 32 trees are grown pure and cut back to m, the others are
    grown with it.  The former are not, node for node, those that would be grown with m, since nodes that are
    cut off have drawn columns, too; without draws (``max_features=None``) they are.

    With ``voting="hard"``, ``predict`` need not be the class that ``predict_proba`` ranks first.

    References
    ----------
    Breiman, *Random forests*, Machine Learning 45, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from studylib.trees import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(oob_score=True, random_state=0).fit(X, y)
    >>> bool(forest.oob_error_ < 0.1)
    True
    """

    _constraints: ClassVar[dict] = {
        "n_estimators": NUMBER,
        "criterion": Criterion(),
        "max_features": MAX_FEATURES,
        "bootstrap": Boolean(),
        "max_samples": MaxSamples(),
        "max_depth": DEPTH,
        "max_leaf_nodes": AT_MOST,
        **LEAST,
        "min_samples_split": AutoOr(LEAST["min_samples_split"]),
        "class_weight": ClassWeight(("balanced", "balanced_subsample")),
        "voting": Choice(("soft", "hard")),
        "weighted_votes": Boolean(),
        "oob_score": CallableOr(Boolean()),
        "warm_start": Boolean(),
        "n_jobs": Jobs(),
        "random_state": RandomState(),
    }

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="information",
        max_features="sqrt",
        bootstrap=True,
        max_samples=None,
        max_depth=None,
        max_leaf_nodes=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        min_impurity_decrease=0.0,
        class_weight=None,
        voting="soft",
        weighted_votes=False,
        oob_score=False,
        warm_start=False,
        n_jobs=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.voting = voting
        self.weighted_votes = weighted_votes
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_together(self, parameters):
        super()._check_together(parameters)
        if parameters.weighted_votes and not parameters.bootstrap:
            raise ValueError(
                f"{type(self).__name__}: weighted_votes=True needs samples out of bag, so bootstrap must be "
                "True."
            )
        if parameters.min_samples_split == "auto" and not parameters.bootstrap:
            raise ValueError(
                f'{type(self).__name__}: min_samples_split="auto" needs samples out of bag, so bootstrap '
                "must be True."
            )

    def fit(self, X, y, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        y : array-like (n_samples,), class labels of any type
        sample_weight : array-like (n_samples,) or None
            Not negative.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, ``X``, ``y`` or ``sample_weight`` is not as described.
        """
        return fit_whole(self, X, y, sample_weight)

    def _fit(self, X, y, sample_weight):
        p = self._checked()
        X, y = self._read(X, y)
        m_features = resolve_max_features(type(self).__name__, p.max_features, X.shape[1], MAX_FEATURES.named)
        weight = self._weights(X, y, sample_weight)
        if weight is not None:
            X = self._columns.forget(X, weight > 0)
        self._set_bags(len(y), weight)
        data = self._encode(X)
        kept, rng = self._kept(p.n_estimators, *data, y, weight)
        auto = p.min_samples_split == "auto"
        self._states = spawn_states(rng, max(p.n_estimators, _N_JUDGED if auto and not kept else 0))

        def grow(some, min_samples_split):
            settings = _grow.settings_of(
                _grow.Settings, p, max_features=m_features, min_samples_split=min_samples_split
            )
            return [
                *grow_trees(
                    lambda states: [self._grow_tree(data, y, weight, settings, s.copy()) for s in states],
                    self._states[some],
                    self.n_jobs,
                )
            ]

        pure = grow(slice(kept, _N_JUDGED), SIZES[0]) if auto else []
        if not kept:
            self.min_samples_split_ = self._best_size(pure, X, y, weight) if auto else p.min_samples_split
        for tree in pure:
            tree._cut_back(self.min_samples_split_)
        trees = [*(self.estimators_ if kept else ()), *pure]
        trees += grow(slice(len(trees), p.n_estimators), self.min_samples_split_)
        self.estimators_, self._states = trees[: p.n_estimators], self._states[: p.n_estimators]
        self.tree_weights_ = np.ones(p.n_estimators)

        def weigh(k, unseen, leaves):
            right = self._labels(k, leaves, None) == y[unseen]
            self.tree_weights_[k] = weighted_mean(right, weight, unseen, otherwise=1.0)

        shares = None
        if p.weighted_votes or self.oob_score:
            votes, _ = self._votes_out_of_bag(self._rows(X), weigh if p.weighted_votes else None)
            if self.oob_score:
                total = votes.sum(axis=1, keepdims=True)
                shares = np.divide(votes, total, out=np.full_like(votes, np.nan), where=total > 0)
        if not self.tree_weights_.any():
            self.tree_weights_[:] = 1.0
        self._set_out_of_bag(shares, y, weight)
        return self

    @property
    def feature_importances_(self):
        """Mean over the trees of each column's share of the gain; float64 (n_features,), of sum 1 or 0.

        The gain of a split is weighted by the samples that it divides.
        """
        check_is_fitted(self)
        return mean_importances([tree.feature_importances_ for tree in self.estimators_])

    def predict_proba(self, X):
        """Mean over the trees, weighted by ``tree_weights_``, of the class shares in each sample's leaf.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)

        Returns
        -------
        shares : float64 ndarray (n_samples, n_classes)
        """
        shares = self._votes(self._check_X(X), add=self._add_shares)
        return shares / self.tree_weights_[: len(self.estimators_)].sum()

    def _outcome(self, votes):
        # Divided as in predict_proba, so that rounding makes the same ties.
        if self._value("voting") == "soft":
            votes = votes / self.tree_weights_[: len(self.estimators_)].sum()
        return super()._outcome(votes)

    def _weights(self, X, y, sample_weight):
        """Weight of each sample, None if neither ``sample_weight`` nor ``class_weight`` is given."""
        by_class = self.class_weight
        if isinstance(by_class, str) and by_class == "balanced_subsample":
            by_class = None if self.bootstrap else "balanced"
        return training_weights(self, X, y, sample_weight, by_class)

    def _best_size(self, trees, X, y, weight):
        """The m of ``SIZES`` with the smallest error out of bag, were the trees cut back."""
        n = min(len(y), _N_ROWS)
        some = np.arange(n) * len(y) // n
        rows, answers = self._some(self._rows(X), some), CutBack(SIZES, n, len(self.classes_))
        for tree, state in zip(trees, self._states, strict=False):
            unseen = np.flatnonzero(self._bags.draw(state.copy())[some] == 0)
            answers.add(tree, tree._leaves_of(self._some(rows, unseen)), unseen)
        weight = np.ones(n) if weight is None else weight[some]
        _, errors = answers.errors(y[some, None] == np.arange(len(self.classes_)), weight)
        return SIZES[errors.argmin()]

    def _grow_tree(self, data, y, weight, settings, rng):
        """Grow one tree."""
        codes, *columns = data
        if self._bags is not None:
            times = self._bags.draw(rng)
            bag = np.flatnonzero(times)
            drawn = times[bag].astype(np.float64)
            if isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample":
                drawn *= class_weights("", "balanced", self.classes_, y[bag], drawn)[y[bag]]
            bagged = (np.take(codes, bag, axis=1), *columns, y[bag], drawn)
        elif weight is not None:
            bag = np.flatnonzero(weight)
            bagged = (np.take(codes, bag, axis=1), *columns, y[bag], weight[bag])
        else:
            bagged = (codes, *columns, y.copy(), np.ones(len(y)))
        nodes, counts = _grow.grow(*bagged, len(self.classes_), settings, rng)
        handed_on = {name: getattr(self, name) for name in _OF_TREES}
        tree = TreePredictor(self.criterion, **handed_on | {"min_samples_split": settings.min_samples_split})
        return self._as_predictor(tree, nodes, counts, settings.criterion)

    def _parents(self, k):
        return self.estimators_[k]._parents()

    def _check_X(self, X):
        return TreeEnsemble._check_X(self, X)

    def _leaves(self, k, rows):
        return self.estimators_[k]._leaves_of(rows)

    def _labels(self, k, leaves, X):
        return self.estimators_[k]._labels_of(leaves, X)

    def _add_votes(self, k, leaves, X, votes):
        if self._value("voting") == "soft":
            self._add_shares(k, leaves, X, votes)
            return
        add_votes(self._labels(k, leaves, X), self.tree_weights_[k], votes)

    def _add_shares(self, k, leaves, X, shares):
        _add_shares(self.estimators_[k].class_counts_, leaves, self.tree_weights_[k], shares)


@njit(cache=True, nogil=True)
def _add_shares(counts, leaves, weight, shares):
    """Add to each row of ``shares`` the class shares in the row's leaf, times ``weight``.

    Bounds are not checked: ``shares`` has as many columns as ``counts``.
    """
    counts = without_refcount(counts)
    for i in range(leaves.shape[0]):
        row = counts[leaves[i]]
        total = row.sum()
        for c in range(row.shape[0]):
            shares[i, c] += weight * row[c] / total
