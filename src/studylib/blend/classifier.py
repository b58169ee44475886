"""BlendedForestClassifier: oblique and axis-parallel trees, in shares that fit the data."""

from typing import ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from studylib.blend._axis_family import AxisFamily
from studylib.blend._oblique_family import ObliqueFamily
from studylib.blend._table import MixedTable
from studylib.core.forest import Forest, check_trees, grow_trees, mean_importances
from studylib.core.labels import encode_labels
from studylib.core.model import Classifier, fit_whole
from studylib.core.node_size import SIZES, AutoOr, CutBack
from studylib.core.parameters import (
    NUMBER,
    Boolean,
    CategoricalFeatures,
    ClassWeight,
    Integer,
    Jobs,
    RandomState,
)
from studylib.core.random import draw_states
from studylib.core.weights import training_weights

_FAMILIES = {"oblique": ObliqueFamily, "axis": AxisFamily}
_N_FOLDS, _N_INNER_TREES, _N_INNER_ROWS = 3, 10, 2000
_SHARPNESS = 8


class BlendedForestClassifier(Forest, Classifier):
    """A forest of oblique and of axis-parallel trees, whose shares are set by the data.

    The two kinds of trees err differently, and which one suits a data set better is seldom known beforehand.
    So both are tried on a part of the training samples, and the better one gets more of the trees.
    **Ours**, not a source's.

    - "oblique": the trees of ``GuidedRandomForestClassifier(hyperplane="canonical")``, all of them on all
      samples, but with ten sparse candidates a round, of one to three features each, and every candidate at
      the threshold with the largest decrease of Gini impurity.
    - "axis": trees as in Breiman's random forest: a bootstrap sample each, and in every node the best cut
      among ⌈√d⌉ columns that vary.

    A tree votes with the class shares in a sample's leaf.

    Parameters
    ----------
    n_estimators : int
        Trees of both families together.
    categorical_features : "auto", "from_dtype", None, bool array (n_features,), or array of int or str
        Columns that hold categories, as text or as numbers: those of text and those declared as categories,
        as in trees; as in scikit-learn, those declared as categories in a frame; none; or a mask, indices, or
        names.  Up to 254 categories a column.
    min_samples_split : "auto" or int
        A node with fewer samples, m, is a leaf.  "auto" takes for each family the m among 2, 4, 8, …, 128
        that is best on samples its trees have not seen, see ``family_min_samples_split_``.
    class_weight : "balanced", dict of class to weight, or None
        Multiplied with ``sample_weight``; a class that a dict does not name has weight 1.
    n_jobs : int or None
        Threads for trees in ``fit`` and for rows in prediction; None is 1 outside a joblib context.  Results
        are bit-identical for any value.
    warm_start : bool
        Whether ``fit`` keeps the trees that there are and grows further ones, up to ``n_estimators``: the
        same forest, bit by bit, as if all were grown at once.  The data must be the same.
    random_state : int, RandomState instance or None
        A larger forest begins with the trees of a smaller one.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if ``X`` had string column names
    family_weights_ : dict of str to float
        Share of each family in the trees, before rounding: proportional to (B + 1/R)⁻⁸, B the Brier score of
        ten trees in three-fold cross-validation on R training samples, at most 2,000, weighted as they are.
    family_min_samples_split_ : dict of str to int
        The m of each family: the parameter, or with "auto" the one with the smallest Brier score in the same
        cross-validation, corrected from ten trees to a hundred.  No tree is grown twice: trees grown pure are
        read as if they were cut back, a node with fewer than m samples answering for all below it.
    estimators_, trees_ : list
        The trees, the families in turn: of the first k trees, each family has its share to within one tree.
        Each can be asked for itself: ``predict``, ``predict_proba``, ``apply``, ``feature_importances_``,
        ``get_depth``, ``get_n_leaves``, ``to_dot`` and, if it is axis-parallel and asks for no category,
        ``to_arrays``.
    tree_families_ : list of str
        The family of each.

    Notes
    -----
    Missing values (NaN) need no filling in.  An axis-parallel cut sends them to the side that was better for
    those in training, and to the larger side where there were none; in an oblique hyperplane
    they count as the column's mean.  A missing category is a category of its own.  Categories are compared
    for equality in axis-parallel cuts, and are indicators in oblique hyperplanes; one that was not there in
    training equals none.

    A weight is how often a tree has a sample: where weights differ, the bootstrap samples of axis-parallel
    trees are drawn with chances proportional to them, and an oblique tree has a sample as often as its weight
    over the mean weight, rounded up or down at random.  (In impurities weights would change little, since
    leaves are nearly pure.)  So trees miss light samples, and weights change more than repeated samples
    would.  Only the ratios of weights matter.  A sample of weight 0 is as if it were absent, except that its
    class is known.

    For axis-parallel cuts, a column with more than 255 distinct values is divided into 255 intervals.

    See Also
    --------
    GuidedRandomForestClassifier : oblique trees alone, with codes and sensitivities of samples.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from studylib.blend import BlendedForestClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> forest = BlendedForestClassifier(random_state=0).fit(X[::2], y[::2])
    >>> forest.predict(X[1::2]).shape
    (89,)
    >>> sorted(forest.family_weights_)
    ['axis', 'oblique']
    """

    _constraints: ClassVar[dict] = {
        "n_estimators": NUMBER,
        "categorical_features": CategoricalFeatures(),
        "min_samples_split": AutoOr(Integer(2)),
        "class_weight": ClassWeight(),
        "warm_start": Boolean(),
        "n_jobs": Jobs(),
        "random_state": RandomState(),
    }

    def __init__(
        self,
        n_estimators=100,
        *,
        categorical_features="auto",
        min_samples_split="auto",
        class_weight=None,
        warm_start=False,
        n_jobs=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.categorical_features = categorical_features
        self.min_samples_split = min_samples_split
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __repr__(self, N_CHAR_MAX=700):
        text = super().__repr__(N_CHAR_MAX)
        if not hasattr(self, "tree_families_"):
            return text
        numbers = (f"{self.tree_families_.count(name)} {name}" for name in _FAMILIES)
        return f"{text}  # trees: {', '.join(numbers)}"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def fit(self, X, y, sample_weight=None):
        """Set the shares of the families and grow the trees.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
            Numbers, NaN where they are missing; text or any other values in columns of categories.
        y : array-like (n_samples,), class labels of any type
        sample_weight : array-like (n_samples,) or None
            Not negative; see the notes on weights above.

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
        self._table = MixedTable(p.categorical_features)
        X = self._table.fit(self, X)
        self.classes_, labels = encode_labels(type(self).__name__, y, len(X))
        weight = training_weights(self, X, labels, sample_weight, p.class_weight)
        if weight is not None and not weight.all():  # such samples are left out
            used = weight > 0
            X, labels, weight = self._table.forget(X, used)[used], labels[used], weight[used]
        if weight is not None and (weight == weight[0]).all():
            weight = None
        kept, rng = self._kept(p.n_estimators, X, self._table.n_categories, labels, weight)
        families = [kind(X, self._table, self.classes_, weight) for kind in _FAMILIES.values()]
        self._views = [family.view for family in families]
        if not kept:
            sizes = SIZES if p.min_samples_split == "auto" else (p.min_samples_split,)
            shares, chosen = self._estimate(families, X, labels, weight, sizes, rng)
            self.family_weights_ = dict(zip(_FAMILIES, shares.tolist(), strict=True))
            self.family_min_samples_split_ = dict(zip(_FAMILIES, chosen, strict=True))
            # A seed for each: a larger forest begins with the trees of a smaller one.
            self._seeds = [rng.randint(2**31 - 1) for _ in families]
            self.estimators_, self._family_of = [], []
        before = self._family_of[:kept]
        self._family_of = _interleave(p.n_estimators, np.array([*self.family_weights_.values()]))
        grown = []
        for f, family in enumerate(families):
            states = draw_states(self._seeds[f], self._family_of.count(f))[before.count(f) :]
            size = [*self.family_min_samples_split_.values()][f]
            grown.append(iter([*self._grow(family, labels, states, size)]))
        self.estimators_ = self.estimators_ + [next(grown[f]) for f in self._family_of[kept:]]
        self.tree_families_ = [list(_FAMILIES)[f] for f in self._family_of]
        return self

    @property
    def feature_importances_(self):
        """Mean over the trees of each column's share of the decrease of Gini impurity; sum 1 or 0.

        What an oblique hyperplane gains is shared among its columns in proportion to their weights.
        """
        check_is_fitted(self)
        return mean_importances([tree.feature_importances_ for tree in self.estimators_])

    def predict_proba(self, X):
        """Mean over the trees of the class shares in each sample's leaf, float64 (n_samples, n_classes).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        return self._votes(self._check_X(X)) / len(self.estimators_)

    def _grow(self, family, labels, states, size):
        if len(states) == 0:
            return ()
        return grow_trees(
            lambda some: family.grow(slice(None), labels, len(self.classes_), some, size), states, self.n_jobs
        )

    def _estimate(self, families, X, labels, weight, sizes, rng):
        """Each family's share in the trees and its m, from errors on samples that its trees have not seen.

        The trees are grown with the smallest of the sizes, and read as if they were cut back for the others.
        """
        rows = rng.permutation(len(labels))[:_N_INNER_ROWS]
        rows = rows[np.argsort(labels[rows], kind="stable")]
        folds = np.arange(len(rows)) % _N_FOLDS  # stratified, as the rows stand by class
        weight = np.ones(len(labels)) if weight is None else weight
        jobs = []
        for family in families:
            for fold in range(min(_N_FOLDS, len(rows) // 2)):
                train, test = rows[folds != fold], rows[folds == fold]
                states = draw_states(rng, _N_INNER_TREES)
                jobs.append(delayed(_squared_errors)(family, train, test, X, labels, weight, states, sizes))
        errors = Parallel(n_jobs=self.n_jobs, require="sharedmem")(jobs)
        errors = np.reshape(errors, (len(families), -1, 2, len(sizes))).sum(axis=1) / weight[rows].sum()
        best = errors[:, 1].argmin(axis=1)
        shares = (errors[np.arange(len(best)), 0, best] + 1.0 / len(rows)) ** -float(_SHARPNESS)
        return shares / shares.sum(), [sizes[s] for s in best]

    def _check_X(self, X):
        check_is_fitted(self)
        return self._table.transform(self, X)

    def _check_trees(self):
        views = {tree._view for tree in self.estimators_}
        known = {(view.n_read(), len(view.classes_), type(view).__name__) for view in views}
        k = len(self.classes_)
        check_trees(self, known, {(view.n_read(), k, type(view).__name__) for view in self._views})

    def _to_view(self, X):
        return {type(view): view.rows(X) for view in self._views}

    def _leaves(self, k, rows):
        tree = self.estimators_[k]
        return tree._leaves_of(rows[type(tree._view)])

    def _parents(self, k):
        return self.estimators_[k]._parents()

    def _labels(self, k, leaves, X):
        return self.estimators_[k]._labels_of(leaves, None)

    def _add_votes(self, k, leaves, X, votes):
        self.estimators_[k]._add_shares(leaves, votes)


def _squared_errors(family, train, test, X, labels, weight, states, sizes):
    """Errors of a forest grown on the training rows, on test rows; see :meth:`.CutBack.errors`.

    With a single size nothing has to be chosen, and the error of the forest as grown stands for both.
    ``train`` and ``test`` are rows of X, int arrays; ``labels``, int32 (n,), and ``weight``, float64 (n,),
    belong to all.
    """
    present, codes = np.unique(labels[train], return_inverse=True)
    rows = family.view.rows(X[test])
    trees = family.grow(train, codes.astype(np.int32), len(present), states, sizes[0])
    indicators, weight = labels[test][:, None] == present, weight[test]
    unknown = weight[~indicators.any(axis=1)].sum()  # of a class that no training row has
    if len(sizes) == 1:  # no tree is cut back, so what its inner nodes would answer is not asked
        votes = np.zeros((len(test), len(present)))
        for tree in trees:
            tree._add_shares(tree._leaves_of(rows), votes)
        error = (weight[:, None] * (votes / len(trees) - indicators) ** 2).sum()
        return np.full((2, 1), error + unknown)
    answers = CutBack(sizes, len(test), len(present))
    for tree in trees:
        answers.add(tree, tree._leaves_of(rows), np.arange(len(test)))
    return answers.errors(indicators, weight) + unknown


def _interleave(n, shares):
    """Family of each of ``n`` trees, a list; each is of the family that has the fewest for its share."""
    families, numbers = [], np.zeros(len(shares))
    for k in range(1, n + 1):
        families.append(int(np.argmax(k * shares - numbers)))
        numbers[families[-1]] += 1
    return families
