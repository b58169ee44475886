"""Numba kernels that count the classes of every value in a node."""

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from studylib.core.compiling import njit
from studylib.core.unmanaged import without_refcount

# Measured: where a node has that many samples for each code, counting all codes is the faster way.
_CODES_PER_SAMPLE = 2


class Workspace(NamedTuple):
    """Room for :func:`tally`."""

    words: np.ndarray  # uint64, a bit for each code, or column; all 0 between calls
    groups: np.ndarray  # uint64, a bit for each of the words; all 0 between calls
    codes: np.ndarray  # int32 (n,), the samples' codes
    row_of: np.ndarray  # int32 (most codes,)
    present: np.ndarray  # int32 (widest,), codes
    table: np.ndarray  # float64 (widest, n_classes), class weights of each
    after: np.ndarray  # float64 (widest, n_classes), class weights behind each
    sides: np.ndarray  # float64 (3, n_classes), class weights of the sides of a split
    sizes: np.ndarray  # int64 (widest,), samples of each code


def make_workspace(n, n_codes, n_classes):
    """Samples in their order, room for a partition of them, and a :class:`Workspace`.

    (In Python: each kind of allocation takes numba longer to compile than a tree takes to grow.)
    """
    most_codes, most_bits = int(n_codes.max()), int(max(n_codes.max(), len(n_codes)))
    widest = min(_CODES_PER_SAMPLE * n, most_codes)
    workspace = Workspace(
        words=np.zeros(most_bits // 64 + 1, np.uint64),
        groups=np.zeros(most_bits // 4096 + 1, np.uint64),
        codes=np.empty(n, np.int32),
        row_of=np.empty(most_codes, np.int32),
        present=np.empty(widest, np.int32),
        table=np.empty((widest, n_classes)),
        after=np.empty((widest, n_classes)),
        sides=np.empty((3, n_classes)),
        sizes=np.empty(widest, np.int64),
    )
    buffers = (np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n))
    return np.arange(n, dtype=np.int32), buffers, workspace


@intrinsic
def lowest_bit(typing_context, word):
    """Place of the lowest bit that is set in a uint64 other than 0, as an int64."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), codegen


@njit(cache=True, nogil=True)
def ascending(codes, n_codes, words, groups, out):
    """Write the distinct ``codes``, each from 0 to ``n_codes - 1``, to ``out``; returns how many there are.

    They are sorted in linear time: each sets a bit in ``words`` and one in ``groups``, which tells the words
    that are not 0.  ``out`` may be ``codes``.  Both sets of bits are all 0 on entry and on return.
    """
    codes, words, groups, out = without_refcount((codes, words, groups, out))
    one = np.uint64(1)
    for i in range(codes.shape[0]):
        code = codes[i]
        words[code >> 6] |= one << np.uint64(code & 63)
        groups[code >> 12] |= one << np.uint64((code >> 6) & 63)
    m = 0
    for g in range((n_codes + 4095) >> 12):
        group = groups[g]
        groups[g] = 0
        while group != 0:
            w = 64 * g + lowest_bit(group)
            group &= group - one
            word = words[w]
            words[w] = 0
            while word != 0:
                out[m] = 64 * w + lowest_bit(word)
                word &= word - one
                m += 1
    return m


@njit(cache=True, nogil=True)
def tally(column, n_codes, samples, y, weight, workspace):
    """Class weights of every code present in a node; returns how many codes there are.

    Afterwards ``present[:m]`` holds the codes in ascending order and ``table[:m]`` their class weights.
    A node is counted into one row per code, and empty rows are dropped, unless there are many more codes than
    samples: then into a row for each code that appears, once these are in order.
    """
    column, samples, y, weight, workspace = without_refcount((column, samples, y, weight, workspace))
    codes, row_of, present, table = workspace.codes, workspace.row_of, workspace.present, workspace.table
    n, n_classes = samples.shape[0], table.shape[1]
    m = 0
    if n_codes <= _CODES_PER_SAMPLE * n:
        for code in range(n_codes):
            for c in range(n_classes):
                table[code, c] = 0.0
        for i in range(n):
            table[column[samples[i]], y[i]] += weight[i]
        for code in range(n_codes):
            total = 0.0
            for c in range(n_classes):
                total += table[code, c]
                table[m, c] = table[code, c]
            if total > 0.0:
                present[m] = code
                m += 1
        return m
    for i in range(n):
        codes[i] = column[samples[i]]
    m = ascending(codes[:n], n_codes, workspace.words, workspace.groups, present)
    for k in range(m):
        row_of[present[k]] = k
        for c in range(n_classes):
            table[k, c] = 0.0
    for i in range(n):
        table[row_of[codes[i]], y[i]] += weight[i]
    return m


@njit(cache=True, nogil=True)
def sizes_of(column, samples, m, workspace):
    """Samples of each of the ``m`` codes that :func:`tally` has found in a node, int64 (m,)."""
    row_of, present, sizes = workspace.row_of, workspace.present, workspace.sizes[:m]
    for k in range(m):
        row_of[present[k]], sizes[k] = k, 0
    for i in range(samples.shape[0]):
        sizes[row_of[column[samples[i]]]] += 1
    return sizes
