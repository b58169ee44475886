"""What the report says about trees in general, made checkable."""

import numpy as np
import pandas as pd

from studylib.trees import TreePredictor


def is_breadth_first(tree):
    """Whether nodes are numbered level by level, from left to right, siblings side by side."""
    nodes = tree.nodes_
    first = nodes["first_child"][nodes["feature"] >= 0]
    in_order = np.array_equal(first, 1 + 2 * np.arange(len(first)))
    return bool(in_order and (np.diff(nodes["depth"]) >= 0).all())


def changed_nodes(tree, other):
    """Share of the nodes of ``tree`` that are not in ``other``: the same path, and there the same condition.

    A path is the conditions from the root and their outcomes.  So where two trees ask differently, that node
    and all nodes below it have changed.
    """
    same, pairs = 0, [(0, 0)]
    while pairs:
        mine, theirs = pairs.pop()
        node, counterpart = tree.nodes_[mine], other.nodes_[theirs]
        if node["feature"] != counterpart["feature"] or tree.condition(mine) != other.condition(theirs):
            continue
        same += 1
        if node["first_child"] >= 0:
            pairs += [(int(node["first_child"]) + k, int(counterpart["first_child"]) + k) for k in (0, 1)]
    return 1.0 - same / tree.n_nodes_


def tests_of_rows(tree, X):
    """Number of conditions tested for each row, by walking the tree row by row, int (n_rows,)."""
    conditions = [tree.condition(node) for node in range(tree.n_nodes_)]
    features, first = tree.nodes_["feature"], tree.nodes_["first_child"]
    counts = []
    for row in X.itertuples(index=False):
        node = n_tests = 0
        while conditions[node] is not None:
            node = int(first[node]) + conditions[node].test(row[features[node]])
            n_tests += 1
        counts.append(n_tests)
    return np.array(counts)


def alternating_chain(m):
    """A table of ``m`` rows, and labels, on which a tree can only split off one row at a time.

    The labels alternate along one column.  Then the purest side that a cut can make is a single row at either
    end, for Gini and entropy alike, and the same is true of the rows that remain.
    """
    return pd.DataFrame({"x": np.arange(m, dtype=float)}), np.arange(m) % 2


def chain_depths(sizes):
    """Depth of the Gini tree of :func:`alternating_chain` for each number of rows; a lone root counts 1."""
    return [TreePredictor("gini", source_compatible=True).fit(*alternating_chain(m)).depth_ for m in sizes]


def chain_is_as_deep_as_long(sizes):
    """Whether :func:`chain_depths` equal the numbers of rows, a list of bool."""
    return [depth == m for depth, m in zip(chain_depths(sizes), sizes, strict=True)]


def printed_gini(n_nodes, random_state=0):
    """1 − Σ p, the Gini impurity as printed, of random nodes of three classes, to twelve decimals."""
    shares = np.random.default_rng(random_state).dirichlet(np.ones(3), size=n_nodes)
    return np.round(1 - shares.sum(axis=1), 12) + 0.0


def minimum_is_misclassification(n_classes, n_nodes, random_state=0):
    """Whether min p, the report's minimum index, is 1 − max p in random nodes of as many classes, in turn."""
    rng = np.random.default_rng(random_state)
    shares = [rng.dirichlet(np.ones(n_classes[k % len(n_classes)])) for k in range(n_nodes)]
    return [bool(np.isclose(p.min(), 1 - p.max())) for p in shares]


#: Impurity indices as the report defines them, from class shares in the last axis.
INDICES = {
    "misclassification": lambda p: 1 - p.max(axis=-1),
    "information": lambda p: -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=-1),
    "gini": lambda p: 1 - (p**2).sum(axis=-1),
}


def gain_minimises_index(criterion, n_cases, random_state=0, tolerance=1e-12):
    """In how many random nodes the split of largest gain has the smallest weighted index.

    They have 2 to 60 rows, up to 4 classes, one column with ties.  ``tolerance`` is the rounding allowed when
    two weighted indices are compared.
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
