"""Numbers as they are shown: the digits that an interval supports, and on which side of a bound an end is."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studylib.study.cards.numbers import interval_texts, number_text


@pytest.mark.parametrize(
    ("numbers", "bounds", "expected"),
    [
        ((12345.5, 12344.6, 12346.5), [12345], ("12,345.5", "12,344.6", "12,346.5")),
        ((0.3654, 0.3025, 0.4283), [0], ("0.365", "0.302", "0.428")),
        ((0.0284605, 0.0123, 0.0446), [], ("0.028", "0.012", "0.045")),
        ((1234.5, 1200.5, 1268.5), [], ("1,234", "1,200", "1,268")),
        ((0.3, 0.09121, 0.5088), [], ("0.30", "0.09", "0.51")),
        # The end of an interval stays on its side of a bound.
        ((0.31, 0.003625, 0.6164), [0], ("0.310", "0.004", "0.616")),
        ((0.24, 0.20003, 0.27997), [0.2], ("0.24000", "0.20003", "0.27997")),
        ((-0.0006311, -0.001883, 0.0006208), [0], ("−0.0006", "−0.0019", "0.0006")),
        ((0.5, 0.5, 0.5), [0.4], ("0.5", "0.5", "0.5")),  # no digits are made up
        (
            (1.2345e-7, 1.22e-7, 1.25e-7),
            [0],
            ("1.235\u00a0×\u00a010⁻⁷", "1.220\u00a0×\u00a010⁻⁷", "1.250\u00a0×\u00a010⁻⁷"),
        ),
        ((1.5e9, 1.4e9, 1.6e9), [0], ("1,500,000,000", "1,400,000,000", "1,600,000,000")),
        ((1.0, 1.0, math.inf), [0], ("1.0", "1.0", "inf")),
    ],
)
def test_values_have_the_digits_that_their_intervals_support(numbers, bounds, expected):
    assert interval_texts(*numbers, bounds) == expected


@pytest.mark.parametrize(
    ("value", "bounds", "text"),
    [
        (61_069, (), "61,069"), (True, (), "yes"), (-0.0, (), "0"), (0.017542, (), "0.01754"), (95.0, (), "95"),
        (None, (), "not measured"), ([1, 0.5], (), "1, 0.5"), (float("inf"), (), "inf"), (-3, (), "−3"),
        (12345.5, [12345], "12,346"), (1.02345, [1.0234], "1.02345"), (0.2, [0.20], "0.2"), (1e-7, (), "1\u00a0×\u00a010⁻⁷"),
        ({"a": 1.0, "b": [True, None]}, (), "a: 1; b: yes, not measured"), ("text", (), "text"),
    ],
)  # fmt: skip
def test_a_value_without_an_interval_has_four_digits_or_those_of_its_bound(value, bounds, text):
    assert number_text(value, bounds) == text


_NUMBERS = st.floats(-1e9, 1e9, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-9)


@given(st.tuples(_NUMBERS, _NUMBERS, _NUMBERS).map(sorted), st.sampled_from([0.0, 0.5, -3.0, 12_345.0]))
def test_rounding_moves_nothing_far_and_no_end_across_a_bound(numbers, bound):
    low, value, high = numbers
    shown = dict(zip((value, low, high), map(_read, interval_texts(value, low, high, [bound])), strict=False))
    half = (high - low) / 2
    for exact, read in shown.items():
        allowed = max(0.051 * half, 0.5 if half > 9 else 0) if half else 5e-4 * abs(exact)
        assert abs(exact - read) <= allowed + 1e-9 * abs(exact)
    if abs(low - bound) > 1e-9 < abs(high - bound):  # nearer than digits go
        assert (shown[low] > bound, shown[high] > bound) == (low > bound, high > bound)


def _read(text):
    number, _, power = text.replace(",", "").replace("−", "-").partition("\u00a0×\u00a010")
    return float(number) * 10.0 ** int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 0)
