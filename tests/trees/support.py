"""What the tests of trees share."""

import itertools
from dataclasses import dataclass

import numba
import numpy as np
import pandas as pd
import pytest

from studylib.trees import MULTIWAY_CRITERIA, BinaryCondition, MembershipCondition, ThresholdCondition

BOTH_MODES = pytest.mark.parametrize("source", [False, True], ids=["default", "source"])
BOTH_MODES_ONE_QUICK = pytest.mark.parametrize(
    "source", [pytest.param(False, id="default"), pytest.param(True, marks=pytest.mark.slow, id="source")]
)
#: Of multiway trees; `make test` runs two.
EVERY_CRITERION = pytest.mark.parametrize(
    "criterion",
    [
        pytest.param(name, marks=() if name in ("information", "gain_ratio") else pytest.mark.slow)
        for name in MULTIWAY_CRITERIA
    ],
)


def mushrooms(n=60, seed=0):
    """Two categorical and two numeric columns with gaps in one of each, and three classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "cap": rng.choice(["bell", "flat", "sunken"], n),
            "height": rng.integers(1, 30, n) / 4,
            "ring": rng.choice(["none", "large", None], n),
            "width": np.where(rng.random(n) < 0.2, np.nan, rng.integers(1, 12, n)),
        }
    )
    return X, np.array(["edible", "poisonous", "unknown"])[rng.integers(0, 3, n)]


def plain_gini(counts):
    """The index as a user would write it."""
    shares = counts / counts.sum()
    return 1.0 - (shares * shares).sum()


def assert_same_tree(tree, other):
    assert tree.nodes_.tobytes() == other.nodes_.tobytes()
    assert tree.class_counts_.tolist() == other.class_counts_.tolist()
    assert tree.classes_.tolist() == other.classes_.tolist()


LARGEST_SUBSET = 3


class Subset(MembershipCondition):
    """x is one of up to three values."""

    @classmethod
    def candidates(cls, values):
        sizes = range(1, min(LARGEST_SUBSET, len(values)) + 1)
        return [cls(chosen) for size in sizes for chosen in itertools.combinations(values, size)]


@dataclass(frozen=True)
class Interval(BinaryCondition):
    low: float
    high: float

    @classmethod
    def candidates(cls, values):
        return [cls(low, high) for low, high in itertools.combinations_with_replacement(values, 2)]

    def test(self, value):
        return int(self.low <= value <= self.high)

    def describe(self, feature, outcome):
        return f"{feature} {'in' if outcome else 'not in'} [{self.low:g}, {self.high:g}]"


@numba.njit
def inside(values, low, high):
    out = np.empty((len(low), len(values)), np.bool_)
    for k in range(len(low)):
        for v in range(len(values)):
            out[k, v] = low[k] <= values[v] <= high[k]
    return out


class FastInterval(Interval):
    """The same, all outcomes at once."""

    @staticmethod
    def tests(values, conditions):
        low, high = np.array([(c.low, c.high) for c in conditions]).T
        return inside(values, low.copy(), high.copy())

    def test(self, value):
        raise AssertionError("FastInterval has a faster way")


class Middle(ThresholdCondition):
    """x is at most the middle one of the node's values: a single candidate."""

    @classmethod
    def candidates(cls, values):
        return [cls(values[(len(values) - 1) // 2])]


def early(counts, depth):
    """A stopping rule: the node is small or deep."""
    return counts.sum() < 3 or depth > 19
