"""GuidedRandomForestClassifier: trees whose hyperplanes divide every impure partition, not only one."""

from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from studylib.core.bagging import BaggedForest, MaxSamples
from studylib.core.forest import check_trees, grow_trees, mean_importances
from studylib.core.labels import encode_labels
from studylib.core.model import Classifier, fit_whole
from studylib.core.parameters import (
    NUMBER,
    Boolean,
    CallableOr,
    CategoricalFeatures,
    Choice,
    ClassWeight,
    Integer,
    Jobs,
    MaxFeatures,
    RandomState,
    Real,
)
from studylib.core.random import draw_states
from studylib.core.weights import training_weights
from studylib.graf import _grow
from studylib.graf._predict import add_scores
from studylib.graf._sensitivity import mean_sensitivity
from studylib.graf._settings import HYPERPLANES, NUMBERS_OF_FEATURES, growth_settings
from studylib.graf._space import Space
from studylib.graf._tree import Tree

#: Kinds of hyperplanes that look at few features each, and how many features are many.
_FEW, _MANY = ("guided", "canonical"), 16


class GuidedRandomForestClassifier(BaggedForest, Classifier):
    """Guided Random Forest (GRAF): an ensemble of trees of *global* random hyperplanes.

    A tree starts with one partition of all samples.  At each height it takes the most impure partition ω
    (eqs 10 and 12), draws a hyperplane for it, and divides with it ω **and every other impure partition
    that the hyperplane dichotomises** (eqs 13 and 14); a partition that it misses skips that bit.  When no
    partition can be divided any more, the leaves hold class shares, re-weighted against class imbalance
    (eqs 18 to 20), and the forest sums ``log2(1 + share)`` over its trees (eq 23).

    Parameters
    ----------
    n_estimators : int
        L (also 𝒯), the number of trees.
    max_features : "half", "log2", "sqrt", int or float
        M, the features of a tree, drawn without replacement: d/2, log2 d, √d, a number, or a share of d;
        rounded down, at least 1.  "guided" and "canonical" hyperplanes see all features.
    min_samples_split : int
        A partition with fewer samples is a leaf.
    categorical_features : "auto", "from_dtype", None, bool array (n_columns,), or array of int or str
        Columns that hold categories, as text or as numbers: those of text and those declared as categories;
        as in scikit-learn, those declared as categories in a frame; none; or a mask, indices, or names.  Each
        category is a feature, an indicator that is 0 or 1 (a single one for two categories), so d counts
        indicators.  **Ours**: the source has numbers only.  Up to 254 categories a column.
    hyperplane : {"box", "centred", "guided", "canonical"}
        How a hyperplane is drawn for ω, whose features range over [min_j, max_j].  Always: the threshold is
        the mean of ω's projections (eq 5); a hyperplane that does not divide ω is drawn again, up to ten
        times, then ω becomes a leaf.

        - "box", **the source's** (eq 4): W_j ~ U(min_j + ε, max_j − ε), ε a millionth of the range.  A
          feature that is constant in ω has that constant as its weight (eq 4 would draw from an empty
          interval).
        - "centred", **ours**: W_j ~ U(−range_j / 2, range_j / 2).
        - "guided", **ours**: the best, by unweighted decrease of Gini impurity on at most 512 evenly
          strided samples of ω, of ``n_candidates`` hyperplanes over ``features_per_plane`` features that
          vary in ω, W_j = U(−1, 1) / range_j.  Where no candidate divides those samples, all of ω are
          looked at from the second round on.
        - "canonical", **ours**: as "guided", with one more candidate a round: ⌈√d⌉ features that vary in ω
          are drawn, and a bootstrap sample of the at most 512; among the directions along which its classes
          differ most (two classes: Fisher's linear discriminant; more: canonical correlation with the
          classes, as in Canonical Correlation Forests) and all thresholds along them, the best for the at
          most 512 samples takes part, and keeps its threshold.
    standardize : bool
        Bring every feature to mean 0 and deviation 1 first.  The source's hyperplanes depend on the origin
        of the data (W is drawn from the box of raw values), so without it a shift changes the results.
    extend : bool
        False divides ω only, an ablation: each hyperplane is local, as in any other oblique tree.
    extension_gain : float
        **Ours**, after the caption of the source's Fig. 1 ("if it improves the purity"): divide another
        partition only if its relative decrease of Gini impurity is at least this share of ω's.  0, the
        source's algorithm, divides whatever is dichotomised; 0.5 takes one and a half to two times as long.
    n_candidates, features_per_plane : int
        For "guided" and "canonical" hyperplanes, see there.
    bootstrap : bool
        Whether a tree is grown on samples drawn with replacement, a sample's chance being its weight.  **Not
        the source's**, whose trees see all samples.
    max_samples : None, int or float
        Draws per tree with ``bootstrap``: as many as there are samples, a number, or a share of the samples,
        rounded down, to 1 at least.
    oob_score : bool or callable
        Whether ``fit`` computes ``oob_score_``, ``oob_error_`` and ``oob_decision_function_``; a callable
        ``score(y_true, y_pred)`` stands in for accuracy in the first.  Needs ``bootstrap``.
    class_weight : "balanced", dict of class to weight, or None
        Multiplied with ``sample_weight``; a class that a dict does not name has weight 1.  Leaves are
        balanced in any case (eqs 19 and 20).
    compute_sensitivity : bool
        Whether ``fit`` computes ``sensitivity_``.
    sensitivity_weight : {"height", "depth"}
        The "number of weights" of a partition (eq 37): the hyperplanes drawn until it was made, or the bits
        of its code.
    warm_start : bool
        Whether ``fit`` keeps the trees that there are and grows further ones, up to ``n_estimators``: the
        same forest, bit by bit, as if all were grown at once.  The data must be the same.
    n_jobs : int or None
        Threads for trees in ``fit`` and for rows in prediction; None is 1 outside a joblib context.  Results
        are bit-identical for any value.
    random_state : int, RandomState instance or None
        Draws one seed per tree, so a larger forest begins with the trees of a smaller one.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if ``X`` had string column names
    class_counts_ : int64 ndarray (n_classes,)
        N_c, the training samples of each class.
    max_features_ : int
        M as a number.
    estimators_, trees_ : list of Tree
        See :class:`studylib.graf.Tree`.  The forest can be indexed and iterated over, too.
    estimators_samples_ : list of int32 ndarray
        Rows that each tree was grown on, each as often as it was drawn.
    oob_score_, oob_error_ : float, if ``oob_score``
        Accuracy of what the trees that have not seen a sample say of it together, and 1 − accuracy; samples
        without such a tree are left out, the others count with their weights.
    oob_decision_function_ : float64 ndarray (n_samples, n_classes), if ``oob_score``
        What ``predict_proba`` of these trees is; NaN where there are none.
    sensitivity_ : float64 ndarray (n_samples,), if ``compute_sensitivity``
        ŝ of eq 39, in [0, ln 2]; divided by its sum it is the probability of eq 40.  All 0 if every tree is a
        lone root.  Its values depend on the order of the rows: eq 37 ranks the samples of a partition
        arbitrarily, and here ranks follow the order of the data set, so later rows get lower values.  Shuffle
        the rows and the same sample gets another sensitivity.

    Notes
    -----
    Ties go to what comes first: the partition made first is ω, the lowest class is a leaf's and the forest's
    prediction, the first of equal candidates is the hyperplane.

    A leaf is pure, or has fewer than ``min_samples_split`` samples, or holds samples that do not differ in
    the tree's features (or cannot be told apart by ten hyperplanes).  No leaf is empty.

    Weights: the algorithm counts samples, and partitions grow pure, so a weight is a sample's chance to be
    drawn.  Where weights differ, samples are drawn for each tree as with ``bootstrap``, even without it.
    ``max_depth``, ``max_leaf_nodes``, ``min_samples_leaf`` and ``min_impurity_decrease`` are left out: a
    hyperplane is drawn for one partition and divides the others as well, whatever it leaves of them.

    See Also
    --------
    BlendedForestClassifier : such trees beside axis-parallel ones; takes missing values, too.

    References
    ----------
    Gupta, Jindal, Jayadeva, Sengupta, *Guided Random Forest and its application to data approximation*,
    arXiv 1909.00659.  "Always", "eq" and "source" refer to it; see ``hyperplane`` for what is not in it.

    Rainforth and Wood, *Canonical Correlation Forests*, arXiv 1507.05444, for "canonical".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from studylib.graf import GuidedRandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = GuidedRandomForestClassifier(20, random_state=0).fit(X[::2], y[::2])
    >>> forest.predict(X[1::2]).shape
    (75,)
    """

    _constraints: ClassVar[dict] = {
        "n_estimators": NUMBER,
        "max_features": MaxFeatures(NUMBERS_OF_FEATURES),
        "min_samples_split": Integer(2),
        "categorical_features": CategoricalFeatures(),
        "hyperplane": Choice(tuple(HYPERPLANES)),
        "standardize": Boolean(),
        "extend": Boolean(),
        "extension_gain": Real(0.0),
        "n_candidates": NUMBER,
        "features_per_plane": Integer(1),
        "bootstrap": Boolean(),
        "max_samples": MaxSamples(),
        "oob_score": CallableOr(Boolean()),
        "class_weight": ClassWeight(),
        "compute_sensitivity": Boolean(),
        "sensitivity_weight": Choice(("height", "depth")),
        "warm_start": Boolean(),
        "n_jobs": Jobs(),
        "random_state": RandomState(),
    }

    def __init__(
        self,
        n_estimators=100,
        *,
        max_features="half",
        min_samples_split=2,
        categorical_features="auto",
        hyperplane="box",
        standardize=True,
        extend=True,
        extension_gain=0.0,
        n_candidates=20,
        features_per_plane=3,
        bootstrap=False,
        max_samples=None,
        oob_score=False,
        class_weight=None,
        compute_sensitivity=False,
        sensitivity_weight="height",
        warm_start=False,
        n_jobs=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.min_samples_split = min_samples_split
        self.categorical_features = categorical_features
        self.hyperplane = hyperplane
        self.standardize = standardize
        self.extend = extend
        self.extension_gain = extension_gain
        self.n_candidates = n_candidates
        self.features_per_plane = features_per_plane
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.compute_sensitivity = compute_sensitivity
        self.sensitivity_weight = sensitivity_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
            Finite numbers, and categories; none missing.
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
        self._space = Space(p.standardize, p.categorical_features)
        X = self._space.fit(self, X)
        self.classes_, labels = encode_labels(type(self).__name__, y, len(X))
        self._space.classes_ = self.classes_
        self.class_counts_ = np.bincount(labels)
        sample_weight = training_weights(self, X, labels, sample_weight, p.class_weight)
        X = self._space.learn(X, None if sample_weight is None else sample_weight > 0)
        self.max_features_, settings = self._settings(p, len(self._space.columns))
        if sample_weight is not None and not p.bootstrap and (sample_weight == sample_weight[0]).all():
            sample_weight = None
        self._set_bags(len(labels), sample_weight, drawn=sample_weight is not None)
        kept, rng = self._kept(p.n_estimators, X, self._space.categorical, labels, sample_weight)
        if kept:
            self._space = self.estimators_[0]._space  # the same data, learnt before
        rows = self._space.rows(X)
        n_drawn = len(labels) if self._bags is None else self._bags.size

        def grow(states):
            work = _grow.make_workspace(
                n_drawn, len(rows[0]), len(self.classes_), self.max_features_, settings
            )
            return [self._grow_tree(rows, labels, settings, state, work) for state in states]

        self._states = draw_states(rng, p.n_estimators)
        grown = grow_trees(grow, self._states[kept:].copy(), p.n_jobs)
        self.estimators_ = [*(self.estimators_ if kept else ()), *grown]
        vars(self).pop("sensitivity_", None)  # of an earlier fit
        if p.compute_sensitivity:
            self.sensitivity_ = mean_sensitivity(
                self.estimators_, rows, labels, len(self.classes_), p.sensitivity_weight, p.n_jobs
            )
        shares = None
        if p.oob_score:
            with np.errstate(invalid="ignore"):  # NaN where all trees have seen a sample
                shares = self._shares(*self._votes_out_of_bag(X))
        self._set_out_of_bag(shares, labels, sample_weight)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _settings(self, p, d):
        return growth_settings(type(self).__name__, p, d)

    def _grow_tree(self, rows, labels, settings, state, work):
        """Grow one tree."""
        totals = self.class_counts_
        if self._bags is not None:
            drawn = np.repeat(np.arange(len(labels)), self._bags.draw(state))
            rows, labels = self._some(rows, drawn), labels[drawn]
            totals = np.bincount(labels, minlength=len(totals))
        return Tree(*_grow.grow(*rows, labels, totals, settings, state, *work), space=self._space)

    @property
    def feature_importances_(self):
        """Mean over the trees of each column's share of the decrease of Gini impurity; sum 1 or 0.

        What a hyperplane gains in the partitions that it divides, times their samples, is shared among its
        features in proportion to their weights in it, times the features' deviations.  A column of categories
        has the shares of all its indicators.
        """
        check_is_fitted(self)
        deviations = self._space.deviations
        sizes = len(deviations), len(self.classes_)
        shares = mean_importances([tree.importances(*sizes, deviations) for tree in self])
        return np.bincount(self._space.columns, shares, self.n_features_in_)

    def decision_function(self, X):
        """Scores of eq 23: Σ_t log2(1 + h_t(x, c)), between 0 and L.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)

        Returns
        -------
        scores : float64 ndarray (n_samples, n_classes)
            With two classes float64 (n_samples,), the second class's score minus the first's, as
            scikit-learn wants it.
        """
        scores = self._votes(self._check_X(X))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        """Scores of eq 23 as shares: as long as all leaves reached are pure, the shares of votes.

        In general the scores divided by their sum.  With two classes (1 + (score₁ − score₀) / L) / 2, so
        that they rank samples as ``decision_function`` does.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)

        Returns
        -------
        shares : float64 ndarray (n_samples, n_classes)
        """
        return self._shares(self._votes(self._check_X(X)), len(self.estimators_))

    def _shares(self, scores, n_trees):
        """Scores of ``n_trees`` trees as shares."""
        if len(self.classes_) == 2:
            second = (1.0 + (scores[:, 1] - scores[:, 0]) / n_trees) / 2.0
            return np.column_stack([1.0 - second, second])
        return scores / scores.sum(axis=1, keepdims=True)

    def staged_decision_function(self, X):
        """Yield ``decision_function`` by the first 1, 2, … L trees, each a new array."""
        for scores in self._staged_votes(X):
            yield scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores.copy()

    def codes(self, X):
        """Code of every sample in every tree, eq 17: the bits on its way, of its leaf's own length.

        Returns
        -------
        codes : object ndarray (n_samples, n_estimators) of str
            Such as ``"0110"``; empty in a tree that is a lone root.
        """
        leaves = self._all_leaves(self._check_X(X))
        codes = [np.array(tree.codes(), object)[at] for tree, at in zip(self, leaves, strict=True)]
        return np.stack(codes, axis=1)

    def scale(self, X):
        """Samples as the hyperplanes see them, float64 (n_samples, n_features): standardised, if they are.

        A column of categories is as many features as it has indicators.
        """
        rows = self._check_X(X)
        return self._space.points(rows)

    def _check_X(self, X):
        check_is_fitted(self)
        return self._space.read(self, X)

    def _check_trees(self):
        spaces = {tree._space for tree in self.estimators_}
        known = {(len(space.columns), len(space.classes_)) for space in spaces}
        check_trees(self, known, {(len(self._space.columns), len(self.classes_))})

    def _to_view(self, X):
        rows = self._space.rows(X)
        if self.hyperplane in _FEW or self.max_features_ < max(_MANY, X.shape[1] // 4):
            return rows
        return *rows, None, np.array(rows[1].T, order="C")  # see ``find_leaves``

    def _some(self, rows, chosen):
        data, single, largest = rows[:3]
        return np.take(data, chosen, axis=1), np.take(single, chosen, axis=1), largest

    def _parents(self, k):
        return self.estimators_[k]._parents()

    def _leaves(self, k, rows):
        return self.estimators_[k]._leaves_of(rows)

    def _labels(self, k, leaves, X):
        """Class with the largest share of eq 20 in each leaf."""
        return self.estimators_[k]._labels_of(leaves, X)

    def _add_votes(self, k, leaves, X, votes):
        """Add the scores of eq 23 by tree ``k``."""
        tree = self.estimators_[k]
        add_scores(tree.nodes, tree.shares, leaves, votes)
