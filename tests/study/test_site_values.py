"""Statements and values as the site prints them: names, and the digits that an interval supports."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studylib.study.cards.card import natural
from studylib.study.cards.values import measured, rounded, statement
from studylib.study.rules import _span, value_text


def test_numbers_in_labels_are_sorted_as_numbers_whatever_counts_as_a_digit():
    labels = ["N = 10", "N = 2", "5²6", "5²", "²", "9" * 5000]
    assert sorted(labels, key=natural) == ["5²", "5²6", "9" * 5000, "N = 2", "N = 10", "²"]


@pytest.mark.parametrize(
    ("ours", "interval", "rule", "expected"),
    [
        ("0.3654", "0.3025 … 0.4283", {"above": 0}, ("0.37", "0.30 … 0.43")),
        ("0.0284605", "0.0123 … 0.0446", {}, ("0.028", "0.012 … 0.045")),
        ("42.1", "38.92 … 45.28", {"least": 5}, ("42", "39 … 45")),
        ("1,234.5", "1,200.5 … 1,268.5", {}, ("1,234", "1,200 … 1,268")),
        # The end of an interval stays on its side of 0, and of the rule's bound.
        ("0.31 points", "0.003625 … 0.6164", {"above": 0}, ("0.310 points", "0.004 … 0.616")),
        ("0.24", "0.2003 … 0.2797", {"above": 0.2}, ("0.2400", "0.2003 … 0.2797")),
        ("-0.0006311", "-0.001883 … 0.0006208", {}, ("−0.0006", "−0.0019 … 0.0006")),
        # No digits are made up, and a count with the interval of its share stays a count.
        ("0.5", "0.4999 … 0.5001", {}, ("0.5000", "0.4999 … 0.5001")),
        ("33 of 100 seeds", "0.246 … 0.427", {}, ("33 of 100 seeds", "0.246 … 0.427")),
        ("-0.01531", "", {}, ("−0.01531", "")),
        ("1", "1e400 … 1e400", {}, ("1", "1e400 … 1e400")),
        ("2", "1 … 1e400", {}, ("2", "1 … 1e400")),
        ("6 of 6", "", {}, ("holds for 6 of 6", "")),
        ("0 of 13", "", {}, ("holds for none of 13", "")),
        ("200 of 200 cases", "", {}, ("200 of 200 cases", "")),
        (
            "1-NN: 6.975 (6.079 … 7.871); forest: 9.825 points (8.707 … 10.94)",
            "",
            {},
            ("1-NN: 7.0 (6.1 … 7.9); forest: 9.8 points (8.7 … 10.9)", ""),
        ),
    ],
)
def test_values_have_the_digits_that_their_intervals_support(ours, interval, rule, expected):
    assert measured(ours, interval, rule, "reproduced") == expected


def test_a_long_list_of_equal_numbers_is_counted():
    rule = {"published": [0, 0.23, 0, 0.16, 0.41, 0, 1]}
    ours = "0, 0.23, 0, 0.16, 0.41, 0, 1"
    assert measured(ours, "", rule, "reproduced") == ("all 7 values agree", "")
    assert measured(ours, "", rule, "not reproduced") == (ours, "")
    named = rule | {"labels": list("abcdefg")}
    assert measured("a 0, b 0.23", "", named, "reproduced") == ("a 0, b 0.23", "")


@pytest.mark.parametrize(
    ("text", "rule", "expected"),
    [
        (
            "28 / 773 / 0.000",
            {"labels": ["depth", "nodes", "error"], "published": [28, 773, 0.0]},
            "depth 28, nodes 773, error 0.000",
        ),
        (
            "55.667 / 99.00",
            {"parts": {"overlap": {"published": 55.667}, "accuracy": {"published": 99.0}}},
            "overlap 55.667, accuracy 99.00",
        ),
        ("28 / 773", {"labels": ["depth", "nodes"], "published": [28, 774]}, "28 / 773"),  # not these numbers
        ("28 / 773", {"labels": ["depth"], "published": [28]}, "28 / 773"),
        ("28 / 773", {"published": [28, 773]}, "28 / 773"),
        ("28 / 773", {}, "28 / 773"),
        ("either / or", {"labels": ["a", "b"], "published": [1, 2]}, "either / or"),
    ],
)
def test_a_row_of_numbers_gets_its_names(text, rule, expected):
    assert statement(text, rule) == expected


_NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-6)


@given(st.tuples(_NUMBERS, _NUMBERS, _NUMBERS).map(sorted))
def test_rounding_moves_nothing_far_and_no_end_across_zero(numbers):
    low, value, high = numbers
    before = f"{value_text(value)} ({_span(low, high)})"
    after = [
        float(n.replace(",", "").replace("−", "-")) for n in re.findall(r"[−\d,.e+-]*\d", rounded(before))
    ]
    printed = [float(value_text(n).replace(",", "")) for n in (value, low, high)]
    if len(after) != 3 or not printed[1] <= printed[0] <= printed[2]:
        return  # printed with an exponent
    allowed = 0.51 * 10 ** _floor_log10((printed[2] - printed[1]) / 2) if printed[2] > printed[1] else 0
    for exact, shown in zip(printed, after, strict=True):
        assert abs(exact - shown) <= max(allowed, 0.5 if allowed > 1 else 0) + 1e-9
    for exact, shown in zip(printed[1:], after[1:], strict=True):
        assert (exact > 0, exact < 0) == (shown > 0, shown < 0)


def _floor_log10(x):
    return int(f"{x:e}".partition("e")[2])
