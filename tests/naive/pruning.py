"""Every pruning of a small tree, one by one: the oracle of reduced-error pruning.

A tree is a pair of dicts: ``children[node]`` are the two children of an inner node, ``label[node]`` is the
training majority of any node.  A pruning is the frozenset of its leaves.
"""

from itertools import product


def prunings(children, node=0):
    """All prunings of the subtree of ``node``: the node itself, or one of each child."""
    yield frozenset([node])
    if node in children:
        for parts in product(*(list(prunings(children, child)) for child in children[node])):
            yield frozenset().union(*parts)


def n_errors(pruning, label, paths, y):
    """Samples whose label is not that of the pruning's leaf on their path (root to leaf of the full tree)."""
    errors = 0
    for path, truth in zip(paths, y, strict=True):
        (leaf,) = [node for node in path if node in pruning]
        errors += label[leaf] != truth
    return errors


def best(children, label, paths, y):
    """``(errors, leaves)`` of the smallest of the prunings with the fewest errors.

    There is only one: where one of two such prunings has a leaf and the other a subtree, both err alike (or the
    worse could be improved), and the other with that leaf would be smaller.
    """
    scored = [(n_errors(leaves, label, paths, y), len(leaves), leaves) for leaves in prunings(children)]
    fewest = min((errors, size) for errors, size, _ in scored)
    (kept,) = [leaves for errors, size, leaves in scored if (errors, size) == fewest]
    return fewest[0], kept
