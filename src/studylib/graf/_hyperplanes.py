"""Numba kernels that draw features and hyperplanes, and the random numbers for them."""

import numpy as np

from studylib.core.compiling import njit
from studylib.core.random import next_uniform
from studylib.graf._projections import add_product, choose, gather, gather_with_ends, is_divided, mean

MARGIN = 1e-6  # ε of eq 4, in units of the range
MAX_DRAWS = 10  # hyperplanes (or rounds of candidates) drawn for a partition before it becomes a leaf


@njit(cache=True, nogil=True)
def draw_features(d, m, rng):
    """The tree's M = ``m`` of ``d`` features, ascending, int32 (m,); draws nothing if that is all of them."""
    features = np.arange(d).astype(np.int32)
    if m == d:
        return features
    choose(features, m, rng)
    drawn = np.zeros(d, np.uint8)
    for j in range(m):
        drawn[features[j]] = 1
    m = 0
    for j in range(d):
        if drawn[j]:
            features[m] = j
            m += 1
    return features[:m]


@njit(cache=True, nogil=True)
def draw_plane(data, samples, start, stop, features, centred, rng, weights):
    """Draw a hyperplane for a partition, eqs 4 to 8: ``(whether it divides it, its threshold, draws)``.

    Takes a uniform number per feature and draw.  Leaves the projections in ``samples.line``.
    """
    n = stop - start
    here, column, line = samples.here[:n], samples.column[:n], samples.line[:n]
    gather(here, samples.rows, samples.order[start:stop])
    for k in range(MAX_DRAWS):
        constant = True
        for j in range(features.shape[0]):
            low, high = gather_with_ends(column, data[features[j]], here)  # eqs 6 and 7
            u = next_uniform(rng)
            if low < high:
                constant = False
                if centred:  # ours
                    weights[j] = (u - 0.5) * (high - low)
                else:  # eq 4
                    low, high = low + MARGIN * (high - low), high - MARGIN * (high - low)
                    weights[j] = low + u * (high - low)
            else:
                weights[j] = 0.0 if centred else low
            add_product(line, column, weights[j], j == 0)
        if constant:
            return False, 0.0, k
        threshold = mean(line)  # eqs 5 and 8: the mean of W · x is W · μ
        if is_divided(line, threshold):
            return True, threshold, k + 1
    return False, 0.0, MAX_DRAWS
