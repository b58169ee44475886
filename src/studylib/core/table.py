"""The reader of tables: numbers, categories, missing entries and names, from arrays, lists and frames.

All estimators read through it, so that an entry means the same in each of them and a mistake is told in the
same sentence.
"""

import decimal
import numbers
import sys
from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, check_is_fitted

from studylib.core.frames import as_frame, compare_columns, record_columns
from studylib.core.lines import one_line
from studylib.core.parameters import describe

#: Beyond this, float64 no longer holds every whole number.
_ALL_WHOLE = 2**53

#: Code of a category that was not in training.
NEW = -1.0

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

_MISSING = "fill them in, for example with sklearn.impute.SimpleImputer, or drop these rows"


class _Column(NamedTuple):
    """A column before anything is made of it.

    Attributes
    ----------
    kind : {"numbers", "Booleans", "text", "categories"}
        "text" is anything that was not declared as categories and is no number.
    entries : float64 ndarray of numbers, NaN where missing; or anything that ``pandas.factorize`` takes
    """

    kind: str
    entries: object

    def categorical(self):
        """Whether it holds no numbers."""
        return self.kind in ("text", "categories")

    def empty(self):
        """Whether all entries are missing."""
        return bool(_is_missing(self.entries).all())

    def example(self):
        """An entry that shows that they are no numbers."""
        known = np.flatnonzero(~_is_missing(self.entries))
        return next((e for e in self.entries[known] if not _is_numeral(e)), self.entries[known[0]])


class TableReader:
    """Reads tables as float64: numbers as they are, categories as codes, NaN for what is missing.

    Parameters
    ----------
    missing : bool
        Whether entries may be missing.
    categorical_features : None, "from_dtype", or array-like of str, int or bool
        Columns of categories: none; those that hold text or declared categories; or those with these names,
        at these places, or where a mask is true.

    Attributes
    ----------
    names : list
        Names of the columns, their numbers if they have none.
    categories : list of (object ndarray or None)
        The distinct categories of each column of training, in ascending order or as declared if they were
        declared as ordered; None for a column of numbers.
    boolean : bool ndarray (n_features,)
        Columns of Booleans, which are read as the numbers 0 and 1.
    """

    def __init__(self, *, missing=False, categorical_features=None):
        self._missing = missing
        self._wanted = categorical_features

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "_codes"}

    @property
    def _by_dtype(self):
        return isinstance(self._wanted, str) and self._wanted == "from_dtype"

    @property
    def categorical(self):
        """Which columns hold categories, bool (n_features,)."""
        return np.array([known is not None for known in self.categories], dtype=bool)

    def fit(self, estimator, X):
        """Learn the columns of a training table.

        Parameters
        ----------
        estimator : object
            Its owner, which gets ``n_features_in_``, and ``feature_names_in_`` if it has names.
        X : array-like or frame (n_samples, n_features)

        Returns
        -------
        float64 ndarray (n_samples, n_features)
            It may be the caller's own array.

        Raises
        ------
        TypeError
            If a column holds what is neither a number nor a category, such as dates.
        ValueError
            If an entry is not as the owner wants it.
        """
        self._owner = type(estimator).__name__
        self._may_name = hasattr(estimator, "categorical_features")
        given, table = self._taken_apart(X)
        n, d = table.shape if isinstance(table, np.ndarray) else (len(table[0].entries), len(table))
        self.names = list(range(d)) if given is None else given
        record_columns(estimator, given, d)
        self.categories, self.boolean = [None] * d, np.zeros(d, dtype=bool)
        named = self._named(table, given, d)
        if isinstance(table, np.ndarray):
            if not named:
                return self._checked(table)
            table = [_Column("numbers", column) for column in table.T]
        values = np.empty((n, d), order="F")  # filled and read column by column
        for j, column in enumerate(table):
            if j in named:
                self.categories[j], values[:, j] = self._learnt(j, column.entries)
            else:
                values[:, j] = self._numbers(j, column)
                self.boolean[j] = column.kind == "Booleans"
        return self._checked(values)

    def transform(self, estimator, X):
        """New rows; arguments, result and errors as in :meth:`fit`.

        The code of a category that was not in training is ``NEW``.
        """
        check_is_fitted(estimator)
        given, table = self._taken_apart(X)
        d = table.shape[1] if isinstance(table, np.ndarray) else len(table)
        compare_columns(estimator, given, d)
        if isinstance(table, np.ndarray):
            if not any(known is not None for known in self.categories):
                return self._checked(table)
            table = [_Column("numbers", column) for column in table.T]
        values = np.empty((len(table[0].entries), d), order="F")
        for j, column in enumerate(table):
            values[:, j] = self._numbers(j, column) if self.categories[j] is None else self._coded(j, column)
        return self._checked(values)

    def entries(self, X, features):
        """Codes (-1 where missing) and distinct values of some columns of new rows, dict by feature.

        The values are the rows' own, seen in training or not.
        """
        table = self._taken_apart(X)[1]
        columns = table.T if isinstance(table, np.ndarray) else [column.entries for column in table]
        found = {}
        for j in features:
            codes, known = pd.factorize(columns[j])
            found[j] = (codes, known if self.categories[j] is None else np.asarray(known, dtype=object))
        return found

    # What the columns are

    def _taken_apart(self, X):
        """Names, or None, and the columns: a float64 array if all are numbers, else a list of ``_Column``."""
        X = as_frame(X)
        if isinstance(X, pd.DataFrame):
            return self._frame(X)
        if issparse(X):
            raise TypeError(
                f"{self._owner}: X is a sparse {type(X).__name__}, but only dense tables are taken; pass "
                "X.toarray(), or in a pipeline give the encoder sparse_output=False, or put "
                "FunctionTransformer(lambda X: X.toarray(), accept_sparse=True) before the classifier."
            )
        return None, self._array(X)

    def _frame(self, X):
        for axis, what in enumerate(("sample", "feature")):
            if X.shape[axis] == 0:
                raise ValueError(
                    f"{self._owner}: found 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required."
                )
        if not X.columns.is_unique:
            twice = X.columns[X.columns.duplicated()][0]
            raise ValueError(f"{self._owner}: the column name {twice!r} appears more than once in X.")
        names, dtypes = X.columns.tolist(), X.dtypes.tolist()
        if all(isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in dtypes):
            with np.errstate(over="ignore"):  # of longer floats: they become infinite, which is refused
                values = X.to_numpy(dtype=np.float64)
            if any(dtype.kind != "f" for dtype in dtypes):
                self._check_all_whole(names, values, lambda j: X.iloc[:, j].to_numpy())
            return names, values
        return names, [
            self._kind(name, column, dtype) for (name, column), dtype in zip(X.items(), dtypes, strict=True)
        ]

    def _array(self, X):
        if type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.size:
            return X
        if isinstance(X, list | tuple):
            X = _listed(X)
        kind = getattr(getattr(X, "dtype", None), "kind", "")
        if kind in _REFUSED and kind != "c":  # scikit-learn has a sentence for complex numbers
            raise self._refusal(0, kind)
        if kind in "OUST" and kind and np.ndim(X) == 2 and np.size(X):
            X = np.asarray(X, dtype=object)
            return [self._of_objects(j, column) for j, column in enumerate(X.T)]
        try:
            with np.errstate(over="ignore"):
                values = check_array(
                    X, dtype=np.float64, ensure_all_finite=False, input_name="X", estimator=self._owner
                )
        except (TypeError, ValueError, OverflowError) as error:
            of = TypeError if isinstance(error, TypeError) else ValueError
            raise of(f"{self._owner}: {one_line(error)}") from error
        if kind in "iu" and kind:
            self._check_all_whole(range(values.shape[1]), values, lambda j: np.asarray(X)[:, j])
        return values

    def _check_all_whole(self, names, values, column):
        """Raise if a table held a whole number that ``values`` do not; ``column(j)`` has the numbers."""
        large = np.abs(values) >= _ALL_WHOLE
        for j in np.flatnonzero(large.any(axis=0)):
            _check_whole(self._owner, names[j], column(j)[large[:, j]])

    def _kind(self, name, column, dtype):
        """What a frame's column holds."""
        if isinstance(dtype, pd.SparseDtype):
            column, dtype = column.sparse.to_dense(), dtype.subtype
        kind = dtype.kind
        if isinstance(dtype, pd.CategoricalDtype):
            self._of_objects(name, dtype.categories.to_numpy(dtype=object))  # refuses what none can be
            return _Column("categories", column.array)
        if dtype.type is pd.api.types.CategoricalDtype.type:  # Arrow's dictionaries
            return _Column("categories", column.to_numpy(dtype=object))
        if kind in "biuf":
            if dtype == np.float64:
                return _Column("numbers", column.to_numpy())
            with np.errstate(over="ignore"):
                values = column.to_numpy(dtype=np.float64, na_value=np.nan)
            if kind in "iu":
                self._check_all_whole([name], values[:, None], lambda j: column.to_numpy(dtype=object))
            return _Column("Booleans" if kind == "b" else "numbers", values)
        if kind in _REFUSED:
            raise self._refusal(name, kind)
        if isinstance(dtype, pd.StringDtype):
            return _Column("text", column.array)
        return self._of_objects(name, column.to_numpy(dtype=object))

    def _of_objects(self, name, entries):
        """What a column holds, an object array: numbers if all that is known are numbers."""
        inferred = infer_dtype(entries, skipna=True)
        if inferred in _REFUSED:
            raise self._refusal(name, inferred)
        if inferred.startswith("mixed") or inferred.startswith("unknown"):
            known = entries[~_is_missing(entries)]
            for kind in {type(entry): entry for entry in known}.values():
                self._check_entry(name, kind)
            inferred = "decimal" if all(map(_is_number, known)) else "mixed"
        if inferred in ("integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty"):
            kind = "Booleans" if inferred == "boolean" else "numbers"
            return _Column(kind, self._floats(name, entries))
        return _Column("text", entries)

    def _check_entry(self, name, entry):
        """Raise if an entry is neither a number nor can be a category."""
        if not isinstance(entry, Hashable):
            raise TypeError(
                f"{self._owner}: column {name!r} holds a {type(entry).__name__}, but an argument must be a "
                "string, another category or a number; encode it, for example as one column for each item."
            )
        inferred = infer_dtype([entry], skipna=False)
        if inferred in _REFUSED:
            raise self._refusal(name, inferred)

    def _refusal(self, name, kind):
        what, remedy = _REFUSED[kind]
        return TypeError(f"{self._owner}: column {name!r} holds {what}; {remedy}.")

    def _named(self, table, names, d):
        """Places of the columns that hold categories, a set."""
        wanted = self._wanted
        if wanted is None:
            return set()
        if self._by_dtype:
            return (
                set()
                if isinstance(table, np.ndarray)
                else {j for j, column in enumerate(table) if column.categorical()}
            )
        asked = f"{self._owner}: categorical_features"
        allowed = 'None, "from_dtype", a mask, or indices or names of columns'
        if isinstance(wanted, str) or np.ndim(wanted) != 1:
            raise ValueError(f"{asked} must be {allowed}, got {describe(wanted)}.")
        wanted = list(wanted)
        if wanted and all(isinstance(entry, bool | np.bool_) for entry in wanted):
            if len(wanted) != d:
                raise ValueError(f"{asked} is a mask of {len(wanted)} entries, but X has {d} columns.")
            return set(np.flatnonzero(wanted).tolist())
        found = set()
        for entry in wanted:
            if isinstance(entry, str):
                if names is None:
                    raise ValueError(f"{asked} has the name {entry!r}, but X is not a DataFrame.")
                if entry not in names:
                    raise ValueError(f"{asked} has the name {entry!r}, which is no column of X.")
                found.add(names.index(entry))
            elif isinstance(entry, int | np.integer) and not isinstance(entry, bool) and -d <= entry < d:
                found.add(int(entry) % d)
            else:
                raise ValueError(
                    f"{asked} must be {allowed}, got {describe(entry)} in it; X has {d} columns."
                )
        return found

    # What becomes of them

    def _numbers(self, j, column):
        """A column of numbers as float64."""
        if not column.categorical():
            return column.entries
        if column.empty():
            return np.full(len(column.entries), np.nan)
        name, example = self.names[j], column.example()
        kind = "entries" if column.kind == "text" and not isinstance(example, str) else column.kind
        holds = f"holds {kind} such as {one_line(repr(example), 60)}"
        if self._by_dtype:
            raise ValueError(
                f"{self._owner}: column {name!r} held numbers in training, but {holds} now; encode it as in "
                "training."
            )
        if column.kind == "text" and _is_numeral(example):
            return self._floats(name, np.asarray(column.entries, dtype=object))
        remedy = (
            "name it in categorical_features, or encode it"
            if self._may_name
            else "encode it, for example with sklearn.preprocessing.OneHotEncoder"
        )
        raise ValueError(f"{self._owner}: column {name!r} {holds}; {remedy}.")

    def _floats(self, name, entries):
        """Numbers of an object array as float64, NaN where missing."""
        missing = _is_missing(entries)
        known = entries[~missing]
        values = np.full(len(entries), np.nan)
        try:
            values[~missing] = known.astype(np.float64)
        except OverflowError:
            _check_whole(self._owner, name, known)
            raise
        large = np.abs(values[~missing]) >= _ALL_WHOLE
        if large.any():
            _check_whole(self._owner, name, known[large])
        return values

    def _learnt(self, j, entries):
        """The distinct categories of a column in their order, and the code of each entry, NaN if missing."""
        if isinstance(entries, pd.Categorical):
            codes, known = entries.codes, entries.categories.to_numpy(dtype=object)
            used = np.bincount(codes + 1, minlength=len(known) + 1)[1:] > 0
            code_of = np.append(np.cumsum(used) - 1, -1)  # its last entry serves the code -1
            codes, known = code_of[codes], known[used]
        else:
            codes, known = pd.factorize(entries)
            known = np.asarray(known, dtype=object)
        if not (isinstance(entries, pd.Categorical) and entries.ordered):
            try:
                order = np.argsort(known, kind="stable")
            except TypeError:
                kinds = ", ".join(sorted({type(value).__name__ for value in known}))
                raise TypeError(
                    f"{self._owner}: column {self.names[j]!r} mixes {kinds}, which have no order; encode it, "
                    "for example as strings with astype(str)."
                ) from None
            rank = np.full(len(known) + 1, -1)
            rank[order] = np.arange(len(known))
            codes, known = rank[codes], known[order]
        return known, np.where(codes < 0, np.nan, codes)

    def _coded(self, j, column):
        """Codes of categories, float64: ``NEW`` for one that was not in training, NaN if missing."""
        known = self.categories[j]
        if not column.categorical() and all(isinstance(category, str) for category in known):
            if np.isnan(column.entries).all():  # a column without entries is of either kind
                return column.entries
            raise ValueError(
                f"{self._owner}: column {self.names[j]!r} held categories in training, but holds "
                f"{column.kind} now; encode it as in training."
            )
        if isinstance(column.entries, pd.Categorical):
            codes, present = column.entries.codes, column.entries.categories
        else:
            codes, present = pd.factorize(column.entries)
        code_of = self._code_of(j)
        table = [code_of.get(category, NEW) for category in np.asarray(present, dtype=object).tolist()]
        return np.array([*table, np.nan])[codes]

    def _code_of(self, j):
        """Code of each category of column ``j``, a dict."""
        if not hasattr(self, "_codes"):
            self._codes = {}
        if j not in self._codes:
            self._codes[j] = {category: float(k) for k, category in enumerate(self.categories[j].tolist())}
        return self._codes[j]

    def _checked(self, values):
        """The values, none of them infinite, and none missing where that is not allowed."""
        finite = np.isfinite(values)
        if finite.all():
            return values
        infinite = ~finite if not self._missing else np.isinf(values)
        if not infinite.any():
            return values
        j = int(infinite.any(axis=0).argmax())
        row = int(infinite[:, j].argmax())
        what, remedy = ("missing values (NaN)", _MISSING)
        if not np.isnan(values[row, j]):
            what = "infinity"
            remedy = "clip or drop what is not finite" + " or missing" * self._missing
        raise ValueError(
            f"{self._owner}: column {self.names[j]!r} holds {what}, first in row {row}; {remedy}."
        )


def _listed(rows):
    """A list of rows as an array that holds the same entries."""
    try:
        table = np.asarray(rows)
    except (TypeError, ValueError, OverflowError):  # ragged: scikit-learn says so
        return rows
    merged = table.dtype.kind == "f" and (np.abs(table) >= _ALL_WHOLE).any()
    if table.ndim == 2 and (merged or table.dtype.kind not in "biufc"):
        return np.asarray(rows, dtype=object)
    return table


def _is_missing(entries):
    return np.asarray(pd.isna(entries), dtype=bool)


def _is_numeral(entry):
    """Whether numpy makes a number of an entry."""
    try:
        float(entry)
    except (TypeError, ValueError):
        return False
    return True


def _is_number(entry):
    return isinstance(entry, numbers.Real | decimal.Decimal | np.bool_)


def _check_whole(owner, name, entries):
    """Raise if one of the entries is a whole number that float64 does not hold."""
    for entry in entries:
        if not isinstance(entry, numbers.Integral):
            continue
        if abs(int(entry)) > sys.float_info.max or int(float(entry)) != int(entry):
            digits = f"{entry}" if abs(entry) < 10**20 else "one of more than 20 digits"
            raise ValueError(
                f"{owner}: column {name!r} holds whole numbers such as {digits}, which float64 does not tell "
                "from their neighbours; drop it if it names rows, make strings of it if it names classes, or "
                "round it by astype(float)."
            )
