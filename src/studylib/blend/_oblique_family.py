"""The oblique family of a blend: canonical trees on numbers with nothing missing."""

import math

import numpy as np

from studylib.core.compiling import njit
from studylib.graf import _grow
from studylib.graf._choice import Candidates
from studylib.graf._features import SOURCE_DTYPE
from studylib.graf._predict import find_leaves
from studylib.graf._scaling import Scaling
from studylib.graf._tree import IMPURE, PURE, Tree

_N_SPARSE, _K_SPARSE = 10, 3
_AT_ONCE = 16  # indicators that are written out


class ObliqueFamily:
    """Canonical trees: every hyperplane divides all impure partitions, every tree sees all rows.

    Parameters
    ----------
    X : float64 (n, d), the training rows; NaN where a value is missing, codes in columns of categories
    n_categories : int64 (d,), codes of each column, 0 for one of numbers
    """

    def __init__(self, X, n_categories):
        coded = n_categories > 0
        self._columns = np.argsort(coded, kind="stable")  # numbers first
        self._n_numbers = int((~coded).sum())
        known = ~np.isnan(X)
        n_known = np.maximum(known.sum(axis=0), 1)
        means = np.where(known, X / n_known, 0.0).sum(axis=0)  # divided first: nothing overflows
        self._means = means[~coded]
        sources = _sources(n_categories)
        scaling = Scaling(self._written_out(X, sources, n_categories.max() > 2))
        self._scaling = scaling[: self._n_numbers]
        self._sources = sources if coded.any() else None
        values = scaling[self._n_numbers :](np.array([[0.0], [1.0]]))
        sources["zero"][self._n_numbers :], sources["one"][self._n_numbers :] = values
        self._largest = np.abs(values).max(axis=0)  # of each indicator
        self._training = self.view(X)
        d = len(sources)
        self._settings = _grow.Settings(
            hyperplane=_grow.CHOSEN,
            extend=True,
            extension_gain=0.0,
            min_samples_split=2,
            candidates=Candidates(_N_SPARSE, min(d, _K_SPARSE), k_canonical=math.isqrt(d - 1) + 1, cut=True),
        )

    def _numbers(self, X):
        """The columns of numbers, the mean for what is missing."""
        X = X[:, self._columns[: self._n_numbers]]
        return np.where(np.isnan(X), self._means, X)

    def _written_out(self, X, sources, several):
        """Yield tables with some of the features each, the indicators as numbers.

        The layout decides the order of sums, and so the last bits of the scaling: as long as no column has
        ``several`` indicators, each feature is summed by itself, otherwise row by row.  (numpy sums a
        table of a single column by itself, too, so the part with the numbers also has some indicators.)
        """
        n, codes = self._n_numbers, X[:, self._columns]
        by_row = several or n < 2
        n_parts = -(-(len(sources) - n) // _AT_ONCE) if by_row else 1
        numbers = self._numbers(X)
        for some in np.array_split(sources[n:], max(1, n_parts)):
            part = np.empty((len(X), numbers.shape[1] + len(some)), order="C" if by_row else "F")
            part[:, : numbers.shape[1]] = numbers
            part[:, numbers.shape[1] :] = codes[:, some["row"]] == some["category"]
            numbers = numbers[:, :0]
            yield part

    def view(self, X):
        """What kernels need of rows: see ``_grow.grow`` for data, single, largest and, if any, sources."""
        n = self._n_numbers
        data = np.empty((len(self._columns), len(X)))
        data[:n] = self._scaling(self._numbers(X)).T
        data[n:] = X[:, self._columns[n:]].T
        with np.errstate(over="ignore"):
            single = data.astype(np.float32)
        largest = np.abs(data[:n]).max(axis=1)
        if self._sources is None:
            return data, single, largest
        return data, single, np.append(largest, self._largest), self._sources

    def grow(self, rows, labels, n_classes, states):
        """A tree for each state, on some of the training rows.

        Parameters
        ----------
        rows : int array (m,) or slice
        labels : int32 (m,), class indices, every one of which is there
        n_classes : int
        states : uint64 (n_trees, 1)
        """
        data, single, largest, *sources = self._training
        if not isinstance(rows, slice):
            data, single = np.take(data, rows, axis=1), np.take(single, rows, axis=1)
        totals = np.bincount(labels, minlength=n_classes)
        room = _grow.make_room(
            len(labels), len(largest), n_classes, len(data), self._settings, coded=len(sources) > 0
        )
        return [
            Tree(*_grow.grow(data, single, largest, labels, totals, self._settings, state, *room, *sources))
            for state in states
        ]

    def forget_training(self):
        """Let go of the training rows."""
        del self._training

    @staticmethod
    def leaves(tree, view):
        """Leaf of each row, int32 (n,)."""
        return find_leaves(tree.nodes, tree.features, tree.weights, tree.thresholds, *view)

    @staticmethod
    def first_child(tree):
        """First child of each node, int32 (n_nodes,)."""
        return tree.first_child()

    def importances(self, tree, n_classes):
        """Share of each column in the tree's decrease of Gini impurity, float64 (d,)."""
        rows = np.arange(self._n_numbers) if self._sources is None else self._sources["row"]
        own = tree.importances(len(rows), n_classes, np.ones(len(rows)))
        return np.bincount(self._columns[rows], own, len(self._columns))

    @staticmethod
    def labels(tree):
        """Most frequent class of each leaf, int32 (n_nodes,)."""
        labels = np.where(tree.nodes["plane"] == PURE, tree.nodes["next"], -1).astype(np.int32)
        for leaf in np.flatnonzero(tree.nodes["plane"] == IMPURE):
            rows = tree.leaf_shares(leaf)
            labels[leaf] = rows["label"][rows["count"].argmax()]
        return labels

    @staticmethod
    def add_shares(tree, leaves, votes):
        """Add the class shares of the leaves, as they were in training, to ``votes``, float64 (n, C)."""
        _add_shares(tree.nodes, tree.shares, leaves, votes)


def _sources(n_categories):
    """Numbers, then indicators of categories, one if there are two; SOURCE_DTYPE (d,), values not yet set."""
    numbers, sizes = n_categories[n_categories == 0], n_categories[n_categories > 0]
    sizes = np.where(sizes > 2, sizes, 1)
    row = np.repeat(np.arange(len(n_categories)), np.append(numbers + 1, sizes))
    sources = np.zeros(len(row), SOURCE_DTYPE)
    sources["row"] = row
    sources["category"] = np.concatenate([numbers - 1, *map(np.arange, sizes)])
    return sources


@njit(cache=True, nogil=True)
def _add_shares(nodes, shares, leaves, votes):
    for i in range(leaves.shape[0]):
        node = nodes[leaves[i]]
        if node.plane == PURE:
            votes[i, node.next] += 1.0
            continue
        first, last = node.next, node.next + shares[node.next].rest
        total = 0.0
        for k in range(first, last + 1):
            total += shares[k].count
        for k in range(first, last + 1):
            votes[i, shares[k].label] += shares[k].count / total
