"""The k nearest rows, ties and rounding decided, whichever index looks for them."""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from studylib.neighbors import distances

#: Each metric by scikit-learn's name: our function, and the power in which its rounding errors are bounded.
#: (By brute force scikit-learn computes squared Euclidean distances as |x|² − 2xy + |y|².)
_METRICS = {
    "euclidean": (distances.euclidean, 2),
    "manhattan": (distances.manhattan, 1),
    "chebyshev": (distances.maximum, 1),
}

#: So many float64 of candidates are compared at a time, at most.
_AT_ONCE = 1 << 22


class NearestRows:
    """Rows of a table, float64 (n_samples, n_features), to be searched for those nearest to new points.

    The index proposes candidates.  Their distances are computed once more, so that the result is the same for
    every index: the k smallest by distance, then by row.  ``metric`` is "euclidean", "manhattan" or
    "chebyshev", ``algorithm`` scikit-learn's name of an index.
    """

    def __init__(self, points, metric, algorithm, n_jobs):
        self._points = points
        self._distance, self._power = _METRICS[metric]
        # The more features, the less a tree leaves out, and the longer leaves are worth their comparisons.
        leaf_size = min(max(30, 6 * points.shape[1]), 90)
        index = NearestNeighbors(metric=metric, algorithm=algorithm, leaf_size=leaf_size, n_jobs=n_jobs)
        self._index = index.fit(points)
        self._largest = self._size(points).max()

    def search(self, queries, k):
        """Distances and rows of the ``k`` nearest, both (n_queries, k), by distance, then by row.

        Candidates are the k nearest and more, until the next one is farther away than the k-th by more than
        rounding errors.
        """
        n, d = self._points.shape
        slack = 8 * np.finfo(float).eps * (d + 4) * (self._largest + self._size(queries))
        nearest = np.empty((len(queries), k)), np.empty((len(queries), k), np.int64)
        undecided, wanted = np.arange(len(queries)), min(k + 1, n)
        while len(undecided):
            left = []
            step = max(1, _AT_ONCE // (wanted * d))
            for first in range(0, len(undecided), step):
                part = undecided[first : first + step]
                near, rows = self._index.kneighbors(queries[part], wanted)
                near = near**self._power
                decided = (near[:, -1] > near[:, k - 1] + 2 * slack[part]) | (wanted == n)
                self._keep(queries, part[decided], rows[decided], nearest)
                left.append(part[~decided])
            undecided, wanted = np.concatenate(left), min(4 * wanted, n)
        return nearest

    def _keep(self, queries, which, rows, nearest):
        exact = self._distance(self._points[rows], queries[which, None])
        order = np.lexsort((rows, exact))[:, : nearest[1].shape[1]]
        for kept, candidates in zip(nearest, (exact, rows), strict=True):
            kept[which] = np.take_along_axis(candidates, order, axis=1)

    def _size(self, points):
        """Distance of points from the origin, in the power that bounds rounding errors."""
        return self._distance(points, np.zeros(points.shape[1])) ** self._power
