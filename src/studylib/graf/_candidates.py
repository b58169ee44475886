"""Numba kernels that choose the hyperplane of a partition among candidates: "guided" and "canonical"."""

from typing import NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.core.random import next_uniform
from studylib.graf._canonical import (
    MIN_CANONICAL_SAMPLES,
    CanonicalWorkspace,
    best_canonical,
    make_canonical_workspace,
)
from studylib.graf._features import N_CODES, gather_feature, gather_varying
from studylib.graf._hyperplanes import MAX_DRAWS
from studylib.graf._projections import (
    SMALLEST_RANGE,
    add_product,
    gather,
    gather_with_ends,
    is_divided,
    mean,
    project,
    set_plane,
    width,
)
from studylib.graf._thresholds import ThresholdWorkspace, best_threshold, make_threshold_workspace

N_SCORED = 512  # samples of a partition on which candidates are compared


class Candidates(NamedTuple):
    """Numbers and kinds of the hyperplanes that are compared."""

    n_sparse: int
    k_sparse: int  # features of a sparse one
    k_canonical: int  # features of a canonical direction; 0 without such
    cut: bool  # sparse ones have 1 to k_sparse features and the best threshold, else k_sparse and the mean


class CandidateWorkspace(NamedTuple):
    """Arrays to compare hyperplanes in, on up to n samples of d features."""

    block: np.ndarray  # float64 (d, n), the samples, together by class
    rows: np.ndarray  # uint32 (n,), which they are
    ends: np.ndarray  # int64 (C + 1,)
    bounds: np.ndarray  # int64 (C + 1,), where the classes begin and end
    line: np.ndarray  # float64 (n,), projections
    features: np.ndarray  # int32 (d,), in the order of the draws; what is known to be constant comes first
    gathered: np.ndarray  # bool (d,), features that are in the block
    ranges: np.ndarray  # float64 (d,), of those, in the whole partition
    counts: np.ndarray  # int32 (r, N_CODES), samples with each code in a column of categories
    counted: np.ndarray  # bool (r,), columns for which they are known
    trial: np.ndarray  # float64 (k_sparse,), weights


class ExactWorkspace(NamedTuple):
    """Arrays to find best thresholds and canonical directions in; None instead compiles neither."""

    cut: ThresholdWorkspace
    canonical: CanonicalWorkspace


@njit(cache=True, nogil=True)
def make_candidate_workspace(n, d, n_classes, k_sparse, r):
    """Arrays for partitions, or as many of their samples as are looked at, of up to ``n`` samples.

    ``r`` is the number of columns where some hold categories, otherwise 0.
    """
    return CandidateWorkspace(
        np.empty((d, n)),
        np.empty(n, np.uint32),
        np.empty(n_classes + 1, np.int64),
        np.empty(n_classes + 1, np.int64),
        np.empty(n),
        np.empty(d, np.int32),
        np.empty(d, np.bool_),
        np.empty(d),
        np.empty((r, N_CODES), np.int32),
        np.empty(r, np.bool_),
        np.empty(k_sparse),
    )


@njit(cache=True, nogil=True)
def make_exact_workspace(n, n_classes, k_canonical):
    """Arrays for best thresholds, and for canonical directions over ``k_canonical`` features, perhaps 0."""
    return ExactWorkspace(
        make_threshold_workspace(n, n_classes),
        make_canonical_workspace(n if k_canonical > 0 else 0, n_classes, k_canonical),
    )


@njit(cache=True, nogil=True)
def _by_class(samples, start, n, m, n_classes, work):
    """Put rows of ``m`` evenly strided samples of a partition into ``work``, sorted stably by class.

    Returns the bounds of the classes that are present.
    """
    ends, bounds, rows = work.ends, work.bounds, work.rows
    for c in range(n_classes + 1):
        ends[c] = 0
    for i in range(m):
        ends[samples.labels[samples.order[start + i * n // m]] + 1] += 1
    bounds[0], present = 0, 0
    for c in range(n_classes):
        if ends[c + 1] > 0:
            present += 1
            bounds[present] = bounds[present - 1] + ends[c + 1]
        ends[c + 1] += ends[c]
    for i in range(m):
        position = samples.order[start + i * n // m]
        label = samples.labels[position]
        rows[ends[label]] = samples.rows[position]
        ends[label] += 1
    return bounds[: present + 1]


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
def _draw_varying(k, n_constant, rng, data, sources, rows, spread, column, work):
    """Draw ``k`` features that vary, or all there are; returns ``n_constant`` and how many were drawn.

    They follow the constant ones in ``work.features``, ``n_constant`` so far.  A feature is gathered when it
    is drawn for the first time: of many features, a partition sees a part only.  ``rows``, uint32 (m,), are
    the samples to gather, ``spread``, uint32, those that a feature's range is of; ``column``, float64, has
    room for the latter.
    """
    features, taken = work.features, 0
    while taken < k and n_constant + taken < features.shape[0]:
        i = n_constant + taken
        j = i + np.int64(next_uniform(rng) * (features.shape[0] - i))
        feature = features[j]
        if not work.gathered[feature]:
            if sources is None:  # written out: as a call, "guided" trees of 400 × 60 samples took 6% longer
                low, high = gather_with_ends(work.block[feature], data[feature], rows)
                if rows.shape[0] < spread.shape[0]:
                    low, high = gather_with_ends(column[: spread.shape[0]], data[feature], spread)
                span = high - low
            else:
                span = gather_varying(
                    work.block[feature],
                    data,
                    sources[feature],
                    rows,
                    spread,
                    column,
                    work.counts,
                    work.counted,
                )
            work.ranges[feature], work.gathered[feature] = span, True
        features[j], features[i] = features[i], feature
        if work.ranges[feature] > SMALLEST_RANGE:
            taken += 1
        else:
            features[i], features[n_constant] = features[n_constant], feature
            n_constant += 1
    return n_constant, taken


@njit(cache=True, nogil=True)
def _best_sparse(
    candidates, best, n_constant, bounds, rng, features, weights, data, sources, rows, spread, column, work,
    exact
):  # fmt: skip
    """The best sparse candidate, by decrease of Gini impurity, of those that are better than ``best``.

    ``best`` is the score of the canonical candidate.  The classes begin and end at ``bounds``, int64
    (n_present + 1,), in ``rows``, uint32 (m,), the samples that candidates are compared on, together by
    class.  Overwrites ``features``, int32 (k,), and ``weights``, float64 (k,), if a candidate is better; the
    rest is as for :func:`_draw_varying`.  Returns the score (-inf if none is better), the threshold and
    ``n_constant``.
    """
    score, threshold, line = -np.inf, 0.0, work.line[: rows.shape[0]]
    for _ in range(candidates.n_sparse):
        k = candidates.k_sparse
        if candidates.cut:
            k = 1 + np.int64(next_uniform(rng) * k)
        n_constant, k = _draw_varying(k, n_constant, rng, data, sources, rows, spread, column, work)
        if k == 0:
            break
        used, trial = work.features[n_constant : n_constant + k], work.trial[:k]
        for j in range(k):
            trial[j] = (2.0 * next_uniform(rng) - 1.0) / work.ranges[used[j]]
        project(work.block, used, trial, line)
        new, at = -np.inf, 0.0
        if exact is not None and candidates.cut:
            new, at = best_threshold(line, bounds, exact.cut)
        if not candidates.cut:
            at = mean(line)
            new = _score(line, at, bounds)
        if new > best:
            best, score, threshold = new, new, at
            set_plane(features, weights, used, trial)
    return score, threshold, n_constant


@njit(cache=True, nogil=True)
def _compare_rounds(
    data, sources, samples, start, stop, m, first, last, n_classes, candidates, rng, work, exact, features,
    weights
):  # fmt: skip
    """Rounds ``first`` to ``last`` of candidates, compared on ``m`` evenly strided samples of a partition.

    ``start`` and ``stop`` are its place in partition order, ``work`` is for ``m`` samples.  Overwrites
    ``features``, int32 (k,), and ``weights``, float64 (k,).  Returns whether a round's best candidate divides
    the partition, its threshold, the rounds until then, and, False if all features are constant, whether
    further rounds could.
    """
    d, n = work.features.shape[0], stop - start
    here, column, line = samples.here[:n], samples.column[:n], samples.line[:n]
    bounds, n_constant = _by_class(samples, start, n, m, n_classes, work), np.int64(0)
    rows = work.rows[:m]
    spread = rows if candidates.cut else here
    for j in range(d):
        work.features[j], work.gathered[j] = j, False
    if sources is not None:
        for j in range(work.counted.shape[0]):
            work.counted[j] = False
    for k in range(first, last):
        score, threshold = -np.inf, 0.0
        if exact is not None and candidates.k_canonical > 0 and m >= MIN_CANONICAL_SAMPLES:
            n_constant, taken = _draw_varying(
                candidates.k_canonical, n_constant, rng, data, sources, rows, spread, column, work
            )
            score, threshold = best_canonical(
                work.block,
                bounds,
                work.features[n_constant : n_constant + taken],
                rng,
                work.line[:m],
                exact.cut,
                exact.canonical,
                features,
                weights,
            )
        sparse_score, at, n_constant = _best_sparse(
            candidates,
            score,
            n_constant,
            bounds,
            rng,
            features,
            weights,
            data,
            sources,
            rows,
            spread,
            column,
            work,
            exact,
        )
        if n_constant == d and spread.shape[0] == n:
            return False, 0.0, k, False
        if max(score, sparse_score) == -np.inf:
            continue
        for j in range(width(weights)):
            if sources is None:  # written out, too
                gather(column, data[features[j]], here)
            else:
                gather_feature(column, data, sources[features[j]], here)
            add_product(line, column, weights[j], j == 0)
        if sparse_score > score:
            threshold = at if candidates.cut else mean(line)
        if is_divided(line, threshold):
            return True, threshold, k + 1, True
    return False, 0.0, last, True


@njit(cache=True, nogil=True)
def draw_chosen_plane(
    data, sources, samples, start, stop, n_classes, candidates, rng, work, exact, features, weights
):
    """Choose a hyperplane for a partition, ours in place of eq 4: ``(divides, threshold, rounds)``.

    Candidates are compared on evenly strided samples; if none divides those, on all from then on.  Canonical
    ones come first.  The range of a feature is that in the partition or, if ``candidates.cut``, in these
    samples.  ``work`` is for ``N_SCORED`` samples.  Overwrites ``features``, int32 (k,), and ``weights``,
    float64 (k,), and leaves the projections in ``samples.line``.
    """
    d, n = work.features.shape[0], stop - start
    m, none, first = min(n, N_SCORED), np.int64(0), np.int64(1)  # plain numbers would be compiled twice
    gather(samples.here[:n], samples.rows, samples.order[start:stop])
    divides, threshold, k, others = _compare_rounds(
        data, sources, samples, start, stop, m, none, first if m < n else np.int64(MAX_DRAWS), n_classes,
        candidates, rng, work, exact, features, weights,
    )  # fmt: skip
    if divides or m == n or not others:
        return divides, threshold, k
    r, last = work.counted.shape[0], np.int64(MAX_DRAWS)
    larger = make_candidate_workspace(n, d, n_classes, candidates.k_sparse, r)
    if exact is None:
        divides, threshold, k, _ = _compare_rounds(
            data, sources, samples, start, stop, n, first, last, n_classes, candidates, rng,
            larger, exact, features, weights,
        )  # fmt: skip
    else:
        divides, threshold, k, _ = _compare_rounds(
            data, sources, samples, start, stop, n, first, last, n_classes, candidates, rng,
            larger, make_exact_workspace(n, n_classes, candidates.k_canonical), features, weights,
        )  # fmt: skip
    return divides, threshold, k
