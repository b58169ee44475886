"""Columns as codes, and the thresholds between codes, against what they mean."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studylib.blend._axis_family import AxisFamily
from studylib.blend._bins import Bins, _intervals
from tests.blend.support import family_of
from tests.naive.axis import goes_second
from tests.naive.splitmix64 import Stream


def greedy(times, size):
    """Rows of each interval if those of several values may have ``size`` rows."""
    intervals = []
    for count in times:
        if intervals and sum(intervals[-1]) + count <= size:
            intervals[-1].append(count)
        else:
            intervals.append([count])
    return intervals


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.integers(1, 12))
def test_intervals_are_as_small_as_they_can_be(times, most):
    intervals = _intervals(np.array(times), most)
    assert (np.diff(intervals.astype(int), prepend=0) >= 0).all()
    assert set(intervals) == set(range(intervals[-1] + 1))
    assert intervals[-1] < most
    sizes = range(sum(times) + 1)
    smallest = next(size for size in sizes if len(greedy(times, size)) <= most)
    several = [
        sum(times[i] for i in np.flatnonzero(intervals == b))
        for b in set(intervals)
        if (intervals == b).sum() > 1
    ]
    assert max(several, default=0) <= max(smallest, 1)


def test_a_value_for_each_code_where_there_are_few():
    assert _intervals(np.full(255, 7), 255).tolist() == list(range(255))


def test_a_frequent_value_leaves_the_codes_to_the_others():
    column = np.r_[np.zeros(100_000), np.arange(1.0, 1001.0)]
    bins = Bins(column[:, None], np.array([False]))
    assert len(np.unique(bins.codes[0])) > 240
    assert (bins.codes[0][:100_000] == 0).all()
    assert np.bincount(bins.codes[0][100_000:]).max() <= 4


def test_codes_ascend_with_the_values_and_what_is_missing_is_last():
    column = np.array([3.0, np.nan, -1.0, 3.0, 1e308, np.nan, -1e308])
    bins = Bins(column[:, None], np.array([False]))
    assert bins.codes[0].tolist() == [2, 255, 1, 2, 3, 255, 0]
    assert Bins(np.full((3, 1), np.nan), np.array([False])).codes.tolist() == [[255] * 3]


@pytest.mark.parametrize("seed", range(8))
def test_a_row_of_the_bag_goes_the_way_of_its_codes(seed):
    rng = np.random.default_rng(seed)
    n, d = 900, 5
    X = rng.normal(size=(n, d)) ** 3
    X[:, 1] = np.round(X[:, 1])
    X[:, 2] = 1e307 * np.tanh(X[:, 2])
    X[rng.random((n, d)) < 0.1] = np.nan
    X[:, 3] = rng.integers(0, 6, n)
    n_categories = np.array([0, 0, 0, 6, 0])
    y = ((np.nan_to_num(X[:, 0]) > 0) ^ (X[:, 3] == 2) ^ np.isnan(X[:, 4])).astype(np.int32)
    family = family_of(AxisFamily, X, n_categories, 2)
    [tree] = family.grow(slice(None), y, 2, np.array([[seed]], np.uint64))
    codes, expected, uniform = family._bins.codes, [], Stream(seed)
    bag = sorted({int(uniform() * n) for _ in range(n)})
    for i in bag:
        node = 0
        while tree.nodes["feature"][node] >= 0:
            here = tree.nodes[node]
            kind = "equal" if here["equal"] else "threshold"
            cut = (here["feature"], kind, here["code"], here["missing_right"])
            node = here["first_child"] + goes_second(codes[here["feature"], i], cut)
        expected.append(node)
    assert tree._leaves_of(family.view.rows(X[bag])).tolist() == expected
