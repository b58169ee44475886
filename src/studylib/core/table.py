"""The reader of tables: numbers, categories, missing entries and names, from arrays, lists and frames.

All estimators read through it, so that an entry means the same in each of them and a mistake is told in the
same sentence.
"""

import numpy as np
import pandas as pd

from studylib.core.columns import Column, floats_of, is_numeral, take_apart
from studylib.core.frames import compare_columns, record_columns
from studylib.core.parameters import describe
from studylib.core.text import shorten

#: Code of a category that was not in training.
NEW = -1.0

_MISSING = "fill them in, for example with sklearn.impute.SimpleImputer, or drop these rows"


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
        self._codes, self._declared = {}, {}

    def __getstate__(self):
        return {**vars(self), "_codes": {}, "_declared": {}}  # made again when they are needed

    @property
    def _by_dtype(self):
        return isinstance(self._wanted, str) and self._wanted == "from_dtype"

    @property
    def categorical(self):
        """Columns that hold categories, bool (n_features,)."""
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
        given, table = take_apart(self._owner, X)
        n, d = table.shape if isinstance(table, np.ndarray) else (len(table[0].entries), len(table))
        self.names = list(range(d)) if given is None else given
        record_columns(estimator, given, d)
        self.categories, self.boolean = [None] * d, np.zeros(d, dtype=bool)
        named = self._named(table, given, d)
        if isinstance(table, np.ndarray):
            if not named:
                return self._checked(table)
            table = [Column("numbers", column) for column in table.T]
        values = np.empty((n, d), order="F")  # filled and read column by column
        for j, column in enumerate(table):
            if j in named:
                self.categories[j], values[:, j] = self._learnt(j, column.entries)
            else:
                values[:, j] = self._numbers(j, column)
                self.boolean[j] = column.kind == "Booleans"
        return self._checked(values)

    def transform(self, estimator, X):
        """Read new rows; arguments, result and errors as in :meth:`fit`.

        The code of a category that was not in training is ``NEW``.
        """
        given, table = take_apart(self._owner, X)
        d = table.shape[1] if isinstance(table, np.ndarray) else len(table)
        compare_columns(estimator, given, d)
        if isinstance(table, np.ndarray):
            if not any(known is not None for known in self.categories):
                return self._checked(table)
            table = [Column("numbers", column) for column in table.T]
        values = np.empty((len(table[0].entries), d), order="F")
        for j, column in enumerate(table):
            values[:, j] = self._numbers(j, column) if self.categories[j] is None else self._coded(j, column)
        return self._checked(values)

    def entries(self, X, features):
        """Codes (-1 where missing) and distinct values of some columns of new rows, dict by feature.

        The values are the rows' own, seen in training or not.
        """
        table = take_apart(self._owner, X)[1]
        columns = table.T if isinstance(table, np.ndarray) else [column.entries for column in table]
        found = {}
        for j in features:
            codes, known = pd.factorize(columns[j])
            found[j] = (codes, known if self.categories[j] is None else np.asarray(known, dtype=object))
        return found

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
        holds = f"holds {kind} such as {shorten(repr(example), 60)}"
        if self._by_dtype:
            raise ValueError(
                f"{self._owner}: column {name!r} held numbers in training, but {holds} now; encode it as in "
                "training."
            )
        if column.kind == "text" and is_numeral(example):
            return floats_of(self._owner, name, np.asarray(column.entries, dtype=object))
        remedy = (
            "name it in categorical_features, or encode it"
            if self._may_name
            else "encode it, for example with sklearn.preprocessing.OneHotEncoder"
        )
        raise ValueError(f"{self._owner}: column {name!r} {holds}; {remedy}.")

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
                    f"{self._owner}: column {self.names[j]!r} mixes {kinds}, which cannot be compared; "
                    "encode it, for example as strings with astype(str)."
                ) from None
            rank = np.full(len(known) + 1, -1)
            rank[order] = np.arange(len(known))
            codes, known = rank[codes], known[order]
        return known, np.where(codes < 0, np.nan, codes)

    def _coded(self, j, column):
        """Codes of categories: ``NEW`` for one that was not in training, NaN if missing."""
        entries = column.entries
        if isinstance(entries, pd.Categorical):
            codes, present = entries.codes, entries.categories
            last, new_codes = self._declared.get(j, (None, None))
            if not (last is present or (last is not None and last.equals(present))):
                known = self.categories[j][: len(present)].tolist()
                same = present.tolist() == known  # then they have the codes of training
                new_codes = None if same else self._new_codes(j, present)
                self._declared[j] = (present, new_codes)  # the next table most often declares the same
            if new_codes is not None:
                return new_codes.take(codes, mode="wrap")
            return np.where(codes < 0, np.nan, codes) if codes.min() < 0 else codes
        known = self.categories[j]
        if len(known) and not column.categorical() and all(isinstance(entry, str) for entry in known):
            if np.isnan(entries).all():  # a column without entries is of either kind
                return entries
            raise ValueError(
                f"{self._owner}: column {self.names[j]!r} held categories in training, but holds "
                f"{column.kind} now; encode it as in training."
            )
        codes, present = pd.factorize(entries)
        return self._new_codes(j, present)[codes]

    def _new_codes(self, j, present):
        """Codes in training of distinct categories, and NaN as the last entry, for those that are missing."""
        known = self._known_codes(j)
        return np.array(
            [*(known.get(entry, NEW) for entry in np.asarray(present, dtype=object).tolist()), np.nan]
        )

    def _known_codes(self, j):
        """Code of each category of column ``j``, a dict."""
        if j not in self._codes:
            self._codes[j] = {category: float(k) for k, category in enumerate(self.categories[j].tolist())}
        return self._codes[j]

    def _checked(self, values):
        """The values, none of them infinite, and none missing where that is not allowed."""
        finite = np.isfinite(values)
        if finite.all():
            return values
        infinite = np.isinf(values) if self._missing else ~finite
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
