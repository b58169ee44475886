"""Numba kernels that say which samples fulfil the conditions of rules, as bits."""

import numpy as np

from studylib.core.compiling import njit
from studylib.rules._mine import ones


@njit(cache=True, nogil=True)
def bits_of(codes, first, sizes):
    """Samples that hold each item, as bits, uint64 (n_items, n_words).

    ``codes``, int (n, d), outside of 0 to ``sizes[j] - 1`` are no item; ``first`` and ``sizes``, int64 (d,),
    are the number of the first item of each column, and how many it has.
    """
    out = np.zeros((sizes.sum(), (codes.shape[0] + 63) >> 6), np.uint64)
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            code = codes[i, j]
            if 0 <= code < sizes[j]:
                out[first[j] + code, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    return out


@njit(cache=True, nogil=True)
def sizes(bits):
    """Number of samples in each set, int64."""
    out = np.zeros(bits.shape[0], np.int64)
    for k in range(bits.shape[0]):
        for w in range(bits.shape[1]):
            out[k] += ones(bits[k, w])
    return out


@njit(cache=True, nogil=True)
def _meet(rule, bits, out):
    """Narrow ``out`` down to the samples that hold all items of a rule."""
    for item in rule:
        held = bits[item]
        for w in range(out.shape[0]):
            out[w] &= held[w]


@njit(cache=True, nogil=True)
def _count(covered, classes, out):
    """Number of samples of each class in a set."""
    for c in range(classes.shape[0]):
        n = 0
        for w in range(covered.shape[0]):
            n += ones(covered[w] & classes[c, w])
        out[c] = n


@njit(cache=True, nogil=True)
def class_counts(starts, items, bits, classes):
    """Number of samples of each class that hold all items of each set, int64 (n_sets, n_classes).

    Set k has ``items[starts[k]:starts[k + 1]]``; ``bits`` and ``classes`` are the samples of each item and
    class.
    """
    out = np.zeros((starts.shape[0] - 1, classes.shape[0]), np.int64)
    covered = np.empty(bits.shape[1], np.uint64)
    for k in range(out.shape[0]):
        covered[:] = ~np.uint64(0)
        _meet(items[starts[k] : starts[k + 1]], bits, covered)
        _count(covered, classes, out[k])
    return out


@njit(cache=True, nogil=True)
def select(order, starts, items, bits, classes, counts):
    """The rules that CBA keeps of its candidates (algorithm M1).

    ``order``, int64, are the candidates in their order, numbers of sets; see ``class_counts`` for the sets.
    A rule predicts the first most frequent class of ``counts``, int64 (n_sets, n_classes).

    Returns the numbers of the sets kept, of the samples that each of them decides, both int64 (n_rules,), and
    of the samples of each class that none of them covers, int64 (n_classes,).
    """
    left = np.zeros(bits.shape[1], np.uint64)
    for c in range(classes.shape[0]):
        left |= classes[c]
    covered, here, rest = (
        np.empty_like(left),
        np.empty(classes.shape[0], np.int64),
        np.empty(classes.shape[0], np.int64),
    )
    kept, decided = np.empty(order.shape[0], np.int64), np.empty(order.shape[0], np.int64)
    _count(left, classes, rest)
    best_rest = rest.copy()
    n, best_n, wrong, least = 0, 0, 0, rest.sum() - rest.max()
    for k in order:
        if rest.sum() == 0:
            break
        covered[:] = left
        _meet(items[starts[k] : starts[k + 1]], bits, covered)
        _count(covered, classes, here)
        label = counts[k].argmax()
        if here[label] == 0:
            continue
        kept[n], decided[n] = k, here.sum()
        n += 1
        wrong += here.sum() - here[label]
        rest -= here
        left &= ~covered
        if wrong + rest.sum() - rest.max() < least:
            best_n, least = n, wrong + rest.sum() - rest.max()
            best_rest[:] = rest
    return kept[:best_n], decided[:best_n], best_rest


@njit(cache=True, nogil=True)
def first_rule(starts, items, bits, n):
    """The first rule that holds for each of n samples, int64; the number of rules where none does."""
    n_rules = starts.shape[0] - 1
    out = np.full(n, n_rules)
    left = np.full(bits.shape[1], ~np.uint64(0))
    covered = np.empty_like(left)
    for k in range(n_rules):
        covered[:] = left
        _meet(items[starts[k] : starts[k + 1]], bits, covered)
        left &= ~covered
        for w in range(covered.shape[0]):
            word = covered[w]
            while word != 0:
                i = 64 * w + ones((word - np.uint64(1)) & ~word)  # the lowest bit that is set
                if i < n:
                    out[i] = k
                word &= word - np.uint64(1)
    return out
