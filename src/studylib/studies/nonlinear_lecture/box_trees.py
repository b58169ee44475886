"""How trees of boxes find neighbours: the steps of a k-d tree's search, and the leaves of an R-tree."""

from dataclasses import dataclass

import numpy as np
import rtree
from scipy.spatial import KDTree
from sklearn.neighbors import KDTree as CountingTree

from studylib.neighbors import euclidean

#: Neighbours that are looked for, and new points that look for them.
K, N_QUERIES = 10, 200


# k-d tree


@dataclass(frozen=True)
class Visit:
    """A leaf that a search looked into: its box (2, d), and the sphere's radius before and after."""

    box: np.ndarray
    before: float
    after: float


def leaves(tree):
    """Each leaf of a SciPy k-d tree with its box: list of (rows, array (2, n_features))."""
    reached = []
    _each_leaf(tree.tree, np.array([tree.mins, tree.maxes]), reached)
    return reached


def _each_leaf(node, box, reached):
    if isinstance(node, KDTree.leafnode):
        reached.append((node.idx, box))
        return
    for child, part in _children(node, box):
        _each_leaf(child, part, reached)


def _children(node, box):
    lower, upper = box.copy(), box.copy()
    lower[1, node.split_dim] = upper[0, node.split_dim] = node.split
    return (node.less, lower), (node.greater, upper)


def search(tree, query, k):
    """The k nearest points of a k-d tree, the nearest first, and each Visit of a leaf, in order."""
    best, visits = [], []

    def radius():
        return best[-1][0] if len(best) == k else np.inf

    def descend(node, box):
        if euclidean(query, np.clip(query, *box)) > radius():
            return  # the sphere does not reach into the box
        if isinstance(node, KDTree.leafnode):
            before = radius()
            best.extend(zip(euclidean(tree.data[node.idx], query), node.idx.tolist(), strict=True))
            best.sort()
            del best[k:]
            visits.append(Visit(box, before, radius()))
            return
        sides = _children(node, box)
        for child, part in sides if query[node.split_dim] < node.split else sides[::-1]:
            descend(child, part)

    descend(tree.tree, np.array([tree.mins, tree.maxes]))
    return [row for _, row in best], visits


def drawn_search(seed=4, n=120, k=3):
    """A k-d tree of random points in the plane, a new point, and the search for its neighbours."""
    rng = np.random.default_rng(seed)
    tree, query = KDTree(rng.random((n, 2)), leafsize=6), rng.uniform(0.3, 0.7, 2)
    return tree, query, *search(tree, query, k)


def distances_computed(key, seed):
    """Share of uniform points in d dimensions whose distance a k-d tree computes to find ten neighbours."""
    rng = np.random.default_rng(seed)
    tree = CountingTree(rng.random((key["n"], key["d"])), leaf_size=10)
    queries = rng.random((N_QUERIES, key["d"]))
    tree.reset_n_calls()
    tree.query(queries, K)
    return {"computed": tree.get_n_calls() / N_QUERIES, "share": tree.get_n_calls() / N_QUERIES / key["n"]}


# R-tree


def drawn_boxes(seed=3, n=90):
    """Random rectangles in the unit square, an R-tree of them, and ``(rows, box)`` of its leaves.

    A box is left, bottom, right, top.
    """
    rng = np.random.default_rng(seed)
    corner, size = rng.random((n, 2)), rng.uniform(0.01, 0.09, (n, 2))
    boxes = np.hstack([corner, corner + size])
    index = rtree.index.Index(
        ((row, tuple(box), None) for row, box in enumerate(boxes)),
        properties=rtree.index.Property(leaf_capacity=8, index_capacity=8, fill_factor=0.7),
    )
    return boxes, index, [(rows, tuple(box)) for _, rows, box in index.leaves()]


def overlap(boxes, window):
    """Which boxes, (n, 4), have a place in common with a window (left, bottom, right, top): bool (n,)."""
    boxes, window = np.asarray(boxes), np.asarray(window)
    return ((boxes[:, :2] <= window[2:]) & (boxes[:, 2:] >= window[:2])).all(axis=1)
