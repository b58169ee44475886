"""Numba kernels that grow one multiway tree: a node has a child for every value of the column it asks.

Data layout as in ``_grow``, whose tally, indices and nodes are used here: ``codes[feature, sample]``, and
the node array is the queue.  Below a split all samples of a node agree on the column that was asked, so
"a column is asked at most once on a path" needs no bookkeeping: such a column has one value and is passed
over like any other that cannot tell samples apart.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from studylib.core.tree import LEAF
from studylib.trees import _grow
from studylib.trees._grow import (
    CHI_SQUARE,
    INFORMATION,
    _chi_square,
    _make_node,
    _tally,
    impurity,
    is_worth,
    sizes_of,
)
from studylib.trees._grow_in_python import _OwnIndex
from studylib.trees._nodes import NODE_DTYPE

GAIN_RATIO = 7  # behind the codes of ``_grow``

#: Gains that differ by less than this share of the node's impurity are tied.  Equal gains differ in
#: the last bits when their terms are summed in another order, and then the names of the categories would
#: decide which of two columns comes first.
TIE = 1e-10


class Settings(NamedTuple):
    """What steers the growth."""

    criterion: int
    max_depth: int
    min_samples_split: int
    max_leaf_nodes: int = 2**62
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0


@njit(cache=True, nogil=True)
def split_gain(criterion, parent, n, parent_impurity, table):
    """Gain of a split into children with the class counts ``table`` (n_children, n_classes), none empty."""
    weighted, statistic, split_information = 0.0, 0.0, 0.0
    index = INFORMATION if criterion == GAIN_RATIO else criterion
    for k in range(table.shape[0]):
        n_child = table[k].sum()
        if criterion == CHI_SQUARE:
            statistic += _chi_square(criterion, parent, n, table[k], n_child)
        else:
            weighted += n_child * impurity(index, table[k], n_child)
        split_information -= n_child / n * np.log2(n_child / n)
    if criterion == CHI_SQUARE:
        return statistic
    gain = parent_impurity - weighted / n
    return gain / split_information if criterion == GAIN_RATIO else gain


@njit(cache=True, nogil=True)
def _two_large(column, samples, m, scratch, s, least_weight):
    """Whether two of the ``m`` values that :func:`_tally` has found have enough samples and weight."""
    large = np.ones(m, np.bool_)
    if s.min_samples_leaf > 1:
        large &= sizes_of(column, samples, m, scratch) >= s.min_samples_leaf
    for k in range(m):
        large[k] &= scratch[2][k].sum() >= least_weight
    return large.sum() >= 2


@njit(cache=True, nogil=True)
def _best_column(codes, n_codes, samples, y, weight, counts, scratch, s, least_weight):
    """Column with the largest gain among those that can split here: ``(gain, column)``, else -1.

    The first of tied columns wins.
    """
    criterion, table = s.criterion, scratch[2]
    n = counts.sum()
    index = INFORMATION if criterion == GAIN_RATIO else criterion
    parent_impurity = n if criterion == CHI_SQUARE else impurity(index, counts, n)
    best, column = -np.inf, -1
    for f in range(codes.shape[0]):
        m = _tally(codes[f], n_codes[f], samples, y, weight, scratch)
        if m > 1 and _two_large(codes[f], samples, m, scratch, s, least_weight):
            gain = split_gain(criterion, counts, n, parent_impurity, table[:m])
            if gain > best + TIE * parent_impurity:
                best, column = gain, f
    return best, column


@njit(cache=True, nogil=True)
def _can_split(node, counts, s):
    """Whether a node is impure and within the limits."""
    present = 0
    for c in range(counts.shape[0]):
        present += counts[c] > 0.0
    return present > 1 and node.n_samples >= s.min_samples_split and node.depth < s.max_depth


@njit(cache=True, nogil=True)
def _sort_by_code(column, n_codes, data, buffers, start, stop):
    """Sort a node's samples stably by their codes; returns where each code starts, and the end."""
    samples, y, weight = data
    sorted_samples, sorted_y, sorted_weight = buffers
    bounds = np.zeros(n_codes + 1, np.int64)
    for i in range(start, stop):
        bounds[column[samples[i]] + 1] += 1
    bounds[0] = start
    for v in range(n_codes):
        bounds[v + 1] += bounds[v]
    at = bounds[:-1].copy()
    for i in range(start, stop):
        v = column[samples[i]]
        sorted_samples[at[v]], sorted_y[at[v]], sorted_weight[at[v]] = samples[i], y[i], weight[i]
        at[v] += 1
    for i in range(start, stop):  # assigning slices would take numba four more seconds to compile
        samples[i], y[i], weight[i] = sorted_samples[i], sorted_y[i], sorted_weight[i]
    return bounds


@njit(cache=True, nogil=True)
def _with_room(tree, n_nodes, wanted):
    """The tree's arrays with room for ``wanted`` nodes: themselves, or copies of at least twice the size."""
    nodes, spans, counts = tree
    if wanted <= nodes.shape[0]:
        return tree
    capacity = max(wanted, 2 * nodes.shape[0])
    more_nodes = np.empty(capacity, NODE_DTYPE)
    more_spans = np.empty((capacity, 2), np.int64)
    more_counts = np.empty((capacity, counts.shape[1]))
    for i in range(n_nodes):
        more_nodes[i] = nodes[i]
        for k in range(2):
            more_spans[i, k] = spans[i, k]
        for c in range(counts.shape[1]):
            more_counts[i, c] = counts[i, c]
    return more_nodes, more_spans, more_counts


@njit(cache=True, nogil=True)
def _split(tree, n_nodes, i, gain, feature, column, n_codes, data, buffers):
    """Give node ``i`` a child for every code of a column; returns the tree's arrays and its new size."""
    nodes, spans, counts = tree = _with_room(tree, n_nodes, n_nodes + n_codes)
    bounds = _sort_by_code(column, n_codes, data, buffers, spans[i, 0], spans[i, 1])
    node = nodes[i]
    node.feature = feature
    node.first_child = n_nodes
    node.gain = gain
    for v in range(n_codes):
        child = n_nodes + v
        start, stop = bounds[v], bounds[v + 1]
        _make_node(nodes, spans, counts, child, node.depth + 1, start, stop, data[1], data[2], False)
        if start == stop:
            nodes[child].label = node.label
    return tree, n_nodes + n_codes


@njit(cache=True, nogil=True)
def _root(n_codes, y, weight, n_classes):
    """A tree that is a lone root, the order of its samples, and room to work in."""
    n = y.shape[0]
    samples, buffers, scratch = _grow.work_space(n, n_codes, n_classes)
    data = (samples, y, weight)
    tree = (np.empty(64, NODE_DTYPE), np.empty((64, 2), np.int64), np.empty((64, n_classes)))
    _make_node(tree[0], tree[1], tree[2], 0, 0, 0, n, y, weight, False)
    return tree, data, buffers, scratch


@njit(cache=True, nogil=True)
def grow(codes, n_codes, y, weight, n_classes, s):
    """Grow one tree over all samples, level by level.

    Parameters
    ----------
    codes : int32 (n_features, n_samples), C order; ``0 <= codes[f] < n_codes[f]``
    n_codes : int64 (n_features,)
    y : int32 (n_samples,), class indices; overwritten
    weight : float64 (n_samples,), positive; overwritten
    s : Settings

    Returns
    -------
    nodes : NODE_DTYPE (n_nodes,), breadth first; value ``v`` of a node's column leads to ``first_child + v``
    counts : float64 (n_nodes, n_classes), class weights of the training samples in each node
    n_nodes : int, used entries of both
    """
    tree, data, buffers, scratch = _root(n_codes, y, weight, n_classes)
    n_nodes, n_leaves, i = 1, 1, -1
    whole = tree[2][0].sum()
    least_weight = s.min_weight_fraction_leaf * whole
    while i + 1 < n_nodes:
        i += 1
        nodes, spans, counts = tree
        if not _can_split(nodes[i], counts[i], s):
            continue
        start, stop = spans[i, 0], spans[i, 1]
        gain, f = _best_column(
            codes,
            n_codes,
            data[0][start:stop],
            data[1][start:stop],
            data[2][start:stop],
            counts[i],
            scratch,
            s,
            least_weight,
        )
        if f < 0 or not _is_split(gain, counts[i].sum(), whole, n_leaves + n_codes[f] - 1, s):
            continue
        tree, n_nodes = _split(tree, n_nodes, i, gain, f, codes[f], n_codes[f], data, buffers)
        n_leaves += n_codes[f] - 1
    return tree[0], tree[2], n_nodes


@njit(cache=True, nogil=True)
def _is_split(gain, n, whole, n_leaves, s):
    """Whether the best split of a node of weight ``n`` is made, which leads to ``n_leaves`` in the tree."""
    return n_leaves <= s.max_leaf_nodes and is_worth(gain, n, whole, s.criterion, s.min_impurity_decrease)


def grow_with_index(owner, index, codes, n_codes, y, weight, n_classes, s):
    """Grow one tree with a custom index, ``index(counts) -> float``: :func:`grow` from Python."""
    score = _OwnIndex(owner, index).score
    tree, data, buffers, scratch = _root(n_codes, y, weight, n_classes)
    whole = float(tree[2][0].sum())
    least_weight = s.min_weight_fraction_leaf * whole

    def best_column(counts, here):
        parent_impurity = float(score(counts[None])[0])
        best, column = -np.inf, LEAF
        for f in range(len(codes)):
            m = _tally(codes[f], n_codes[f], data[0][here], data[1][here], data[2][here], scratch)
            if m > 1 and _two_large(codes[f], data[0][here], m, scratch, s, least_weight):
                table = scratch[2][:m]
                gain = parent_impurity - table.sum(axis=1) @ score(table) / counts.sum()
                if gain > best + TIE * abs(parent_impurity):
                    best, column = gain, f
        return best, column

    n_nodes, n_leaves, i = 1, 1, -1
    while i + 1 < n_nodes:
        i += 1
        nodes, spans, counts = tree
        if not _can_split(nodes[i], counts[i], s):
            continue
        gain, f = best_column(counts[i], slice(*spans[i]))
        if f < 0 or not _is_split(gain, counts[i].sum(), whole, n_leaves + n_codes[f] - 1, s):
            continue
        tree, n_nodes = _split(tree, n_nodes, i, gain, f, codes[f], n_codes[f], data, buffers)
        n_leaves += n_codes[f] - 1
    return tree[0], tree[2], n_nodes


@njit(cache=True, nogil=True)
def find_nodes(nodes, codes):
    """Node at which each row ends, int64 (n_samples,), given its codes (n_features, n_samples).

    That is a leaf, or the node that asks for a value which has no child, code -1.
    """
    found = np.zeros(codes.shape[1], np.int64)
    for i in range(codes.shape[1]):
        at = 0
        while nodes[at].feature != LEAF and codes[nodes[at].feature, i] >= 0:
            at = nodes[at].first_child + codes[nodes[at].feature, i]
        found[i] = at
    return found
