"""Tables of numbers: checked as scikit-learn does, in one sentence that names the column at fault."""

import numbers
import sys
import warnings

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils import multiclass, validation
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y

from studylib.core.columns import ALL_WHOLE, check_whole
from studylib.core.lines import one_line


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
    check_classification_targets(y, type(estimator).__name__)
    return X, y


def new_table(estimator, X):
    """``X`` as finite float64 in C order, with the columns that the estimator was fitted on."""
    check_is_fitted(estimator)
    return _numbers(estimator, X, reset=False, order="C")


def check_classification_targets(y, owner=""):
    """Refuse labels that are none, as scikit-learn does, or that have no order.

    Parameters
    ----------
    y : ndarray (n_samples,)
    owner : str
        Name of the estimator, for messages.
    """
    says = f"{owner}: " if owner else ""
    try:
        known = np.unique(y)
    except TypeError as error:
        kinds = ", ".join(sorted({type(label).__name__ for label in y}))
        raise ValueError(
            f"{says}y mixes labels of types {kinds}, which have no order; make strings of them."
        ) from error
    try:
        # Every label twice: of more labels than half the samples scikit-learn would warn.
        with np.errstate(invalid="ignore"):  # of infinity, which is refused
            multiclass.check_classification_targets(np.repeat(known, 2))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{says}{one_line(error)}") from error


def column_or_1d(y, *, warn=False):
    """As scikit-learn's function of this name, but with one line for each mistake."""
    try:
        return validation.column_or_1d(y, warn=warn)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y cannot be used: {one_line(error, 300)}") from error


def validate_data(estimator, X, *y, reset=True, skip_check_array=False, **how):
    """As scikit-learn's function of this name, but with one sentence for each mistake.

    Columns are compared with those of ``fit`` whatever their names are: strings, numbers or tuples.  Where
    only one of both tables has strings as names, a warning says so, and the order counts.  Whole numbers that
    float64 would merge are refused.

    Parameters
    ----------
    estimator : object
    X : array-like (n_samples, n_features)
    *y : array-like (n_samples,)
    reset : bool
        Whether ``X`` is the training table.
    skip_check_array : bool
        Whether ``X`` and ``y`` are returned as they are.
    **how
        What ``sklearn.utils.check_array`` or ``check_X_y`` is told.

    Returns
    -------
    ``X``, or ``X, y``
    """
    owner = type(estimator).__name__
    _check_names(estimator, X, reset)
    if skip_check_array:
        valid = (X, *y)
    else:
        valid = _checked(owner, estimator, X, y, how)
        if getattr(getattr(X, "dtype", None), "kind", "") != "f":
            large = ((valid[0] >= ALL_WHOLE) | (valid[0] <= -ALL_WHOLE)).any(axis=0)
            if large.any():
                refuse_merging(owner, X, np.flatnonzero(large).tolist())
    n = valid[0].shape[1]
    if reset:
        estimator.n_features_in_ = n
    elif n != estimator.n_features_in_:
        raise ValueError(
            f"{owner}: X has {n} features, but {owner} is expecting {estimator.n_features_in_} features as "
            "input."
        )
    return valid if y else valid[0]


def _checked(owner, estimator, X, y, how):
    if isinstance(X, pd.DataFrame):
        dense = {j: d.subtype for j, d in enumerate(X.dtypes) if isinstance(d, pd.SparseDtype)}
        if dense:  # scikit-learn warns that it would do so
            columns = [X.iloc[:, j].astype(dense.get(j, d)) for j, d in enumerate(X.dtypes)]
            X = pd.concat(columns, axis=1)
    try:
        with np.errstate(over="ignore"):  # of longer floats: they become infinite, which is refused
            if y:
                return check_X_y(X, y[0], estimator=estimator, **how)
            return (check_array(X, estimator=estimator, input_name="X", **how),)
    except OverflowError as error:
        raise ValueError(f"{owner}: {_not_numeric(X) or one_line(error)}.") from error
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{owner}: {one_line(error)}") from error


# Columns by name


def _check_names(estimator, X, reset):
    columns = getattr(X, "columns", None)
    names = None if columns is None else columns.tolist() if isinstance(X, pd.DataFrame) else list(columns)
    if reset:
        for attribute in ("feature_names_in_", "_other_names"):
            vars(estimator).pop(attribute, None)
        if names is not None and all(isinstance(name, str) for name in names):
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
        elif names is not None:  # scikit-learn knows only strings as names, and compares nothing else
            estimator._other_names = names
        return
    known = getattr(estimator, "feature_names_in_", getattr(estimator, "_other_names", None))
    owner = type(estimator).__name__
    if names is None or known is None:
        if hasattr(estimator, "feature_names_in_"):
            said = "X has no feature names, but the training table had; its columns are taken in that order."
            warnings.warn(f"{owner}: {said}", stacklevel=2)
        elif names is not None and all(isinstance(name, str) for name in names):
            said = "X has feature names, but the training table had none; they are not compared."
            warnings.warn(f"{owner}: {said}", stacklevel=2)
        return
    now, before = [_comparable(name) for name in names], [_comparable(name) for name in known]
    if now == before:
        return
    new = [name for name, one in zip(names, now, strict=True) if one not in set(before)]
    gone = [name for name, one in zip(known, before, strict=True) if one not in set(now)]
    if new or gone:
        what = [f"has column {name!r}, unseen at fit time" for name in new[:1]]
        what += [f"is missing column {name!r}, seen at fit time" for name in gone[:1]]
        raise ValueError(f"{owner}: X {', and '.join(what)}.")
    if len(now) == len(before):  # otherwise their number is the problem
        j = next(j for j, one in enumerate(now) if one != before[j])
        raise ValueError(
            f"{owner}: the columns of X must be in the same order as at fit time, but column {j} is "
            f"{names[j]!r} instead of {known[j]!r}; reorder them."
        )


def _comparable(name):
    """A column's name as something that equals itself, as NaN does not, and is the same in every frame."""
    if isinstance(name, str):
        return name
    return int(name) if isinstance(name, numbers.Integral) else (type(name).__name__, repr(name))


# Numbers


def _numbers(estimator, X, *y, **how):
    owner = type(estimator).__name__
    _refuse_dtypes(owner, X)
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
        what, advice = ("missing values (NaN)", "missing") if missing else ("infinity", "infinite")
        raise ValueError(
            f"{owner}: column {_name(X, column)!r} holds {what}, first in row {row}; {_ADVICE[advice]}."
        )
    return valid


_ADVICE = {
    "text": "encode it, for example with sklearn.preprocessing.OneHotEncoder",
    "dates": "make numbers of it, for example the days since the first",
    "objects": "make numbers of it",
    "missing": "fill them in, for example with sklearn.impute.SimpleImputer, or drop these rows",
    "infinite": "clip or drop what is not finite",
}


def _name(X, j):
    return X.columns.tolist()[j] if isinstance(X, pd.DataFrame) else j


def _columns(X):
    """Name and entries of each column, a list; empty if it is no table."""
    if isinstance(X, pd.DataFrame):
        return list(X.items())
    rows = np.empty(0) if issparse(X) else np.asarray(X)
    if rows.dtype.kind == "f" and not hasattr(X, "dtype"):  # a list whose whole numbers numpy has rounded
        rows = np.asarray(X, dtype=object)
    return list(enumerate(rows.T)) if rows.ndim == 2 else []


def _refuse_dtypes(owner, X):
    """Numpy would count their nanoseconds; of complex numbers it would drop a part."""
    dtypes = X.dtypes if isinstance(X, pd.DataFrame) else [getattr(X, "dtype", None)]
    for j, dtype in enumerate(dtypes):
        if getattr(dtype, "kind", "") in ("m", "M"):
            raise ValueError(f"{owner}: column {_name(X, j)!r} holds dates or times; {_ADVICE['dates']}.")
        if getattr(dtype, "kind", "") == "c" and isinstance(X, pd.DataFrame):
            raise ValueError(f"{owner}: column {_name(X, j)!r} holds a complex; {_ADVICE['objects']}.")


def refuse_merging(owner, X, suspects):
    """Raise if a table holds a whole number that float64 does not.

    Parameters
    ----------
    owner : str
        Name of the estimator.
    X : array-like (n_samples, n_features)
    suspects : iterable of int
        The columns that may hold one.
    """
    columns = _columns(X)
    for j in suspects:
        name, column = columns[j]
        if getattr(column.dtype, "kind", "") in "iu":
            column = column.dropna() if isinstance(X, pd.DataFrame) else column
            column = column[(column > ALL_WHOLE) | (column < -ALL_WHOLE)]
        check_whole(owner, name, column)


def _not_numeric(X):
    """Which column of a table is not numeric and what to do about it; None if that is not the problem."""
    try:
        columns = _columns(X)
    except (TypeError, ValueError, OverflowError):  # no table: that is the problem
        return None
    missing, usable = None, "biuf" if isinstance(X, pd.DataFrame) else "biufc"
    for name, column in columns:
        if getattr(column.dtype, "kind", "O") in usable:
            continue
        for value in column:
            if value is pd.NA:
                missing = missing or f"column {name!r} holds missing values ({value}); {_ADVICE['missing']}"
            elif not _is_number(value):
                if isinstance(value, str):
                    return f"column {name!r} holds text such as {one_line(value, 60)!r}; {_ADVICE['text']}"
                if isinstance(X, pd.DataFrame):
                    return f"column {name!r} holds a {type(value).__name__}; {_ADVICE['objects']}"
            elif isinstance(value, numbers.Integral) and abs(value) > sys.float_info.max:
                return f"column {name!r} holds a whole number beyond all floats; {_ADVICE['infinite']}"
    return missing


def _is_number(value):
    if isinstance(value, complex | np.complexfloating):
        return False
    try:
        float(value)
    except OverflowError:
        return True
    except (TypeError, ValueError):
        return False
    return True
