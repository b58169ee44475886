"""What TreePredictor accepts: parameters, tables and labels, each checked with one clear sentence."""

import numbers

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from studylib.core.parameters import check_boolean, check_integer, check_real, describe
from studylib.trees import _grow
from studylib.trees.conditions import BinaryCondition
from studylib.trees.criteria import criterion_code

NO_LIMIT = 2**62


def growth_settings(tree, d):
    """Growth settings for the kernels, every parameter checked."""
    name = type(tree).__name__
    if not callable(tree.criterion):
        criterion = criterion_code(name, tree.criterion, tree.source_compatible)
    else:
        criterion = -1
    _check_condition(name, "continuous_condition", tree.continuous_condition, ("threshold", "equality"))
    _check_condition(name, "categorical_condition", tree.categorical_condition, ("membership", "equality"))
    if tree.stop is not None and not callable(tree.stop):
        raise ValueError(
            f"{name}: stop must be None or a callable stop(counts, depth), got {describe(tree.stop)}."
        )
    check_laplace(tree)
    root = int(check_boolean(name, "source_compatible", tree.source_compatible))  # its depth
    return _grow.Settings(
        criterion=criterion,
        max_depth=check_integer(name, "max_depth", tree.max_depth, root, none_as=NO_LIMIT) - root,
        max_leaf_nodes=check_integer(name, "max_leaf_nodes", tree.max_leaf_nodes, 1, none_as=NO_LIMIT),
        max_nodes=check_integer(name, "max_nodes", tree.max_nodes, 1, none_as=NO_LIMIT),
        min_samples_split=check_integer(name, "min_samples_split", tree.min_samples_split, 1),
        min_entropy=check_real(name, "min_entropy", tree.min_entropy, 0.0),
        max_features=n_columns_drawn(name, tree.max_features, d),
        source_compatible=bool(root),
    )


def _check_condition(owner, name, value, allowed):
    """Accept one of ``allowed`` strings, or a class that proposes conditions."""
    if isinstance(value, str) and value in allowed:
        return
    own = isinstance(value, type) and issubclass(value, BinaryCondition)
    if not (own and callable(getattr(value, "candidates", None))):
        choices = ", ".join(repr(a) for a in allowed)
        raise ValueError(
            f"{owner}: {name} must be one of {choices} or a subclass of BinaryCondition with a classmethod "
            f"candidates(values), got {describe(value)}."
        )


def check_laplace(tree):
    """``laplace`` as a float."""
    return check_real(type(tree).__name__, "laplace", tree.laplace, 0.0, 1e9)  # not infinite


def n_columns_drawn(name, value, d):
    """``max_features`` as a number of columns."""
    if value is None:
        return d
    if isinstance(value, str) and value in ("sqrt", "log2"):
        return max(1, int(np.ceil(np.sqrt(d) if value == "sqrt" else np.log2(d))))
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and 1 <= value <= d:
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and 0 < value <= 1:
        return int(np.ceil(round(value * d, 9)))  # 0.07 of 100 are 7, whatever 0.07 * 100 is in binary
    raise ValueError(
        f"{name}: max_features must be None, 'sqrt', 'log2', an integer from 1 to {d} (the number of "
        f"columns) or a share in (0, 1], got {describe(value)}."
    )


def table(tree, X, y=None):
    """``X`` as a frame or float64 array, its shape and names checked; with ``y``, both for ``fit``."""
    fitting = y is not None
    if fitting:
        _check_known(tree, y)
    if isinstance(X, (list, tuple)) and any(isinstance(entry, str) for row in X for entry in np.ravel(row)):
        X = np.asarray(X, dtype=object)
    if hasattr(X, "dtype") and getattr(X.dtype, "kind", "") in "OUS" and np.ndim(X) == 2:
        # An array of mixed objects: its columns say themselves what they hold.
        X = pd.DataFrame(X).infer_objects()
        X.columns = [f"x{j}" for j in range(X.shape[1])]
        _check_rows(tree, X)
        validate_data(tree, X.to_numpy(), reset=fitting, skip_check_array=True)
    elif isinstance(X, pd.DataFrame):
        _check_rows(tree, X)
        validate_data(tree, X, reset=fitting, skip_check_array=True)
    elif fitting:
        X, y = validate_data(tree, X, y, dtype=np.float64, ensure_all_finite="allow-nan", accept_sparse=False)
    else:
        X = validate_data(tree, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
    if not fitting:
        return X
    return X, _matching(tree, X, y)


def labels(tree, X, y):
    """``y`` as an array of known labels, one a row of ``X``."""
    _check_known(tree, y)
    return _matching(tree, X, y)


def _check_known(tree, y):
    if np.any(pd.isna(y)):
        raise ValueError(f"{type(tree).__name__}: y contains missing labels (NaN).")


def _matching(tree, X, y):
    y = column_or_1d(y, warn=True)
    if len(y) != len(X):
        raise ValueError(
            f"{type(tree).__name__}: X has {len(X)} rows and y has {len(y)} labels; they must match."
        )
    return y


def encoded(y):
    """Classes in ascending order, and ``y`` as indices into them, int32."""
    if y.dtype.kind in "OU":  # hashing texts is several times faster than sorting them
        codes, found = pd.factorize(y)
        check_classification_targets(found)
        classes, ranks = np.unique(found.astype(y.dtype), return_inverse=True)
        return classes, ranks[codes].astype(np.int32)
    check_classification_targets(y)
    classes, y = np.unique(y, return_inverse=True)
    return classes, y.astype(np.int32)


def _check_rows(tree, X):
    for axis, what in enumerate(("sample", "feature")):
        if X.shape[axis] == 0:
            raise ValueError(
                f"{type(tree).__name__}: found 0 {what}(s) (shape={X.shape}) while a minimum of 1 is "
                "required."
            )
    if not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()][0]
        raise ValueError(f"{type(tree).__name__}: the column name {twice!r} stands more than once in X.")
