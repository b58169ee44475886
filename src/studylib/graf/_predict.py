"""Numba kernels that send samples down a tree."""

import numpy as np
from numba import njit

from studylib.graf._tree import LEAF


@njit(cache=True, nogil=True)
def find_leaves(nodes, features, weights, thresholds, X, leaves):
    """Leaf of every row of ``X``, float64 (n, d), written to ``leaves``, int32 (n,)."""
    shared = features.shape[0] == 1
    for i in range(X.shape[0]):
        node = 0
        while nodes[node].plane != LEAF:
            plane = nodes[node].plane
            used = features[0 if shared else plane]
            total = 0.0
            for j in range(used.shape[0]):
                total += weights[plane, j] * X[i, used[j]]
            node = nodes[node].first_child + (total > thresholds[plane])
        leaves[i] = node


@njit(cache=True, nogil=True)
def add_scores(nodes, shares, leaves, scores):
    """Add one tree's ``log2(1 + h)``, eq 23, to ``scores``, float64 (n, C)."""
    for i in range(leaves.shape[0]):
        node = nodes[leaves[i]]
        if node.shares < 0:
            scores[i, node.label] += 1.0
        else:
            for k in range(node.shares, node.shares + node.n_shares):
                scores[i, shares[k].label] += shares[k].score
