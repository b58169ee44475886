"""Transactions of every kind, as the lists of transactions that hold each item."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, count
from numbers import Number
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from studylib.core.compiling import njit
from studylib.core.frames import as_frame
from studylib.core.parameters import describe


class Transactions(NamedTuple):
    """``n`` transactions, column by column.

    ``names`` are the items in the order of the columns, ``counts``, int64 (n_items,), the numbers of
    transactions that hold each.  ``columns`` makes of the items wanted, int64 in any order,
    ``(starts, rows)``: int64 (n_wanted + 1,) and int32, the transactions that hold each of them.
    """

    n: int
    names: list
    counts: np.ndarray
    columns: object


def read(owner, transactions):
    """Transactions of a Boolean frame or array, a sparse matrix, or a list of baskets."""
    transactions = as_frame(owner, transactions, "transactions")
    if isinstance(transactions, np.ndarray) and transactions.ndim == 2:
        transactions = pd.DataFrame(transactions)
    if issparse(transactions) and transactions.ndim == 2:
        return _of_matrix(owner, transactions, list(range(transactions.shape[1])))
    if isinstance(transactions, pd.DataFrame):
        _check_names(owner, transactions)
        dtypes = set(transactions.dtypes)
        if len(dtypes) == 1 and _is_matrix(*dtypes):
            return _of_matrix(owner, transactions.sparse.to_coo(), list(transactions.columns))
        return _of_frame(owner, transactions)
    # Arrow's and polars' columns of baskets hand out items and baskets of their own types.
    as_list = getattr(transactions, "to_pylist", None) or getattr(transactions, "to_list", None)
    if as_list is not None:
        transactions = as_list()
    single = isinstance(transactions, str | bytes | dict) or getattr(transactions, "ndim", 1) == 0
    if single or not isinstance(transactions, Iterable):
        raise TypeError(
            f"{owner}: transactions must be a Boolean DataFrame, a list of lists of items or a sparse "
            f"matrix, got {describe(transactions)}."
        )
    return _of_baskets(owner, list(transactions))


def _check_any(owner, n):
    if n == 0:
        raise ValueError(f"{owner}: there are no transactions; at least one is needed.")


def _check_names(owner, frame):
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(f"{owner}: the column name {twice!r} appears more than once in transactions.")


def _of_frame(owner, frame):
    _check_any(owner, len(frame))
    held = [_as_boolean(owner, name, column) for name, column in frame.items()]
    counts = np.array([np.count_nonzero(column) for column in held], np.int64)

    def columns(wanted):
        rows = np.empty(counts[wanted].sum(), np.int32)
        starts = np.append(0, np.cumsum(counts[wanted]))
        for k, item in enumerate(wanted):
            rows[starts[k] : starts[k + 1]] = np.flatnonzero(held[item])
        return starts, rows

    return Transactions(len(frame), list(frame.columns), counts, columns)


def _is_matrix(dtype):
    """True if columns of this dtype leave out zeros, as a sparse matrix does."""
    return isinstance(dtype, pd.SparseDtype) and dtype.kind in "biuf" and dtype.fill_value == 0


def _as_boolean(owner, name, column):
    """A column of True and False, or of 1 and 0, as a Boolean array."""
    if isinstance(column.dtype, pd.SparseDtype):
        column = column.sparse.to_dense()
    if column.dtype == bool:
        return column.to_numpy()
    if column.isna().any():
        raise ValueError(
            f"{owner}: column {name!r} holds missing values; an item is in a transaction (True) or not "
            "(False)."
        )
    odd = [v for v in _different(column) if not (isinstance(v, Number | np.bool_) and v in (0, 1))]
    if odd:
        advice = "for a table of attributes, make items with pandas.get_dummies first"
        if not _is_hashable(odd[0]):
            advice = "if its entries are baskets, pass the column itself"
        raise ValueError(
            f"{owner}: column {name!r} holds {describe(odd[0])}, but must hold True and False (or 1 and 0); "
            f"{advice}."
        )
    return column.to_numpy(dtype=bool)


def _different(column):
    """The different entries of a column, or all where they cannot be compared."""
    try:
        return pd.unique(column).tolist()
    except (TypeError, NotImplementedError):  # lists; lists of Arrow
        return column.tolist()


def _of_matrix(owner, matrix, names):
    _check_any(owner, matrix.shape[0])
    matrix = matrix.tocsc(copy=False)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    odd = matrix.data[(matrix.data != 0) & (matrix.data != 1)]
    if len(odd):
        raise ValueError(
            f"{owner}: the sparse matrix holds {odd[0]}, but must hold only 1 (the item is there) and 0; "
            "compare it with 0 first, as in matrix > 0."
        )
    if (matrix.data == 0).any():
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    counts = np.diff(matrix.indptr).astype(np.int64)

    def columns(wanted):
        parts = [matrix.indices[matrix.indptr[j] : matrix.indptr[j + 1]] for j in wanted]
        rows = np.concatenate([np.empty(0, np.int32), *parts]).astype(np.int32, copy=False)
        return np.append(0, np.cumsum(counts[wanted])), rows

    return Transactions(matrix.shape[0], names, counts, columns)


def _of_baskets(owner, baskets):
    _check_any(owner, len(baskets))
    baskets = _checked(owner, baskets)
    sizes = np.fromiter(map(len, baskets), np.int64, len(baskets))
    names, codes = _coded(owner, baskets, int(sizes.sum()))
    counts = _count_once(codes, sizes, len(names))

    def columns(wanted):
        rank = np.full(len(names), -1, np.int32)
        rank[wanted] = np.arange(len(wanted))
        starts = np.append(0, np.cumsum(counts[wanted]))
        return starts, _by_item(codes, sizes, rank, starts)

    return Transactions(len(baskets), names, counts, columns)


def _coded(owner, baskets, n_entries):
    """The items in their order, a list, and the place of each entry among them, int32 (n_entries,)."""
    number = defaultdict(count().__next__)  # a new item gets the next number
    try:
        codes = np.fromiter(map(number.__getitem__, chain.from_iterable(baskets)), np.int32, n_entries)
    except TypeError:
        at, item = next((t, i) for t, basket in enumerate(baskets) for i in basket if not _is_hashable(i))
        raise TypeError(
            f"{owner}: transaction {at} contains {describe(item)} of type {type(item).__name__}, which "
            "cannot be an item; items must be hashable, such as strings or numbers."
        ) from None
    names = list(number)
    missing = [name for name in names if name is None or name is pd.NA or name != name]
    if missing:
        at = next(t for t, basket in enumerate(baskets) for i in basket if i is missing[0])
        raise ValueError(f"{owner}: transaction {at} contains a missing item ({missing[0]}); leave it out.")
    if names and all(isinstance(name, bool | np.bool_) for name in names):
        raise ValueError(
            f"{owner}: the only items of the baskets are True and False; pass a table that says which items "
            "are there as an array or a DataFrame."
        )
    try:
        names.sort()
    except TypeError:
        return list(number), codes  # items without an order keep that of their first appearance
    place = np.empty(len(names), np.int32)
    place[[number[name] for name in names]] = np.arange(len(names))
    return names, place[codes]


def _checked(owner, baskets):
    """The baskets as sequences; a string or a number in their place is refused."""
    if set(map(type, baskets)) <= {list, tuple, set, frozenset}:
        return baskets
    for at, basket in enumerate(baskets):
        if isinstance(basket, str | bytes | dict) or not isinstance(basket, Iterable):
            raise TypeError(
                f"{owner}: transaction {at} is {describe(basket)} of type {type(basket).__name__}; each "
                "transaction must be a list of items."
            )
    return [list(basket) for basket in baskets]


def _is_hashable(item):
    try:
        hash(item)
    except TypeError:
        return False
    return True


@njit(cache=True, nogil=True)
def _count_once(codes, sizes, n_items):
    """Count the baskets that hold each item, int64; an item's repetition in a basket gets the code -1."""
    counts = np.zeros(n_items, np.int64)
    last = np.full(n_items, -1)
    e = 0
    for t in range(sizes.shape[0]):
        for _ in range(sizes[t]):
            code = codes[e]
            if last[code] == t:
                codes[e] = -1
            else:
                last[code] = t
                counts[code] += 1
            e += 1
    return counts


@njit(cache=True, nogil=True)
def _by_item(codes, sizes, rank, starts):
    """The baskets that hold each item, those of rank 0 first, int32; items of rank -1 are left out."""
    rows = np.empty(starts[-1], np.int32)
    fill = starts[:-1].copy()
    e = 0
    for t in range(sizes.shape[0]):
        for _ in range(sizes[t]):
            code = codes[e]
            e += 1
            if code >= 0 and rank[code] >= 0:
                rows[fill[rank[code]]] = t
                fill[rank[code]] += 1
    return rows
