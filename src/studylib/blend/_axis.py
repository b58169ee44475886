"""Numba kernel that grows an axis-parallel tree over binned columns.

Every column is a row of one-byte codes, ascending with its values; a missing value has the highest code there
is.  A cut is chosen on at most ``N_SCORED`` evenly strided samples of a node, as for "guided" hyperplanes, so
the cost of a node near the root does not grow with sorting it.

As in scikit-learn's forests, a node draws columns until so many of them vary in it, and what is constant in a
node is not drawn again below it: otherwise columns that are mostly 0 would use up the draws.
"""

from typing import NamedTuple

import numpy as np

from studylib.blend._binned_split import MISSING_CODE, Cut, best_cut
from studylib.core.compiling import njit
from studylib.core.random import count_draws, next_uniform
from studylib.core.tree import LEAF
from studylib.core.unmanaged import without_refcount
from studylib.graf._candidates import N_SCORED

#: One record per node.  The children of a split are neighbours.  In a column that is tested by equality, the
#: samples whose code is ``code`` go to the second; otherwise those above it do, or those up to it if
#: ``missing_right``: so missing values always go to the first.
#:
#: ============= ====== ======================================================================
#: field         dtype  meaning
#: ============= ====== ======================================================================
#: feature       int32  column that the node tests, -1 in a leaf
#: first_child   int32  the first of its children; in an impure leaf its row in the table of
#:                      counts, in a pure one -1
#: label         int32  class of its first sample: the class of a pure leaf
#: n_samples     int32  training samples, each as often as it was drawn
#: code          uint8  see above; of a threshold the last below it that is present
#: next_code     uint8  the next code that is present above a threshold, 255 if none is
#: equal         bool   whether the column is tested by equality
#: missing_right bool   whether missing values go with those above ``code``
#: ============= ====== ======================================================================
AXIS_NODE_DTYPE = np.dtype(
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


class Workspace(NamedTuple):
    """Arrays to grow trees of n samples in, one after the other."""

    rows: np.ndarray  # uint32 (n,), the samples, those of a node together
    labels: np.ndarray  # int32 (n,), their classes
    aside_rows: np.ndarray  # uint32 (n,)
    aside_labels: np.ndarray  # int32 (n,)
    some_rows: np.ndarray  # uint32 (N_SCORED,), strided samples of a node
    some_labels: np.ndarray  # int32 (N_SCORED,)
    features: np.ndarray  # int32 (d,), what is known to be constant comes first
    nodes: np.ndarray  # AXIS_NODE_DTYPE (2 n - 1,)
    spans: np.ndarray  # int32 (2 n - 1, 3), where a node's samples begin and end, its constant columns
    stack: np.ndarray  # int32 (n,), nodes to divide
    impure: np.ndarray  # int64 (n / 2, C), samples of each class in impure leaves
    totals: np.ndarray  # int64 (C,), samples of each class
    codes: np.ndarray  # uint8 (n,), sorted
    sorted_labels: np.ndarray  # int32 (n,)
    starts: np.ndarray  # int32, places in these of each code, or counts of each code and class
    counts: np.ndarray  # int64 (C,)
    pairs: np.ndarray  # int64 (512,), samples of two classes that have each code
    present: np.ndarray  # int64 (256,), codes


def make_workspace(n, d, n_classes):
    """Workspace for trees of ``n`` samples with ``d`` columns; pages never touched are never allocated."""
    return Workspace(
        rows=np.empty(n, np.uint32),
        labels=np.empty(n, np.int32),
        aside_rows=np.empty(n, np.uint32),
        aside_labels=np.empty(n, np.int32),
        some_rows=np.empty(N_SCORED, np.uint32),
        some_labels=np.empty(N_SCORED, np.int32),
        features=np.empty(d, np.int32),
        nodes=np.empty(2 * n - 1, AXIS_NODE_DTYPE),
        spans=np.empty((2 * n - 1, 3), np.int32),
        stack=np.empty(n, np.int32),
        impure=np.empty((n // 2 + 1, n_classes), np.int64),
        totals=np.empty(n_classes, np.int64),
        codes=np.empty(n, np.uint8),
        sorted_labels=np.empty(n, np.int32),
        starts=np.empty(256 * max(2, n_classes), np.int32),
        counts=np.empty(n_classes, np.int64),
        pairs=np.empty(512, np.int64),
        present=np.empty(256, np.int64),
    )


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
    pairs,
    present,
    rng,
):
    """Look for the best cut of ``n`` samples, of ``rows``, uint32, and ``labels``, int32 (both at least n,).

    ``columns`` are codes, uint8 (d, n_rows), one row per column; those that are ``equal``, bool (d,), are
    tested by equality.  ``features``, int32 (d,), has first the ``n_constant`` columns that are known to be
    constant, which others may join; ``n_features`` columns that vary are looked at.  ``totals``, int64 (C,),
    are the samples of each class; ``codes`` to ``present`` are as in ``Workspace``; ``rng`` is uint64 (1,).

    Returns the Cut, its column or -1 if there is none, and how many columns are known to be constant.
    """
    best, feature = Cut(-1.0, 1.0, 0, 0, False), -1
    end, tried = features.shape[0], 0
    while tried < n_features and n_constant < end:
        j = n_constant + np.int64(next_uniform(rng) * (end - n_constant))
        f = features[j]
        cut, varies = best_cut(
            columns[f],
            equal[f],
            rows,
            labels,
            n,
            totals,
            codes,
            sorted_labels,
            starts,
            counts,
            pairs,
            present,
            best,
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
def _divide(column, node, rows, labels, start, stop, aside_rows, aside_labels):
    """Move the samples for a node's second child behind the others, stably; returns where they begin.

    Sets ``code`` and ``next_code`` of a threshold to those that are present in the whole node.
    """
    middle, n_aside = start, 0
    below, above = np.int64(-1), np.int64(MISSING_CODE)
    cut, equal, missing_right = np.int64(node.code), node.equal, node.missing_right
    for i in range(start, stop):  # without branches: which side is next cannot be predicted
        row, label = rows[i], labels[i]
        code = np.int64(column[row])
        low = code <= cut
        below = max(below, code if low else np.int64(-1))
        above = min(above, np.int64(MISSING_CODE) if low else code)
        if equal:
            second = code == cut
        else:
            second = (code != MISSING_CODE) & (low == missing_right)
        aside_rows[n_aside], aside_labels[n_aside] = row, label
        rows[middle], labels[middle] = row, label
        n_aside += second
        middle += not second
    for i in range(n_aside):
        rows[middle + i], labels[middle + i] = aside_rows[i], aside_labels[i]
    if not equal:
        node.code, node.next_code = below, above
    return middle


@njit(cache=True, nogil=True)
def grow_axis(columns, equal, labels, n_features, min_samples_split, rng, workspace, times=None):
    """Grow one tree, depth first, until its leaves are pure or cannot be divided.

    ``columns`` are codes, uint8 (d, n), one row per column; those that are ``equal``, bool (d,), are tested
    by equality.  ``labels`` are class indices, int32 (n,).  A node looks at ``n_features`` columns that vary,
    drawn without replacement.  ``rng``, uint64 (1,), is overwritten.  ``times``, int64 (n,), is how often the
    tree has each sample, n times in all; None draws n of them with replacement.

    Returns the nodes, AXIS_NODE_DTYPE (n_nodes,), and the samples by class in impure leaves, int64 (n_impure,
    C).
    """
    columns, equal, labels, rng, r = without_refcount((columns, equal, labels, rng, workspace))
    d, n = columns.shape
    rows, classes, totals, features, nodes, spans = r.rows, r.labels, r.totals, r.features, r.nodes, r.spans
    bag, drawn = r.aside_rows, 0
    if times is None:
        count_draws(bag, n, rng)
    else:
        for i in range(n):
            bag[i] = times[i]
    for i in range(n):  # in the order of the data, which is faster to read
        for _ in range(bag[i]):
            rows[drawn], classes[drawn] = i, labels[i]
            drawn += 1
    for f in range(d):
        features[f] = f
    spans[0, 0], spans[0, 1], spans[0, 2], r.stack[0] = 0, n, 0, 0
    n_nodes, n_stacked, n_impure = 1, 1, 0
    while n_stacked > 0:
        n_stacked -= 1
        at = r.stack[n_stacked]
        start, stop, n_constant = spans[at, 0], spans[at, 1], np.int64(spans[at, 2])
        size = stop - start
        node = nodes[at]
        node.feature, node.first_child, node.n_samples = LEAF, LEAF, size
        node.label = classes[start]
        node.code, node.next_code, node.equal, node.missing_right = 0, 0, False, False
        n_alike = 1
        while n_alike < size and classes[start + n_alike] == node.label:
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
                    r.some_rows[i], r.some_labels[i] = rows[place], classes[place]
                    totals[classes[place]] += 1
            else:
                for i in range(start, stop):
                    totals[classes[i]] += 1
            if size < min_samples_split:
                break
            best, feature, n_found = _search(
                columns,
                equal,
                features,
                n_constant,
                n_features,
                r.some_rows if some else rows[start:stop],
                r.some_labels if some else classes[start:stop],
                N_SCORED if some else size,
                totals,
                r.codes,
                r.sorted_labels,
                r.starts,
                r.counts,
                r.pairs,
                r.present,
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
        node.code = best.code
        if some and best.next_code != MISSING_CODE and not equal[feature]:
            node.code = (best.code + best.next_code) // 2  # other samples may lie between
        node.equal, node.missing_right = equal[feature], best.missing_right
        middle = _divide(columns[feature], node, rows, classes, start, stop, r.aside_rows, r.aside_labels)
        spans[n_nodes, 0], spans[n_nodes, 1], spans[n_nodes, 2] = start, middle, n_constant
        spans[n_nodes + 1, 0], spans[n_nodes + 1, 1], spans[n_nodes + 1, 2] = middle, stop, n_constant
        r.stack[n_stacked], r.stack[n_stacked + 1] = n_nodes + 1, n_nodes
        n_stacked += 2
        n_nodes += 2
    return nodes[:n_nodes].copy(), r.impure[:n_impure].copy()
