"""Numba kernels that grow one tree.

Data layout
-----------
The features of the samples that are still in play stand in *storage order*, one contiguous row a feature, so
a hyperplane's projections are a few passes over contiguous memory.  The samples of a partition stand
together in *partition order*: ``order[start[p]:stop[p]]`` are their storage positions, in the order of the
data set.  A split moves these positions only, never the features.

A new hyperplane gives every sample in storage a bit; the bits are gathered into partition order, and two
neighbours with different bits in one partition say that it is dichotomised.  So partitions that a hyperplane
misses, most of them as soon as they are small, cost nothing beyond their samples' projections.  Leaves are
left behind until a quarter of the storage is dead, then the storage is rewritten in partition order.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from studylib.graf._tree import LEAF, NODE_DTYPE, PURE, SHARE_DTYPE

BOX, CENTRED, GUIDED = 0, 1, 2

MARGIN = 1e-6  # ε of eq 4, in units of the range
N_DRAWS = 10  # hyperplanes (or rounds of candidates) drawn for a partition before it becomes a leaf
N_SCORED = 512  # samples of a partition on which candidates are compared
SMALLEST_RANGE = 1e-300  # a smaller one has no finite inverse
_BLOCK = 512  # samples whose projections are summed at a time: they stay in the first-level cache


class Settings(NamedTuple):
    """What steers the growth."""

    hyperplane: int
    extend: bool
    extension_gain: float
    min_samples_split: int
    n_candidates: int
    features_per_plane: int


class Samples(NamedTuple):
    """The samples in play; ``joined[i]`` is 1 where ``i`` and ``i + 1`` are in one impure partition."""

    columns: np.ndarray  # float64 (M, n), storage order
    labels: np.ndarray  # int32 (n,), storage order
    order: np.ndarray  # int32 (n,), storage positions in partition order
    owner: np.ndarray  # int32 (n,), node of each sample in partition order
    joined: np.ndarray  # uint8 (n + 8,), partition order
    bits: np.ndarray  # uint8 (n + 8,), storage order
    found: np.ndarray  # uint8 (n + 8,), partition order
    line: np.ndarray  # float64 (n,), projections of one partition
    column: np.ndarray  # float64 (n,), one feature of one partition
    aside: np.ndarray  # int32 (n,), room for the samples with bit 1


@njit(cache=True, nogil=True)
def uniform(rng):
    """Next number of a tree's stream, uniform on [0, 1): splitmix64 (Steele, Lea and Flood 2014)."""
    rng[0] += np.uint64(0x9E3779B97F4A7C15)
    z = rng[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * 2.0**-53


@njit(cache=True, nogil=True)
def choose(items, m, rng):
    """Move ``m`` of the items, drawn without replacement, to the front."""
    for i in range(m):
        j = i + np.int64(uniform(rng) * (items.shape[0] - i))
        items[i], items[j] = items[j], items[i]


@njit(cache=True, nogil=True)
def impurity(counts, totals):
    """Z of a partition, eq 10, from the class counts of the partition and of the data."""
    total, squares, n = 0.0, 0.0, 0
    for c in range(counts.shape[0]):
        p = counts[c] / totals[c]
        total += p
        squares += p * p
        n += counts[c]
    return (1.0 - squares / (total * total)) * n


@njit(cache=True, nogil=True)
def _gini(counts, n):
    """Gini impurity of ``n`` samples, times ``n``."""
    squares = 0.0
    for c in range(counts.shape[0]):
        squares += np.float64(counts[c]) * counts[c]
    return n - squares / n


@njit(cache=True, nogil=True)
def _mean(values):
    """Mean by four running sums: as exact as one, and not waiting for each addition."""
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
def _ends(values):
    """Smallest and largest value."""
    low, high = values[0], values[0]
    for i in range(1, values.shape[0]):
        low = min(low, values[i])
        high = max(high, values[i])
    return low, high


@njit(cache=True, nogil=True)
def _is_divided(line, threshold):
    """Whether some projection lies above the threshold and some does not."""
    first = line[0] > threshold
    for i in range(1, line.shape[0]):
        if (line[i] > threshold) != first:
            return True
    return False


# A heap of the impure partitions, the most impure on top, of equals the one that was made first.


@njit(cache=True, nogil=True)
def _push(keys, ids, size, key, i):
    """Add partition ``i`` to a heap of ``size``."""
    at = size
    while at > 0:
        up = (at - 1) // 2
        if keys[up] > key or (keys[up] == key and ids[up] < i):
            break
        keys[at], ids[at] = keys[up], ids[up]
        at = up
    keys[at], ids[at] = key, i


@njit(cache=True, nogil=True)
def _pop(keys, ids, size):
    """Take the top from a heap of ``size``."""
    top = ids[0]
    key, i = keys[size - 1], ids[size - 1]
    at = 0
    while True:
        down = 2 * at + 1
        if down >= size - 1:
            break
        other = down + 1
        if other < size - 1 and (
            keys[other] > keys[down] or (keys[other] == keys[down] and ids[other] < ids[down])
        ):
            down = other
        if key > keys[down] or (key == keys[down] and i < ids[down]):
            break
        keys[at], ids[at] = keys[down], ids[down]
        at = down
    keys[at], ids[at] = key, i
    return top


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
def _gather(out, values, order):
    """``out = values[order]``."""
    for i in range(order.shape[0]):
        out[i] = values[order[i]]


@njit(cache=True, nogil=True)
def _draw_plane(samples, start, stop, centred, rng, weights):
    """Draw a hyperplane for a partition, eqs 4 to 8: ``(whether it divides it, its threshold, draws)``.

    Takes one uniform number a feature and draw.  A partition of identical samples takes one draw.
    """
    order = samples.order[start:stop]
    column, line = samples.column[: stop - start], samples.line[: stop - start]
    for k in range(N_DRAWS):
        constant = True
        for j in range(weights.shape[0]):
            _gather(column, samples.columns[j], order)
            low, high = _ends(column)
            u = uniform(rng)
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
            return False, 0.0, k + 1
        threshold = _mean(line)
        if _is_divided(line, threshold):
            return True, threshold, k + 1
    return False, 0.0, N_DRAWS


@njit(cache=True, nogil=True)
def _best_candidate(block, labels, usable, ranges, n_classes, s, rng, features, weights):
    """The candidate hyperplane with the largest decrease of Gini impurity on a block of samples.

    Writes its features and weights; returns whether any candidate divided the block.
    """
    m = labels.shape[0]
    k = min(features.shape[0], usable.shape[0])
    line = np.empty(m)
    trial = np.empty(k)
    counts = np.empty((2, n_classes), np.int64)
    best = -np.inf
    for _ in range(s.n_candidates):
        choose(usable, k, rng)
        for j in range(k):
            trial[j] = (2.0 * uniform(rng) - 1.0) / ranges[usable[j]]
            _add_product(line, block[usable[j]], trial[j], j == 0)
        threshold = _mean(line)
        counts[:] = 0
        for i in range(m):
            counts[np.int64(line[i] > threshold), labels[i]] += 1
        n_ones = counts[1].sum()
        if 0 < n_ones < m:
            score = -(_gini(counts[0], m - n_ones) + _gini(counts[1], n_ones))
            if score > best:
                best = score
                features[:] = usable[0]  # with weight 0, where fewer than wanted are usable
                weights[:] = 0.0
                features[:k] = usable[:k]
                weights[:k] = trial
    return best > -np.inf


@njit(cache=True, nogil=True)
def _draw_guided_plane(samples, start, stop, n_classes, s, rng, features, weights):
    """Choose a hyperplane for a partition: ``(whether it divides it, its threshold, rounds)``.

    Candidates are compared on evenly strided samples; if none divides those, on all from then on.
    """
    n = stop - start
    order = samples.order[start:stop]
    column, line = samples.column[:n], samples.line[:n]
    d = samples.columns.shape[0]
    ranges = np.empty(d)
    usable = np.empty(d, np.int32)
    n_usable = 0
    for j in range(d):
        _gather(column, samples.columns[j], order)
        low, high = _ends(column)
        ranges[j] = high - low
        if ranges[j] > SMALLEST_RANGE:
            usable[n_usable] = j
            n_usable += 1
    usable = usable[:n_usable]
    if n_usable == 0:
        return False, 0.0, 0
    for k in range(N_DRAWS):
        m = min(n, N_SCORED) if k == 0 else n
        if k < 2:
            strided = np.empty(m, np.int32)
            for i in range(m):
                strided[i] = order[i * n // m]
            block = np.empty((d, m))
            for j in range(d):
                _gather(block[j], samples.columns[j], strided)
            labels = samples.labels[strided]
        if _best_candidate(block, labels, usable, ranges, n_classes, s, rng, features, weights):
            for j in range(features.shape[0]):
                _gather(column, samples.columns[features[j]], order)
                _add_product(line, column, weights[j], j == 0)
            threshold = _mean(line)
            if _is_divided(line, threshold):
                return True, threshold, k + 1
    return False, 0.0, N_DRAWS


@njit(cache=True, nogil=True)
def _give_bits(columns, features, weights, threshold, bits):
    """Bit of every sample in storage, eq 3."""
    n = bits.shape[0]
    line = np.empty(_BLOCK)
    for start in range(0, n, _BLOCK):
        m = min(_BLOCK, n - start)
        part = line[:m]
        for j in range(features.shape[0]):
            _add_product(part, columns[features[j]][start : start + m], weights[j], j == 0)
        out = bits[start : start + m]
        for i in range(m):
            out[i] = part[i] > threshold


@njit(cache=True, nogil=True)
def _find_divided(samples, size, stops, cut):
    """Partitions whose samples do not all have the same bit, in partition order; returns how many.

    Afterwards ``found`` holds the bits in partition order.
    """
    order, bits, found, joined = samples.order, samples.bits, samples.found, samples.joined
    _gather(found[:size], bits, order[:size])
    changed = np.empty(size + 8, np.uint8)
    changed[size - 1 :] = 0
    here, after, same = found[: size - 1], found[1:size], joined[: size - 1]
    for i in range(size - 1):
        changed[i] = (here[i] ^ after[i]) & same[i]
    words = changed[: (size + 7) // 8 * 8].view(np.uint64)
    n_cut, beyond = 0, 0
    for w in range(words.shape[0]):
        if words[w] == 0:
            continue
        for i in range(max(8 * w, beyond), 8 * w + 8):
            if i >= beyond and changed[i]:
                cut[n_cut] = samples.owner[i]
                beyond = stops[samples.owner[i]]
                n_cut += 1
    return n_cut


@njit(cache=True, nogil=True)
def _count(samples, start, stop, counts):
    """Class counts of the two sides of a partition, ``counts[bit, class]``."""
    order, labels, found = samples.order[start:stop], samples.labels, samples.found[start:stop]
    counts[:] = 0
    for i in range(order.shape[0]):
        counts[found[i], labels[order[i]]] += 1


@njit(cache=True, nogil=True)
def _relative_gain(counts, both):
    """Decrease of Gini impurity by a split, as a share of what was there."""
    n_zeros, n_ones = counts[0].sum(), counts[1].sum()
    both[:] = counts[0] + counts[1]
    before = _gini(both, n_zeros + n_ones)
    return (before - (_gini(counts[0], n_zeros) + _gini(counts[1], n_ones))) / before


@njit(cache=True, nogil=True)
def _divide(samples, start, stop):
    """Stable partition of a node's samples, bit 0 first; returns where bit 1 starts."""
    order, found, aside = samples.order[start:stop], samples.found[start:stop], samples.aside
    zeros, ones = 0, 0
    for i in range(order.shape[0]):
        position = order[i]
        order[zeros] = position
        aside[ones] = position
        ones += found[i]
        zeros += 1 - found[i]
    order[zeros:] = aside[:ones]
    return start + zeros


@njit(cache=True, nogil=True)
def _store(samples, size, starts, stops):
    """Rewrite storage in partition order, without what is dead; returns the new size."""
    order, owner, joined = samples.order, samples.owner, samples.joined
    live, last = 0, LEAF
    for i in range(size):
        if owner[i] == LEAF:
            continue
        if owner[i] != last:
            last = owner[i]
            stops[last] += live - starts[last]
            starts[last] = live
        order[live], owner[live], joined[live] = order[i], owner[i], joined[i]
        live += 1
    column = samples.column[:live]
    for j in range(samples.columns.shape[0]):
        _gather(column, samples.columns[j], order[:live])
        samples.columns[j][:live] = column
    samples.labels[:live] = samples.labels[order[:live]]
    for i in range(live):
        order[i] = i
    return live


@njit(cache=True, nogil=True)
def _add_shares(node, counts, totals, shares, n_shares):
    """Make a node an impure leaf; returns the number of rows in ``shares``."""
    total = 0.0
    for c in range(counts.shape[0]):
        total += counts[c] / totals[c]
    node.shares = n_shares
    largest = 0.0
    for c in range(counts.shape[0]):
        if counts[c] > 0:
            share = counts[c] / totals[c] / total
            if share > largest:
                largest = share
                node.label = c
            row = shares[n_shares]
            row.label, row.count, row.share, row.score = c, counts[c], share, np.log2(1.0 + share)
            n_shares += 1
    node.n_shares = n_shares - node.shares
    return n_shares


@njit(cache=True, nogil=True)
def _make_node(node, counts, height, depth):
    """Write a node as a leaf; returns whether it is impure."""
    present, n = 0, 0
    for c in range(counts.shape[0]):
        if counts[c] > 0:
            present += 1
            node.label = c
            n += counts[c]
    node.plane, node.first_child, node.shares, node.n_shares = LEAF, LEAF, PURE, 0
    node.n_samples, node.height, node.depth = n, height, depth
    return present > 1


@njit(cache=True, nogil=True)
def grow(columns, labels, totals, max_features, s, rng):
    """Grow one tree over all samples.

    Parameters
    ----------
    columns : float64 (d, n), the features of all samples, one row a feature
    labels : int32 (n,), class indices
    totals : int64 (C,), samples a class, all positive
    max_features : int, M; all d for guided hyperplanes
    s : Settings
    rng : uint64 (1,), state of the tree's draws; overwritten

    Returns
    -------
    nodes, features, weights, thresholds, origins, shares, n_draws : see ``Tree``
    """
    d, n = columns.shape
    guided = s.hyperplane == GUIDED
    chosen = np.arange(d).astype(np.int32)
    if max_features < d:
        choose(chosen, max_features, rng)
        chosen = np.sort(chosen[:max_features])
    samples = Samples(
        columns[chosen],
        labels.copy(),
        np.arange(n).astype(np.int32),
        np.zeros(n, np.int32),
        np.ones(n + 8, np.uint8),
        np.empty(n + 8, np.uint8),
        np.empty(n + 8, np.uint8),
        np.empty(n),
        np.empty(n),
        np.empty(n, np.int32),
    )
    samples.joined[n - 1 :] = 0
    # Room for the largest tree; pages that are never touched are never allocated.
    nodes = np.empty(2 * n - 1, NODE_DTYPE)
    starts, stops = np.empty(2 * n - 1, np.int32), np.empty(2 * n - 1, np.int32)
    shares = np.empty(n, SHARE_DTYPE)
    k = s.features_per_plane if guided else max_features
    features = np.empty((n if guided else 1, k), np.int32)
    local = np.arange(k).astype(np.int32)
    if not guided:
        features[0] = chosen
    weights = np.empty((n, k))
    thresholds = np.empty(n)
    origins = np.empty(n, np.int32)
    keys, ids = np.empty(n), np.empty(n, np.int32)
    cut = np.empty(n // 2 + 1, np.int32)
    counts = np.zeros((2, totals.shape[0]), np.int64)
    both = np.empty(totals.shape[0], np.int64)

    starts[0], stops[0] = 0, n
    n_nodes, n_planes, n_shares, n_draws, n_queued = 1, 0, 0, 0, 0
    size, n_dead = n, 0
    if _make_node(nodes[0], totals, 0, 0):
        if n >= s.min_samples_split:
            _push(keys, ids, 0, impurity(totals, totals), 0)
            n_queued = 1
        else:
            n_shares = _add_shares(nodes[0], totals, totals, shares, 0)

    while n_queued > 0:
        omega = _pop(keys, ids, n_queued)
        n_queued -= 1
        if nodes[omega].first_child != LEAF:
            continue  # divided by the hyperplane of another partition
        start, stop = starts[omega], stops[omega]
        if guided:
            local = features[n_planes]
            divides, threshold, draws = _draw_guided_plane(
                samples, start, stop, totals.shape[0], s, rng, local, weights[n_planes]
            )
        else:
            divides, threshold, draws = _draw_plane(
                samples, start, stop, s.hyperplane == CENTRED, rng, weights[n_planes]
            )
        n_draws += draws
        if not divides:
            samples.found[start:stop] = 0
            _count(samples, start, stop, counts)
            n_shares = _add_shares(nodes[omega], counts[0], totals, shares, n_shares)
            samples.owner[start:stop] = LEAF
            samples.joined[start:stop] = 0
            n_dead += stop - start
            continue
        thresholds[n_planes], origins[n_planes] = threshold, omega
        if s.extend:
            _give_bits(samples.columns, local, weights[n_planes], threshold, samples.bits[:size])
            n_cut = _find_divided(samples, size, stops, cut)
        else:
            for i in range(stop - start):  # the draw has left ω's projections behind
                samples.found[start + i] = samples.line[i] > threshold
            cut[0] = omega
            n_cut = 1
        least = -np.inf
        if s.extension_gain > 0.0:
            _count(samples, start, stop, counts)
            least = s.extension_gain * _relative_gain(counts, both)
        n_planes += 1
        for p in cut[:n_cut]:
            start, stop = starts[p], stops[p]
            _count(samples, start, stop, counts)
            if p != omega and least > -np.inf and _relative_gain(counts, both) < least:
                continue
            middle = _divide(samples, start, stop)
            samples.joined[middle - 1] = 0
            nodes[p].plane = n_planes - 1
            nodes[p].first_child = n_nodes
            nodes[p].label = LEAF
            for bit in range(2):
                first, last = (start, middle) if bit == 0 else (middle, stop)
                starts[n_nodes], stops[n_nodes] = first, last
                alive = _make_node(nodes[n_nodes], counts[bit], n_planes, nodes[p].depth + 1)
                if alive and last - first < s.min_samples_split:
                    n_shares = _add_shares(nodes[n_nodes], counts[bit], totals, shares, n_shares)
                    alive = False
                if alive:
                    samples.owner[first:last] = n_nodes
                    _push(keys, ids, n_queued, impurity(counts[bit], totals), n_nodes)
                    n_queued += 1
                else:
                    samples.owner[first:last] = LEAF
                    samples.joined[first:last] = 0
                    n_dead += last - first
                n_nodes += 1
        if s.extend and 4 * n_dead > size:
            size = _store(samples, size, starts, stops)
            n_dead = 0
    return (
        nodes[:n_nodes].copy(),
        features[: n_planes if guided else 1].copy(),
        weights[:n_planes].copy(),
        thresholds[:n_planes].copy(),
        origins[:n_planes].copy(),
        shares[:n_shares].copy(),
        n_draws,
    )
