"""Numba kernels that find the best threshold on a line of projections."""

import numpy as np
from numba import njit

_CROWDED = (
    32  # projections to sort by insertion for each one in its bin, on average, beyond which merging is faster
)


@njit(cache=True, nogil=True)
def _sort(line, low, high, labels, values, sorted_labels):
    """Sort projections with their labels, stably; in linear time where they are spread at all evenly.

    There are as many bins of equal width as projections.  What is out of order in a bin is put right by
    insertion, unless so many are in one, as beside a far outlier, that this would take longer than merging.
    """
    n = line.shape[0]
    scale = (n - 1) / (high - low)
    starts = np.zeros(n + 1, np.int32)
    crowd = np.int64(0)
    if scale < np.inf:
        for i in range(n):
            starts[np.uint32((line[i] - low) * scale) + 1] += 1
        for b in range(n):
            crowd += np.int64(starts[b + 1]) * starts[b + 1]
            starts[b + 1] += starts[b]
    if scale == np.inf or crowd > _CROWDED * n:
        order = np.argsort(line, kind="mergesort")
        for i in range(n):
            values[i], sorted_labels[i] = line[order[i]], labels[order[i]]
        return
    for i in range(n):
        b = np.uint32((line[i] - low) * scale)
        values[starts[b]], sorted_labels[starts[b]] = line[i], labels[i]
        starts[b] += 1
    for i in range(1, n):
        value, label = values[i], sorted_labels[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j], sorted_labels[j] = values[j - 1], sorted_labels[j - 1]
            j -= 1
        values[j], sorted_labels[j] = value, label


@njit(cache=True, nogil=True)
def best_cut(line, bounds):
    """The threshold with the largest decrease of Gini impurity: ``(score, threshold)``.

    Parameters
    ----------
    line : float64 (m,), projections, together by class
    bounds : int64 (n_present + 1,), where the classes begin and end

    Returns
    -------
    score : float
        Minus the Gini impurity, times samples, of the two sides; -inf where all projections are equal.
    threshold : float
        Midway between two neighbours, or the lower of them where rounding leaves nothing between; the lowest
        of equally good ones.
    """
    m, n_present = line.shape[0], bounds.shape[0] - 1
    low, high = line[0], line[0]
    for i in range(1, m):
        low, high = min(low, line[i]), max(high, line[i])
    if not 0.0 < high - low < np.inf:
        return -np.inf, 0.0
    labels, sorted_labels, values = np.empty(m, np.int32), np.empty(m, np.int32), np.empty(m)
    left, right = np.zeros(n_present, np.int64), np.empty(n_present, np.int64)
    left_squares, right_squares = np.int64(0), np.int64(0)
    for c in range(n_present):
        right[c] = bounds[c + 1] - bounds[c]
        right_squares += right[c] * right[c]
        labels[bounds[c] : bounds[c + 1]] = c
    _sort(line, low, high, labels, values, sorted_labels)
    best, threshold = -np.inf, 0.0
    for i in range(m - 1):
        c = sorted_labels[i]
        left_squares += 2 * left[c] + 1
        right_squares -= 2 * right[c] - 1
        left[c] += 1
        right[c] -= 1
        below, above = values[i], values[i + 1]
        if below < above:
            n_left, n_right = i + 1, m - 1 - i
            score = -((n_left - left_squares / n_left) + (n_right - right_squares / n_right))
            if score > best:
                best = score
                threshold = below + 0.5 * (above - below)
                if threshold >= above:
                    threshold = below
    return best, threshold
