"""Tables of numbers and categories: what the columns may hold, and one sentence where they cannot."""

import numbers
from collections.abc import Hashable

import numpy as np
import pandas as pd
from scipy.sparse import issparse

#: Beyond this, float64 no longer holds every whole number.
ALL_WHOLE = 2**53

#: Kinds of arrays whose columns are looked at one by one: objects, strings, dates and durations.
_MIXED = set("OUSMm")

#: What a column of an unusable kind holds, and what to make of it.
_REFUSED = {
    "M": ("dates or times", "the days since the first"),
    "m": ("durations", "their number of days"),
    "c": ("complex numbers", "one column for each part"),
}


def refuse_sparse(owner, X):
    """Raise if a table is sparse."""
    if issparse(X):
        raise TypeError(
            f"{owner}: X is a sparse {type(X).__name__}, but only dense tables are taken; pass X.toarray()."
        )


def mixed_frame(X):
    """An array or list of mixed entries as a frame whose columns have types; any other ``X`` as it is."""
    if isinstance(X, pd.DataFrame):
        return X
    if isinstance(X, (list, tuple)):
        entries = np.asarray(X, dtype=object)
        if not all(entry is None or _is_real(entry) for entry in entries.flat):
            X = entries
    if getattr(getattr(X, "dtype", None), "kind", "") not in _MIXED or np.ndim(X) != 2:
        return X
    frame = pd.DataFrame(X).infer_objects()
    frame.columns = [f"x{j}" for j in range(frame.shape[1])]
    return frame


def _is_real(entry):
    return isinstance(entry, numbers.Number) and not isinstance(entry, complex)


def check_unique_names(owner, frame):
    """Raise if two columns of a frame have the same name."""
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(f"{owner}: the column name {twice!r} appears more than once in X.")


def has_infinity(values):
    """Whether any of the numbers is infinite, missing ones aside."""
    return bool(np.isinf(values).any())


def infinity(owner, name):
    """The error for a column that holds an infinite number."""
    return ValueError(
        f"{owner}: column {name!r} holds infinity; numbers must be finite or missing, so clip or drop it."
    )


def is_numeric(owner, name, dtype):
    """Whether a frame's column holds numbers (or Booleans); raises if it holds no categories either."""
    if isinstance(dtype, pd.CategoricalDtype):
        return False
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":  # what the next line says of them, quicker
        return True
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        return True
    if pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype):
        return False
    what, advice = _REFUSED.get(dtype.kind, (f"entries of dtype {dtype}", "numbers or strings"))
    raise TypeError(
        f"{owner}: column {name!r} holds {what} (dtype {dtype}); encode it, for example as {advice}."
    )


def numbers_of(owner, name, column):
    """A numeric or Boolean column as finite float64, NaN where it is missing."""
    if column.dtype == np.float64:  # as below, but quicker
        values = column.to_numpy()
    else:
        with np.errstate(over="ignore"):  # of longer floats: they become infinite, which is refused
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if has_infinity(values):
        raise infinity(owner, name)
    if column.dtype.kind in "iu" and (np.abs(values) >= ALL_WHOLE).any():
        check_whole(owner, name, column.dropna())
    return values


def check_whole(owner, name, entries):
    """Raise if one of the entries is a whole number that float64 does not hold."""
    for entry in entries:
        if isinstance(entry, numbers.Integral) and not _is_whole_float(int(entry)):
            raise ValueError(
                f"{owner}: column {name!r} holds whole numbers such as {_digits(entry)}, which float64 does "
                "not tell from their neighbours; drop it if it names rows, make strings of it if it names "
                "classes, or round it by astype(float)."
            )


def _is_whole_float(number):
    try:
        return int(float(number)) == number
    except OverflowError:
        return False


def _digits(number):
    return f"{number}" if abs(number) < 10**20 else "one of more than 20 digits"


def check_categories(owner, name, entries):
    """Raise if an entry cannot be a category."""
    odd = next((entry for entry in entries if not isinstance(entry, Hashable)), None)
    if odd is not None:
        raise TypeError(
            f"{owner}: column {name!r} holds entries of type {type(odd).__name__}, which cannot be "
            "categories; encode it, for example as one column for each item."
        )


def order_of(owner, name, known):
    """Order of distinct categories, an object array, by value: what ``argsort`` returns."""
    try:
        return np.argsort(known, kind="stable")
    except TypeError:
        kinds = ", ".join(sorted({type(value).__name__ for value in known}))
        raise TypeError(
            f"{owner}: column {name!r} mixes {kinds}, which have no order; encode it, for example as "
            "strings with astype(str)."
        ) from None
