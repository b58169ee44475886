"""Numba kernel of 1R's supervised discretisation."""

import numpy as np

from studylib.core.compiling import njit
from studylib.core.kernels import first_of_largest, midpoint


@njit(cache=True, nogil=True)
def cut_points(values, labels, weights, n_classes, min_bucket_size):
    """Cuts between intervals of different majority classes, float64 (n_cuts,), ascending.

    ``values``, float64 (n,), ascend; ``labels`` are int32, ``weights`` float64.  The majority class of an
    interval, except the last one, weighs at least ``min_bucket_size``.
    """
    n = values.shape[0]
    cuts = np.empty(n, np.float64)
    counts, group = np.zeros(n_classes), np.zeros(n_classes)
    n_cuts, before = 0, -1  # the majority class of the interval before
    start = 0
    i = 0
    while i < n:
        group[:] = 0.0  # the samples of one value
        j = i
        while j < n and values[j] == values[i]:
            group[labels[j]] += weights[j]
            j += 1
        best = first_of_largest(counts)
        alone = group[best] > 0.0  # whether the value has no other class than the interval's
        for c in range(n_classes):
            alone &= c == best or group[c] == 0.0
        if counts[best] >= min_bucket_size and not alone:
            if before >= 0 and before != best:
                cuts[n_cuts] = midpoint(values[start - 1], values[start])
                n_cuts += 1
            start, before = i, best
            counts[:] = 0.0
        counts += group
        i = j
    if before >= 0 and before != first_of_largest(counts):
        cuts[n_cuts] = midpoint(values[start - 1], values[start])
        n_cuts += 1
    return cuts[:n_cuts]
