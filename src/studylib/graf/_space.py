"""The space of a forest's hyperplanes: tables converted to points that all its trees can read."""

import numpy as np

from studylib.core.frames import feature_names
from studylib.core.table import TableReader
from studylib.graf._scaling import Scaling

#: A column's codes, those of what is missing included, are bytes in axis-parallel trees.
MOST_CATEGORIES = 254


class Space:
    """Reads tables and standardises them; a forest and its trees share one.

    A column of numbers is a feature; of a column of categories, each category is one, an indicator that is 0
    or 1.  A column of two categories has a single indicator.

    ``columns``, int64 (n_features,), has the column of each feature, ``deviations``, float64 (n_features,),
    those of the features in training, as hyperplanes see them, 0 for a constant one.  The forest sets
    ``classes_``, (n_classes,).
    """

    def __init__(self, standardize, categorical_features):
        self._standardize = standardize
        self._reader = TableReader(categorical_features=categorical_features, most_categories=MOST_CATEGORIES)
        self._scaling = None

    @property
    def column_names(self):
        """Names of the columns, a ``ColumnNames``."""
        return self._reader.column_names

    @property
    def categorical(self):
        """Which columns are of categories, bool (n_columns,)."""
        return self._reader.categorical

    def fit(self, forest, X):
        """Read a training table; rows, float64 (n_samples, n_columns) in C order, with categories as codes.

        Sums over samples are in this order, whatever the layout of the table.
        """
        return np.ascontiguousarray(self._reader.fit(forest, X))

    def learn(self, X, used=None):
        """Learn the features of the rows that ``fit`` has read; these rows, their categories coded anew.

        Categories that only rows have which are not ``used``, bool (n_samples,), are none.
        """
        if used is not None:
            X = self._reader.forget(X, used)
        sizes = [1 if known is None or len(known) == 2 else len(known) for known in self._reader.categories]
        self.columns = np.repeat(np.arange(len(sizes)), sizes)
        coded = self._reader.categorical[self.columns]
        self._codes = np.concatenate([np.arange(size) for size in sizes])
        self._coded = np.flatnonzero(coded)
        features = self._features(X)
        scaling = Scaling(features)
        self._scaling = scaling if self._standardize else None
        constant = features.min(axis=0) == features.max(axis=0)
        self.deviations = np.where(constant, 0.0, 1.0 if self._standardize else scaling.unit * scaling.scale)
        return X

    def read(self, owner, X):
        """Rows of a new table, float64 (n_samples, n_columns); ``owner`` is named in errors."""
        return np.require(self._reader.transform(owner, X), requirements=["C", "W"])

    def _features(self, X):
        """Numbers and indicators of rows, float64 (n_samples, n_features)."""
        if not len(self._coded):
            return X
        features = np.take(X, self.columns, axis=1)
        features[:, self._coded] = features[:, self._coded] == self._codes[self._coded]
        return features

    def is_indicator(self, feature):
        """Whether a feature stands for a category."""
        return feature in self._coded

    def name(self, feature):
        """A feature in words: its column, and of an indicator the category that it stands for."""
        column = self.columns[feature]
        name = feature_names(self.column_names)[column]
        if not self.is_indicator(feature):
            return name
        return f"[{name} = {self._reader.categories[column][self._codes[feature]]}]"

    def points(self, X):
        """Rows as the hyperplanes see them, float64 (n_samples, n_features): standardised, if they are."""
        X = self._features(X)
        return np.ascontiguousarray(X) if self._scaling is None else self._scaling(X)

    def rows(self, X):
        """Arrays that kernels take: features in rows, the same rounded to float32, the largest of each."""
        X = self._features(X)
        data = np.array(X.T, order="C") if self._scaling is None else self._scaling(X, "F").T
        return data, rounded(data), largest_of(data)

    def in_units(self, features, weights, threshold):
        """Weights and threshold of a hyperplane for the numbers of the table, which are not standardised."""
        if self._scaling is None:
            return weights, threshold
        scaling = self._scaling[features]
        return weights / scaling.scale / scaling.unit, threshold + weights @ (scaling.center / scaling.scale)

    def points_of(self, features, values):
        """Numbers of some columns, one for each of ``features``, as the hyperplanes see them."""
        return values if self._scaling is None else self._scaling[features](values[None])[0]


def rounded(data):
    """Numbers as float32, infinite or 0 where they are too large or too small for it."""
    with np.errstate(over="ignore", under="ignore"):
        return data.astype(np.float32)


def largest_of(data):
    """Largest absolute value in each row."""
    return np.maximum(-data.min(axis=1), data.max(axis=1))


def last_below(space, features, weights, thresholds):
    """Hyperplanes of a single feature each as conditions on the numbers of the table.

    Standardising and multiplying are monotone also with rounding, so a bit changes once along the numbers;
    bisection finds where, and the conditions hold for exactly the rows that the hyperplanes send there.
    Returns the largest number with the bit of the smallest, float64 (n_planes,), and that bit.
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
