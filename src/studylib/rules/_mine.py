"""Numba kernels that find all frequent itemsets, depth first over sets of transactions as bits.

Items are numbered by ascending support ("ranks"), so that the long branches start with rare items.  For every
item the transactions that hold it are numbered anew, and each later item gets the bits of those that hold it,
too: the branch of a rare item works on a few words.  (Packing the bits again deeper down saved nothing on the
mushrooms, nor on baskets.)
"""

import numpy as np
from numba import types
from numba.extending import intrinsic

from studylib.core.compiling import njit
from studylib.core.unmanaged import without_refcount

END = -1  # behind the items of each transaction


@intrinsic
def ones(typing_context, word):
    """Number of bits that are set in a uint64, as an int64: one instruction on most processors."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@njit(cache=True, nogil=True)
def by_transaction(starts, rows, n_rows):
    """The items of each transaction in ascending order, and the place of each entry.

    The rows of each item start at ``starts``, int64 (n_items + 1,), in ``rows``, int32 (n_entries,), the
    transactions that hold it.  Returns the items, int32 (n_entries + n_rows,), one transaction after another,
    each with ``END`` behind it, and where among them each entry of ``rows`` went, int64 (n_entries,).
    """
    fill = np.zeros(n_rows + 1, np.int64)
    for row in rows:
        fill[row + 1] += 1
    for i in range(n_rows):
        fill[i + 1] += fill[i] + 1
    items = np.full(rows.shape[0] + n_rows, END, np.int32)
    places = np.empty(rows.shape[0], np.int64)
    for item in range(starts.shape[0] - 1):
        for e in range(starts[item], starts[item + 1]):
            places[e] = fill[rows[e]]
            items[places[e]] = item
            fill[rows[e]] += 1
    return items, places


@njit(cache=True, nogil=True)
def _extensions(items, places, min_count, counts, row_of, extensions):
    """Later items that are frequent among some transactions, given the places of an item in these.

    Fills ``counts`` and ``row_of`` (-1: not frequent; both by item) and ``extensions`` (items); returns their
    number.
    """
    counts[:] = 0
    for place in places:
        p = place + 1
        while items[p] != END:
            counts[items[p]] += 1
            p += 1
    n = 0
    for item in range(counts.shape[0]):
        row_of[item] = -1
        if counts[item] >= min_count:
            row_of[item] = n
            extensions[n] = item
            n += 1
    return n


@njit(cache=True, nogil=True)
def _set_bits(items, places, row_of, bits):
    """Set bit i of each extension that the i-th transaction holds; ``bits`` uint64 is zero at first."""
    for i in range(places.shape[0]):
        word, bit = i >> 6, np.uint64(1) << np.uint64(i & 63)
        p = places[i] + 1
        while items[p] != END:
            row = row_of[items[p]]
            if row >= 0:
                bits[row, word] |= bit
            p += 1


@njit(cache=True, nogil=True)
def _common(a, b, out):
    """Write the intersection of two sets to ``out``; return its size."""
    n = 0
    for w in range(out.shape[0]):
        both = a[w] & b[w]
        out[w] = both
        n += ones(both)
    return n


@njit(cache=True, nogil=True)
def _branch(bits, row_item, row_count, a, end, words, min_count):
    """Put the frequent extensions of set ``a`` behind the sets of its level, which end at ``end``.

    Set r has the item ``row_item[r]``, ``row_count[r]`` transactions and its bits in ``words`` words from
    ``r * words`` on.  Returns how many extensions there are.
    """
    bits, row_item, row_count = without_refcount((bits, row_item, row_count))
    parent = bits[a * words : (a + 1) * words]
    n = end
    for b in range(a + 1, end):
        out = bits[n * words : (n + 1) * words]
        count = _common(parent, bits[b * words : (b + 1) * words], out)
        if count >= min_count:
            row_item[n], row_count[n] = row_item[b], count
            n += 1
    return n - end


@njit(cache=True, nogil=True)
def _grown(array, size):
    """Array with room for at least ``size`` entries: the array itself, or a larger copy."""
    if size <= array.shape[0]:
        return array
    out = np.empty(max(size, 2 * array.shape[0]), array.dtype)
    out[: array.shape[0]] = array
    return out


@njit(cache=True, nogil=True)
def _descend(first_level, words, room, tree, n, min_count, max_len, most):
    """All sets below one item, whose extensions are the first sets of ``room``.

    ``first_level`` is how many these are, and the node of the first.  Returns ``room`` and ``tree`` as they
    have grown, and the number of nodes, more than ``most`` if there are too many.
    """
    bits, row_item, row_count = room
    parent, item, count = tree
    m, node = first_level
    level = np.empty((m + 1, 4), np.int64)
    level[0] = (0, m, 0, node)
    depth = 0  # a level is its first set, its end, the next set to extend, and the node of the first
    while depth >= 0 and n <= most:
        first, end, a, node = level[depth]
        if a >= end - 1 or depth + 3 > max_len:  # the last set has nothing behind it
            depth -= 1
            continue
        level[depth, 2] += 1
        bits = _grown(bits, words * (2 * end - a))
        row_item, row_count = _grown(row_item, 2 * end), _grown(row_count, 2 * end)
        m = _branch(bits, row_item, row_count, a, end, words, min_count)
        parent, item, count = _grown(parent, n + m), _grown(item, n + m), _grown(count, n + m)
        for r in range(m):
            parent[n + r] = node + a - first
            item[n + r], count[n + r] = row_item[end + r], row_count[end + r]
        if m > 1:
            depth += 1
            level[depth] = (end, end + m, end, n)
        n += m
    return (bits, row_item, row_count), (parent, item, count), n


@njit(cache=True, nogil=True)
def mine(starts, items, places, min_count, max_len, most):
    """All itemsets in at least ``min_count`` transactions, as a tree in which a set extends its parent.

    The entries of each item start at ``starts``, int64 (n_items + 1,); all items are frequent; ``items`` and
    ``places`` are from ``by_transaction``.  Gives up when there are more than ``most`` sets.

    Returns by set, (n_sets,), the ``parent``, int64, which comes before its children and is -1 for a set of
    one item; the ``item`` by which the set extends it, int32; and its number of transactions, int64; and
    whether these are all.
    """
    n = n_items = starts.shape[0] - 1
    parent, item, count = np.full(n, -1), np.arange(n).astype(np.int32), np.diff(starts)
    bits, row_item, row_count = np.empty(0, np.uint64), np.empty(n, np.int32), np.empty(n, np.int64)
    counts, row_of = np.empty(n, np.int64), np.empty(n, np.int64)
    for first in range(n_items if max_len > 1 else 0):
        here = places[starts[first] : starts[first + 1]]
        m = _extensions(items, here, min_count, counts, row_of, row_item)
        words = (here.shape[0] + 63) >> 6
        bits = _grown(bits, m * words)
        bits[: m * words] = 0
        _set_bits(items, here, row_of, bits[: m * words].reshape(m, words))
        parent, item, count = _grown(parent, n + m), _grown(item, n + m), _grown(count, n + m)
        for r in range(m):
            row_count[r] = counts[row_item[r]]
            parent[n + r], item[n + r], count[n + r] = first, row_item[r], row_count[r]
        (bits, row_item, row_count), (parent, item, count), n = _descend(
            (m, n), words, (bits, row_item, row_count), (parent, item, count), n + m, min_count, max_len, most
        )
        if n > most:
            break
    return parent[:n], item[:n], count[:n], n <= most


@njit(cache=True, nogil=True)
def lengths(parent):
    """Number of items of each set in the tree, int64."""
    out = np.ones(parent.shape[0], np.int64)
    for i in range(parent.shape[0]):
        if parent[i] >= 0:
            out[i] += out[parent[i]]
    return out
