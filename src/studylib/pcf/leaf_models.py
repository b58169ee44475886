"""Leaf models: the source's γ, which gives a partition a predictor and the predictor's loss.

A leaf model is a callable ``gamma(X, y) -> (predictor, loss)``, where ``X`` is float64 (n, n_features) and
``y`` holds the n labels of one node, n ≥ 1.  ``predictor`` is a label, a callable ``predictor(X) -> labels``
or an object with such a ``predict`` method; ``loss`` is a finite number that is compared with ``max_loss``.
Models that look at class counts alone are compiled.

With weights of samples or classes, a callable is asked ``gamma(X, y, sample_weight)``; one without that
parameter is refused.
"""

import inspect
from typing import NamedTuple

import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from studylib.core.parameters import Integer, Real, describe
from studylib.pcf import _grow

_LARGEST_ALPHA = 1e9  # beyond, n + α is α and the loss no number between 0 and 1

__all__ = ["ConfidenceBound", "CrossValidated", "Laplace", "LeafModel", "Majority"]


class LeafModel(BaseEstimator):
    """Base of the leaf models that predict the majority class, the first of tied ones, by counts alone."""

    _code = None

    def loss(self, n_wrong, n, n_classes):
        """Loss of a leaf.

        Parameters
        ----------
        n_wrong : int, or float of weights
            Samples that are not of the majority class.
        n : int, or float of weights, positive
            All samples of the leaf.
        n_classes : int
            Classes of the whole training set.

        Returns
        -------
        float
        """
        return float(_grow.leaf_loss(self._code, self._parameter(), n_wrong, n, n_classes))

    def _parameter(self):
        """The number that the compiled loss takes, checked."""
        return 0.0


class Majority(LeafModel):
    """The source's γ: loss = 1 − share of the majority class, so a pure node has loss 0.

    Examples
    --------
    >>> from studylib.pcf import Majority
    >>> round(Majority().loss(n_wrong=1, n=10, n_classes=2), 3)
    0.1
    """

    _code = _grow.MAJORITY


class Laplace(LeafModel):
    """Loss = 1 − smoothed share of the majority class, (n_top + α) / (n + α K).

    A pure node of n samples has loss α (K − 1) / (n + α K): it takes many samples to be sure.

    Parameters
    ----------
    alpha : float
        Pseudo-count α of each class.

    Examples
    --------
    >>> from studylib.pcf import Laplace
    >>> round(Laplace(alpha=1.0).loss(n_wrong=1, n=10, n_classes=2), 3)
    0.167
    """

    _code = _grow.LAPLACE

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def _parameter(self):
        return Real(0.0, _LARGEST_ALPHA)("Laplace", "alpha", self.alpha)


class ConfidenceBound(LeafModel):
    """Loss = upper end of Wilson's one-sided interval for the error of the majority class.

    A pure node of n samples has loss z² / (n + z²), with z the normal quantile of ``confidence``.
    For a rule that abstains this is the natural question: how bad may the leaf be, given what was seen?
    The leaf was chosen because it looks good, so the interval is optimistic.

    Parameters
    ----------
    confidence : float
        From 0.5 to below 1.

    References
    ----------
    Wilson, *Probable Inference, the Law of Succession, and Statistical Inference*, JASA 22 (1927).

    Examples
    --------
    >>> from studylib.pcf import ConfidenceBound
    >>> round(ConfidenceBound(confidence=0.95).loss(n_wrong=1, n=10, n_classes=2), 3)
    0.348
    """

    _code = _grow.WILSON

    def __init__(self, confidence=0.95):
        self.confidence = confidence

    def _parameter(self):
        confidence = Real(0.5, 1.0)("ConfidenceBound", "confidence", self.confidence)
        if confidence == 1:
            raise ValueError("ConfidenceBound: confidence must be a number from 0.5 to below 1, got 1.0.")
        return float(stats.norm.ppf(confidence))


class CrossValidated(BaseEstimator):
    """Any scikit-learn classifier in the leaf; its loss is the error in a stratified cross-validation there.

    A node of one class predicts it with loss 0.  Where some class has one sample only, nothing can be
    cross-validated: the majority class and its error are taken.

    Parameters
    ----------
    estimator : classifier or None
        Cloned for each fit, with 0 for a ``random_state`` that is None, so that a forest can be repeated.  By
        default logistic regression on standardised features.
    cv : int
        Folds; fewer where the smallest class of the node has fewer samples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from studylib.pcf import CrossValidated, PartialClassificationTree
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = PartialClassificationTree(leaf_model=CrossValidated(cv=3), max_loss=0.1, random_state=0)
    >>> tree.fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    def __init__(self, estimator=None, cv=3):
        self.estimator = estimator
        self.cv = cv

    def __call__(self, X, y):
        """A classifier fitted to all samples, or a label, and its cross-validated error."""
        cv = self._folds()
        estimator = self.estimator
        if estimator is None:  # a partition may be tiny: unscaled, the penalty would decide
            estimator = make_pipeline(StandardScaler(), LogisticRegression())
        unseeded = {
            name: 0
            for name, value in estimator.get_params().items()
            if value is None and (name == "random_state" or name.endswith("__random_state"))
        }
        estimator = clone(estimator).set_params(**unseeded)
        labels, counts = np.unique(y, return_counts=True)
        if len(labels) == 1 or counts.min() < 2:
            top = counts.argmax()
            return labels[top], 1.0 - counts[top] / counts.sum()
        wrong = 0
        for train, test in StratifiedKFold(min(cv, int(counts.min()))).split(X, y):
            fitted = clone(estimator).fit(X[train], y[train])
            wrong += int((fitted.predict(X[test]) != y[test]).sum())
        return clone(estimator).fit(X, y), wrong / len(y)

    def _folds(self):
        return Integer(2)("CrossValidated", "cv", self.cv)


def _nearest_neighbor():
    return CrossValidated(KNeighborsClassifier(1))  # more neighbours than a small fold has samples would fail


#: Names of leaf models.
LEAF_MODELS = {
    "majority": Majority,
    "laplace": Laplace,
    "confidence_bound": ConfidenceBound,
    "logistic": CrossValidated,
    "nearest_neighbor": _nearest_neighbor,
}


class Gamma(NamedTuple):
    """Constraint: γ as a name, a classifier or a callable.

    It becomes ``(code, parameter, gamma)``: number and parameter of a compiled loss and None, or None, 0.0
    and a callable.
    """

    def __call__(self, owner, name, value):
        if isinstance(value, str) and value in LEAF_MODELS:
            value = LEAF_MODELS[value]()
        if isinstance(value, LeafModel):
            if value._code is None or type(value).loss is not LeafModel.loss:
                raise ValueError(
                    f"{owner}: {name} {type(value).__name__} has a loss of its own, but those of LeafModel "
                    "are compiled; write a callable (X, y) -> (predictor, loss) instead."
                )
            return value._code, value._parameter(), None
        if not isinstance(value, type):
            if callable(value):
                if isinstance(value, CrossValidated):
                    value._folds()
                return None, 0.0, value
            if hasattr(value, "__sklearn_tags__") and is_classifier(value):
                return None, 0.0, CrossValidated(value)
        names = ", ".join(repr(known) for known in LEAF_MODELS)
        raise ValueError(
            f"{owner}: {name} must be one of {names}, a classifier, or a callable "
            f"(X, y) -> (predictor, loss), got {describe(value)}."
        )


def check_takes_weights(owner, gamma, given):
    """Raise ValueError if γ, from the parameter ``leaf_model``, is a callable without ``sample_weight``."""
    if gamma is None:
        return
    try:
        takes = "sample_weight" in inspect.signature(gamma).parameters
    except (TypeError, ValueError):  # a callable without a signature
        takes = False
    if not takes:
        raise ValueError(
            f"{owner}: sample_weight and class_weight need a leaf_model that takes weights, 'majority', "
            "'laplace', 'confidence_bound' or a callable (X, y, sample_weight) -> (predictor, loss), got "
            f"{describe(given)}."
        )
