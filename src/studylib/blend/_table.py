"""Tables with missing values and categories as a blend reads them."""

import numpy as np

from studylib.core.table import TableReader

MOST_CATEGORIES = 255


class MixedTable:
    """Reads tables as float64, with NaN for missing numbers and codes for categories.

    A missing category has a code of its own, behind the others.

    Parameters
    ----------
    categorical_features : the parameter of that name, see :class:`studylib.blend.BlendedForestClassifier`

    Attributes
    ----------
    n_categories : int64 ndarray (n_features,)
        Codes of each column, 0 for one of numbers.
    n_features_in_, feature_names_in_ : as in the estimator that it was fitted with
    """

    def __init__(self, categorical_features):
        self._reader = TableReader(missing=True, categorical_features=categorical_features)

    def fit(self, estimator, X):
        """Read a training table; float64 (n_samples, n_features) in C order."""
        X = self._coded(self._reader.fit(estimator, X))
        names = ("n_features_in_", "feature_names_in_", "_other_names")
        vars(self).update({name: getattr(estimator, name) for name in names if hasattr(estimator, name)})
        self.n_categories = np.zeros(X.shape[1], np.int64)
        for j, known in self._known():
            if len(known) >= MOST_CATEGORIES:
                raise ValueError(
                    f"{type(estimator).__name__}: column {self._reader.names[j]!r} has {len(known)} "
                    f"categories, and a categorical feature may have at most {MOST_CATEGORIES - 1}; group "
                    "the rare ones, or encode it."
                )
            # A code for what is missing only where something is: it would be an empty indicator.
            self.n_categories[j] = max(len(known), int(X[:, j].max()) + 1)
        return X

    def read(self, estimator, X):
        """Read new rows, as in :meth:`fit`; a category that was not in training has the code -1.

        ``estimator`` is who asks: the forest, or one of its trees.
        """
        return self._coded(self._reader.transform(estimator, X))

    def category(self, column, code):
        """The category of a code, a string."""
        known = self._reader.categories[column]
        return str(known[code]) if code < len(known) else "missing"

    def _known(self):
        return [(j, known) for j, known in enumerate(self._reader.categories) if known is not None]

    def _coded(self, values):
        X = np.array(values, order="C")  # sums over samples are in this order, whatever the table's layout
        for j, known in self._known():
            X[np.isnan(X[:, j]), j] = len(known)
        return X
