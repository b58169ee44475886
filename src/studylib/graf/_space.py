"""The space of a forest's hyperplanes: tables converted to points that all its trees can read."""

import numpy as np

from studylib.core.table import TableReader
from studylib.graf._scaling import Scaling


class Space:
    """Reads tables and standardises them; a forest and its trees share one.

    Parameters
    ----------
    standardize : bool

    Attributes
    ----------
    classes_ : ndarray (n_classes,), set by the forest
    n_features_in_, feature_names_in_ : as in the forest
    deviations : float64 (n_features,)
        Of the features in training, as hyperplanes see them; 0 for a constant one.
    """

    def __init__(self, standardize):
        self._standardize = standardize
        self._reader = TableReader()
        self._scaling = None

    def fit(self, forest, X):
        """Learn the columns of a training table; its rows, float64 (n_samples, n_features), in C order.

        Sums over samples are in this order, whatever the layout of the table.
        """
        X = np.ascontiguousarray(self._reader.fit(forest, X))
        for name in ("n_features_in_", "feature_names_in_", "_other_names"):
            if hasattr(forest, name):
                setattr(self, name, getattr(forest, name))
        scaling = Scaling(X)
        self._scaling = scaling if self._standardize else None
        constant = X.min(axis=0) == X.max(axis=0)
        self.deviations = np.where(constant, 0.0, 1.0 if self._standardize else scaling.unit * scaling.scale)
        return X

    def read(self, owner, X):
        """Rows of a new table, float64 (n_samples, n_features); ``owner`` is named in errors."""
        return np.require(self._reader.transform(owner, X), requirements=["C", "W"])

    def points(self, X):
        """Rows as the hyperplanes see them, float64 (n_samples, n_features): standardised, if they are."""
        return np.ascontiguousarray(X) if self._scaling is None else self._scaling(X)

    def rows(self, X):
        """Arrays that kernels take: features in rows, the same rounded to float32, the largest of each."""
        data = np.array(self.points(X).T, order="C")
        with np.errstate(over="ignore"):
            return data, data.astype(np.float32), np.abs(data).max(axis=1)

    def in_units(self, features, weights, threshold):
        """Weights and threshold of a hyperplane for the numbers of the table, which are not standardised."""
        if self._scaling is None:
            return weights, threshold
        scaling = self._scaling[features]
        return weights / scaling.scale / scaling.unit, threshold + weights @ (scaling.center / scaling.scale)

    def points_of(self, features, values):
        """Numbers of some columns, one for each of ``features``, as the hyperplanes see them."""
        return values if self._scaling is None else self._scaling[features](values[None])[0]


def last_below(space, features, weights, thresholds):
    """Hyperplanes of a single feature each as conditions on the numbers of the table.

    Standardising and multiplying are monotone also with rounding, so a bit changes once along the numbers;
    bisection finds where, and the conditions hold for exactly the rows that the hyperplanes send there.

    Returns
    -------
    last : float64 (n_planes,), the largest number with the bit of the smallest numbers
    bit : bool (n_planes,), that bit
    """

    def bits(values):
        with np.errstate(over="ignore"):
            return weights * space.points_of(features, values) > thresholds

    most = np.full(len(features), np.finfo(float).max)
    low, high = _rank(-most), _rank(most)
    lowest = bits(-most)
    for _ in range(64):
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        same = bits(_number(middle)) == lowest
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return _number(low), lowest


def _rank(numbers):
    """Integers in the order of finite float64 numbers, neighbours for neighbours."""
    bits = numbers.view(np.int64)
    return np.where(bits < 0, np.iinfo(np.int64).min - bits, bits)


def _number(ranks):
    """Number of each rank."""
    return np.where(ranks < 0, np.iinfo(np.int64).min - ranks, ranks).view(np.float64)
