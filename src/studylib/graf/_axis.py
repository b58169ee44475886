"""Numba kernel that grows an axis-parallel tree over binned columns.

Every column is a row of one-byte codes, ascending with its values; a missing value has the highest code there
is.  A cut is chosen on at most ``N_SCORED`` evenly strided samples of a node, as for "guided" hyperplanes, so
the cost of a node near the root does not grow with sorting it.  Sorting codes of one byte is counting them.

As in scikit-learn's forests, a node draws columns until so many of them vary in it, and what is constant in a
node is not drawn again below it: otherwise columns that are mostly 0 would use up the draws.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from studylib.core.borrow import borrowed
from studylib.core.random import next_uniform
from studylib.graf._choice import N_SCORED

#: Code of a missing value; the others are below it.
MISSING_CODE = 255
LEAF = -1
_FEW = 24  # samples that insertion sorts faster than counting
_FEW_CLASSES = 4  # for which it is faster to count the samples of each code and class than to sort them

#: One record per node.  The children of a split are neighbours.  In a column that is tested by equality, the
#: samples whose code is ``code`` go to the second; otherwise those above it do, or those up to it if
#: ``missing_right``: so missing values always go to the first.
#:
#: ============= ====== =======================================================================
#: field         dtype  meaning
#: ============= ====== =======================================================================
#: feature       int32  column that the node tests, -1 in a leaf
#: first_child   int32  in an impure leaf its row in the table of shares, in a pure one -1
#: label         int32  the class of a pure leaf
#: n_samples     int32  training samples, each as often as it was drawn
#: code          uint8  see above
#: next_code     uint8  the next code that is present among the samples that were looked at
#: equal         bool   whether the column is tested by equality
#: missing_right bool   whether missing values go with those above ``code``
#: ============= ====== =======================================================================
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
    """A cut of a column; the larger Σ l_c²/l + Σ r_c²/r, here a fraction, the purer the sides."""

    over: float
    under: float
    code: int
    next_code: int
    missing_right: bool


class AxisRoom(NamedTuple):
    """Arrays to grow trees of n samples in, one after the other."""

    rows: np.ndarray  # uint32 (n,), the samples, those of a node together
    labels: np.ndarray  # int32 (n,), their classes
    aside_rows: np.ndarray  # uint32 (n,)
    aside_labels: np.ndarray  # int32 (n,)
    some_rows: np.ndarray  # uint32 (N_SCORED,), strided samples of a node
    some_labels: np.ndarray  # int32 (N_SCORED,)
    features: np.ndarray  # int32 (d,), what is known to be constant comes first
    nodes: np.ndarray  # NODE_DTYPE (2 n - 1,)
    spans: np.ndarray  # int32 (2 n - 1, 3), where a node's samples begin and end, its constant columns
    stack: np.ndarray  # int32 (n,), nodes to divide
    impure: np.ndarray  # int64 (n / 2, C), samples of each class in impure leaves
    totals: np.ndarray  # int64 (C,), samples of each class
    codes: np.ndarray  # uint8 (n,), sorted
    sorted_labels: np.ndarray  # int32 (n,)
    starts: np.ndarray  # int32, places in these of each code, or counts of each code and class
    counts: np.ndarray  # int64 (C,)


def make_room(n, d, n_classes):
    """Room for trees of ``n`` samples with ``d`` columns; pages never touched are never allocated."""
    return AxisRoom(
        rows=np.empty(n, np.uint32),
        labels=np.empty(n, np.int32),
        aside_rows=np.empty(n, np.uint32),
        aside_labels=np.empty(n, np.int32),
        some_rows=np.empty(N_SCORED, np.uint32),
        some_labels=np.empty(N_SCORED, np.int32),
        features=np.empty(d, np.int32),
        nodes=np.empty(2 * n - 1, NODE_DTYPE),
        spans=np.empty((2 * n - 1, 3), np.int32),
        stack=np.empty(n, np.int32),
        impure=np.empty((n // 2 + 1, n_classes), np.int64),
        totals=np.empty(n_classes, np.int64),
        codes=np.empty(n, np.uint8),
        sorted_labels=np.empty(n, np.int32),
        starts=np.empty(256 * max(2, n_classes), np.int32),
        counts=np.empty(n_classes, np.int64),
    )


@njit(cache=True, nogil=True)
def _better(left_squares, n_left, right_squares, n_right, code, next_code, missing_right, best):
    """The cut with these sides if it beats ``best``: no division, and equally good ones are equal."""
    over = np.float64(left_squares) * n_right + np.float64(right_squares) * n_left
    under = np.float64(n_left) * n_right
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

    ``n_known`` of the samples are not missing; the missing ones are on the left if ``missing_left``.  Where
    none is, those to come will go to the larger side.
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
    """As :func:`_best_threshold`, missing samples on either side, from the counts of codes and classes.

    Returns the cut and whether the column varies.
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
            code = np.int64(codes[i])
            best = _better(own_squares, n_own, rest, n - n_own, code, code, code == MISSING_CODE, best)
        for j in range(first, i + 1):
            own[labels[j]] = 0
        first, own_squares, crossed = i + 1, np.int64(0), np.int64(0)
    return best


@njit(cache=True, nogil=True)
def best_cut(column, equal, rows, labels, n, totals, codes, sorted_labels, starts, counts, best):
    """The best cut of a column for ``n`` samples, if it beats ``best``.

    Parameters
    ----------
    column : uint8 (n_rows,), codes
    equal : bool, whether the column is tested by equality
    rows, labels : the samples' rows and class indices
    totals : int64 (C,), samples of each class
    codes, sorted_labels, starts, counts : see ``AxisRoom``
    best : Cut

    Returns
    -------
    Cut, and whether the column varies
    """
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


@njit(cache=True, nogil=True)
def _search(
    columns,
    equal,
    features,
    n_constant,
    n_features,
    rows,
    labels,
    n,
    totals,
    codes,
    sorted_labels,
    starts,
    counts,
    rng,
):
    """The best cut of ``n`` samples: ``(cut, its column or -1, constant columns)``.

    ``features`` starts with the columns that are known to be constant.  Others that are found so join them.
    """
    best, feature = Cut(-1.0, 1.0, 0, 0, False), -1
    end, tried = features.shape[0], 0
    while tried < n_features and n_constant < end:
        j = n_constant + np.int64(next_uniform(rng) * (end - n_constant))
        f = features[j]
        cut, varies = best_cut(
            columns[f], equal[f], rows, labels, n, totals, codes, sorted_labels, starts, counts, best
        )
        if varies:
            end -= 1
            tried += 1
            features[j], features[end] = features[end], f
        else:
            features[j], features[n_constant] = features[n_constant], f
            n_constant += 1
        if cut.over != best.over or cut.under != best.under:
            best, feature = cut, f
    return best, feature, n_constant


@njit(cache=True, nogil=True)
def _goes_second(code, node):
    if node.equal:
        return code == node.code
    return code != MISSING_CODE and (code > node.code) != node.missing_right


@njit(cache=True, nogil=True)
def _divide(column, node, rows, labels, start, stop, aside_rows, aside_labels):
    """Move the samples of a node that go to its second child behind the others, stably; where these begin."""
    middle, n_aside = start, 0
    for i in range(start, stop):
        row, label = rows[i], labels[i]
        if _goes_second(column[row], node):
            aside_rows[n_aside], aside_labels[n_aside] = row, label
            n_aside += 1
        else:
            rows[middle], labels[middle] = row, label
            middle += 1
    for i in range(n_aside):
        rows[middle + i], labels[middle + i] = aside_rows[i], aside_labels[i]
    return middle


@njit(cache=True, nogil=True)
def grow_axis(columns, equal, labels, n_features, min_samples_split, bootstrap, rng, room):
    """Grow one tree, depth first, until its leaves are pure or cannot be divided.

    Parameters
    ----------
    columns : uint8 (d, n), codes, one row per column
    equal : bool (d,), columns that are tested by equality
    labels : int32 (n,), class indices
    n_features : int, columns that vary, drawn without replacement, that a node looks at
    min_samples_split : int
    bootstrap : bool, whether the tree has n samples drawn with replacement, or all
    rng : uint64 (1,), state of the draws; overwritten
    room : AxisRoom; overwritten

    Returns
    -------
    nodes : NODE_DTYPE (n_nodes,)
    counts : int64 (n_impure, C), samples of each class in the impure leaves
    """
    columns, equal, labels, rng, r = borrowed((columns, equal, labels, rng, room))
    d, n = columns.shape
    rows, own, totals, features, nodes, spans = r.rows, r.labels, r.totals, r.features, r.nodes, r.spans
    times, drawn = r.aside_rows, 0
    for i in range(n):
        times[i] = 0 if bootstrap else 1
    if bootstrap:
        for _ in range(n):
            times[np.uint64(next_uniform(rng) * n)] += 1
    for i in range(n):  # in the order of the data, which is faster to read
        for _ in range(times[i]):
            rows[drawn], own[drawn] = i, labels[i]
            drawn += 1
    for f in range(d):
        features[f] = f
    spans[0, 0], spans[0, 1], spans[0, 2], r.stack[0] = 0, n, 0, 0
    n_nodes, n_stacked, n_impure = 1, 1, 0
    while n_stacked > 0:
        n_stacked -= 1
        at = r.stack[n_stacked]
        start, stop, n_constant = spans[at, 0], spans[at, 1], spans[at, 2]
        size = stop - start
        node = nodes[at]
        node.feature, node.first_child, node.n_samples = LEAF, LEAF, size
        node.label = own[start]
        node.code, node.next_code, node.equal, node.missing_right = 0, 0, False, False
        n_alike = 1
        while n_alike < size and own[start + n_alike] == node.label:
            n_alike += 1
        if n_alike == size:
            continue
        best, feature = Cut(-1.0, 1.0, 0, 0, False), -1
        for attempt in range(2):
            some = attempt == 0 and size > N_SCORED and size >= min_samples_split
            totals[:] = 0
            if some:
                for i in range(N_SCORED):
                    place = start + np.int64(i) * size // N_SCORED
                    r.some_rows[i], r.some_labels[i] = rows[place], own[place]
                    totals[own[place]] += 1
            else:
                for i in range(start, stop):
                    totals[own[i]] += 1
            if size < min_samples_split:
                break
            best, feature, n_found = _search(
                columns,
                equal,
                features,
                n_constant,
                n_features,
                r.some_rows if some else rows[start:stop],
                r.some_labels if some else own[start:stop],
                N_SCORED if some else size,
                totals,
                r.codes,
                r.sorted_labels,
                r.starts,
                r.counts,
                rng,
            )
            if not some:
                n_constant = n_found
            if feature >= 0 or not some:
                break
        if feature < 0:
            for c in range(totals.shape[0]):
                r.impure[n_impure, c] = totals[c]
            node.first_child = n_impure
            n_impure += 1
            continue
        node.feature, node.first_child = feature, n_nodes
        node.code, node.next_code = best.code, best.next_code
        node.equal, node.missing_right = equal[feature], best.missing_right
        middle = _divide(columns[feature], node, rows, own, start, stop, r.aside_rows, r.aside_labels)
        spans[n_nodes, 0], spans[n_nodes, 1], spans[n_nodes, 2] = start, middle, n_constant
        spans[n_nodes + 1, 0], spans[n_nodes + 1, 1], spans[n_nodes + 1, 2] = middle, stop, n_constant
        r.stack[n_stacked], r.stack[n_stacked + 1] = n_nodes + 1, n_nodes
        n_stacked += 2
        n_nodes += 2
    return nodes[:n_nodes].copy(), r.impure[:n_impure].copy()
