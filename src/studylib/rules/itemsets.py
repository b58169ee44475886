"""Frequent itemsets: items that occur together in at least a given share of transactions."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from studylib.core.parameters import check_boolean, check_integer, check_real, describe
from studylib.rules import _mine, _transactions

__all__ = ["apriori"]

_NO_LIMIT = 2**31 - 1
#: Bytes of an itemset in the result: a frozenset of 9 to 16 items is 728 bytes, a smaller one 216 or 472.
_BYTES = 780


class Support(NamedTuple):
    """Constraint: a share of transactions, greater than 0."""

    def __call__(self, owner, name, value):
        share = check_real(owner, name, value, 0.0, 1.0)
        if share == 0.0:
            raise ValueError(f"{owner}: {name} must be greater than 0, got {describe(value)}.")
        return share


class Level(NamedTuple):
    """The frequent itemsets of one length, in lexicographic order.

    ``items``, int32 (n_sets, length), ascend in each row; ``counts``, int64 (n_sets,), are numbers of
    transactions.  ``parent``, int64 (n_sets,), is the row of the level before whose items each set has, too,
    and ``added``, int32 (n_sets,), the item that its parent lacks.
    """

    items: np.ndarray
    counts: np.ndarray
    parent: np.ndarray
    added: np.ndarray


def apriori(
    transactions,
    min_support=0.5,
    *,
    use_colnames=True,
    max_len=None,
    max_itemsets=2_000_000,
    verbose=0,
    low_memory=False,
    n_jobs=1,
):
    """All itemsets whose support is at least ``min_support``.

    The support of an itemset is the share of transactions that contain it.  No itemset has more support than
    its subsets (downward closure), so only extensions of frequent itemsets are candidates.  The search is
    depth first over bit sets of transactions (Eclat); its result is that of Apriori.

    Parameters
    ----------
    transactions : DataFrame, list of lists, or sparse matrix
        A frame (pandas, also sparse; polars; Arrow) or array of True and False (or 1 and 0) with a column for
        each item; baskets, each a list, tuple or set of hashable items, also as a column of lists; or a SciPy
        matrix, for example CSR, whose items are the numbers of its columns.  An item that a basket repeats
        counts once.
    min_support : float
        In (0, 1].  The support of an itemset is compared as the float ``count / n_transactions``.
    use_colnames : bool
        Whether itemsets hold the items' names; if not, the numbers of their columns, as by default in
        ``mlxtend``.  Baskets have a column for each item in the order below.
    max_len : int or None
        Only itemsets with at most so many items.
    max_itemsets : int
        ``apriori`` raises as soon as there are more itemsets than that, before they fill the memory.
    verbose, low_memory, n_jobs
        Taken because ``mlxtend``'s ``apriori`` has them; they change nothing.

    Returns
    -------
    DataFrame
        ``support`` (float64) and ``itemsets`` (frozenset), shorter itemsets first, those of one length in
        lexicographic order of their items' columns.  The items of baskets are ordered by value, or by first
        appearance if they have no order.  The same rows as those of ``mlxtend``'s ``apriori`` with
        ``use_colnames=True``.

    Raises
    ------
    MemoryError
        If there are more than ``max_itemsets`` frequent itemsets.

    References
    ----------
    Agrawal and Srikant, *Fast Algorithms for Mining Association Rules*, 1994.
    Zaki, *Scalable Algorithms for Association Mining*, 2000.

    Examples
    --------
    >>> from studylib.rules import apriori
    >>> baskets = [["bread", "milk"], ["bread", "butter"], ["bread", "butter", "milk"], ["milk"]]
    >>> for support, items in apriori(baskets, 0.5).itertuples(index=False):
    ...     print(support, sorted(items))
    0.75 ['bread']
    0.5 ['butter']
    0.75 ['milk']
    0.5 ['bread', 'butter']
    0.5 ['bread', 'milk']
    """
    owner = "apriori"
    share = Support()(owner, "min_support", min_support)
    longest = check_integer(owner, "max_len", max_len, 1, none_as=_NO_LIMIT)
    most = check_integer(owner, "max_itemsets", max_itemsets, 1)
    named = check_boolean(owner, "use_colnames", use_colnames)
    read = _transactions.read(owner, transactions)
    levels, complete = frequent(read, least_count(share, read.n), min(longest, _NO_LIMIT), most)
    if not complete:
        raise MemoryError(
            f"{owner}: more than {most:,} itemsets have a support of at least {share:g}, and so many take "
            f"up to {max(1, most * _BYTES >> 20):,} MiB; raise min_support, set max_len, or raise "
            "max_itemsets."
        )
    return _as_frame(levels, read.names if named else range(len(read.names)), read.n)


def least_count(share, n):
    """The smallest number of n transactions that is at least the given share of them, as floats compare."""
    count = max(1, math.ceil(share * n))
    while count > 1 and (count - 1) / n >= share:
        count -= 1
    while count / n < share:
        count += 1
    return count


def frequent(read, min_count, max_len, most):
    """Frequent itemsets of Transactions, a Level for each length, and whether there are at most ``most``.

    If not, there are no levels.  See ``_mine.mine``.
    """
    items = np.flatnonzero(read.counts >= min_count)
    items = items[np.argsort(read.counts[items], kind="stable")]
    if not len(items):
        return [], True
    if len(items) > most:
        return [], False
    starts, rows = read.columns(items)
    entries, places = _mine.by_transaction(starts, rows, read.n)
    parent, item, count, complete = _mine.mine(starts, entries, places, min_count, max_len, most)
    if not complete:
        return [], False
    return list(_levels(parent, items[item].astype(np.int32), count, len(read.names))), True


def _levels(parent, item, count, n_items):
    length = _mine.lengths(parent).astype(np.uint16)  # so narrow a type is sorted by its digits
    by_length = np.argsort(length, kind="stable")
    ends = np.cumsum(np.bincount(length)[1:])
    place = np.empty(len(parent), np.int64)  # of each set among those of its length
    sets = np.empty((1, 0), np.int32)
    for start, end in zip(np.append(0, ends[:-1]), ends, strict=True):
        of = by_length[start:end]
        above = place[parent[of]] if start else np.zeros(len(of), np.int64)
        sets = np.sort(np.column_stack([sets[above], item[of]]), axis=1)
        order = _lexicographic(sets, n_items)
        sets, of = sets[order], of[order]
        place[of] = np.arange(len(of))
        yield Level(sets, count[of], above[order], item[of])


def _lexicographic(sets, n_items):
    """The order of rows of ascending integers below ``n_items``."""
    bits = max(1, int(n_items - 1).bit_length())
    keys = []
    for start in range(0, sets.shape[1], 63 // bits):
        key = np.zeros(len(sets), np.int64)
        for column in sets[:, start : start + 63 // bits].T:
            key = (key << bits) | column
        keys.append(key)
    return np.argsort(keys[0], kind="stable") if len(keys) == 1 else np.lexsort(keys[::-1])


def _as_frame(levels, names, n):
    """Itemsets of n transactions as a frame.  Each frozenset is the union of its parent's and one item's.

    Making 1.15 million of them takes 0.6 of the time of making each of its items, and 531 MiB, not 737:
    Python then makes room for twice as many items as there are, not for four times as many.
    """
    single = np.empty(len(names), object)
    single[:] = [frozenset((name,)) for name in names]
    parts = [np.empty(0, object)]
    for level in levels:
        added = single[level.added]
        parts.append(parts[-1][level.parent] | added if len(parts) > 1 else added)
    counts = np.concatenate([np.empty(0, np.int64), *(level.counts for level in levels)])
    itemsets = pd.Series(np.concatenate(parts), dtype=object)
    return pd.DataFrame({"support": counts / n, "itemsets": itemsets})
