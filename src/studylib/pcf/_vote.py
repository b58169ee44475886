"""Numba kernels that send rows down the Trees and count votes."""

import numpy as np
from numba import njit

from studylib.pcf._nodes import LEAF

_SIDE_BY_SIDE = 8


@njit(cache=True, nogil=True)
def _next(nodes, X, i, at):
    """Child of node ``at`` that row ``i`` goes to; a leaf itself (its threshold is NaN)."""
    node = nodes[at]
    feature = max(node.feature, 0)
    return node.first_child + np.int32(X[i, feature] >= node.threshold)


@njit(cache=True, nogil=True)
def find_leaves(nodes, X, leaves):
    """Write the index of the leaf that each row of ``X`` reaches into ``leaves``, int32 (n_samples,).

    Eight rows walk side by side: every step waits for memory, and side by side the waits overlap.
    """
    n = X.shape[0]
    at = np.empty(_SIDE_BY_SIDE, np.int32)
    n_blocks = n - n % _SIDE_BY_SIDE
    for start in range(0, n_blocks, _SIDE_BY_SIDE):
        at[:] = 0
        moving = True
        while moving:
            moving = False
            for k in range(_SIDE_BY_SIDE):
                child = _next(nodes, X, start + k, at[k])
                moving |= child != at[k]
                at[k] = child
        for k in range(_SIDE_BY_SIDE):
            leaves[start + k] = at[k]
    for i in range(n_blocks, n):
        here = 0
        while nodes[here].feature != LEAF:
            here = _next(nodes, X, i, here)
        leaves[i] = here


@njit(cache=True, nogil=True)
def add_votes(nodes, X, votes):
    """Add one Tree's votes; ``votes`` is int32 (n_samples, n_classes + 1), its last column for Λ."""
    leaves = np.empty(X.shape[0], np.int32)
    find_leaves(nodes, X, leaves)
    for i in range(X.shape[0]):
        label = nodes[leaves[i]].label
        votes[i, label if label >= 0 else votes.shape[1] - 1] += 1
