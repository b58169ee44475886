"""1-R: rules that ask for one feature, and the intervals that it cuts numbers into."""

from typing import ClassVar

import numpy as np
import pandas as pd
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from studylib.core.frames import feature_names
from studylib.core.model import Classifier, fit_whole
from studylib.core.parameters import Integer
from studylib.rules._values import ValueEstimator

__all__ = ["OneRClassifier", "OneRDiscretizer"]


class OneRClassifier(ValueEstimator, Classifier):
    """Classifier that asks for the value of a single feature: 1-R.

    Each value of a feature gets the most frequent class of its training samples; ties go to the first class.
    The feature whose rule makes the fewest errors on the training samples is chosen; ties go to the first
    feature.

    Parameters
    ----------
    min_bucket_size : int
        A column of numbers is cut into intervals as :class:`OneRDiscretizer` does, with at least so many
        samples of the majority class in each of them.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if ``X`` had string column names
    feature_ : str
        Name of the chosen feature; x0, x1, … if the columns have no names.
    feature_index_ : int
    rule_ : dict
        The class of each value of the feature.  An interval of numbers is a ``pandas.Interval``, closed on
        the right; ``None`` stands for missing entries, if there were any.
    table_ : DataFrame
        The rules of all features, a row for each value: ``feature``, ``value``, ``label``, ``errors``,
        ``n_samples`` (sums of weights, float64).
    errors_ : Series
        Errors of each feature's rule, float64; the index holds the features' names.

    Notes
    -----
    Strings, categories and Booleans are values as they are; missing entries are one more value, behind the
    others.  A value that was not in training, and a missing entry if none was missing there, gets the most
    frequent class of all training samples.

    References
    ----------
    Holte, *Very Simple Classification Rules Perform Well on Most Commonly Used Datasets*, Machine Learning
    11, 1993.

    Examples
    --------
    >>> from studylib.datasets import load_weather
    >>> from studylib.rules import OneRClassifier
    >>> weather = load_weather()
    >>> one_r = OneRClassifier().fit(weather.data, weather.target)
    >>> one_r.feature_, one_r.rule_
    ('outlook', {'sunny': 'no', 'overcast': 'yes', 'rainy': 'yes'})
    >>> one_r.errors_.to_dict()
    {'outlook': 4.0, 'temperature': 5.0, 'humidity': 4.0, 'windy': 5.0}
    """

    _constraints: ClassVar[dict] = {"min_bucket_size": Integer(1)}

    def __init__(self, min_bucket_size=6):
        self.min_bucket_size = min_bucket_size

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # one feature alone does not tell three blobs apart
        return tags

    def fit(self, X, y, sample_weight=None):
        """Find the rule.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        y : array-like (n_samples,), class labels of any type
        sample_weight : array-like (n_samples,) or None
            Non-negative; a sample of weight 0 is left out.  ``min_bucket_size`` is then a sum of weights; but
            equal weights are as none.

        Returns
        -------
        self
        """
        return fit_whole(self, X, y, sample_weight)

    def _fit(self, X, y, sample_weight):
        least = self._checked().min_bucket_size
        codes, y, weight = self._fit_values(X, y, least, sample_weight)
        self._all_counts = [self._class_counts(codes[:, j], y, weight, j) for j in range(codes.shape[1])]
        best = int(self.errors_.to_numpy().argmin())
        self.feature_index_, self.feature_ = best, feature_names(self)[best]
        overall = np.bincount(y, weight, len(self.classes_))
        self._counts = np.vstack([self._all_counts[best], overall])  # its last row is for all other values
        return self

    @property
    def rule_(self):
        check_is_fitted(self)
        return {row["value"]: row["label"] for row in self._rules()[self.feature_index_]}

    @property
    def table_(self):
        check_is_fitted(self)
        return pd.DataFrame([row for rows in self._rules() for row in rows])

    @property
    def errors_(self):
        check_is_fitted(self)
        errors = [sum(row["errors"] for row in rows) for rows in self._rules()]
        return pd.Series(errors, feature_names(self), name="errors")

    def _rules(self):
        """The rows of each feature's rule, a list of lists of dict."""
        each = zip(feature_names(self), self._values, self._all_counts, strict=True)
        return [self._rows(name, values, counts) for name, values, counts in each]

    def _class_counts(self, codes, y, weight, j):
        """Weight of each class for each value of column ``j``, float64 (n_values, n_classes)."""
        shape = (len(self._values[j].known) + self._values[j].has_missing, len(self.classes_))
        return np.bincount(codes * shape[1] + y, weight, shape[0] * shape[1]).reshape(shape)

    def _rows(self, name, values, counts):
        known = [*values.shown(), None][: len(counts)]
        labels, totals = self.classes_[counts.argmax(axis=1)].tolist(), counts.sum(axis=1)
        errors = totals - counts.max(axis=1)
        return [
            {"feature": name, "value": value, "label": label, "errors": float(wrong), "n_samples": float(n)}
            for value, label, wrong, n in zip(known, labels, errors, totals, strict=True)
            if n > 0
        ]

    def predict(self, X):
        """Class of each sample, (n_samples,).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        counts = self._counts_of(X)
        return self.classes_[counts.argmax(axis=1)]

    def predict_proba(self, X):
        """Class shares of the training samples with the same value, float64 (n_samples, n_classes).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        counts = self._counts_of(X)
        return counts / counts.sum(axis=1, keepdims=True)

    def _counts_of(self, X):
        check_is_fitted(self)
        codes = self._codes(X)[:, self.feature_index_]
        other = len(self._counts) - 1
        codes = np.where((codes < 0) | (codes > other), other, codes)
        empty = self._counts.sum(axis=1) == 0  # a Boolean that was not in training
        return self._counts[np.where(empty[codes], other, codes)]


class OneRDiscretizer(TransformerMixin, ValueEstimator):
    """Supervised discretisation of numbers as in 1-R.

    The distinct values of a column are taken in ascending order.  An interval is extended until some class
    has at least ``min_bucket_size`` samples in it, and then as long as the next value has samples of its
    majority class only, so that intervals end where the class changes.  The last interval may have fewer.
    Then neighbours with the same majority class are merged; a tie for the majority goes to the first class.
    A cut lies midway between the values on its two sides; an interval includes its upper end.

    Parameters
    ----------
    min_bucket_size : int
        Least number of samples of an interval's majority class: 6, as Holte recommends; 3 for very small
        tables.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if ``X`` had string column names
    cuts_ : list of float64 ndarray
        The cuts of each column; none for a column of strings or categories.
    value_names_ : list of lists of str
        What each code of each column means, such as "humidity ≤ 82.5".

    Notes
    -----
    A column of strings or categories is only coded:  0, 1, … for its values in ascending order (in their own
    order if they are ordered).  Booleans are cut at 0.5.

    References
    ----------
    Holte, *Very Simple Classification Rules Perform Well on Most Commonly Used Datasets*, Machine Learning
    11, 1993.

    Examples
    --------
    >>> from studylib.datasets import load_weather
    >>> from studylib.rules import OneRDiscretizer
    >>> weather = load_weather(numeric=True)
    >>> cut = OneRDiscretizer(min_bucket_size=3).fit(weather.data[["humidity"]], weather.target)
    >>> cut.value_names_
    [['humidity ≤ 82.5', 'humidity in (82.5, 95.5]', 'humidity > 95.5']]
    """

    _constraints: ClassVar[dict] = {"min_bucket_size": Integer(1)}

    def __init__(self, min_bucket_size=6):
        self.min_bucket_size = min_bucket_size

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X, y, sample_weight=None):
        """Find the cuts.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        y : array-like (n_samples,), class labels of any type
        sample_weight : array-like (n_samples,) or None
            Non-negative; ``min_bucket_size`` is then a sum of weights.  Equal weights are as none.

        Returns
        -------
        self
        """
        return fit_whole(self, X, y, sample_weight)

    def _fit(self, X, y, sample_weight):
        least = self._checked().min_bucket_size
        self._fit_values(X, y, least, sample_weight)
        self.cuts_ = [np.empty(0) if values.cuts is None else values.cuts for values in self._values]
        self.value_names_ = self._value_names()
        return self

    def transform(self, X):
        """Number of the interval or value of each entry, float64 (n_samples, n_features).

        NaN where an entry is missing, or is a category that was not in training.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        check_is_fitted(self)
        codes = self._codes(X)
        unknown = (codes < 0) | (codes >= [len(values.known) for values in self._values])
        return np.where(unknown, np.nan, codes)

    def get_feature_names_out(self, input_features=None):
        """Names of the columns, ndarray of str: those of the training table.

        Parameters
        ----------
        input_features : array-like of str or None
            Must be the names of the training table, if it had names.
        """
        check_is_fitted(self)
        return _check_feature_names_in(self, input_features)
