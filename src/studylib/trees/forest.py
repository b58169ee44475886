"""RandomForestClassifier: bootstrapped trees over mixed columns, with out-of-bag error."""

import numpy as np
from numba import njit
from sklearn.utils.validation import check_is_fitted

from studylib.core.forest import Forest, add_votes, grow_trees
from studylib.core.parameters import check_boolean, check_integer, check_n_jobs, resolve_max_features
from studylib.core.random import next_word, tree_states
from studylib.core.walk import find_leaves
from studylib.trees import _grow
from studylib.trees._base import TreeEnsemble
from studylib.trees._validation import MAX_FEATURES, NO_LIMIT, table
from studylib.trees.criteria import criterion_code
from studylib.trees.predictor import TreePredictor


class RandomForestClassifier(Forest, TreeEnsemble):
    """Random forest (Breiman 2001) over mixed numeric and categorical columns.

    Each tree is grown on as many samples as there are, drawn with replacement, and looks at a few columns
    at each node, drawn anew.  The class that most trees vote for is predicted; a tie goes to the first
    class.  The samples that a tree has not seen, about 37 %, are out of its bag: they tell its error, and
    that of the forest, without a test set.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    criterion : {"information", "misclassification", "gini", "sqrt_gini", "chi_square"}
        What the gain of a split is computed from; see :mod:`studylib.trees.criteria`.
    max_features : None, "sqrt", "log2", "ceil_sqrt", int or float
        Columns drawn without replacement for each node; ``None`` takes all d.  "sqrt", "log2" and a float,
        a share of d, are rounded down as in scikit-learn, to 1 at least; "ceil_sqrt" is ⌈√d⌉.  If no drawn
        column can split, one more is drawn.
    bootstrap : bool
        Whether samples are drawn; otherwise every tree is grown on all of them.
    max_depth : int or None
        No node is deeper; the root has depth 0.
    min_samples_split : int
        A node with fewer samples is a leaf; a sample counts once, however often it was drawn.
    oob_score : bool
        Whether ``fit`` computes ``oob_error_`` and ``oob_decision_function_``.
    weighted_votes : bool
        Whether a tree's vote weighs its accuracy on the samples out of its bag, rather than 1.  A tree
        whose bag holds all samples has weight 1, and so have all trees if each is always wrong.
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
        The trees, each usable by itself (``predict``, ``to_text``, ``explain``).  In ``class_counts_`` a
        sample counts as often as it was drawn.
    tree_weights_ : float64 ndarray (n_estimators,)
        Weights of the trees' votes.
    oob_error_ : float, if ``oob_score``
        Share of samples that the trees which have not seen them get wrong together; samples without such a
        tree are left out, and it is NaN if there are no others.
    oob_decision_function_ : float64 ndarray (n_samples, n_classes), if ``oob_score``
        Shares of the (weighted) votes of the trees that have not seen a sample; NaN where there are none.

    Notes
    -----
    A frame's columns, missing values and new categories are treated as in
    :class:`~studylib.trees.TreePredictor`.  The frame is encoded once, whatever the number of trees.

    ``predict`` counts votes: a tree votes for the majority class of a sample's leaf, whatever the majority.
    So it need not be the class that ``predict_proba`` ranks first, unless leaves are pure, as they are by
    default.

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

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="information",
        max_features="sqrt",
        bootstrap=True,
        max_depth=None,
        min_samples_split=2,
        oob_score=False,
        weighted_votes=False,
        n_jobs=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.oob_score = oob_score
        self.weighted_votes = weighted_votes
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y):
        """Grow the trees.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        y : array-like (n_samples,), class labels of any type

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, ``X`` or ``y`` is not as described.
        """
        X, y, _ = self._training_data(X, y)
        n_trees, settings = self._settings(X.shape[1])
        oob_score, weighted = self._out_of_bag()
        data = self._encode(X)
        rows = np.ascontiguousarray(self._rows(X)) if oob_score or weighted else None
        grown = grow_trees(
            lambda states: [self._grow_tree(data, y, settings, rows, state) for state in states],
            tree_states(self.random_state, n_trees),
            self.n_jobs,
        )
        self.estimators_ = []
        self.tree_weights_ = np.ones(n_trees)
        votes = np.zeros((len(y), len(self.classes_)))
        for k, (tree, unseen, labels) in enumerate(grown):  # in the order of the states
            self.estimators_.append(tree)
            if weighted and len(unseen):
                self.tree_weights_[k] = np.mean(labels == y[unseen])
            votes[unseen, labels] += self.tree_weights_[k]
        if not self.tree_weights_.any():
            self.tree_weights_[:] = 1.0
        self._set_out_of_bag(votes if oob_score else None, y)
        return self

    @property
    def feature_importances_(self):
        """Mean over the trees of each column's share of the gain; float64 (n_features,), of sum 1 or 0.

        The gain of a split is weighted by the samples that it divides.
        """
        check_is_fitted(self)
        mean = np.mean([tree.feature_importances_ for tree in self.estimators_], axis=0)
        return mean / (mean.sum() or 1.0)  # trees that are lone roots have none

    def predict_proba(self, X):
        """Mean over the trees, weighted by ``tree_weights_``, of the class shares in each sample's leaf.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)

        Returns
        -------
        shares : float64 ndarray (n_samples, n_classes)
        """
        shares = self._votes(self._valid(X), add=self._add_shares)
        return shares / self.tree_weights_.sum()

    def _settings(self, d):
        """``(n_estimators, growth settings)``, every parameter checked."""
        name = type(self).__name__
        check_n_jobs(name, self.n_jobs)
        return check_integer(name, "n_estimators", self.n_estimators, 1), _grow.Settings(
            criterion=criterion_code(name, self.criterion, False),
            max_depth=check_integer(name, "max_depth", self.max_depth, 0, none_as=NO_LIMIT),
            max_leaf_nodes=NO_LIMIT,
            max_nodes=NO_LIMIT,
            min_samples_split=check_integer(name, "min_samples_split", self.min_samples_split, 1),
            min_entropy=0.0,
            max_features=resolve_max_features(name, self.max_features, d, MAX_FEATURES),
            source_compatible=False,
        )

    def _out_of_bag(self):
        """``(oob_score, weighted_votes)``, both checked: only bags leave samples out."""
        name = type(self).__name__
        bootstrap = check_boolean(name, "bootstrap", self.bootstrap)
        wanted = []
        for parameter in ("oob_score", "weighted_votes"):
            wanted.append(check_boolean(name, parameter, getattr(self, parameter)))
            if wanted[-1] and not bootstrap:
                raise ValueError(
                    f"{name}: {parameter}=True needs samples out of bag, so bootstrap must be True."
                )
        return wanted

    def _grow_tree(self, data, y, settings, rows, rng):
        """One tree with the samples out of its bag and what it calls them; none if ``rows`` is None."""
        codes, *columns = data
        unseen = np.empty(0, np.int64)
        if self.bootstrap:
            times = _draw_bag(len(y), rng)
            bag = np.flatnonzero(times)
            if rows is not None:
                unseen = np.flatnonzero(times == 0)
            bagged = (np.take(codes, bag, axis=1), *columns, y[bag], times[bag].astype(np.float64))
        else:
            bagged = (codes, *columns, y.copy(), np.ones(len(y)))
        nodes, counts, n_nodes = _grow.grow(*bagged, len(self.classes_), settings, rng)
        tree = TreePredictor(
            self.criterion,
            max_features=self.max_features,
            max_depth=self.max_depth,
            min_samples_split=self.min_samples_split,
        )
        self._as_predictor(tree, nodes[:n_nodes], counts[:n_nodes])
        labels = np.empty(0, np.int32)
        if len(unseen):
            labels = tree.nodes_["label"][find_leaves(tree._routes, rows[unseen])]
        return tree, unseen, labels

    def _set_out_of_bag(self, votes, y):
        """Set what ``oob_score`` asks for, or remove what an earlier fit has left."""
        if votes is None:
            for name in {"oob_error_", "oob_decision_function_"} & set(vars(self)):
                delattr(self, name)
            return
        total = votes.sum(axis=1, keepdims=True)
        known = total[:, 0] > 0
        self.oob_decision_function_ = np.divide(
            votes, total, out=np.full_like(votes, np.nan), where=total > 0
        )
        wrong = votes[known].argmax(axis=1) != y[known]
        self.oob_error_ = float(wrong.mean()) if known.any() else np.nan

    @property
    def _trees(self):
        return self.estimators_

    def _valid(self, X):
        check_is_fitted(self)
        return table(self, X)

    def _walked(self, X):
        return self._rows(X)

    def _leaves(self, k, rows):
        return find_leaves(self.estimators_[k]._routes, rows)

    def _labels(self, k, leaves, X):
        return self.estimators_[k].nodes_["label"][leaves]

    def _add_votes(self, k, leaves, X, votes):
        add_votes(self._labels(k, leaves, X), self.tree_weights_[k], votes)

    def _add_shares(self, k, leaves, X, shares):
        _add_shares(self.estimators_[k].class_counts_, leaves, self.tree_weights_[k], shares)


@njit(cache=True, nogil=True)
def _draw_bag(n, rng):
    """How often each of ``n`` samples appears in ``n`` draws with replacement, int64 (n,)."""
    times = np.zeros(n, np.int64)
    for _ in range(n):
        times[np.int64(next_word(rng) % np.uint64(n))] += 1
    return times


@njit(cache=True, nogil=True)
def _add_shares(counts, leaves, weight, shares):
    """Add to each row of ``shares`` the class shares in the row's leaf, times ``weight``."""
    for i in range(leaves.shape[0]):
        row = counts[leaves[i]]
        total = row.sum()
        for c in range(row.shape[0]):
            shares[i, c] += weight * row[c] / total
