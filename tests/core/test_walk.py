"""The way down a tree, against an ordinary loop."""

import numpy as np
import pytest

from studylib.core.tree import LEAF
from studylib.core.walk import find_leaves, routes

#: Tests of every kind: from below, from above, equality, never true.
KINDS = (
    lambda value: (-np.inf, value),
    lambda value: (value, np.inf),
    lambda value: (value, value),
    lambda value: (np.nan, value),
    lambda value: (value, np.nan),
)


def random_routes(rng, n_inner, d, kinds=KINDS):
    """A tree with tests of some kinds."""
    first, feature, low, high = ([] for _ in range(4))
    leaves, n_nodes = [0], 1
    for values in (first, feature, low, high):
        values.append(LEAF)
    for _ in range(n_inner):
        node = leaves.pop(rng.integers(len(leaves)))
        value = float(rng.integers(-3, 4))
        first[node], feature[node] = n_nodes, int(rng.integers(d))
        low[node], high[node] = kinds[rng.integers(len(kinds))](value)
        leaves += [n_nodes, n_nodes + 1]
        for values in (first, feature, low, high):
            values += [LEAF, LEAF]
        n_nodes += 2
    return np.array(first), np.array(feature), np.array(low, float), np.array(high, float)


@pytest.mark.parametrize("n_inner", [0, 1, 5, 60])
@pytest.mark.parametrize("n", [1, 7, 8, 9, 100])
@pytest.mark.parametrize("kinds", [KINDS, KINDS[:1]], ids=["of every kind", "from above only"])
def test_every_row_arrives_where_its_answers_lead(n_inner, n, kinds):
    rng = np.random.default_rng(n)
    first, feature, low, high = random_routes(rng, n_inner, 3, kinds)
    X = rng.integers(-4, 5, (n, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[rng.random(X.shape) < 0.1] = np.inf
    route = routes(first, feature, low, high)
    assert ("low" in route.dtype.names) <= (kinds is KINDS)
    leaves = find_leaves(route, X)
    assert leaves.dtype == np.int64
    for row, leaf in zip(X, leaves, strict=True):
        node = 0
        while first[node] != LEAF:
            x = row[feature[node]]
            node = first[node] + bool(low[node] <= x <= high[node])
        assert leaf == node
