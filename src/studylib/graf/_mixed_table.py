"""Tables with missing values and categories, for estimators that take both."""

import numpy as np
import pandas as pd

from studylib.core.parameters import describe
from studylib.core.tables import new_table, training_table

MOST_CATEGORIES = 255


class MixedTable:
    """Reads tables as float64, with NaN for what is missing and codes for categories.

    A missing category has a code of its own.  One that was not there in training is NaN.

    Parameters
    ----------
    owner : str, name of the estimator, for messages
    X : the training table
    categorical_features : the parameter of that name, see :class:`studylib.graf.BlendedForestClassifier`
    """

    def __init__(self, owner, X, categorical_features):
        self._owner = owner
        self._of_objects = categorical_features is not None  # what numpy makes of lists with text and numbers
        self._categories = {}
        X = self._as_table(X)
        for j in self._named(X, categorical_features):
            self._categories[j] = found = _distinct(_column(X, j))
            if len(found) >= MOST_CATEGORIES:
                raise ValueError(
                    f"{owner}: column {_name(X, j)!r} has {len(found)} categories, and a categorical "
                    f"feature may have at most {MOST_CATEGORIES - 1}; group the rare ones, or encode it."
                )

    def for_training(self, estimator, X, y):
        """``(X, y)``, checked; sets ``n_categories``, codes of each column, 0 for one of numbers."""
        X, missing = self._split(X)
        X, y = training_table(estimator, X, y)
        X = np.array(X, order="C")  # sums over samples are in this order, whatever the layout of the table
        X[missing] = np.nan
        self.n_categories = np.zeros(X.shape[1], np.int64)
        for j, found in self._categories.items():
            # A code for what is missing only where something is: it would be an empty indicator.
            self.n_categories[j] = max(len(found), int(X[:, j].max()) + 1)
        return X, y

    def for_prediction(self, estimator, X):
        """``X``, checked."""
        X, missing = self._split(X)
        X = np.array(new_table(estimator, X), order="C")
        X[missing] = np.nan
        return X

    def _named(self, X, wanted):
        """Indices of the columns that ``categorical_features`` names."""
        if wanted is None:
            return []
        names = list(X.columns) if isinstance(X, pd.DataFrame) else None
        d = np.shape(X)[1] if np.ndim(X) == 2 else 0
        if isinstance(wanted, str) and wanted == "from_dtype":
            if names is None:
                return []
            return [j for j in range(d) if not pd.api.types.is_numeric_dtype(X.dtypes.iloc[j])]
        asked = f"{self._owner}: categorical_features"
        allowed = 'None, "from_dtype", a mask, or indices or names of columns'
        if isinstance(wanted, str) or np.ndim(wanted) != 1:
            raise ValueError(f"{asked} must be {allowed}, got {describe(wanted)}.")
        wanted = list(wanted)
        if wanted and all(isinstance(one, bool | np.bool_) for one in wanted):
            if len(wanted) != d:
                raise ValueError(f"{asked} is a mask of {len(wanted)} entries, but X has {d} columns.")
            return np.flatnonzero(wanted).tolist()
        found = []
        for one in wanted:
            if isinstance(one, str):
                if names is None:
                    raise ValueError(f"{asked} has the name {one!r}, but X is not a DataFrame.")
                if one not in names:
                    raise ValueError(f"{asked} has the name {one!r}, which is no column of X.")
                found.append(names.index(one))
            elif isinstance(one, int | np.integer) and not isinstance(one, bool) and -d <= one < d:
                found.append(int(one) % d)
            else:
                raise ValueError(f"{asked} must be {allowed}, got {describe(one)} in it; X has {d} columns.")
        return sorted(set(found))

    def _as_table(self, X):
        if isinstance(X, pd.DataFrame) or hasattr(X, "dtype"):
            return X
        return np.asarray(X, dtype=object if self._of_objects else None)

    def _split(self, X):
        """``X`` with codes for categories and 0 for what is missing; and what that is, bool (n, d)."""
        X = self._as_table(X)
        if not isinstance(X, pd.DataFrame | np.ndarray) or X.ndim != 2:
            return X, ...  # to be refused by scikit-learn's checks
        if isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and not self._categories:
            missing = np.isnan(X)
            return np.where(missing, 0.0, X) if missing.any() else X, missing
        columns, missing = {}, np.zeros(X.shape, bool)
        for j in range(X.shape[1]):
            column = _column(X, j)
            if j in self._categories:
                codes = _codes(column, self._categories[j])
                missing[:, j] = codes < 0
                columns[j] = np.where(missing[:, j], 0, codes)
                continue
            self._refuse_text(X, j, column)
            missing[:, j] = pd.isna(column)
            columns[j] = column.where(~missing[:, j], 0) if missing[:, j].any() else column
        frame = pd.DataFrame(columns, index=getattr(X, "index", None))
        if isinstance(X, pd.DataFrame):
            frame.columns = X.columns
            return frame, missing
        return frame.to_numpy(), missing

    def _refuse_text(self, X, j, column):
        if column.dtype.kind in "biufmM":
            return
        for value in column:
            if isinstance(value, str):
                try:
                    float(value)
                except ValueError:
                    raise ValueError(
                        f"{self._owner}: column {_name(X, j)!r} holds text such as {value!r}; name it in "
                        "categorical_features, or encode it."
                    ) from None


def _column(X, j):
    column = X.iloc[:, j] if isinstance(X, pd.DataFrame) else pd.Series(X[:, j])
    if column.dtype != np.longdouble:
        return column
    with np.errstate(over="ignore"):  # pandas would compare them as float64, with a warning
        return column.astype(np.float64)


def _name(X, j):
    return X.columns[j] if isinstance(X, pd.DataFrame) else j


def _distinct(column):
    """The categories of a column in ascending order, those of different types by their names."""
    present = pd.unique(column[pd.notna(column)])
    try:
        return sorted(present)
    except TypeError:
        return sorted(present, key=lambda value: (type(value).__name__, str(value)))


def _codes(column, categories):
    """Code of each entry: the number of its category, one more for what is missing, -1 for what is new."""
    codes = pd.Index(categories, dtype=object).get_indexer(pd.Index(column, dtype=object))
    return np.where(pd.isna(column), len(categories), codes)
