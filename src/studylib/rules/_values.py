"""Tables as values: each column's categories, or the intervals that its numbers are cut into."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from studylib.core.columns import (
    check_categories,
    check_unique_names,
    is_numeric,
    mixed_frame,
    numbers_of,
    order_of,
    refuse_sparse,
)
from studylib.core.tables import feature_names, new_table, refuse_merging, training_table
from studylib.core.weights import check_sample_weight
from studylib.rules._cuts import cut_points


class Values(NamedTuple):
    """The values of a column.

    Attributes
    ----------
    known : list
        The categories in order, False and True, or the intervals (pandas.Interval, closed on the right).
    cuts : float64 ndarray or None
        What separates the intervals; None for a column of categories.
    has_missing : bool
        Whether entries were missing in training: that is one more value, behind the others.
    """

    known: list
    cuts: np.ndarray | None
    has_missing: bool

    def codes(self, column, missing):
        """Number of each entry's value, int64: ``len(known)`` where it is missing, -1 where it is new.

        ``column`` is float64 for numbers and object for categories.
        """
        if self.cuts is None:
            found = pd.Index(self.known, dtype=object).get_indexer(pd.Index(column, dtype=object))
        else:
            found = np.searchsorted(self.cuts, column)  # equal to a cut: below it
        return np.where(missing, len(self.known), found)

    def names(self, feature):
        """Each value as text, such as "height ≤ 6", "height in (6, 8]" or "cap = bell"."""
        return [
            _interval_name(feature, value) if isinstance(value, pd.Interval) else f"{feature} = {value}"
            for value in self.known
        ]


def _interval_name(feature, interval):
    low, high = interval.left, interval.right
    if np.isinf(low):
        return f"{feature} any number" if np.isinf(high) else f"{feature} ≤ {high:g}"
    return f"{feature} > {low:g}" if np.isinf(high) else f"{feature} in ({low:g}, {high:g}]"


class ValueEstimator(BaseEstimator):
    """What the estimators of this package share: mixed tables with missing values, coded as values."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _fit_values(self, X, y, min_bucket_size, sample_weight=None):
        """Learn ``_values`` and ``classes_``; return codes int64 (n, d), labels int32, weights float64."""
        columns, y = self._read(X, y)
        self.classes_, y = np.unique(y, return_inverse=True)
        weight = np.ones(len(y))
        if sample_weight is not None:
            weight = check_sample_weight(type(self).__name__, sample_weight, y)
        used = weight > 0
        y, weight = y[used].astype(np.int32), weight[used]
        columns = [c._replace(entries=c.entries[used], missing=c.missing[used]) for c in columns]
        self._values = []
        for column in columns:
            known, cuts = column.known, None
            if known is None:
                cuts = _intervals(column, y, weight, len(self.classes_), min_bucket_size)
                ends = [-np.inf, *cuts.tolist(), np.inf]
                known = [pd.Interval(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]
            elif not column.categorical:
                cuts = np.array([0.5])
            self._values.append(Values(known, cuts, bool(column.missing.any())))
        return self._coded(columns), y, weight

    def _codes(self, X):
        """Number of each entry's value, int64 (n, d); see ``Values.codes``."""
        columns = self._read(X)[0]
        for column, values in zip(columns, self._values, strict=True):
            if column.categorical != (values.cuts is None) and not column.missing.all():
                kinds = ("numbers", "categories")
                raise ValueError(
                    f"{type(self).__name__}: column {column.name!r} held {kinds[values.cuts is None]} in "
                    f"training, but holds {kinds[column.categorical]} now; encode it as in training."
                )
        return self._coded(columns)

    def _coded(self, columns):
        codes = [
            np.full(len(column.missing), len(values.known))
            if column.missing.all()
            else values.codes(column.entries, column.missing)
            for values, column in zip(self._values, columns, strict=True)
        ]
        return np.column_stack(codes)

    def _read(self, X, *y):
        """The columns of a table, and with ``y`` its labels; all checked."""
        owner = type(self).__name__
        if y and y[0] is None:
            raise ValueError(f"{owner}: fit requires y to be passed, but the target y is None.")
        check = training_table if y else new_table
        refuse_sparse(owner, X)
        frame = mixed_frame(X)
        if not isinstance(frame, pd.DataFrame):
            X = _as_numbers(owner, X)
            numeric = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f"
            missing = np.isnan(X) if numeric else None
            valid = check(self, np.where(missing, 0, X) if numeric and missing.any() else X, *y)
            table = valid[0] if y else valid
            missing = np.zeros(table.shape, bool) if missing is None else missing
            names = feature_names(self)
            columns = [Column(names[j], table[:, j], missing[:, j]) for j in range(table.shape[1])]
            return columns, (valid[1] if y else None)
        check_unique_names(owner, frame)
        columns = [_column(owner, name, column) for name, column in frame.items()]
        table = np.zeros(frame.shape)
        for j, column in enumerate(columns):
            if not column.categorical:
                table[~column.missing, j] = column.entries[~column.missing]
        if frame is X:
            table = pd.DataFrame(table, columns=frame.columns)
        valid = check(self, table, *y)
        return columns, (valid[1] if y else None)


class Column(NamedTuple):
    """A column of a table.

    Attributes
    ----------
    name : str
    entries : ndarray (n,), float64 for numbers and object for categories
    missing : bool ndarray (n,)
    known : list or None, the distinct categories in order, or False and True; None for other numbers
    """

    name: str
    entries: np.ndarray
    missing: np.ndarray
    known: list | None = None

    @property
    def categorical(self):
        """Whether the entries are categories."""
        return self.entries.dtype == object


def _column(owner, name, column):
    """A column of a frame as a ``Column``."""
    dtype, missing = column.dtype, column.isna().to_numpy()
    if is_numeric(owner, name, dtype):
        entries = numbers_of(owner, name, column)
        return Column(name, entries, missing, [False, True] if pd.api.types.is_bool_dtype(dtype) else None)
    entries = column.to_numpy(dtype=object)
    check_categories(owner, name, entries)
    known = pd.unique(entries[~missing])
    if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
        present = set(known)
        return Column(name, entries, missing, [value for value in dtype.categories if value in present])
    return Column(name, entries, missing, known[order_of(owner, name, known)].tolist())


def _intervals(column, y, weight, n_classes, min_bucket_size):
    """Where 1R cuts a column of numbers, float64."""
    known = np.flatnonzero(~column.missing)
    order = known[np.argsort(column.entries[known], kind="stable")]
    return cut_points(column.entries[order], y[order], weight[order], n_classes, float(min_bucket_size))


def _as_numbers(owner, X):
    """A list of rows of numbers as float64, with NaN for None; anything else itself."""
    if isinstance(X, list | tuple):
        entries = np.asarray(X, dtype=object)
        if entries.ndim == 2:
            refuse_merging(owner, entries, range(entries.shape[1]))
            return entries.astype(np.float64)
    return X
