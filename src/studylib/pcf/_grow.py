"""Numba kernels that grow one Tree: the source's Algorithm 1, FIT(Θ, X, y, h, β_X, γ, τ_l, τ_|X|, τ_h).

Comments name the lines of Algorithm 1, read as :mod:`studylib.pcf` reads them: line 4 stops at
``h ≥ τ_h or |X| < τ_|X|``, and a node that is too small is inactive before γ is asked (lines 1-3).

One buffer holds the indices of all samples; a node is a range of it and a split reorders that range.  The
node in work is described by ``lower`` and ``upper``, the box β_X.  Nodes are visited in preorder, left
first, as the recursion of Algorithm 1 would; what a descent cut off the box is undone on the way back, so a
node costs O(samples in it) and no copy of the box.
"""

from typing import NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.core.random import next_uniform
from studylib.core.tree import LEAF
from studylib.pcf._nodes import NO_LABEL, PARTIAL_NODE_DTYPE

MAJORITY, LAPLACE, WILSON = 0, 1, 2


class Settings(NamedTuple):
    """Growth parameters as the kernels read them; numbers only, so that the kernels are compiled once.

    ``leaf_model`` is γ, ``MAJORITY``, ``LAPLACE`` or ``WILSON``, and ``leaf_parameter`` α of Laplace or z of
    Wilson; ``max_loss`` is τ_l, ``min_samples_leaf`` τ_|X|, ``max_depth`` τ_h.  ``small_leaves_active``:
    whether a node is asked for its loss however small it is, as Algorithm 1 is printed.
    """

    leaf_model: int
    leaf_parameter: float
    max_loss: float
    min_samples_leaf: int
    max_depth: int
    small_leaves_active: bool


@njit(cache=True, nogil=True)
def leaf_loss(model, parameter, n_wrong, n, n_classes):
    """Loss of predicting the majority class in a leaf where ``n_wrong`` of ``n`` samples are of another.

    Samples that have weights count as many times as they weigh.
    """
    if model == LAPLACE:
        return (n_wrong + parameter * (n_classes - 1)) / (n + parameter * n_classes)
    if model == WILSON:
        z2 = parameter * parameter
        p = n_wrong / n
        size = n if n > 1e-100 else 1e-100  # the square of a smaller sum of weights may be 0
        spread = parameter * np.sqrt(p * (1.0 - p) / size + z2 / (4.0 * size * size))
        return (p + z2 / (2.0 * size) + spread) / (1.0 + z2 / size)
    return n_wrong / n


@njit(cache=True, nogil=True)
def majority(y, weight, samples, counts):
    """First class with the largest count, or sum of weights, among ``samples``: ``(label, n_wrong, n)``.

    ``samples`` are int32 indices, at least one; ``counts``, int64 (n_classes,), or float64 of weights, is
    overwritten.  The last two results are counts or weights of the samples of another class, and of all.
    """
    counts[:] = 0
    if weight is None:
        for i in samples:
            counts[y[i]] += 1
    else:
        for i in samples:
            counts[y[i]] += weight[i]
    top = 0
    n = counts[0]
    for c in range(1, counts.shape[0]):
        n += counts[c]
        if counts[c] > counts[top]:
            top = c
    return top, n - counts[top], n


@njit(cache=True, nogil=True)
def next_feature(columns, samples, feature):
    """The next dimension in the cycle whose values differ among ``samples``, -1 if none does (line 7).

    A dimension that is constant here cannot separate anything: it is passed over without a draw.
    """
    d = columns.shape[0]
    for step in range(1, d + 1):
        candidate = (feature + step) % d
        column = columns[candidate]
        first = column[samples[0]]
        for i in samples:
            if column[i] != first:
                return candidate
    return -1


@njit(cache=True, nogil=True)
def draw_split(low, high, state):
    """Draw a number uniformly between two bounds, both included after rounding (line 8).

    At a bound, or beyond all samples of the node, it leaves one child empty: an inactive leaf.
    """
    u = next_uniform(state)
    width = high - low
    if width == np.inf:  # halves do not overflow
        split = 2.0 * (low / 2.0 + u * (high / 2.0 - low / 2.0))
    else:
        split = low + u * width
    return min(max(split, low), high)


@njit(cache=True, nogil=True)
def partition(column, split, samples, scratch):
    """Put the samples below ``split`` first, both parts in their old order; return their number (line 10).

    ``scratch`` is room for as many.
    """
    n_left = n_right = 0
    for i in samples:  # both are written and one advances: no branch to be mispredicted
        goes_left = column[i] < split
        samples[n_left] = i
        scratch[n_right] = i
        n_left += goes_left
        n_right += not goes_left
    for k in range(n_right):
        samples[n_left + k] = scratch[k]
    return n_left


@njit(cache=True, nogil=True)
def _undo(cuts, n_cuts, kept, lower, upper):
    """Take back the latest cuts of the box until ``kept`` of them are left."""
    for k in range(n_cuts - 1, kept - 1, -1):
        cut = cuts[k]
        if cut.is_left:
            upper[cut.feature] = cut.bound
        else:
            lower[cut.feature] = cut.bound


#: A child that is not visited yet.
TASK_DTYPE = np.dtype(
    [("node", np.int32), ("start", np.int32), ("end", np.int32), ("depth", np.int32), ("feature", np.int32),
     ("is_left", np.bool_), ("split", np.float64)]
)  # fmt: skip
#: The bound that a cut of the box replaced.
CUT_DTYPE = np.dtype([("bound", np.float64), ("feature", np.int32), ("is_left", np.bool_)])


@njit(cache=True, nogil=True)
def _twice(array):
    """Copy of an array with room for twice as many entries."""
    larger = np.empty(2 * array.shape[0], array.dtype)
    for i in range(array.shape[0]):  # to assign a slice takes seconds to compile
        larger[i] = array[i]
    return larger


@njit(cache=True, nogil=True)
def _try_leaf(node, y, weight, samples, counts, labels, s):
    """Ask γ, and make the node an active leaf if its loss is small enough; return whether it is (lines 1-3).

    Sets ``loss`` and ``label`` of the node, a record of PARTIAL_NODE_DTYPE; ``samples`` are its own.
    """
    n_samples = samples.shape[0]
    if n_samples == 0 or (n_samples < s.min_samples_leaf and not s.small_leaves_active):
        return False
    label, n_wrong, n = majority(y, weight, samples, counts)
    node.loss = leaf_loss(s.leaf_model, s.leaf_parameter, n_wrong, n, counts.shape[0])  # line 1
    if node.loss <= s.max_loss:  # line 2
        node.label = label  # line 3
        for i in samples:
            labels[i] = label
        return True
    return False


@njit(cache=True, nogil=True)
def grow(columns, y, weight, counts, lower, upper, s, state, labels):
    """Grow one Tree over all samples: its nodes, PARTIAL_NODE_DTYPE (capacity,), and how many there are.

    ``columns`` is X, float64 (n_features, n_samples) in C order, finite; ``y``, int32 (n_samples,), class
    indices; ``weight``, float64 (n_samples,), positive, or None.  ``lower`` and ``upper``, float64
    (n_features,), are the box β_X of all samples, overwritten, as is ``counts``, int64 (n_classes,), or
    float64 if there are weights.  ``state``, uint64 (1,), is the Tree's random state.  ``labels``, int32
    (n_samples,), all ``NO_LABEL``, gets the Tree's label of the samples that end in an active leaf.
    """
    n = columns.shape[1]
    all_samples, scratch = np.empty(n, np.int32), np.empty(n, np.int32)
    for i in range(n):  # np.arange takes a quarter of a second to compile
        all_samples[i] = i
    nodes = np.empty(256, PARTIAL_NODE_DTYPE)
    stack = np.empty(64, TASK_DTYPE)
    cuts = np.empty(64, CUT_DTYPE)
    stack[0].node, stack[0].start, stack[0].end, stack[0].depth = 0, 0, n, 0
    stack[0].feature, stack[0].is_left, stack[0].split = -1, True, 0.0
    n_nodes, n_open, n_cuts = 1, 1, np.int64(0)  # a plain 0 would have _undo compiled twice
    while n_open > 0:
        n_open -= 1  # line 11 or 12: FIT of a child
        task = stack[n_open]
        at, start, end, depth, feature = task.node, task.start, task.end, task.depth, task.feature
        if depth > 0:  # line 10: β'_X or β''_X
            _undo(cuts, n_cuts, depth - 1, lower, upper)
            n_cuts = depth
            if n_cuts > cuts.shape[0]:
                cuts = _twice(cuts)
            bounds = upper if task.is_left else lower
            cut = cuts[n_cuts - 1]
            cut.bound, cut.feature, cut.is_left = bounds[feature], feature, task.is_left
            bounds[feature] = task.split
        samples = all_samples[start:end]
        node = nodes[at]
        node.threshold, node.loss = np.nan, np.nan
        node.feature, node.first_child, node.label, node.n_samples = LEAF, LEAF, NO_LABEL, end - start
        if _try_leaf(node, y, weight, samples, counts, labels, s):  # lines 1-3
            continue
        if end - start < s.min_samples_leaf or depth >= s.max_depth:  # line 4
            continue  # line 5: an inactive leaf
        feature = next_feature(columns, samples, feature)  # line 7
        if feature < 0:
            continue  # identical samples with different labels: no split would ever tell them apart
        split = draw_split(lower[feature], upper[feature], state)  # line 8
        node.threshold, node.feature, node.first_child = split, feature, n_nodes  # line 9
        middle = start + partition(columns[feature], split, samples, scratch)  # line 10
        if n_nodes + 2 > nodes.shape[0]:
            nodes = _twice(nodes)
        if n_open + 2 > stack.shape[0]:
            stack = _twice(stack)
        for is_left in (False, True):  # lines 11 and 12; the left one on top
            task = stack[n_open]
            task.node = n_nodes + (not is_left)
            task.start, task.end = (start, middle) if is_left else (middle, end)
            task.depth, task.feature, task.is_left, task.split = depth + 1, feature, is_left, split
            n_open += 1
        n_nodes += 2
    return nodes, n_nodes
