"""Intervals over repeated runs."""

import numbers
from typing import NamedTuple

import numpy as np
from scipy import stats


class Interval(NamedTuple):
    """A mean over runs with the ends of its interval.

    Parameters
    ----------
    mean, low, high : float

    Examples
    --------
    >>> from studylib.statistics import mean_interval
    >>> interval = mean_interval([0.81, 0.84, 0.83, 0.80])
    >>> round(interval.low, 3), round(interval.high, 3), 0.82 in interval
    (0.791, 0.849, True)
    """

    mean: float
    low: float
    high: float

    def __contains__(self, value):
        return self.low <= value <= self.high


def mean_interval(values, confidence=0.95):
    """Student's t interval for the mean of independent runs.

    Parameters
    ----------
    values : array-like (n_runs,), at least two
    confidence : float

    Returns
    -------
    Interval
    """
    values = _runs(values)
    n = len(values)
    return _around(values.mean(), values.std(ddof=1) / np.sqrt(n), n, confidence)


def resampled_interval(values, test_share, confidence=0.95):
    """Interval for a mean over random train/test splits of one data set.

    Such runs share most of their training rows, so the plain interval is too narrow; the variance is
    corrected as in Nadeau and Bengio, *Inference for the Generalization Error*, Machine Learning 52 (2003):
    ``s² (1/J + n_test / n_train)`` for J splits.

    Parameters
    ----------
    values : array-like (n_splits,), at least two
    test_share : float
        Test rows over all rows of a split.
    confidence : float

    Returns
    -------
    Interval
    """
    values = _runs(values)
    if not 0 < test_share < 1:
        raise ValueError(f"resampled_interval: test_share must be between 0 and 1, got {test_share!r}.")
    n = len(values)
    error = values.std(ddof=1) * np.sqrt(1 / n + test_share / (1 - test_share))
    return _around(values.mean(), error, n, confidence)


def prediction_interval(values, confidence=0.95):
    """Interval that one more run falls into, for runs that are about normal.

    Parameters
    ----------
    values : array-like (n_runs,), at least two
    confidence : float

    Returns
    -------
    Interval
    """
    values = _runs(values)
    n = len(values)
    return _around(values.mean(), values.std(ddof=1) * np.sqrt(1 + 1 / n), n, confidence)


def _runs(values):
    try:
        values = np.asarray(values, float)
    except (OverflowError, TypeError) as error:
        raise ValueError(
            f"an interval needs numbers, but there is an entry that is none ({error})."
        ) from error
    if values.ndim != 1 or len(values) < 2:
        raise ValueError(f"an interval needs at least two runs in one dimension, got shape {values.shape}.")
    refused = values[~(np.abs(values) < 1e150)]  # squares of larger ones overflow
    if len(refused):
        raise ValueError(f"an interval needs finite runs below 1e150 in size, got {refused[0]}.")
    return values


def _around(mean, error, n, confidence):
    if not (isinstance(confidence, numbers.Real) and 0 < confidence < 1):
        raise ValueError(f"an interval: confidence must be between 0 and 1, got {confidence!r}.")
    half = float(stats.t.ppf(0.5 + confidence / 2, n - 1) * error)
    return Interval(float(mean), float(mean) - half, float(mean) + half)
