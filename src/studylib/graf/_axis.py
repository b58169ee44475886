"""Numba kernel that grows an axis-parallel tree over binned columns.

Every column is a row of one-byte codes, ascending with its values; a missing value has the highest code there
is.  A cut is chosen on at most ``N_SCORED`` evenly strided samples of a node, as for "guided" hyperplanes, so
the cost of a node near the root does not grow with sorting it.  Sorting codes of one byte is counting them.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from studylib.core.random import next_uniform
from studylib.graf._draw import N_DRAWS, N_SCORED, choose

#: Code of a missing value; the others are below it.
MISSING_CODE = 255
LEAF = -1
_FEW = 24  # samples that insertion sorts faster than counting

#: One record per node.  The children of a split are neighbours; a sample goes to the second where its code is
#: above ``code`` or, in a column that is tested by equality, equal to it.
#:
#: ============= ====== ======================================================================
#: field         dtype  meaning
#: ============= ====== ======================================================================
#: feature       int32  column that the node tests, -1 in a leaf
#: first_child   int32  the first of its children; in an impure leaf its row in the table of
#:                      counts, in a pure one -1
#: label         int32  class of its first sample: the class of a pure leaf
#: n_samples     int32  training samples, each as often as it was drawn
#: code          uint8  see above
#: next_code     uint8  the next code among the samples that the cut was chosen on
#: equal         bool   whether the column is tested by equality
#: missing_right bool   whether missing values go to the second child
#: ============= ====== ======================================================================
NODE_DTYPE = np.dtype(
    [
        ("feature", np.int32),
        ("first_child", np.int32),
        ("label", np.int32),
        ("n_samples", np.int32),
        ("code", np.uint8),
        ("next_code", np.uint8),
        ("equal", np.bool_),
        ("missing_right", np.bool_),
    ]
)


class Cut(NamedTuple):
    """A cut of a column: the larger its score, the purer the sides."""

    score: float
    code: int
    next_code: int
    missing_right: bool


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

    ``n_known`` of the samples are not missing; the missing ones are on the left if ``missing_left``.
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
            score = left_squares / n_left + right_squares / (n - n_left)
            if score > best.score:
                best = Cut(score, np.int64(codes[i]), np.int64(codes[i + 1]), not missing_left)
    return best


@njit(cache=True, nogil=True)
def _best_equality(codes, labels, n, totals, own, best):
    """The best of the cuts that set one code apart from the others, among sorted samples."""
    squares = np.int64(0)
    for c in range(totals.shape[0]):
        own[c] = 0
        squares += totals[c] * totals[c]
    first, own_squares, crossed = 0, np.int64(0), np.int64(0)
    for i in range(n):
        c = labels[i]
        own_squares += 2 * own[c] + 1
        crossed += totals[c]
        own[c] += 1
        if i + 1 < n and codes[i + 1] == codes[i]:
            continue
        n_own = i + 1 - first
        if n_own < n:
            # Σ (N_c - g_c)² = Σ N_c² - 2 Σ N_c g_c + Σ g_c²
            rest = squares - 2 * crossed + own_squares
            score = rest / (n - n_own) + own_squares / n_own
            if score > best.score:
                best = Cut(score, np.int64(codes[i]), np.int64(codes[i]), codes[i] == MISSING_CODE)
        for j in range(first, i + 1):
            own[labels[j]] = 0
        first, own_squares, crossed = i + 1, np.int64(0), np.int64(0)
    return best


@njit(cache=True, nogil=True)
def best_cut(column, equal, rows, labels, n, totals, room, best):
    """The best cut of a column for ``n`` samples, if it beats ``best``.

    Parameters
    ----------
    column : uint8 (n_rows,), codes
    equal : bool, whether the column is tested by equality
    rows, labels : the samples' rows and class indices
    totals : int64 (C,), samples of each class
    room : what ``make_room`` gives
    best : Cut
    """
    codes, sorted_labels, starts, counts = room
    _sort_by_code(column, rows, labels, n, codes, sorted_labels, starts)
    if codes[0] == codes[n - 1]:
        return best
    if equal:
        return _best_equality(codes, sorted_labels, n, totals, counts, best)
    best = _best_threshold(codes, sorted_labels, n, n, totals, counts, False, best)
    if codes[n - 1] == MISSING_CODE:
        n_known = n
        while codes[n_known - 1] == MISSING_CODE:
            n_known -= 1
        best = _best_threshold(codes, sorted_labels, n, n_known, totals, counts, True, best)
    return best


@njit(cache=True, nogil=True)
def make_room(n, n_classes):
    """Arrays for :func:`best_cut` on up to ``n`` samples."""
    return (
        np.empty(n, np.uint8),
        np.empty(n, np.int32),
        np.empty(257, np.int32),
        np.empty(n_classes, np.int64),
    )


@njit(cache=True, nogil=True)
def _goes_right(code, node):
    if node.equal:
        return code == node.code
    if code == MISSING_CODE:
        return node.missing_right
    return code > node.code


@njit(cache=True, nogil=True)
def _divide(column, node, rows, labels, start, stop, aside_rows, aside_labels):
    """Move the samples of a node that go to its second child behind the others, stably; where these begin."""
    middle, n_aside = start, 0
    for i in range(start, stop):
        row, label = rows[i], labels[i]
        if _goes_right(column[row], node):
            aside_rows[n_aside], aside_labels[n_aside] = row, label
            n_aside += 1
        else:
            rows[middle], labels[middle] = row, label
            middle += 1
    for i in range(n_aside):
        rows[middle + i], labels[middle + i] = aside_rows[i], aside_labels[i]
    return middle


@njit(cache=True, nogil=True)
def grow_axis(codes, equal, labels, n_classes, n_features, min_samples_split, bootstrap, rng):
    """Grow one tree, depth first, until its leaves are pure or cannot be divided.

    Parameters
    ----------
    codes : uint8 (d, n), one row per column
    equal : bool (d,), columns that are tested by equality
    labels : int32 (n,), class indices
    n_features : int, columns that a node looks at, drawn without replacement
    min_samples_split : int
    bootstrap : bool, whether the tree has n samples drawn with replacement, or all
    rng : uint64 (1,), state of the draws; overwritten

    Returns
    -------
    nodes : NODE_DTYPE (n_nodes,)
    counts : int64 (n_impure, C), samples of each class in the impure leaves
    seen : bool (n,), rows that the tree was grown on
    """
    d, n = codes.shape
    rows, own = np.empty(n, np.uint32), np.empty(n, np.int32)
    seen = np.zeros(n, np.bool_)
    for i in range(n):
        row = np.int64(next_uniform(rng) * n) if bootstrap else i
        rows[i], own[i] = row, labels[row]
        seen[row] = True
    aside_rows, aside_labels = np.empty(n, np.uint32), np.empty(n, np.int32)
    room, few_room = make_room(n, n_classes), make_room(N_SCORED, n_classes)
    few_rows, few_labels = np.empty(N_SCORED, np.uint32), np.empty(N_SCORED, np.int32)
    features = np.arange(d).astype(np.int32)
    nodes = np.empty(2 * n - 1, NODE_DTYPE)
    spans = np.empty((2 * n - 1, 2), np.int32)
    stack = np.empty(n, np.int32)
    impure = np.empty((16, n_classes), np.int64)
    totals, few_totals = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    spans[0, 0], spans[0, 1], stack[0] = 0, n, 0
    n_nodes, n_stacked, n_impure = 1, 1, 0
    while n_stacked > 0:
        n_stacked -= 1
        at = stack[n_stacked]
        start, stop = spans[at, 0], spans[at, 1]
        size = stop - start
        node = nodes[at]
        node.feature, node.first_child, node.n_samples = LEAF, LEAF, size
        node.label = own[start]
        node.code, node.next_code, node.equal, node.missing_right = 0, 0, False, False
        pure = True
        for i in range(start + 1, stop):
            if own[i] != node.label:
                pure = False
                break
        if pure:
            continue
        totals[:] = 0
        for i in range(start, stop):
            totals[own[i]] += 1
        best, feature = Cut(-np.inf, 0, 0, False), -1
        if size >= min_samples_split:
            for k in range(N_DRAWS):
                choose(features, n_features, rng)
                if k == 0 and size > N_SCORED:
                    few_totals[:] = 0
                    for i in range(N_SCORED):
                        place = start + np.int64(i) * size // N_SCORED
                        few_rows[i], few_labels[i] = rows[place], own[place]
                        few_totals[own[place]] += 1
                    for f in features[:n_features]:
                        cut = best_cut(
                            codes[f], equal[f], few_rows, few_labels, N_SCORED, few_totals, few_room, best
                        )
                        if cut.score > best.score:
                            best, feature = cut, f
                else:
                    for f in features[:n_features]:
                        cut = best_cut(
                            codes[f], equal[f], rows[start:stop], own[start:stop], size, totals, room, best
                        )
                        if cut.score > best.score:
                            best, feature = cut, f
                if feature >= 0:
                    break
        if feature < 0:
            if n_impure == impure.shape[0]:
                grown = np.empty((2 * n_impure, n_classes), np.int64)
                grown[:n_impure] = impure
                impure = grown
            impure[n_impure] = totals
            node.first_child = n_impure
            n_impure += 1
            continue
        node.feature, node.first_child = feature, n_nodes
        node.code, node.next_code = best.code, best.next_code
        node.equal, node.missing_right = equal[feature], best.missing_right
        middle = _divide(codes[feature], node, rows, own, start, stop, aside_rows, aside_labels)
        spans[n_nodes, 0], spans[n_nodes, 1] = start, middle
        spans[n_nodes + 1, 0], spans[n_nodes + 1, 1] = middle, stop
        stack[n_stacked], stack[n_stacked + 1] = n_nodes + 1, n_nodes
        n_stacked += 2
        n_nodes += 2
    return nodes[:n_nodes].copy(), impure[:n_impure].copy(), seen
