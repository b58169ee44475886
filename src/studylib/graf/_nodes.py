"""Records of the nodes and leaves of a tree."""

import numpy as np

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
PARTITION_DTYPE = np.dtype([("plane", np.int32), ("next", np.int32)])

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
