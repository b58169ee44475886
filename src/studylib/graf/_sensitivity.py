"""Numba kernel for the sensitivity of samples."""

import numpy as np

from studylib.core.compiling import njit


@njit(cache=True, nogil=True)
def sensitivity(leaves, weights, labels, n_classes):
    """Sensitivity of every training sample in one tree, eqs 37 and 38, float64 (n,).

    ``weights`` are the nodes' numbers of hyperplanes, int32; a sample's rank in its leaf is its place in the
    order of the data set, from 1.  A class that no hyperplane was needed for has sensitivity 0.
    """
    n = leaves.shape[0]
    rank = np.zeros(weights.shape[0], np.int32)
    theta = np.empty(n)
    totals = np.zeros(n_classes)
    for i in range(n):
        leaf = leaves[i]
        rank[leaf] += 1
        theta[i] = weights[leaf] / rank[leaf]
        totals[labels[i]] += theta[i]
    for i in range(n):
        if theta[i] > 0.0:
            theta[i] = np.log(1.0 + theta[i] / totals[labels[i]])
    return theta
