"""Numba kernels that grow one multiway tree.

A node has a child for every value of the column it asks, or, where the column is cut, for the numbers up to a
threshold, those above it, and the missing ones.

Data layout as in ``_grow``, whose counts, impurities and nodes are used here: ``codes[feature, sample]``, and
the node array is the queue.  Below a split by values all samples of a node agree on the column that was
asked, so "such a column is asked at most once on a path" needs no bookkeeping: it has one value and is passed
over like any other that cannot tell samples apart.

Which columns are cut says ``n_known``: their numbers of known values, and ``BY_VALUE`` for the others.
"""

from typing import NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.core.kernels import midpoint
from studylib.core.tree import LEAF
from studylib.trees._class_counts import make_workspace, sizes_of, tally
from studylib.trees._gains import CHI_SQUARE, INFORMATION, chi_square, impurity, is_worth, total_of
from studylib.trees._grow import NO_LIMIT, _make_node
from studylib.trees._nodes import NODE_DTYPE

GAIN_RATIO = 7  # behind the codes of ``_grow``
BY_VALUE = -1  # no cut: in ``n_known`` of a column, and in the code of a split

#: Gains that differ by less than this share of the node's impurity are tied.  Equal gains differ in
#: the last bits when their terms are summed in another order, and then the names of the categories would
#: decide which of two columns comes first.
TIE = 1e-10


class Settings(NamedTuple):
    """Growth parameters, as the kernels read them."""

    criterion: int
    max_depth: int = NO_LIMIT
    min_samples_split: int = 2
    max_leaf_nodes: int = NO_LIMIT
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0


@njit(cache=True, nogil=True)
def split_gain(criterion, parent, n, parent_impurity, table):
    """Gain of a split into children with the class counts ``table`` (n_children, n_classes), none empty."""
    weighted, statistic, split_information = 0.0, 0.0, 0.0
    measure = INFORMATION if criterion == GAIN_RATIO else criterion
    for k in range(table.shape[0]):
        n_child = total_of(table[k])
        if criterion == CHI_SQUARE:
            statistic += chi_square(criterion, parent, n, table[k], n_child)
        else:
            weighted += n_child * impurity(measure, table[k], n_child)
        split_information -= n_child / n * np.log2(n_child / n)
    if criterion == CHI_SQUARE:
        return statistic
    gain = parent_impurity - weighted / n
    return gain / split_information if criterion == GAIN_RATIO else gain


@njit(cache=True, nogil=True)
def _two_large(column, samples, m, workspace, s, least_weight):
    """Test if two of the ``m`` values that :func:`tally` has found have enough samples and weight."""
    large = np.ones(m, np.bool_)
    if s.min_samples_leaf > 1:
        sizes = sizes_of(column, samples, m, workspace.present, workspace.row_of, workspace.sizes)
        large &= sizes >= s.min_samples_leaf
    for k in range(m):
        large[k] &= total_of(workspace.table[k]) >= least_weight
    return large.sum() >= 2


@njit(cache=True, nogil=True)
def branches(table, n_numbers):
    """Sums of rows in the branches of every cut, float64 (n_cuts, n_branches, n_columns).

    ``table`` is float64 (m, n_columns), a row for each value: ``n_numbers`` ascending ones, then perhaps
    "missing".  Cut k has the numbers up to the k-th, those above it, and the missing; with a single number
    there is one cut, of known and missing.  Both sides are summed, neither is a difference: see ``_grow``.
    """
    m, n_columns = table.shape
    if n_numbers == 1:
        return table.copy().reshape((1, m, n_columns))
    out = np.zeros((n_numbers - 1, 2 + m - n_numbers, n_columns))
    for c in range(n_columns):
        total = 0.0
        for k in range(n_numbers - 1):
            total += table[k, c]
            out[k, 0, c] = total
        total = 0.0
        for k in range(n_numbers - 1, 0, -1):
            total += table[k, c]
            out[k - 1, 1, c] = total
        if m > n_numbers:
            for k in range(n_numbers - 1):
                out[k, 2, c] = table[n_numbers, c]
    return out


@njit(cache=True, nogil=True)
def allowed_cuts(parts, column, samples, m, n_numbers, workspace, s, least_weight):
    """Cuts that leave enough samples and weight on both sides, bool (n_cuts,)."""
    large = np.ones(parts.shape[0], np.bool_)
    for k in range(parts.shape[0]):
        large[k] = min(total_of(parts[k, 0]), total_of(parts[k, 1])) >= least_weight
    if s.min_samples_leaf > 1:
        sizes = sizes_of(column, samples, m, workspace.present, workspace.row_of, workspace.sizes)
        sizes = sizes.astype(np.float64).reshape((m, 1))
        counted = branches(sizes, n_numbers)
        for k in range(parts.shape[0]):
            large[k] &= min(counted[k, 0, 0], counted[k, 1, 0]) >= s.min_samples_leaf
    return large


@njit(cache=True, nogil=True)
def _best_cut(parts, allowed, criterion, counts, n, parent_impurity):
    """The cut with the largest gain, the first of tied ones: ``(gain, cut)``; -1 if none is allowed.

    As in C4.5 the gain ratio judges the column by the cut that has the largest information gain.
    """
    measure = INFORMATION if criterion == GAIN_RATIO else criterion
    best, cut = -np.inf, -1
    for k in range(parts.shape[0]):
        if allowed[k]:
            gain = split_gain(measure, counts, n, parent_impurity, parts[k])
            if gain > best + TIE * parent_impurity:
                best, cut = gain, k
    if cut >= 0 and criterion == GAIN_RATIO:
        best = split_gain(criterion, counts, n, parent_impurity, parts[cut])
    return best, cut


@njit(cache=True, nogil=True)
def _best_column(codes, n_codes, n_known, samples, y, weight, counts, workspace, s, least_weight):
    """Column with the largest gain among those that can split here: ``(gain, column, code, next code)``.

    The first of tied columns wins; -1 if there is none.  The codes are those on the two sides of a cut; that
    of known and missing has ``n_known`` of the column as its code.  ``samples``, ``y``, ``weight`` and
    ``counts`` are those of the node; a branch must have ``least_weight``.
    """
    criterion, table = s.criterion, workspace.table
    code, following = BY_VALUE, BY_VALUE
    n = total_of(counts)
    measure = INFORMATION if criterion == GAIN_RATIO else criterion
    parent_impurity = n if criterion == CHI_SQUARE else impurity(measure, counts, n)
    best, column = -np.inf, -1
    for f in range(codes.shape[0]):
        m = tally(codes[f], n_codes[f], samples, y, weight, workspace)
        if m < 2:
            continue
        if n_known[f] == BY_VALUE:
            if _two_large(codes[f], samples, m, workspace, s, least_weight):
                gain = split_gain(criterion, counts, n, parent_impurity, table[:m])
                if gain > best + TIE * parent_impurity:
                    best, column, code, following = gain, f, BY_VALUE, BY_VALUE
            continue
        n_numbers = m - (workspace.present[m - 1] == n_known[f])
        parts = branches(table[:m], n_numbers)
        allowed = allowed_cuts(parts, codes[f], samples, m, n_numbers, workspace, s, least_weight)
        gain, cut = _best_cut(parts, allowed, criterion, counts, n, parent_impurity)
        if cut >= 0 and gain > best + TIE * parent_impurity:
            best, column = gain, f
            code, following = sides(workspace.present, cut, n_numbers, n_known[f])
    return best, column, code, following


@njit(cache=True, nogil=True)
def sides(present, cut, n_numbers, n_known):
    """The codes on the two sides of a cut: see ``_best_column``."""
    return (n_known, n_known) if n_numbers == 1 else (present[cut], present[cut + 1])


@njit(cache=True, nogil=True)
def _can_split(node, counts, s):
    """Test if a node is impure and within the limits."""
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
def _n_children(n_codes, n_known, code):
    """Children of a split, given the column's numbers of codes and of known values."""
    if code == BY_VALUE:
        return n_codes
    return 2 + (n_codes > n_known) if code < n_known else np.int64(2)


@njit(cache=True, nogil=True)
def _cut_outcomes(column, n_known, code, samples, out):
    """Outcome of a cut for each sample, in ``out[sample]``: 0 up to it, 1 above it, the last if missing."""
    missing = 2 if code < n_known else 1
    for i in samples:
        out[i] = missing if column[i] == n_known else column[i] > code


@njit(cache=True, nogil=True)
def _cut_value(values, n_known, code, following):
    """The largest number of the training table that is not above the middle of two; infinity for "known".

    So every threshold is a number of the table, as in C4.5.
    """
    if code == n_known:
        return np.inf
    middle = midpoint(values[code], values[following])
    while values[code + 1] <= middle:
        code += 1
    return values[code]


@njit(cache=True, nogil=True)
def _split(tree, n_nodes, i, split, column, n_codes, n_known, values, data, buffers, outcomes):
    """Give node ``i`` a child for each outcome; returns the tree's arrays and its new size.

    ``tree`` is ``(nodes, spans, counts)``, ``n_nodes`` its size so far, ``split`` what ``_best_column``
    returns; ``column``, ``n_codes``, ``n_known`` and ``values`` are those of the column that is asked.
    ``data`` is ``(samples, y, weight)``; those of the node are reordered, for which ``buffers`` and
    ``outcomes``, int32 (n_samples,), are room.
    """
    gain, feature, code, following = split
    n_children = _n_children(n_codes, n_known, code)
    nodes, spans, counts = tree = _with_room(tree, n_nodes, n_nodes + n_children)
    node = nodes[i]
    if code != BY_VALUE:
        _cut_outcomes(column, n_known, code, data[0][spans[i, 0] : spans[i, 1]], outcomes)
        node.value = _cut_value(values, n_known, code, following)
        column = outcomes
    bounds = _sort_by_code(column, n_children, data, buffers, spans[i, 0], spans[i, 1])
    node.feature = feature
    node.first_child = n_nodes
    node.gain = gain
    for v in range(n_children):
        child = n_nodes + v
        start, stop = bounds[v], bounds[v + 1]
        _make_node(nodes, spans, counts, child, node.depth + 1, start, stop, data[1], data[2], False)
        if start == stop:
            nodes[child].label = node.label
    return tree, n_nodes + n_children


def _root(n_codes, y, weight, n_classes):
    """A tree that is a lone root, the order of its samples, and room to work in."""
    n = y.shape[0]
    samples, buffers, workspace = make_workspace(n, n_codes, n_classes)
    data = (samples, y, weight)
    tree = (np.empty(64, NODE_DTYPE), np.empty((64, 2), np.int64), np.empty((64, n_classes)))
    _make_node(tree[0], tree[1], tree[2], 0, 0, 0, n, y, weight, False)
    return tree, data, buffers, workspace, np.empty(n, np.int32)


def grow(codes, n_codes, n_known, values, y, weight, n_classes, s):
    """Grow one tree over all samples, level by level: nodes, counts, and how many of either are used.

    ``codes`` is int32 (n_features, n_samples), C order, with ``0 <= codes[f] < n_codes[f]``; ``n_codes``,
    int64 (n_features,); ``n_known``, int64 (n_features,), numbers of known values of the columns that are
    cut, else ``BY_VALUE``; ``values``, float64 (n_features, max(n_codes)), the number behind each code.
    ``y``, int32 (n_samples,), class indices, and ``weight``, float64 (n_samples,), positive, are overwritten.
    The nodes are NODE_DTYPE (n_nodes,), breadth first: outcome ``v`` of a node leads to ``first_child + v``.
    The counts, float64 (n_nodes, n_classes), are class weights of the training samples in each.
    """
    return _grow_from(*_root(n_codes, y, weight, n_classes), codes, n_codes, n_known, values, s)


@njit(cache=True, nogil=True)
def _grow_from(tree, data, buffers, workspace, outcomes, codes, n_codes, n_known, values, s):
    """Grow one tree as :func:`grow` does, from the results of :func:`_root`, its first five parameters."""
    n_nodes, n_leaves, i = 1, 1, -1
    whole = total_of(tree[2][0])
    least_weight = s.min_weight_fraction_leaf * whole
    while i + 1 < n_nodes:
        i += 1
        nodes, spans, counts = tree
        if not _can_split(nodes[i], counts[i], s):
            continue
        start, stop = spans[i, 0], spans[i, 1]
        split = _best_column(
            codes,
            n_codes,
            n_known,
            data[0][start:stop],
            data[1][start:stop],
            data[2][start:stop],
            counts[i],
            workspace,
            s,
            least_weight,
        )
        gain, f, code, _ = split
        if f < 0:
            continue
        more = _n_children(n_codes[f], n_known[f], code) - 1
        if not _is_split(gain, total_of(counts[i]), whole, n_leaves + more, s):
            continue
        of_column = (codes[f], n_codes[f], n_known[f], values[f])
        tree, n_nodes = _split(tree, n_nodes, i, split, *of_column, data, buffers, outcomes)
        n_leaves += more
    return tree[0], tree[2], n_nodes


@njit(cache=True, nogil=True)
def _is_split(gain, n, whole, n_leaves, s):
    """Test if a split is made at a node of weight ``n`` that leads to ``n_leaves`` in the tree."""
    return n_leaves <= s.max_leaf_nodes and is_worth(gain, n, whole, s.criterion, s.min_impurity_decrease)


@njit(cache=True, nogil=True)
def find_nodes(nodes, cuts, n_known, codes):
    """Node at which each row ends, int64 (n_samples,), given its codes (n_features, n_samples).

    That is a leaf, or the node that asks for a value which has no child, code -1.  In a column that is cut
    the code of a number is how many of the known ones are below it, and a missing one has ``n_known + 1``.
    ``cuts`` is the code of each node's threshold, ``n_known`` for "known", and ``BY_VALUE`` elsewhere.
    """
    reached = np.zeros(codes.shape[1], np.int64)
    for i in range(codes.shape[1]):
        at = 0
        while nodes[at].feature != LEAF:
            f = nodes[at].feature
            outcome = codes[f, i]
            if outcome < 0:
                break
            if cuts[at] != BY_VALUE:
                if outcome > n_known[f]:
                    outcome = 2 if cuts[at] < n_known[f] else 1
                else:
                    outcome = np.int32(outcome > cuts[at])
            at = nodes[at].first_child + outcome
        reached[i] = at
    return reached
