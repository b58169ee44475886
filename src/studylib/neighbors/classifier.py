"""KNeighborsClassifier: a vote of the k nearest training samples."""

from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from studylib.core.labels import encode_labels
from studylib.core.model import Classifier, fit_whole
from studylib.core.parameters import Choice, ClassWeight, Integer, Jobs
from studylib.core.table import TableReader
from studylib.core.weights import training_weights
from studylib.neighbors._search import NearestRows

#: Metrics, and what scikit-learn calls the one that its index uses; two of them rescale the features first.
METRICS = {
    "euclidean": "euclidean",
    "manhattan": "manhattan",
    "maximum": "chebyshev",
    "mahalanobis": "euclidean",
    "full_mahalanobis": "euclidean",
}
#: Half of the distance whose square is still a float.
_FARTHEST = 5e153
#: Squares and weights too small for a float count as 0, also where numpy is told to raise for them.
_TINY = np.errstate(under="ignore")


class KNeighborsClassifier(Classifier):
    """k-nearest-neighbours classifier with votes weighted by 1/d².

    Parameters
    ----------
    n_neighbors : int
        Number k of training samples that vote.
    metric : {"euclidean", "manhattan", "maximum", "mahalanobis", "full_mahalanobis"}
        Distance, see :mod:`studylib.neighbors.distances`.  "mahalanobis" is the lecture's, features in units
        of their standard deviation; "full_mahalanobis" takes their correlations into account, too.  Both
        ignore what does not vary in the training data: constant features, or directions.
    weights : {"inverse_square", "uniform"}
        Weight of a neighbour's vote: 1/d², or 1.  With 1/d², exact hits (d = 0) alone vote, one vote each.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}
        Scikit-learn's index; it changes the time only, never the result.
    class_weight : "balanced", dict of class to weight, or None
        Factor of the votes of each class; "balanced" gives all classes the same total weight, a class that a
        dict does not name has weight 1.
    n_jobs : int or None
        Threads that search a tree; None is 1 outside a joblib context.  The search by brute force always
        takes all processors.  Results are bit-identical for any ``n_jobs``.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if ``X`` had string column names
    n_samples_fit_ : int
        Without the samples of weight 0.

    Notes
    -----
    Ties: of training samples at the same distance the one with the lowest row is the nearer neighbour, and of
    classes with the same votes the first is predicted.  A training sample is its own neighbour.

    A sample of weight 2 has a vote of twice the weight, but is one neighbour.  Sparse tables are refused.

    References
    ----------
    *Non-linear classification models*, lecture slides, "k-Nearest Neighbors".

    Examples
    --------
    >>> from studylib.neighbors import KNeighborsClassifier
    >>> X, y = [[0.0], [1.0], [3.0], [5.0]], ["low", "low", "high", "high"]
    >>> model = KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> model.predict([[2.5], [1.0]]).tolist()  # 1.0 is an exact hit
    ['high', 'low']
    >>> model.predict_proba([[2.0]]).round(2).tolist()  # 1/1² for high; 1/1² + 1/2² for low
    [[0.44, 0.56]]
    """

    _constraints: ClassVar[dict] = {
        "n_neighbors": Integer(1),
        "metric": Choice(tuple(METRICS)),
        "weights": Choice(("inverse_square", "uniform")),
        "algorithm": Choice(("auto", "kd_tree", "ball_tree", "brute")),
        "class_weight": ClassWeight(),
        "n_jobs": Jobs(),
    }

    def __init__(
        self,
        n_neighbors=5,
        *,
        metric="euclidean",
        weights="inverse_square",
        algorithm="auto",
        class_weight=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.weights = weights
        self.algorithm = algorithm
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Index the training samples.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
            Numbers, none missing.
        y : array-like (n_samples,), class labels of any type
        sample_weight : array-like (n_samples,) or None
            Non-negative factors of the samples' votes; a sample of weight 0 is left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, ``X`` or ``y`` is not as described, or there are fewer than k samples.
        """
        with _tiny_numbers():
            return fit_whole(self, X, y, sample_weight)

    @_TINY
    def _fit(self, X, y, sample_weight):
        parameters, name = self._checked(), type(self).__name__
        self._reader = TableReader()
        X = self._reader.fit(self, X)
        self.classes_, self._codes = encode_labels(name, y, len(X))
        self._weights = parameters.weights
        self._factors = training_weights(self, X, self._codes, sample_weight, parameters.class_weight)
        self._used = None
        if self._factors is not None and not self._factors.all():
            self._used = np.flatnonzero(self._factors)
            X = X[self._used]
        self.n_samples_fit_ = len(X)
        self._check_k(parameters.n_neighbors)
        _check_near(name, X)
        self._rescaling = _rescaling(name, X, parameters.metric)
        self._rows = NearestRows(
            self._rescaled(X), METRICS[parameters.metric], parameters.algorithm, parameters.n_jobs
        )
        return self

    @_TINY
    def kneighbors(self, X, n_neighbors=None):
        """The nearest training samples of each sample, by distance, then by row.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        n_neighbors : int or None
            How many; None takes the constructor's.

        Returns
        -------
        distances : float64 ndarray (n_samples, n_neighbors)
        rows : int64 ndarray (n_samples, n_neighbors)
            Of the training table.
        """
        check_is_fitted(self)
        X = np.ascontiguousarray(self._reader.transform(self, X))
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        k = self._constraints["n_neighbors"](type(self).__name__, "n_neighbors", k)
        self._check_k(k)
        with _tiny_numbers():
            distances, rows = self._rows.search(self._rescaled(X), k)
        return distances, rows if self._used is None else self._used[rows]

    @_TINY
    def predict_proba(self, X):
        """Shares of the votes.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)

        Returns
        -------
        shares : float64 ndarray (n_samples, n_classes)
        """
        distances, rows = self.kneighbors(X)
        with _tiny_numbers():
            weights = np.ones_like(distances) if self._weights == "uniform" else _inverse_square(distances)
        if self._factors is not None:
            weights = weights * self._factors[rows]
        votes = np.zeros((len(rows), len(self.classes_)))
        samples = np.arange(len(rows))
        for codes, weight in zip(self._codes[rows].T, weights.T, strict=True):  # the nearest ones first
            votes[samples, codes] += weight
        return votes / votes.sum(axis=1, keepdims=True)

    def predict(self, X):
        """Class with the most votes; ties go to the first class.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)

        Returns
        -------
        labels : ndarray (n_samples,)
        """
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _check_k(self, k):
        n = self.n_samples_fit_
        if k > n:
            raise ValueError(f"{type(self).__name__}: n_neighbors must be at most n_samples = {n}, got {k}.")

    def _rescaled(self, X):
        """``X`` in the space in which the metric is one of scikit-learn's; equal rows stay equal."""
        factors, axes = self._rescaling
        with np.errstate(over="ignore", invalid="ignore"):  # which is refused
            if factors is not None:
                X = X * factors
            if axes is not None:  # not a matrix product: BLAS may round a row differently in another batch
                X = sum(column[:, None] * axis for column, axis in zip(X.T, axes, strict=True))
        _check_near(type(self).__name__, X)
        return X


def _tiny_numbers():
    """A context in which squares of tiny numbers are 0, whatever numpy is set to do about them."""
    return np.errstate(under="ignore")


def _check_near(owner, X):
    """Raise ``ValueError`` for numbers between which distances would be infinite: squares are added up."""
    farthest = _FARTHEST / np.sqrt(X.shape[1])
    if not (np.abs(X) <= farthest).all():
        raise ValueError(
            f"{owner}: distances between rows of X overflow float64 (after rescaling by the metric); rescale "
            f"the features to numbers within ± {farthest:.2g}."
        )


def _rescaling(owner, X, metric):
    """Factor per feature and matrix that make Mahalanobis' distance Euclidean; None where there is none.

    What does not vary becomes 0, so that it is ignored.
    """
    if metric not in ("mahalanobis", "full_mahalanobis"):
        return None, None
    if metric == "full_mahalanobis":  # BLAS adds up in another order where columns are contiguous
        X = np.ascontiguousarray(X)
    factors = np.zeros(X.shape[1])
    varies = X.min(axis=0) < X.max(axis=0)
    if varies.any():
        with np.errstate(divide="ignore"):  # of numbers too small for squares
            factors[varies] = 1 / X[:, varies].std(axis=0, ddof=1)
    if not np.isfinite(factors).all():
        raise ValueError(
            f"{owner}: X holds numbers too close together for metric={metric!r}; rescale the features."
        )
    if metric == "mahalanobis":
        return factors, None
    standard = X * factors
    standard -= standard.mean(axis=0)
    variances, axes = np.linalg.eigh(standard.T @ standard / max(len(X) - 1, 1))
    varies = variances > len(variances) * np.finfo(float).eps * variances.max()
    lengths = np.divide(1.0, np.sqrt(np.abs(variances)), out=np.zeros_like(variances), where=varies)
    return factors, axes * lengths


def _inverse_square(distances):
    """1/d² relative to the nearest neighbour's, so that nothing overflows; exact hits alone count."""
    nearest = distances[:, :1]
    hits = nearest == 0
    return np.where(hits, distances == 0, (nearest / np.where(hits, 1.0, distances)) ** 2)
