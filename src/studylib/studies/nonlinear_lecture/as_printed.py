"""Two algorithms of the lecture, taken at their word: bestSplit, and Grow of a random forest."""

import itertools
from fractions import Fraction

import numpy as np

from studylib.studies.forest_lecture.experiments import truth_table

#: A tree that has more nodes than this is taken for one that never ends; 20 samples need at most 39.
MOST_NODES = 1000


def gini(labels):
    """The lecture's Gini index Σ p (1 − p), as an exact Fraction."""
    shares = [Fraction(labels.count(label), len(labels)) for label in set(labels)]
    return sum((share * (1 - share) for share in shares), Fraction(0))


def best_split(rows, labels):
    """The lecture's bestSplit(D, F): the feature with the largest gain, or None if no gain is above 0.

    ``rows``: list of tuple; a value of each feature.
    """
    imp_gain, split = 0, None
    for feature in range(len(rows[0])):
        parts = {}
        for row, label in zip(rows, labels, strict=True):
            parts.setdefault(row[feature], []).append(label)
        gain = gini(labels) - sum(Fraction(len(part), len(labels)) * gini(part) for part in parts.values())
        if gain > imp_gain:
            imp_gain, split = gain, feature
    return split


def splits_of_boolean_functions(n_variables):
    """Whether bestSplit returns a feature, for each Boolean function that is not constant: list of bool."""
    rows = [tuple(row) for row in truth_table(n_variables).astype(int).tolist()]
    functions = itertools.product([0, 1], repeat=len(rows))
    return [best_split(rows, list(labels)) is not None for labels in functions if len(set(labels)) > 1]


def labelled_right(rows, labels):
    """How many rows a tree labels right that expands a leaf only if a test labels more of them right."""
    right, children = max(map(labels.count, labels)), None
    for feature in range(len(rows[0])):
        parts = {}
        for row, label in zip(rows, labels, strict=True):
            parts.setdefault(row[feature], []).append((row, label))
        divided = [tuple(zip(*part, strict=True)) for part in parts.values()]
        after = sum(max(map(of.count, of)) for _, of in divided)
        if after > right:
            right, children = after, divided
    return sum(labelled_right(*child) for child in children) if children else right


def advice_labels_all(n_variables):
    """Whether such a tree labels every row right, for each Boolean function that is not constant."""
    rows = [tuple(row) for row in truth_table(n_variables).astype(int).tolist()]
    functions = itertools.product([0, 1], repeat=len(rows))
    return [labelled_right(rows, labels) == len(rows) for labels in functions if len(set(labels)) > 1]


def grow_ends(seed, stop_if_pure=False, n_samples=20, n_features=4, m=2):
    """Whether the lecture's Grow(S_N, m, T) ends on random samples, before it has added a thousand nodes.

    It returns at an empty node only.  Of cuts with equal gain the first is taken; at a feature's largest
    value one child is empty.

    ``stop_if_pure``: whether it also returns at a pure node, which the lecture does not print.
    """
    rng = np.random.default_rng(seed)
    X, y = rng.random((n_samples, n_features)).tolist(), rng.integers(0, 2, n_samples).tolist()
    n_nodes, open_nodes = 1, [list(range(n_samples))]
    while open_nodes:
        node = open_nodes.pop()
        if not node or (stop_if_pure and len({y[i] for i in node}) == 1):
            continue
        cuts = [(f, X[i][f]) for f in rng.choice(n_features, m, replace=False) for i in node]
        children = min((_divided(node, X, cut) for cut in cuts), key=lambda pair: _impurity(pair, y))
        open_nodes += children
        n_nodes += 2
        if n_nodes > MOST_NODES:
            return False
    return True


def _divided(node, X, cut):
    feature, value = cut
    return [i for i in node if X[i][feature] <= value], [i for i in node if X[i][feature] > value]


def _impurity(pair, y):
    """Impurity of two children, each weighted by its samples."""
    return sum(len(child) * gini([y[i] for i in child]) for child in pair if child)
