"""Numba kernels that grow one tree.

Data layout
-----------
The samples that are still in play stand in *storage order*, their features in one contiguous row a feature, so
a hyperplane's projections are a few passes over contiguous memory.  The samples of a partition stand
together in *partition order*: ``order[start[p]:stop[p]]`` are their storage positions, in the order of the
data set.  A split moves these positions only, never the features.

A new hyperplane gives every sample in storage a bit; the bits are gathered into partition order, and two
neighbours with different bits in one partition say that it is dichotomised.  So partitions that a hyperplane
misses, most of them as soon as they are small, cost nothing beyond their samples' projections.  Leaves are
left behind; when that has cost as much as tidying up, storage is rewritten in partition order without them.

Storage holds float32 features, which halves the memory traffic.  Results do not depend on it: a projection
that lies closer to the threshold than single precision can vouch for is computed again from the float64 data.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from studylib.graf._bits import BLOCK, give_bits
from studylib.graf._tree import IMPURE, NODE_DTYPE, PURE, SHARE_DTYPE

BOX, CENTRED, GUIDED = 0, 1, 2

MARGIN = 1e-6  # ε of eq 4, in units of the range
N_DRAWS = 10  # hyperplanes (or rounds of candidates) drawn for a partition before it becomes a leaf
N_SCORED = 512  # samples of a partition on which candidates are compared
SMALLEST_RANGE = 1e-300  # a smaller one has no finite inverse
_DEAD = -1  # owner of the samples in leaves


class Settings(NamedTuple):
    """What steers the growth."""

    hyperplane: int
    extend: bool
    extension_gain: float
    min_samples_split: int
    n_candidates: int
    features_per_plane: int


class Samples(NamedTuple):
    """The samples in play.  Positions are unsigned: numba need not ask whether an index is negative."""

    # In storage order
    columns: np.ndarray  # float32 (M, n)
    rows: np.ndarray  # uint32 (n,), in the data set
    labels: np.ndarray  # int32 (n,)
    bits: np.ndarray  # uint8 (n + 8,), of the present hyperplane
    # In partition order
    order: np.ndarray  # uint32 (n,), positions in storage
    owner: np.ndarray  # int32 (n,), node
    joined: np.ndarray  # uint8 (n + 8,), 1 where a sample and the next are in one partition in play
    found: np.ndarray  # uint8 (n + 8,), bits
    # Room to work
    here: np.ndarray  # uint32 (n,), rows of one partition
    column: np.ndarray  # float64 (n,), one feature of them
    line: np.ndarray  # float64 (n,), their projections


class Partitions(NamedTuple):
    """The nodes as they are made, and a heap of the impure ones among them, the most impure on top."""

    nodes: np.ndarray  # NODE_DTYPE
    n_samples: np.ndarray  # int32
    starts: np.ndarray  # int32, place in partition order; valid while the node is in play
    stops: np.ndarray  # int32
    shares: np.ndarray  # SHARE_DTYPE
    keys: np.ndarray  # float64, impurity of eq 10
    heap: np.ndarray  # int32, node
    counts: np.ndarray  # int64 (C,), room to count
    totals: np.ndarray  # int64 (C,), samples a class in all data


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
        if counts[c] > 0:
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
    """Smallest and largest value; four at a time, because each comparison waits for the one before."""
    n = values.shape[0]
    a, b, c, d = values[0], values[0], values[0], values[0]
    e, f, g, h = a, a, a, a
    for i in range(0, n - n % 4, 4):
        a, e = min(a, values[i]), max(e, values[i])
        b, f = min(b, values[i + 1]), max(f, values[i + 1])
        c, g = min(c, values[i + 2]), max(g, values[i + 2])
        d, h = min(d, values[i + 3]), max(h, values[i + 3])
    for i in range(n - n % 4, n):
        a, e = min(a, values[i]), max(e, values[i])
    return min(min(a, b), min(c, d)), max(max(e, f), max(g, h))


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
def _draw_plane(data, samples, start, stop, features, centred, rng, weights):
    """Draw a hyperplane for a partition, eqs 4 to 8: ``(whether it divides it, its threshold, draws)``.

    Takes one uniform number a feature and draw.  Leaves the projections in ``samples.line``.
    """
    n = stop - start
    here, column, line = samples.here[:n], samples.column[:n], samples.line[:n]
    _gather(here, samples.rows, samples.order[start:stop])
    for k in range(N_DRAWS):
        constant = True
        for j in range(features.shape[0]):
            _gather(column, data[features[j]], here)
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
            return False, 0.0, k
        threshold = _mean(line)
        if _is_divided(line, threshold):
            return True, threshold, k + 1
    return False, 0.0, N_DRAWS


@njit(cache=True, nogil=True)
def _by_class(labels, n_classes):
    """Order that sorts samples stably by class, and where the classes present begin (and the last ends)."""
    ends = np.zeros(n_classes + 1, np.int64)
    for i in range(labels.shape[0]):
        ends[labels[i] + 1] += 1
    bounds = np.empty(n_classes + 1, np.int64)
    bounds[0], present = 0, 0
    for c in range(n_classes):
        if ends[c + 1] > 0:
            present += 1
            bounds[present] = bounds[present - 1] + ends[c + 1]
        ends[c + 1] += ends[c]
    order = np.empty(labels.shape[0], np.uint32)
    for i in range(labels.shape[0]):
        order[ends[labels[i]]] = i
        ends[labels[i]] += 1
    return order, bounds[: present + 1]


@njit(cache=True, nogil=True)
def _score(line, threshold, bounds):
    """Minus the Gini impurity, times samples, of the two sides; -inf where one of them is empty.

    Class ``c``'s projections stand together, from ``bounds[c]`` to ``bounds[c + 1]``: counting them needs no
    look at labels.
    """
    zeros, ones, zero_squares, one_squares = 0, 0, 0.0, 0.0
    for c in range(bounds.shape[0] - 1):
        count = 0
        for i in range(bounds[c], bounds[c + 1]):
            count += line[i] > threshold
        rest = bounds[c + 1] - bounds[c] - count
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
            trial[j] = (2.0 * uniform(rng) - 1.0) / ranges[usable[j]]
            _add_product(line, block[usable[j]], trial[j], j == 0)
        score = _score(line, _mean(line), bounds)
        if score > best:
            best = score
            features[:] = usable[0]  # with weight 0, where fewer than wanted are usable
            weights[:] = 0.0
            features[:k] = usable[:k]
            weights[:k] = trial
    return best > -np.inf


@njit(cache=True, nogil=True)
def _draw_guided_plane(data, samples, start, stop, n_classes, n_candidates, rng, features, weights):
    """Choose a hyperplane for a partition: ``(whether it divides it, its threshold, rounds)``.

    Candidates are compared on evenly strided samples; if none divides those, on all from then on.
    Leaves the projections in ``samples.line``.
    """
    d, n = data.shape[0], stop - start
    here, column, line = samples.here[:n], samples.column[:n], samples.line[:n]
    _gather(here, samples.rows, samples.order[start:stop])
    ranges = np.empty(d)
    usable = np.empty(d, np.int32)
    n_usable = 0
    for j in range(d):
        _gather(column, data[j], here)
        low, high = _ends(column)
        ranges[j] = high - low
        if ranges[j] > SMALLEST_RANGE:
            usable[n_usable] = j
            n_usable += 1
    usable = usable[:n_usable]
    if n_usable == 0:
        return False, 0.0, 0
    for k in range(N_DRAWS):
        if k < 2:
            m = min(n, N_SCORED) if k == 0 else n
            strided = np.empty(m, np.uint32)
            for i in range(m):
                strided[i] = start + i * n // m
            labels = samples.labels[samples.order[strided]]
            by_class, bounds = _by_class(labels, n_classes)
            chosen = samples.rows[samples.order[strided[by_class]]]
            block = np.empty((d, m))
            for j in usable:
                _gather(block[j], data[j], chosen)
        if _best_candidate(block, bounds, usable, ranges, n_candidates, rng, features, weights):
            for j in range(features.shape[0]):
                _gather(column, data[features[j]], here)
                _add_product(line, column, weights[j], j == 0)
            threshold = _mean(line)
            if _is_divided(line, threshold):
                return True, threshold, k + 1
    return False, 0.0, N_DRAWS


@njit(cache=True, nogil=True)
def _give_all_bits(data, largest, samples, size, features, local, weights, threshold):
    """Bit of every sample in storage."""
    line = np.empty(BLOCK, np.float32)
    for start in range(0, size, BLOCK):
        bits = samples.bits[start : min(start + BLOCK, size)]
        give_bits(
            data,
            largest,
            samples.rows,
            samples.columns,
            start,
            local,
            features,
            weights,
            threshold,
            line,
            bits,
        )


@njit(cache=True, nogil=True)
def _find_divided(samples, size, stops, cut):
    """Partitions whose samples do not all have the same bit, in partition order; returns how many.

    Afterwards ``found`` holds the bits in partition order.
    """
    found, joined = samples.found, samples.joined
    _gather(found, samples.bits, samples.order[:size])
    changed = samples.bits  # not needed any more
    here, after = found[:size], found[1 : size + 1]
    for i in range(size):
        changed[i] = (here[i] ^ after[i]) & joined[i]
    changed[size : size + 8] = 0
    words = changed[: (size + 7) // 8 * 8].view(np.uint64)
    n_cut, beyond = 0, 0
    for w in range(words.shape[0]):
        if words[w] != 0 and 8 * w + 8 > beyond:
            for i in range(max(8 * w, beyond), 8 * w + 8):
                if i >= beyond and changed[i]:
                    p = samples.owner[i]
                    cut[n_cut] = p
                    beyond = stops[p]
                    n_cut += 1
    return n_cut


@njit(cache=True, nogil=True)
def _split_gain(samples, start, stop, n_classes):
    """Decrease of Gini impurity by the present hyperplane, as a share of a partition's."""
    order, found = samples.order[start:stop], samples.found[start:stop]
    counts = np.zeros((2, n_classes), np.int64)
    for i in range(order.shape[0]):
        counts[found[i], samples.labels[order[i]]] += 1
    n_zeros, n_ones = counts[0].sum(), counts[1].sum()
    before = _gini(counts[0] + counts[1], n_zeros + n_ones)
    return (before - (_gini(counts[0], n_zeros) + _gini(counts[1], n_ones))) / before


@njit(cache=True, nogil=True)
def _keep_gains(p, samples, omega, share, cut, n_cut):
    """Keep of the dichotomised partitions those that gain at least ``share`` of what ω gains."""
    least = share * _split_gain(samples, p.starts[omega], p.stops[omega], p.totals.shape[0])
    kept = 0
    for k in range(n_cut):
        if (
            cut[k] == omega
            or _split_gain(samples, p.starts[cut[k]], p.stops[cut[k]], p.totals.shape[0]) >= least
        ):
            cut[kept] = cut[k]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def _divide(order, found, aside):
    """Stable partition of a node's samples, bit 0 first; returns the number of those."""
    zeros, ones = 0, 0
    for i in range(order.shape[0]):
        position, bit = order[i], np.int64(found[i])
        order[zeros] = position
        aside[ones] = position
        ones += bit
        zeros += 1 - bit
    for i in range(ones):
        order[zeros + i] = aside[i]
    return zeros


@njit(cache=True, nogil=True)
def _tidy(samples, size, starts, stops):
    """Rewrite storage in partition order, without what is dead; returns the new size."""
    order, owner, joined = samples.order, samples.owner, samples.joined
    live, last = 0, _DEAD
    for i in range(size):
        if owner[i] == _DEAD:
            continue
        if owner[i] != last:
            last = owner[i]
            stops[last] += live - starts[last]
            starts[last] = live
        order[live], owner[live], joined[live] = order[i], owner[i], joined[i]
        live += 1
    kept = order[:live]
    for j in range(samples.columns.shape[0]):
        samples.columns[j][:live] = samples.columns[j][kept]
    samples.rows[:live] = samples.rows[kept]
    samples.labels[:live] = samples.labels[kept]
    for i in range(live):
        order[i] = i
    return live


@njit(cache=True, nogil=True)
def _forget_divided(p, n_queued):
    """Rebuild the heap without the partitions that have been divided; returns its size."""
    nodes, keys, heap = p.nodes, p.keys, p.heap
    kept = 0
    for i in range(n_queued):
        if nodes[heap[i]].plane < 0:
            _push(keys, heap, kept, keys[i], heap[i])
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def _add_shares(p, node, n_shares):
    """Make a node an impure leaf with the classes in ``p.counts``; returns the number of records used."""
    total, present = 0.0, 0
    for c in range(p.counts.shape[0]):
        if p.counts[c] > 0:
            total += p.counts[c] / p.totals[c]
            present += 1
    p.nodes[node].plane, p.nodes[node].next = IMPURE, n_shares
    for c in range(p.counts.shape[0]):
        if p.counts[c] > 0:
            share = p.counts[c] / p.totals[c] / total
            present -= 1
            row = p.shares[n_shares]
            row.label, row.count, row.rest = c, p.counts[c], present
            row.share, row.score = share, np.log2(1.0 + share)
            n_shares += 1
    return n_shares


@njit(cache=True, nogil=True)
def _count(labels, order, counts):
    """Class counts of a partition."""
    for c in range(counts.shape[0]):
        counts[c] = 0
    for i in range(order.shape[0]):
        counts[labels[order[i]]] += 1


@njit(cache=True, nogil=True)
def _is_pure(labels, order):
    """Whether all samples of a partition are of one class."""
    label = labels[order[0]]
    for i in range(1, order.shape[0]):  # noqa: SIM110 (numba has no any())
        if labels[order[i]] != label:
            return False
    return True


@njit(cache=True, nogil=True)
def _divide_all(p, samples, cut, plane, n_nodes):
    """Divide partitions by the bits found; returns the number of nodes with their children."""
    order, found, aside, joined = samples.order, samples.found, samples.here, samples.joined
    for parent in cut:
        start, stop = p.starts[parent], p.stops[parent]
        middle = start + _divide(order[start:stop], found[start:stop], aside)
        joined[middle - 1] = 0
        p.nodes[parent].plane, p.nodes[parent].next = plane, n_nodes
        p.starts[n_nodes], p.stops[n_nodes] = start, middle
        p.starts[n_nodes + 1], p.stops[n_nodes + 1] = middle, stop
        n_nodes += 2
    return n_nodes


@njit(cache=True, nogil=True)
def _judge(p, samples, first, n_nodes, min_samples_split, n_queued, n_shares):
    """Make leaves of the new partitions from ``first`` on, or put them into the heap.

    Returns ``(size of the heap, records of shares, samples in leaves)``.
    """
    nodes, counts, totals, labels = p.nodes, p.counts, p.totals, samples.labels
    owner, joined = samples.owner, samples.joined
    n_dead = 0
    for node in range(first, n_nodes):
        start, stop = p.starts[node], p.stops[node]
        order = samples.order[start:stop]
        p.n_samples[node] = stop - start
        in_play = not _is_pure(labels, order)
        if in_play:
            _count(labels, order, counts)
            nodes[node].plane, nodes[node].next = IMPURE, 0
            if stop - start >= min_samples_split:
                _push(p.keys, p.heap, n_queued, impurity(counts, totals), node)
                n_queued += 1
            else:
                n_shares = _add_shares(p, node, n_shares)
                in_play = False
        else:
            nodes[node].plane, nodes[node].next = PURE, labels[order[0]]
        if in_play:
            for i in range(start, stop):
                owner[i] = node
        else:
            n_dead += stop - start
            for i in range(start, stop):
                owner[i] = _DEAD
                joined[i] = 0
    return n_queued, n_shares, n_dead


@njit(cache=True, nogil=True)
def grow(data, single, largest, labels, totals, max_features, s, rng):
    """Grow one tree over all samples.

    Parameters
    ----------
    data : float64 (d, n), the features of all samples, one row a feature
    single : float32 (d, n), the same, rounded
    largest : float64 (d,), the largest absolute value of each feature
    labels : int32 (n,), class indices
    totals : int64 (C,), samples a class, all positive
    max_features : int, M; all d for guided hyperplanes
    s : Settings
    rng : uint64 (1,), state of the tree's draws; overwritten

    Returns
    -------
    nodes, n_samples, features, weights, thresholds, origins, shares, n_draws : see ``Tree``
    """
    d, n = data.shape
    guided = s.hyperplane == GUIDED
    chosen = np.arange(d).astype(np.int32)
    if max_features < d:
        choose(chosen, max_features, rng)
        chosen = np.sort(chosen[:max_features])
    samples = Samples(
        np.empty((max_features, n), np.float32),
        np.arange(n).astype(np.uint32),
        labels.copy(),
        np.empty(n + 8, np.uint8),
        np.arange(n).astype(np.uint32),
        np.zeros(n, np.int32),
        np.ones(n + 8, np.uint8),
        np.empty(n + 8, np.uint8),
        np.empty(n, np.uint32),
        np.empty(n),
        np.empty(n),
    )
    for j in range(max_features):
        samples.columns[j] = single[chosen[j]]
    # Room for the largest tree; pages that are never touched are never allocated.
    p = Partitions(
        np.empty(2 * n - 1, NODE_DTYPE),
        np.empty(2 * n - 1, np.int32),
        np.empty(2 * n - 1, np.int32),
        np.empty(2 * n - 1, np.int32),
        np.empty(n, SHARE_DTYPE),
        np.empty(n),
        np.empty(n, np.int32),
        np.empty(totals.shape[0], np.int64),
        totals,
    )
    k = s.features_per_plane if guided else max_features
    features = np.empty((n if guided else 1, k), np.int32)
    local = np.arange(k).astype(np.int32)  # where storage has them
    if not guided:
        features[0] = chosen
    weights = np.empty((n, k))
    thresholds = np.empty(n)
    origins = np.empty(n, np.int32)
    cut = np.empty(n // 2 + 1, np.int32)

    samples.joined[n - 1 :] = 0
    p.starts[0], p.stops[0] = 0, n
    n_nodes, n_planes, n_draws = 1, 0, 0
    n_queued, n_shares, n_dead = _judge(p, samples, 0, 1, s.min_samples_split, 0, 0)
    n_stale = 0  # divided partitions in the heap
    size, waste = n, 0

    while n_queued > 0:
        omega = _pop(p.keys, p.heap, n_queued)
        n_queued -= 1
        if p.nodes[omega].plane >= 0:
            n_stale -= 1
            continue
        start, stop = p.starts[omega], p.stops[omega]
        used = features[n_planes if guided else 0]
        if guided:
            divides, threshold, draws = _draw_guided_plane(
                data, samples, start, stop, totals.shape[0], s.n_candidates, rng, used, weights[n_planes]
            )
            local = used
        else:
            divides, threshold, draws = _draw_plane(
                data, samples, start, stop, used, s.hyperplane == CENTRED, rng, weights[n_planes]
            )
        n_draws += draws
        if not divides:
            _count(samples.labels, samples.order[start:stop], p.counts)
            n_shares = _add_shares(p, omega, n_shares)
            samples.owner[start:stop] = _DEAD
            samples.joined[start:stop] = 0
            n_dead += stop - start
            continue
        thresholds[n_planes], origins[n_planes] = threshold, omega
        if s.extend:
            _give_all_bits(data, largest, samples, size, used, local, weights[n_planes], threshold)
            n_cut = _find_divided(samples, size, p.stops, cut)
            if s.extension_gain > 0.0:
                n_cut = _keep_gains(p, samples, omega, s.extension_gain, cut, n_cut)
        else:
            for i in range(stop - start):
                samples.found[start + i] = samples.line[i] > threshold
            cut[0] = omega
            n_cut = 1
        first = n_nodes
        n_nodes = _divide_all(p, samples, cut[:n_cut], n_planes, first)
        n_queued, n_shares, n_left = _judge(
            p, samples, first, n_nodes, s.min_samples_split, n_queued, n_shares
        )
        n_dead += n_left
        n_stale += n_cut - 1
        n_planes += 1
        if 2 * n_stale > n_queued:
            n_queued = _forget_divided(p, n_queued)
            n_stale = 0
        waste += n_dead * (k + 4)
        if s.extend and waste > 4 * max_features * (size - n_dead):
            size = _tidy(samples, size, p.starts, p.stops)
            n_dead, waste = 0, 0
    return (
        p.nodes[:n_nodes].copy(),
        p.n_samples[:n_nodes].copy(),
        features[: n_planes if guided else 1].copy(),
        weights[:n_planes].copy(),
        thresholds[:n_planes].copy(),
        origins[:n_planes].copy(),
        p.shares[:n_shares].copy(),
        n_draws,
    )
