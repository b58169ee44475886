"""Storage of a fitted Tree: one record per node."""

import numpy as np

from studylib.core import tree
from studylib.core.tree import LEAF

#: ``label`` of an inactive leaf, and of a node that is none: no label.
NO_LABEL = -1

#: One record per node.  The root is node 0; the two children of a split are neighbours, the left one
#: (``x[feature] < threshold``) first, so that a sample goes on to
#: ``first_child + (x[feature] >= threshold)``.
#:
#: =========== ======= =====================================================================
#: field       dtype   meaning
#: =========== ======= =====================================================================
#: threshold   float64 the split value; NaN in a leaf
#: loss        float64 what the leaf model γ said of the node's samples; NaN where it was not asked
#: feature     int32   dimension of the split; ``-1`` in a leaf
#: first_child int32   index of the left child; ``-1`` in a leaf
#: label       int32   active leaf: index into ``classes_``, or ``-2 - k`` for predictor ``k`` of the Tree;
#:                     ``-1`` in an inactive leaf and in an inner node
#: n_samples   int32   training samples that reached the node
#: =========== ======= =====================================================================
PARTIAL_NODE_DTYPE = np.dtype(
    [
        ("threshold", np.float64),
        ("loss", np.float64),
        ("feature", np.int32),
        ("first_child", np.int32),
        ("label", np.int32),
        ("n_samples", np.int32),
    ]
)


def node_depths(nodes):
    """Path length from the root to each node, int32 (n_nodes,); the root has 0 (the source's h)."""
    return tree.depths(tree.parents(nodes["first_child"]))


def node_boxes(nodes, bounds):
    """The box of each node: the part of the Tree's bounds that its ancestors' splits left.

    Parameters
    ----------
    nodes : structured ndarray (n_nodes,)
        Nodes of a Tree, :data:`PARTIAL_NODE_DTYPE`.
    bounds : float64 ndarray (2, n_features)
        β_X, a forest's ``bounds_``.

    Returns
    -------
    lower, upper : float64 ndarray (n_nodes, n_features)
    """
    lower, upper = (np.repeat(bound[None, :], len(nodes), axis=0) for bound in bounds)
    for at in np.flatnonzero(nodes["feature"] != LEAF):  # parents have smaller numbers than their children
        left, feature = int(nodes["first_child"][at]), nodes["feature"][at]
        for child in (left, left + 1):
            lower[child], upper[child] = lower[at], upper[at]
        upper[left, feature] = lower[left + 1, feature] = nodes["threshold"][at]
    return lower, upper
