"""Tables of numbers: checked as scikit-learn does, in one sentence that names the column at fault."""

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data


def feature_names(estimator):
    """Names of the columns that an estimator was fitted on, a list; ``x0``, ``x1``, … if they had none."""
    unnamed = (f"x{j}" for j in range(estimator.n_features_in_))
    return [str(name) for name in getattr(estimator, "feature_names_in_", unnamed)]


def training_table(estimator, X, y):
    """``X`` as finite float64 and ``y`` as labels, both for ``fit``.

    Returns
    -------
    X : float64 ndarray (n_samples, n_features)
    y : ndarray (n_samples,)
    """
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__}: fit requires y to be passed, but the target y is None."
        )
    X, y = _numbers(estimator, X, y)
    check_classification_targets(y)
    return X, y


def new_table(estimator, X):
    """``X`` as finite float64 in C order, with the columns that the estimator was fitted on."""
    check_is_fitted(estimator)
    return _numbers(estimator, X, reset=False, order="C")


def _numbers(estimator, X, *y, **how):
    owner = type(estimator).__name__
    if isinstance(X, pd.DataFrame):
        for name, dtype in X.dtypes.items():
            if getattr(dtype, "kind", "") in "mM":  # numpy would count nanoseconds
                raise ValueError(f"{owner}: column {name!r} holds dates or times; {_ADVICE['dates']}.")
    try:
        valid = validate_data(estimator, X, *y, dtype=np.float64, ensure_all_finite=False, **how)
    except (TypeError, ValueError) as error:
        sentence = _not_numeric(X)
        if sentence is None:
            raise
        raise ValueError(f"{owner}: {sentence}.") from error
    values = valid[0] if y else valid
    finite = np.isfinite(values)
    if not finite.all():
        column = int(np.argmin(finite.all(axis=0)))
        row = int(np.argmin(finite[:, column]))
        missing = np.isnan(values[row, column])
        named = X.columns[column] if isinstance(X, pd.DataFrame) else column
        what, advice = ("missing values (NaN)", "missing") if missing else ("infinity", "infinite")
        raise ValueError(f"{owner}: column {named!r} holds {what}, first in row {row}; {_ADVICE[advice]}.")
    return valid


_ADVICE = {
    "text": "encode it, for example with sklearn.preprocessing.OneHotEncoder",
    "dates": "make numbers of it, for example the days since the first",
    "objects": "make numbers of it",
    "missing": "fill them in, for example with sklearn.impute.SimpleImputer, or drop these rows",
    "infinite": "clip or drop what is not finite",
}


def _not_numeric(X):
    """Which column of a table is not numeric and what to do about it; None if that is not the problem."""
    if isinstance(X, pd.DataFrame):
        columns = X.items()
    else:
        rows = np.empty(0) if issparse(X) else np.asarray(X)
        columns = enumerate(rows.T) if rows.ndim == 2 else ()
    for name, column in columns:
        if getattr(column.dtype, "kind", "O") in "biuf":
            continue
        for value in column:
            if isinstance(value, str) and not _is_number(value):
                return f"column {name!r} holds text such as {str(value)!r}; {_ADVICE['text']}"
            if isinstance(X, pd.DataFrame) and not _is_number(value):
                return f"column {name!r} holds a {type(value).__name__}; {_ADVICE['objects']}"
    return None


def _is_number(value):
    if value is pd.NA:
        return True
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
