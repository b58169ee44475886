"""Columns as one-byte codes for axis-parallel trees, and the thresholds that lie between the codes."""

import numpy as np

from studylib.blend._binned_split import MISSING_CODE
from studylib.core.compiling import njit


class Bins:
    """Codes of the columns of a table, ascending with the values, and back again.

    A column with at most 255 distinct values has a code for each.  One with more is divided into intervals,
    the largest of which has as few rows as possible; but a value that many rows have gets one alone.
    Quantiles would waste most of the codes of a column that is nearly always 0.

    ``X`` is float64 (n, d), NaN where a value is missing; in columns that are ``equal``, bool (d,), the
    values are codes already, from 0 to at most 254.  ``codes`` are uint8 (d, n); ``lowest`` and ``highest``,
    float64 (d, 255), are the least and the largest value of each code, not set beyond a column's codes.
    """

    def __init__(self, X, equal):
        d = X.shape[1]
        self.codes = np.empty(X.shape[::-1], np.uint8)
        self.lowest, self.highest = np.empty((d, MISSING_CODE)), np.empty((d, MISSING_CODE))
        for j, column in enumerate(X.T):
            if equal[j]:
                self.codes[j] = column
                self.lowest[j] = self.highest[j] = np.arange(MISSING_CODE)
                continue
            # Sorting and then looking up takes a third of the time of np.unique with the inverse.
            missing = np.isnan(column)
            known = np.sort(column[~missing])
            first = np.flatnonzero(np.append(True, known[1:] != known[:-1])[: len(known)])
            of_value = _intervals(np.diff(first, append=len(known)), MISSING_CODE)
            starts = first[np.flatnonzero(np.diff(of_value, prepend=np.uint8(MISSING_CODE)))]
            ends = np.append(starts[1:], len(known))[: len(starts)] - 1
            self.lowest[j, : len(starts)], self.highest[j, : len(starts)] = known[starts], known[ends]
            self.codes[j] = np.where(missing, MISSING_CODE, np.searchsorted(known[ends], column))

    def limits(self, nodes):
        """``low, high`` of :func:`studylib.core.walk.routes` for the nodes of a tree over the codes."""
        feature, code, missing_right = nodes["feature"], nodes["code"], nodes["missing_right"]
        last = nodes["next_code"] == MISSING_CODE  # sets apart what is missing
        below, above = (
            self.highest[feature, code],
            self.lowest[feature, np.where(last, code, nodes["next_code"])],
        )
        with np.errstate(over="ignore"):
            middle = below + 0.5 * (above - below)
        middle = np.where(middle < above, middle, below)
        low = np.where(missing_right, -np.inf, np.nextafter(middle, np.inf))
        high = np.where(missing_right & ~last, middle, np.inf)
        return np.where(nodes["equal"], code, low), np.where(nodes["equal"], code, high)


@njit(cache=True, nogil=True)
def _intervals(times, most):
    """Interval of each distinct value, ascending, of which there are at most ``most``; uint8 (n_values,).

    The smallest size is sought at which they suffice; only an interval of a single value may be larger.
    ``times``, int64 (n_values,), are the rows that have each value.
    """
    too_small, enough = 0, times.sum()
    while enough - too_small > 1:
        size = (too_small + enough) // 2
        if _n_intervals(times, size) > most:
            too_small = size
        else:
            enough = size
    out = np.empty(times.shape[0], np.uint8)
    at, filled = 0, 0
    for i in range(times.shape[0]):
        if filled > 0 and filled + times[i] > enough:
            at, filled = at + 1, 0
        out[i] = at
        filled += times[i]
    return out


@njit(cache=True, nogil=True)
def _n_intervals(times, size):
    """Number of intervals if none of several values has more than ``size`` rows."""
    n, filled = 0, 0
    for i in range(times.shape[0]):
        if filled == 0 or filled + times[i] > size:
            n, filled = n + 1, 0
        filled += times[i]
    return n
