"""The oblique family of a blend: canonical trees on numbers with nothing missing."""

import math

import numpy as np

from studylib.blend._tree import BlendedTree, View
from studylib.core.compiling import njit
from studylib.core.random import next_uniform
from studylib.graf import _grow
from studylib.graf._candidates import Candidates
from studylib.graf._features import SOURCE_DTYPE
from studylib.graf._nodes import IMPURE, PURE
from studylib.graf._predict import find_leaves
from studylib.graf._scaling import Scaling
from studylib.graf._space import largest_of, rounded
from studylib.graf._tree import Tree

_N_SPARSE, _K_SPARSE = 10, 3
_AT_ONCE = 16  # indicators that are written out


class ObliqueTree(BlendedTree):
    """An oblique tree of a blend: a node asks whether a weighted sum of columns lies above a threshold.

    ``arrays`` is a :class:`studylib.graf.Tree` over standardised numbers and indicators of categories.
    """

    def __init__(self, view, arrays):
        super().__init__(view)
        self.arrays = arrays

    @property
    def feature_importances_(self):
        """Share of each column in the tree's decrease of Gini impurity, float64 (n_features,); sum 1 or 0.

        What a hyperplane gains is shared among its columns in proportion to their weights.
        """
        columns = self._view.column_of_feature()
        shares = self.arrays.importances(len(columns), len(self.classes_), np.ones(len(columns)))
        return np.bincount(columns, shares, self.n_features_in_)

    def _leaves_of(self, rows):
        a = self.arrays
        return find_leaves(a.nodes, a.features, a.weights, a.thresholds, *rows)

    def _first_child(self):
        return self.arrays._first_child()

    def _node_samples(self):
        return self.arrays.n_samples

    def _leaf_counts(self):
        return self.arrays.leaf_counts(len(self.classes_))

    def _leaf_labels(self):
        nodes = self.arrays.nodes
        labels = np.where(nodes["plane"] == PURE, nodes["next"], -1).astype(np.int32)
        for leaf in np.flatnonzero(nodes["plane"] == IMPURE):
            rows = self.arrays.leaf_shares(leaf)
            labels[leaf] = rows["label"][rows["count"].argmax()]
        return labels

    def _add_shares(self, leaves, votes):
        _add_shares(self.arrays.nodes, self.arrays.shares, leaves, votes)

    def _thresholds(self):
        raise ValueError(
            "ObliqueTree: to_arrays needs tests of one column each, but its nodes compare weighted sums of "
            "columns; see to_dot."
        )

    def _texts(self, node):
        a = self.arrays
        plane = a.nodes["plane"][node]
        if plane < 0:
            return self._leaf_text(node), []
        terms, threshold = self._view.terms(a.features[plane], a.weights[plane], a.thresholds[plane])
        return f"{' '.join(terms)} > {threshold:.4g}\nn = {a.n_samples[node]}", ["no", "yes"]


class ObliqueView(View):
    """Rows as oblique trees see them: standardised numbers, the mean for what is missing, and codes.

    ``X``, float64 (n, d), are the training rows; NaN where a value is missing, codes in columns of
    categories.  ``weight``, float64 (n,) or None, counts in the means.
    """

    def __init__(self, X, table, classes, weight=None):
        super().__init__(table, classes)
        coded = table.n_categories > 0
        self._columns = np.argsort(coded, kind="stable")  # numbers first
        self._n_numbers = int((~coded).sum())
        self._means = _means(X, weight)[~coded]
        sources = _sources(table.n_categories)
        scaling = Scaling(self._written_out(X, sources, table.n_categories.max() > 2))
        self._scaling = scaling[: self._n_numbers]
        self._sources = sources if coded.any() else None
        values = scaling[self._n_numbers :](np.array([[0.0], [1.0]]))
        sources["zero"][self._n_numbers :], sources["one"][self._n_numbers :] = values
        self._largest = np.abs(values).max(axis=0)  # of each indicator

    def _numbers(self, X):
        """The columns of numbers, the mean for what is missing."""
        if self._n_numbers < X.shape[1]:
            X = X[:, self._columns[: self._n_numbers]]
        missing = np.isnan(X)
        return np.where(missing, self._means, X) if missing.any() else X

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

    def rows(self, X):
        """Rows as kernels read them: data, single, largest and, if any, sources; see ``_grow.grow``."""
        n = self._n_numbers
        numbers = self._scaling(self._numbers(X), "F").T
        if self._sources is None:
            return numbers, rounded(numbers), largest_of(numbers)
        data = np.concatenate([numbers, X.T[self._columns[n:]]])
        return data, rounded(data), np.append(largest_of(numbers), self._largest), self._sources

    def n_read(self):
        return len(self.column_of_feature())

    def column_of_feature(self):
        """Column of the table that each feature comes from, int array."""
        rows = np.arange(self._n_numbers) if self._sources is None else self._sources["row"]
        return self._columns[rows]

    def terms(self, features, weights, threshold):
        """A hyperplane over the numbers of the table: texts of its terms, and its threshold.

        As in a :class:`studylib.graf.Tree`, ``features`` are int32 (k,), ``weights`` float64 (k,).
        """
        columns, texts = self.column_of_feature(), []
        for feature, weight in zip(features, weights, strict=True):
            if weight == 0.0:
                continue
            column = columns[feature]
            if feature < self._n_numbers:
                s = self._scaling
                coefficient = weight / s.scale[feature] / s.unit[feature]
                threshold += weight * s.center[feature] / s.scale[feature]
                text = self.name(column)
            else:
                source = self._sources[feature]
                coefficient = weight * (source["one"] - source["zero"])
                threshold -= weight * source["zero"]
                text = f"[{self.is_category(column, source['category'])}]"
            texts.append(f"{coefficient:+.4g} · {text}")
        return texts, threshold


class ObliqueFamily:
    """Grows canonical trees: every hyperplane divides all impure partitions, every tree sees all rows.

    Where rows have weights, float64 (n,), a tree sees a row as often as its weight over their mean, rounded
    up or down at random.  ``X``, float64 (n, d), are the training rows; NaN where a value is missing, codes
    in columns of categories.
    """

    def __init__(self, X, table, classes, weight=None):
        self.view = ObliqueView(X, table, classes, weight)
        self._training, self._weight = self.view.rows(X), weight
        d = len(self.view.column_of_feature())
        self._settings = _grow.Settings(
            hyperplane=_grow.CHOSEN,
            extend=True,
            extension_gain=0.0,
            min_samples_split=2,  # another one for each call of ``grow``
            candidates=Candidates(_N_SPARSE, min(d, _K_SPARSE), k_canonical=math.isqrt(d - 1) + 1, cut=True),
        )

    def grow(self, rows, labels, n_classes, states, min_samples_split=2):
        """Grow a tree for each state, uint64 (n_trees, 1), on some of the training rows.

        ``labels``, int32, are the class indices of these rows.
        """
        data, single, largest, *sources = self._training
        settings = self._settings._replace(min_samples_split=min_samples_split)
        if not isinstance(rows, slice):
            data, single = np.take(data, rows, axis=1), np.take(single, rows, axis=1)
        relative, most = None, len(labels)
        if self._weight is not None:
            relative = self._weight[rows] / self._weight[rows].mean()
            most = int((np.floor(relative) + 1.0).sum())
        room = _grow.make_workspace(
            most, len(largest), n_classes, len(data), settings, coded=len(sources) > 0
        )
        trees = []
        for state in states:
            seen = data, single, labels
            if relative is not None:
                bag = np.repeat(np.arange(len(labels)), _round_at_random(relative, state))
                seen = np.take(data, bag, axis=1), np.take(single, bag, axis=1), labels[bag]
            totals = np.bincount(seen[2], minlength=n_classes)
            arrays = _grow.grow(*seen[:2], largest, seen[2], totals, settings, state, *room, *sources)
            trees.append(ObliqueTree(self.view, Tree(*arrays)))
        return trees


def _means(X, weight):
    """Mean of what is known in each column, float64 (d,); 0 where nothing is."""
    known = ~np.isnan(X)
    if weight is None:
        n_known = np.maximum(known.sum(axis=0), 1)
        return np.where(known, X / n_known, 0.0).sum(axis=0)  # divided first: nothing overflows
    share = known * weight[:, None]
    total = share.sum(axis=0)
    share /= np.where(total > 0, total, 1.0)
    return np.where(known, X * share, 0.0).sum(axis=0)


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
def _round_at_random(numbers, rng):
    """Each number rounded up or down, up with a chance of its fraction; int64 (n,)."""
    rounded = np.empty(numbers.shape[0], np.int64)
    for i in range(numbers.shape[0]):
        rounded[i] = np.int64(numbers[i] + next_uniform(rng))
    return rounded


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
