"""Numba kernels that find the best cut of a column of one-byte codes for the samples of a node.

Sorting codes of one byte is counting them.
"""

from typing import NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.core.kernels import gini_fraction

#: Code of a missing value; the others are below it.
MISSING_CODE = 255
_FEW = 24  # samples that insertion sorts faster than counting
_FEW_CLASSES = 4  # for which it is faster to count the samples of each code and class than to sort them


class Cut(NamedTuple):
    """A cut of a column; the larger Σ l_c²/l + Σ r_c²/r, here a fraction, the purer the sides."""

    over: float
    under: float
    code: int
    next_code: int
    missing_right: bool


@njit(cache=True, nogil=True)
def _better(left_squares, n_left, right_squares, n_right, code, next_code, missing_right, best):
    """The better of ``best`` and the cut with these sides: no division, and equally good cuts are equal.

    The squares, int, are Σ l_c² and Σ r_c² over the classes, on sides of ``n_left`` and ``n_right`` samples.
    """
    over, under = gini_fraction(
        np.float64(left_squares), np.float64(right_squares), np.float64(n_left), np.float64(n_right)
    )
    if over * best.under > best.over * under:
        return Cut(over, under, code, next_code, missing_right)
    return best


@njit(cache=True, nogil=True)
def _sort_by_code(column, rows, labels, n, codes, sorted_labels, starts):
    """Codes and labels of ``n`` samples in ascending order of the codes, stably."""
    if n <= _FEW:
        for i in range(n):
            code, label = column[rows[i]], labels[i]
            j = i
            while j > 0 and codes[j - 1] > code:
                codes[j], sorted_labels[j] = codes[j - 1], sorted_labels[j - 1]
                j -= 1
            codes[j], sorted_labels[j] = code, label
        return
    for b in range(257):
        starts[b] = 0
    for i in range(n):
        starts[np.int64(column[rows[i]]) + 1] += 1
    for b in range(256):
        starts[b + 1] += starts[b]
    for i in range(n):
        code = column[rows[i]]
        at = starts[code]
        starts[code] = at + 1
        codes[at], sorted_labels[at] = code, labels[i]


@njit(cache=True, nogil=True)
def _best_threshold(codes, labels, n, n_known, totals, left, missing_left, best):
    """The best cut between two codes among sorted samples that beats ``best``.

    Where no sample is missing, those to come will go to the larger side.  ``codes`` and ``labels``, uint8 and
    int32 (at least n,), ascend with the codes; ``n_known`` of the ``n`` samples are not missing.  ``totals``,
    int64 (C,), are the samples of each class; ``left``, int64 (C,), is overwritten.  ``missing_left`` says
    whether the missing samples are on the left.
    """
    left_squares, right_squares = np.int64(0), np.int64(0)
    n_left = 0
    for c in range(totals.shape[0]):
        left[c] = 0
    if missing_left:
        for i in range(n_known, n):
            left_squares += 2 * left[labels[i]] + 1
            left[labels[i]] += 1
        n_left = n - n_known
    for c in range(totals.shape[0]):
        rest = totals[c] - left[c]
        right_squares += rest * rest
    last = n_known if missing_left else n
    for i in range(last - 1):
        c = labels[i]
        left_squares += 2 * left[c] + 1
        right_squares -= 2 * (totals[c] - left[c]) - 1
        left[c] += 1
        n_left += 1
        if codes[i] < codes[i + 1]:
            best = _better(
                left_squares,
                n_left,
                right_squares,
                n - n_left,
                np.int64(codes[i]),
                np.int64(codes[i + 1]),
                not missing_left and (n_known < n or n - n_left > n_left),
                best,
            )
    return best


@njit(cache=True, nogil=True)
def _best_threshold_by_counts(column, rows, labels, n, totals, counts, left, best):
    """The best cut between two codes that beats ``best``, from counts, and whether the column varies.

    Missing samples may be on either side.  ``column`` are codes, uint8 (n_rows,); ``rows`` and ``labels``,
    uint32 and int32 (at least n,), those of the ``n`` samples.  ``totals``, int64 (C,), are the samples of
    each class.  Overwrites ``counts``, int32 (at least 256 C,), the samples of each code and class, and
    ``left``, int64 (C,).
    """
    n_classes = totals.shape[0]
    for b in range(256 * n_classes):
        counts[b] = 0
    for i in range(n):
        counts[np.int64(column[rows[i]]) * n_classes + labels[i]] += 1
    n_missing, n_present = 0, 0
    for c in range(n_classes):
        n_missing += counts[MISSING_CODE * n_classes + c]
    for missing_left in range(2 if 0 < n_missing < n else 1):
        left_squares, right_squares, n_left, code = np.int64(0), np.int64(0), 0, -1
        for c in range(n_classes):
            left[c] = counts[MISSING_CODE * n_classes + c] if missing_left else 0
            n_left += left[c]
            left_squares += left[c] * left[c]
            right_squares += (totals[c] - left[c]) * (totals[c] - left[c])
        for following in range(MISSING_CODE if missing_left else 256):
            first, n_here = following * n_classes, 0
            for c in range(n_classes):
                n_here += counts[first + c]
            if n_here == 0:
                continue
            n_present += 1
            if code >= 0:
                best = _better(
                    left_squares,
                    n_left,
                    right_squares,
                    n - n_left,
                    code,
                    following,
                    not missing_left and (n_missing > 0 or n - n_left > n_left),
                    best,
                )
            for c in range(n_classes):
                here = np.int64(counts[first + c])
                left_squares += here * (2 * left[c] + here)
                right_squares -= here * (2 * (totals[c] - left[c]) - here)
                left[c] += here
            n_left += n_here
            code = following
    return best, n_present > 1


@njit(cache=True, nogil=True)
def _best_threshold_of_two(column, rows, labels, n, n_second, pairs, present, best):
    """The best cut between two codes that beats ``best``, of two classes, the second of ``n_second`` samples.

    ``pairs`` holds how many samples a code has and, above bit 32, how many of them are of the second class;
    every other sample is counted apart, because to add to the number last written means to wait for it.
    """
    for b in range(512):
        pairs[b] = 0
    for i in range(0, n - 1, 2):
        pairs[np.int64(column[rows[i]])] += 1 + (np.int64(labels[i]) << 32)
        pairs[256 + np.int64(column[rows[i + 1]])] += 1 + (np.int64(labels[i + 1]) << 32)
    if n % 2 == 1:
        pairs[np.int64(column[rows[n - 1]])] += 1 + (np.int64(labels[n - 1]) << 32)
    n_present = 0
    for b in range(256):  # without a branch, which would be mispredicted too often
        pair = pairs[b] + pairs[256 + b]
        pairs[n_present], present[n_present] = pair, b
        n_present += pair != 0
    if n_present < 2:
        return best, False
    n_missing, missing = 0, pairs[n_present - 1]
    if present[n_present - 1] == MISSING_CODE:
        n_missing = missing & 0xFFFFFFFF
    for missing_left in range(2 if n_missing > 0 else 1):
        n_left, second = np.int64(0), np.int64(0)
        if missing_left:
            n_left, second = n_missing, missing >> 32
        for j in range(n_present - 1 - missing_left):
            n_left += pairs[j] & 0xFFFFFFFF
            second += pairs[j] >> 32
            first, rest = n_left - second, n_second - second
            other = n - n_left - rest
            best = _better(
                first * first + second * second,
                n_left,
                rest * rest + other * other,
                n - n_left,
                present[j],
                present[j + 1],
                not missing_left and (n_missing > 0 or n - n_left > n_left),
                best,
            )
    return best, True


@njit(cache=True, nogil=True)
def _best_equality(codes, labels, n, totals, inside, best):
    """The best of the cuts that set one code apart from the others, among sorted samples."""
    squares = np.int64(0)
    for c in range(totals.shape[0]):
        inside[c] = 0
        squares += totals[c] * totals[c]
    first, own_squares, crossed = 0, np.int64(0), np.int64(0)
    for i in range(n):
        c = labels[i]
        own_squares += 2 * inside[c] + 1
        crossed += totals[c]
        inside[c] += 1
        if i + 1 < n and codes[i + 1] == codes[i]:
            continue
        n_own = i + 1 - first
        if n_own < n:
            # Σ (N_c - g_c)² = Σ N_c² - 2 Σ N_c g_c + Σ g_c²
            rest = squares - 2 * crossed + own_squares
            code = np.int64(codes[i])
            best = _better(own_squares, n_own, rest, n - n_own, code, code, code == MISSING_CODE, best)
        for j in range(first, i + 1):
            inside[labels[j]] = 0
        first, own_squares, crossed = i + 1, np.int64(0), np.int64(0)
    return best


@njit(cache=True, nogil=True)
def best_cut(
    column, equal, rows, labels, n, totals, codes, sorted_labels, starts, counts, pairs, present, best
):
    """The best cut of a column for ``n`` samples, if it beats ``best``, and whether the column varies.

    ``column`` are codes, uint8 (n_rows,), tested by equality if ``equal``; ``rows`` and ``labels`` are those
    of the samples, ``totals``, int64 (C,), counts them by class; ``codes`` to ``present`` are as in
    ``_axis.Workspace``.
    """
    if not equal and n > _FEW and totals.shape[0] == 2:
        return _best_threshold_of_two(column, rows, labels, n, totals[1], pairs, present, best)
    if not equal and n > _FEW and totals.shape[0] <= _FEW_CLASSES:
        return _best_threshold_by_counts(column, rows, labels, n, totals, starts, counts, best)
    first = column[rows[0]]
    varies = False
    for i in range(1, n):
        if column[rows[i]] != first:
            varies = True
            break
    if not varies:
        return best, False
    _sort_by_code(column, rows, labels, n, codes, sorted_labels, starts)
    if equal:
        return _best_equality(codes, sorted_labels, n, totals, counts, best), True
    n_known = n
    while codes[n_known - 1] == MISSING_CODE:  # the column varies, so some are known
        n_known -= 1
    best = _best_threshold(codes, sorted_labels, n, n_known, totals, counts, False, best)
    if n_known < n:
        best = _best_threshold(codes, sorted_labels, n, n_known, totals, counts, True, best)
    return best, True
