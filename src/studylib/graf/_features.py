"""How kernels read the features of samples: numbers as they are, categories as codes.

A table is an array with one row per column, float64 (r, n), and the same rounded to float32.  Without
categories its rows are the features, and kernels are told so by ``sources`` None: they are compiled without
what is below for categories.  A column of categories is a row of codes and has a feature for each category,
an indicator of two values.  Written out they would be as many rows as there are categories.
"""

import numpy as np

from studylib.core.compiling import njit
from studylib.graf._line import gather, gather_with_ends

N_CODES = 256  # at most: codes are bytes in axis-parallel trees

#: One record per feature: the row that it is read from and, of an indicator, the code that it stands for with
#: its values elsewhere and there.  ``category`` is -1 where the feature is its row.  A code of -1 or NaN
#: stands for no category.
SOURCE_DTYPE = np.dtype(
    [("row", np.int32), ("category", np.int32), ("zero", np.float64), ("one", np.float64)]
)


@njit(cache=True, nogil=True)
def _row(data, sources, feature):
    """The row of a feature."""
    if sources is None:
        return data[feature]
    return data[sources[feature].row]


@njit(cache=True, nogil=True)
def entry(data, sources, feature, i):
    """The feature of sample ``i``."""
    if sources is None:
        return data[feature, i]
    source = sources[feature]
    code = data[source.row, i]
    if source.category < 0:
        return code
    return source.one if code == source.category else source.zero


@njit(cache=True, nogil=True)
def gather_feature(out, data, sources, feature, order):
    """The feature of the samples in ``order``."""
    if sources is not None:
        source = sources[feature]
        if source.category >= 0:
            codes, category = data[source.row], np.float64(source.category)
            for i in range(order.shape[0]):
                out[i] = source.one if codes[order[i]] == category else source.zero
            return
    gather(out, _row(data, sources, feature), order)


@njit(cache=True, nogil=True)
def gather_with_range(data, sources, feature, rows, spread, column, room):
    """The feature of the samples ``rows`` in ``room.block``; returns its range in the samples ``spread``.

    Categories are counted once for all indicators of a column; one that does not vary is not gathered.
    """
    if sources is not None:
        source = sources[feature]
        if source.category >= 0:
            codes, counts = data[source.row], room.counts[source.row]
            if not room.counted[source.row]:
                for code in range(counts.shape[0]):
                    counts[code] = 0
                for i in range(spread.shape[0]):
                    counts[np.uint8(codes[spread[i]])] += 1
                room.counted[source.row] = True
            if counts[source.category] == 0 or counts[source.category] == spread.shape[0]:
                return 0.0
            gather_feature(room.block[feature], data, sources, feature, rows)
            return source.one - source.zero
    low, high = gather_with_ends(room.block[feature], _row(data, sources, feature), rows)
    if rows.shape[0] < spread.shape[0]:
        low, high = gather_with_ends(column[: spread.shape[0]], _row(data, sources, feature), spread)
    return high - low


@njit(cache=True, nogil=True)
def stretch(single, sources, feature, start, m, room):
    """The feature of ``m`` samples from place ``start`` on, float32; an indicator is written to ``room``."""
    if sources is not None:
        source = sources[feature]
        if source.category >= 0:
            codes, out = single[source.row][start : start + m], room[:m]
            zero, one = np.float32(source.zero), np.float32(source.one)
            category = np.float32(source.category)
            for i in range(m):
                out[i] = one if codes[i] == category else zero
            return out
    return _row(single, sources, feature)[start : start + m]
