"""Kinds and entries of a table's columns, whichever library made it, and errors for unusable columns."""

import decimal
import numbers
import re
import sys
from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype
from scipy.sparse import issparse
from sklearn.utils.validation import check_array

from studylib.core.frames import as_frame
from studylib.core.text import shorten

#: Beyond this, float64 no longer holds every whole number.
ALL_WHOLE = 2**53

# What a column may not hold, by pandas' name for it or numpy's letter, and what to make of it.
_DATES = ("dates or times", "make numbers of it, for example the days since the first")
_DURATIONS = ("durations", "make numbers of it, for example their days")
_REFUSED = {
    "date": _DATES,
    "datetime": _DATES,
    "datetime64": _DATES,
    "M": _DATES,
    "time": ("times of day", "make numbers of it, for example the hours since midnight"),
    "timedelta": _DURATIONS,
    "timedelta64": _DURATIONS,
    "m": _DURATIONS,
    "period": ("periods", "make numbers of it, for example the months since the first"),
    "interval": ("intervals", "make numbers of it, for example their middles, or strings by astype(str)"),
    "complex": ("complex numbers", "make one column for each part"),
    "c": ("complex numbers", "make one column for each part"),
}

_MONEY = r"(?:[$€£¥₹₽]|USD|EUR|GBP|CHF)"
_DIGITS = r"(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:[.,'’ \u00a0\u202f]\d{3})+)"  # more, or 007, is a name
_NUMBER = rf"[+\-−]?(?:{_DIGITS}(?:[.,]\d+)?|[.,]\d+)(?:[eE][+\-]?\d+)?"
#: What text may look like that should not be read as categories, and patterns of it.
_LOOKS = {
    "numbers": re.compile(rf"{_NUMBER}(?:\s?%)?"),
    "money": re.compile(rf"{_MONEY}\s?{_NUMBER}|{_NUMBER}\s?{_MONEY}"),
    "dates or times": re.compile(
        r"(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:\d{4}|\d{2}))(?:[T ]+\d.*)?"
        r"|\d{1,2}:\d{2}(?::\d{2}.*)?(?: ?[APap][Mm])?"
        r"|\d{1,2}\.? [^\W\d]{3,9}\.?,? \d{4}|[^\W\d]{3,9}\.? \d{1,2}, \d{4}"
    ),
}
_N_LOOKED_AT, _MOSTLY, _FEW_ROWS = 200, 0.9, 20


class Column(NamedTuple):
    """A column of a table before it is encoded.

    ``kind`` is "numbers", "Booleans", "categories" or "text": what was not declared as categories and is no
    number.  ``entries`` are float64, NaN where a number is missing, or what ``pandas.factorize`` takes.
    """

    kind: str
    entries: object

    def categorical(self):
        """True if the column holds no numbers."""
        return self.kind in ("text", "categories")

    def empty(self):
        """True if all entries are missing."""
        return bool(_is_missing(self.entries).all())

    def example(self):
        """An entry that shows that the column holds no numbers."""
        known = np.flatnonzero(~_is_missing(self.entries))
        entry = next((e for e in self.entries[known] if not is_numeral(e)), self.entries[known[0]])
        return entry.item() if isinstance(entry, np.generic) else entry


def take_apart(owner, X):
    """Names, or None, and the columns: a float64 array if all are numbers, else a list of ``Column``."""
    if isinstance(X, pd.Series):
        raise ValueError(
            f"{owner}: X is a Series, but a table is needed; pass a row of a frame as X.iloc[[0]], with two "
            "pairs of brackets, or as row.to_frame().T, and a column as column.to_frame()."
        )
    X = as_frame(owner, X)
    if isinstance(X, pd.DataFrame):
        return _frame(owner, X)
    if issparse(X):
        raise TypeError(
            f"{owner}: X is a sparse {type(X).__name__}, but only dense tables are taken; pass "
            "X.toarray(), or in a pipeline give the encoder sparse_output=False, or put "
            "FunctionTransformer(lambda X: X.toarray(), accept_sparse=True) before the classifier."
        )
    return None, _array(owner, X)


def _frame(owner, X):
    for axis, what in enumerate(("sample", "feature")):
        if X.shape[axis] == 0:
            raise ValueError(
                f"{owner}: found 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required."
            )
    if not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()][0]
        raise ValueError(f"{owner}: the column name {twice!r} appears more than once in X.")
    names, dtypes = X.columns.tolist(), X.dtypes.tolist()
    if all(isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in dtypes):
        with np.errstate(over="ignore"):  # of longer floats: they become infinite, which is refused
            values = X.to_numpy(dtype=np.float64)
        if any(dtype.kind != "f" for dtype in dtypes):
            _check_all_whole(owner, names, values, lambda j: X.iloc[:, j].to_numpy())
        return names, values
    unnamed = X.copy(deep=False)
    unnamed.columns = range(len(names))  # looking up strings would take a third of the time of a small table
    return names, [
        _kind(owner, names[j], column, dtype)
        for (j, column), dtype in zip(unnamed.items(), dtypes, strict=True)
    ]


def _array(owner, X):
    if type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.size:
        return X
    if isinstance(X, list | tuple):
        X = _listed(X)
    if isinstance(X, np.ma.MaskedArray):  # what lies under the mask is not known
        X = np.where(np.ma.getmaskarray(X), None, X.data.astype(object)) if np.ma.is_masked(X) else X.data
    if len(getattr(X, "shape", ())) == 1:
        raise ValueError(
            f"{owner}: Expected 2D array, got 1D array instead. Reshape your data: of an array, "
            "X.reshape(1, -1) makes one row and X.reshape(-1, 1) one column; of a list, [X] makes one row."
        )
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if kind in _REFUSED and kind != "c":  # scikit-learn has a sentence for complex numbers
        raise _refusal(owner, 0, kind)
    if kind in "OUST" and kind and np.ndim(X) == 2 and np.size(X):
        X = np.asarray(X, dtype=object)
        return [_of_objects(owner, j, column) for j, column in enumerate(X.T)]
    try:
        with np.errstate(over="ignore"):
            values = check_array(
                X, dtype=np.float64, ensure_all_finite=False, input_name="X", estimator=owner
            )
    except (TypeError, ValueError, OverflowError) as error:
        of = TypeError if isinstance(error, TypeError) else ValueError
        raise of(f"{owner}: {shorten(error)}") from error
    if kind in "iu" and kind:
        _check_all_whole(owner, range(values.shape[1]), values, lambda j: np.asarray(X)[:, j])
    return values


def _check_all_whole(owner, names, values, column):
    """Raise if a table held a whole number that ``values`` do not; ``column(j)`` has the numbers."""
    large = np.abs(values) >= ALL_WHOLE
    for j in np.flatnonzero(large.any(axis=0)):
        _check_whole(owner, names[j], column(j)[large[:, j]])


def _kind(owner, name, column, dtype):
    """Kind and entries of a frame's column, a :class:`Column`."""
    if isinstance(dtype, pd.CategoricalDtype):
        known = dtype.categories
        plain = isinstance(known.dtype, pd.StringDtype) or known.dtype.kind in "biuf"
        if not plain and infer_dtype(known) in _REFUSED:  # intervals, for one, are named by their text
            return Column("categories", column.array.rename_categories([str(entry) for entry in known]))
        return Column("categories", column.array)
    if isinstance(dtype, pd.SparseDtype):
        column, dtype = column.sparse.to_dense(), dtype.subtype
    if isinstance(dtype, pd.ArrowDtype):
        arrow = str(dtype.pyarrow_dtype)
        if arrow.startswith("dictionary"):
            return Column("categories", column.to_numpy(dtype=object))
        if arrow.endswith("_view"):  # strings of a kind that pandas can do little with
            return _of_objects(owner, name, np.fromiter(column, object, len(column)))
    kind = dtype.kind
    if kind in "biuf":
        if dtype == np.float64:
            return Column("numbers", column.to_numpy())
        with np.errstate(over="ignore"):
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if kind in "iu":
            _check_all_whole(owner, [name], values[:, None], lambda j: column.to_numpy(dtype=object))
        return Column("Booleans" if kind == "b" else "numbers", values)
    if kind in _REFUSED:
        raise _refusal(owner, name, kind)
    if isinstance(dtype, pd.StringDtype):
        return Column("text", column.array)
    return _of_objects(owner, name, column.to_numpy(dtype=object))


def _of_objects(owner, name, entries):
    """Kind and entries of an object array, a :class:`Column`: numbers if all known entries are numbers."""
    inferred = infer_dtype(entries, skipna=True)
    if inferred in _REFUSED:
        raise _refusal(owner, name, inferred)
    if inferred.startswith("mixed") or inferred.startswith("unknown"):
        known = entries[~_is_missing(entries)]
        for kind in {type(entry): entry for entry in known}.values():
            _check_entry(owner, name, kind)
        inferred = "decimal" if all(map(_is_number, known)) else "mixed"
    if inferred in ("integer", "floating", "mixed-integer-float", "decimal", "boolean"):
        kind = "Booleans" if inferred == "boolean" else "numbers"
        return Column(kind, floats_of(owner, name, entries))
    return Column("text", entries)


def _check_entry(owner, name, entry):
    """Raise if an entry is neither a number nor can be a category."""
    if isinstance(entry, tuple) or not isinstance(entry, Hashable):
        raise TypeError(
            f"{owner}: column {name!r} holds a {type(entry).__name__}, but an argument must be a "
            "string, another category or a number; encode it, for example as one column for each item."
        )
    inferred = infer_dtype([entry], skipna=False)
    if inferred in _REFUSED:
        raise _refusal(owner, name, inferred)


def _refusal(owner, name, kind):
    what, remedy = _REFUSED[kind]
    return TypeError(f"{owner}: column {name!r} holds {what}; {remedy}.")


def floats_of(owner, name, entries):
    """Numbers of an object array as float64, NaN where missing."""
    missing = _is_missing(entries)
    known = entries[~missing]
    values = np.full(len(entries), np.nan)
    try:
        values[~missing] = known.astype(np.float64)
    except OverflowError:
        _check_whole(owner, name, known)
        raise
    large = np.abs(values[~missing]) >= ALL_WHOLE
    if large.any():
        _check_whole(owner, name, known[large])
    return values


def _listed(rows):
    """A list of rows as an array that holds the same entries."""
    try:
        table = np.asarray(rows)
    except (TypeError, ValueError, OverflowError):
        try:
            table = np.asarray(rows, dtype=object)  # its entries may be lists
        except (TypeError, ValueError, OverflowError):
            return rows
        return table if table.ndim == 2 else rows  # ragged, as scikit-learn says
    merged = table.dtype.kind == "f" and (np.abs(table) >= ALL_WHOLE).any()
    if table.ndim == 2 and (merged or table.dtype.kind not in "biufc"):
        return np.asarray(rows, dtype=object)
    return table


def _is_missing(entries):
    return np.asarray(pd.isna(entries), dtype=bool)


def doubt(categories, n):
    """Why a column of text, of ``n`` entries, should perhaps not be categories, with an example; or None."""
    texts = [text for text in categories[:: len(categories) // _N_LOOKED_AT + 1] if isinstance(text, str)]
    alike = {what: [text for text in texts if look.fullmatch(text.strip())] for what, look in _LOOKS.items()}
    if texts and sum(map(len, alike.values())) >= _MOSTLY * len(texts):
        what = max(alike, key=lambda what: len(alike[what]))
        return f"looks like {what}, such as {shorten(repr(alike[what][0]), 60)}"
    if n >= _FEW_ROWS and len(categories) >= _MOSTLY * n:
        return f"has another text in nearly every row, such as {shorten(repr(categories[0]), 60)}"
    return None


def is_numeral(entry):
    """True if numpy makes a number of an entry."""
    try:
        float(entry)
    except (TypeError, ValueError):
        return False
    except OverflowError:  # a whole number beyond all floats
        return True
    return True


def _is_number(entry):
    return isinstance(entry, numbers.Real | decimal.Decimal | np.bool_)


def _check_whole(owner, name, entries):
    """Raise if one of the entries is a whole number that float64 does not hold."""
    for entry in entries:
        if isinstance(entry, decimal.Decimal):
            if not entry.is_finite() or entry != entry.to_integral_value():
                continue
            whole = entry
        elif isinstance(entry, numbers.Integral):
            whole = int(entry)
        else:
            continue
        if abs(whole) > sys.float_info.max or int(float(whole)) != whole:
            digits = f"{int(whole)}" if abs(whole) < 10**20 else "one of more than 20 digits"
            raise ValueError(
                f"{owner}: column {name!r} holds whole numbers such as {digits}, which float64 cannot hold "
                "exactly; drop the column if it identifies rows, make strings of it if it is a category, or "
                "round it by astype(float)."
            )
