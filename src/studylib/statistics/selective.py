"""Selective classification: coverage, accuracy, risk–coverage curves and conformal confidence."""

import functools
from typing import NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from studylib.core.parameters import check_integer, check_real
from studylib.statistics.intervals import Interval


def coverage(y_pred, abstain_label):
    """Share of samples that are predicted, float.

    Parameters
    ----------
    y_pred : array-like (n_samples,)
    abstain_label : what stands for "no prediction"
    """
    return float((np.asarray(y_pred) != abstain_label).mean())


def selective_accuracy(y_true, y_pred, abstain_label):
    """Correct predictions over predictions, float; NaN if nothing was predicted.

    Parameters
    ----------
    y_true, y_pred : array-like (n_samples,)
    abstain_label : what stands for "no prediction"
    """
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    predicted = y_pred != abstain_label
    return float((y_pred == y_true)[predicted].mean()) if predicted.any() else float("nan")


def selective_scorer(coverage):
    """A scorer for ``GridSearchCV`` and its like: accuracy where a classifier predicts, if that is enough.

    A classifier that abstains, which its ``abstain_label_`` tells, scores its accuracy over the samples that
    it predicts if it predicts at least a share ``coverage`` of them; otherwise, what it predicts of that
    share, minus 1.  So whatever predicts enough scores from 0 to 1 and better than whatever does not, and
    the more is missing, the lower is the score.  Any other classifier scores its accuracy over the share
    ``coverage`` of the samples of which ``predict_proba`` is surest; ties there are taken at random.

    Parameters
    ----------
    coverage : float
        Above 0, up to 1.

    Returns
    -------
    callable ``score(estimator, X, y) -> float``

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from studylib.datasets import make_clean_partitions
    >>> from studylib.pcf import PartialClassificationForest
    >>> from studylib.statistics import selective_scorer
    >>> X, y = make_clean_partitions(1000, random_state=0)
    >>> forest = PartialClassificationForest(50, random_state=0)
    >>> search = GridSearchCV(forest, {"min_samples_leaf": [2, 3, 4]}, scoring=selective_scorer(0.05))
    >>> bool(search.fit(X, y).best_score_ > 0.8)
    True
    """
    coverage = check_real("selective_scorer", "coverage", coverage, 0.0, 1.0)
    if coverage == 0.0:
        raise ValueError("selective_scorer: coverage must be a number above 0 up to 1, got 0.0.")
    return functools.partial(_selective_score, share=coverage)


def _selective_score(estimator, X, y, share):
    fitted = getattr(estimator, "best_estimator_", estimator)
    fitted = fitted[-1] if isinstance(fitted, Pipeline) else fitted
    labels, y = np.asarray(estimator.predict(X)), np.asarray(y)
    if hasattr(fitted, "abstain_label_"):
        predicted = coverage(labels, fitted.abstain_label_)
        # n samples have coverages of k / n: rounding must not decide
        if predicted < share * (1.0 - 1e-9):
            return predicted / share - 1.0
        return selective_accuracy(y, labels, fitted.abstain_label_)
    curve = risk_coverage(y, labels, estimator.predict_proba(X).max(axis=1))
    return 1.0 - float(curve.risk[np.searchsorted(curve.coverage, share * (1.0 - 1e-9))])


class RiskCoverage(NamedTuple):
    """A risk–coverage curve.

    Parameters
    ----------
    coverage : float64 ndarray (n_samples,)
        1/n, 2/n, … 1.
    risk : float64 ndarray (n_samples,)
        Expected share of errors among the so many most confident predictions.

    Examples
    --------
    >>> from studylib.statistics import risk_coverage
    >>> curve = risk_coverage([0, 1, 1, 0], [0, 1, 0, 0], confidence=[0.9, 0.8, 0.5, 0.7])
    >>> curve.coverage, curve.risk, curve.area
    (array([0.25, 0.5 , 0.75, 1.  ]), array([0.  , 0.  , 0.  , 0.25]), 0.0625)
    """

    coverage: np.ndarray
    risk: np.ndarray

    @property
    def area(self):
        """Area under the curve (AURC): the mean risk over all coverages; the smaller, the better."""
        return float(self.risk.mean())


def risk_coverage(y_true, y_pred, confidence):
    """Risk of predicting only the most confident samples, for every coverage.

    Samples of equal confidence are taken in random order; the curve shows the expectation, so ties help
    nobody.

    Parameters
    ----------
    y_true, y_pred : array-like (n_samples,)
        ``y_pred`` holds a label for every sample.
    confidence : array-like (n_samples,)
        The larger, the earlier a sample is predicted.

    Returns
    -------
    RiskCoverage

    References
    ----------
    Geifman and El-Yaniv, *Selective Classification for Deep Neural Networks*, NeurIPS 2017.
    """
    wrong = np.asarray(y_true) != np.asarray(y_pred)
    try:
        confidence = np.asarray(confidence, float)
    except (OverflowError, TypeError) as error:
        raise ValueError(f"risk_coverage: confidence holds what is no number ({error}).") from error
    if not wrong.shape == confidence.shape or wrong.ndim != 1 or len(wrong) == 0:
        raise ValueError(
            f"risk_coverage: y_true, y_pred and confidence must have one length, got {wrong.shape} labels "
            f"and {confidence.shape} confidences."
        )
    if np.isnan(confidence).any():
        raise ValueError("risk_coverage: confidence holds NaN; give a number for every sample.")
    n = len(wrong)
    return RiskCoverage(np.arange(1, n + 1) / n, _risks(wrong, confidence))


def _risks(wrong, confidence):
    order = np.argsort(-confidence, kind="stable")
    wrong, confidence = wrong[order], confidence[order]
    starts = np.flatnonzero(np.r_[True, confidence[1:] != confidence[:-1]])
    sizes = np.diff(np.r_[starts, len(wrong)])
    shares = np.add.reduceat(wrong.astype(float), starts) / sizes  # of errors among samples of a tie
    return np.repeat(shares, sizes).cumsum() / np.arange(1, len(wrong) + 1)


def bootstrap_area(y_true, y_pred, confidence, *, n_resamples=1000, level=0.95, random_state=None):
    """Area under the risk–coverage curve with a percentile bootstrap interval over the test samples.

    Parameters
    ----------
    y_true, y_pred, confidence : array-like (n_samples,)
        As in :func:`risk_coverage`.
    n_resamples : int
    level : float
        Level of the interval.
    random_state : int, RandomState instance or None

    Returns
    -------
    Interval
    """
    area = risk_coverage(y_true, y_pred, confidence).area
    wrong = np.asarray(y_true) != np.asarray(y_pred)
    confidence = np.asarray(confidence, float)
    rng = check_random_state(random_state)
    areas = []
    for _ in range(check_integer("bootstrap_area", "n_resamples", n_resamples, 2)):
        drawn = rng.randint(len(wrong), size=len(wrong))
        areas.append(_risks(wrong[drawn], confidence[drawn]).mean())
    tail = (1 - level) / 2
    return Interval(area, *(float(v) for v in np.quantile(areas, [tail, 1 - tail])))


def conformal_confidence(calibration_proba, calibration_y, proba):
    """Split-conformal label and confidence of each sample.

    With nonconformity 1 − probability of the label (the "least ambiguous" score), a label's p-value is the
    share of calibration samples that conform no better.  The label with the largest p-value is predicted,
    with confidence 1 − the second largest: the level at which the prediction set becomes that label alone.
    So predicting the samples with confidence ≥ 1 − ε predicts where the set of level 1 − ε has one label.

    Parameters
    ----------
    calibration_proba : array-like (n_calibration, n_classes)
    calibration_y : int array-like (n_calibration,), indices of classes
    proba : array-like (n_samples, n_classes)

    Returns
    -------
    label : int64 ndarray (n_samples,), indices of classes
    confidence : float64 ndarray (n_samples,)
        Among equal confidences those with the larger credibility (largest p-value) come first, by less than
        a p-value's step.

    References
    ----------
    Vovk, Gammerman and Shafer, *Algorithmic Learning in a Random World*, 2005.
    """
    calibration_proba, proba = np.asarray(calibration_proba, float), np.asarray(proba, float)
    m = len(calibration_proba)
    scores = np.sort(1 - calibration_proba[np.arange(m), calibration_y])
    p_values = (m - np.searchsorted(scores, 1 - proba, side="left") + 1) / (m + 1)
    label = np.where(  # a tie of p-values is decided by the probabilities
        p_values == p_values.max(axis=1, keepdims=True), proba, -1.0
    ).argmax(axis=1)
    two = np.sort(p_values, axis=1)[:, -2:]
    return label, (1 - two[:, 0]) + two[:, 1] / (2 * (m + 1))
