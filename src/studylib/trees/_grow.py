"""Numba kernels that grow one tree.

Data layout
-----------
Every column arrives as integer codes in ascending order of its values, ``codes[feature, sample]``, so a
numeric and a categorical column are scored alike: tally the classes of each code present in the node,
then walk over the codes once.  ``code_values[feature]`` gives back the number behind a code (the code
itself for a category).  A missing value has the highest code of its column; in a numeric column its value
is ``+inf``, so that the last threshold reads "is known" (and an equality with it "is missing").

Growing is level by level: the queue of the textbook algorithm is the node array itself, because nodes are
numbered in the order in which they are made.
"""

from typing import NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.core.kernels import first_of_largest, midpoint
from studylib.core.random import next_word
from studylib.core.tree import LEAF
from studylib.core.unmanaged import without_refcount
from studylib.trees._class_counts import ascending, make_workspace, sizes_of, tally
from studylib.trees._gains import (
    GINI,
    INFORMATION,
    SQRT_GINI,
    entropy,
    impurity,
    is_worth,
    split_gain,
    total_of,
)
from studylib.trees._nodes import NODE_DTYPE

NO_LIMIT = 2**62


class Settings(NamedTuple):
    """Growth parameters, as the kernels read them: integers and floats only, so that they compile once.

    ``max_depth`` counts from 0 at the root, ``source_compatible`` or not.  The two shares are of the total
    weight of the training samples.
    """

    criterion: int
    max_features: int
    max_depth: int = NO_LIMIT
    max_leaf_nodes: int = NO_LIMIT
    max_nodes: int = NO_LIMIT
    min_samples_split: int = 2
    min_entropy: float = 0.0
    source_compatible: bool = False
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0


def settings_of(kind, parameters, **computed):
    """Settings of a ``kind`` of tree: computed values, and the checked parameters of the same names."""
    named = {name: value for name, value in vars(parameters).items() if name in kind._fields}
    return kind(**{**named, **computed})


@njit(cache=True, nogil=True)
def _only_class(row, least):
    """The class of a value that has samples of one class only, with at least ``least`` weight; else -1."""
    found = -1
    for c in range(row.shape[0]):
        if row[c] > 0.0:
            if found >= 0 or row[c] < least:
                return -1
            found = c
    return found


@njit(cache=True, nogil=True)
def _best_in_column(
    criterion, equality, m, workspace, parent, n, parent_impurity, best, sizes, least_samples, least_weight
):
    """Find the best condition of a column: ``(gain, code, next code)``; code -1 if none beats ``best``.

    A later candidate wins only with a strictly larger gain.  The true side of a threshold are the codes up
    to and including the candidate, that of an equality the candidate alone.  Both sides are summed, neither
    is a difference: with weights such as 0.1 a difference leaves traces of a class that is not there.

    A threshold between two values of the same single class is passed over where the impurity is strictly
    concave: it gains less than one of the ends of that run (Fayyad and Irani 1992).  Where a side must have
    ``least_samples`` or ``least_weight`` those ends may be out of reach, so no threshold is passed over.

    Parameters
    ----------
    criterion : int, its code
    equality : bool, whether the column is tested by equality
    m : int, codes in the node
    workspace : Workspace, with the codes and their class weights as ``tally`` leaves them
    parent : float64 (n_classes,), class weights of the node
    n : float, their sum
    parent_impurity : float
    best : float, gain to beat
    sizes : int64 (m,), samples of each code; empty if ``least_samples`` is 1
    least_samples, least_weight : int and float, what either side must have
    """
    workspace, parent, sizes = without_refcount((workspace, parent, sizes))
    present, table, after = workspace.present, workspace.table, workspace.after
    before, true, false = workspace.sides[0], workspace.sides[1], workspace.sides[2]
    n_classes = parent.shape[0]
    found, following = -1, -1
    for c in range(n_classes):
        before[c], after[m - 1, c] = 0.0, 0.0
    for k in range(m - 1, 0, -1):
        row = table[k]
        for c in range(n_classes):
            after[k - 1, c] = after[k, c] + row[c]
    last = m if equality else m - 1
    counted, n_samples, n_before = sizes.shape[0] > 0, 0, 0
    for k in range(sizes.shape[0]):
        n_samples += sizes[k]
    bounded = counted or least_weight > 0.0
    concave = not equality and not bounded and criterion in (INFORMATION, GINI, SQRT_GINI)
    least = 1e-7 * n  # for lighter values the difference would drown in rounding
    here = -1
    following_class = _only_class(table[0], least) if concave else -1
    for k in range(last):
        row = table[k]
        n_true, n_false = 0.0, 0.0
        for c in range(n_classes):
            if equality:
                true[c] = row[c]
                false[c] = before[c] + after[k, c]
            else:
                true[c] = before[c] + row[c]
                false[c] = after[k, c]
            before[c] += row[c]
            n_true += true[c]
            n_false += false[c]
        if concave:
            here, following_class = following_class, _only_class(table[k + 1], least)
            if here >= 0 and here == following_class:
                continue
        if bounded:
            if counted:
                true_samples = sizes[k] if equality else n_before + sizes[k]
                n_before += sizes[k]
                if min(true_samples, n_samples - true_samples) < least_samples:
                    continue
            if min(n_true, n_false) < least_weight:
                continue
        gain = split_gain(criterion, parent, n, parent_impurity, false, n_false, true, n_true)
        if gain > best:
            best = gain
            found = present[k]
            following = present[k + 1] if not equality else -1
    return best, found, following


@njit(cache=True, nogil=True)
def _draw_features(features, rng, start, m, workspace):
    """Move ``m`` features drawn without replacement to ``features[start:start + m]``, ascending."""
    d = features.shape[0]
    for i in range(start, start + m):
        j = i + np.int64(next_word(rng) % np.uint64(d - i))
        features[i], features[j] = features[j], features[i]
    drawn = features[start : start + m]
    ascending(drawn, d, workspace.words, workspace.groups, drawn)


@njit(cache=True, nogil=True)
def _is_leaf(node, counts, n, n_nodes, n_leaves, tree_depth, s):
    """True if a stopping rule keeps a node from being split.

    By default no limit is ever exceeded and depth is the node's own.  The source asks whether the whole
    tree already *exceeds* a limit; its count of depth, 1 at the root, is in ``s.max_depth`` already.
    """
    present = 0
    for c in range(counts.shape[0]):
        present += counts[c] > 0.0
    if present < 2 or node.n_samples < s.min_samples_split or entropy(counts, n) <= s.min_entropy:
        return True
    if s.source_compatible:
        return tree_depth > s.max_depth or n_leaves > s.max_leaf_nodes or n_nodes > s.max_nodes
    return node.depth >= s.max_depth or n_leaves >= s.max_leaf_nodes or n_nodes + 2 > s.max_nodes


@njit(cache=True, nogil=True)
def _majority(counts, y, source_compatible):
    """Class with the largest count; a tie goes to the lowest class (source: that of the first sample)."""
    label = first_of_largest(counts)
    if source_compatible:
        for i in range(y.shape[0]):
            if counts[y[i]] == counts[label]:
                return y[i]
    return label


@njit(cache=True, nogil=True)
def _partition(column, code, equality, samples, y, weight, buffers):
    """Reorder a node's samples stably, false side first; returns the size of the false side."""
    column, samples, y, weight = without_refcount((column, samples, y, weight))
    true_samples, true_y, true_weight = without_refcount(buffers)
    n_false = 0
    n_true = 0
    for i in range(samples.shape[0]):
        test = column[samples[i]] == code if equality else column[samples[i]] <= code
        if test:
            true_samples[n_true] = samples[i]
            true_y[n_true] = y[i]
            true_weight[n_true] = weight[i]
            n_true += 1
        else:
            samples[n_false] = samples[i]
            y[n_false] = y[i]
            weight[n_false] = weight[i]
            n_false += 1
    for i in range(n_true):
        samples[n_false + i] = true_samples[i]
        y[n_false + i] = true_y[i]
        weight[n_false + i] = true_weight[i]
    return n_false


@njit(cache=True, nogil=True)
def _make_node(nodes, spans, counts, i, depth, start, stop, y, weight, source_compatible):
    """Write a node as a leaf.

    Parameters
    ----------
    nodes, spans, counts : arrays of the tree
    i : int, number of the node
    depth : int
    start, stop : int, its samples are ``y[start:stop]``
    y, weight : class indices and weights of all samples, in the order of the tree
    source_compatible : bool, which class wins a tie
    """
    for c in range(counts.shape[1]):
        counts[i, c] = 0.0
    for k in range(start, stop):
        counts[i, y[k]] += weight[k]
    node = nodes[i]
    node.feature = LEAF
    node.first_child = LEAF
    node.value = np.nan
    node.label = _majority(counts[i], y[start:stop], source_compatible)
    node.depth = depth
    node.n_samples = stop - start
    node.gain = 0.0
    spans[i, 0] = start
    spans[i, 1] = stop


@njit(cache=True, nogil=True)
def _best_split(
    codes, n_codes, by_equality, features, samples, y, weight, counts, n, least_weight, s, rng, workspace
):
    """Best condition over the columns offered to a node: ``(gain, feature, code, next code)``.

    With ``max_features < d`` the columns are drawn; while none of them can split, one more is drawn.

    Parameters
    ----------
    codes, n_codes, by_equality, s, rng : as for :func:`grow`
    features : int32 (n_features,), the columns; reordered
    samples, y, weight : those of the node
    counts : float64 (n_classes,), class weights of the node
    n : float, their sum
    least_weight : float, what either side must have
    workspace : Workspace
    """
    codes, n_codes, by_equality, features = without_refcount((codes, n_codes, by_equality, features))
    samples, y, weight, counts, workspace = without_refcount((samples, y, weight, counts, workspace))
    d = features.shape[0]
    parent_impurity = impurity(s.criterion, counts, n)
    best = 0.0 if s.source_compatible else -np.inf
    best_feature, best_code, best_next = -1, -1, -1
    sizes = workspace.sizes[:0]
    start = np.int64(0)
    while start < d and (start == 0 or best_feature < 0):
        m_features = min(s.max_features if start == 0 else 1, d - start)
        if s.max_features < d:
            _draw_features(features, rng, start, m_features, workspace)
        for f in features[start : start + m_features]:
            m = tally(codes[f], n_codes[f], samples, y, weight, workspace)
            if m > 1:
                if s.min_samples_leaf > 1:
                    sizes = sizes_of(codes[f], samples, m, workspace)
                gain, code, following = _best_in_column(
                    s.criterion,
                    by_equality[f],
                    m,
                    workspace,
                    counts,
                    n,
                    parent_impurity,
                    best,
                    sizes,
                    s.min_samples_leaf,
                    least_weight,
                )
                if code >= 0:
                    best, best_feature, best_code, best_next = gain, f, code, following
        start += m_features
    return best, best_feature, best_code, best_next


def grow(codes, n_codes, by_equality, code_values, y, weight, n_classes, s, rng):
    """Grow one tree over all samples, level by level.

    Parameters
    ----------
    codes : int32 (n_features, n_samples), C order; ``0 <= codes[f] < n_codes[f]``
    n_codes : int64 (n_features,)
    by_equality : bool (n_features,), whether a column is tested by equality rather than by threshold
    code_values : float64 (n_features, max(n_codes)), ascending in each row
    y : int32 (n_samples,), class indices; overwritten
    weight : float64 (n_samples,), positive; overwritten
    s : Settings
    rng : uint64 (1,), state of the column draws; overwritten

    Returns
    -------
    nodes : NODE_DTYPE (n_nodes,), breadth first
    counts : float64 (n_nodes, n_classes), class weights of the training samples in each node
    n_nodes : int, used entries of both
    """
    d, n = codes.shape
    # Room for the largest tree; pages that are never touched are never allocated.
    capacity = min(2 * n - 1, s.max_nodes + 2)
    tree = np.empty(capacity, NODE_DTYPE), np.empty((capacity, 2), np.int64), np.empty((capacity, n_classes))
    room = (np.arange(d, dtype=np.int32), *make_workspace(n, n_codes, n_classes))
    n_nodes = _grow(codes, n_codes, by_equality, code_values, y, weight, s, rng, tree, room)
    return tree[0], tree[2], n_nodes


@njit(cache=True, nogil=True)
def _grow(codes, n_codes, by_equality, code_values, y, weight, s, rng, tree, room):
    """Grow one tree into given arrays, as :func:`grow` does; returns the number of nodes.

    Parameters
    ----------
    codes, n_codes, by_equality, code_values, y, weight, s, rng : as for :func:`grow`
    tree : ``(nodes, spans, counts)``, with room for the largest tree
    room : ``(features, samples, buffers, workspace)``
    """
    nodes, spans, counts = tree
    features, samples, buffers, workspace = room
    n = samples.shape[0]
    zero, one = np.int64(0), np.int64(1)  # plain ones would have the kernels that get them compiled twice
    _make_node(nodes, spans, counts, zero, zero, zero, n, y, weight, s.source_compatible)
    n_nodes, n_leaves, tree_depth = one, one, zero
    whole = total_of(counts[0])
    least_weight = s.min_weight_fraction_leaf * whole

    i = -1
    while i + 1 < n_nodes:
        i += 1
        total = total_of(counts[i])
        if _is_leaf(nodes[i], counts[i], total, n_nodes, n_leaves, tree_depth, s):
            continue
        start, stop = spans[i, 0], spans[i, 1]
        here, y_here, weight_here = samples[start:stop], y[start:stop], weight[start:stop]
        gain, feature, code, following = _best_split(
            codes, n_codes, by_equality, features, here, y_here, weight_here, counts[i], total, least_weight,
            s, rng, workspace,
        )  # fmt: skip
        if feature < 0 or not is_worth(gain, total, whole, s.criterion, s.min_impurity_decrease):
            continue
        equality = by_equality[feature]
        middle = start + _partition(codes[feature], code, equality, here, y_here, weight_here, buffers)
        node = nodes[i]
        node.feature = feature
        node.first_child = n_nodes
        node.gain = gain
        values = code_values[feature]
        node.value = values[code] if equality else midpoint(values[code], values[following])
        depth = node.depth + 1
        _make_node(nodes, spans, counts, n_nodes, depth, start, middle, y, weight, s.source_compatible)
        _make_node(nodes, spans, counts, n_nodes + 1, depth, middle, stop, y, weight, s.source_compatible)
        n_nodes += 2
        n_leaves += 1
        tree_depth = max(tree_depth, depth)
    return n_nodes
