"""Tables as values: each column's categories, or the intervals that its numbers are cut into."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from studylib.core.frames import feature_names
from studylib.core.labels import encode_labels
from studylib.core.model import Model
from studylib.core.table import TableReader
from studylib.core.weights import check_sample_weight
from studylib.rules._cuts import cut_points


class Values(NamedTuple):
    """The values of a column.

    ``known`` are the categories in order, False and True, or the ends of the intervals, pairs of float; an
    interval includes its upper end.  ``cuts``, float64, separate the intervals; None for a column of
    categories.  With ``has_missing``, as in training, a missing entry is one more value, behind the others.
    """

    known: list
    cuts: np.ndarray | None
    has_missing: bool

    def codes(self, column):
        """Number of each entry's value, int64: ``len(known)`` where it is missing, -1 where it is new.

        ``column`` is float64 as :class:`studylib.core.table.TableReader` reads it.
        """
        if self.cuts is None:
            return column.astype(np.int64)
        codes = np.searchsorted(self.cuts, column)  # equal to a cut: below it
        return np.where(np.isnan(column), len(self.known), codes).astype(np.int64)

    def shown(self):
        """Each value as users see it: a category, a Boolean, or a ``pandas.Interval``."""
        if not self._are_intervals():
            return self.known
        return [pd.Interval(low, high) for low, high in self.known]

    def names(self, feature):
        """Each value as text, such as "height ≤ 6", "height in (6, 8]" or "cap = bell"."""
        if not self._are_intervals():
            return [f"{feature} = {value}" for value in self.known]
        return [_interval_name(feature, low, high) for low, high in self.known]

    def _are_intervals(self):
        return self.cuts is not None and self.known != [False, True]


def _interval_name(feature, low, high):
    if np.isinf(low):
        return f"{feature} any number" if np.isinf(high) else f"{feature} ≤ {high:g}"
    return f"{feature} > {low:g}" if np.isinf(high) else f"{feature} in ({low:g}, {high:g}]"


class ValueEstimator(Model):
    """Base class of this package's estimators: mixed tables with missing values, coded as values."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _fit_values(self, X, y, min_bucket_size, sample_weight=None):
        """Learn ``_values`` and ``classes_``; return codes int64 (n, d), labels int32, weights float64."""
        owner = type(self).__name__
        self._reader = TableReader(missing=True, missing_code=True, categorical_features="auto")
        X = self._reader.fit(self, X)
        self.classes_, y = encode_labels(owner, y, len(X))
        weight = np.ones(len(y))
        if sample_weight is not None:
            weight = check_sample_weight(owner, sample_weight, y)
        used = weight > 0
        X, y, weight = self._reader.forget(X, used)[used], y[used], weight[used]
        if len(weight) and (weight == weight[0]).all():
            weight = np.ones(len(y))
        self._values = []
        reader = self._reader
        of_columns = zip(X.T, reader.categories, reader.boolean, reader.has_missing.tolist(), strict=True)
        for column, known, boolean, has_missing in of_columns:
            cuts = None
            if known is not None:
                known = known.tolist()
            elif boolean:
                known, cuts = [False, True], np.array([0.5])
            else:
                order = np.flatnonzero(~np.isnan(column))
                order = order[np.argsort(column[order], kind="stable")]
                cuts = cut_points(
                    column[order], y[order], weight[order], len(self.classes_), float(min_bucket_size)
                )
                ends = [-np.inf, *cuts.tolist(), np.inf]
                known = list(zip(ends[:-1], ends[1:], strict=True))
            self._values.append(Values(known, cuts, has_missing))
        return self._coded(X), y, weight

    def _codes(self, X):
        """Number of each entry's value, int64 (n, d); see ``Values.codes``."""
        return self._coded(self._reader.transform(self, X))

    def _coded(self, X):
        return np.column_stack([values.codes(X[:, j]) for j, values in enumerate(self._values)])

    def _value_names(self):
        """Names of the values of each column, a list of lists of str."""
        return [values.names(name) for name, values in zip(feature_names(self), self._values, strict=True)]
