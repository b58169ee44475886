"""Numba kernel that grows one tree; the layout of the data is told in ``_partitions``."""

from typing import NamedTuple

import numpy as np
from numba import njit

from studylib.graf._draw import draw_features, draw_guided_plane, draw_plane
from studylib.graf._partitions import (
    DEAD,
    Partitions,
    Samples,
    add_shares,
    count,
    divide_all,
    find_divided,
    forget_divided,
    give_all_bits,
    judge,
    keep_gains,
    pop,
    tidy,
)
from studylib.graf._tree import NODE_DTYPE, SHARE_DTYPE

BOX, CENTRED, GUIDED = 0, 1, 2


class Settings(NamedTuple):
    """What steers the growth."""

    hyperplane: int
    extend: bool
    extension_gain: float
    min_samples_split: int
    n_candidates: int
    features_per_plane: int


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
    chosen = draw_features(d, max_features, rng)
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
    n_queued, n_shares, n_dead = judge(p, samples, 0, 1, s.min_samples_split, 0, 0)
    n_stale = 0  # divided partitions in the heap
    size, waste = n, 0

    while n_queued > 0:
        omega = pop(p.keys, p.heap, n_queued)
        n_queued -= 1
        if p.nodes[omega].plane >= 0:
            n_stale -= 1
            continue
        start, stop = p.starts[omega], p.stops[omega]
        used = features[n_planes if guided else 0]
        if guided:
            divides, threshold, draws = draw_guided_plane(
                data, samples, start, stop, totals.shape[0], s.n_candidates, rng, used, weights[n_planes]
            )
            local = used
        else:
            divides, threshold, draws = draw_plane(
                data, samples, start, stop, used, s.hyperplane == CENTRED, rng, weights[n_planes]
            )
        n_draws += draws
        if not divides:
            count(samples.labels, samples.order[start:stop], p.counts)
            n_shares = add_shares(p, omega, n_shares)
            for i in range(start, stop):
                samples.owner[i] = DEAD
                samples.joined[i] = 0
            n_dead += stop - start
            continue
        thresholds[n_planes], origins[n_planes] = threshold, omega
        if s.extend:
            give_all_bits(data, largest, samples, size, used, local, weights[n_planes], threshold)
            n_cut = find_divided(samples, size, p.stops, cut)
            if s.extension_gain > 0.0:
                n_cut = keep_gains(p, samples, omega, s.extension_gain, cut, n_cut)
        else:
            for i in range(stop - start):
                samples.found[start + i] = samples.line[i] > threshold
            cut[0] = omega
            n_cut = 1
        first = n_nodes
        n_nodes = divide_all(p, samples, cut[:n_cut], n_planes, first)
        n_queued, n_shares, n_left = judge(
            p, samples, first, n_nodes, s.min_samples_split, n_queued, n_shares
        )
        n_dead += n_left
        n_stale += n_cut - 1
        n_planes += 1
        if 2 * n_stale > n_queued:
            n_queued = forget_divided(p, n_queued)
            n_stale = 0
        waste += n_dead * (k + 4)
        if s.extend and waste > 8 * max_features * (size - n_dead):
            size = tidy(samples, size, p.starts, p.stops)
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
