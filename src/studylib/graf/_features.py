"""Numba kernels that read the features of samples: numbers as they are, categories as codes.

A table is an array with one row per column, float64 (r, n), and the same rounded to float32.  Without
categories its rows are the features, and kernels are told so by ``sources`` None: they are compiled without
what is below for categories.  A column of categories is a row of codes and has a feature for each category,
an indicator of two values.  Written out they would be as many rows as there are categories.
"""

import numpy as np

from studylib.core.compiling import njit
from studylib.graf._projections import gather, gather_with_ends

N_CODES = 256  # at most: codes are bytes in axis-parallel trees

#: One record per feature: the row that it is read from and, of an indicator, the code that it stands for with
#: its values elsewhere and there.  ``category`` is -1 where the feature is its row.  A code of -1 or NaN
#: stands for no category.
SOURCE_DTYPE = np.dtype(
    [("row", np.int32), ("category", np.int32), ("zero", np.float64), ("one", np.float64)]
)


@njit(cache=True, nogil=True)
def entry(data, sources, feature, i):
    """Value of a feature for sample ``i``."""
    if sources is None:
        return data[feature, i]
    source = sources[feature]
    code = data[source.row, i]
    if source.category < 0:
        return code
    return source.one if code == source.category else source.zero


@njit(cache=True, nogil=True)
def _gather_indicator(out, codes, source, order):
    category, zero, one = np.float64(source.category), source.zero, source.one
    for i in range(order.shape[0]):
        out[i] = one if codes[order[i]] == category else zero


@njit(cache=True, nogil=True)
def gather_feature(out, data, source, order):
    """Write the values of a feature for the samples in ``order`` to ``out``."""
    if source.category < 0:
        gather(out, data[source.row], order)
    else:
        _gather_indicator(out, data[source.row], source, order)


@njit(cache=True, nogil=True)
def gather_varying(out, data, source, rows, spread, column, counts, counted):
    """Write a feature's values for the samples ``rows`` to ``out``; returns its range in those of ``spread``.

    How many of these have each code is counted once for all indicators of a column, see
    ``CandidateWorkspace``; an indicator that does not vary in them is not gathered.
    """
    values = data[source.row]
    if source.category < 0:
        low, high = gather_with_ends(out, values, rows)
        if rows.shape[0] < spread.shape[0]:
            low, high = gather_with_ends(column[: spread.shape[0]], values, spread)
        return high - low
    here = counts[source.row]
    if not counted[source.row]:
        for code in range(here.shape[0]):
            here[code] = 0
        for i in range(spread.shape[0]):
            here[np.uint8(values[spread[i]])] += 1
        counted[source.row] = True
    if here[source.category] == 0 or here[source.category] == spread.shape[0]:
        return 0.0
    _gather_indicator(out, values, source, rows)
    return source.one - source.zero


@njit(cache=True, nogil=True)
def stretch(single, sources, feature, start, m, work):
    """Values of a feature for ``m`` samples from ``start`` on, float32; ``work`` is for an indicator."""
    if sources is None:
        return single[feature][start : start + m]
    source = sources[feature]
    part = single[source.row][start : start + m]
    if source.category < 0:
        return part
    out, category = work[:m], np.float32(source.category)
    zero, one = np.float32(source.zero), np.float32(source.one)
    for i in range(m):
        out[i] = one if part[i] == category else zero
    return out
