"""How a tree of the forest is stored: flat arrays, one record per node."""

from typing import NamedTuple

import numpy as np

from studylib.core import tree
from studylib.core.forest import gini_decreases

PURE, IMPURE = -1, -2

#: One record per node (a partition), in the order in which the partitions were made.  The children of a split
#: are neighbours, bit 0 first, so a sample with bit ``b`` goes on to node ``next + b``.  Eight bytes, so
#: that a walk down the tree finds them in a fast cache.
#:
#: ====== ===== ============================================= ============ ===================================
#: field  dtype in an inner node                              in a pure    in an impure leaf
#:                                                            leaf
#: ====== ===== ============================================= ============ ===================================
#: plane  int32 hyperplane that gives the partition's next    -1           -2
#:              bit
#: next   int32 node that bit 0 leads to                      its class    its first row in ``Tree.shares``
#: ====== ===== ============================================= ============ ===================================
NODE_DTYPE = np.dtype([("plane", np.int32), ("next", np.int32)])

#: One record per class that is present in an impure leaf.
#:
#: ====== ======= =============================================================
#: field  dtype   meaning
#: ====== ======= =============================================================
#: label  int32   the class, an index into ``classes_``; ascending in a leaf
#: count  int32   its training samples in the leaf
#: rest   int32   how many records of the same leaf follow
#: share  float64 its re-weighted share, eq 20
#: score  float64 ``log2(1 + share)``, what the leaf adds to the score of eq 23
#: ====== ======= =============================================================
SHARE_DTYPE = np.dtype(
    [
        ("label", np.int32),
        ("count", np.int32),
        ("rest", np.int32),
        ("share", np.float64),
        ("score", np.float64),
    ]
)


class Tree(NamedTuple):
    """One tree: hyperplane ``h`` has bit 1 where ``weights[h] · x[features[h]] > thresholds[h]``.

    ``x`` is a sample as the hyperplanes see it, standardised if the forest is.  The products are summed in
    the order of the features, in training as in prediction, so a training sample reaches its own partition.

    Attributes
    ----------
    nodes : NODE_DTYPE (n_nodes,)
    n_samples : int32 (n_nodes,), training samples in each partition
    features : int32 (n_planes, k), or (1, k) where all hyperplanes of the tree use the same features
    weights : float64 (n_planes, k)
    thresholds : float64 (n_planes,), the bias of eq 5 with its sign turned
    origins : int32 (n_planes,), the node ω that each hyperplane was drawn for
    shares : SHARE_DTYPE (n_rows,), the classes of impure leaves
    n_draws : int, hyperplanes drawn, those included that did not divide ω (for "guided": rounds)
    """

    nodes: np.ndarray
    n_samples: np.ndarray
    features: np.ndarray
    weights: np.ndarray
    thresholds: np.ndarray
    origins: np.ndarray
    shares: np.ndarray
    n_draws: int

    def is_leaf(self):
        """Whether each node is a leaf, bool (n_nodes,)."""
        return self.nodes["plane"] < 0

    def labels(self):
        """Class with the largest share of eq 20 in each leaf, the lowest in a tie; -1 in inner nodes."""
        labels = np.where(self.nodes["plane"] == PURE, self.nodes["next"], -1).astype(np.int32)
        for leaf in np.flatnonzero(self.nodes["plane"] == IMPURE):
            rows = self.leaf_shares(leaf)
            labels[leaf] = rows["label"][rows["share"].argmax()]
        return labels

    def leaf_shares(self, leaf):
        """The records of an impure leaf, SHARE_DTYPE (n_present,)."""
        first = self.nodes["next"][leaf]
        return self.shares[first : first + 1 + self.shares["rest"][first]]

    def leaf_counts(self, n_classes):
        """Training samples of each class in the leaves, int64 (n_nodes, n_classes); 0 in inner nodes."""
        counts = np.zeros((len(self.nodes), n_classes), np.int64)
        pure = np.flatnonzero(self.nodes["plane"] == PURE)
        counts[pure, self.nodes["next"][pure]] = self.n_samples[pure]
        for leaf in np.flatnonzero(self.nodes["plane"] == IMPURE):
            rows = self.leaf_shares(leaf)
            counts[leaf, rows["label"]] = rows["count"]
        return counts

    def importances(self, n_features, n_classes, deviations):
        """Share of each feature in the tree's decrease of Gini impurity, float64 (n_features,); sum 1 or 0.

        Parameters
        ----------
        n_features, n_classes : int
        deviations : float64 (n_features,), by which a weight is multiplied
        """
        inner = ~self.is_leaf()
        gains = gini_decreases(self.leaf_counts(n_classes), self.first_child())[inner]
        gains = np.bincount(self.nodes["plane"][inner], gains, len(self.weights))
        features = np.broadcast_to(self.features, self.weights.shape)
        shares = np.abs(self.weights) * deviations[features]
        total = shares.sum(axis=1)
        gains = np.divide(gains, total, out=np.zeros(len(total)), where=total > 0)
        sums = np.bincount(features.ravel(), (shares * gains[:, None]).ravel(), n_features)
        return sums / (sums.sum() or 1.0)

    def heights(self):
        """Hyperplanes drawn until each partition was made, its own included; 0 at the root, int32."""
        plane, child = self.nodes["plane"], self.nodes["next"]
        inner = plane >= 0
        heights = np.zeros(len(plane), np.int32)
        heights[child[inner]] = heights[child[inner] + 1] = plane[inner] + 1
        return heights

    def first_child(self):
        """Node that bit 0 leads to, -1 in a leaf; int32 (n_nodes,), as :mod:`studylib.core.tree` takes it."""
        return np.where(self.is_leaf(), np.int32(tree.LEAF), self.nodes["next"])

    def parents(self):
        """Index of each node's parent, -1 for the root, int64 (n_nodes,); smaller than the node's own."""
        return tree.parents(self.first_child())

    def at_height(self, leaves, height):
        """The partition that each sample was in before hyperplane ``height`` was drawn, int64 (n_samples,).

        Parameters
        ----------
        leaves : int array (n_samples,), the leaf of each sample, from a forest's ``apply``
        height : int
        """
        parents, heights, here = self.parents(), self.heights(), leaves.astype(np.int64)
        while (younger := heights[here] > height).any():
            here[younger] = parents[here[younger]]
        return here

    def depths(self):
        """Bits of each partition's code, int32 (n_nodes,)."""
        return tree.depths(self.parents())

    def codes(self):
        """The code of every partition (eq 17) as a string of bits, empty at the root; a list (n_nodes,)."""
        codes = [""] * len(self.nodes)
        for parent, (plane, child) in enumerate(self.nodes.tolist()):
            if plane >= 0:  # children come after their parent
                codes[child] = codes[parent] + "0"
                codes[child + 1] = codes[parent] + "1"
        return codes
