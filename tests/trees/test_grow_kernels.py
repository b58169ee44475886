"""Parts of the growing kernels by themselves, where a whole tree seldom meets the case."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from studylib.core.kernels import midpoint
from studylib.core.random import next_word, spawn_states
from studylib.trees import _gains, _grow
from studylib.trees._class_counts import gather, make_cells, sizes_of

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


def thresholds_asked(monkeypatch, criterion, column, y, least_samples=1, best=-np.inf):
    """The best threshold's gain, or None, and all gains that were computed exactly on the way to it."""
    asked, gain = [], _gains.split_gain
    monkeypatch.setattr(_grow, "split_gain", lambda *given: asked.append(gain(*given)) or asked[-1])
    monkeypatch.setattr(_grow, "without_refcount", lambda arrays: arrays)
    for name in ("_best_in_column", "_best_threshold_of_two"):
        kernel = getattr(_grow, name)
        monkeypatch.setattr(_grow, name, getattr(kernel, "py_func", kernel))
    n, n_codes, n_classes = len(y), int(column.max()) + 1, int(y.max()) + 1
    weight, samples = np.random.default_rng(1).random(n) + 0.5, np.arange(n, dtype=np.int32)
    cells = make_cells(n, np.array([n_codes]), n_classes)[2]
    m = gather(column, n_codes, samples, y, weight, n_classes, cells)
    sizes, parent = cells.sizes[:0], np.bincount(y, weight)
    if least_samples > 1:
        sizes = sizes_of(column, samples, m, cells.present, cells.row_of, cells.sizes)
    found = _grow._best_in_column(
        criterion, False, m, cells, parent, parent.sum(), _gains.impurity(criterion, parent, parent.sum()), best,
        sizes, least_samples, 0.0,
    )  # fmt: skip
    return (found[0] if found[1] >= 0 else None), np.array(asked)


@pytest.mark.parametrize(
    ("criterion", "n_classes", "least_samples"),
    [(_gains.GINI, 2, 1), *((criterion, 3, least) for criterion in range(5) for least in (1, 20))],
)
def test_a_gain_is_computed_exactly_only_where_it_may_win(monkeypatch, criterion, n_classes, least_samples):
    rng = np.random.default_rng(0)
    column, y = rng.integers(0, 60, 200).astype(np.int32), rng.integers(0, n_classes, 200).astype(np.int32)
    near = 3e-6 if criterion == _gains.SQRT_GINI else 1e-9  # what the approximation may be off
    best, asked = thresholds_asked(monkeypatch, criterion, column, y, least_samples)
    at_once = n_classes > 2 and least_samples == 1  # else the highest so far decides
    assert (asked >= (best if at_once else np.maximum.accumulate(asked)) - near).all()
    assert len(asked) < 30
    beaten, asked = thresholds_asked(monkeypatch, criterion, column, y, least_samples, best + near)
    assert (beaten, len(asked)) == (None, 0)


@pytest.mark.parametrize("criterion", [_gains.INFORMATION, _gains.SQRT_GINI])
def test_thresholds_within_a_run_of_one_class_are_passed_over_unless_its_ends_are(monkeypatch, criterion):
    column = np.arange(60, dtype=np.int32)
    assert len(thresholds_asked(monkeypatch, criterion, column, column // 10 % 2)[1]) == 5
    y = np.repeat(np.array([0, 1, 2], np.int32), [2, 8, 2])
    assert thresholds_asked(monkeypatch, criterion, column[:12], y, least_samples=4)[0] is not None
