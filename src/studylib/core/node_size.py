"""Least size of a node that is divided, chosen on samples that trees grown pure have not seen.

A tree that was grown pure tells what it would have said with any ``min_samples_split`` m: the answer of the
first node on a sample's way down that has fewer than m training samples.  So no tree is grown twice.
"""

from typing import NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.core.tree import LEAF

#: The candidates for m.
SIZES = (2, 4, 8, 16, 32, 64, 128)
#: The score of few trees is corrected to that of a forest of so many.
N_TREES = 100


class AutoOr(NamedTuple):
    """Constraint: "auto", or a value that another constraint allows."""

    constraint: object

    def __call__(self, owner, name, value):
        if isinstance(value, str) and value == "auto":
            return value
        try:
            return self.constraint(owner, name, value)
        except ValueError as error:
            raise ValueError(str(error).replace(" must be ", ' must be "auto" or ', 1)) from None


class CutBack:
    """Sums over trees of the class shares that each sample would get at each size.

    The sizes ascend.  ``n_trees``, int64 (n_samples,), are the trees that have answered for each sample.
    """

    def __init__(self, sizes, n_samples, n_classes):
        self.sizes = np.array(sizes, np.int64)
        self.n_trees = np.zeros(n_samples, np.int64)
        self._sums = np.zeros((len(sizes), n_samples, n_classes))
        self._squares = np.zeros((len(sizes), n_samples))

    def add(self, tree, leaves, samples):
        """Add the answers of a tree for some samples, int (m,), which end in these leaves, int (m,)."""
        self.n_trees[samples] += 1
        _add(
            np.asarray(leaves, np.int64),
            np.asarray(samples, np.int64),
            np.asarray(tree._first_child(), np.int64),
            np.asarray(tree._node_samples(), np.int64),
            tree._node_values(),
            self.sizes,
            self._sums,
            self._squares,
        )

    def errors(self, indicators, weight):
        """Brier scores of the trees, and of a forest of ``N_TREES`` of their kind, both float64 (n_sizes,).

        With B the squared error of the mean of T answers, and V their variance (unbiased), of both the sum
        over the classes, the latter is B − V (1/T − 1/N_TREES).  Scores are weighted sums over the samples
        for which at least two trees have answered.  ``indicators``, bool (n_samples, n_classes), say whether
        a sample is of a class.
        """
        some = np.flatnonzero(self.n_trees > 1)
        t, indicators, weight = self.n_trees[some, None], indicators[some], weight[some, None]
        rows = []
        for sums, squares in zip(self._sums, self._squares, strict=True):
            mean = sums[some] / t
            error = (weight * (mean - indicators) ** 2).sum()
            variance = (squares[some, None] - (sums[some] * mean).sum(axis=1, keepdims=True)) / (t - 1)
            rows.append((error, error - (weight * variance * (1.0 / t - 1.0 / N_TREES)).sum()))
        return np.array(rows).T


@njit(cache=True, nogil=True)
def _add(leaves, samples, first_child, n_samples, values, sizes, sums, squares):
    above = np.full(first_child.shape[0], -1)
    for node in range(first_child.shape[0]):
        if first_child[node] != LEAF:
            above[first_child[node]] = above[first_child[node] + 1] = node
    for i in range(leaves.shape[0]):
        node, sample = leaves[i], samples[i]
        for s in range(sizes.shape[0]):  # a larger one stops higher up
            while above[node] >= 0 and n_samples[above[node]] < sizes[s]:
                node = above[node]
            for c in range(sums.shape[2]):
                share = values[node, c]
                sums[s, sample, c] += share
                squares[s, sample] += share * share
