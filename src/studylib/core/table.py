"""The reader of tables: numbers, categories, missing entries and names, from arrays, lists and frames.

All estimators read through it, so that an entry means the same in each of them and a mistake is told in the
same sentence.
"""

import numpy as np
import pandas as pd

from studylib.core.columns import Column, doubt, floats_of, is_numeral, take_apart
from studylib.core.frames import ColumnNames
from studylib.core.parameters import CategoricalFeatures, describe
from studylib.core.text import shorten, warn

#: Code of a category that was not in training.
NEW = -1.0

_MISSING = "fill them in, for example with sklearn.impute.SimpleImputer, or drop these rows"


class TableReader:
    """Reads tables as float64: numbers as they are, categories as codes, NaN for what is missing.

    ``missing`` says whether entries may be missing; with ``missing_code``, a missing category is one more,
    whose code follows those of the others; if none was missing in training, it is a new one as any that was
    not there.  ``categorical_features`` names the columns of categories: none (None), those that hold text or
    declared categories ("auto"), those that hold declared ones ("from_dtype"), or those with these names, at
    these places, or where a mask is true.  A column of more than ``most_categories`` is refused.

    Of the training table it has ``column_names``; the ``names`` of the columns, their numbers if they have
    none; ``has_missing`` and, for Booleans, which are read as the numbers 0 and 1, ``boolean``, bool
    (n_features,); and ``categories``, the distinct ones of each column, None for numbers.  They ascend, or
    are as declared if they were declared as ordered.
    """

    def __init__(self, *, missing=False, missing_code=False, categorical_features=None, most_categories=None):
        self._missing, self._missing_code = missing, missing_code
        self._wanted, self._most = categorical_features, most_categories
        self._codes, self._declared = {}, {}

    def __getstate__(self):
        return {**vars(self), "_codes": {}, "_declared": {}}  # made again when they are needed

    @property
    def categorical(self):
        """Columns that hold categories, bool (n_features,)."""
        return np.array([known is not None for known in self.categories], dtype=bool)

    def fit(self, estimator, X):
        """Learn the columns of a training table; returns it as float64, which may be the caller's own array.

        The estimator, its owner, gets ``n_features_in_``, and ``feature_names_in_`` if the table has names.
        Raises TypeError if a column holds what is neither a number nor a category, such as dates, and
        ValueError if an entry is not as the owner wants it.
        """
        self._owner = type(estimator).__name__
        self._may_name = hasattr(estimator, "categorical_features")
        given, table = take_apart(self._owner, X)
        n, d = table.shape if isinstance(table, np.ndarray) else (len(table[0].entries), len(table))
        self.names = list(range(d)) if given is None else given
        self.column_names = ColumnNames(given, d)
        self.column_names.record(estimator)
        self.categories, self.boolean = [None] * d, np.zeros(d, dtype=bool)
        named = self._named(table, given, d)
        if isinstance(table, np.ndarray):
            if not named:
                values = self._checked(table)
                self.has_missing = np.isnan(values).any(axis=0)
                return values
            table = [Column("numbers", column) for column in table.T]
        values = np.empty((n, d), order="F")  # filled and read column by column
        doubts = []
        for j, column in enumerate(table):
            if j in named:
                self.categories[j], values[:, j] = self._learnt(j, column.entries)
                if self._automatic and column.kind == "text":
                    why = doubt(self.categories[j], n - np.count_nonzero(np.isnan(values[:, j])))
                    doubts += [f"column {self.names[j]!r} {why}"] if why else []
            else:
                values[:, j] = self._numbers(j, column, "fit")
                self.boolean[j] = column.kind == "Booleans"
        if doubts:
            warn(
                f"{self._owner}: text is read as categories, but {', and '.join(doubts)}; make numbers of "
                "such columns, drop them, or declare them as categories, in a frame by astype('category')."
            )
        self._check_numbers_of_categories()
        values = self._checked(values)
        self.has_missing = np.isnan(values).any(axis=0)
        for j in np.flatnonzero(self.categorical & self.has_missing):
            values[np.isnan(values[:, j]), j] = self._gap(j)
        return values

    def forget(self, values, used):
        """Forget what only rows that are not used have: their categories, and that something is missing.

        Takes the training table as :meth:`fit` returned it, and a mask; returns the table, in which the code
        of a category that was forgotten is ``NEW``.
        """
        if used.all():
            return values
        gaps = np.isnan(values)
        for j in np.flatnonzero(self.categorical):
            gaps[:, j] |= values[:, j] == len(self.categories[j])
        self.has_missing = gaps[used].any(axis=0)
        values = values.copy(order="K")
        for j in np.flatnonzero(self.categorical):
            known = np.flatnonzero(~gaps[:, j])
            codes = values[known, j].astype(np.int64)
            stay = np.bincount(codes[used[known]], minlength=len(self.categories[j])) > 0
            values[known, j] = np.where(stay, np.cumsum(stay) - 1.0, NEW)[codes]
            self.categories[j] = self.categories[j][stay]
            values[gaps[:, j], j] = self._gap(j)
        return values

    def _gap(self, j):
        """Code of a missing category."""
        if not self._missing_code:
            return np.nan
        return float(len(self.categories[j])) if self.has_missing[j] else NEW

    def transform(self, estimator, X):
        """Read new rows; arguments, result and errors as in :meth:`fit`.

        The code of a category that was not in training is ``NEW``.
        """
        given, table = take_apart(self._owner, X)
        d = table.shape[1] if isinstance(table, np.ndarray) else len(table)
        self.column_names.compare(type(estimator).__name__, given, d)
        if isinstance(table, np.ndarray):
            if not any(known is not None for known in self.categories):
                return self._checked(table)
            table = [Column("numbers", column) for column in table.T]
        values = np.empty((len(table[0].entries), d), order="F")
        for j, column in enumerate(table):
            number = self.categories[j] is None
            values[:, j] = self._numbers(j, column, "new") if number else self._coded(j, column)
        return self._checked(values)

    def entries(self, X, features):
        """Codes (-1 where missing) and distinct values of some columns of new rows, dict by feature.

        The values are the rows' own, seen in training or not.
        """
        table = take_apart(self._owner, X)[1]
        columns = table.T if isinstance(table, np.ndarray) else [column.entries for column in table]
        known_of = {}
        for j in features:
            codes, known = pd.factorize(columns[j])
            known_of[j] = (codes, known if self.categories[j] is None else np.asarray(known, dtype=object))
        return known_of

    def _named(self, table, names, d):
        """Places of the columns that hold categories, a set."""
        wanted = self._wanted
        if wanted is None:
            return set()
        if isinstance(wanted, str):
            kinds = ("text", "categories") if self._automatic else ("categories",)
            columns = () if isinstance(table, np.ndarray) else table
            # Without any value, a column is as little of categories as of numbers, whatever its type.
            return {j for j, column in enumerate(columns) if column.kind in kinds and not column.empty()}
        asked = f"{self._owner}: categorical_features"
        wanted = list(wanted)
        if wanted and all(isinstance(entry, bool | np.bool_) for entry in wanted):
            if len(wanted) != d:
                raise ValueError(f"{asked} is a mask of {len(wanted)} entries, but X has {d} columns.")
            return set(np.flatnonzero(wanted).tolist())
        places = set()
        for entry in wanted:
            if isinstance(entry, str):
                if names is None:
                    raise ValueError(f"{asked} has the name {entry!r}, but X is not a DataFrame.")
                if entry not in names:
                    raise ValueError(f"{asked} has the name {entry!r}, which is no column of X.")
                places.add(names.index(entry))
            elif isinstance(entry, int | np.integer) and not isinstance(entry, bool) and -d <= entry < d:
                places.add(int(entry) % d)
            else:
                raise ValueError(
                    f"{asked} must be {CategoricalFeatures.ALLOWED}, got {describe(entry)} in it; X has {d} "
                    "columns."
                )
        return places

    # What becomes of them

    @property
    def _automatic(self):
        return isinstance(self._wanted, str) and self._wanted == "auto"

    def _check_numbers_of_categories(self):
        for name, known in zip(self.names, self.categories, strict=True):
            if self._most is not None and known is not None and len(known) > self._most:
                raise ValueError(
                    f"{self._owner}: column {name!r} has {len(known)} categories, and a categorical feature "
                    f"may have at most {self._most}; group the rare ones, encode the column, or drop it."
                )

    def _numbers(self, j, column, rows):
        """A column of numbers as float64; ``rows`` says which rows are read, "fit" or "new"."""
        if not column.categorical():
            return column.entries
        if column.empty():
            return np.full(len(column.entries), np.nan)
        name, example = self.names[j], column.example()
        kind = "entries" if column.kind == "text" and not isinstance(example, str) else column.kind
        holds = f"holds {kind} such as {shorten(repr(example), 60)}"
        if column.kind == "text" and is_numeral(example) and not self._automatic:
            return floats_of(self._owner, name, np.asarray(column.entries, dtype=object))
        if rows == "new" and isinstance(self._wanted, str):
            raise ValueError(
                f"{self._owner}: column {name!r} held numbers in training, but {holds} now; encode it as in "
                "training."
            )
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
            return np.where(codes < 0, self._gap(j), codes) if codes.min() < 0 else codes
        known = self.categories[j]
        if len(known) and not column.categorical() and all(isinstance(entry, str) for entry in known):
            if np.isnan(entries).all():  # a column without entries is of either kind
                return np.full(len(entries), self._gap(j))
            raise ValueError(
                f"{self._owner}: column {self.names[j]!r} held categories in training, but holds "
                f"{column.kind} now; encode it as in training."
            )
        codes, present = pd.factorize(entries)
        return self._new_codes(j, present)[codes]

    def _new_codes(self, j, present):
        """Codes in training of distinct categories; the last entry is for those that are missing."""
        known = self._known_codes(j)
        return np.array(
            [*(known.get(entry, NEW) for entry in np.asarray(present, dtype=object).tolist()), self._gap(j)]
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
