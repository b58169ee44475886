"""Numba kernel that walks down binary trees whose nodes test one column each, and the records it reads."""

import numpy as np
from numba.extending import overload

from studylib.core.compiling import njit
from studylib.core.tree import LEAF
from studylib.core.unmanaged import without_refcount

_SIDE_BY_SIDE = 8

#: What the kernel needs of a node.  A row takes the second child if ``low <= x <= high``: one form for
#: thresholds from either side and for equality, because a branch would be mispredicted.  A leaf's test is
#: never true and its child is the leaf itself.
ROUTE_DTYPE = np.dtype(
    [("low", np.float64), ("high", np.float64), ("feature", np.int32), ("first_child", np.int32)]
)
#: The same where no node has a lower bound: two thirds of the memory, and a comparison less at each step.
UPPER_ROUTE_DTYPE = np.dtype([("high", np.float64), ("feature", np.int32), ("first_child", np.int32)])


def routes(first_child, feature, low, high):
    """The nodes of a tree in the form in which :func:`find_leaves` reads them.

    ``first_child``, int (n_nodes,), is ``LEAF`` in a leaf; ``feature`` is the column that a node tests.  A
    row goes to ``first_child + 1`` if its entry is not below ``low`` and not above ``high``, and to
    ``first_child`` otherwise, as NaN does.  Returns ROUTE_DTYPE (n_nodes,), or UPPER_ROUTE_DTYPE if ``low``
    is -inf in all inner nodes.
    """
    leaf = first_child == LEAF
    bounded = (~leaf & (np.asarray(low) != -np.inf)).any()
    out = np.empty(len(first_child), ROUTE_DTYPE if bounded else UPPER_ROUTE_DTYPE)
    out["first_child"] = np.where(leaf, np.arange(len(out)), first_child)
    out["feature"] = np.where(leaf, 0, feature)
    if bounded:
        out["low"] = low
    out["high"] = np.where(leaf, np.nan, high)
    return out


def is_true(here, x):
    """True where entries pass the test of a node, a record of :func:`routes`."""
    return (x <= here["high"]) & (x >= here["low"]) if "low" in here.dtype.names else x <= here["high"]


@overload(is_true)
def _compiled_is_true(here, x):
    if "low" in here.fields:
        return lambda here, x: (x <= here.high) & (x >= here.low)
    return lambda here, x: x <= here.high


@njit(cache=True, nogil=True)
def _next(route, X, i, node):
    """Child of ``node`` that row ``i`` goes to; a leaf itself.

    Nodes are unsigned: numba need not ask whether an index is negative.
    """
    here = route[node]
    return np.uint32(here.first_child + is_true(here, X[i, np.uint32(here.feature)]))


def find_leaves(route, X):
    """Index of the leaf that each row of ``X`` reaches, int64 (n_samples,).

    ``X`` is float64 (n_samples, n_features) with category codes in categorical columns.  Every comparison
    with NaN is false and no category has a negative code, so what is missing or unseen takes the false
    branch without a test of its own.  Bounds are not checked: ``X`` has the columns of the training table.
    """
    leaves = np.empty(len(X), np.int64)  # made here: a kernel takes 2 μs to return an array
    _find_leaves(leaves, route, X)
    return leaves


@njit(cache=True, nogil=True)
def _find_leaves(leaves, route, X):
    """Write leaves to ``leaves``.

    Eight rows walk side by side: every step waits for memory, and side by side the waits overlap.
    """
    leaves, route, X = without_refcount((leaves, route, X))
    n = X.shape[0]
    at = np.empty(_SIDE_BY_SIDE, np.uint32)
    n_blocks = n - n % _SIDE_BY_SIDE
    for start in range(0, n_blocks, _SIDE_BY_SIDE):
        at[:] = 0
        moved = np.uint32(1)
        while moved != 0:
            moved = np.uint32(0)
            for k in range(_SIDE_BY_SIDE):
                child = _next(route, X, np.uint64(start + k), at[k])
                moved |= child ^ at[k]
                at[k] = child
        for k in range(_SIDE_BY_SIDE):
            leaves[start + k] = at[k]
    for i in range(n_blocks, n):
        node, child = np.uint32(0), _next(route, X, np.uint64(i), np.uint32(0))
        while child != node:
            node, child = child, _next(route, X, np.uint64(i), child)
        leaves[i] = node
