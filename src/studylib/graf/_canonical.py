"""Numba kernels for canonical directions: those along which the classes of a bootstrap sample differ most.

For two classes this is Fisher's linear discriminant, for more the canonical correlation between features and
indicators of the classes, as in Rainforth and Wood, *Canonical Correlation Forests*, 2015.
"""

from typing import NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.core.random import count_draws
from studylib.graf._projections import SMALLEST_RANGE, project, set_plane
from studylib.graf._thresholds import best_threshold

MIN_CANONICAL_SAMPLES = 4  # samples for which a canonical direction is looked for
RIDGE = 0.01  # added to each variance, which is 1
SMALLEST_PIVOT = 1e-14
_N_SWEEPS = 30  # of Jacobi rotations; six are enough for what is seen in practice


class CanonicalWorkspace(NamedTuple):
    """Arrays for :func:`best_canonical` on up to n samples, so that a draw allocates nothing."""

    times: np.ndarray  # int32 (n,), how often each sample was drawn
    drawn: np.ndarray  # int32 (n,), the samples that were
    weights: np.ndarray  # float64 (n,), how often
    weighted: np.ndarray  # float64 (n,), a feature times the weights
    ends: np.ndarray  # int64 (C + 1,), where the classes of the drawn samples begin and end
    z: np.ndarray  # float64 (k, n), features of mean 0 and variance 1
    scales: np.ndarray  # float64 (k,), their deviations before
    within: np.ndarray  # float64 (k, k), A, then L
    sums: np.ndarray  # float64 (C, k), t_c, then u_c
    sizes: np.ndarray  # float64 (C,), s_c
    between: np.ndarray  # float64 (k, k), M, then its eigenvalues
    vectors: np.ndarray  # float64 (k, k), its eigenvectors
    taken: np.ndarray  # bool (k,), those that are among the directions
    directions: np.ndarray  # float64 (k, k), one a row


@njit(cache=True, nogil=True)
def make_canonical_workspace(n, n_classes, k):
    """Arrays for up to ``n`` samples of up to ``n_classes`` classes, and directions over ``k`` features."""
    return CanonicalWorkspace(
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n),
        np.empty(n),
        np.empty(n_classes + 1, np.int64),
        np.empty((k, n)),
        np.empty(k),
        np.empty((k, k)),
        np.empty((n_classes, k)),
        np.empty(n_classes),
        np.empty((k, k)),
        np.empty((k, k)),
        np.empty(k, np.bool_),
        np.empty((k, k)),
    )


@njit(cache=True, nogil=True)
def _dot(a, b):
    """Σ a b by four running sums; their order is part of the results."""
    s, t, u, v = 0.0, 0.0, 0.0, 0.0
    n = a.shape[0]
    whole = n - n % 4
    for i in range(0, whole, 4):
        s += a[i] * b[i]
        t += a[i + 1] * b[i + 1]
        u += a[i + 2] * b[i + 2]
        v += a[i + 3] * b[i + 3]
    for i in range(whole, n):
        s += a[i] * b[i]
    return (s + t) + (u + v)


@njit(cache=True, nogil=True)
def _bootstrap(bounds, rng, work):
    """Draw as many samples as there are, with replacement; returns the numbers of distinct ones and classes.

    Which they are, how often each was drawn and where the classes begin and end is left in ``work``.
    """
    m = bounds[-1]
    times, drawn, weights, ends = work.times, work.drawn, work.weights, work.ends
    count_draws(times, m, rng)
    n, n_classes = 0, 0
    ends[0] = 0
    for c in range(bounds.shape[0] - 1):
        for i in range(bounds[c], bounds[c + 1]):
            # All are written and those that were drawn stay: no branch is mispredicted, half of the time.
            drawn[n], weights[n] = i, times[i]
            n += times[i] > 0
        if n > ends[n_classes]:
            n_classes += 1
            ends[n_classes] = n
    return n, n_classes


@njit(cache=True, nogil=True)
def _cholesky(a, k):
    """Replace a k × k matrix by L with A = L Lᵀ, in the lower half; False if a pivot is too small."""
    for j in range(k):
        for i in range(j, k):
            total = a[i, j]
            for r in range(j):
                total -= a[i, r] * a[j, r]
            if i == j:
                if not total > SMALLEST_PIVOT:
                    return False
                a[j, j] = np.sqrt(total)
            else:
                a[i, j] = total / a[j, j]
    return True


@njit(cache=True, nogil=True)
def _solve_lower(lower, x, k):
    """``x = L⁻¹ x`` in place."""
    for i in range(k):
        for r in range(i):
            x[i] -= lower[i, r] * x[r]
        x[i] /= lower[i, i]


@njit(cache=True, nogil=True)
def _solve_upper(lower, x, k):
    """``x = L⁻ᵀ x`` in place."""
    for i in range(k - 1, -1, -1):
        for r in range(i + 1, k):
            x[i] -= lower[r, i] * x[r]
        x[i] /= lower[i, i]


@njit(cache=True, nogil=True)
def jacobi(a, vectors, k):
    """Eigenvalues of a symmetric k × k matrix on its diagonal, eigenvectors in the columns of ``vectors``.

    Cyclic Jacobi rotations: for matrices of a few rows faster than a call of LAPACK, and the same bits
    everywhere.  ``a`` is overwritten.
    """
    for i in range(k):
        for j in range(k):
            vectors[i, j] = 1.0 if i == j else 0.0
    for _ in range(_N_SWEEPS):
        off, on = 0.0, 0.0
        for i in range(k):
            on += a[i, i] * a[i, i]
            for j in range(i):
                off += a[i, j] * a[i, j]
        if off <= 1e-28 * on:
            return
        for p in range(k - 1):
            for q in range(p + 1, k):
                if a[p, q] == 0.0:
                    continue
                theta = (a[q, q] - a[p, p]) / (2.0 * a[p, q])
                t = 1.0 / (abs(theta) + np.sqrt(theta * theta + 1.0))
                if theta < 0.0:
                    t = -t
                c = 1.0 / np.sqrt(t * t + 1.0)
                s = t * c
                for r in range(k):
                    x, y = a[r, p], a[r, q]
                    a[r, p], a[r, q] = c * x - s * y, s * x + c * y
                for r in range(k):
                    x, y = a[p, r], a[q, r]
                    a[p, r], a[q, r] = c * x - s * y, s * x + c * y
                for r in range(k):
                    x, y = vectors[r, p], vectors[r, q]
                    vectors[r, p], vectors[r, q] = c * x - s * y, s * x + c * y


@njit(cache=True, nogil=True)
def canonical_directions(block, bounds, used, rng, work):
    """Directions along which the classes of a bootstrap sample differ most, the strongest first; how many.

    ``block``, float64 (d, at least m), has the features of m samples, together by class, which begin and end
    at ``bounds``, int64 (n_present + 1,); ``used``, int32 (k,), are the features to use.  Takes m uniform
    numbers of ``rng``.  Row r of ``work.directions`` has the weights of the features.  There is none if fewer
    than two classes were drawn or the covariance cannot be inverted.
    """
    k, m = used.shape[0], bounds[-1]
    n, n_classes = _bootstrap(bounds, rng, work)
    if n_classes < 2:
        return 0
    drawn, times, weighted, ends = work.drawn[:n], work.weights[:n], work.weighted[:n], work.ends
    scales, a, sums, sizes = work.scales, work.within, work.sums, work.sizes
    for c in range(n_classes):
        sizes[c] = 0.0
        for i in range(ends[c], ends[c + 1]):
            sizes[c] += times[i]
    for j in range(k):
        column, row = block[used[j]], work.z[j][:n]
        for i in range(n):
            row[i] = column[drawn[i]]
        mean = _dot(times, row) / m
        for i in range(n):
            row[i] -= mean
            weighted[i] = times[i] * row[i]
        scales[j] = np.sqrt(_dot(weighted, row) / m)
        inverse = 1.0 / scales[j] if scales[j] > SMALLEST_RANGE else 0.0
        for i in range(n):
            row[i] *= inverse
            weighted[i] *= inverse
        for r in range(j):
            a[j, r] = _dot(weighted, work.z[r][:n]) / m
        a[j, j] = (1.0 if inverse > 0.0 else 0.0) + RIDGE
        for c in range(n_classes):
            total = 0.0
            for i in range(ends[c], ends[c + 1]):
                total += weighted[i]
            sums[c, j] = total
    if not _cholesky(a, k):
        return 0
    directions = work.directions
    if bounds.shape[0] == 3:
        n_directions = 1
        for j in range(k):
            directions[0, j] = sums[1, j] / sizes[1] - sums[0, j] / sizes[0]
        _solve_lower(a, directions[0], k)
    else:
        n_directions = min(k, n_classes - 1)
        _leading(n_classes, k, m, n_directions, work)
    for r in range(n_directions):
        _solve_upper(a, directions[r], k)
        for j in range(k):
            directions[r, j] = directions[r, j] / scales[j] if scales[j] > SMALLEST_RANGE else 0.0
    return n_directions


@njit(cache=True, nogil=True)
def _leading(n_classes, k, m, n_directions, work):
    """Leading eigenvectors of Σ_c u_c u_cᵀ with u_c = L⁻¹ t_c / √(s_c m), one a row, the largest first."""
    sums, sizes, between, taken = work.sums, work.sizes, work.between, work.taken
    for i in range(k):
        taken[i] = False
        for j in range(k):
            between[i, j] = 0.0
    for c in range(n_classes):
        _solve_lower(work.within, sums[c], k)
        share = 1.0 / (sizes[c] * m)
        for i in range(k):
            for j in range(i + 1):
                between[i, j] += sums[c, i] * sums[c, j] * share
    for i in range(k):
        for j in range(i):
            between[j, i] = between[i, j]
    jacobi(between, work.vectors, k)
    for r in range(n_directions):
        top = -1
        for j in range(k):
            if not taken[j] and (top < 0 or between[j, j] > between[top, top]):
                top = j
        taken[top] = True
        for j in range(k):
            work.directions[r, j] = work.vectors[j, top]


@njit(cache=True, nogil=True)
def best_canonical(block, bounds, used, rng, line, threshold_work, work, features, weights):
    """Score and threshold of the best canonical direction, see :func:`canonical_directions`; -inf if none.

    Overwrites ``line``, float64 (m,), with projections and, if there is a hyperplane, ``features``, int32
    (k,), and ``weights``, float64 (k,).  The score is that of :func:`best_threshold`.
    """
    best, threshold = -np.inf, 0.0
    if used.shape[0] == 0:
        return best, threshold
    for r in range(canonical_directions(block, bounds, used, rng, work)):
        direction = work.directions[r][: used.shape[0]]
        project(block, used, direction, line)
        score, cut = best_threshold(line, bounds, threshold_work)
        if score > best:
            best, threshold = score, cut
            set_plane(features, weights, used, direction)
    return best, threshold
