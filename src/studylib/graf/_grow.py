"""Numba kernel that grows one tree, equations 3 to 20 of the source; ``_samples`` lays out the data."""

from typing import NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.core.tree import copy_records
from studylib.core.unmanaged import without_refcount
from studylib.graf._candidates import (
    N_SCORED,
    Candidates,
    draw_chosen_plane,
    make_candidate_workspace,
    make_exact_workspace,
)
from studylib.graf._hyperplanes import draw_features, draw_plane
from studylib.graf._nodes import PARTITION_DTYPE, SHARE_DTYPE
from studylib.graf._partitions import (
    Partitions,
    add_shares,
    classify_partitions,
    count,
    divide_all,
    find_divided,
    forget_divided,
    keep_gains,
    pop,
)
from studylib.graf._projections import width
from studylib.graf._samples import DEAD, Samples, give_all_bits, tidy

BOX, CENTRED, CHOSEN = 0, 1, 2


class Settings(NamedTuple):
    """Growth parameters, as the kernels read them."""

    hyperplane: int
    extend: bool
    extension_gain: float
    min_samples_split: int
    candidates: Candidates  # for "chosen" hyperplanes, which have features of their own each


class Planes(NamedTuple):
    """The hyperplanes as they are drawn."""

    features: np.ndarray  # int32 (n, k), or (1, k) where all have the same
    weights: np.ndarray  # float64 (n, k)
    thresholds: np.ndarray  # float64 (n,)
    origins: np.ndarray  # int32 (n,), node ω
    cut: np.ndarray  # int32, the nodes that the present one divides
    places: np.ndarray  # int32 (k,), where storage has the features that all hyperplanes share


def make_workspace(n, d, n_classes, max_features, s, coded=False):
    """Arrays to grow trees of ``n`` samples in, for :func:`grow`: one tree after the other.

    They are for the largest tree; pages that are never touched are never allocated.  With new arrays for
    every tree, fresh pages from the system were seen to take longer than the growing.

    ``max_features`` is the number of columns that are stored, of which some hold categories if ``coded``.
    """
    chosen = s.hyperplane == CHOSEN
    k = max(s.candidates.k_sparse, s.candidates.k_canonical) if chosen else max_features
    padded = (n + 7) // 8 * 8 + 8  # bits are looked at eight at a time
    samples = Samples(
        columns=np.empty((max_features, n), np.float32),
        rows=np.empty(n, np.uint32),
        labels=np.empty(n, np.int32),
        bits=np.empty(padded, np.uint8),
        order=np.empty(padded, np.uint32),
        owner=np.empty(n, np.int32),
        joined=np.empty(padded, np.uint8),
        ordered_bits=np.empty(padded, np.uint8),
        here=np.empty(n, np.uint32),
        column=np.empty(n),
        line=np.empty(n),
    )
    partitions = Partitions(
        nodes=np.empty(2 * n - 1, PARTITION_DTYPE),
        n_samples=np.empty(2 * n - 1, np.int32),
        starts=np.empty(2 * n - 1, np.int32),
        stops=np.empty(2 * n - 1, np.int32),
        shares=np.empty(n, SHARE_DTYPE),
        keys=np.empty(n),
        heap=np.empty(n, np.int32),
        counts=np.empty(n_classes, np.int64),
    )
    planes = Planes(
        features=np.empty((n if chosen else 1, k), np.int32),
        weights=np.empty((n, k)),
        thresholds=np.empty(n),
        origins=np.empty(n, np.int32),
        cut=np.empty(n // 2 + 1, np.int32),
        places=np.arange(k, dtype=np.int32),
    )
    choice = exact = None
    if chosen:
        most = min(n, N_SCORED)
        choice = make_candidate_workspace(
            most, d, n_classes, s.candidates.k_sparse, max_features if coded else 0
        )
        if s.candidates.cut or s.candidates.k_canonical > 0:
            exact = make_exact_workspace(most, n_classes, s.candidates.k_canonical)
    return samples, partitions, planes, choice, exact


@njit(cache=True, nogil=True)
def _reset(samples, single, labels, chosen):
    """Put all samples into one partition, and store the chosen features of each."""
    n = labels.shape[0]
    for j in range(chosen.shape[0]):
        source, target = single[chosen[j]], samples.columns[j]
        for i in range(n):
            target[i] = source[i]
    for i in range(n):
        samples.rows[i] = i
        samples.order[i] = i
        samples.labels[i] = labels[i]
        samples.owner[i] = 0
        samples.joined[i] = i < n - 1
    for i in range(n, samples.joined.shape[0]):
        samples.joined[i] = 0


@njit(cache=True, nogil=True)
def _grow(data, single, largest, labels, totals, s, rng, samples, p, planes, work, exact, sources):
    """Grow a tree within its workspace, see :func:`grow`; numbers of nodes, planes, shares and draws."""
    d, n = data.shape
    m, k = samples.columns.shape[0], planes.weights.shape[1]
    choosing = s.hyperplane == CHOSEN
    data, single, largest, labels, totals, rng, samples, p, planes = without_refcount(
        (data, single, largest, labels, totals, rng, samples, p, planes)
    )
    # Section 4: M of the d features, and a root that holds all samples.
    chosen = draw_features(d, m, rng)
    _reset(samples, single, labels, chosen)
    local = planes.places
    if not choosing:
        for j in range(k):
            planes.features[0, j] = chosen[j]
    p.starts[0], p.stops[0] = 0, n
    zero = np.int64(0)  # a plain 0 would have the kernels that get it compiled twice
    n_nodes, n_planes, n_draws = np.int64(1), zero, zero
    # The heap is Ω′, the impure partitions, with their impurity Z (eqs 10 and 11).
    n_queued, n_shares, n_dead = classify_partitions(
        p, samples, totals, zero, n_nodes, s.min_samples_split, zero, zero
    )
    n_stale = 0  # divided partitions in the heap
    size, waste = n, 0

    while n_queued > 0:  # until |Ω′| = 0
        # ω, the most impure partition (eq 12); what was divided while it waited is passed over.
        omega = np.int64(pop(p.keys, p.heap, n_queued))
        n_queued -= 1
        if p.nodes[omega].plane >= 0:
            n_stale -= 1
            continue
        start, stop = p.starts[omega], p.stops[omega]
        # A hyperplane W^ω with its bias (eqs 4 to 8), or ours.
        used, weights = planes.features[n_planes if choosing else 0], planes.weights[n_planes]
        if work is not None:
            divides, threshold, draws = draw_chosen_plane(
                data,
                sources,
                samples,
                start,
                stop,
                totals.shape[0],
                s.candidates,
                rng,
                without_refcount(work),
                without_refcount(exact),
                used,
                weights,
            )
            if divides:
                used, weights = used[: width(weights)], weights[: width(weights)]
            local = used
        else:
            divides, threshold, draws = draw_plane(
                data, samples, start, stop, used, s.hyperplane == CENTRED, rng, weights
            )
        n_draws += draws
        if not divides:
            # min_j = max_j for all features (eq 16), or nearly so: a leaf with the shares of eqs 18 to 20.
            count(samples.labels, samples.order, np.uint64(start), np.uint64(stop), p.counts)
            n_shares = add_shares(p, totals, omega, n_shares)
            for i in range(start, stop):
                samples.owner[i] = DEAD
                samples.joined[i] = 0
            n_dead += stop - start
            continue
        planes.thresholds[n_planes], planes.origins[n_planes] = threshold, omega
        # The bits λ^ω(x) (eq 3), and what they divide: ω, and every ϕ of Ω′ that they dichotomise (eq 14).
        if s.extend:
            give_all_bits(data, sources, largest, samples, size, used, local, weights, threshold)
            n_cut = find_divided(samples, size, p.stops, planes.cut)
            if s.extension_gain > 0.0:  # ours
                n_cut = keep_gains(p, samples, omega, s.extension_gain, totals, planes.cut, n_cut)
        else:  # ω only, an ablation
            for i in range(stop - start):
                samples.ordered_bits[start + i] = samples.line[i] > threshold
            planes.cut[0] = omega
            n_cut = 1
        # ω_0 and ω_1 (eq 13), ϕ_0 and ϕ_1 (eq 14): a bit of their samples' codes (eq 17).
        first = n_nodes
        n_nodes = divide_all(p, samples, planes.cut[:n_cut], n_planes, first)
        # The new partitions that are impure join Ω′ (eq 15), the pure ones are leaves (Ω̃, eq 16).
        n_queued, n_shares, n_left = classify_partitions(
            p, samples, totals, first, n_nodes, s.min_samples_split, n_queued, n_shares
        )
        n_dead += n_left
        n_stale += n_cut - 1
        n_planes += 1
        # No step of the source: memory.
        if 2 * n_stale > n_queued:
            n_queued = forget_divided(p, n_queued)
            n_stale = 0
        waste += n_dead * (k + 4)
        if s.extend and waste > 8 * m * (size - n_dead):
            size = tidy(samples, size, p.starts, p.stops)
            n_dead, waste = 0, 0
    return n_nodes, n_planes, n_shares, n_draws


def grow(data, single, largest, labels, totals, s, rng, samples, p, planes, work, exact, sources=None):
    """Grow one tree over all samples; returns the arrays of a ``Tree`` and the number of draws.

    ``data``, float64 (r, n), is the table of all samples, and ``single``, float32, the same, rounded; see
    ``_features``.  ``largest``, float64 (d,), has the largest absolute value of each feature; ``labels``,
    int32 (n,), class indices; ``totals``, int64 (C,), the samples per class, all positive.  ``rng``, uint64
    (1,), is the state of the tree's draws.  ``samples``, ``p``, ``planes``, ``work`` and ``exact`` are from
    ``make_workspace``; where the last two are None, the kernel is compiled without the parts that need them,
    in half the time.  With ``sources``, SOURCE_DTYPE (d,), hyperplanes are chosen, and all columns stored.
    """
    n_nodes, n_planes, n_shares, n_draws = _grow(
        data, single, largest, labels, totals, s, rng, samples, p, planes, work, exact, sources
    )
    return (
        copy_records(p.nodes[:n_nodes]),
        p.n_samples[:n_nodes].copy(),
        planes.features[: n_planes if s.hyperplane == CHOSEN else 1].copy(),
        planes.weights[:n_planes].copy(),
        planes.thresholds[:n_planes].copy(),
        planes.origins[:n_planes].copy(),
        copy_records(p.shares[:n_shares]),
        n_draws,
    )
