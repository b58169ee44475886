"""Statements and labels as the site prints them: with names, and sorted as numbers."""

import pytest

from studylib.study.cards.card import statement
from studylib.study.cards.sentences import natural


def test_numbers_in_labels_are_sorted_as_numbers_whatever_counts_as_a_digit():
    labels = ["N = 10", "N = 2", "5²6", "5²", "²", "9" * 5000]
    assert sorted(labels, key=natural) == ["5²", "5²6", "9" * 5000, "N = 2", "N = 10", "²"]
    assert sorted(["2,000 rows", "200 rows"], key=natural) == ["200 rows", "2,000 rows"]


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
