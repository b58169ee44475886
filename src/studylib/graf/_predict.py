"""Numba kernels that send samples down a tree: a walk of their own, because a test looks at many features.

Most of a sample's bits come from the first hyperplanes of a tree, and those are common to all samples.  So
their bits are computed for a block of samples at a time, in single precision with the same check as in
growing; the walk looks them up.  Only where it reaches a later hyperplane does it multiply and add itself.
"""

import numpy as np

from studylib.core.compiling import njit
from studylib.core.unmanaged import without_refcount
from studylib.graf._bits import BLOCK, give_bits
from studylib.graf._features import entry
from studylib.graf._nodes import PURE
from studylib.graf._projections import width

_PRODUCTS = 512  # products a sample for bits that are computed in advance


@njit(cache=True, nogil=True)
def _walk(nodes, bits, n_top, at, moving):
    """Send samples down to their first node whose bit is not in ``bits``, written to ``at``.

    All go one level before any goes the next: a sample's step waits for memory, and so the waits overlap.
    ``moving`` lists the samples that are not there yet.
    """
    n_moving = at.shape[0]
    for i in range(n_moving):
        at[i] = 0
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


@njit(cache=True, nogil=True)
def find_leaves(nodes, features, weights, thresholds, data, single, largest, sources=None):
    """Leaf of every sample, int32 (n,).

    Parameters
    ----------
    nodes, features, weights, thresholds : see :class:`studylib.graf.Tree`
    data : float64 (r, n), the table of the samples, see ``_features``
    single : float32 (r, n), the same, rounded
    largest : float64 (d,), the largest absolute value of each feature
    sources : SOURCE_DTYPE (d,) or None, see ``_features``
    """
    nodes, features, weights, thresholds, data, single, largest, sources = without_refcount(
        (nodes, features, weights, thresholds, data, single, largest, sources)
    )
    n = data.shape[1]
    leaves = np.empty(n, np.int32)
    shared = features.shape[0] == 1
    n_top = min(weights.shape[0], max(1, _PRODUCTS // weights.shape[1]), n)
    bits = np.zeros((n_top + 1, BLOCK), np.uint8)
    work = np.empty((4, BLOCK), np.float32)
    rows = np.arange(n).astype(np.uint32)
    at, moving = np.empty(BLOCK, np.uint32), np.empty(BLOCK, np.uint32)
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        for h in range(n_top):
            k = weights.shape[1] if shared else width(weights[h])
            used = features[0 if shared else h][:k]
            give_bits(
                data,
                sources,
                largest,
                rows,
                single,
                start,
                used,
                used,
                weights[h][:k],
                thresholds[h],
                work,
                bits[h][:m],
            )
        _walk(nodes, bits, n_top, at[:m], moving)
        for i in range(m):
            node = np.int64(at[i])
            plane = nodes[node].plane
            while plane >= 0:
                row = np.int64(0) if shared else np.int64(plane)
                total = 0.0  # what ``dot`` adds up; a slice for every step would cost as much as its products
                for j in range(weights.shape[1]):
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
    return leaves


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
