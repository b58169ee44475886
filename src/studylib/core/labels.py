"""Labels of samples: as an array of their own dtype, and as indices into the classes."""

import numbers

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype
from sklearn.utils import multiclass, validation

from studylib.core.columns import ALL_WHOLE
from studylib.core.text import shorten

# What pandas calls entries that numpy has a dtype for, and that dtype's letters.
_NUMPY_HAS = {"integer": "iu", "boolean": "b", "floating": "f", "mixed-integer-float": "f"}


def encode_labels(owner, y, n):
    """Classes in ascending order, in the labels' dtype as numpy has it, and indices of ``y`` in them, int32.

    Raises ValueError, with the name of the owner, if there is not one label for each of ``n`` samples, one is
    missing, they have no order, or they are quantities.
    """
    y = as_labels(owner, y, n)
    if y.dtype.kind in "OU":  # hashing strings is several times faster than sorting them
        try:
            codes, present = pd.factorize(y)
        except TypeError as error:
            raise ValueError(f"{owner}: y holds what cannot be a label: {shorten(error)}.") from error
        _check_classes(owner, present)
        classes, ranks = np.unique(present.astype(y.dtype), return_inverse=True)
        return classes, ranks[codes].astype(np.int32)
    classes = _check_classes(owner, y)
    return classes, classes.searchsorted(y).astype(np.int32)


def as_labels(owner, y, n):
    """Labels as an array (n_samples,) of numpy's dtype; arguments and errors as in :func:`encode_labels`."""
    if y is None:
        raise ValueError(f"{owner}: fit requires y to be passed, but the target y is None.")
    if isinstance(y, list | tuple):
        y = _listed(y)
    if np.ma.is_masked(y):
        raise ValueError(f"{owner}: y contains missing labels (under a mask); drop these rows.")
    dtype = getattr(y, "dtype", None)
    if isinstance(y, pd.Series | pd.Index) or isinstance(dtype, pd.api.extensions.ExtensionDtype):
        y = _of_pandas(owner, y, dtype)
    try:
        y = validation.column_or_1d(np.asarray(y), warn=True)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{owner}: y cannot be used: {shorten(error, 300)}") from error
    if y.dtype.kind == "T":  # numpy's own strings, which pandas and scikit-learn do not know
        y = y.astype(object)
    if len(y) != n:
        raise ValueError(f"{owner}: X has {n} rows and y has {len(y)} labels; they must match.")
    if y.dtype.kind in "OfmM" and pd.isna(y).any():
        raise ValueError(f"{owner}: y contains missing labels ({y[pd.isna(y)][0]}); drop these rows.")
    return _inferred(owner, y) if y.dtype.kind == "O" else y


def _listed(labels):
    """A list as an array that holds the same labels."""
    kinds = set(map(type, labels))
    mixed = str in kinds and len(kinds) > 1  # numpy would make strings of the others
    if mixed or (len(kinds) > 1 and float in kinds) or any(issubclass(kind, int) for kind in kinds):
        entries = np.empty(len(labels), dtype=object)
        entries[:] = labels
        return entries
    return labels


def _of_pandas(owner, y, dtype):
    """Labels of pandas as an array of numpy."""
    if not isinstance(dtype, pd.api.extensions.ExtensionDtype) or isinstance(dtype, pd.CategoricalDtype):
        return np.asarray(y)
    if pd.isna(y).any():
        raise ValueError(f"{owner}: y contains missing labels ({pd.NA}); drop these rows.")
    like = getattr(dtype, "numpy_dtype", np.dtype(object))
    return y.to_numpy(dtype=like if like.kind in "biuf" else object)


def _inferred(owner, y):
    """Labels of dtype object with the dtype that numpy has for them, if it has one that keeps them apart."""
    kinds = _NUMPY_HAS.get(infer_dtype(y, skipna=False))
    if kinds is None:
        return y
    typed = np.array(y.tolist())
    if typed.dtype.kind == "f":
        for label in y:
            if isinstance(label, numbers.Integral) and abs(int(label)) > ALL_WHOLE:
                raise ValueError(
                    f"{owner}: y mixes floats with the whole number {label}, which float64 cannot hold "
                    "exactly; make strings of the labels, for example with astype(str)."
                )
    return typed if typed.dtype.kind in "biuf" else y


def _check_classes(owner, y):
    """The distinct labels in ascending order; an error if they have no order or scikit-learn refuses them."""
    try:
        known = np.unique(y)
    except TypeError as error:
        kinds = ", ".join(sorted({type(label).__name__ for label in y}))
        raise ValueError(
            f"{owner}: y mixes labels of types {kinds}, which cannot be compared; make strings of them."
        ) from error
    try:
        # Every label twice: of more labels than half the samples scikit-learn would warn.
        with np.errstate(invalid="ignore"):  # of infinity, which is refused
            multiclass.check_classification_targets(np.repeat(known, 2))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{owner}: {shorten(error)}") from error
    return known
