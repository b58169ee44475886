"""The samples of a tree while it grows, and the numba kernels that give them bits and tidy them up.

Data layout
-----------
The samples that are still in play are in *storage order*, one contiguous row per feature, so a
hyperplane's projections are a few passes over contiguous memory.  The samples of a partition are
neighbours in *partition order*: ``order[start[p]:stop[p]]`` are their storage positions, in the order of the
data set.  A split moves these positions only, never the features.

A new hyperplane gives every sample in storage a bit; the bits are gathered into partition order, and two
neighbours with different bits in one partition say that it is dichotomised.  So partitions that a hyperplane
misses, most of them as soon as they are small, cost nothing beyond their samples' projections.  Leaves are
left behind; when that has cost as much as tidying up, storage is rewritten in partition order without them.
"""

from typing import NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.graf._bits import BLOCK, give_bits

DEAD = -1  # owner of the samples in leaves


class Samples(NamedTuple):
    """The samples in play.  Positions are unsigned: numba need not ask whether an index is negative."""

    # In storage order
    columns: np.ndarray  # float32 (M, n)
    rows: np.ndarray  # uint32 (n,), in the data set
    labels: np.ndarray  # int32 (n,)
    bits: np.ndarray  # uint8 (n + some,), of the present hyperplane
    # In partition order
    order: np.ndarray  # uint32 (n + some,), positions in storage
    owner: np.ndarray  # int32 (n,), node
    joined: np.ndarray  # uint8 (n + some,), 1 where a sample and the next are in one partition in play
    ordered_bits: np.ndarray  # uint8 (n + some,)
    # Workspace
    here: np.ndarray  # uint32 (n,), rows of one partition
    column: np.ndarray  # float64 (n,), one feature of them
    line: np.ndarray  # float64 (n,), their projections


@njit(cache=True, nogil=True)
def give_all_bits(data, sources, largest, samples, size, features, local, weights, threshold):
    """Bit λ_ω of all ``size`` samples in storage, eq 3; overwrites the bits of ``samples``.

    ``features`` and ``local``, int32 (k,), are the hyperplane's features in ``data`` and in storage,
    ``weights`` float64 (k,); ``data``, ``sources`` and ``largest`` are as for ``grow``.
    """
    work = np.empty((4, BLOCK), np.float32)
    for start in range(0, size, BLOCK):
        bits = samples.bits[start : min(start + BLOCK, size)]
        give_bits(
            data,
            sources,
            largest,
            samples.rows,
            samples.columns,
            start,
            local,
            features,
            weights,
            threshold,
            work,
            bits,
        )


@njit(cache=True, nogil=True)
def tidy(samples, size, starts, stops):
    """Rewrite storage in partition order, without what is dead; returns the new size."""
    order, owner, joined = samples.order, samples.owner, samples.joined
    live, last = 0, DEAD
    for i in range(size):
        if owner[i] == DEAD:
            continue
        if owner[i] != last:
            last = owner[i]
            stops[last] += live - starts[last]
            starts[last] = live
        order[live], owner[live], joined[live] = order[i], owner[i], joined[i]
        live += 1
    kept = order[:live]
    column, numbers, labels = np.empty(live, np.float32), samples.here[:live], np.empty(live, np.int32)
    for j in range(samples.columns.shape[0]):
        for i in range(live):
            column[i] = samples.columns[j, kept[i]]
        for i in range(live):
            samples.columns[j, i] = column[i]
    for i in range(live):
        numbers[i], labels[i] = samples.rows[kept[i]], samples.labels[kept[i]]
    for i in range(live):
        samples.rows[i] = numbers[i]
        samples.labels[i] = labels[i]
    for i in range(live):
        order[i] = i
    return live
