"""Small kernels that several packages need, each of them once."""

import numpy as np

from studylib.core.compiling import njit


@njit(cache=True, nogil=True)
def midpoint(low, high):
    """Middle of two numbers, with ``low <= middle < high`` whatever the rounding."""
    middle = (low + high) / 2.0
    if np.isinf(middle) and not np.isinf(high):
        middle = low / 2.0 + high / 2.0
    if not np.isinf(high) and not middle < high:
        middle = low
    return middle


@njit(cache=True, nogil=True)
def first_of_largest(counts):
    """Index of the largest count, the first one in a tie."""
    best = 0
    for c in range(1, counts.shape[0]):
        if counts[c] > counts[best]:
            best = c
    return best


@njit(cache=True, nogil=True)
def gini_fraction(left_squares, right_squares, n_left, n_right):
    """Σ l_c² / l + Σ r_c² / r as ``(numerator, denominator)``: the larger, the purer are both sides of a cut.

    Compared crosswise, no division is needed, and equally good cuts are equal.
    """
    return left_squares * n_right + right_squares * n_left, n_left * n_right
