"""Functions of a fitted tree as flat arrays: parents, depths, paths, sums over subtrees, and a layout.

A tree is ``first_child``, an integer array (n_nodes,): the children of a node are numbered in a row from
there, and a leaf has :data:`LEAF`.  Node 0 is the root, and a node's number is smaller than its children's.
A binary tree needs nothing else; where nodes have other numbers of children, ``n_children`` tells them.
"""

import numpy as np

from studylib.core.compiling import njit

#: ``first_child`` of a leaf, and what it stands for wherever a leaf has nothing to name.
LEAF = -1


def parents(first_child, n_children=2):
    """Parent of each node, int64 (n_nodes,), -1 for the root; ``n_children`` may be one for each node."""
    first_child = np.asarray(first_child)
    inner = np.flatnonzero(first_child != LEAF)
    counts = np.broadcast_to(n_children, first_child.shape)[inner]
    begins = np.cumsum(counts) - counts
    children = np.repeat(first_child[inner] - begins, counts) + np.arange(counts.sum())
    above = np.full(len(first_child), -1, np.int64)
    above[children] = np.repeat(inner, counts)
    return above


def depths(above):
    """Depth of each node, int32 (n_nodes,), from its parents; the root has 0."""
    return _depths(np.asarray(above, np.int64))


@njit(cache=True, nogil=True)
def _depths(above):
    depth = np.zeros(above.shape[0], np.int32)
    for node in range(1, above.shape[0]):  # parents come before their children
        depth[node] = depth[above[node]] + 1
    return depth


def copy_records(records):
    """Copy of an array of records (n,) that lie side by side.

    numpy copies them field by field, which takes ten times as long as their bytes.
    """
    return records.view(np.uint8).copy().view(records.dtype)


def path(above, node):
    """The nodes from the root to ``node``, both included, as a list."""
    nodes = [int(node)]
    while above[nodes[-1]] >= 0:
        nodes.append(int(above[nodes[-1]]))
    return nodes[::-1]


def accumulate_to_ancestors(values, above, combine=np.add):
    """Add the values of the leaves, (n_nodes, ...), to all their ancestors, or combine them in another way.

    An inner node has what it adds itself, in general 0; ``above`` are the parents.  The order of ``combine``,
    ``np.add`` or for example ``np.bitwise_xor``, is not defined, so use it on integers.
    """
    values, level = np.array(values), depths(above)
    order = np.argsort(-level, kind="stable")
    for nodes in np.split(order, np.flatnonzero(np.diff(level[order])) + 1)[:-1]:  # the last is the root
        combine.at(values, above[nodes], values[nodes])
    return values


def label_counts(leaves, labels, n_labels, above):
    """Samples of each label in every node, int64 (n_nodes, n_labels).

    ``leaves`` and ``labels``, int (n_samples,), are the leaf and the label (an index) of each sample;
    ``above`` are the parents.
    """
    counts = np.zeros((len(above), n_labels), np.int64)
    np.add.at(counts, (leaves, labels), 1)
    return accumulate_to_ancestors(counts, above)


def layout(first_child, max_depth, n_children=2):
    """Places for a drawing: leaves side by side, parents above the middle of their children.

    Returns the horizontal place of each node that is drawn, by number, and how many columns there are.  Nodes
    at ``max_depth`` are drawn as ends, whatever is below them.
    """
    counts = np.broadcast_to(n_children, np.shape(first_child))
    place, column, stack = {}, 0, [(0, 0, False)]
    while stack:  # in postorder
        node, depth, below_done = stack.pop()
        first = int(first_child[node])
        children = range(first, first + int(counts[node]))
        if first == LEAF or depth >= max_depth:
            place[node], column = float(column), column + 1
        elif below_done:
            place[node] = sum(place[child] for child in children) / len(children)
        else:
            stack.append((node, depth, True))
            stack += [(child, depth + 1, False) for child in reversed(children)]
    return place, column
