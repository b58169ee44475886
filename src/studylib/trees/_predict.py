"""Numba kernel that sends rows down a tree."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def find_leaves(nodes, by_equality, X):
    """Index of the leaf that each row of ``X`` reaches, int64 (n_samples,).

    ``X`` is float64 (n_samples, n_features) with category codes in categorical columns.  Every comparison
    with NaN is false, so what is missing or unseen takes the false branch.  The one exception is an equality
    on a numeric column whose value is infinity: it asks whether the entry is missing.
    """
    n = X.shape[0]
    leaves = np.empty(n, np.int64)
    for i in range(n):
        node = 0
        feature = nodes[0].feature
        while feature >= 0:
            x = X[i, feature]
            value = nodes[node].value
            if by_equality[feature]:
                outcome = x == value or (np.isinf(value) and np.isnan(x))
            else:
                outcome = x <= value
            node = nodes[node].first_child + outcome
            feature = nodes[node].feature
        leaves[i] = node
    return leaves
