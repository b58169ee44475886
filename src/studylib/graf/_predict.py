"""Numba kernels that send samples down a tree."""

from numba import njit

from studylib.graf._tree import PURE


@njit(cache=True, nogil=True)
def find_leaves(nodes, features, weights, thresholds, X, leaves):
    """Leaf of every row of ``X``, float64 (n, d), written to ``leaves``, int32 (n,)."""
    shared = features.shape[0] == 1
    for i in range(X.shape[0]):
        node = 0
        while nodes[node].plane >= 0:
            plane = nodes[node].plane
            used = features[0 if shared else plane]
            total = 0.0
            for j in range(used.shape[0]):
                total += weights[plane, j] * X[i, used[j]]
            node = nodes[node].next + (total > thresholds[plane])
        leaves[i] = node


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
