"""Growing a tree with an index of the user's own: the kernels' steps, driven from Python.

A plain Python index is called once a node, and once a candidate and side; an index compiled with
``numba.njit`` is called from a compiled loop.  Everything but the scoring is shared with ``_grow``.
"""

import numpy as np
from numba import njit

from studylib.trees import _grow


def is_compiled(index):
    """Whether a callable was compiled by numba."""
    return hasattr(index, "py_func")


def _scorer(owner, index):
    """A function that maps rows of class counts (n_rows, n_classes) to the index of each row."""
    if is_compiled(index):

        @njit(nogil=True)
        def values(rows):
            out = np.empty(rows.shape[0])
            for i in range(rows.shape[0]):
                out[i] = index(rows[i])
            return out

    else:

        def values(rows):
            return np.array([float(index(row)) for row in rows])

    def score(rows):
        out = values(np.ascontiguousarray(rows))
        if not np.isfinite(out).all():
            k = int(np.flatnonzero(~np.isfinite(out))[0])
            raise ValueError(
                f"{owner}: criterion returned {out[k]} for the class counts {rows[k].tolist()}; an index "
                "must return a finite number."
            )
        return out

    return score


def _column_gains(score, rows, equality, n, parent_impurity):
    """Gain of every candidate of a column, given the class counts of its values in ascending order."""
    up_to = np.cumsum(rows, axis=0)
    after = np.zeros_like(rows)
    after[:-1] = np.cumsum(rows[:0:-1], axis=0)[::-1]
    if equality:
        before = np.zeros_like(rows)
        before[1:] = up_to[:-1]
        true, false = rows, before + after
    else:
        true, false = up_to[:-1], after[:-1]
    weighted = 0.0 + false.sum(axis=1) / n * score(false)
    weighted = weighted + true.sum(axis=1) / n * score(true)
    return parent_impurity - weighted


def grow_with_index(owner, index, codes, n_codes, by_equality, code_values, y, weight, n_classes, s, rng):
    """Grow one tree with ``index(counts) -> float``.

    ``owner`` is the estimator's name, for errors; the other parameters and the results are those of
    ``_grow.grow``.
    """
    d, n = codes.shape
    score = _scorer(owner, index)
    samples = np.arange(n, dtype=np.int32)
    buffers = (np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.float64))
    widest = min(_grow._CODES_PER_SAMPLE * n, int(n_codes.max()))
    present, table = np.empty(widest, np.int32), np.empty((widest, n_classes))
    scratch = (np.full(n_codes.max(), -1, np.int32), present, table, np.empty((widest, n_classes)))
    capacity = min(2 * n - 1, s.max_nodes + 2)
    nodes, spans = np.empty(capacity, _grow.NODE_DTYPE), np.empty((capacity, 2), np.int64)
    counts = np.empty((capacity, n_classes))
    features = np.arange(d, dtype=np.int32)

    def make_node(i, depth, start, stop):
        _grow._make_node(nodes, spans, counts, i, depth, start, stop, y, weight, s.source_compatible)

    def best_split(i, start, stop, total):
        best, choice, tried = (0.0 if s.source_compatible else -np.inf), None, 0
        parent_impurity = float(score(counts[i : i + 1])[0])
        while tried < d and (tried == 0 or choice is None):
            m_features = min(s.max_features if tried == 0 else 1, d - tried)
            if s.max_features < d:
                _grow._draw_features(features, rng, tried, m_features)
            for f in features[tried : tried + m_features]:
                m = _grow._tally(
                    codes[f], n_codes[f], samples[start:stop], y[start:stop], weight[start:stop], scratch
                )
                if m < 2:
                    continue
                gains = _column_gains(score, table[:m], by_equality[f], total, parent_impurity)
                k = int(np.argmax(gains))
                if gains[k] > best:
                    best, choice = gains[k], (f, present[k], None if by_equality[f] else present[k + 1])
            tried += m_features
        return best, choice

    make_node(0, 1, 0, n)
    n_nodes, n_leaves, tree_depth, i = 1, 1, 1, -1
    while i + 1 < n_nodes:
        i += 1
        total = counts[i].sum()
        if _grow._is_leaf(nodes[i], counts[i], total, n_nodes, n_leaves, tree_depth, s):
            continue
        start, stop = spans[i]
        gain, choice = best_split(i, start, stop, total)
        if choice is None:
            continue
        f, code, following = choice
        values = code_values[f]
        middle = start + _grow._partition(
            codes[f], code, by_equality[f], samples[start:stop], y[start:stop], weight[start:stop], buffers
        )
        depth = nodes[i]["depth"] + 1
        nodes[i]["feature"], nodes[i]["first_child"], nodes[i]["gain"] = f, n_nodes, gain
        nodes[i]["value"] = (
            values[code] if by_equality[f] else _grow._threshold(values[code], values[following])
        )
        make_node(n_nodes, depth, start, middle)
        make_node(n_nodes + 1, depth, middle, stop)
        n_nodes, n_leaves, tree_depth = n_nodes + 2, n_leaves + 1, max(tree_depth, depth)
    return nodes, counts, n_nodes
