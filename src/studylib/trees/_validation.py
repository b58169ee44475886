"""What the classifiers of this package accept: parameters, tables and labels, checked."""

import numpy as np
import pandas as pd

from studylib.core.columns import check_unique_names, has_infinity, infinity, mixed_frame, refuse_sparse
from studylib.core.parameters import (
    check_boolean,
    check_integer,
    check_real,
    describe,
    resolve_max_features,
)
from studylib.core.tables import (
    check_classification_targets,
    column_or_1d,
    feature_names,
    validate_data,
)
from studylib.trees import _grow
from studylib.trees.conditions import BinaryCondition
from studylib.trees.criteria import criterion_code

NO_LIMIT = 2**62

#: Names that ``max_features`` accepts.
MAX_FEATURES = (None, "sqrt", "log2", "ceil_sqrt")


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
        max_features=resolve_max_features(name, tree.max_features, d, MAX_FEATURES),
        source_compatible=bool(root),
        **leaf_settings(tree),
    )


def leaf_settings(tree):
    """What a split must leave in its branches and gain, every parameter checked; by the kernels' names."""
    name = type(tree).__name__
    return {
        "min_samples_leaf": check_integer(name, "min_samples_leaf", tree.min_samples_leaf, 1),
        "min_weight_fraction_leaf": check_real(
            name, "min_weight_fraction_leaf", tree.min_weight_fraction_leaf, 0.0, 0.5
        ),
        "min_impurity_decrease": check_real(name, "min_impurity_decrease", tree.min_impurity_decrease, 0.0),
    }


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


def table(tree, X, y=None):
    """``X`` as a frame or float64 array, its shape and names checked; with ``y``, both for ``fit``."""
    fitting = y is not None
    refuse_sparse(type(tree).__name__, X)
    if fitting:
        _check_known(tree, y)
    given, X = X, mixed_frame(X)
    if X is not given and isinstance(X, pd.DataFrame):
        _check_rows(tree, X)
        validate_data(tree, X.to_numpy(), reset=fitting, skip_check_array=True)
    elif isinstance(X, pd.DataFrame):
        _check_rows(tree, X)
        validate_data(tree, X, reset=fitting, skip_check_array=True)
    else:
        valid = validate_data(
            tree, X, *([y] if fitting else []), dtype=np.float64, ensure_all_finite=False, reset=fitting
        )
        X, y = valid if fitting else (valid, None)
        if has_infinity(X):
            infinite = int(np.isinf(X).any(axis=0).argmax())
            raise infinity(type(tree).__name__, feature_names(tree)[infinite])
    if not fitting:
        return X
    return X, _matching(tree, X, y)


def labels(tree, X, y):
    """``y`` as an array of known labels, one per row of ``X``."""
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
    if y.dtype.kind in "OU":  # hashing strings is several times faster than sorting them
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
    check_unique_names(type(tree).__name__, X)
