"""Sensitivity of samples: number of hyperplanes needed to tell them apart from those of other classes."""

import numpy as np

from studylib.core.compiling import njit
from studylib.core.forest import grow_trees


def mean_sensitivity(trees, rows, labels, n_classes, weight, n_jobs):
    """ŝ of every training sample, eq 39, float64 (n_samples,).

    ``rows`` are the training samples as from ``Space.rows``; ``labels`` are class indices, int (n_samples,).
    ``weight`` is W(ω) of eq 37: "height", the hyperplanes drawn until a partition was made, or "depth", the
    bits of its code.
    """

    def ask(numbers):
        some = [trees[k] for k in numbers]
        weights = [tree.heights() if weight == "height" else tree.depths() for tree in some]
        return [
            sensitivity(tree._leaves_of(rows), of_nodes, labels, n_classes)
            for tree, of_nodes in zip(some, weights, strict=True)
        ]

    total = np.zeros(len(labels))
    for scores in grow_trees(ask, np.arange(len(trees)), n_jobs):  # in the order of the trees
        total += scores
    return total / len(trees)


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
