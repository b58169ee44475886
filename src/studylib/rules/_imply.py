"""Numba kernels that find the rules of an itemset table: parts of a set that imply the rest."""

import numpy as np

from studylib.core.compiling import njit
from studylib.rules._mine import _grown

ABSENT = -1
_EMPTY = -1


@njit(cache=True, nogil=True)
def hashes(starts, items, words):
    """Sum of the random words of each set's items, uint64, with wrap-around."""
    out = np.zeros(starts.shape[0] - 1, np.uint64)
    for s in range(out.shape[0]):
        for e in range(starts[s], starts[s + 1]):
            out[s] += words[items[e]]
    return out


@njit(cache=True, nogil=True)
def table_of(hashed):
    """Open-addressing table of the sets, int64; its size is a power of two, ``_EMPTY`` marks free places."""
    size = 4
    while size < 2 * hashed.shape[0]:
        size *= 2
    table = np.full(size, _EMPTY)
    for s in range(hashed.shape[0]):
        at = hashed[s] & np.uint64(size - 1)
        while table[at] != _EMPTY:
            at = (at + np.uint64(1)) & np.uint64(size - 1)
        table[at] = s
    return table


@njit(cache=True, nogil=True)
def find(starts, items, hashed, table, wanted, value):
    """The number of the set that holds exactly the items ``wanted`` (ascending), or ``ABSENT``."""
    last = np.uint64(table.shape[0] - 1)
    at = value & last
    while table[at] != _EMPTY:
        s = table[at]
        if hashed[s] == value and starts[s + 1] - starts[s] == wanted.shape[0]:
            same = True
            for k in range(wanted.shape[0]):
                same &= items[starts[s] + k] == wanted[k]
            if same:
                return s
        at = (at + np.uint64(1)) & last
    return ABSENT


@njit(cache=True, nogil=True)
def _parted(whole, inside, part, rest, words):
    """Write the items inside to ``part``, the others to ``rest``; return size and hash of ``part``."""
    n, value = 0, np.uint64(0)
    for k in range(whole.shape[0]):
        if inside[k]:
            part[n] = whole[k]
            value += words[whole[k]]
            n += 1
        else:
            rest[k - n] = whole[k]
    return n, value


@njit(cache=True, nogil=True)
def _step(inside, passed):
    """The next consequent of an itemset: its first extension if it ``passed``, else the next one beside it.

    ``inside`` marks the items of the consequent; extensions add an item behind its last one.  Returns False
    when there is none left.
    """
    last = inside.shape[0] - 1
    while last >= 0 and not inside[last]:
        last -= 1
    if passed and last < inside.shape[0] - 1:
        inside[last + 1] = True
        return True
    while last >= 0:
        inside[last] = False
        if last < inside.shape[0] - 1:
            inside[last + 1] = True
            return True
        last -= 1
        while last >= 0 and not inside[last]:
            last -= 1
    return False


@njit(cache=True, nogil=True)
def imply(starts, items, support, words, min_confidence, most):
    """All rules between parts of an itemset whose confidence is at least ``min_confidence``.

    With a larger consequent, within the same itemset, a rule has at most the same confidence: extensions of a
    consequent that fails are not tried.  Gives up when there are more than ``most`` rules.

    The sets begin at ``starts``, int64 (n_sets + 1,), in ``items``, int32, ascending within a set;
    ``support`` is float64 (n_sets,), ``words`` are random, uint64 (n_items,).  Returns ``whole``,
    ``antecedent`` and ``consequent`` of the rules, int64 (n_rules,), numbers of sets, and the first set that
    has a part which is no set of the table, else ``ABSENT``.
    """
    hashed = hashes(starts, items, words)
    table = table_of(hashed)
    rules = (np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64, np.int64))
    n = 0
    for s in range(support.shape[0]):
        whole = items[starts[s] : starts[s + 1]]
        size = whole.shape[0]
        if size < 2:
            continue
        inside = np.zeros(size, np.bool_)
        inside[0] = True
        head, body = np.empty(size, np.int32), np.empty(size, np.int32)
        more = True
        while more and n <= most:
            k, value = _parted(whole, inside, head, body, words)
            passed = k < size
            if passed:
                a = find(starts, items, hashed, table, body[: size - k], hashed[s] - value)
                if a == ABSENT:
                    return rules[0][:n], rules[1][:n], rules[2][:n], s
                passed = support[s] / support[a] >= min_confidence
            if passed:
                c = find(starts, items, hashed, table, head[:k], value)
                if c == ABSENT:
                    return rules[0][:n], rules[1][:n], rules[2][:n], s
                rules = (_grown(rules[0], n + 1), _grown(rules[1], n + 1), _grown(rules[2], n + 1))
                rules[0][n], rules[1][n], rules[2][n] = s, a, c
                n += 1
            more = _step(inside, passed)
    return rules[0][:n], rules[1][:n], rules[2][:n], ABSENT
