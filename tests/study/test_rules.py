"""Every rule, with a case for every verdict that it can give."""

import pytest

from studylib.statistics import Interval
from studylib.study import rules

R, P, N, I = rules.REPRODUCED, rules.PARTLY, rules.NOT_REPRODUCED, rules.INCONCLUSIVE  # noqa: E741


@pytest.mark.parametrize(("ours", "theirs", "verdict"), [(3, 3, R), (3, 4, N), ((1, "a"), (1, "a"), R)])
def test_exact(ours, theirs, verdict):
    assert rules.exact(ours, theirs).verdict == verdict


@pytest.mark.parametrize(
    ("holds", "verdict"),
    [([True] * 3, R), ([True, False], P), ([True, True, False], P), ([True, False, False], N), ([False], N)],
)
def test_k_sets(holds, verdict):
    found = rules.k_sets(dict(enumerate(holds)), "exact")
    assert found.verdict == verdict
    assert found.ours == f"{sum(holds)} of {len(holds)}"


def test_k_sets_names_where_it_fails_and_needs_a_set():
    assert "does not hold for b, c" in rules.k_sets({"a": True, "b": False, "c": False}, "trend").reason
    found = rules.k_sets({"a, 1": False, "a, 2": None, "b": None}, "trend", reason="of two")
    assert found.reason == "of two; does not hold for (a, 1); undecided for (a, 2), b"
    assert rules.k_sets(dict.fromkeys("abcdefg"), "trend").reason == "undecided for 7 of them"
    with pytest.raises(ValueError, match="no set"):
        rules.k_sets({}, "exact")


@pytest.mark.parametrize(
    ("holds", "verdict"),
    [
        ([True, True, None], P),
        ([True, None, None], I),
        ([None, None], I),
        ([True, None, False, False], I),
        ([None, False, False], N),
        ([False, False, False, None], N),
        ([True, None], P),
    ],
)
def test_k_sets_with_undecided_ones(holds, verdict):
    found = rules.k_sets(dict(enumerate(holds)), "paired")
    assert found.verdict == verdict
    assert "undecided for" in found.reason


@pytest.mark.parametrize(
    ("interval", "answer"),
    [
        ((0.1, 0.2), True),
        ((-0.2, -0.1), False),
        ((-0.1, 0.1), None),
        ((0.0, 0.1), None),
        ((-0.1, 0.0), False),
    ],
)
def test_lies(interval, answer):
    assert rules.lies(Interval(sum(interval) / 2, *interval), low=0) is answer
    turned = Interval(-sum(interval) / 2, -interval[1], -interval[0])
    assert rules.lies(turned, high=0) is answer


@pytest.mark.parametrize(("ours", "verdict"), [(0.55, R), (0.546, R), (0.554, R), (0.5449, N), (0.56, N)])
def test_tolerance(ours, verdict):
    assert rules.tolerance(ours, 0.55, 0.005).verdict == verdict


@pytest.mark.parametrize(("published", "verdict"), [(0.5, R), (0.4, R), (0.39, N), (0.61, N)])
def test_published_run(published, verdict):
    assert rules.published_run(published, Interval(0.5, 0.4, 0.6)).verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "direction", "verdict"),
    [
        (0.1, 0.3, "positive", R), (0.1, 0.3, "negative", N), (0.1, 0.3, "none", N),
        (-0.3, -0.1, "positive", N), (-0.3, -0.1, "negative", R), (-0.3, -0.1, "none", N),
        (-0.1, 0.3, "positive", I), (-0.1, 0.3, "negative", I), (-0.1, 0.3, "none", I), (0.0, 0.3, "positive", I),
    ],
)  # fmt: skip
def test_paired(low, high, direction, verdict):
    assert rules.paired(Interval((low + high) / 2, low, high), direction).verdict == verdict


def test_paired_refuses_an_unknown_direction():
    with pytest.raises(ValueError, match="direction must be 'positive', 'negative' or 'none', got 'up'"):
        rules.paired(Interval(0, -1, 1), "up")


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-0.5, 0.9, R), (-1.0, 1.0, R), (0.5, 1.5, I), (1.1, 2.0, N), (-3.0, -1.5, N), (-2.0, 2.0, I)],
)
def test_equivalent(low, high, verdict):
    assert rules.equivalent(Interval((low + high) / 2, low, high), 1.0).verdict == verdict


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (1.0, R), (0.9, R), (0.89, N), (1.2, N), (Interval(1, 0.95, 1.05), R),
        (Interval(1, 0.8, 1.05), I), (Interval(0.5, 0.4, 0.6), N), (Interval(1.5, 1.2, 1.7), N),
    ],
)  # fmt: skip
def test_trend(value, verdict):
    assert rules.trend(value, 0.9, 1.1).verdict == verdict


@pytest.mark.parametrize(("holding", "cases", "verdict"), [(5, 5, R), (4, 5, N)])
def test_property(holding, cases, verdict):
    assert rules.holds_in_all(holding, cases).verdict == verdict


def test_property_needs_a_case():
    with pytest.raises(ValueError, match="no case"):
        rules.holds_in_all(0, 0)


@pytest.mark.parametrize(("found", "verdict"), [(True, N), (False, R)])
def test_counterexample(found, verdict):
    assert rules.counterexample(found, "x = 3").verdict == verdict


def test_values_and_intervals_are_ready_to_read():
    found = rules.paired(Interval(-0.00054, -0.001225, 0.00015), "negative", reason="20 splits")
    assert (found.ours, found.interval, found.reason) == ("-0.00054", "-0.001225 … 0.00015", "20 splits")
    assert rules.exact(61_069, 61_069).ours == "61,069"
    assert rules.exact(True, True).ours == "yes"


def test_not_testable():
    found = rules.not_testable("a remark on history")
    assert found.verdict == rules.NOT_TESTABLE
    assert found.kinds == ("not-testable",)
    assert found.reason == "a remark on history"
