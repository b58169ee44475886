"""Entropy, conditional entropy and information gain: printed values, bounds, mistakes."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studylib.trees import conditional_entropy, entropy, information_gain

COUNTS = st.lists(st.integers(1, 40), min_size=1, max_size=8)
PAIRS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc")), min_size=1, max_size=30)


def test_coin_die_and_eight_values():
    assert entropy(["heads", "tails"]) == 1.0
    assert entropy(range(1, 7)) == pytest.approx(2.58, abs=0.005)
    assert entropy(range(8)) == 3.0
    assert entropy(range(8), base=8) == pytest.approx(1.0)
    assert entropy([0, 1], base=math.e) == pytest.approx(math.log(2))
    assert str(entropy(["a", "a"])) == "0.0"


@given(counts=COUNTS)
def test_entropy_is_at_most_log_k_and_equal_only_for_the_uniform_distribution(counts):
    h, limit = entropy(np.repeat(np.arange(len(counts)), counts)), math.log2(len(counts))
    assert 0.0 <= h <= limit + 1e-12
    assert (abs(h - limit) < 1e-9) == (len(set(counts)) == 1)


@given(pairs=PAIRS)
def test_gain_is_symmetric_and_between_zero_and_either_entropy(pairs):
    x, y = zip(*pairs, strict=True)
    gain = information_gain(x, y)
    assert gain == pytest.approx(information_gain(y, x), abs=1e-12)
    assert -1e-12 <= gain <= min(entropy(x), entropy(y)) + 1e-12
    assert gain == pytest.approx(entropy(y) - conditional_entropy(x, y), abs=1e-12)
    assert conditional_entropy(y, y) == 0.0


@given(pairs=PAIRS)
def test_names_of_values_do_not_matter(pairs):
    x, y = zip(*pairs, strict=True)
    renamed = [f"value {9 - v}" for v in x]
    assert information_gain(renamed, y) == information_gain(x, y)


def test_missing_entries_are_a_value_of_their_own():
    assert entropy([None, None, "a", "a"]) == 1.0
    assert information_gain([np.nan, np.nan, 1.0, 1.0], [0, 0, 1, 1]) == 1.0
    assert entropy(pd.Categorical(["a", None])) == 1.0


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="entropy: y must be one column of one entry or more, got shape"):
        entropy([])
    with pytest.raises(ValueError, match=r"entropy: y must be one column .*, got shape \(2, 2\)"):
        entropy(np.eye(2))
    with pytest.raises(ValueError, match="information_gain: column has 2 entries and y has 3"):
        information_gain([1, 2], [1, 2, 3])
    for base in (1, 0, -2, math.inf, math.nan, True, "2"):
        with pytest.raises(ValueError, match="entropy: base must be a number above 1, got"):
            entropy([1, 2], base=base)
