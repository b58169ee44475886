"""The columns of a table as trees see them: integer codes to grow on, and rows to walk with."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from studylib.core.table import TableReader


class Coded(NamedTuple):
    """A training table as integer codes.

    If a column has missing entries, "missing" is one more value, behind all others.

    Attributes
    ----------
    codes : int32 ndarray (n_features, n_samples)
    known : list of ndarray
        The known values of each column in ascending order: numbers, or categories (object).
    n_codes : int64 ndarray (n_features,)
        Number of distinct values of each column, a missing one included.
    """

    codes: np.ndarray
    known: list
    n_codes: np.ndarray

    def code_values(self):
        """Number behind each code, float64 (n_features, max(n_codes)): see ``_grow``."""
        table = np.zeros((len(self.n_codes), self.n_codes.max()))
        for j, (known, n) in enumerate(zip(self.known, self.n_codes, strict=True)):
            table[j, :n] = np.arange(n)
            if known.dtype != object:
                table[j, : len(known)] = known
                table[j, len(known) : n] = np.inf
        return table


class Columns:
    """Columns of a training table, as trees keep them.

    Attributes
    ----------
    has_missing : bool ndarray (n_features,)
        Columns with missing entries in training.
    """

    def __init__(self):
        self._reader = TableReader(missing=True, categorical_features="from_dtype")

    @property
    def categorical(self):
        """Columns of categories, bool (n_features,)."""
        return self._reader.categorical

    @property
    def categories(self):
        """The categories of each column, a list; see :class:`studylib.core.table.TableReader`."""
        return self._reader.categories

    @property
    def boolean(self):
        """Columns of Booleans, bool (n_features,)."""
        return self._reader.boolean

    def fit(self, estimator, X):
        """Read a training table; see :class:`studylib.core.table.TableReader`."""
        values = self._reader.fit(estimator, X)
        self.has_missing = np.isnan(values).any(axis=0)
        return values

    def encode(self, values):
        """Codes of a training table that was read."""
        n, d = values.shape
        codes, known = np.empty((d, n), np.int32), []
        for j, categories in enumerate(self.categories):
            column = values[:, j]
            if categories is None:
                column, categories = pd.factorize(column, sort=True)
                missing = column < 0
            else:
                missing = np.isnan(column)
            codes[j] = np.where(missing, len(categories), column) if self.has_missing[j] else column
            known.append(categories)
        return Coded(codes, known, np.array([len(v) for v in known], np.int64) + self.has_missing)

    def read(self, estimator, X):
        """Read new rows; see :class:`studylib.core.table.TableReader`."""
        return self._reader.transform(estimator, X)

    def rows(self, values, by_equality):
        """Rows that were read as the walk down a tree wants them, float64 (n_samples, n_features).

        Missing numbers are NaN and unseen categories -1, which no condition is true for.  What was missing
        in training too and is tested by equality has its own value: the code that it got then, or infinity
        for a number.
        """
        copied = False
        for j in np.flatnonzero(by_equality & self.has_missing):
            missing = np.isnan(values[:, j])
            if missing.any():
                values, copied = (values if copied else values.copy(order="K")), True
                values[missing, j] = np.inf if self.categories[j] is None else len(self.categories[j])
        order = "F" if values.flags.f_contiguous else "C"
        return np.require(values, requirements=[order, "W"])  # kernels are compiled for few layouts

    def distinct(self, X, features):
        """Codes (-1 where missing) and distinct values of some columns of new rows; dict by feature."""
        return self._reader.entries(X, features)
