"""Conditions: the questions that a tree asks about one feature.

The hierarchy follows section 3.2 of the mushroom study: a condition maps a value to the index of an
outcome, a binary condition to 0 (false) or 1 (true).  A fitted tree stores the conditions below as numbers
only; these objects are how it shows them.  Custom conditions are kept as objects.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from studylib.core.parameters import describe


class _Missing(float):
    """NaN, but one object also after pickling and copying: conditions with it stay equal to themselves."""

    __slots__ = ()

    def __reduce__(self):
        return "MISSING"

    def __repr__(self):
        return "MISSING"


#: Value of a membership or equality condition that asks whether the entry is missing.
MISSING = _Missing("nan")


def shown(value):
    """A value as it appears in a condition's description."""
    return (
        repr(value) if isinstance(value, str) else f"{value:.12g}" if isinstance(value, float) else str(value)
    )


class Condition(ABC):
    """A question about one feature with ``n_outcomes`` answers.

    Examples
    --------
    >>> from studylib.trees import Condition, ThresholdCondition
    >>> condition = ThresholdCondition(2.5)
    >>> isinstance(condition, Condition), condition.n_outcomes, condition.test(1.0)
    (True, 2, 1)
    """

    n_outcomes: int

    @abstractmethod
    def test(self, value) -> int:
        """Index of the outcome for a value, from 0 to ``n_outcomes - 1``."""

    @abstractmethod
    def describe(self, feature, outcome) -> str:
        """The outcome in words, with the feature's name."""


class BinaryCondition(Condition):
    """A condition that is false (0) or true (1).

    A subclass with one more method, the classmethod ``candidates(values)``, can be what a tree asks: pass
    the class as ``continuous_condition`` or ``categorical_condition``.  ``candidates`` gets the distinct
    known values of a column in a node (ascending; float64, or objects for categories) and returns a list
    of conditions; a tie goes to the first in the list.  Missing values are never asked, they take
    the false branch.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from studylib.trees import BinaryCondition, TreePredictor
    >>> @dataclass(frozen=True)
    ... class Multiple(BinaryCondition):
    ...     of: int
    ...
    ...     @classmethod
    ...     def candidates(cls, values):
    ...         return [cls(k) for k in range(2, 5)]
    ...
    ...     def test(self, value):
    ...         return int(value % self.of == 0)
    ...
    ...     def describe(self, feature, outcome):
    ...         return f"{feature} is {'a' if outcome else 'no'} multiple of {self.of}"
    >>> tree = TreePredictor(continuous_condition=Multiple)
    >>> print(tree.fit([[1], [3], [5], [6], [8]], ["no", "yes", "no", "yes", "no"]).to_text())
    x0 is a multiple of 3 → yes  (2 samples)
    x0 is no multiple of 3 → no  (3 samples)
    """

    n_outcomes = 2

    @classmethod
    def tests(cls, values, conditions):
        """Outcome of each condition for each value, bool (n_conditions, n_values).

        Override it (as a class or static method) where all outcomes can be computed at once.
        """
        return np.array([[condition.test(value) for value in values] for condition in conditions], bool)


class Asked(NamedTuple):
    """Constraint of the question asked of a kind of column: a named one, or a class that proposes some."""

    allowed: tuple

    def __call__(self, owner, name, value):
        custom = isinstance(value, type) and issubclass(value, BinaryCondition)
        if custom and callable(getattr(value, "candidates", None)):
            return value
        if isinstance(value, str) and value in self.allowed:
            return value
        choices = ", ".join(repr(a) for a in self.allowed)
        raise ValueError(
            f"{owner}: {name} must be one of {choices} or a subclass of BinaryCondition with a classmethod "
            f"candidates(values), got {describe(value)}."
        )


@dataclass(frozen=True)
class ThresholdCondition(BinaryCondition):
    """T_θ(x): true if ``x <= threshold``.  A missing value is never below a threshold.

    A threshold of infinity asks whether the value is known.

    Parameters
    ----------
    threshold : float
        θ, in the units of the feature.

    Examples
    --------
    >>> from studylib.trees import ThresholdCondition
    >>> condition = ThresholdCondition(2.5)
    >>> condition.test(2.0), condition.test(float("nan")), condition.describe("width", 1)
    (1, 0, 'width ≤ 2.5')
    """

    threshold: float

    def test(self, value):
        return 0 if pd.isna(value) else int(value <= self.threshold)

    def describe(self, feature, outcome):
        if self.threshold == float("inf"):
            return f"{feature} is known" if outcome else f"{feature} is missing"
        return f"{feature} {'≤' if outcome else '>'} {shown(self.threshold)}"


@dataclass(frozen=True)
class MembershipCondition(BinaryCondition):
    """M_θ(x): true if ``x`` is one of ``values``; ``MISSING`` in ``values`` stands for a missing entry.

    Parameters
    ----------
    values : tuple
        θ, the set of values.

    Examples
    --------
    >>> from studylib.trees import MISSING, MembershipCondition
    >>> condition = MembershipCondition(("red", MISSING))
    >>> condition.test("red"), condition.test(None), condition.describe("colour", 0)
    (1, 1, "colour ∉ {'red', missing}")
    """

    values: tuple

    def test(self, value):
        missing = bool(pd.isna(value))
        return int(any(bool(pd.isna(v)) if missing else v == value for v in self.values))

    def describe(self, feature, outcome):
        if len(self.values) == 1:
            return EqualityCondition(self.values[0]).describe(feature, outcome)
        inside = ", ".join("missing" if pd.isna(v) else shown(v) for v in self.values)
        return f"{feature} {'∈' if outcome else '∉'} {{{inside}}}"


@dataclass(frozen=True)
class EqualityCondition(BinaryCondition):
    """E_θ(x): true if ``x`` equals ``value``.

    Parameters
    ----------
    value : object
        θ; ``MISSING`` stands for a missing entry.

    Examples
    --------
    >>> from studylib.trees import EqualityCondition
    >>> condition = EqualityCondition("red")
    >>> condition.test("red"), condition.test("blue"), condition.describe("colour", 1)
    (1, 0, "colour = 'red'")
    """

    value: Any

    # In a tuple, MISSING equals itself though it is a NaN. Dataclasses compare tuples up to Python 3.12 only.
    def __eq__(self, other):
        return (self.value,) == (other.value,) if other.__class__ is self.__class__ else NotImplemented

    def test(self, value):
        return MembershipCondition((self.value,)).test(value)

    def describe(self, feature, outcome):
        if pd.isna(self.value):
            return f"{feature} is missing" if outcome else f"{feature} is known"
        return f"{feature} {'=' if outcome else '≠'} {shown(self.value)}"


@dataclass(frozen=True)
class ValueCondition(Condition):
    """Choice among ``values``: one outcome each, and -1 for a value that is none of them.

    ``MISSING`` in ``values`` stands for a missing entry.

    Parameters
    ----------
    values : tuple
        One value for each outcome.

    Examples
    --------
    >>> from studylib.trees import ValueCondition
    >>> condition = ValueCondition(("red", "green", "blue"))
    >>> condition.n_outcomes, condition.test("green"), condition.test("black")
    (3, 1, -1)
    """

    values: tuple

    @property
    def n_outcomes(self):
        """Number of outcomes: one for each of ``values``."""
        return len(self.values)

    def test(self, value):
        return next((k for k, v in enumerate(self.values) if EqualityCondition(v).test(value)), -1)

    def describe(self, feature, outcome):
        return EqualityCondition(self.values[outcome]).describe(feature, 1)


@dataclass(frozen=True)
class CutCondition(Condition):
    """Side of ``threshold`` that a number is on: outcome 0 up to it, 1 above it.

    A missing one has the last outcome if ``has_missing``, else -1.  A threshold of infinity asks whether the
    value is known.

    Parameters
    ----------
    threshold : float
        In the units of the feature.
    has_missing : bool
        Whether missing values were seen in training.

    Examples
    --------
    >>> from studylib.trees import CutCondition
    >>> condition = CutCondition(2.5, has_missing=True)
    >>> condition.n_outcomes, condition.test(3.0), condition.test(None), condition.describe("width", 2)
    (3, 1, 2, 'width is missing')
    """

    threshold: float
    has_missing: bool = False

    @property
    def n_outcomes(self):
        """Number of outcomes: two, and one more for missing values where numbers are on both sides."""
        return 2 + (self.has_missing and self.threshold < np.inf)

    def test(self, value):
        if pd.isna(value):
            return self.n_outcomes - 1 if self.has_missing else -1
        return int(value > self.threshold)

    def describe(self, feature, outcome):
        if self.has_missing and outcome == self.n_outcomes - 1:
            return f"{feature} is missing"
        return ThresholdCondition(self.threshold).describe(feature, 1 - outcome)
