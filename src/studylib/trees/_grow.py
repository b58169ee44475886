"""Numba kernels that grow one tree.

Data layout
-----------
Every column arrives as integer codes in ascending order of its values, ``codes[feature, sample]``, so a
numeric and a categorical column are scored alike: gather the classes of each code present in the node,
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
from studylib.trees._class_counts import ascending, gather, make_cells, sizes_of
from studylib.trees._gains import (
    CHI_SQUARE,
    EPSILON,
    GINI,
    INFORMATION,
    MINIMUM_COUNT,
    MISCLASSIFICATION,
    SQRT_GINI,
    entropy,
    impurity,
    is_worth,
    split_gain,
    total_of,
)
from studylib.trees._nodes import NODE_DTYPE

NO_LIMIT = 2**62
# Share of a class in a node below which chi-square may divide by what has underflowed to 0.
_LIGHT = 1e-140


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


@njit(cache=True, nogil=True, error_model="numpy")
def _screen(criterion, concave, m, starts, classes, weights, sides, parent, n, parent_impurity, gains):
    """Approximate the gain of each threshold; returns the highest, and a bound for what they are off.

    A walk down the codes and one up subtract the losses of the sides: the impurity of each times its weight
    (with chi-square, its share of the statistic with a minus).  Each walk only adds to its side, so neither
    loses digits, and takes time for the classes that a code has, not for all.  A threshold that is passed
    over has the gain -inf.  Threshold k lies between the codes k and k + 1; one walk starts at the last code,
    with the false side, the other at the first.

    With ``concave``, thresholds within a run of one class are passed over.  ``starts``, ``classes`` and
    ``weights`` are of ``Cells``, for m codes; ``sides`` is room, float64 (>= 2, >= n_classes), and ``gains``,
    float64 (>= m,), is overwritten.
    """
    n_classes = parent.shape[0]
    least = 1e-7 * n  # for lighter values the difference would drown in rounding
    pure = starts[1] == 1 and weights[0] >= least
    for k in range(m - 1):  # without branches: which classes are next to each other cannot be predicted
        cell, was_pure = starts[k + 1], pure
        pure = (starts[k + 2] == cell + 1) & (weights[cell] >= least)
        same = concave & pure & was_pure & (classes[cell - 1] == classes[cell])
        gains[k] = -np.inf if same else 0.0
    # Weights and parts are added up with at most two roundings for each cell.  They only grow, so the error
    # of a sum is relative to the sum (with entropy to n log2 n_classes, which bounds parts and their sums,
    # but for a factor).  split_gain adds n_classes shares and does a few operations more.  Eight epsilons for
    # each of them are ample.  The root of a number is off by no more than the root of its error.
    slack = 8.0 * EPSILON * (starts[m] + n_classes + 16)
    if criterion == INFORMATION:
        slack *= 1.0 + np.log2(n_classes)
    elif criterion == CHI_SQUARE:
        slack *= n
    elif criterion == SQRT_GINI:
        slack = np.sqrt(slack)
    highest, share = -np.inf, 1.0 / n
    side, parts = sides[0], sides[1]
    for upwards in range(2):
        for c in range(n_classes):
            side[c], parts[c] = 0.0, 0.0
        # Parts are w log2(w / n) with entropy, w^2 / W_c with chi-square, else w^2, for a class of the weight
        # w (W_c in the node).  With misclassification the largest w takes the place of their sum.
        sum_of_parts, n_side = 0.0, 0.0
        for j in range(m - 1):
            k = j if upwards else m - 1 - j
            cut = k - 1 + upwards
            for cell in range(starts[k], starts[k + 1]):
                c, weight = classes[cell], weights[cell]
                before = side[c]
                after = before + weight
                side[c] = after
                n_side += weight
                if criterion == MISCLASSIFICATION:
                    sum_of_parts = max(sum_of_parts, after)
                elif criterion == CHI_SQUARE:
                    sum_of_parts += weight * ((before + after) / parent[c])
                elif criterion != INFORMATION:
                    sum_of_parts += weight * (before + after)
            gain = gains[cut]
            if criterion == INFORMATION:
                if gain == -np.inf:  # no logarithms: the next code has the same class
                    continue
                for cell in range(starts[k], starts[k + 1]):
                    c = classes[cell]
                    part = side[c] * np.log2(side[c] / n)
                    sum_of_parts += part - parts[c]
                    parts[c] = part
                gain -= n_side * np.log2(n_side / n) - sum_of_parts
            elif criterion == CHI_SQUARE:
                gain -= n_side - n * (sum_of_parts / n_side)
            elif criterion == SQRT_GINI:
                gain -= np.sqrt(max(n_side * n_side - sum_of_parts, 0.0))
            else:
                gain -= n_side - (sum_of_parts if criterion == MISCLASSIFICATION else sum_of_parts / n_side)
            if upwards:
                if criterion != CHI_SQUARE:
                    gain = parent_impurity + gain * share
                highest = max(highest, gain)
            gains[cut] = gain
    return highest, slack


@njit(cache=True, nogil=True, error_model="numpy")
def _best_threshold_of_two(criterion, m, cells, parent, n, parent_impurity, best):
    """What :func:`_best_in_column` finds, for two classes, by threshold, with no bounds for the sides.

    Most nodes have two classes.  Loops over them, and two walks, take longer than looking at each threshold.
    Of a threshold whose Gini gain is clearly too small, only an approximation is computed.
    """
    weights, behind = cells.weights, cells.behind
    before, after = cells.sides[0, :2], cells.sides[1, :2]
    concave, least = criterion in (INFORMATION, GINI, SQRT_GINI), 1e-7 * n
    total_0, total_1 = 0.0, 0.0
    for k in range(m - 1, 0, -1):
        total_0 += weights[2 * k]
        total_1 += weights[2 * k + 1]
        behind[2 * k - 2], behind[2 * k - 1] = total_0, total_1
    last, share = -1, 1.0 / n
    # A gain adds up shares of at most 1, in a dozen roundings; so does what it is compared with.
    enough = 1.0 - parent_impurity - 64.0 * EPSILON
    before[0], before[1] = 0.0, 0.0
    following_0, following_1 = weights[0], weights[1]
    for k in range(m - 1):
        here_0, here_1 = following_0, following_1
        following_0, following_1 = weights[2 * k + 2], weights[2 * k + 3]
        before[0] += here_0
        before[1] += here_1
        only_0 = (here_1 == 0.0) & (following_1 == 0.0) & (min(here_0, following_0) >= least)
        only_1 = (here_0 == 0.0) & (following_0 == 0.0) & (min(here_1, following_1) >= least)
        if concave & (only_0 | only_1):
            continue
        after[0], after[1] = behind[2 * k], behind[2 * k + 1]
        n_false, n_true = after[0] + after[1], before[0] + before[1]
        if criterion == GINI:
            false_0, false_1 = after[0] * share, after[1] * share
            true_0, true_1 = before[0] * share, before[1] * share
            pure = (false_0 * false_0 + false_1 * false_1) / (false_0 + false_1)
            pure += (true_0 * true_0 + true_1 * true_1) / (true_0 + true_1)
            if pure < best + enough:  # never if it is NaN, as where shares underflow
                continue
        gain = split_gain(criterion, parent, n, parent_impurity, after, n_false, before, n_true)
        if gain > best:
            best, last = gain, k
    if last < 0:
        return best, -1, -1
    return best, cells.present[last], cells.present[last + 1]


@njit(cache=True, nogil=True)
def _best_in_column(
    criterion, equality, m, cells, parent, n, parent_impurity, best, sizes, least_samples, least_weight
):
    """Find the best condition of a column: ``(gain, code, next code)``; code -1 if none beats ``best``.

    A later candidate wins only with a strictly larger gain.  The true side of a threshold are the codes up to
    and including the candidate, that of an equality the candidate alone.  Both sides are summed, neither is a
    difference: with weights such as 0.1 a difference leaves traces of a class that is not there.

    ``split_gain`` decides, but it looks at all classes.  So it is asked only for those thresholds that
    :func:`_screen` does not rule out; the result is the same.

    A threshold between two values of the same single class is passed over where the impurity is strictly
    concave: it gains less than one of the ends of that run (Fayyad and Irani 1992).  Where a side must have
    ``least_samples`` or ``least_weight`` those ends may be out of reach, so no threshold is passed over.

    ``cells`` has the ``m`` codes of the node and their class weights as ``gather`` leaves them, ``parent``,
    float64 (n_classes,), the class weights of the node, and ``n`` is their sum.  ``sizes``, int64 (m,), has
    the samples of each code; it is empty if ``least_samples`` is 1.
    """
    cells, parent, sizes = without_refcount((cells, parent, sizes))
    present, starts, gains, sides = cells.present, cells.starts, cells.gains, cells.sides
    classes, weights, behind = cells.classes, cells.weights, cells.behind
    n_classes, bounded = parent.shape[0], sizes.shape[0] > 0 or least_weight > 0.0
    if n_classes == 2 and not equality and not bounded:
        return _best_threshold_of_two(criterion, m, cells, parent, n, parent_impurity, best)
    screened = not equality and criterion < MINIMUM_COUNT and n_classes > 2
    if criterion == CHI_SQUARE:
        for c in range(n_classes):
            screened &= parent[c] > _LIGHT * n
    least_gain = -np.inf
    slack = np.inf
    if screened:
        concave = not bounded and criterion in (INFORMATION, GINI, SQRT_GINI)
        highest, slack = _screen(
            criterion, concave, m, starts, classes, weights, sides, parent, n, parent_impurity, gains
        )
        if highest <= best - slack:
            return best, -1, -1
        # If sides are bounded, that of the highest may be too small.
        least_gain = (best if bounded else max(best, highest - slack)) - slack
    before, after = sides[0, :n_classes], sides[1, :n_classes]
    alone, others = sides[2, :n_classes], sides[3, :n_classes]
    for c in range(n_classes):
        before[c], after[c], alone[c] = 0.0, 0.0, 0.0
    for cell in range(starts[m] - 1, -1, -1):
        behind[cell] = after[classes[cell]]
        after[classes[cell]] += weights[cell]
    n_samples, n_before = 0, 0
    for k in range(sizes.shape[0]):
        n_samples += sizes[k]
    code, following = -1, -1
    for k in range(m if equality else m - 1):
        for cell in range(starts[k], starts[k + 1]):
            c = classes[cell]
            after[c] = behind[cell]
            if equality:
                alone[c] = weights[cell]
            else:
                before[c] += weights[cell]
        enough = True
        if sizes.shape[0] > 0:
            n_before += sizes[k]
            true_samples = sizes[k] if equality else n_before
            enough = min(true_samples, n_samples - true_samples) >= least_samples
        if enough and (not screened or gains[k] > least_gain):
            true, false = before, after
            if equality:
                true, false = alone, others
                for c in range(n_classes):
                    others[c] = before[c] + after[c]
            n_true, n_false = total_of(true), total_of(false)
            if min(n_true, n_false) >= least_weight:
                gain = split_gain(criterion, parent, n, parent_impurity, false, n_false, true, n_true)
                if gain > best:
                    best, least_gain = gain, max(least_gain, gain - slack)
                    code, following = present[k], -1 if equality else present[k + 1]
        if equality:
            for cell in range(starts[k], starts[k + 1]):
                alone[classes[cell]] = 0.0
                before[classes[cell]] += weights[cell]
    return best, code, following


@njit(cache=True, nogil=True)
def _draw_features(features, rng, start, m, words, groups):
    """Move ``m`` features drawn without replacement to ``features[start:start + m]``, ascending.

    A remainder of 64 random bits favours no feature by more than d / 2⁶⁴.
    """
    d = features.shape[0]
    for i in range(start, start + m):
        j = i + np.int64(next_word(rng) % np.uint64(d - i))
        features[i], features[j] = features[j], features[i]
    drawn = features[start : start + m]
    ascending(drawn, d, words, groups, drawn)


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
    """Reorder a node's samples stably, false side first; returns the size of the false side.

    ``samples``, ``y`` and ``weight`` are those of the node; ``buffers`` is room for as many of each.
    """
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
    """Write node ``i`` as a leaf, of the samples ``y[start:stop]`` in the order of the tree.

    ``source_compatible`` decides which class wins a tie.
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
    codes, n_codes, by_equality, features, samples, y, weight, counts, n, least_weight, s, rng, cells
):
    """Best condition over the columns offered to a node: ``(gain, feature, code, next code)``.

    With ``max_features < d`` the columns are drawn; while none of them can split, one more is drawn.
    ``features``, int32 (n_features,), is reordered; ``samples``, ``y`` and ``weight`` are those of the node,
    ``counts``, float64 (n_classes,), its class weights, ``n`` their sum, and ``least_weight`` what either
    side must have.
    """
    codes, n_codes, by_equality, features = without_refcount((codes, n_codes, by_equality, features))
    samples, y, weight, counts, cells = without_refcount((samples, y, weight, counts, cells))
    d, n_classes = features.shape[0], np.int64(0)  # see grow: a plain 0
    for c in range(counts.shape[0]):  # what a node has no sample of, neither side has
        cells.sides[4, n_classes], cells.of_class[c] = counts[c], n_classes
        n_classes += np.int64(counts[c] > 0.0)
    parent = cells.sides[4, :n_classes]
    if n_classes < counts.shape[0]:
        for i in range(y.shape[0]):
            cells.y[i] = cells.of_class[y[i]]
        y = cells.y[: y.shape[0]]
    parent_impurity = impurity(s.criterion, counts, n)
    best = 0.0 if s.source_compatible else -np.inf
    best_feature, best_code, best_next = -1, -1, -1
    sizes = cells.sizes[:0]
    start = np.int64(0)
    while start < d and (start == 0 or best_feature < 0):
        m_features = min(s.max_features if start == 0 else 1, d - start)
        if s.max_features < d:
            _draw_features(features, rng, start, m_features, cells.words, cells.groups)
        for f in features[start : start + m_features]:
            m = gather(codes[f], n_codes[f], samples, y, weight, n_classes, cells)
            if m > 1:
                if s.min_samples_leaf > 1:
                    sizes = sizes_of(codes[f], samples, m, cells.present, cells.row_of, cells.sizes)
                gain, code, following = _best_in_column(
                    s.criterion,
                    by_equality[f],
                    m,
                    cells,
                    parent,
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


def shortened(array, n):
    """The first ``n`` rows of an array; the rest of its memory is given back, and nothing is copied."""
    array.resize((n, *array.shape[1:]), refcheck=False)
    return array


def grow(codes, n_codes, by_equality, code_values, y, weight, n_classes, s, rng):
    """Grow one tree over all samples, level by level: nodes and counts.

    ``codes`` is int32 (n_features, n_samples), C order, with ``0 <= codes[f] < n_codes[f]``; ``n_codes``,
    int64 (n_features,); ``by_equality``, bool (n_features,), whether a column is tested by equality rather
    than by threshold; ``code_values``, float64 (n_features, max(n_codes)), ascending in each row.  ``y``,
    int32 (n_samples,), class indices, ``weight``, float64 (n_samples,), positive, and ``rng``, uint64 (1,),
    the state of the column draws, are overwritten.  The nodes are NODE_DTYPE (n_nodes,), breadth first; the
    counts, float64 (n_nodes, n_classes), class weights of the training samples in each.
    """
    d, n = codes.shape
    # Room for the largest tree; pages that are never touched are never allocated.
    capacity = min(2 * n - 1, s.max_nodes + 2)
    tree = np.empty(capacity, NODE_DTYPE), np.empty((capacity, 2), np.int64), np.empty((capacity, n_classes))
    room = (np.arange(d, dtype=np.int32), *make_cells(n, n_codes, n_classes))
    n_nodes = _grow(codes, n_codes, by_equality, code_values, y, weight, s, rng, tree, room)
    return shortened(tree[0], n_nodes), shortened(tree[2], n_nodes)


@njit(cache=True, nogil=True)
def _grow(codes, n_codes, by_equality, code_values, y, weight, s, rng, tree, room):
    """Grow one tree into given arrays, as :func:`grow` does; returns the number of nodes.

    ``tree`` is ``(nodes, spans, counts)``, with room for the largest tree; ``room`` is
    ``(features, samples, buffers, cells)``.
    """
    nodes, spans, counts = tree
    features, samples, buffers, cells = room
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
            s, rng, cells,
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
