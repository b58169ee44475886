"""Numba kernels that give samples the bits of a hyperplane, eq 3, in growing as in prediction.

They run in single precision, which halves the memory traffic.  Results do not depend on it: a projection that
lies closer to the threshold than single precision can vouch for is computed again in double precision.

(They are called from other files, against the habit: the kernel cache's path holds a hash of all sources.)
"""

import numpy as np

from studylib.core.compiling import njit
from studylib.graf._features import entry, stretch

BLOCK = 512  # samples at a time: their sums stay in the first-level cache


@njit(cache=True, nogil=True)
def dot(weights, features, data, sources, i):
    """Projection of sample ``i``, float64: the products are added in the order of the features."""
    total = 0.0
    for j in range(weights.shape[0]):
        total += weights[j] * entry(data, sources, features[j], np.int64(i))
    return total


# In the order of the features the sum takes several times as long.
@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def tolerance(weights, features, largest, threshold):
    """Distance from 0 at which the sign of a single-precision projection minus threshold is certain.

    Rounding features and weights, multiplying, adding up and subtracting the threshold are at most k + 4
    roundings of 2^-24 of the sum of absolute products, or of the smallest normal number; twice that is
    returned.  Infinite where single precision could overflow.
    """
    bound = abs(threshold)
    for j in range(weights.shape[0]):
        bound += (abs(weights[j]) + 1.2e-38) * (largest[features[j]] + 1.2e-38)
    if not bound < 1e37:
        return np.float32(np.inf)
    return np.float32((weights.shape[0] + 4) * 2.0**-23 * bound + 1e-37)


# Fusing multiplication and addition is a tenth faster here, rounds less, and assumes nothing about NaN.
@njit(cache=True, nogil=True, fastmath={"contract"})
def _project(single, sources, start, columns, weights, line, work):
    """Projections in single precision; three features at a time, which saves passes over ``line``."""
    m, k = line.shape[0], weights.shape[0]
    j = k % 3
    if j == 0:
        for i in range(m):
            line[i] = 0.0
    elif j == 1:
        w = np.float32(weights[0])
        a = stretch(single, sources, columns[0], start, m, work[1])
        for i in range(m):
            line[i] = w * a[i]
    else:
        w, v = np.float32(weights[0]), np.float32(weights[1])
        a = stretch(single, sources, columns[0], start, m, work[1])
        b = stretch(single, sources, columns[1], start, m, work[2])
        for i in range(m):
            line[i] = w * a[i] + v * b[i]
    for j in range(k % 3, k, 3):
        w, v, u = np.float32(weights[j]), np.float32(weights[j + 1]), np.float32(weights[j + 2])
        a = stretch(single, sources, columns[j], start, m, work[1])
        b = stretch(single, sources, columns[j + 1], start, m, work[2])
        c = stretch(single, sources, columns[j + 2], start, m, work[3])
        for i in range(m):
            line[i] += w * a[i] + v * b[i] + u * c[i]


@njit(cache=True, nogil=True)
def give_bits(data, sources, largest, rows, single, start, columns, features, weights, threshold, work, bits):
    """Bits of the samples from place ``start`` on, one for each entry of ``bits``, uint8.

    ``data`` is the table of all samples, float64 (r, n), with ``sources``, SOURCE_DTYPE (d,) or None, see
    ``_features``; ``largest``, float64 (d,), the largest absolute value of each feature; ``rows``, uint32,
    which sample of ``data`` is at each place; ``single``, float32, the table in the order of ``rows``,
    rounded.  ``columns`` and ``features``, int32 (k,), are the features of the hyperplane in ``single`` and
    in ``data``; ``weights`` are float64 (k,).  ``work``, float32 (4, m), has room for as many numbers as
    there are bits, or more.
    """
    m = bits.shape[0]
    line = work[0][:m]
    _project(single, sources, start, columns, weights, line, work)
    middle, distance = np.float32(threshold), tolerance(weights, features, largest, threshold)
    n_doubts = np.int32(0)
    for i in range(m):
        excess = line[i] - middle
        bits[i] = excess > np.float32(0.0)
        n_doubts = np.int32(n_doubts + (not abs(excess) > distance))
    if n_doubts > 0:
        for i in range(m):
            if not abs(line[i] - middle) > distance:
                bits[i] = dot(weights, features, data, sources, rows[start + i]) > threshold
