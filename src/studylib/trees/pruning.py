"""Trees cut back: nodes become leaves, in reduced-error pruning those whose subtree earns nothing."""

import numpy as np

from studylib.core.compiling import njit
from studylib.core.tree import LEAF


def reduced_error(nodes, class_counts, leaves, y):
    """Prune a tree on held-out samples, ties too: nodes and class counts of the pruned tree.

    ``nodes`` are NODE_DTYPE (n_nodes,), breadth first; ``class_counts``, float64 (n_nodes, n_classes), are of
    the training samples.  ``leaves``, int64 (n_samples,), are those that the held-out samples reach, and
    ``y`` their class indices, -1 for a class that the tree does not know.
    """
    # An extra column, the last, holds the samples of unknown classes: no node has that label.
    held_out = np.zeros((len(nodes), class_counts.shape[1] + 1), np.int64)
    np.add.at(held_out, (leaves, y), 1)
    return cut_back(nodes, class_counts, _cut(nodes["first_child"].copy(), nodes["label"].copy(), held_out))


def cut_back(nodes, class_counts, cut):
    """Nodes and class counts of the tree in which the nodes of ``cut``, bool (n_nodes,), are leaves."""
    kept = _kept(nodes["first_child"].copy(), cut)
    # What remains of a breadth-first order is one, and of siblings both remain or neither.
    number = np.cumsum(kept) - 1
    pruned, leaf = nodes[kept], (cut | (nodes["feature"] == LEAF))[kept]
    pruned["first_child"] = np.where(leaf, LEAF, number[pruned["first_child"]])
    pruned["feature"][leaf] = LEAF
    pruned["value"][leaf] = np.nan
    pruned["gain"][leaf] = 0.0
    return pruned, class_counts[kept]


@njit(cache=True, nogil=True)
def _cut(first_child, label, held_out):
    """Inner nodes that make no more errors as leaves than their pruned subtrees; bool (n_nodes,).

    ``held_out`` (n_nodes, n_classes) counts the samples of the leaves on entry, and of all nodes on return.
    """
    n_nodes = first_child.shape[0]
    errors = np.zeros(n_nodes, np.int64)
    cut = np.zeros(n_nodes, np.bool_)
    for i in range(n_nodes - 1, -1, -1):  # children have higher numbers than their parents
        first = first_child[i]
        if first != LEAF:
            held_out[i] = held_out[first] + held_out[first + 1]
        errors[i] = held_out[i].sum() - held_out[i, label[i]]
        if first != LEAF:
            below = errors[first] + errors[first + 1]
            cut[i] = errors[i] <= below
            errors[i] = min(errors[i], below)
    return cut


@njit(cache=True, nogil=True)
def _kept(first_child, cut):
    """Nodes that no cut above removes, bool (n_nodes,)."""
    kept = np.zeros(first_child.shape[0], np.bool_)
    kept[0] = True
    for i in range(first_child.shape[0]):
        if kept[i] and not cut[i] and first_child[i] != LEAF:
            kept[first_child[i]] = True
            kept[first_child[i] + 1] = True
    return kept
