"""Parts of the growing kernels by themselves, where a whole tree seldom meets the case."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from studylib.core.kernels import midpoint
from studylib.core.random import next_word, spawn_states
from studylib.trees import _gains, _grow
from studylib.trees._class_counts import make_cells

TINY = 5e-324


@pytest.mark.parametrize(
    "numbers",
    [
        [k * TINY for k in range(12)],
        [-1.7e308, -1e308, -1.0, 0.0, 1.0, 1e308, 1.7e308],
        [1.0, math.nextafter(1, 2), math.nextafter(1, 0), 1.5, 3.0],
        [-3.5, -TINY, 0.1, 0.2, 0.3, 2.0**53, 2.0**53 + 2],
    ],
)
def test_a_threshold_is_the_float_next_to_the_middle_but_below_the_higher_value(numbers):
    for low, high in combinations(sorted(numbers), 2):
        middle = float((Fraction(low) + Fraction(high)) / 2)
        assert midpoint(low, high) == (middle if middle < high else low)


@pytest.mark.parametrize("m", [1, 2, 5])
def test_drawn_features_are_those_of_a_shuffle_in_ascending_order(m):
    d = 7
    features = np.arange(d, dtype=np.int32)
    plain, orders = list(range(d)), set()
    state, same = spawn_states(0, 1)[0], spawn_states(0, 1)[0]
    cells = make_cells(2, np.full(d, 2, np.int64), 2)[2]
    for _ in range(30):
        for start in range(0, d - m, m):
            for i in range(start, start + m):
                j = i + int(next_word(same)) % (d - i)
                plain[i], plain[j] = plain[j], plain[i]
            plain[start : start + m] = sorted(plain[start : start + m])
            _grow._draw_features(features, state, start, m, cells.words, cells.groups)
            assert features.tolist() == plain
            orders.add(tuple(plain))
    assert len(orders) > 20


def test_every_gain_is_worth_a_split_unless_a_least_one_is_asked_for():
    for criterion in (_gains.GINI, _gains.CHI_SQUARE):
        assert _gains.is_worth(-0.5, 2.0, 8.0, criterion, 0.0)  # an index of the user's may say so
        assert not _gains.is_worth(-0.5, 2.0, 8.0, criterion, 0.01)
    assert _gains.is_worth(0.4, 2.0, 8.0, _gains.GINI, 0.1)
    assert not _gains.is_worth(0.4, 2.0, 8.0, _gains.GINI, 0.101)
    assert _gains.is_worth(0.3, 1.0, 3.0, _gains.GINI, 0.1)  # a third of it is just below, by rounding
    assert _gains.is_worth(0.8, 2.0, 8.0, _gains.CHI_SQUARE, 0.1)
    assert not _gains.is_worth(0.8, 2.0, 8.0, _gains.CHI_SQUARE, 0.101)
