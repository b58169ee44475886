"""What all classifiers of this package share: the tables that they take."""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _check_sample_weight

from studylib.trees._columns import Columns
from studylib.trees._validation import encoded, table


class MixedTableClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of tables with numeric and categorical columns, and with gaps in both."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _training_data(self, X, y, sample_weight=None):
        """Valid ``X``, ``y`` as class indices, and weights; no samples of weight 0.  Sets ``classes_``."""
        if y is None:
            raise ValueError(f"{type(self).__name__}: fit requires y to be passed, but the target y is None.")
        X, y = table(self, X, y)
        self.classes_, y = encoded(y)
        weight = np.ones(len(y))
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            used = np.flatnonzero(weight)
            X = X.iloc[used] if isinstance(X, pd.DataFrame) else X[used]
            y, weight = y[used], weight[used]
        return X, y, weight

    def _fit_columns(self, X):
        """Codes of the table's entries, int32 (n_features, n_samples); sets ``_columns``."""
        self._columns = Columns(type(self).__name__)
        return self._columns.fit_codes(
            X, getattr(self, "feature_names_in_", [f"x{j}" for j in range(X.shape[1])])
        )
