"""Numba kernels of the criteria: the impurity of a node, and the gain of a split, from class counts."""

import numpy as np

from studylib.core.compiling import njit

MISCLASSIFICATION, INFORMATION, GINI, SQRT_GINI, CHI_SQUARE = 0, 1, 2, 3, 4
# The source's own forms, reachable only through ``source_compatible=True``.
MINIMUM_COUNT, ROOT_CHI_SQUARE = 5, 6
# Gains that add up over the samples of a node; the others are means.
TOTALS = (CHI_SQUARE, MINIMUM_COUNT, ROOT_CHI_SQUARE)

EPSILON = float(np.finfo(np.float64).eps)


@njit(cache=True, nogil=True)
def total_of(values):
    """Sum of values, added in their order."""
    total = 0.0
    for i in range(values.shape[0]):
        total += values[i]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def entropy(counts, n):
    """Entropy in bits of class counts that sum to ``n``."""
    total = 0.0
    for c in range(counts.shape[0]):
        if counts[c] > 0.0:
            p = counts[c] / n
            total += p * np.log2(p)
    return -total


@njit(cache=True, nogil=True, error_model="numpy")
def impurity(criterion, counts, n):
    """Impurity of one node from its class counts; ``n`` is their sum."""
    if criterion == INFORMATION:
        return entropy(counts, n)
    if criterion == MISCLASSIFICATION:
        largest = 0.0
        for c in range(counts.shape[0]):
            largest = max(largest, counts[c])
        return 1.0 - largest / n
    if criterion == MINIMUM_COUNT:
        smallest = n
        for c in range(counts.shape[0]):
            if 0.0 < counts[c] < smallest:
                smallest = counts[c]
        return smallest
    total = 0.0
    for c in range(counts.shape[0]):
        p = counts[c] / n
        total += p * p
    gini = 1.0 - total
    if criterion == SQRT_GINI:
        return np.sqrt(max(gini, 0.0))
    return gini


@njit(cache=True, nogil=True, error_model="numpy")
def chi_square(criterion, parent, n, side, n_side):
    """One side's share of the chi-square statistic against the parent's class shares."""
    total = 0.0
    for c in range(parent.shape[0]):
        if side[c] > 0.0 if criterion == ROOT_CHI_SQUARE else parent[c] > 0.0:
            expected = n_side * parent[c] / n
            term = (side[c] - expected) ** 2 / expected
            total += np.sqrt(term) if criterion == ROOT_CHI_SQUARE else term
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def split_gain(criterion, parent, n, parent_impurity, false, n_false, true, n_true):
    """Gain of a binary split, the false side first.

    The order of the floating-point operations decides ties, so it is part of the contract:
    ``I - (0 + n0/N I0 + n1/N I1)``.
    """
    if criterion in (CHI_SQUARE, ROOT_CHI_SQUARE):
        return chi_square(criterion, parent, n, false, n_false) + chi_square(
            criterion, parent, n, true, n_true
        )
    weighted = 0.0
    weighted += n_false / n * impurity(criterion, false, n_false)
    weighted += n_true / n * impurity(criterion, true, n_true)
    return parent_impurity - weighted


@njit(cache=True, nogil=True)
def split_gains(criterion, parent, n, parent_impurity, false, true):
    """Gain of many splits of one node from the class counts of their sides, (n_splits, n_classes) each."""
    gains = np.empty(true.shape[0])
    for k in range(true.shape[0]):
        gains[k] = split_gain(
            criterion, parent, n, parent_impurity, false[k], total_of(false[k]), true[k], total_of(true[k])
        )
    return gains


@njit(cache=True, nogil=True)
def is_worth(gain, n, total, criterion, least):
    """Test if the gain at a node of weight ``n``, scaled by its share of the ``total``, is ``least`` or more.

    At the default of 0 every split is: gains may be 0, and a custom impurity's less.
    """
    if least <= 0.0:
        return True
    decrease = gain / total if criterion in TOTALS else gain * n / total
    return decrease + EPSILON >= least  # as in scikit-learn, up to rounding
