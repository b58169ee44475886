"""Entropy, conditional entropy and information gain of a column of labels."""

import numbers

import numpy as np
import pandas as pd

from studylib.core.parameters import describe

__all__ = ["conditional_entropy", "entropy", "information_gain"]


def entropy(y, base=2):
    """Entropy of the values of a column: H(Y) = -Σ p(y) log p(y), p their shares.

    Parameters
    ----------
    y : array-like (n_samples,)
        Values of any type; a missing one is a value of its own.
    base : float
        Base of the logarithm, above 1; 2 gives bits.

    Returns
    -------
    float
        From 0 (one value) to log k (k equally frequent values).

    Examples
    --------
    >>> entropy(["heads", "tails"])
    1.0
    """
    return _entropy(np.bincount(_codes("entropy", "y", y)), _checked_base("entropy", base))


def conditional_entropy(column, y, base=2):
    """Entropy of ``y`` that is left once ``column`` is known: H(Y|X) = Σ p(x) H(Y|X=x).

    Parameters
    ----------
    column, y : array-like (n_samples,)
        Values of any type; a missing one is a value of its own.
    base : float
        Base of the logarithm, above 1; 2 gives bits.

    Returns
    -------
    float
        From 0 (``column`` decides ``y``) to H(Y) (they are independent).
    """
    table = _table("conditional_entropy", column, y)
    return _mean_entropy(table, _checked_base("conditional_entropy", base))


def information_gain(column, y, base=2):
    """Information of ``column`` about ``y``: IG(Y, X) = H(Y) - H(Y|X).

    Parameters
    ----------
    column, y : array-like (n_samples,)
        Values of any type; a missing one is a value of its own.
    base : float
        Base of the logarithm, above 1; 2 gives bits.

    Returns
    -------
    float

    Examples
    --------
    >>> from studylib.datasets import load_restaurant
    >>> restaurant = load_restaurant()
    >>> round(information_gain(restaurant.data["Patrons"], restaurant.target), 3)
    0.541
    """
    table = _table("information_gain", column, y)
    base = _checked_base("information_gain", base)
    return _entropy(table.sum(axis=0), base) - _mean_entropy(table, base)


def _entropy(counts, base):
    p = counts[counts > 0] / counts.sum()
    return float(-(p * np.log2(p)).sum() / np.log2(base)) + 0.0  # never -0.0


def _mean_entropy(table, base):
    """Entropy of the rows of a table of counts, weighted by their sizes."""
    return float(sum(row.sum() * _entropy(row, base) for row in table) / table.sum())


def _table(owner, column, y):
    """Cases of each value of ``column`` (rows) and ``y`` (columns), int64."""
    x, y = _codes(owner, "column", column), _codes(owner, "y", y)
    if len(x) != len(y):
        raise ValueError(
            f"{owner}: column has {len(x)} entries and y has {len(y)}; they must be as many as each other."
        )
    table = np.zeros((x.max() + 1, y.max() + 1), np.int64)
    np.add.at(table, (x, y), 1)
    return table


def _codes(owner, name, values):
    """Codes of the values of a one-dimensional, non-empty column."""
    if np.ndim(values) != 1 or len(values) == 0:
        raise ValueError(
            f"{owner}: {name} must be one column of one entry or more, got shape {np.shape(values)}."
        )
    return pd.factorize(pd.Series(values), use_na_sentinel=False)[0]


def _checked_base(owner, base):
    if isinstance(base, numbers.Real) and not isinstance(base, bool) and 1 < base < np.inf:
        return float(base)
    raise ValueError(f"{owner}: base must be a number above 1, got {describe(base)}.")
