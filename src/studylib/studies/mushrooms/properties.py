"""What the report says about trees in general, made checkable."""

import numpy as np
import pandas as pd

from studylib.core.tree import parents, sum_up
from studylib.trees import TreePredictor


def is_breadth_first(tree):
    """Whether nodes are numbered level by level, from left to right, siblings side by side."""
    nodes = tree.nodes_
    first = nodes["first_child"][nodes["feature"] >= 0]
    in_order = np.array_equal(first, 1 + 2 * np.arange(len(first)))
    return bool(in_order and (np.diff(nodes["depth"]) >= 0).all())


def changed_share(tree, other, X):
    """Share of the nodes of ``tree`` that hold a set of rows of ``X`` which no node of ``other`` holds.

    Nodes are compared by the rows they hold and not by their conditions, because a threshold that moves
    between the same two values changes nothing.

    Parameters
    ----------
    tree, other : TreePredictor
        Fitted.
    X : DataFrame
        The rows that both were fitted on.

    Returns
    -------
    float, 0 for the same tree
    """
    keys = np.random.default_rng(0).integers(2**63, size=len(X), dtype=np.uint64)
    mine, theirs = (_node_keys(t, X, keys) for t in (tree, other))
    return float(1.0 - np.isin(mine, theirs).mean())


def _node_keys(tree, X, keys):
    """Exclusive-or of the random keys of the rows in each node: equal sets of rows have equal keys."""
    found = np.zeros(tree.n_nodes_, np.uint64)
    np.bitwise_xor.at(found, tree.apply(X), keys)
    return sum_up(found, parents(tree.nodes_["first_child"]), np.bitwise_xor)


def n_tests(tree, X):
    """Number of conditions tested to predict all rows of ``X``."""
    return int(tree.nodes_["depth"][tree.apply(X)].sum())


def alternating_chain(m):
    """A table of ``m`` rows on which a tree can only split off one row at a time.

    The labels alternate along one column.  Then the purest side that a cut can make is a single row at
    either end, for Gini and entropy alike, and the same is true of the rows that remain.

    Returns
    -------
    (X, y) : DataFrame (m, 1) and ndarray (m,)
    """
    return pd.DataFrame({"x": np.arange(m, dtype=float)}), np.arange(m) % 2


def chain_depths(sizes):
    """Depth of the Gini tree of :func:`alternating_chain` for each number of rows; a lone root counts 1."""
    return [TreePredictor("gini", source_compatible=True).fit(*alternating_chain(m)).depth_ for m in sizes]


def printed_gini(n_nodes, random_state=0):
    """1 − Σ p, as the report prints the Gini impurity, for random nodes of three classes."""
    return 1 - np.random.default_rng(random_state).dirichlet(np.ones(3), size=n_nodes).sum(axis=1)


#: Impurity indices as the report defines them, from class shares in the last axis.
INDICES = {
    "misclassification": lambda p: 1 - p.max(axis=-1),
    "information": lambda p: -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=-1),
    "gini": lambda p: 1 - (p**2).sum(axis=-1),
}


def gain_minimises_index(criterion, n_cases, random_state=0, tolerance=1e-12):
    """In how many random nodes the split of largest gain has the smallest weighted index.

    Parameters
    ----------
    criterion : {"misclassification", "information", "gini"}
    n_cases : int
        Nodes generated: 2 to 60 rows, up to 4 classes, one column with ties.
    random_state : int
    tolerance : float
        Rounding allowed when two weighted indices are compared.

    Returns
    -------
    int
    """
    index = INDICES[criterion]
    rng = np.random.default_rng(random_state)
    holding = 0
    for _ in range(n_cases):
        n = int(rng.integers(2, 61))
        x = rng.integers(0, 10, n).astype(float)
        x[0], x[1] = -1.0, 11.0  # two distinct values at least
        y = rng.integers(0, rng.integers(2, 5), n)
        y[:2] = 0, 1
        tree = TreePredictor(criterion, max_depth=1).fit(x[:, None], y)
        values = np.unique(x)
        true = x[:, None] <= (values[:-1] + values[1:]) / 2
        weighted = np.zeros(true.shape[1])
        for side in (true, ~true):
            counts = np.array(
                [[(side[:, k] & (y == c)).sum() for c in range(4)] for k in range(side.shape[1])]
            )
            size = counts.sum(axis=1)
            weighted += size / n * index(counts / size[:, None])
        chosen = np.searchsorted(values, tree.condition(0).threshold) - 1
        holding += bool(weighted[chosen] <= weighted.min() + tolerance)
    return holding
