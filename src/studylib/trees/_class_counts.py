"""Numba kernels that count the classes of every value in a node."""

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from studylib.core.compiling import njit
from studylib.core.unmanaged import without_refcount

# Measured: where a node has that many samples for each code, counting all codes is the faster way.
_CODES_PER_SAMPLE = 2
# And where a node has so many entries of a table for each sample, a table.
_ENTRIES_PER_SAMPLE = 4


class Workspace(NamedTuple):
    """Room for :func:`tally`."""

    words: np.ndarray  # uint64, a bit for each code, or column; all 0 between calls
    groups: np.ndarray  # uint64, a bit for each of the words; all 0 between calls
    codes: np.ndarray  # int32 (n,), the samples' codes
    row_of: np.ndarray  # int32 (most codes,)
    present: np.ndarray  # int32 (widest,), codes
    table: np.ndarray  # float64 (widest, n_classes), class weights of each
    sizes: np.ndarray  # int64 (widest,), samples of each code


class Cells(NamedTuple):
    """Room for :func:`gather`: its size does not depend on how many codes and classes there are together.

    A cell is a class that samples of one code have.
    """

    words: np.ndarray  # uint64, a bit for each code, or column; all 0 between calls
    groups: np.ndarray  # uint64, a bit for each of the words; all 0 between calls
    codes: np.ndarray  # int32 (n,), the samples' codes
    row_of: np.ndarray  # int32 (most codes,)
    present: np.ndarray  # int32 (n + 1,), codes
    starts: np.ndarray  # int32 (n + 1,), where the cells of each code begin, and the last end
    classes: np.ndarray  # int32 (2 n + 2,), the class of each cell, then those of a code that is not there
    weights: np.ndarray  # float64 (4 n + 1,), the weight of each cell; before, of a few codes and classes
    of_class: np.ndarray  # int32 (n_classes,), its number among those that a node has; then its last cell
    sizes: np.ndarray  # int64 (n,), samples of each code
    behind: np.ndarray  # float64 (2 n,), the weight that a cell's class has in codes above it
    gains: np.ndarray  # float64 (n,), of each cut, approximately
    sides: np.ndarray  # float64 (6, n_classes), class weights of the node and of the sides of a split
    y: np.ndarray  # int32 (n,), the classes of a node's samples, as numbers among those that it has


def _room_for_codes(n, n_codes):
    most_codes, most_bits = int(n_codes.max()), int(max(n_codes.max(), len(n_codes)))
    return {
        "words": np.zeros(most_bits // 64 + 1, np.uint64),
        "groups": np.zeros(most_bits // 4096 + 1, np.uint64),
        "codes": np.empty(n, np.int32),
        "row_of": np.empty(most_codes, np.int32),
    }


def make_workspace(n, n_codes, n_classes):
    """Samples in their order, room for a partition of them, and a :class:`Workspace`.

    (In Python: each kind of allocation takes numba longer to compile than a tree takes to grow.)
    """
    widest = min(_CODES_PER_SAMPLE * n, int(n_codes.max()))
    workspace = Workspace(
        **_room_for_codes(n, n_codes),
        present=np.empty(widest, np.int32),
        table=np.empty((widest, n_classes)),
        sizes=np.empty(widest, np.int64),
    )
    return *_samples(n), workspace


def make_cells(n, n_codes, n_classes):
    """Samples in their order, room for a partition of them, and :class:`Cells`."""
    cells = Cells(
        **_room_for_codes(n, n_codes),
        present=np.empty(n + 1, np.int32),
        starts=np.empty(n + 1, np.int32),
        classes=np.empty(2 * n + 2, np.int32),
        weights=np.empty(_ENTRIES_PER_SAMPLE * n + 1),
        of_class=np.zeros(n_classes, np.int32),
        sizes=np.empty(n, np.int64),
        behind=np.empty(2 * n),
        gains=np.empty(n),
        sides=np.empty((6, n_classes)),
        y=np.empty(n, np.int32),
    )
    return *_samples(n), cells


def _samples(n):
    buffers = (np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n))
    return np.arange(n, dtype=np.int32), buffers


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
def gather(column, n_codes, samples, y, weight, n_classes, cells):
    """Class weights of every code present in a node; returns how many codes there are.

    Afterwards ``present[:m]`` holds the codes in ascending order, and the cells of the k-th are those from
    ``starts[k]`` to ``starts[k + 1]``.  Few codes and classes are counted into a table; else the samples are
    sorted by their codes, and those of one code and class become one cell.  Either adds up weights in the
    order of the samples, so they have the same bits.  Cells of weight 0 are left out, unless there are two
    classes: then every code has a cell of each.  ``column`` has the code of each sample, int32; ``samples``,
    ``y`` and ``weight`` are those of the node.
    """
    column, samples, y, weight, cells = without_refcount((column, samples, y, weight, cells))
    row_of, present, starts, rows = cells.row_of, cells.present, cells.starts, cells.codes
    classes, weights, cell_of = cells.classes, cells.weights, cells.of_class
    n, m, n_cells, n_rows = samples.shape[0], 0, 0, n_codes
    both = n_classes == 2
    dense = n_codes <= _CODES_PER_SAMPLE * n  # a row for each code, else for each that is there
    if not dense:
        for i in range(n):
            rows[i] = column[samples[i]]
        n_rows = ascending(rows[:n], n_codes, cells.words, cells.groups, present)
        for k in range(n_rows):
            row_of[present[k]] = k
        for i in range(n):
            rows[i] = row_of[rows[i]]
    if n_rows * n_classes <= _ENTRIES_PER_SAMPLE * n:
        for j in range(n_rows * n_classes):
            weights[j] = 0.0
        if dense:
            for i in range(n):
                weights[column[samples[i]] * n_classes + y[i]] += weight[i]
        else:
            for i in range(n):
                weights[rows[i] * n_classes + y[i]] += weight[i]
        for k in range(n_rows):
            present[m], starts[m] = k if dense else present[k], n_cells
            total = 0.0
            for c in range(n_classes):  # without branches: which classes are there cannot be predicted
                here = weights[k * n_classes + c]
                classes[n_cells], weights[n_cells] = c, here
                total += here
                n_cells += (here > 0.0) | both
            if total > 0.0:
                m += 1
            else:
                n_cells = starts[m]
        starts[m] = n_cells
        return m
    for k in range(n_rows):
        row_of[k] = 0
    for i in range(n):
        if dense:
            rows[i] = column[samples[i]]
        row_of[rows[i]] += 1
    at = 0
    for k in range(n_rows):
        present[m], starts[m] = k if dense else present[k], at
        at += row_of[k]
        row_of[k] = starts[m]
        m += at > starts[m]
    starts[m] = n
    for i in range(n):
        at = row_of[rows[i]]
        row_of[rows[i]] = at + 1
        classes[at], weights[at] = y[i], weight[i]
    if m == n:
        return m
    at = 0
    for k in range(m):
        first, starts[k], stop = n_cells, n_cells, starts[k + 1]
        while at < stop:
            c = classes[at]
            cell = cell_of[c]
            if first <= cell < n_cells and classes[cell] == c:
                weights[cell] += weights[at]
            else:
                classes[n_cells], weights[n_cells] = c, weights[at]
                cell_of[c] = n_cells
                n_cells += 1
            at += 1
    starts[m] = n_cells
    return m


@njit(cache=True, nogil=True)
def sizes_of(column, samples, m, present, row_of, sizes):
    """Samples of each of the ``m`` codes ``present`` in a node, int64 (m,); ``row_of`` is overwritten."""
    for k in range(m):
        row_of[present[k]], sizes[k] = k, 0
    for i in range(samples.shape[0]):
        sizes[row_of[column[samples[i]]]] += 1
    return sizes[:m]
