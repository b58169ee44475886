"""Sending rows down a tree: its nodes as the walk reads them, and a walk with custom conditions."""

import numpy as np

from studylib.core import walk
from studylib.core.tree import LEAF


def routes(nodes, by_equality):
    """The nodes of a tree in the form in which :func:`studylib.core.walk.find_leaves` reads them."""
    low = np.where(by_equality[nodes["feature"]], nodes["value"], -np.inf)
    return walk.routes(nodes["first_child"], nodes["feature"], low, nodes["value"])


def find_leaves_in_python(nodes, route, X, custom, conditions, distinct):
    """Leaf of each row in a tree with custom conditions, int64 (n_samples,): all rows of a node at a time.

    The ``value`` of a node with a custom condition is an index into ``conditions``; ``custom`` has the class
    of the custom conditions of a column; ``distinct`` has ``(codes, values)`` of those columns of ``X``, -1
    the code of a missing entry.
    """
    leaves = np.empty(len(X), np.int64)
    stack = [(0, np.arange(len(X)))]
    while stack:
        node, rows = stack.pop()
        feature, first = int(nodes["feature"][node]), int(nodes["first_child"][node])
        if feature == LEAF or len(rows) == 0:
            leaves[rows] = node
            continue
        if feature in custom:
            codes, values = distinct[feature]
            condition = conditions[int(nodes["value"][node])]
            true = _outcomes(custom[feature], condition, codes[rows], values)
        else:
            true = walk.is_true(route[node], X[rows, feature])
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
