"""AdaBoostClassifier: weak classifiers that correct each other by reweighting the samples."""

from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from studylib.core.forest import add_votes, check_trees
from studylib.core.frames import ColumnNames, as_frame
from studylib.core.labels import encode_labels
from studylib.core.model import fit_whole
from studylib.core.parameters import NUMBER, RandomState, describe
from studylib.core.random import check_random_state
from studylib.core.text import shorten
from studylib.core.weights import training_weights
from studylib.trees import _grow
from studylib.trees._base import TreeEnsemble
from studylib.trees.criteria import Criterion
from studylib.trees.predictor import TreePredictor

# An error this close to that of guessing is one of guessing, but for rounding.
_ROUNDING = 1e-12


class WeakClassifier(NamedTuple):
    """Constraint: None, or a classifier that can be fitted to weighted samples."""

    def __call__(self, owner, name, value):
        if value is None:
            return None
        instance = hasattr(value, "fit") and not isinstance(value, type)
        if not (instance and is_classifier(value)):
            raise ValueError(f"{owner}: {name} must be a classifier or None, got {describe(value)}.")
        if not has_fit_parameter(value, "sample_weight"):
            raise ValueError(
                f"{owner}: {name} must be a classifier whose fit takes sample_weight, got {describe(value)}."
            )
        return value


class AdaBoostClassifier(TreeEnsemble):
    """AdaBoost: each round fits a weak classifier to the samples as they are weighted at the time.

    In round j the classifier M_j errs on samples of total weight ε_j.  It gets the vote
    α_j = ½ ln((1 − ε_j) / ε_j), the weights of its errors are divided by 2 ε_j and all others by
    2 (1 − ε_j).  So the next classifier finds half of the weight on what this one got wrong.  The ensemble is
    the sign of Σ_j α_j M_j, where M_j is −1 for the first class and +1 for the second.

    Parameters
    ----------
    n_estimators : int
        Largest number of rounds.
    estimator : classifier or None
        The weak classifier, cloned each round; its ``fit`` must take ``sample_weight``.  None is a stump,
        ``TreePredictor(criterion, max_depth=1)``, which is the fast way: the table is encoded only once.
    criterion : {"information", "misclassification", "gini", "sqrt_gini", "chi_square"}
        How the stumps choose their condition ("entropy" is accepted for "information"); not used with an
        ``estimator``.  "misclassification" takes the smallest ε, and so the smallest loss Z, of the round;
        but such conditions are often tied, and the others tend to do better over many rounds.
    random_state : int, RandomState instance or None
        Draws a seed each round for an ``estimator`` that has a ``random_state``.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if ``X`` had string column names
    estimators_ : list of classifiers, at most ``n_estimators``
    estimator_weights_ : float64 ndarray (n_rounds,)
        The votes α.
    estimator_errors_ : float64 ndarray (n_rounds,)
        The weighted errors ε.
    normalisers_ : float64 ndarray (n_rounds,)
        Z = 2 √(ε (1 − ε)), the exponential loss of a round.  Their product bounds the training error.

    Notes
    -----
    Rounds end early

    - with ε ≥ ½: the ensemble was better without that classifier, so it is left out.  If it is the first,
      it is kept as the only one, with the vote 1;
    - with ε = 0: its vote would be infinite; it is one more than all earlier votes together, which is
      enough to overrule them.

    **Beyond the lecture**, more than two classes: a classifier need only be better than guessing, so
    α has the term ½ ln(K − 1) for K classes (SAMME), rounds end with ε ≥ 1 − 1/K, the errors get the share
    1 − 1/K of the weight, and Z = K √(ε (1 − ε) / (K − 1)).  All of it is the lecture's at K = 2.

    A frame's columns, missing values and new categories are treated as in
    :class:`~studylib.trees.TreePredictor`.  An ``estimator`` reads the table by itself: in ``fit`` and to
    predict it gets a frame as one of pandas, whatever its maker, and other tables as an array.

    What concerns single trees is asked of them: limits such as ``min_samples_leaf`` are set on an
    ``estimator``, and ``apply``, ``decision_path``, ``get_depth`` and ``get_n_leaves`` belong to the
    members of ``estimators_``.  Class weights are given as ``sample_weight``.  Of scikit-learn's class,
    ``learning_rate`` and sparse tables are left out.

    References
    ----------
    Freund and Schapire, *A decision-theoretic generalization of on-line learning and an application to
    boosting*, 1997.  Zhu, Zou, Rosset and Hastie, *Multi-class AdaBoost*, 2009 (SAMME).

    Examples
    --------
    >>> from studylib.trees import AdaBoostClassifier
    >>> model = AdaBoostClassifier(3).fit([[1], [2], [3], [4], [5]], ["a", "b", "b", "a", "a"])
    >>> print(model.estimators_[0].to_text())
    x0 ≤ 3.5 → b  (3 samples, 66.7% of them)
    x0 > 3.5 → a  (2 samples)
    >>> model.predict([[1], [3], [5]]).tolist()
    ['a', 'b', 'a']
    """

    _constraints: ClassVar[dict] = {
        "n_estimators": NUMBER,
        "estimator": WeakClassifier(),
        "criterion": Criterion(),
        "random_state": RandomState(),
    }

    def __init__(self, n_estimators=50, *, estimator=None, criterion="information", random_state=None):
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.criterion = criterion
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Fit weak classifiers, round by round, to reweighted samples.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        y : array-like (n_samples,), class labels of any type
        sample_weight : array-like (n_samples,) or None
            Weights to begin with, non-negative; a sample of weight 0 is left out.

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
        if p.estimator is None:
            X, y, weight = self._training_data(X, y, sample_weight)
            learn = self._stumps(X, y, p.criterion)
        else:
            X, y, weight = self._unread_data(X, y, sample_weight)
            learn = self._clones(X, y)
        weight /= weight.sum()
        others = max(len(self.classes_) - 1, 1)  # K − 1
        self.estimators_, votes, errors = [], [], []
        while len(votes) < p.n_estimators:
            estimator, predicted = learn(weight)
            wrong = predicted != y
            error = min(float(weight[wrong].sum()), 1.0)
            guessed = error >= others / (others + 1) - _ROUNDING
            if guessed and votes:
                break
            self.estimators_.append(estimator)
            errors.append(error)
            if guessed or error == 0.0:
                votes.append(1.0 + sum(votes))
                break
            votes.append(0.5 * (np.log1p(-error) - np.log(error) + np.log(others)))
            # Divided first, since the inverse of an error of 1e-310 would overflow.
            weight[wrong] = weight[wrong] / error * (others / (others + 1))
            weight[~wrong] /= (1.0 - error) * (others + 1)
            weight /= weight.sum()  # 1 but for rounding, which would add up
        self.estimator_weights_ = np.array(votes)
        self.estimator_errors_ = np.array(errors)
        spread = self.estimator_errors_ * (1.0 - self.estimator_errors_)
        self.normalisers_ = (others + 1) * np.sqrt(spread / others)
        return self

    @property
    def feature_importances_(self):
        """Reliability of the features: each classifier's importances weighted by its vote α, of sum 1 or 0.

        A stump counts for the one feature that it asks.  A custom ``estimator`` must have
        ``feature_importances_`` itself.
        """
        check_is_fitted(self)
        total = np.zeros(self.n_features_in_)
        for vote, estimator in zip(self.estimator_weights_, self.estimators_, strict=True):
            total += vote * estimator.feature_importances_
        return total / (total.sum() or 1.0)

    def decision_function(self, X):
        """Margin Σ_j α_j M_j, positive for the second class.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)

        Returns
        -------
        scores : float64 ndarray (n_samples,)
            With more than two classes float64 (n_samples, n_classes): Σ_j α_j times 1 for the class that
            M_j predicts and −1 / (K − 1) for the others.
        """
        return self._margins(self._votes(X))

    def predict(self, X):
        """Class with the largest sum of votes α; a tie goes to the first class.  (n_samples,)"""
        best = self._votes(X).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X):
        """Class probabilities under which the margins minimise the expected exponential loss.

        With two classes 1 / (1 + exp(−2 Σ_j α_j M_j)) for the second (Friedman, Hastie and Tibshirani 2000);
        in general proportional to exp(2 v), v the sum of the votes α for a class.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)

        Returns
        -------
        probabilities : float64 ndarray (n_samples, n_classes)
        """
        return _shares(self._votes(X))

    def staged_decision_function(self, X):
        """Yield ``decision_function`` after 1, 2, … rounds, each a new array."""
        for votes in self._staged_votes(X):
            yield self._margins(votes)

    def staged_predict(self, X):
        """Yield ``predict`` after 1, 2, … rounds, each (n_samples,)."""
        for votes in self._staged_votes(X):
            yield self.classes_[votes.argmax(axis=1)]

    def staged_predict_proba(self, X):
        """Yield ``predict_proba`` after 1, 2, … rounds, each a new array."""
        for votes in self._staged_votes(X):
            yield _shares(votes)

    def _unread_data(self, X, y, sample_weight):
        """``_training_data`` with a table that a custom estimator reads by itself."""
        X, names = self._unread(X)
        self._column_names, self._columns = ColumnNames(names, X.shape[1]), None
        self._column_names.record(self)
        self.classes_, y = encode_labels(type(self).__name__, y, X.shape[0])
        weight = training_weights(self, X, y, sample_weight)
        if weight is None:
            return X, y, np.ones(len(y))
        used = np.flatnonzero(weight)
        return _safe_indexing(X, used), y[used], weight[used]

    def _unread(self, X):
        """A table as a custom estimator gets it in ``fit`` and to predict, and the names of its columns."""
        owner = type(self).__name__
        X = as_frame(owner, X)
        if isinstance(X, pd.DataFrame):
            return X, X.columns.tolist()
        try:
            return check_array(X, dtype=None, ensure_all_finite=False), None
        except (TypeError, ValueError) as error:
            raise type(error)(f"{owner}: X cannot be used: {shorten(error, 300)}") from error

    def _stumps(self, X, y, criterion):
        """A function that maps weights to a stump and its class indices for the training samples.

        It is TreePredictor's fit without what does not change from round to round.
        """
        codes, *columns = self._encode(X)
        rows = self._rows(X)
        settings = _grow.Settings(criterion, max_features=X.shape[1], max_depth=1)
        rng = np.zeros(1, np.uint64)  # nothing is drawn

        def learn(weight):
            seen = np.flatnonzero(weight)  # weights that were halved a thousand times vanish
            data = codes if len(seen) == len(y) else codes[:, seen]
            nodes, counts = _grow.grow(
                data, *columns, y[seen], weight[seen], len(self.classes_), settings, rng
            )
            stump = TreePredictor(self.criterion, max_depth=1)
            self._as_predictor(stump, nodes, counts, criterion)
            return stump, stump._labels_of(stump._leaves_of(rows), rows)

        return learn

    def _clones(self, X, y):
        """A function that maps weights to a fitted clone and its class indices for the training samples."""
        labels = self.classes_[y]
        random_state = check_random_state(self.random_state)

        def learn(weight):
            estimator = clone(self.estimator)
            if "random_state" in estimator.get_params(deep=False):
                estimator.set_params(random_state=random_state.randint(2**31 - 1))
            estimator.fit(X, labels, sample_weight=weight.copy())
            return estimator, self._predicted(estimator, X)

        return learn

    def _predicted(self, estimator, X):
        """Class indices that a custom estimator predicts, int32 (n_samples,)."""
        labels = np.asarray(estimator.predict(X))
        codes = np.minimum(np.searchsorted(self.classes_, labels), len(self.classes_) - 1)
        strange = np.flatnonzero(self.classes_[codes] != labels)
        if len(strange):
            label = describe(labels.tolist()[strange[0]])
            raise ValueError(
                f"{type(self).__name__}: estimator must predict classes of y only, but predicts {label}."
            )
        return codes.astype(np.int32)

    def _staged_votes(self, X):
        """Yield the sums of votes after each round, float64 (n_samples, n_classes); always the same array."""
        check_is_fitted(self)
        custom = self._columns is None
        if custom:
            rows, names = self._unread(X)
            self._column_names.compare(type(self).__name__, names, rows.shape[1])
        else:
            rows = self._check_X(X)
            check_trees(self)
        votes = np.zeros((rows.shape[0], len(self.classes_)))
        for vote, estimator in zip(self.estimator_weights_, self.estimators_, strict=True):
            if custom:
                labels = self._predicted(estimator, rows)
            else:
                labels = estimator._labels_of(estimator._leaves_of(rows), rows)
            add_votes(labels, vote, votes)
            yield votes

    def _votes(self, X):
        for votes in self._staged_votes(X):  # noqa: B007 - only the last one counts
            pass
        return votes

    def _margins(self, votes):
        if len(self.classes_) == 2:
            return votes[:, 1] - votes[:, 0]
        n_classes = len(self.classes_)
        return (n_classes * votes - votes.sum(axis=1, keepdims=True)) / max(n_classes - 1, 1)


def _shares(votes):
    """Class probabilities of sums of votes."""
    odds = np.exp(2.0 * (votes - votes.max(axis=1, keepdims=True)))
    return odds / odds.sum(axis=1, keepdims=True)
