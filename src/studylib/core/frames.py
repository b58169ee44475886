"""Frames of any maker as pandas frames, and the names of their columns."""

import contextlib
import numbers
import warnings

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from studylib.core.text import shorten, warn

# What the interchange protocol calls Booleans and categories; where some are missing, pandas reads others.
_MISREAD = (20, 23)


def as_frame(owner, X, name="X"):
    """A frame of polars, Arrow or any other maker as a pandas frame; everything else as it is.

    What other makers offer is read by narwhals, or else through the dataframe interchange protocol.
    ValueError if neither can read it.
    """
    if isinstance(X, pd.DataFrame | np.ndarray | list | tuple) or issparse(X):
        return X
    import narwhals as nw  # here: it takes 30 ms, and most tables need it never

    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            if isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
                raise ValueError(f"a {type(X).__name__} holds no rows yet; pass {name}.collect().")
            if not hasattr(X, "__dataframe__"):
                return X
            other = _interchanged(owner, X)
            if isinstance(other, pd.DataFrame):
                return other
            frame = nw.from_native(other, eager_only=True)
    except (
        ArithmeticError,
        NotImplementedError,
        TypeError,
        ValueError,
    ) as error:  # a name of two columns, say
        raise ValueError(f"{owner}: {name} cannot be read: {shorten(error, 300)}") from error
    columns = {j: _pandas_column(nw, column) for j, column in enumerate(frame.iter_columns())}
    out = pd.DataFrame(columns, index=range(len(frame)))
    out.columns = pd.Index(frame.columns, dtype=object)
    return out


def _interchanged(owner, X):
    """A frame that offers nothing but the interchange protocol, as one of Arrow or of pandas."""
    with contextlib.suppress(ImportError):
        from pyarrow.interchange import from_dataframe

        return from_dataframe(X)
    with warnings.catch_warnings():  # pandas means to drop the protocol, and it is all that this maker offers
        warnings.simplefilter("ignore")
        offered = X.__dataframe__()
        for name in offered.column_names():
            column = offered.get_column_by_name(name)
            if column.dtype[0] in _MISREAD and column.null_count:
                raise ValueError(
                    f"{owner}: column {name!r} holds missing entries that only Arrow can take over from a "
                    f"{type(X).__name__}; install pyarrow, or pass X as a frame of pandas or polars."
                )
        return pd.api.interchange.from_dataframe(X)


def _pandas_column(nw, column):
    """A column of narwhals as an array of pandas that holds the same entries."""
    dtype, missing = column.dtype, column.is_null().to_numpy()
    if (dtype.is_numeric() or dtype == nw.Boolean) and dtype not in (nw.Int128, nw.UInt128, nw.Decimal):
        if not missing.any():
            return column.to_numpy()
        known = column.fill_null(False if dtype == nw.Boolean else 0).to_numpy()
        if dtype.is_float():
            return np.where(missing, np.nan, known)
        masked = pd.arrays.BooleanArray if dtype == nw.Boolean else pd.arrays.IntegerArray
        return masked(np.array(known), np.array(missing))
    entries = np.empty(len(column), dtype=object)
    entries[:] = column.to_list()
    if isinstance(dtype, nw.Enum):
        return pd.Categorical(entries, list(dtype.categories), ordered=True)
    return pd.Categorical(entries) if dtype == nw.Categorical else entries


def as_one_row(owner, x):
    """One sample as a table of one row: a Series, a frame of one row, or an array or list of its entries."""
    if isinstance(x, pd.Series):
        x = x.to_frame().T
    elif not hasattr(x, "columns"):
        x = np.atleast_2d(np.asarray(x, dtype=object))
    if len(x) != 1:
        raise ValueError(f"{owner}: explain takes one sample, got {len(x)}.")
    return x


def feature_names(estimator):
    """Names of the columns that an estimator was fitted on, a list; ``x0``, ``x1``, … if they had none."""
    unnamed = (f"x{j}" for j in range(estimator.n_features_in_))
    return [str(name) for name in getattr(estimator, "feature_names_in_", unnamed)]


class ColumnNames:
    """Columns of a training table: ``d``, how many there are, and their names, whatever these are.

    Scikit-learn knows only strings as names; with others, or None, there is no ``feature_names_in_``.
    """

    def __init__(self, names, d):
        self._names, self.n_features_in_ = names, d
        if names is not None and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def record(self, estimator):
        """Set ``n_features_in_`` and, where there are such names, ``feature_names_in_`` of an estimator."""
        vars(estimator).pop("feature_names_in_", None)
        vars(estimator).update({name: value for name, value in vars(self).items() if name != "_names"})

    def compare(self, owner, names, d):
        """Raise if a table, whose names and number of columns are given, has other columns.

        Columns are compared by name, whatever the names are: strings, numbers or tuples.  Where only one of
        both tables has strings as names, a warning says so, and the order counts.
        """
        if names is not None and self._names is not None:
            _compare_names(owner, names, self._names)
        elif hasattr(self, "feature_names_in_"):
            warn(
                f"{owner}: X has no feature names, but the training table had; its columns are taken in that "
                "order."
            )
        elif names is not None and all(isinstance(name, str) for name in names):
            warn(f"{owner}: X has feature names, but the training table had none; they are not compared.")
        if d != self.n_features_in_:
            raise ValueError(
                f"{owner}: X has {d} features, but {owner} is expecting {self.n_features_in_} features as "
                "input."
            )


def _compare_names(owner, names, known):
    if names == known:
        return
    now, before = [_comparable(name) for name in names], [_comparable(name) for name in known]
    if now == before:
        return
    new = [name for name, key in zip(names, now, strict=True) if key not in set(before)]
    gone = [name for name, key in zip(known, before, strict=True) if key not in set(now)]
    if new or gone:
        what = [f"has column {name!r}, unseen at fit time" for name in new[:1]]
        what += [f"is missing column {name!r}, seen at fit time" for name in gone[:1]]
        raise ValueError(f"{owner}: X {', and '.join(what)}.")
    if len(now) == len(before):  # otherwise their number is the problem
        j = next(j for j, key in enumerate(now) if key != before[j])
        raise ValueError(
            f"{owner}: the columns of X must be in the same order as at fit time, but column {j} is "
            f"{names[j]!r} instead of {known[j]!r}; reorder them."
        )


def _comparable(name):
    """A column's name as something that equals itself, as NaN does not, and is the same in every frame."""
    if isinstance(name, str):
        return name
    return int(name) if isinstance(name, numbers.Integral) else (type(name).__name__, repr(name))
