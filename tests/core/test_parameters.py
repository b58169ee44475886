"""What parameters may be, and how the others are refused."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier

from studylib.core.parameters import (
    NUMBER,
    RandomState,
    check_boolean,
    check_integer,
    check_n_jobs,
    check_real,
    describe,
    resolve_max_features,
)
from studylib.core.random import check_random_state

ALL = (None, "half", "sqrt", "log2", "ceil_sqrt")


@pytest.mark.parametrize("value", [None, "sqrt", "log2", 1, 0.01, 0.29, 0.5, 0.999, 1.0])
def test_rounding_is_scikit_learns(value):
    for d in (1, 2, 3, 7, 8, 9, 100):
        X = np.random.default_rng(0).random((10, d))
        theirs = ExtraTreesClassifier(1, max_features=value, random_state=0).fit(X, np.arange(10) % 2)
        assert resolve_max_features("Oak", value, d, ALL) == theirs.estimators_[0].max_features_


def test_a_share_may_be_of_any_float():
    """scikit-learn refuses numpy's single precision here; there is no reason to."""
    numbers = [resolve_max_features("Oak", np.float32(0.25), d, ALL) for d in (1, 3, 4, 9)]
    assert numbers == [1, 1, 1, 2]


def test_names_of_sources():
    assert [resolve_max_features("Oak", "ceil_sqrt", d, ALL) for d in (1, 2, 4, 5, 20)] == [1, 2, 2, 3, 5]
    assert [resolve_max_features("Oak", "half", d, ALL) for d in (1, 2, 3, 9)] == [1, 1, 1, 4]


def test_none_only_where_it_is_allowed():
    with pytest.raises(ValueError, match="^Oak: max_features must be 'half', .*got None"):
        resolve_max_features("Oak", None, 4, ("half",))


# Odd values


class Odd:
    """Cannot say what it is."""

    def __repr__(self):
        raise RuntimeError("odd")


ODD = [
    10**400,
    -(10**400),
    10**5000,
    float("nan"),
    np.eye(30),
    "a\nb",
    Odd(),
    Odd,
    b"x",
    (),
    1j,
    "é" * 999,
    True,
]


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
def test_odd_values_are_refused_in_one_short_line(value):
    one_line = r"^(Oak: a|random_state) [^\n]{,240}\.$"
    for check in (
        lambda: check_integer("Oak", "a", value, 1, 5),
        lambda: (
            check_real("Oak", "a", value, 0.0, 2e300)
            if value is not True
            else check_real("Oak", "a", value, 0)
        ),
        lambda: resolve_max_features("Oak", value, 4),
        lambda: check_random_state(value) if value is not True else check_random_state(-1),
    ):
        with pytest.raises(ValueError, match=one_line.replace("Oak: a", "Oak: (a|max_features)")):
            check()
    assert "\n" not in describe(value)
    assert len(describe(value)) < 90


def test_a_whole_number_beyond_all_floats_is_no_number_here():
    assert check_real("Oak", "a", 10**300, 0.0) == 1e300
    assert check_real("Oak", "a", float("inf"), 0.0) == float("inf")
    with pytest.raises(ValueError, match="^Oak: a must be a number from 0 to 1.79769e"):
        check_real("Oak", "a", 10**400, 0.0)


def test_a_limit_may_be_as_large_as_one_likes_but_not_what_takes_time_and_memory():
    assert check_integer("Oak", "max_depth", 10**400, 1) == 2**62
    assert NUMBER("Oak", "n_estimators", 10**6) == 10**6
    with pytest.raises(
        ValueError, match="^Oak: n_estimators must be an integer from 1 to 1000000, got 1000001"
    ):
        NUMBER("Oak", "n_estimators", 10**6 + 1)
    for value in (None, 1, 4096, -1, -(10**400)):
        assert check_n_jobs("Oak", value) == value
    for value in (4097, 10**400):
        with pytest.raises(
            ValueError, match="^Oak: n_jobs must be None or an integer other than 0 and at most 4096"
        ):
            check_n_jobs("Oak", value)


def test_seeds_are_scikit_learns():
    for seed in (0, np.int64(7), 2**32 - 1):
        assert check_random_state(seed).randint(99) == np.random.RandomState(seed).randint(99)
    state = np.random.RandomState(3)
    assert check_random_state(state) is state


def test_nothing_is_drawn_from_a_generator_that_is_checked():
    generator = np.random.RandomState(0)
    before = generator.get_state()[1].tobytes()
    assert RandomState()("Oak", "random_state", generator) is generator
    assert generator.get_state()[1].tobytes() == before


def test_numpys_numbers_become_pythons():
    assert [type(check_integer("Oak", "a", np.int16(3), 1)), check_boolean("Oak", "a", np.True_)] == [
        int,
        True,
    ]
    assert type(check_real("Oak", "a", np.float32(0.5), 0)) is float
