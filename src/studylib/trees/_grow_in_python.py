"""Growing a tree with custom parts: the kernels' steps, driven from Python.

The user may supply an impurity, conditions and a stopping rule.  A plain Python impurity is called once per
node, and once per candidate and side; one compiled with ``numba.njit`` is called from a compiled loop.
Conditions are asked for the distinct values of a node, never for its samples.  Everything else is shared
with ``_grow``.
"""

from typing import Any, NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.core.kernels import midpoint
from studylib.core.tree import LEAF
from studylib.trees import _class_counts, _gains, _grow, _grow_multiway
from studylib.trees._nodes import NODE_DTYPE
from studylib.trees.conditions import BinaryCondition


class Custom(NamedTuple):
    """Custom parts of a tree.

    ``impurity(counts) -> float`` and ``stop(counts, depth) -> bool`` may be None; ``conditions`` maps a
    column to the class of its conditions, and ``values`` holds the known values of every column by their
    codes.  ``draw() -> columns`` gives the columns that the next node looks at, in this order; None leaves
    it to ``max_features``.
    """

    impurity: Any
    stop: Any
    conditions: dict
    values: list
    draw: Any = None

    def __bool__(self):
        return self.impurity is not None or self.stop is not None or bool(self.conditions or self.draw)


class _Split(NamedTuple):
    """A column's best condition: a code of the column, or a custom condition."""

    gain: float
    feature: int
    code: int = -1
    following: int = -1
    condition: Any = None
    true_codes: Any = None


class _NamedCriterion:
    """Gains by a criterion of the kernels; a parent is ``(counts, sum of counts, impurity)``."""

    def __init__(self, code, cells):
        self.code, self.cells = code, cells

    def parent(self, counts, n):
        return counts, n, _gains.impurity(self.code, counts, n)

    def gains(self, parent, false, true):
        """Gain of each split, given the class counts of both sides (n_splits, n_classes)."""
        return _gains.split_gains(self.code, *parent, false, true)

    def best_in_column(self, equality, column, parent, best, least):
        """Best condition of a column: ``(gain, code, next code)``; code -1 if none beats ``best``.

        ``column`` has the codes of all samples, how many codes there are, and a node's samples, their classes
        and weights.
        """
        cells = self.cells
        m = _class_counts.gather(*column, len(parent[0]), cells)
        if m < 2:
            return best, -1, -1
        sizes = _sizes(column, m, cells, least)
        return _grow._best_in_column(self.code, equality, m, cells, *parent, best, sizes, *least)


class _CustomCriterion:
    """Gains by a custom impurity, as :class:`_NamedCriterion` has them."""

    def __init__(self, owner, impurity, workspace=None):
        self.owner, self.values, self.workspace = owner, _rowwise(impurity), workspace

    def score(self, rows):
        """Impurity of each row of class counts, float64 (n_rows,); raises if one is not finite."""
        out = self.values(np.ascontiguousarray(rows))
        if not np.isfinite(out).all():
            k = int(np.flatnonzero(~np.isfinite(out))[0])
            raise ValueError(
                f"{self.owner}: criterion returned {out[k]} for the class counts {rows[k].tolist()}; an "
                "impurity must return a finite number."
            )
        return out

    def parent(self, counts, n):
        return counts, n, float(self.score(counts[None])[0])

    def gains(self, parent, false, true):
        _, n, impurity = parent
        weighted = 0.0 + false.sum(axis=1) / n * self.score(false)
        weighted = weighted + true.sum(axis=1) / n * self.score(true)
        return impurity - weighted

    def best_in_column(self, equality, column, parent, best, least):
        m = _class_counts.tally(*column, self.workspace)
        if m < 2:
            return best, -1, -1
        present, sizes = self.workspace.present, _sizes(column, m, self.workspace, least)
        false, true = _sides(self.workspace.table[:m], equality)
        gains = self.gains(parent, false, true)
        if len(sizes) or least[1] > 0:
            up_to = sizes if equality else np.cumsum(sizes)[:-1]
            gains[_too_small(false, true, up_to, sizes.sum(), least)] = -np.inf
        k = int(np.argmax(gains))
        if not gains[k] > best:
            return best, -1, -1
        return gains[k], present[k], -1 if equality else present[k + 1]


def _sizes(column, m, room, least):
    """Samples of each of the codes that ``tally`` or ``gather`` has found, if there must be some of them."""
    if least[0] == 1:
        return room.sizes[:0]
    return _class_counts.sizes_of(column[0], column[2], m, room.present, room.row_of, room.sizes)


def _rowwise(impurity):
    """A function that maps rows of class counts (n_rows, n_classes) to the impurity of each row."""
    if not hasattr(impurity, "py_func"):  # not compiled by numba
        return lambda rows: np.array([float(impurity(row)) for row in rows])

    @njit(nogil=True)
    def values(rows):
        out = np.empty(rows.shape[0])
        for i in range(rows.shape[0]):
            out[i] = impurity(rows[i])
        return out

    return values


def _sides(rows, equality):
    """Class counts of the false and true side of every candidate, from those of the ascending values."""
    up_to = np.cumsum(rows, axis=0)
    after = np.zeros_like(rows)
    after[:-1] = np.cumsum(rows[:0:-1], axis=0)[::-1]
    if not equality:
        return after[:-1], up_to[:-1]
    before = np.zeros_like(rows)
    before[1:] = up_to[:-1]
    return before + after, rows


def _too_small(false, true, true_samples, n_samples, least):
    """Splits that leave a side with too few samples or too little weight, bool (n_splits,).

    ``false`` and ``true`` are the sides' class counts; without numbers of samples only weights are compared.
    """
    small = np.minimum(false.sum(axis=1), true.sum(axis=1)) < least[1]
    if n_samples:
        small |= np.minimum(true_samples, n_samples - true_samples) < least[0]
    return small


def _outcomes(owner, asked, values, conditions):
    """``asked.tests``, checked; bool (n_conditions, n_values)."""
    strange = [condition for condition in conditions if not isinstance(condition, BinaryCondition)]
    if strange:
        raise TypeError(
            f"{owner}: {asked.__name__}.candidates must return BinaryCondition objects, got {strange[0]!r}."
        )
    outcomes = np.asarray(asked.tests(values, conditions), dtype=bool)
    if outcomes.shape != (len(conditions), len(values)):
        raise ValueError(
            f"{owner}: {asked.__name__}.tests must return an array of shape (n_conditions, n_values), here "
            f"{(len(conditions), len(values))}, got {outcomes.shape}."
        )
    return outcomes


def _best_custom(owner, asked, known, present, table, criterion, parent, best, sizes, least):
    """``(gain, condition, codes on its true side)`` of a column's custom conditions; None if none beats best.

    ``known`` are the values behind the codes; a code beyond them is "missing", which is never asked.
    """
    n_known = int((present < len(known)).sum())
    values = known[present[:n_known]]
    conditions = list(asked.candidates(values)) if n_known else []
    if not conditions:
        return None
    outcomes = _outcomes(owner, asked, values, conditions)
    n_true = outcomes.sum(axis=1)
    splitting = np.flatnonzero((n_true > 0) & (n_true < len(present)))
    if len(splitting) == 0:
        return None
    outcomes = outcomes[splitting]
    true = outcomes @ table[:n_known]
    false = ~outcomes @ table[:n_known] + table[n_known:].sum(axis=0)
    gains = criterion.gains(parent, false, true)
    if len(sizes) or least[1] > 0:
        true_samples = outcomes @ sizes[:n_known] if len(sizes) else 0
        gains[_too_small(false, true, true_samples, sizes.sum(), least)] = -np.inf
    k = int(np.argmax(gains))
    if not gains[k] > best:
        return None
    return gains[k], conditions[splitting[k]], present[:n_known][outcomes[k]]


def grow_in_python(owner, custom, codes, n_codes, by_equality, code_values, y, weight, n_classes, s, rng):
    """Grow one tree with custom parts, a :class:`Custom`.

    ``owner`` is the estimator's name, for errors; the other parameters and the results are those of
    ``_grow.grow``, with one result more: the custom conditions that the tree asks, as a list.
    """
    d, n = codes.shape
    samples, buffers, workspace = _class_counts.make_workspace(n, n_codes, n_classes)
    if custom.impurity is None:
        criterion = _NamedCriterion(s.criterion, _class_counts.make_cells(n, n_codes, n_classes)[2])
    else:
        criterion = _CustomCriterion(owner, custom.impurity, workspace)
    present, table = workspace.present, workspace.table
    capacity = min(2 * n - 1, s.max_nodes + 2)
    nodes, spans = np.empty(capacity, NODE_DTYPE), np.empty((capacity, 2), np.int64)
    counts = np.empty((capacity, n_classes))
    features = np.arange(d, dtype=np.int32)
    outcome, true_by_code = np.empty(n, np.int32), np.zeros(int(n_codes.max()), np.int32)
    conditions = []

    def make_node(i, depth, start, stop):
        _grow._make_node(nodes, spans, counts, i, depth, start, stop, y, weight, s.source_compatible)

    def best_in_column(f, span, parent, best):
        column = codes[f], n_codes[f], samples[span], y[span], weight[span]
        if f not in custom.conditions:
            gain, code, following = criterion.best_in_column(by_equality[f], column, parent, best, least)
            return None if code < 0 else _Split(gain, f, code, following)
        m = _class_counts.tally(*column, workspace)
        if m < 2:
            return None
        sizes = _sizes(column, m, workspace, least)
        asked, here = custom.conditions[f], (present[:m], table[:m])
        condition = _best_custom(owner, asked, custom.values[f], *here, criterion, parent, best, sizes, least)
        return condition and _Split(condition[0], f, condition=condition[1], true_codes=condition[2])

    def best_split(span, parent):
        best, split, tried = (0.0 if s.source_compatible else -np.inf), None, 0
        while tried < d and (tried == 0 or split is None):
            m_features = min(s.max_features if tried == 0 else 1, d - tried)
            if s.max_features < d:
                _grow._draw_features(features, rng, tried, m_features, workspace.words, workspace.groups)
            offered = features[tried : tried + m_features]
            if custom.draw is not None:
                offered, m_features = custom.draw(), d
            for f in offered.tolist():
                of_column = best_in_column(f, span, parent, best)
                if of_column is not None:
                    best, split = of_column.gain, of_column
            tried += m_features
        return split

    def divide(split, span):
        """The node's ``value``, and how many samples take the false branch; they are moved to the front."""
        rest = samples[span], y[span], weight[span], buffers
        column, code, equality = codes[split.feature], split.code, by_equality[split.feature]
        if split.condition is None:
            values = code_values[split.feature]
            value = values[code] if equality else midpoint(values[code], values[split.following])
            return value, _grow._partition(column, code, equality, *rest)
        conditions.append(split.condition)
        true_by_code[split.true_codes] = 1
        outcome[samples[span]] = true_by_code[column[samples[span]]]
        true_by_code[split.true_codes] = 0
        return len(conditions) - 1, _grow._partition(outcome, 1, True, *rest)

    def split_node(i, n_nodes, n_leaves):
        depth, total = int(nodes[i]["depth"]), counts[i].sum()
        tree_depth = int(nodes[n_nodes - 1]["depth"])  # no node is deeper than the last
        if _grow._is_leaf(nodes[i], counts[i], total, n_nodes, n_leaves, tree_depth, s):
            return 0
        if custom.stop is not None and custom.stop(counts[i].copy(), depth):
            return 0
        start, stop = spans[i]
        span = slice(start, stop)
        split = best_split(span, criterion.parent(counts[i], total))
        worth = split and _gains.is_worth(split.gain, total, whole, s.criterion, s.min_impurity_decrease)
        if not worth:
            return 0
        value, n_false = divide(split, span)
        nodes[i]["feature"], nodes[i]["first_child"] = split.feature, n_nodes
        nodes[i]["value"], nodes[i]["gain"] = value, split.gain
        make_node(n_nodes, depth + 1, start, start + n_false)
        make_node(n_nodes + 1, depth + 1, start + n_false, stop)
        return 2

    make_node(0, 0, 0, n)
    whole = counts[0].sum()
    least = (s.min_samples_leaf, s.min_weight_fraction_leaf * whole)
    n_nodes = _level_by_level(split_node)
    return _grow.shortened(nodes, n_nodes), _grow.shortened(counts, n_nodes), conditions


def grow_multiway_in_python(owner, impurity, codes, n_codes, n_known, values, y, weight, n_classes, s):
    """Grow one multiway tree with a custom impurity.

    ``owner`` is the estimator's name, for errors; the other parameters and the results are those of
    ``_grow_multiway.grow``.
    """
    score = _CustomCriterion(owner, impurity).score
    tree, data, buffers, workspace, outcomes = _grow_multiway._root(n_codes, y, weight, n_classes)
    whole = float(tree[2][0].sum())
    least_weight = s.min_weight_fraction_leaf * whole

    def candidates(f, here):
        """Yield class counts in the branches, and the codes, of each split of a column that is allowed."""
        samples, present, by_value = data[0][here], workspace.present, _grow_multiway.BY_VALUE
        m = _class_counts.tally(codes[f], n_codes[f], samples, data[1][here], data[2][here], workspace)
        if m < 2:
            return
        table = workspace.table[:m]
        if n_known[f] == by_value:
            if _grow_multiway._two_large(codes[f], samples, m, workspace, s, least_weight):
                yield table, by_value, by_value
            return
        n_numbers = m - int(present[m - 1] == n_known[f])
        parts = _grow_multiway.branches(table, n_numbers)
        allowed = _grow_multiway.allowed_cuts(
            parts, codes[f], samples, m, n_numbers, workspace, s, least_weight
        )
        for k in np.flatnonzero(allowed):
            yield parts[k], *_grow_multiway.sides(present, k, n_numbers, n_known[f])

    def best_column(counts, here):
        parent_impurity = float(score(counts[None])[0])
        best, tie = (-np.inf, LEAF, _grow_multiway.BY_VALUE, _grow_multiway.BY_VALUE), _grow_multiway.TIE
        for f in range(len(codes)):
            for part, code, following in candidates(f, here):
                gain = parent_impurity - part.sum(axis=1) @ score(part) / counts.sum()
                if gain > best[0] + tie * abs(parent_impurity):
                    best = (gain, f, code, following)
        return best

    def split_node(i, n_nodes, n_leaves):
        nonlocal tree
        nodes, spans, counts = tree
        if not _grow_multiway._can_split(nodes[i], counts[i], s):
            return 0
        split = best_column(counts[i], slice(*spans[i]))
        gain, f, code, _ = split
        if f < 0:
            return 0
        n_children = _grow_multiway._n_children(n_codes[f], n_known[f], code)
        if not _grow_multiway._is_split(gain, counts[i].sum(), whole, n_leaves + n_children - 1, s):
            return 0
        of_column = (codes[f], n_codes[f], n_known[f], values[f])
        tree, _ = _grow_multiway._split(tree, n_nodes, i, split, *of_column, data, buffers, outcomes)
        return n_children

    n_nodes = _level_by_level(split_node)
    return tree[0], tree[2], n_nodes


def _level_by_level(split_node):
    """Grow a tree from its root by ``split_node(i, n_nodes, n_leaves)``; returns the number of its nodes.

    That gives node ``i`` children, numbered from ``n_nodes`` on, and returns how many: 0 if it stays a leaf.
    """
    n_nodes, n_leaves, i = 1, 1, 0
    while i < n_nodes:
        n_children = split_node(i, n_nodes, n_leaves)
        if n_children:
            n_nodes, n_leaves = n_nodes + n_children, n_leaves + n_children - 1
        i += 1
    return n_nodes
