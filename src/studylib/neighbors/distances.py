"""Distances between points, and functions that turn them into similarities.

The functions reduce the last axis and broadcast the others: two points give a number, a point and a table
of points a distance per row.
"""

import numpy as np


def euclidean(x, y):
    """Length of the straight line, √Σ(xᵢ − yᵢ)².

    Parameters
    ----------
    x, y : array-like (..., n_features)

    Returns
    -------
    float64 ndarray (...), or float
    """
    return np.sqrt(np.square(_difference(x, y)).sum(axis=-1))


def manhattan(x, y):
    """Sum of the differences, Σ|xᵢ − yᵢ|.

    Parameters
    ----------
    x, y : array-like (..., n_features)

    Returns
    -------
    float64 ndarray (...), or float
    """
    return np.abs(_difference(x, y)).sum(axis=-1)


def maximum(x, y):
    """The largest difference, max|xᵢ − yᵢ|; also called Chebyshev's distance.

    Parameters
    ----------
    x, y : array-like (..., n_features)

    Returns
    -------
    float64 ndarray (...), or float
    """
    return np.abs(_difference(x, y)).max(axis=-1)


def mahalanobis(x, y, scale):
    """Differences in units of a scale per feature, √Σ((xᵢ − yᵢ)/σᵢ)².

    This is the lecture's formula.  It is Mahalanobis' distance for features that are not correlated, and what
    SciPy and scikit-learn call ``seuclidean``; with correlations see :func:`full_mahalanobis`.

    Parameters
    ----------
    x, y : array-like (..., n_features)
    scale : array-like (n_features,)
        Such as the features' standard deviations; all positive.

    Returns
    -------
    float64 ndarray (...), or float
    """
    scale = np.asarray(scale, np.float64)
    if not (scale > 0).all():
        raise ValueError(f"mahalanobis: scale must be positive for every feature, got {scale.min():g}.")
    return np.sqrt(np.square(_difference(x, y) / scale).sum(axis=-1))


def full_mahalanobis(x, y, covariance):
    """Mahalanobis' distance with correlations, √(x − y)ᵀ Σ⁻¹ (x − y).

    Parameters
    ----------
    x, y : array-like (..., n_features)
    covariance : array-like (n_features, n_features)
        Σ, symmetric and positive definite.

    Returns
    -------
    float64 ndarray (...), or float
    """
    difference = _difference(x, y)
    lower = np.linalg.cholesky(np.asarray(covariance, np.float64))
    whitened = np.linalg.solve(lower, difference[..., None])[..., 0]
    return np.sqrt(np.square(whitened).sum(axis=-1))


def similarity(distance):
    """Similarity of two points at a distance, 1/(1 + d), in (0, 1].

    Parameters
    ----------
    distance : array-like
        Not negative.

    Returns
    -------
    float64 ndarray, or float
    """
    return 1 / (1 + np.asarray(distance, np.float64))


def exponential_similarity(distance):
    """Similarity of two points at a distance, e^(−d), in (0, 1]; in float64 it is 0 from d = 746.

    Parameters
    ----------
    distance : array-like
        Not negative.

    Returns
    -------
    float64 ndarray, or float
    """
    return np.exp(-np.asarray(distance, np.float64))


def _difference(x, y):
    return np.asarray(x, np.float64) - np.asarray(y, np.float64)
