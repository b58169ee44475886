"""Questions to a tree as flat arrays, against recursions over nested lists."""

import random

import numpy as np
import pytest

from studylib.core import tree


def random_tree(seed, binary):
    """``first_child``, ``n_children`` and the children of each node, numbered in any order of growth."""
    rng = random.Random(seed)
    children, open_nodes, n_nodes = {}, [0], 1
    while open_nodes and n_nodes < 60:
        node = open_nodes.pop(rng.randrange(len(open_nodes)))
        if node > 0 and rng.random() < 0.3:
            continue
        n = 2 if binary else rng.randint(1, 4)
        children[node] = list(range(n_nodes, n_nodes + n))
        open_nodes += children[node]
        n_nodes += n
    first = [children[node][0] if node in children else tree.LEAF for node in range(n_nodes)]
    counts = [len(children.get(node, ())) for node in range(n_nodes)]
    return np.array(first), np.array(counts), children


CASES = pytest.mark.parametrize("case", [random_tree(seed, seed % 2) for seed in range(20)])


def walk(children, node=0, trail=()):
    """Every node with the path to it."""
    trail = (*trail, node)
    yield trail
    for child in children.get(node, ()):
        yield from walk(children, child, trail)


@CASES
def test_parents_depths_and_paths(case):
    first, counts, children = case
    above = tree.parents(first, counts)
    depths = tree.depths(above)
    assert (above.dtype, depths.dtype) == (np.int64, np.int32)
    trails = list(walk(children))
    assert len(trails) == len(first)
    for trail in trails:
        assert above[trail[-1]] == (trail[-2] if len(trail) > 1 else -1)
        assert depths[trail[-1]] == len(trail) - 1
        assert tree.path(above, trail[-1]) == list(trail)


@CASES
def test_sums_from_the_leaves_up(case):
    first, counts, children = case
    above = tree.parents(first, counts)
    leaves = np.flatnonzero(first == tree.LEAF)
    rng = np.random.default_rng(0)
    at, labels = rng.choice(leaves, 200), rng.integers(0, 3, 200)
    sums = tree.label_counts(at, labels, 3, above)
    keys = np.zeros(len(first), np.uint64)
    keys[leaves] = rng.integers(2**63, size=len(leaves), dtype=np.uint64)
    before, mixed = keys.copy(), tree.accumulate_to_ancestors(keys, above, np.bitwise_xor)
    assert keys.tolist() == before.tolist()
    for trail in walk(children):
        below = {other[-1] for other in walk(children, trail[-1])}
        inside = np.isin(at, list(below))
        assert sums[trail[-1]].tolist() == np.bincount(labels[inside], minlength=3).tolist()
        expected = 0
        for node in below:
            expected ^= int(before[node])
        assert mixed[trail[-1]] == expected


@CASES
@pytest.mark.parametrize("max_depth", [0, 2, 99])
def test_places_are_the_leaves_side_by_side_and_parents_in_the_middle(case, max_depth):
    first, counts, children = case
    place, n_columns = tree.layout(first, max_depth, counts)
    shown = [trail for trail in walk(children) if len(trail) <= max_depth + 1]
    assert set(place) == {trail[-1] for trail in shown}
    ends = [t[-1] for t in shown if t[-1] not in children or len(t) == max_depth + 1]
    assert [place[node] for node in ends] == list(range(n_columns))  # from left to right, as walked
    for node in set(place) - set(ends):
        assert place[node] == pytest.approx(np.mean([place[child] for child in children[node]]))


def test_deep_chain_needs_no_recursion():
    n = 20_001
    first = np.full(n, tree.LEAF)
    first[np.r_[0, np.arange(1, n - 2, 2)]] = np.arange(1, n, 2)
    above = tree.parents(first)
    assert tree.depths(above).max() == n // 2
    assert tree.accumulate_to_ancestors((first == tree.LEAF).astype(int), above)[0] == n // 2 + 1
    assert tree.layout(first, n)[1] == n // 2 + 1
