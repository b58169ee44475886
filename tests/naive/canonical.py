"""Canonical directions and best cuts the slow, obvious way: the oracle of hyperplane "canonical".

It imports nothing of studylib.  Samples are rows of a list, classes are labels; everything is counted anew
for every threshold, and the directions come from a general eigenvalue problem.
"""

import numpy as np
from scipy.linalg import eigh


def gini_left_over(labels):
    """Gini impurity times the number of samples."""
    counts = [labels.count(c) for c in set(labels)]
    return len(labels) - sum(count * count for count in counts) / len(labels)


def bootstrap(m, uniform):
    """How often each of m samples is drawn in m draws with replacement."""
    times = [0] * m
    for _ in range(m):
        times[int(uniform() * m)] += 1
    return times


def directions(X, labels, times, ridge=0.01):
    """Weights of the features, a row each, the strongest direction first; and how strong they are.

    ``X`` float (m, k), ``labels`` and ``times`` (m,).  Strengths are None for two classes, where the
    direction is Fisher's.
    """
    X, labels, times = np.asarray(X, float), np.asarray(labels), np.asarray(times, float)
    m, k = X.shape
    mean = (times[:, None] * X).sum(0) / m
    deviation = np.sqrt((times[:, None] * (X - mean) ** 2).sum(0) / m)
    inverse = np.array([1.0 / s if s > 1e-300 else 0.0 for s in deviation])
    Z = (X - mean) * inverse
    within = (times[:, None] * Z).T @ Z / m + ridge * np.eye(k)
    drawn = [c for c in np.unique(labels) if times[labels == c].sum() > 0]
    if len(drawn) < 2:
        return np.empty((0, k)), None
    of_class = {c: (times[labels == c].sum(), (times[:, None] * Z)[labels == c].sum(0)) for c in drawn}
    if len(np.unique(labels)) == 2:
        (n0, t0), (n1, t1) = of_class[drawn[0]], of_class[drawn[1]]
        return (np.linalg.solve(within, t1 / n1 - t0 / n0) * inverse)[None], None
    between = sum(np.outer(t, t) / (n * m) for n, t in of_class.values())
    strengths, vectors = eigh(between, within)  # ascending
    n = min(k, len(drawn) - 1)
    return (vectors.T[::-1] * inverse)[:n], strengths[::-1][:n]
