"""Mixed tables as integer codes: what the kernels see of a pandas frame or an array."""

import numpy as np
import pandas as pd


class Columns:
    """Values of each training column in ascending order, and the codes that stand for them.

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
        self.categorical = np.zeros(d, bool)
        self.has_missing = np.zeros(d, bool)
        for j in range(d):
            column, self.categorical[j] = self._column(X, j)
            codes[j], known = self._factorize(column, j)
            missing = codes[j] < 0
            self.has_missing[j] = missing.any()
            codes[j][missing] = len(known)
            self.values.append(known)
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

    def transform(self, X):
        """Rows as float64 (n_samples, n_features): numbers, or category codes.

        Missing numbers and unseen categories are NaN; a missing category has the code it got in ``fit``.
        """
        if not self.categorical.any() and not isinstance(X, pd.DataFrame):
            return X
        out = np.empty(X.shape)
        for j, known in enumerate(self.values):
            column, categorical = self._column(X, j)
            if categorical != self.categorical[j]:
                if pd.isna(column).all():  # a column without entries is of either kind
                    out[:, j] = len(known) if self.categorical[j] and self.has_missing[j] else np.nan
                    continue
                was, now = ("categories", "numbers") if self.categorical[j] else ("numbers", "categories")
                raise ValueError(
                    f"{self.owner}: column {self.names[j]!r} held {was} when the tree was fitted, "
                    f"but holds {now} now (dtype {column.dtype})."
                )
            if not categorical:
                out[:, j] = column
                continue
            # Look up the few distinct categories, not the many rows.
            codes, present = column.cat.codes.to_numpy(), column.cat.categories
            lookup = np.full(len(present) + 1, np.nan)
            found = pd.Index(known).get_indexer(present)
            lookup[:-1][found >= 0] = found[found >= 0]
            if self.has_missing[j]:
                lookup[-1] = len(known)
            out[:, j] = lookup[codes]
        return out

    def _column(self, X, j):
        """Column ``j`` as float64 array or categorical series, and whether it is categorical."""
        if not isinstance(X, pd.DataFrame):
            return X[:, j], False
        column = X.iloc[:, j]
        name, dtype = X.columns[j], column.dtype
        if isinstance(dtype, pd.CategoricalDtype):
            return column, True
        if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):
            if pd.api.types.is_complex_dtype(dtype):
                raise ValueError(f"{self.owner}: Complex data not supported: column {name!r} is {dtype}.")
            numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
            if np.isinf(numbers).any():
                raise ValueError(
                    f"{self.owner}: column {name!r} contains infinity; numbers must be finite or missing."
                )
            return numbers, False
        if pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype):
            try:
                return column.astype("category"), True
            except TypeError as error:
                raise TypeError(
                    f"{self.owner}: column {name!r} holds entries that cannot be categories ({error})."
                ) from None
        raise TypeError(
            f"{self.owner}: column {name!r} has dtype {dtype}, but only numeric, boolean, string, object "
            "and category columns can be split on."
        )

    def _factorize(self, column, j):
        """Codes (-1 where missing) and the distinct known values in ascending order."""
        if not self.categorical[j]:
            codes, known = pd.factorize(column, sort=True)
            return codes, known
        used = column.cat.remove_unused_categories()
        known = used.cat.categories.to_numpy(dtype=object)
        if used.cat.ordered:
            return used.cat.codes.to_numpy(), known
        try:
            order = np.argsort(known, kind="stable")
        except TypeError:
            kinds = ", ".join(sorted({type(v).__name__ for v in known}))
            raise TypeError(
                f"{self.owner}: column {self.names[j]!r} mixes {kinds}; its categories must be of one "
                "type that can be ordered."
            ) from None
        rank = np.empty(len(known) + 1, np.int32)
        rank[order] = np.arange(len(known))
        rank[-1] = -1
        return rank[used.cat.codes.to_numpy()], known[order]
