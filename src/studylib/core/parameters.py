"""Parameters as data: constraints, and one clear error message for each kind of mistake.

An estimator has a table, ``_constraints``, from its parameters to constraints, in the order of ``__init__``.
A constraint is called with ``(owner, name, value)``; it returns the value as the algorithm takes it, for
example an int for a numpy integer, or raises ``ValueError``.  :meth:`studylib.core.model.Model._checked`
applies the table; ``fit`` calls it before it looks at the data.
"""

import numbers
import sys
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from sklearn import utils

_LARGEST = 2**62
_MOST_JOBS = 4096  # each has a thread


def describe(value):
    """A value as it should appear in an error: short, in one line, with its type when that is the problem."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a number of thousands of digits, or an object that cannot say what it is
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}... ({type(value).__name__})"


def check_integer(owner, name, value, low, high=None, *, none_as=None):
    """Return ``value`` as an int within ``[low, high]``; ``None`` becomes ``none_as`` where that is given."""
    if value is None and none_as is not None:
        return none_as
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and value >= low:
        if high is None:
            return min(int(value), _LARGEST)  # beyond that it is no limit at all, and must fit into 64 bits
        if value <= high:
            return int(value)
    allowed = f"an integer >= {low}" if high is None else f"an integer from {low} to {high}"
    allowed += " or None" if none_as is not None else ""
    raise ValueError(f"{owner}: {name} must be {allowed}, got {describe(value)}.")


def check_real(owner, name, value, low, high=float("inf")):
    """Return ``value`` as a float within ``[low, high]``."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and low <= value <= high:
        try:
            return float(value)
        except OverflowError:  # a whole number beyond all floats
            high = sys.float_info.max
    allowed = f"a number >= {low:g}" if high == float("inf") else f"a number from {low:g} to {high:g}"
    raise ValueError(f"{owner}: {name} must be {allowed}, got {describe(value)}.")


def check_random_state(value, owner=None):
    """The ``RandomState`` that ``random_state`` stands for, as in scikit-learn."""
    try:
        return utils.check_random_state(value)
    except Exception:  # whatever numpy makes of it, or of its repr
        of = f"{owner}: " if owner else ""
        raise ValueError(
            f"{of}random_state must be None, an integer from 0 to 4294967295 or a numpy.random.RandomState, "
            f"got {describe(value)}."
        ) from None


_SHARES = {
    None: lambda d: d,
    "half": lambda d: d / 2,
    "sqrt": np.sqrt,
    "log2": np.log2,
    "ceil_sqrt": lambda d: np.ceil(np.sqrt(d)),
}


def resolve_max_features(owner, value, d, named=(None, "sqrt", "log2")):
    """``max_features`` as a number of features, rounded down as scikit-learn does, and at least 1.

    The value is None, all features; √d, log2 d, d/2 ("half") or ⌈√d⌉ ("ceil_sqrt"); a number; or a share of
    ``d``.  With None for ``d``, the value is only checked.  ``named`` are the names that the owner accepts,
    and None if it does.
    """
    known = (value is None or isinstance(value, str)) and value in named
    if known:
        return 0 if d is None else max(1, int(_SHARES[value](d)))
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and 1 <= value <= (d or _LARGEST):
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and 0 < value <= 1:
        return 0 if d is None else max(1, int(value * d))
    names = ", ".join(repr(name) for name in named)
    most = "the number of features" if d is None else f"{d} (the number of features)"
    raise ValueError(
        f"{owner}: max_features must be {names}, an integer from 1 to {most} or a share in (0, 1], got "
        f"{describe(value)}."
    )


def check_n_jobs(owner, value):
    """Return ``n_jobs`` if joblib can make something of it."""
    if value is None:
        return value
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if whole and value != 0 and value <= _MOST_JOBS:
        return value
    most = f" and at most {_MOST_JOBS}" if whole and value > 0 else ""
    raise ValueError(
        f"{owner}: n_jobs must be None or an integer other than 0{most} (-1 takes all processors), got "
        f"{describe(value)}."
    )


def check_boolean(owner, name, value):
    """Return ``value`` as a bool if it is one."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{owner}: {name} must be True or False, got {describe(value)}.")


def check_choice(owner, name, value, allowed):
    """Return ``value`` if it is one of ``allowed`` strings."""
    if isinstance(value, str) and value in allowed:
        return value
    choices = ", ".join(repr(a) for a in allowed)
    raise ValueError(f"{owner}: {name} must be one of {choices}, got {describe(value)}.")


class Integer(NamedTuple):
    """Constraint: an integer within ``[low, high]``, or None where ``none_as`` is given in its place."""

    low: int
    high: int | None = None
    none_as: int | None = None

    def __call__(self, owner, name, value):
        return check_integer(owner, name, value, self.low, self.high, none_as=self.none_as)


#: Constraint of a number of things to be made: more than a million can only be a mistake.
NUMBER = Integer(1, 10**6)


class Real(NamedTuple):
    """Constraint: a number within ``[low, high]``."""

    low: float
    high: float = float("inf")

    def __call__(self, owner, name, value):
        return check_real(owner, name, value, self.low, self.high)


class Boolean(NamedTuple):
    """Constraint: True or False."""

    def __call__(self, owner, name, value):
        return check_boolean(owner, name, value)


class Choice(NamedTuple):
    """Constraint: one of some strings."""

    allowed: tuple

    def __call__(self, owner, name, value):
        return check_choice(owner, name, value, self.allowed)


class Jobs(NamedTuple):
    """Constraint: a number of threads, as joblib takes it."""

    def __call__(self, owner, name, value):
        return check_n_jobs(owner, value)


class RandomState(NamedTuple):
    """Constraint: a seed, generator or None for scikit-learn; returned as it is, and nothing is drawn."""

    def __call__(self, owner, name, value):
        # To make a generator of a seed takes a tenth of a millisecond, as long as to grow six small trees.
        if not (type(value) is int and 0 <= value < 2**32):
            check_random_state(value, owner)
        return value


class MaxFeatures(NamedTuple):
    """Constraint: a number of features in any form that :func:`resolve_max_features` takes."""

    named: tuple = (None, "sqrt", "log2")

    def __call__(self, owner, name, value):
        resolve_max_features(owner, value, None, self.named)
        return value


class ClassWeight(NamedTuple):
    """Constraint: None, one of some names, or a dict, which is later compared with the data's classes."""

    named: tuple = ("balanced",)

    def __call__(self, owner, name, value):
        if value is None or isinstance(value, Mapping) or (isinstance(value, str) and value in self.named):
            return value
        names = ", ".join(repr(known) for known in self.named)
        raise ValueError(
            f"{owner}: {name} must be None, {names} or a dict of class to weight, got {describe(value)}."
        )


class CategoricalFeatures(NamedTuple):
    """Constraint: which columns hold categories, see :class:`studylib.core.table.TableReader`.

    Indices and names are compared with the table later.
    """

    ALLOWED = '"auto", "from_dtype", None, a mask, or indices or names of columns'

    def __call__(self, owner, name, value):
        try:
            listed = np.ndim(value) == 1
        except ValueError:  # lists of several lengths
            listed = False
        if value is None or listed or (isinstance(value, str) and value in ("auto", "from_dtype")):
            return value
        raise ValueError(f"{owner}: {name} must be {self.ALLOWED}, got {describe(value)}.")


class CallableOr(NamedTuple):
    """Constraint: a callable, or a value that another constraint allows."""

    constraint: object

    def __call__(self, owner, name, value):
        return value if callable(value) else self.constraint(owner, name, value)
