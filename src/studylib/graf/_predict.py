"""Numba kernels that send samples down a tree: a walk of their own, because a test looks at many features.

Most of a sample's bits come from the first hyperplanes of a tree, and those are common to all samples.  So
their bits are computed for a block of samples at a time, in single precision with the same check as in
growing; the walk looks them up, those of the very first hyperplanes all at once.  Only where it reaches a
later hyperplane does it multiply and add itself.
"""

import numpy as np

from studylib.core.compiling import njit
from studylib.core.unmanaged import without_refcount
from studylib.graf._bits import BLOCK, dot, give_bits, tolerance
from studylib.graf._features import entry
from studylib.graf._nodes import PURE
from studylib.graf._projections import width

_PRODUCTS = 512  # products a sample for bits that are computed in advance
_FIRST = 8  # hyperplanes that are passed in one step: their bits are a byte
_VISITS = 8  # hyperplanes for each sample that are worth the rounding


@njit(cache=True, nogil=True)
def _follow_first(nodes, starts):
    """Node that each code of the first hyperplanes' bits leads to, written to ``starts``; bit h is 2^h."""
    starts[0] = 0
    n_codes, h = 1, 0
    while n_codes < starts.shape[0]:
        for code in range(n_codes):
            here = nodes[starts[code]]
            starts[n_codes + code] = starts[code]
            if here.plane == h:
                starts[code], starts[n_codes + code] = here.next, here.next + 1
        n_codes, h = 2 * n_codes, h + 1


@njit(cache=True, nogil=True)
def _walk(nodes, bits, n_top, starts, codes, at, moving):
    """Send samples down to their first node whose bit is not in ``bits``, written to ``at``.

    All go one level before any goes the next: a sample's step waits for memory, and so the waits overlap.
    ``moving`` lists the samples that are not there yet.  ``starts`` is what ``_follow_first`` wrote, and
    ``codes`` is room for the samples' codes.
    """
    n_moving = at.shape[0]
    codes[:n_moving] = 0
    h = 0
    while 1 << h < starts.shape[0]:
        for i in range(n_moving):
            codes[i] |= bits[h, i] << h
        h += 1
    for i in range(n_moving):
        at[i] = starts[codes[i]]
        moving[i] = i
    while n_moving > 0:
        kept = 0
        for k in range(n_moving):
            i = moving[k]
            node = at[i]
            here = nodes[node]
            known = np.uint32(here.plane) < np.uint32(n_top)  # a leaf's -1 or -2 is a large number
            at[i] = np.uint32(here.next + bits[here.plane if known else 0, i]) if known else node
            moving[kept] = i
            kept += known
        n_moving = kept


# In any order the sum is as exact as ``tolerance`` asks, and nothing is assumed about NaN; in the order of
# the features it takes several times as long.
@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _product(a, b):
    total = np.float32(0.0)
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


@njit(cache=True, nogil=True)
def _walk_on_rows(leaves, at, start, nodes, features, weights, thresholds, data, lines, rounded, limits):
    """Send samples on from ``at`` to their leaves, in single precision checked as in ``give_bits``.

    ``leaves``, int32 (n,), is the result; ``at``, uint32 (m,), are the nodes of the samples from ``start``
    on.  ``rounded``, float32 (n_planes, d), has the weights of all features, 0 where a hyperplane does not
    use one; ``limits``, float32 (2, n_planes), thresholds and tolerances.  The rest is as for
    ``find_leaves``.
    """
    nodes, features, weights, thresholds, data, lines, rounded, limits = without_refcount(
        (nodes, features, weights, thresholds, data, lines, rounded, limits)
    )
    for i in range(at.shape[0]):
        node = np.int64(at[i])
        plane = nodes[node].plane
        while plane >= 0:
            excess = _product(rounded[plane], lines[start + i]) - limits[0, plane]
            bit = excess > np.float32(0.0)
            if not abs(excess) > limits[1, plane]:
                bit = dot(weights[plane], features[0], data, None, start + i) > thresholds[plane]
            node = nodes[node].next + bit
            plane = nodes[node].plane
        leaves[start + i] = node


def find_leaves(nodes, features, weights, thresholds, data, single, largest, sources=None, lines=None):
    """Leaf of every sample, int32 (n,), in a :class:`studylib.graf.Tree`.

    ``data``, float64 (r, n), is the table of the samples and ``single``, float32, the same, rounded; with
    ``sources``, SOURCE_DTYPE (d,) or None, see ``_features``.  ``largest``, float64 (d,), has the largest
    absolute value of each feature.  ``lines``, float32 (n, d) or None, is ``single`` with a row for each
    sample, for trees all of whose hyperplanes look at the same, many features: multiplied along a row, these
    take a tenth of the time.
    """
    lines = np.empty((0, 0), np.float32) if lines is None else lines
    leaves = np.empty(data.shape[1], np.int32)  # made here: a kernel takes 2 μs to return an array
    _find_leaves(leaves, nodes, features, weights, thresholds, data, single, largest, sources, lines)
    return leaves


@njit(cache=True, nogil=True)
def _find_leaves(leaves, nodes, features, weights, thresholds, data, single, largest, sources, lines):
    """Write leaves to ``leaves``; the other parameters are those of ``find_leaves``."""
    leaves, nodes, features, weights, thresholds, data, single, largest, sources, lines = without_refcount(
        (leaves, nodes, features, weights, thresholds, data, single, largest, sources, lines)
    )
    n = data.shape[1]
    n_planes, k = weights.shape
    shared = features.shape[0] == 1
    n_top = min(n_planes, max(_FIRST, _PRODUCTS // k), n)
    bits = np.zeros((n_top + 1, BLOCK), np.uint8)
    work = np.empty((4, BLOCK), np.float32)
    rows = np.arange(n).astype(np.uint32)
    at, moving = np.empty(BLOCK, np.uint32), np.empty(BLOCK, np.uint32)
    codes, n_codes = np.empty(BLOCK, np.uint8), 1
    while 2 * n_codes <= min(n, 1 << min(_FIRST, n_top)):
        n_codes *= 2
    starts = np.empty(n_codes, np.uint32)
    _follow_first(nodes, starts)
    on_rows = shared and n_top < n_planes <= _VISITS * lines.shape[0]
    rounded = np.zeros((n_planes if on_rows else 0, lines.shape[1]), np.float32)
    limits = np.empty((2, rounded.shape[0]), np.float32)
    for h in range(rounded.shape[0]):
        limits[0, h] = thresholds[h]
        limits[1, h] = tolerance(weights[h], features[0], largest, thresholds[h])
        for j in range(k):
            rounded[h, features[0, j]] = weights[h, j]
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        for h in range(n_top):
            used = features[0 if shared else h][: k if shared else width(weights[h])]
            give_bits(
                data,
                sources,
                largest,
                rows,
                single,
                start,
                used,
                used,
                weights[h][: used.shape[0]],
                thresholds[h],
                work,
                bits[h][:m],
            )
        _walk(nodes, bits, n_top, starts, codes, at[:m], moving)
        if sources is None and on_rows:
            _walk_on_rows(
                leaves, at[:m], start, nodes, features, weights, thresholds, data, lines, rounded, limits
            )
            continue
        for i in range(m):
            node = np.int64(at[i])
            plane = nodes[node].plane
            while plane >= 0:
                row = np.int64(0) if shared else np.int64(plane)
                total = 0.0  # what ``dot`` adds up; a slice for every step would cost as much as its products
                for j in range(k):
                    weight = weights[plane, j]
                    if weight == 0.0 and not shared:
                        break  # see ``set_plane``
                    if sources is None:
                        total += weight * data[features[row, j], start + i]
                    else:
                        total += weight * entry(data, sources, features[row, j], start + i)
                node = nodes[node].next + (total > thresholds[plane])
                plane = nodes[node].plane
            leaves[start + i] = node


@njit(cache=True, nogil=True)
def add_scores(nodes, shares, leaves, scores):
    """Add one tree's ``log2(1 + h)``, eq 23, to ``scores``, float64 (n, C)."""
    for i in range(leaves.shape[0]):
        node = nodes[leaves[i]]
        if node.plane == PURE:
            scores[i, node.next] += 1.0
        else:
            first = node.next
            for k in range(first, first + 1 + shares[first].rest):
                scores[i, shares[k].label] += shares[k].score
