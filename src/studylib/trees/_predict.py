"""Sending rows down a tree: a numba kernel, and its stand-in for conditions of the user's own."""

import numpy as np
from numba import njit

from studylib.trees._nodes import LEAF

_SIDE_BY_SIDE = 8

#: What the kernel needs of a node, in 24 bytes.  A test is true for ``low <= x <= high``: ``low = -inf`` for
#: a threshold, ``low = high`` for an equality; one form for both, because a branch would be mispredicted.
#: A leaf's test is never true and its child is the leaf itself.
ROUTE_DTYPE = np.dtype(
    [("low", np.float64), ("high", np.float64), ("feature", np.int32), ("first_child", np.int32)]
)


def routes(nodes, by_equality):
    """The nodes of a tree in the form in which :func:`find_leaves` reads them."""
    out = np.empty(len(nodes), ROUTE_DTYPE)
    leaf = nodes["feature"] == LEAF
    out["feature"] = np.where(leaf, 0, nodes["feature"])
    out["first_child"] = np.where(leaf, np.arange(len(nodes)), nodes["first_child"])
    out["high"] = nodes["value"]  # NaN in a leaf
    out["low"] = np.where(by_equality[out["feature"]], out["high"], -np.inf)
    return out


@njit(cache=True, nogil=True)
def _next(route, X, i, node):
    """Child of ``node`` that row ``i`` goes to; a leaf itself."""
    here = route[node]
    x = X[i, here.feature]
    return here.first_child + ((x <= here.high) & (x >= here.low))


@njit(cache=True, nogil=True)
def find_leaves(route, X):
    """Index of the leaf that each row of ``X`` reaches, int64 (n_samples,).

    ``X`` is float64 (n_samples, n_features) with category codes in categorical columns.  Every comparison
    with NaN is false and no category has a negative code, so what is missing or unseen takes the false
    branch without a test of its own.
    Eight rows walk side by side: every step waits for memory, and side by side the waits overlap.
    """
    n = X.shape[0]
    leaves = np.empty(n, np.int64)
    at = np.empty(_SIDE_BY_SIDE, np.int32)
    n_blocks = n - n % _SIDE_BY_SIDE
    for start in range(0, n_blocks, _SIDE_BY_SIDE):
        at[:] = 0
        moving = True
        while moving:
            moving = False
            for k in range(_SIDE_BY_SIDE):
                child = _next(route, X, start + k, at[k])
                moving |= child != at[k]
                at[k] = child
        for k in range(_SIDE_BY_SIDE):
            leaves[start + k] = at[k]
    for i in range(n_blocks, n):
        node, child = -1, 0
        while child != node:
            node, child = child, _next(route, X, i, child)
        leaves[i] = node
    return leaves


def find_leaves_in_python(nodes, route, X, own, conditions, distinct):
    """The same for a tree with conditions of the user's own: all rows of a node at a time.

    Parameters
    ----------
    nodes, route : the tree; the ``value`` of a node with an own condition is an index into ``conditions``
    X : as in :func:`find_leaves`
    own : dict, class of the conditions that a column is asked
    distinct : dict, ``(codes, values)`` of those columns of ``X``; -1 is the code of a missing entry
    """
    leaves = np.empty(len(X), np.int64)
    stack = [(0, np.arange(len(X)))]
    while stack:
        node, rows = stack.pop()
        feature, first = int(nodes["feature"][node]), int(nodes["first_child"][node])
        if feature == LEAF or len(rows) == 0:
            leaves[rows] = node
            continue
        if feature in own:
            codes, values = distinct[feature]
            condition = conditions[int(nodes["value"][node])]
            true = _outcomes(own[feature], condition, codes[rows], values)
        else:
            x = X[rows, feature]
            true = (x <= route["high"][node]) & (x >= route["low"][node])
        stack += [(first, rows[~true]), (first + 1, rows[true])]
    return leaves


def _outcomes(asked, condition, codes, values):
    """Outcome of one condition for each code, bool; every distinct value is asked once."""
    present, place = np.unique(codes, return_inverse=True)
    true = np.zeros(len(present), bool)
    known = present >= 0
    if known.any():
        true[known] = asked.tests(values[present[known]], [condition])[0]
    return true[place]
