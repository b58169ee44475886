"""Numba kernels that find the best threshold on a line of projections."""

from typing import NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.core.kernels import gini_fraction

_INSERTION_SORT_MAX = 16  # projections that insertion sorts faster than partitioning


class ThresholdWorkspace(NamedTuple):
    """Arrays for :func:`best_threshold`, so that a call allocates nothing."""

    values: np.ndarray  # float64 (n,), sorted projections
    labels: np.ndarray  # uint32 (n,), their classes, numbered as they are present
    starts: np.ndarray  # int32 (n + 1,), of the bins
    left: np.ndarray  # int64 (C,), samples of each class
    stack: np.ndarray  # int32 (64, 2), parts that are left to sort


@njit(cache=True, nogil=True)
def make_threshold_workspace(n, n_classes):
    """Arrays for up to ``n`` samples of up to ``n_classes`` classes."""
    return ThresholdWorkspace(
        np.empty(n),
        np.empty(n, np.uint32),
        np.empty(n + 1, np.int32),
        np.empty(n_classes, np.int64),
        np.empty((64, 2), np.int32),
    )


@njit(cache=True, nogil=True)
def _quicksort(values, labels, start, stop, stack):
    """Quicksort with labels, except that parts of a few are left as they are; ties cost nothing."""
    n = 0
    while True:
        if stop - start <= _INSERTION_SORT_MAX:
            if n == 0:
                return
            n -= 1
            start, stop = stack[n, 0], stack[n, 1]
            continue
        a, b, c = values[start], values[(start + stop) // 2], values[stop - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        below, i, above = start, start, stop
        while i < above:
            value = values[i]
            if value < pivot:
                values[i], values[below] = values[below], value
                labels[i], labels[below] = labels[below], labels[i]
                below += 1
                i += 1
            elif value > pivot:
                above -= 1
                values[i], values[above] = values[above], value
                labels[i], labels[above] = labels[above], labels[i]
            else:
                i += 1
        if below - start > stop - above:  # the larger part waits, so the stack stays short
            stack[n, 0], stack[n, 1] = start, below
            start = above
        else:
            stack[n, 0], stack[n, 1] = above, stop
            stop = below
        n += 1


@njit(cache=True, nogil=True)
def _ends(line):
    """Smallest and largest, four at a time, because each comparison waits for the one before."""
    n = line.shape[0]
    a = line[0]
    b, c, d, e, f, g, h = a, a, a, a, a, a, a
    for i in range(0, n - n % 4, 4):
        a, e = min(a, line[i]), max(e, line[i])
        b, f = min(b, line[i + 1]), max(f, line[i + 1])
        c, g = min(c, line[i + 2]), max(g, line[i + 2])
        d, h = min(d, line[i + 3]), max(h, line[i + 3])
    for i in range(n - n % 4, n):
        a, e = min(a, line[i]), max(e, line[i])
    return min(min(a, b), min(c, d)), max(max(e, f), max(g, h))


@njit(cache=True, nogil=True)
def _swap_neighbours(values, labels, begin, n):
    """Put every other pair of neighbours in order; equal ones stay."""
    for i in range(begin, n - 1, 2):
        a, b, c, d = values[i], values[i + 1], labels[i], labels[i + 1]
        turn = a > b
        values[i], values[i + 1] = b if turn else a, a if turn else b
        labels[i], labels[i + 1] = d if turn else c, c if turn else d


@njit(cache=True, nogil=True)
def _sort(line, bounds, low, high, values, labels, starts, stack):
    """Sort projections with their classes; in linear time where they are spread at all evenly.

    There are as many bins of equal width as projections.  What is crowded into one, as beside an outlier or
    where most are nearly equal, is partitioned; what is still out of order is put right by insertion.

    Most of that is out of order by a place or two, and each such place is a branch that is mispredicted.  So
    neighbours are swapped first, without branches, and insertion finds little left: with 64 to 512 normal
    projections of three classes, a tenth of :func:`best_threshold`; with 16 it would cost as much.
    """
    n = line.shape[0]
    scale = (n - 1) / (high - low)
    if scale == np.inf:
        for c in range(bounds.shape[0] - 1):
            for i in range(bounds[c], bounds[c + 1]):
                values[i], labels[i] = line[i], c
        _quicksort(values, labels, np.int64(0), n, stack)
    else:
        for b in range(n + 1):
            starts[b] = 0
        for i in range(n):
            starts[np.uint32((line[i] - low) * scale) + 1] += 1
        for b in range(n):
            starts[b + 1] += starts[b]
        for c in range(bounds.shape[0] - 1):
            for i in range(bounds[c], bounds[c + 1]):
                b = np.uint32((line[i] - low) * scale)
                at = np.uint32(starts[b])
                values[at], labels[at] = line[i], c
                starts[b] += 1  # now where the next bin begins
        start = np.int64(0)
        for b in range(n):
            stop = np.int64(starts[b])
            if stop - start > _INSERTION_SORT_MAX:
                _quicksort(values, labels, start, stop, stack)
            start = stop
    if n > 2 * _INSERTION_SORT_MAX:
        for begin in (0, 1, 0, 1):
            _swap_neighbours(values, labels, begin, n)
    for i in range(1, n):
        value = values[i]
        if values[i - 1] > value:
            label, j = labels[i], i
            while j > 0 and values[j - 1] > value:
                values[j], labels[j] = values[j - 1], labels[j - 1]
                j -= 1
            values[j], labels[j] = value, label


@njit(cache=True, nogil=True)
def best_threshold(line, bounds, work):
    """The threshold with the largest decrease of Gini impurity: ``(score, threshold)``.

    ``line``, float64 (m,), has projections, together by class, which begin and end at ``bounds``, int64
    (n_present + 1,).  The score is minus the Gini impurity, times samples, of the two sides; -inf where all
    projections are equal.  The threshold is midway between two neighbours, or the lower of them where
    rounding leaves nothing between; the lowest of equally good ones.
    """
    m, n_present = line.shape[0], bounds.shape[0] - 1
    low, high = _ends(line)
    if not 0.0 < high - low < np.inf:
        return -np.inf, 0.0
    values, labels, left = work.values, work.labels, work.left
    squares = np.int64(0)  # Σ N_c²
    for c in range(n_present):
        left[c] = 0
        size = bounds[c + 1] - bounds[c]
        squares += size * size
    _sort(line, bounds, low, high, values, labels, work.starts, work.stack)
    # The largest Σ l_c²/l + Σ r_c²/r, as a fraction: no division, and equally good cuts are equal.
    left_squares, crossed = np.int64(0), np.int64(0)  # Σ l_c², Σ N_c l_c
    best_over, best_under, best = -1.0, 1.0, 0
    best_left, best_right = np.int64(0), np.int64(0)
    for i in range(m - 1):
        c = labels[i]
        before = left[c]
        left_squares += 2 * before + 1
        crossed += bounds[c + 1] - bounds[c]
        left[c] = before + 1
        if values[i] < values[i + 1]:
            n_left, n_right = np.float64(i + 1), np.float64(m - 1 - i)
            right_squares = squares - 2 * crossed + left_squares
            over, under = gini_fraction(left_squares, right_squares, n_left, n_right)
            if over * best_under > best_over * under:
                best_over, best_under, best = over, under, i
                best_left, best_right = left_squares, right_squares
    n_left, n_right = best + 1, m - 1 - best
    below, above = values[best], values[best + 1]
    threshold = below + 0.5 * (above - below)
    if threshold >= above:
        threshold = below
    return -((n_left - best_left / n_left) + (n_right - best_right / n_right)), threshold
