"""The two γ that fit a classifier in every leaf, without the overhead of scikit-learn's estimators.

They are :class:`studylib.pcf.CrossValidated` with logistic regression on standardised features, and with one
nearest neighbour: the same folds, the same objective, the same loss (a test compares them).  A leaf holds few
samples, so scikit-learn spends most of its time on checks: 20 ms a leaf for the logistic γ and 6 ms for the
nearest neighbour, against 0.9 ms and 0.1 ms here (means over the 12 UCI sets).
"""

import numpy as np
from scipy.spatial.distance import cdist

from studylib.core.compiling import njit

#: Folds of the cross-validation in a leaf.
N_FOLDS = 3
#: Newton's method ends after so many steps, or where no coefficient moves by more than this.
_MAX_STEPS, _TOLERANCE, _LONGEST_STEP = 50, 1e-6, 4.0


@njit(cache=True, nogil=True)
def stratified_folds(y, counts, n_folds):
    """Fold of each sample, int64 (n_samples,), as scikit-learn's ``StratifiedKFold`` has it unshuffled.

    ``y`` are class indices, int64 (n_samples,), ``counts`` the samples of each class, int64, at least one.
    """
    n_classes, n_seen, n_before = len(counts), 0, 0
    seen = np.zeros(n_classes, np.bool_)
    left = np.zeros((n_classes, n_folds), np.int64)  # how many samples of a class a fold still takes
    for label in y:
        if not seen[label]:  # sorted by first appearance, the samples are dealt out one by one
            seen[label] = True
            for position in range(n_before, n_before + counts[label]):
                left[label, position % n_folds] += 1
            n_before += counts[label]
            n_seen += 1
            if n_seen == n_classes:
                break
    folds, fold_of = np.empty(len(y), np.int64), np.zeros(n_classes, np.int64)
    for i, label in enumerate(y):
        while left[label, fold_of[label]] == 0:
            fold_of[label] += 1
        folds[i] = fold_of[label]
        left[label, fold_of[label]] -= 1
    return folds


class _Fitted:
    """A leaf model that fits a classifier; its loss is the error in a stratified cross-validation.

    Labels are class indices.
    """

    def __call__(self, X, y):
        """A predictor for the leaf and its loss; see :class:`studylib.pcf.CrossValidated`."""
        counts = np.bincount(y)
        classes = np.flatnonzero(counts)
        counts = counts[classes]
        if len(classes) == 1 or counts.min() < 2:
            top = counts.argmax()
            return classes[top], 1.0 - counts[top] / len(y)
        codes = np.searchsorted(classes, y)
        folds = stratified_folds(codes, counts, min(N_FOLDS, int(counts.min())))
        return self._fit(X, codes, folds, classes)


class NearestNeighbour(_Fitted):
    """γ that predicts the label of the nearest sample in the leaf."""

    def _fit(self, X, codes, folds, classes):
        distances = cdist(X, X, "sqeuclidean")
        distances[folds[:, None] == folds[None, :]] = np.inf
        wrong = codes[distances.argmin(axis=1)] != codes
        return _Nearest(X, classes[codes]), wrong.mean()


class _Nearest:
    def __init__(self, X, y):
        self._X, self._y = X, y

    def predict(self, X):
        return self._y[cdist(X, self._X, "sqeuclidean").argmin(axis=1)]


class Logistic(_Fitted):
    """γ that fits logistic regression (C = 1) on features standardised in the leaf."""

    def _fit(self, X, codes, folds, classes):
        X, n_columns = np.ascontiguousarray(X), 1 if len(classes) == 2 else len(classes)
        wrong = _cross_validated_errors(X, codes, folds, n_columns)
        return _Linear(fit_linear(X, codes, n_columns), classes), wrong / len(codes)


class _Linear:
    def __init__(self, model, classes):
        self._model, self._classes = model, classes

    def predict(self, X):
        return self._classes[_linear_codes(self._model, np.ascontiguousarray(X))]


@njit(cache=True, nogil=True)
def _cross_validated_errors(X, y, folds, n_columns):
    """How many samples are predicted wrongly by the model of the other folds."""
    wrong = 0
    for k in range(folds.max() + 1):
        model = fit_linear(X[folds != k], y[folds != k], n_columns)
        wrong += (_linear_codes(model, X[folds == k]) != y[folds == k]).sum()
    return wrong


@njit(cache=True, nogil=True)
def fit_linear(X, y, n_columns):
    """Standardise and fit: coefficients for standardised features, intercepts last, and centre and scale.

    ``X`` is float64 (n_samples, n_features) in C order, ``y`` int64, class indices; the coefficients, float64
    (n_columns, n_features + 1), are those of :func:`newton`, centre and scale float64 (n_features,).
    """
    n, d = X.shape
    centre, scale, Z = np.zeros(d), np.ones(d), np.ones((n, d + 1))
    for j in range(d):
        centre[j] = X[:, j].mean()
        spread = X[:, j].std()
        if spread > 1e-12 * abs(centre[j]):
            scale[j] = spread
        Z[:, j] = (X[:, j] - centre[j]) / scale[j]
    return newton(Z, y, n_columns), centre, scale


@njit(cache=True, nogil=True)
def _linear_codes(model, X):
    """Index of the class with the largest score; the first of several."""
    coefficients, centre, scale = model
    codes = np.zeros(X.shape[0], np.int64)
    for i in range(X.shape[0]):
        best = 0.0 if coefficients.shape[0] == 1 else -np.inf
        for c in range(coefficients.shape[0]):
            score = coefficients[c, -1]
            for j in range(X.shape[1]):
                score += coefficients[c, j] * (X[i, j] - centre[j]) / scale[j]
            if score > best:
                best, codes[i] = score, c + (coefficients.shape[0] == 1)
    return codes


@njit(cache=True, nogil=True)
def newton(Z, y, n_columns):
    """Coefficients that minimise the log-loss plus half their squares, the intercepts' left out.

    ``Z`` is float64 (n_samples, n_features + 1) in C order, the last column ones; ``y`` int64, class indices.
    ``n_columns`` is 1 for two classes (the scores of the first are zero), else their number.  Returns float64
    (n_columns, n_features + 1).
    """
    n, d = Z.shape
    beta = np.zeros((n_columns, d))
    gradient, hessian = np.empty(n_columns * d), np.empty((n_columns * d, n_columns * d))
    share = np.empty(n_columns)
    for _ in range(_MAX_STEPS):
        hessian[:] = 0.0
        for c in range(n_columns):
            for j in range(d):
                penalty = 1.0 if j < d - 1 else 0.0
                gradient[c * d + j] = penalty * beta[c, j]
                # Intercepts of several classes may move together: a trace of a penalty holds them.
                hessian[c * d + j, c * d + j] = max(penalty, 1e-8)
        for i in range(n):
            _shares(beta, Z[i], share)
            for c in range(n_columns):
                is_class = y[i] == (c if n_columns > 1 else 1)
                for j in range(d):
                    gradient[c * d + j] += (share[c] - is_class) * Z[i, j]
                for e in range(c + 1):
                    weight = share[c] * ((c == e) - share[e])
                    for j in range(d):
                        for k in range(d):
                            hessian[c * d + j, e * d + k] += weight * Z[i, j] * Z[i, k]
        for row in range(n_columns * d):
            for column in range(row):
                hessian[column, row] = hessian[row, column]
        step = np.linalg.solve(hessian, gradient)
        longest = np.abs(step).max()
        if longest > _LONGEST_STEP:
            step *= _LONGEST_STEP / longest
        beta -= step.reshape(n_columns, d)
        if longest < _TOLERANCE:
            break
    return beta


@njit(cache=True, nogil=True)
def _shares(beta, z, share):
    """Probabilities of the classes that have coefficients; one alone stands against a score of zero."""
    n_columns = beta.shape[0]
    top = 0.0 if n_columns == 1 else -np.inf
    for c in range(n_columns):
        score = 0.0
        for j in range(z.shape[0]):
            score += beta[c, j] * z[j]
        share[c] = score
        top = max(top, score)
    total = np.exp(-top) if n_columns == 1 else 0.0
    for c in range(n_columns):
        share[c] = np.exp(share[c] - top)
        total += share[c]
    for c in range(n_columns):
        share[c] /= total
