"""Mixed tables as integer codes: what the kernels see of a pandas frame or an array."""

import numpy as np
import pandas as pd

from studylib.core.columns import check_categories, is_numeric, numbers_of, order_of


class Columns:
    """Values of each training column in ascending order, and their codes.

    A numeric column keeps its distinct numbers, a categorical one its distinct categories.  If a column
    had missing entries while fitting, "missing" is one more value, behind all others.

    Attributes
    ----------
    names : list of str
    categorical : bool (n_features,)
    values : list of ndarray, the known values of each column in ascending order
    has_missing : bool (n_features,)
    """

    def __init__(self, owner):
        self.owner = owner

    def fit_codes(self, X, names):
        """Learn the columns of ``X`` (frame or float64 array); return codes int32 (n_features, n_samples)."""
        self.names = [str(name) for name in names]
        d = X.shape[1]
        codes = np.empty((d, X.shape[0]), np.int32)
        self.values = []
        self._lookups = {}
        self.categorical = np.zeros(d, bool)
        self.has_missing = np.zeros(d, bool)
        for j, (column, categorical) in enumerate(self._columns(X)):
            self.categorical[j] = categorical
            codes[j], known = self._factorize(column, j)
            missing = codes[j] < 0
            self.has_missing[j] = missing.any()
            codes[j][missing] = len(known)
            self.values.append(known)
            if self.categorical[j]:
                # New rows mostly have the categories of the training rows: look those up once.
                self._lookups[j] = (column.categories, self._lookup(j, column.categories))
        return codes

    @property
    def n_codes(self):
        """Number of distinct values of each column, a missing one included; int64 (n_features,)."""
        return np.array([len(v) for v in self.values], np.int64) + self.has_missing

    def code_values(self):
        """Number behind each code, float64 (n_features, max(n_codes)): see ``_grow``."""
        n_codes = self.n_codes
        table = np.zeros((len(n_codes), n_codes.max()))
        for j, known in enumerate(self.values):
            table[j, : n_codes[j]] = np.arange(n_codes[j])
            if not self.categorical[j]:
                table[j, : len(known)] = known
                table[j, len(known) : n_codes[j]] = np.inf
        return table

    def transform(self, X, by_equality):
        """Rows as float64 (n_samples, n_features): numbers, or category codes.

        Missing numbers are NaN and unseen categories -1, which no condition is true for.  What was missing
        in training too and is tested by equality has its own value: the code that it got in ``fit``,
        or infinity for a number.
        """
        branches = by_equality & self.has_missing  # columns in which a missing entry has a branch of its own
        if not self.categorical.any() and not isinstance(X, pd.DataFrame):
            out = np.ascontiguousarray(X, np.float64)
            return np.where(np.isnan(out) & branches, np.inf, out) if branches.any() else out
        out = np.empty(X.shape, order="F")  # filled and read column by column
        for j, (column, categorical) in enumerate(self._columns(X)):
            known = self.values[j]
            if categorical != self.categorical[j]:
                if pd.isna(column).all():  # a column without entries is of either kind
                    own = len(known) if self.categorical[j] else np.inf
                    out[:, j] = own if branches[j] else np.nan
                    continue
                was, now = ("categories", "numbers") if self.categorical[j] else ("numbers", "categories")
                raise ValueError(
                    f"{self.owner}: column {self.names[j]!r} held {was} in training, but holds {now} now "
                    f"(dtype {column.dtype}); encode it as in training."
                )
            if categorical:
                lookup = self._lookup(j, column.categories)
                out[:, j] = column.codes if lookup is None else lookup[column.codes]
            elif branches[j]:
                out[:, j] = np.where(np.isnan(column), np.inf, column)
            else:
                out[:, j] = column
        return out

    def distinct(self, X, features):
        """Codes (-1 where missing) and distinct values of some columns of new rows; dict by feature.

        The values are the rows' own, seen in training or not.
        """
        return {
            j: (column.codes, column.categories.to_numpy(dtype=object))
            if categorical
            else pd.factorize(column)
            for j, (column, categorical) in enumerate(self._columns(X))
            if j in features
        }

    def _lookup(self, j, present):
        """Code in training of each category of a column, -1 if it is new; the last entry is for code -1.

        None if the codes are the same, so that nothing need be looked up.
        """
        seen, lookup = self._lookups.get(j, (None, None))
        if seen is present or (seen is not None and seen.equals(present)):
            return lookup
        lookup = np.append(pd.Index(self.values[j]).get_indexer(present), -1).astype(np.float64)
        if self.has_missing[j]:
            lookup[-1] = len(self.values[j])
        same = np.arange(len(lookup), dtype=float)
        same[-1] = -1
        return None if np.array_equal(lookup, same) else lookup

    def _columns(self, X):
        """Every column as a float64 array or pandas Categorical, and whether it is categorical."""
        if not isinstance(X, pd.DataFrame):
            for column in X.T:
                yield column, False
            return
        for name, column in X.items():
            if is_numeric(self.owner, name, column.dtype):
                yield numbers_of(self.owner, name, column), False
            elif isinstance(column.dtype, pd.CategoricalDtype):
                yield column.array, True
            else:
                try:
                    yield column.astype("category").array, True
                except TypeError:
                    check_categories(self.owner, name, column)
                    raise

    def _factorize(self, column, j):
        """Codes (-1 where missing) and the distinct known values in ascending order."""
        if not self.categorical[j]:
            codes, known = pd.factorize(column, sort=True)
            return codes, known
        codes, known = column.codes, column.categories.to_numpy(dtype=object)
        used = np.bincount(codes + 1, minlength=len(known) + 1)[1:] > 0
        lookup = np.full(len(known) + 1, -1, np.int32)  # its last entry serves the code -1
        lookup[:-1][used] = np.arange(used.sum())
        codes, known = lookup[codes], known[used]
        if column.ordered:
            return codes, known
        order = order_of(self.owner, self.names[j], known)
        rank = np.full(len(known) + 1, -1, np.int32)
        rank[order] = np.arange(len(known))
        return rank[codes], known[order]
