"""BlendedForestClassifier: oblique and axis-parallel trees, in shares that fit the data."""

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from studylib.blend._axis_family import AxisFamily
from studylib.blend._oblique_family import ObliqueFamily
from studylib.blend._table import MixedTable
from studylib.core.forest import Forest, grow_trees, mean_importances
from studylib.core.labels import encode_labels
from studylib.core.model import Model, unchanged_on_failure
from studylib.core.parameters import check_integer, check_n_jobs
from studylib.core.random import drawn_tree_states
from studylib.core.tree import parents

_FAMILIES = {"oblique": ObliqueFamily, "axis": AxisFamily}
_N_FOLDS, _N_INNER_TREES, _N_INNER_ROWS = 3, 10, 2000
_SHARPNESS = 8


class BlendedForestClassifier(Forest, ClassifierMixin, Model):
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
    categorical_features : None, "from_dtype", bool array (n_features,), or array of int or str
        Columns that hold categories, as text or as numbers: none, those of a DataFrame that are not
        numeric, a mask, indices, or names.  Up to 254 categories a column.
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
        ten trees in three-fold cross-validation on R training samples, at most 2,000.
    estimators_, trees_ : list
        The trees, the families in turn: of the first k trees, each family has its share to within one tree.
    tree_families_ : list of str
        The family of each.

    Notes
    -----
    Missing values (NaN) need no filling in.  An axis-parallel cut sends them to the side that was better for
    those in training, and to the larger side where there were none; in an oblique hyperplane
    they count as the column's mean.  A missing category is a category of its own.  Categories are compared
    for equality in axis-parallel cuts, and are indicators in oblique hyperplanes; one that was not there in
    training equals none.

    There are no weights of samples or classes and no limits to a tree's size: the oblique trees see all
    samples, and all trees grow pure.

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

    def __init__(
        self,
        n_estimators=100,
        *,
        categorical_features=None,
        warm_start=False,
        n_jobs=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.categorical_features = categorical_features
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
        return tags

    def fit(self, X, y):
        """Set the shares of the families and grow the trees.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
            Numbers, NaN where they are missing; text or any other values in columns of categories.
        y : array-like (n_samples,), class labels of any type

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, ``X`` or ``y`` is not as described.
        """
        with unchanged_on_failure(self):
            return self._fit(X, y)

    def _fit(self, X, y):
        name = type(self).__name__
        n_trees = check_integer(name, "n_estimators", self.n_estimators, 1)
        check_n_jobs(name, self.n_jobs)
        self._table = MixedTable(self.categorical_features)
        X = self._table.fit(self, X)
        self.classes_, labels = encode_labels(name, y, len(X))
        families = [kind(X, self._table.n_categories) for kind in _FAMILIES.values()]
        kept, rng = self._kept(n_trees, X, labels)
        self._families = families
        if not kept:
            weights = self._weigh(X, labels, rng)
            self.family_weights_ = dict(zip(_FAMILIES, weights.tolist(), strict=True))
            # A seed for each: a larger forest begins with the trees of a smaller one.
            self._seeds = [rng.randint(2**31 - 1) for _ in families]
            self.estimators_, self._family_of = [], []
        before, self._family_of = (
            self._family_of,
            _in_turn(n_trees, np.array([*self.family_weights_.values()])),
        )
        grown = []
        for f, family in enumerate(families):
            states = drawn_tree_states(self._seeds[f], self._family_of.count(f))[before.count(f) :]
            grown.append(iter([*self._grow(family, labels, states)]))
        self.estimators_ = self.estimators_ + [next(grown[f]) for f in self._family_of[kept:]]
        self.tree_families_ = [list(_FAMILIES)[f] for f in self._family_of]
        for family in families:
            family.forget_training()
        return self

    @property
    def feature_importances_(self):
        """Mean over the trees of each column's share of the decrease of Gini impurity; sum 1 or 0.

        What an oblique hyperplane gains is shared among its columns in proportion to their weights.
        """
        check_is_fitted(self)
        kinds = zip(self._family_of, self.estimators_, strict=True)
        return mean_importances(
            [self._families[f].importances(tree, len(self.classes_)) for f, tree in kinds]
        )

    def predict_proba(self, X):
        """Mean over the trees of the class shares in each sample's leaf, float64 (n_samples, n_classes).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        return self._votes(self._valid(X)) / len(self.estimators_)

    def _grow(self, family, labels, states):
        if len(states) == 0:
            return ()
        return grow_trees(
            lambda some: family.grow(slice(None), labels, len(self.classes_), some), states, self.n_jobs
        )

    def _weigh(self, X, labels, rng):
        """Share of each family in the trees."""
        rows = rng.permutation(len(labels))[:_N_INNER_ROWS]
        rows = rows[np.argsort(labels[rows], kind="stable")]
        folds = np.arange(len(rows)) % _N_FOLDS  # stratified, as the rows stand by class
        jobs = []
        for family in self._families:
            for fold in range(min(_N_FOLDS, len(rows) // 2)):
                train, test = rows[folds != fold], rows[folds == fold]
                states = drawn_tree_states(rng, _N_INNER_TREES)
                jobs.append(delayed(_squared_error)(family, train, test, X, labels, states))
        errors = np.reshape(
            Parallel(n_jobs=self.n_jobs, require="sharedmem")(jobs), (len(self._families), -1)
        )
        brier = errors.sum(axis=1) / len(rows)
        weights = (brier + 1.0 / len(rows)) ** -float(_SHARPNESS)
        return weights / weights.sum()

    def _valid(self, X):
        check_is_fitted(self)
        return self._table.read(self, X)

    def _walked(self, X):
        return [family.view(X) for family in self._families]

    def _leaves(self, k, rows):
        f = self._family_of[k]
        return self._families[f].leaves(self.estimators_[k], rows[f])

    def _parents(self, k):
        return parents(self._families[self._family_of[k]].first_child(self.estimators_[k]))

    def _labels(self, k, leaves, X):
        return self._families[self._family_of[k]].labels(self.estimators_[k])[leaves]

    def _add_votes(self, k, leaves, X, votes):
        self._families[self._family_of[k]].add_shares(self.estimators_[k], leaves, votes)


def _squared_error(family, train, test, X, labels, states):
    """Σ over the test rows and the classes of (share − indicator)²; the forest is grown on the others."""
    present, own = np.unique(labels[train], return_inverse=True)
    view, shares = family.view(X[test]), np.zeros((len(test), len(present)))
    for tree in family.grow(train, own.astype(np.int32), len(present), states):
        family.add_shares(tree, family.leaves(tree, view), shares)
    indicators = labels[test][:, None] == present
    n_unknown = len(test) - indicators.sum()  # of a class that no training row has
    return ((shares / len(states) - indicators) ** 2).sum() + n_unknown


def _in_turn(n, weights):
    """Family of each of ``n`` trees, a list; each is of the family that has the fewest for its weight."""
    families, numbers = [], np.zeros(len(weights))
    for k in range(1, n + 1):
        families.append(int(np.argmax(k * weights - numbers)))
        numbers[families[-1]] += 1
    return families
