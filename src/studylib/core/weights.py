"""Weights of training samples: those that are given, times those of their classes, whatever their size."""

from collections.abc import Mapping

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from studylib.core.parameters import check_real, describe
from studylib.core.text import shorten

_MODERATE = 300  # weights up to 2^300 have products and sums of products that are finite
_LIGHTEST = 500  # powers of two below the heaviest sample; the product of two such weights is not 0 yet


def training_weights(estimator, X, y, sample_weight, class_weight=None):
    """Weight of each sample, float64 (n_samples,); None if neither kind of weight is given.

    Weights of usual size stay as they are.  Others are multiplied by a power of two, which is exact and
    leaves their ratios as they are; a sample that is lighter than the heaviest by 2⁵⁰⁰ gets weight 0.  The
    estimator has ``classes_``, into which ``y`` are indices.
    """
    if sample_weight is None and class_weight is None:
        return None
    name = type(estimator).__name__
    weight = np.ones(len(y))
    if sample_weight is not None:
        weight = check_sample_weight(name, sample_weight, X)
    if class_weight is not None:
        by_class = class_weights(name, class_weight, estimator.classes_, y, weight)
        weight = _moderate(*_product(weight, by_class[y]))
    if not weight.any():
        raise ValueError(f"{name}: no sample has a positive weight; at least one must have.")
    return weight


def check_sample_weight(owner, sample_weight, X):
    """Weights of rows, finite and not negative, float64 (n_samples,), scaled as ``training_weights`` does."""
    if np.ma.is_masked(sample_weight):
        raise ValueError(f"{owner}: sample_weight has missing entries (under a mask); fill them in.")
    try:
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{owner}: sample_weight cannot be used: {shorten(error, 300)}") from error
    with np.errstate(over="ignore"):
        total = weight.sum()
    if total == np.inf:
        raise ValueError(f"{owner}: sample_weight adds up to infinity; divide it by its largest entry.")
    return _moderate(weight)


def class_weights(owner, class_weight, classes, y, weight=None):
    """Weight of each class, float64 (n_classes,), from "balanced" or a dict of class to weight.

    Balanced classes have the same total weight; a class that a dict does not name has weight 1.  ``y`` are
    class indices, int (n_samples,), ``weight`` is float (n_samples,) or None.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(y, weight, minlength=len(classes))
        present = totals > 0
        return np.divide(totals.sum(), present.sum() * totals, out=np.zeros(len(classes)), where=present)
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"{owner}: class_weight must be None, 'balanced' or a dict of class to weight, got "
            f"{describe(class_weight)}."
        )
    named = {
        label: check_real(owner, f"class_weight[{label!r}]", value, 0.0, 1e300)
        for label, value in class_weight.items()
    }
    known = classes.tolist()
    strange = [label for label in named if label not in known]
    if strange and not set(known) <= set(named):  # a fold may lack a class, but this may be a wrong name
        raise ValueError(
            f"{owner}: class_weight has the class {strange[0]!r}, but y has only {describe(known)}."
        )
    return np.array([named.get(label, 1.0) for label in known])


def weighted_mean(values, weight, rows, otherwise):
    """Mean of ``values``, which belong to some rows; ``otherwise`` if those weigh nothing together."""
    if weight is None:
        return np.mean(values) if len(rows) else otherwise
    weight = weight[rows]
    return np.average(values, weights=weight) if weight.any() else otherwise


def _product(a, b):
    """Products of non-negative numbers as ``(numbers, exponents)`` of two, for :func:`_moderate`."""
    (a, power), (b, power_of_b) = np.frexp(a), np.frexp(b)
    return a * b, power + power_of_b


def _moderate(weight, power=0):
    """``weight · 2^power`` with finite sums and products: as it is, or all times a power of two."""
    fraction, exponent = np.frexp(weight)
    power = np.where(fraction > 0, exponent + power, np.iinfo(np.int32).min // 2)
    top = power.max()
    weight = np.ldexp(fraction, power - top if abs(top) > _MODERATE else power)
    light = power < top - _LIGHTEST
    return np.where(light, 0.0, weight) if light.any() else weight
