"""Numba kernels for canonical directions: those along which the classes of a bootstrap sample differ most.

For two classes this is Fisher's linear discriminant, for more the canonical correlation between features and
indicators of the classes, as in Rainforth and Wood, *Canonical Correlation Forests*, 2015.
"""

import numpy as np
from numba import njit

from studylib.core.random import next_uniform
from studylib.graf._cut import best_cut
from studylib.graf._draw import SMALLEST_RANGE, _project, choose

FEWEST = 4  # samples for which a canonical direction is looked for
RIDGE = 0.01  # added to each variance, which is 1
SMALLEST_PIVOT = 1e-14
_N_SWEEPS = 30  # of Jacobi rotations, a bound: they end when nothing is left beside the diagonal


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
def _bootstrap(bounds, rng):
    """As many samples as there are, drawn with replacement: ``(which, how often, bounds of the classes)``."""
    m = bounds[-1]
    times = np.zeros(m, np.int32)
    for _ in range(m):
        times[np.int64(next_uniform(rng) * m)] += 1
    drawn, weights = np.empty(m, np.int32), np.empty(m)
    ends = np.zeros(bounds.shape[0], np.int64)
    n, n_classes = 0, 0
    for c in range(bounds.shape[0] - 1):
        for i in range(bounds[c], bounds[c + 1]):
            if times[i] > 0:
                drawn[n], weights[n] = i, times[i]
                n += 1
        if n > ends[n_classes]:
            n_classes += 1
            ends[n_classes] = n
    return drawn[:n], weights[:n], ends[: n_classes + 1]


@njit(cache=True, nogil=True)
def _cholesky(a):
    """Replace a symmetric matrix by L with A = L Lᵀ, in the lower half; False if a pivot is too small."""
    k = a.shape[0]
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
def _solve_lower(lower, x):
    """``x = L⁻¹ x`` in place."""
    for i in range(x.shape[0]):
        for r in range(i):
            x[i] -= lower[i, r] * x[r]
        x[i] /= lower[i, i]


@njit(cache=True, nogil=True)
def _solve_upper(lower, x):
    """``x = L⁻ᵀ x`` in place."""
    for i in range(x.shape[0] - 1, -1, -1):
        for r in range(i + 1, x.shape[0]):
            x[i] -= lower[r, i] * x[r]
        x[i] /= lower[i, i]


@njit(cache=True, nogil=True)
def jacobi(a, vectors):
    """Eigenvalues of a symmetric matrix on its diagonal, eigenvectors in the columns of ``vectors``.

    Cyclic Jacobi rotations: for matrices of a few rows faster than a call of LAPACK, and the same bits
    everywhere.  ``a`` is overwritten.
    """
    k = a.shape[0]
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
def canonical_directions(block, bounds, used, rng):
    """Directions along which the classes of a bootstrap sample differ most, the strongest first.

    Parameters
    ----------
    block : float64 (d, m), features of m samples, together by class
    bounds : int64 (n_present + 1,), where the classes begin and end
    used : int32 (k,), the features to use
    rng : uint64 (1,), takes m uniform numbers

    Returns
    -------
    float64 (n_directions, k), weights of the features; no directions if fewer than two classes were drawn or
    the covariance cannot be inverted
    """
    k, m = used.shape[0], block.shape[1]
    drawn, times, ends = _bootstrap(bounds, rng)
    n, n_classes = drawn.shape[0], ends.shape[0] - 1
    nothing = np.empty((0, k))
    if n_classes < 2:
        return nothing
    z, scales = np.empty((k, n)), np.empty(k)
    a, weighted = np.empty((k, k)), np.empty(n)
    sums, sizes = np.zeros((n_classes, k)), np.zeros(n_classes)
    for c in range(n_classes):
        for i in range(ends[c], ends[c + 1]):
            sizes[c] += times[i]
    for j in range(k):
        column, row = block[used[j]], z[j]
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
            a[j, r] = _dot(weighted, z[r]) / m
        a[j, j] = (1.0 if inverse > 0.0 else 0.0) + RIDGE
        for c in range(n_classes):
            for i in range(ends[c], ends[c + 1]):
                sums[c, j] += weighted[i]
    if not _cholesky(a):
        return nothing
    if bounds.shape[0] == 3:
        found = np.empty((1, k))
        for j in range(k):
            found[0, j] = sums[1, j] / sizes[1] - sums[0, j] / sizes[0]
        _solve_lower(a, found[0])
    else:
        found = _leading(a, sums, sizes, m)
    for direction in found:
        _solve_upper(a, direction)
        for j in range(k):
            direction[j] = direction[j] / scales[j] if scales[j] > SMALLEST_RANGE else 0.0
    return found


@njit(cache=True, nogil=True)
def _leading(lower, sums, sizes, m):
    """Leading eigenvectors of Σ_c u_c u_cᵀ with u_c = L⁻¹ t_c / √(s_c m), one a row, the largest first."""
    n_classes, k = sums.shape
    between = np.zeros((k, k))
    for c in range(n_classes):
        _solve_lower(lower, sums[c])
        for i in range(k):
            for j in range(i + 1):
                between[i, j] += sums[c, i] * sums[c, j] / (sizes[c] * m)
    for i in range(k):
        for j in range(i):
            between[j, i] = between[i, j]
    vectors, taken = np.empty((k, k)), np.zeros(k, np.bool_)
    jacobi(between, vectors)
    found = np.empty((min(k, n_classes - 1), k))
    for r in range(found.shape[0]):
        top = -1
        for j in range(k):
            if not taken[j] and (top < 0 or between[j, j] > between[top, top]):
                top = j
        taken[top] = True
        for j in range(k):
            found[r, j] = vectors[j, top]
    return found


@njit(cache=True, nogil=True)
def best_canonical(block, bounds, usable, k, rng, features, weights):
    """The best cut along canonical directions over ``k`` features: ``(score, threshold)``.

    Writes features and weights of the hyperplane where there is one; the score is -inf where there is none.
    Takes k uniform numbers for the features and m for the bootstrap.
    """
    choose(usable, k, rng)
    line = np.empty(block.shape[1])
    best, threshold = -np.inf, 0.0
    for direction in canonical_directions(block, bounds, usable[:k], rng):
        _project(block, usable, direction, line)
        score, cut = best_cut(line, bounds)
        if score > best:
            best, threshold = score, cut
            for j in range(features.shape[0]):
                features[j] = usable[j] if j < k else usable[0]
                weights[j] = direction[j] if j < k else 0.0
    return best, threshold
