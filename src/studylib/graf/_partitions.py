"""Numba kernels that divide partitions; ``_samples`` says how samples are stored."""

from typing import NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.graf._nodes import IMPURE, PURE
from studylib.graf._samples import DEAD

_SORTED_LABELS_MAX = 8  # samples whose labels are sorted rather than counted


class Partitions(NamedTuple):
    """The nodes as they are made, and a heap of the impure ones among them, the most impure on top."""

    nodes: np.ndarray  # PARTITION_DTYPE
    n_samples: np.ndarray  # int32
    starts: np.ndarray  # int32, place in partition order; valid while the node is in play
    stops: np.ndarray  # int32
    shares: np.ndarray  # SHARE_DTYPE
    keys: np.ndarray  # float64, impurity of eq 10
    heap: np.ndarray  # int32, node
    counts: np.ndarray  # int64 (C,), work to count


@njit(cache=True, nogil=True)
def impurity(counts, totals):
    """Z of a partition, eq 10: (1 − Σ_c (n_c / N_c)² / (Σ_c n_c / N_c)²) · n.

    It is not superadditive, as the source says: with N = (2, 6) a partition (2, 1) has less than its parts
    (1, 1) and (1, 0) together.  A numba kernel; give it arrays.

    Parameters
    ----------
    counts : int64 ndarray (n_classes,), samples of each class in the partition, at least one in all
    totals : int64 ndarray (n_classes,), samples of each class in the data, all positive

    Returns
    -------
    float, in samples; 0 if only one class is present
    """
    total, squares, n = 0.0, 0.0, 0
    for c in range(counts.shape[0]):
        if counts[c] > 0:
            p = counts[c] / totals[c]
            total += p
            squares += p * p
            n += counts[c]
    return (1.0 - squares / (total * total)) * n


@njit(cache=True, nogil=True)
def push(keys, ids, size, key, i):
    """Add partition ``i`` to a heap of ``size``: the largest key on top, of equal ones the lowest id."""
    at = size
    while at > 0:
        up = (at - 1) // 2
        if keys[up] > key or (keys[up] == key and ids[up] < i):
            break
        keys[at], ids[at] = keys[up], ids[up]
        at = up
    keys[at], ids[at] = key, i


@njit(cache=True, nogil=True)
def pop(keys, ids, size):
    """Take the top from a heap of ``size``, at least 1; in what is left, ``size - 1`` entries count."""
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
def forget_divided(p, n_queued):
    """Rebuild the heap without the partitions that have been divided; returns its size."""
    nodes, keys, heap = p.nodes, p.keys, p.heap
    kept = np.int64(0)
    for i in range(n_queued):
        if nodes[heap[i]].plane < 0:
            push(keys, heap, kept, keys[i], np.int64(heap[i]))
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def find_divided(samples, size, stops, cut):
    """Partitions whose samples do not all have the same bit, in partition order; returns how many.

    These are ω and the ϕ of eq 14 that the hyperplane dichotomises; the others skip the bit.  Afterwards
    ``ordered_bits`` holds the bits in partition order.
    """
    bits, order, owner = samples.bits, samples.order, samples.owner
    words, joined = samples.ordered_bits.view(np.uint64), samples.joined.view(np.uint64)
    n_words = (size + 7) // 8
    for i in range(size, 8 * n_words):
        order[i], samples.joined[i] = 0, 0
    # Eight bytes at a time, the first one lowest, as wherever numba compiles: byte by byte, all of fit
    # takes a fifth longer on 15,000 × 16 samples of 26 classes and 6% on 40,000 × 20 of two ("box").
    for w in range(n_words):
        low = np.uint64(bits[order[8 * w]]) | np.uint64(bits[order[8 * w + 1]]) << np.uint64(8)
        low |= np.uint64(bits[order[8 * w + 2]]) << np.uint64(16)
        low |= np.uint64(bits[order[8 * w + 3]]) << np.uint64(24)
        high = np.uint64(bits[order[8 * w + 4]]) | np.uint64(bits[order[8 * w + 5]]) << np.uint64(8)
        high |= np.uint64(bits[order[8 * w + 6]]) << np.uint64(16)
        high |= np.uint64(bits[order[8 * w + 7]]) << np.uint64(24)
        words[w] = low | high << np.uint64(32)
    n_cut, beyond = 0, 0
    for w in range(n_words):
        after = words[w] >> np.uint64(8) | words[w + 1] << np.uint64(56)
        changed = (words[w] ^ after) & joined[w]
        if changed != 0 and 8 * w + 8 > beyond:
            for i in range(8 * w, 8 * w + 8):
                if i >= beyond and changed & np.uint64(1):
                    cut[n_cut] = owner[i]
                    beyond = stops[owner[i]]
                    n_cut += 1
                changed >>= np.uint64(8)
    return n_cut


@njit(cache=True, nogil=True)
def _split_gain(samples, start, stop, n_classes):
    """Decrease of Gini impurity by the present hyperplane, as a share of a partition's.

    The partition is impure, and has samples on both sides: no divisor is 0.
    """
    order, bits = samples.order[start:stop], samples.ordered_bits[start:stop]
    counts = np.zeros((2, n_classes), np.int64)
    for i in range(order.shape[0]):
        counts[bits[i], samples.labels[order[i]]] += 1
    n, zeros, ones = 0.0, 0.0, 0.0
    squares, zero_squares, one_squares = 0.0, 0.0, 0.0
    for c in range(n_classes):
        zero, one = np.float64(counts[0, c]), np.float64(counts[1, c])
        n, zeros, ones = n + zero + one, zeros + zero, ones + one
        squares += (zero + one) * (zero + one)
        zero_squares += zero * zero
        one_squares += one * one
    before = n - squares / n
    after = (zeros - zero_squares / zeros) + (ones - one_squares / ones)
    return (before - after) / before


@njit(cache=True, nogil=True)
def keep_gains(p, samples, omega, share, totals, cut, n_cut):
    """Keep of the dichotomised partitions those that gain at least ``share`` of what ω gains."""
    least = share * _split_gain(samples, p.starts[omega], p.stops[omega], totals.shape[0])
    kept = 0
    for k in range(n_cut):
        if (
            cut[k] == omega
            or _split_gain(samples, p.starts[cut[k]], p.stops[cut[k]], totals.shape[0]) >= least
        ):
            cut[kept] = cut[k]
            kept += 1
    return kept


# What follows is done for every node, most of which have a few samples only.  There counting references to
# arrays, which is atomic, would cost as much as the work: so no slices, no fields of tuples and no function
# that changes arrays within the loops.  Bounds are unsigned as all positions.


@njit(cache=True, nogil=True)
def divide_all(p, samples, cut, plane, n_nodes):
    """Divide partitions by their samples' bits, eqs 13 and 14; returns the number of nodes then.

    The samples of both children keep their order, those with bit 0 come first.
    """
    order, bits, aside, joined = samples.order, samples.ordered_bits, samples.here, samples.joined
    nodes, starts, stops = p.nodes, p.starts, p.stops
    one = np.uint64(1)
    for k in range(cut.shape[0]):
        parent = cut[k]
        start, stop = np.uint64(starts[parent]), np.uint64(stops[parent])
        middle, n_ones = start, np.uint64(0)
        for i in range(start, stop):  # both are written and one advances: no branch to be mispredicted
            position, bit = order[i], np.uint64(bits[i])
            order[middle] = position
            aside[n_ones] = position
            n_ones += bit
            middle += one - bit
        for i in range(n_ones):
            order[middle + i] = aside[i]
        joined[middle - one] = 0
        nodes[parent].plane, nodes[parent].next = plane, n_nodes
        starts[n_nodes], stops[n_nodes] = start, middle
        starts[n_nodes + 1], stops[n_nodes + 1] = middle, stop
        n_nodes += 2
    return n_nodes


@njit(cache=True, nogil=True)
def _is_pure(labels, order, start, stop):
    """True if all samples of a partition are of one class."""
    label = labels[order[start]]
    for i in range(start, stop):  # noqa: SIM110 (numba has no any())
        if labels[order[i]] != label:
            return False
    return True


@njit(cache=True, nogil=True)
def count(labels, order, start, stop, counts):
    """Class counts of a partition."""
    for c in range(counts.shape[0]):
        counts[c] = 0
    for i in range(start, stop):
        counts[np.uint32(labels[order[i]])] += 1  # unsigned: see ``Samples``


@njit(cache=True, nogil=True)
def add_shares(p, totals, node, n_shares):
    """Make a node an impure leaf with the classes in ``p.counts``; returns the number of records used.

    Eq 20 is (n_c / N_c) / Σ_k (n_k / N_k): the partition's size (eq 18) and that of the data (eq 19) cancel.
    """
    total, present = 0.0, 0
    for c in range(p.counts.shape[0]):
        if p.counts[c] > 0:
            total += p.counts[c] / totals[c]
            present += 1
    p.nodes[node].plane, p.nodes[node].next = IMPURE, n_shares
    for c in range(p.counts.shape[0]):
        if p.counts[c] > 0:
            share = p.counts[c] / totals[c] / total
            present -= 1
            row = p.shares[n_shares]
            row.label, row.count, row.rest = c, p.counts[c], present
            row.share, row.score = share, np.log2(1.0 + share)
            n_shares += 1
    return n_shares


@njit(cache=True, nogil=True)
def _sort_labels(labels, order, start, stop, work):
    """Write the labels of a few samples to ``work``, ascending; returns whether they are all equal."""
    for i in range(stop - start):
        label = labels[order[start + i]]
        j = np.int64(i)
        while j > 0 and work[j - 1] > label:
            work[j] = work[j - 1]
            j -= 1
        work[j] = label
    return work[0] == work[np.int64(stop - start) - 1]


@njit(cache=True, nogil=True)
def _impurity_of_sorted(sorted_labels, n, totals):
    """Impurity of eq 10, as in :func:`impurity`, from the sorted labels of ``n`` samples, which are few."""
    total, squares, first = 0.0, 0.0, 0
    for i in range(n):
        if i == n - 1 or sorted_labels[i + 1] != sorted_labels[i]:
            p = (i + 1 - first) / totals[sorted_labels[i]]
            total += p
            squares += p * p
            first = i + 1
    return (1.0 - squares / (total * total)) * n


@njit(cache=True, nogil=True)
def classify_partitions(p, samples, totals, first, n_nodes, min_samples_split, n_queued, n_shares):
    """Make leaves of the new partitions from ``first`` on (Ω̃, eq 16), or put them into the heap (Ω′, eq 15).

    Returns ``(size of the heap, records of shares, samples in leaves)``.
    """
    nodes, counts, labels = p.nodes, p.counts, samples.labels
    order, owner, joined = samples.order, samples.owner, samples.joined
    starts, stops, n_samples, keys, heap = p.starts, p.stops, p.n_samples, p.keys, p.heap
    work = np.empty(_SORTED_LABELS_MAX, np.int32)
    n_dead = 0
    for node in range(first, n_nodes):
        start, stop = np.uint64(starts[node]), np.uint64(stops[node])
        n = np.int64(stop - start)
        n_samples[node] = n
        if n == 1:  # half of all nodes
            nodes[node].plane, nodes[node].next = PURE, labels[order[start]]
            owner[start] = DEAD
            n_dead += 1
            continue
        few = n <= _SORTED_LABELS_MAX
        if few:
            in_play = not _sort_labels(labels, order, start, stop, work)
        else:
            in_play = not _is_pure(labels, order, start, stop)
        if not in_play:
            nodes[node].plane, nodes[node].next = PURE, labels[order[start]]
        elif n < min_samples_split:
            count(labels, order, start, stop, counts)
            n_shares = add_shares(p, totals, node, n_shares)
            in_play = False
        else:
            nodes[node].plane, nodes[node].next = IMPURE, 0
            if few:
                key = _impurity_of_sorted(work, n, totals)
            else:
                count(labels, order, start, stop, counts)
                key = impurity(counts, totals)
            push(keys, heap, n_queued, key, node)
            n_queued += 1
        if in_play:
            for i in range(start, stop):
                owner[i] = node
        else:
            n_dead += n
            for i in range(start, stop):
                owner[i] = DEAD
                joined[i] = 0
    return n_queued, n_shares, n_dead
