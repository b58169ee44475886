"""How a tree of the forest is stored: flat arrays, one record a node."""

from typing import NamedTuple

import numpy as np

LEAF = -1
PURE = -1

#: One record per node, in the order in which the partitions were made.  The children of a split stand side by
#: side, bit 0 first, so a sample with bit ``b`` goes on to node ``first_child + b``.
#:
#: =========== ======= ====================================================================================
#: field       dtype   meaning
#: =========== ======= ====================================================================================
#: plane       int32   hyperplane that gives the partition's next bit; ``-1`` in a leaf
#: first_child int32   index of the child for bit 0; ``-1`` in a leaf
#: label       int32   class (index into ``classes_``) with the largest share of eq 20; ``-1`` in an inner node
#: shares      int32   first row of an impure leaf in ``Tree.shares``; ``-1`` in a pure leaf or an inner node
#: n_shares    int32   number of those rows, one a class that is present
#: n_samples   int32   training samples in the partition
#: height      int32   hyperplanes drawn when the partition was made, its own included; 0 at the root
#: depth       int32   bits of its code
#: =========== ======= ====================================================================================
NODE_DTYPE = np.dtype(
    [
        ("plane", np.int32),
        ("first_child", np.int32),
        ("label", np.int32),
        ("shares", np.int32),
        ("n_shares", np.int32),
        ("n_samples", np.int32),
        ("height", np.int32),
        ("depth", np.int32),
    ]
)

#: One record per class that is present in an impure leaf.
#:
#: ====== ======= =============================================================
#: field  dtype   meaning
#: ====== ======= =============================================================
#: label  int32   the class, an index into ``classes_``
#: count  int32   its training samples in the leaf
#: share  float64 its re-weighted share, eq 20
#: score  float64 ``log2(1 + share)``, what the leaf adds to the score of eq 23
#: ====== ======= =============================================================
SHARE_DTYPE = np.dtype(
    [("label", np.int32), ("count", np.int32), ("share", np.float64), ("score", np.float64)]
)


class Tree(NamedTuple):
    """One tree: hyperplane ``h`` has bit 1 where ``weights[h] · x[features[h]] > thresholds[h]``.

    ``x`` is a sample as the hyperplanes see it, standardised if the forest is.  The products are summed in
    the order of the features, in training as in prediction, so a training sample reaches its own partition.

    Attributes
    ----------
    nodes : NODE_DTYPE (n_nodes,)
    features : int32 (n_planes, k), or (1, k) where all hyperplanes of the tree use the same features
    weights : float64 (n_planes, k)
    thresholds : float64 (n_planes,), the bias of eq 5 with its sign turned
    origins : int32 (n_planes,), the node ω that each hyperplane was drawn for
    shares : SHARE_DTYPE (n_rows,), the classes of impure leaves
    n_draws : int, hyperplanes drawn, those that did not divide ω included
    """

    nodes: np.ndarray
    features: np.ndarray
    weights: np.ndarray
    thresholds: np.ndarray
    origins: np.ndarray
    shares: np.ndarray
    n_draws: int


def leaf_codes(nodes):
    """The code of every node (eq 17) as a string of bits, empty at the root; a list (n_nodes,)."""
    codes = [""] * len(nodes)
    for parent, child in enumerate(nodes["first_child"].tolist()):
        if child != LEAF:  # children come after their parent
            codes[child] = codes[parent] + "0"
            codes[child + 1] = codes[parent] + "1"
    return codes
