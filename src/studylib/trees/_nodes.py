"""Records of a fitted tree's nodes, in breadth-first order."""

import numpy as np

#: One record per node.  The children of a split are numbered in a row, the false outcome first, so a
#: test with outcome ``j`` leads to node ``first_child + j``.
#:
#: =========== ======= =====================================================================
#: field       dtype   meaning
#: =========== ======= =====================================================================
#: feature     int32   column that the condition tests; ``-1`` in a leaf
#: first_child int32   index of the child for outcome 0 (false); ``-1`` in a leaf
#: value       float64 threshold, number or category code of the condition, or for a custom
#:                     condition its place among those of the tree; NaN in a leaf
#: label       int32   majority class (index into ``classes_``) of the training samples here
#: depth       int32   0 at the root
#: n_samples   int64   training samples that reached the node
#: gain        float64 gain of the split; 0 in a leaf
#: =========== ======= =====================================================================
NODE_DTYPE = np.dtype(
    [
        ("feature", np.int32),
        ("first_child", np.int32),
        ("value", np.float64),
        ("label", np.int32),
        ("depth", np.int32),
        ("n_samples", np.int64),
        ("gain", np.float64),
    ]
)
