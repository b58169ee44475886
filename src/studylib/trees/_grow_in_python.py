"""Growing a tree with custom parts: the kernels' steps, driven from Python.

The user may supply an index, conditions and a stopping rule.  A plain Python index is called once per node,
and once per candidate and side; an index compiled with ``numba.njit`` is called from a compiled loop.
Conditions are asked for the distinct values of a node, never for its samples.  Everything else is shared
with ``_grow``.
"""

from typing import Any, NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.trees import _gains, _grow, _tally
from studylib.trees._nodes import NODE_DTYPE
from studylib.trees.conditions import BinaryCondition


class Own(NamedTuple):
    """What the user supplies.

    ``index(counts) -> float`` and ``stop(counts, depth) -> bool`` may be None; ``conditions`` maps a column
    to the class of its conditions, and ``values`` holds the known values of every column by their codes.
    """

    index: Any
    stop: Any
    conditions: dict
    values: list


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

    def __init__(self, code):
        self.code = code

    def parent(self, counts, n):
        return counts, n, _gains.impurity(self.code, counts, n)

    def gains(self, parent, false, true):
        """Gain of each split, given the class counts of both sides (n_splits, n_classes)."""
        return _gains.split_gains(self.code, *parent, false, true)

    def best_in_column(self, equality, m, scratch, parent, best, sizes, least):
        """Best condition of a column: ``(gain, code, next code)``; code -1 if none beats ``best``."""
        return _grow._best_in_column(self.code, equality, m, scratch, *parent, best, sizes, *least)


class _OwnIndex:
    """The same by a custom index."""

    def __init__(self, owner, index):
        self.owner, self.values = owner, _rowwise(index)

    def score(self, rows):
        """Index of each row of class counts."""
        out = self.values(np.ascontiguousarray(rows))
        if not np.isfinite(out).all():
            k = int(np.flatnonzero(~np.isfinite(out))[0])
            raise ValueError(
                f"{self.owner}: criterion returned {out[k]} for the class counts {rows[k].tolist()}; an "
                "index must return a finite number."
            )
        return out

    def parent(self, counts, n):
        return counts, n, float(self.score(counts[None])[0])

    def gains(self, parent, false, true):
        _, n, impurity = parent
        weighted = 0.0 + false.sum(axis=1) / n * self.score(false)
        weighted = weighted + true.sum(axis=1) / n * self.score(true)
        return impurity - weighted

    def best_in_column(self, equality, m, scratch, parent, best, sizes, least):
        present, table = scratch.present, scratch.table
        false, true = _sides(table[:m], equality)
        gains = self.gains(parent, false, true)
        if len(sizes) or least[1] > 0:
            up_to = sizes if equality else np.cumsum(sizes)[:-1]
            gains[_too_small(false, true, up_to, sizes.sum(), least)] = -np.inf
        k = int(np.argmax(gains))
        if not gains[k] > best:
            return best, -1, -1
        return gains[k], present[k], -1 if equality else present[k + 1]


def _rowwise(index):
    """A function that maps rows of class counts (n_rows, n_classes) to the index of each row."""
    if not hasattr(index, "py_func"):  # not compiled by numba
        return lambda rows: np.array([float(index(row)) for row in rows])

    @njit(nogil=True)
    def values(rows):
        out = np.empty(rows.shape[0])
        for i in range(rows.shape[0]):
            out[i] = index(rows[i])
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
    """Which splits leave a side with too few samples or too little weight, bool (n_splits,).

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


def _best_own(owner, asked, known, present, table, criterion, parent, best, sizes, least):
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


def grow_in_python(owner, own, codes, n_codes, by_equality, code_values, y, weight, n_classes, s, rng):
    """Grow one tree with what is ``own`` (see :class:`Own`).

    ``owner`` is the estimator's name, for errors; the other parameters and the results are those of
    ``_grow.grow``, with one result more: the custom conditions that the tree asks, as a list.
    """
    d, n = codes.shape
    criterion = _NamedCriterion(s.criterion) if own.index is None else _OwnIndex(owner, own.index)
    samples, buffers, scratch = _tally.work_space(n, n_codes, n_classes)
    present, table = scratch.present, scratch.table
    capacity = min(2 * n - 1, s.max_nodes + 2)
    nodes, spans = np.empty(capacity, NODE_DTYPE), np.empty((capacity, 2), np.int64)
    counts = np.empty((capacity, n_classes))
    features = np.arange(d, dtype=np.int32)
    outcome, true_by_code = np.empty(n, np.int32), np.zeros(int(n_codes.max()), np.int32)
    conditions, uncounted = [], np.empty(0, np.int64)

    def make_node(i, depth, start, stop):
        _grow._make_node(nodes, spans, counts, i, depth, start, stop, y, weight, s.source_compatible)

    def best_in_column(f, span, parent, best):
        m = _tally.tally(codes[f], n_codes[f], samples[span], y[span], weight[span], scratch)
        if m < 2:
            return None
        sizes = _tally.sizes_of(codes[f], samples[span], m, scratch) if least[0] > 1 else uncounted
        if f in own.conditions:
            asked, here = own.conditions[f], (present[:m], table[:m])
            found = _best_own(owner, asked, own.values[f], *here, criterion, parent, best, sizes, least)
            return found and _Split(found[0], f, condition=found[1], true_codes=found[2])
        gain, code, following = criterion.best_in_column(
            by_equality[f], m, scratch, parent, best, sizes, least
        )
        return None if code < 0 else _Split(gain, f, code, following)

    def best_split(span, parent):
        best, split, tried = (0.0 if s.source_compatible else -np.inf), None, 0
        while tried < d and (tried == 0 or split is None):
            m_features = min(s.max_features if tried == 0 else 1, d - tried)
            if s.max_features < d:
                _grow._draw_features(features, rng, tried, m_features, scratch)
            for f in features[tried : tried + m_features].tolist():
                found = best_in_column(f, span, parent, best)
                if found is not None:
                    best, split = found.gain, found
            tried += m_features
        return split

    def divide(split, span):
        """The node's ``value``, and how many samples take the false branch; they are moved to the front."""
        rest = samples[span], y[span], weight[span], buffers
        column, code, equality = codes[split.feature], split.code, by_equality[split.feature]
        if split.condition is None:
            values = code_values[split.feature]
            value = values[code] if equality else _grow._threshold(values[code], values[split.following])
            return value, _grow._partition(column, code, equality, *rest)
        conditions.append(split.condition)
        true_by_code[split.true_codes] = 1
        outcome[samples[span]] = true_by_code[column[samples[span]]]
        true_by_code[split.true_codes] = 0
        return len(conditions) - 1, _grow._partition(outcome, 1, True, *rest)

    make_node(0, 0, 0, n)
    whole = counts[0].sum()
    least = (s.min_samples_leaf, s.min_weight_fraction_leaf * whole)
    n_nodes, n_leaves, tree_depth, i = 1, 1, 0, -1
    while i + 1 < n_nodes:
        i += 1
        depth, total = int(nodes[i]["depth"]), counts[i].sum()
        if _grow._is_leaf(nodes[i], counts[i], total, n_nodes, n_leaves, tree_depth, s):
            continue
        if own.stop is not None and own.stop(counts[i].copy(), depth):
            continue
        start, stop = spans[i]
        span = slice(start, stop)
        split = best_split(span, criterion.parent(counts[i], total))
        worth = split and _grow.is_worth(split.gain, total, whole, s.criterion, s.min_impurity_decrease)
        if not worth:
            continue
        value, n_false = divide(split, span)
        nodes[i]["feature"], nodes[i]["first_child"] = split.feature, n_nodes
        nodes[i]["value"], nodes[i]["gain"] = value, split.gain
        make_node(n_nodes, depth + 1, start, start + n_false)
        make_node(n_nodes + 1, depth + 1, start + n_false, stop)
        n_nodes, n_leaves, tree_depth = n_nodes + 2, n_leaves + 1, max(tree_depth, depth + 1)
    return nodes, counts, n_nodes, conditions
