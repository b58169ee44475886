"""The columns of a table as trees see them: integer codes to grow on, and rows to walk with."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from studylib.core.table import TableReader


class Coded(NamedTuple):
    """A training table as integer codes.

    If a column has missing entries, "missing" is one more value, behind all others.  ``codes`` is int32
    (n_features, n_samples), ``n_codes``, int64 (n_features,), the number of distinct values of each column, a
    missing one included; ``known`` has the known values of each in ascending order: numbers, or categories.
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


class Columns(TableReader):
    """Columns of a training table, as trees keep them."""

    def __init__(self):
        super().__init__(missing=True, missing_code=True, categorical_features="auto")

    def encode(self, values):
        """Codes of a training table that was read."""
        n, d = values.shape
        codes, known = np.empty((d, n), np.int32), []
        for j, categories in enumerate(self.categories):
            column = values[:, j]
            if categories is None:
                column, categories = pd.factorize(column, sort=True)
                if self.has_missing[j]:
                    column = np.where(column < 0, len(categories), column)
            codes[j] = column
            known.append(categories)
        return Coded(codes, known, np.array([len(v) for v in known], np.int64) + self.has_missing)

    def rows(self, values, by_equality):
        """Rows that were read as the walk down a tree wants them, float64 (n_samples, n_features).

        Missing numbers are NaN and unseen categories -1, which no condition is true for.  A missing number is
        infinity where numbers were missing in training, too, and are tested by equality.
        """
        copied = False
        for j in np.flatnonzero(by_equality & self.has_missing & ~self.categorical):
            missing = np.isnan(values[:, j])
            if missing.any():
                values, copied = (values if copied else values.copy(order="K")), True
                values[missing, j] = np.inf
        order = "F" if values.flags.f_contiguous else "C"
        return np.require(values, requirements=[order, "W"])  # kernels are compiled for few layouts
