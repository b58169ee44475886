"""Numba kernels that draw the hyperplane of a partition, and the random numbers for it."""

import numpy as np
from numba import njit

from studylib.core.random import next_uniform
from studylib.graf._samples import gather

MARGIN = 1e-6  # ε of eq 4, in units of the range
N_DRAWS = 10  # hyperplanes (or rounds of candidates) drawn for a partition before it becomes a leaf
N_SCORED = 512  # samples of a partition on which candidates are compared
SMALLEST_RANGE = 1e-300  # a smaller one has no finite inverse


@njit(cache=True, nogil=True)
def choose(items, m, rng):
    """Move ``m`` of the items, drawn without replacement, to the front."""
    for i in range(m):
        j = i + np.int64(next_uniform(rng) * (items.shape[0] - i))
        items[i], items[j] = items[j], items[i]


@njit(cache=True, nogil=True)
def draw_features(d, m, rng):
    """``m`` of ``d`` features in ascending order, int32 (m,); draws nothing if that is all of them."""
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
def _mean(values):
    """Mean by four running sums: as exact as one; their order is part of the results."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    n = values.shape[0]
    whole = n - n % 4
    for i in range(0, whole, 4):
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
    if n > whole:
        a += values[whole]
    if n > whole + 1:
        b += values[whole + 1]
    if n > whole + 2:
        c += values[whole + 2]
    return ((a + b) + (c + d)) / n


@njit(cache=True, nogil=True)
def _gather_with_ends(out, values, order):
    """``out = values[order]``; returns the smallest and the largest of them.

    Four at a time, because each comparison waits for the one before.  Without this and the three features at
    a time of ``_project``, "guided" trees of 15,000 × 16 samples took 30 % longer.
    """
    n = order.shape[0]
    a = values[order[0]]
    b, c, d, e, f, g, h = a, a, a, a, a, a, a
    for i in range(0, n - n % 4, 4):
        w, x, y, z = values[order[i]], values[order[i + 1]], values[order[i + 2]], values[order[i + 3]]
        out[i], out[i + 1], out[i + 2], out[i + 3] = w, x, y, z
        a, e = min(a, w), max(e, w)
        b, f = min(b, x), max(f, x)
        c, g = min(c, y), max(g, y)
        d, h = min(d, z), max(h, z)
    for i in range(n - n % 4, n):
        out[i] = values[order[i]]
        a, e = min(a, out[i]), max(e, out[i])
    return min(min(a, b), min(c, d)), max(max(e, f), max(g, h))


@njit(cache=True, nogil=True)
def _is_divided(line, threshold):
    """Whether some projection lies above the threshold and some does not."""
    first = line[0] > threshold
    for i in range(1, line.shape[0]):  # noqa: SIM110 (numba knows no any())
        if (line[i] > threshold) != first:
            return True
    return False


@njit(cache=True, nogil=True)
def _add_product(out, values, weight, first):
    """``out = weight * values``, or added to what is there."""
    if first:
        for i in range(out.shape[0]):
            out[i] = weight * values[i]
    else:
        for i in range(out.shape[0]):
            out[i] += weight * values[i]


@njit(cache=True, nogil=True)
def _project(block, features, weights, line):
    """Projections of a block of samples, the products added in the order of the features.

    Three features at a time: that saves passes over ``line`` (for the gain see ``_gather_with_ends``).
    """
    k, m = weights.shape[0], line.shape[0]
    if k < 3:
        for j in range(k):
            _add_product(line, block[features[j]], weights[j], j == 0)
        return
    u, v, w = weights[0], weights[1], weights[2]
    a, b, c = block[features[0]], block[features[1]], block[features[2]]
    for i in range(m):
        line[i] = (u * a[i] + v * b[i]) + w * c[i]
    for j in range(3, k):
        _add_product(line, block[features[j]], weights[j], False)


@njit(cache=True, nogil=True)
def draw_plane(data, samples, start, stop, features, centred, rng, weights):
    """Draw a hyperplane for a partition, eqs 4 to 8: ``(whether it divides it, its threshold, draws)``.

    Takes one uniform number per feature and draw.  Leaves the projections in ``samples.line``.
    """
    n = stop - start
    here, column, line = samples.here[:n], samples.column[:n], samples.line[:n]
    gather(here, samples.rows, samples.order[start:stop])
    for k in range(N_DRAWS):
        constant = True
        for j in range(features.shape[0]):
            low, high = _gather_with_ends(column, data[features[j]], here)
            u = next_uniform(rng)
            if low < high:
                constant = False
                if centred:
                    weights[j] = (u - 0.5) * (high - low)
                else:
                    low, high = low + MARGIN * (high - low), high - MARGIN * (high - low)
                    weights[j] = low + u * (high - low)
            else:
                weights[j] = 0.0 if centred else low
            _add_product(line, column, weights[j], j == 0)
        if constant:
            return False, 0.0, k
        threshold = _mean(line)
        if _is_divided(line, threshold):
            return True, threshold, k + 1
    return False, 0.0, N_DRAWS


@njit(cache=True, nogil=True)
def _by_class(samples, start, n, m, n_classes):
    """Rows of ``m`` evenly strided samples of a partition, sorted stably by class.

    Returns them and where the classes that are present begin (and the last one ends).
    """
    ends = np.zeros(n_classes + 1, np.int64)
    for i in range(m):
        ends[samples.labels[samples.order[start + i * n // m]] + 1] += 1
    bounds = np.zeros(n_classes + 1, np.int64)
    present = 0
    for c in range(n_classes):
        if ends[c + 1] > 0:
            present += 1
            bounds[present] = bounds[present - 1] + ends[c + 1]
        ends[c + 1] += ends[c]
    rows = np.empty(m, np.uint32)
    for i in range(m):
        position = samples.order[start + i * n // m]
        label = samples.labels[position]
        rows[ends[label]] = samples.rows[position]
        ends[label] += 1
    return rows, bounds[: present + 1]


@njit(cache=True, nogil=True)
def _score(line, threshold, bounds):
    """Minus the Gini impurity, times samples, of the two sides; -inf where one of them is empty.

    Class ``c``'s projections are together, from ``bounds[c]`` to ``bounds[c + 1]``: counting them needs no
    look at labels.
    """
    zeros, ones, zero_squares, one_squares = 0, 0, 0.0, 0.0
    for c in range(bounds.shape[0] - 1):
        of_class = line[bounds[c] : bounds[c + 1]]
        count = 0
        for i in range(of_class.shape[0]):
            count += of_class[i] > threshold
        rest = of_class.shape[0] - count
        ones += count
        zeros += rest
        one_squares += np.float64(count) * count
        zero_squares += np.float64(rest) * rest
    if zeros == 0 or ones == 0:
        return -np.inf
    return -((zeros - zero_squares / zeros) + (ones - one_squares / ones))


@njit(cache=True, nogil=True)
def _best_candidate(block, bounds, usable, ranges, n_candidates, rng, features, weights):
    """The candidate hyperplane with the largest decrease of Gini impurity on a block of samples.

    Writes its features and weights; returns whether any candidate divided the block.
    """
    k = min(features.shape[0], usable.shape[0])
    line = np.empty(block.shape[1])
    trial = np.empty(k)
    best = -np.inf
    for _ in range(n_candidates):
        choose(usable, k, rng)
        for j in range(k):
            trial[j] = (2.0 * next_uniform(rng) - 1.0) / ranges[usable[j]]
        _project(block, usable, trial, line)
        score = _score(line, _mean(line), bounds)
        if score > best:
            best = score
            for j in range(features.shape[0]):
                features[j] = usable[j] if j < k else usable[0]
                weights[j] = trial[j] if j < k else 0.0
    return best > -np.inf


@njit(cache=True, nogil=True)
def draw_guided_plane(data, samples, start, stop, n_classes, n_candidates, rng, features, weights):
    """Choose a hyperplane for a partition: ``(whether it divides it, its threshold, rounds)``.

    Candidates are compared on evenly strided samples; if none divides those, on all from then on.
    Leaves the projections in ``samples.line``.
    """
    d, n = data.shape[0], stop - start
    here, column, line = samples.here[:n], samples.column[:n], samples.line[:n]
    gather(here, samples.rows, samples.order[start:stop])
    ranges = np.empty(d)
    usable = np.empty(d, np.int32)
    n_usable = 0
    m = min(n, N_SCORED)
    chosen, bounds = _by_class(samples, start, n, m, n_classes)
    block = np.empty((d, m))
    for j in range(d):
        low, high = _gather_with_ends(block[j], data[j], chosen)
        if m < n:
            low, high = _gather_with_ends(column, data[j], here)
        ranges[j] = high - low
        if ranges[j] > SMALLEST_RANGE:
            usable[n_usable] = j
            n_usable += 1
    usable = usable[:n_usable]
    if n_usable == 0:
        return False, 0.0, 0
    for k in range(N_DRAWS):
        if k == 1 and m < n:
            chosen, bounds = _by_class(samples, start, n, n, n_classes)
            block = np.empty((d, n))
            for j in usable:
                gather(block[j], data[j], chosen)
        if _best_candidate(block, bounds, usable, ranges, n_candidates, rng, features, weights):
            for j in range(features.shape[0]):
                gather(column, data[features[j]], here)
                _add_product(line, column, weights[j], j == 0)
            threshold = _mean(line)
            if _is_divided(line, threshold):
                return True, threshold, k + 1
    return False, 0.0, N_DRAWS
