"""Standardisation that no finite number breaks."""

import copy

import numpy as np

_LARGEST_SCALED = 1e150  # standardised numbers are cut off here, where sums of products are still finite


class Scaling:
    """Brings features to mean 0 and deviation 1, as they were in ``X``.

    Features are first divided by a power of two close to their largest value: that is exact, and neither the
    sum nor the squares can overflow.  A constant feature becomes 0.

    ``X`` is float64 (n, d), or an iterable of such tables with some of the features each.  The sums are in
    the order in which it lies in memory, which is part of the results: callers keep to one layout.
    """

    def __init__(self, X):
        parts = zip(*map(_constants, [X] if isinstance(X, np.ndarray) else X), strict=True)
        self.unit, self.center, self.scale = map(np.concatenate, parts)

    def __getitem__(self, features):
        """The scaling of some features."""
        some = copy.copy(self)
        some.unit, some.center, some.scale = self.unit[features], self.center[features], self.scale[features]
        return some

    def __call__(self, X, order="C"):
        """``X`` standardised, a new array in C order, or in "F" order."""
        try:
            with np.errstate(over="raise"):
                return self._scaled(X, order)
        except FloatingPointError:  # numbers far beyond those of the training table
            with np.errstate(over="ignore"):
                return np.clip(self._scaled(X, order), -_LARGEST_SCALED, _LARGEST_SCALED)

    def _scaled(self, X, order):
        X = np.divide(X, self.unit, order=order)
        X -= self.center
        X /= self.scale
        return X


def _constants(X):
    """Unit, centre and scale of features."""
    low, high = X.min(axis=0), X.max(axis=0)
    unit = np.ldexp(1.0, np.frexp(np.maximum(-low, high))[1] - 1)
    X = X / unit
    constant = low == high
    center = np.where(constant, X[0], X.mean(axis=0))
    X -= center
    return unit, center, np.where(constant, 1.0, np.sqrt(np.einsum("ij,ij->j", X, X) / len(X)))
