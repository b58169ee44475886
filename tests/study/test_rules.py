"""The judge: every kind of rule, inside, outside and exactly on its bounds."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from studylib.statistics import mean_interval, prediction_interval, resampled_interval
from studylib.study import intervals, kinds, rules
from studylib.study.cards import sentences

R, P, N, I = rules.REPRODUCED, rules.PARTLY, rules.NOT_REPRODUCED, rules.INCONCLUSIVE  # noqa: E741


def judged(nature, kind, rule, measured):
    """The verdict, and the texts that a card makes of the finding."""
    entry = rules.judge(nature, kind, rule, measured).plain()
    claim = SimpleNamespace(kind=kind, judge=rule, note="")
    lines, _, _ = sentences.headline(claim, entry)
    return SimpleNamespace(**entry, ours="; ".join(lines), reason=sentences.reason(claim, entry))


def verdict(kind, rule, measured, nature="finding"):
    return judged(nature, kind, rule, measured).verdict


def around(low, high):
    """Two runs whose 95 % interval goes from low to high, up to rounding errors."""
    half = (high - low) / 2 / stats.t.ppf(0.975, 1)  # the standard error of two runs is half their distance
    middle = (low + high) / 2
    return [middle - half, middle + half]


# Intervals, against scipy and our own numpy versions


@pytest.mark.parametrize("df", [1, 2, 3, 5, 10, 19, 99, 1000, 100_000])
@pytest.mark.parametrize("p", [0.9, 0.975, 0.995, 0.99999])
def test_quantiles_of_t_are_scipys(df, p):
    assert intervals.t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-9)


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30), st.sampled_from([0.9, 0.95, 0.999]))
def test_intervals_are_those_of_the_statistics_package(runs, level):
    pairs = (
        (intervals.mean_interval(runs, level), mean_interval(runs, level)),
        (intervals.prediction_interval(runs, level), prediction_interval(runs, level)),
        (intervals.resampled_interval(runs, 0.3, level), resampled_interval(runs, 0.3, level)),
    )
    for ours, theirs in pairs:
        assert ours == pytest.approx(theirs[1:], rel=1e-7, abs=1e-7)


@pytest.mark.parametrize(("true", "of"), [(0, 5), (5, 5), (1, 5), (50, 100), (999, 1000)])
def test_wilson_interval_is_scipys(true, of):
    theirs = stats.binomtest(true, of).proportion_ci(0.95, method="wilson")
    assert intervals.wilson_interval(true, of, 0.95) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_a_bound_with_a_reversal_is_missed_only_from_so_far_beyond_it_on():
    for key, sign in (("most", 1), ("below", 1), ("least", -1), ("above", -1)):
        rule = {key: 0, "reversal": 0.1}
        assert verdict("paired", rule, [-sign * 0.2] * 2) == R
        assert verdict("paired", rule, [sign * 0.05] * 2) == I
        assert verdict("paired", rule, [sign * 0.2] * 2) == N
        assert verdict("paired", rule, sign * 0.05) == I
        assert verdict("paired", rule, around(-0.05, 0.2)) == I


def test_a_curve_may_turn_back_by_less_than_its_reversal():
    dips = {"steps": [1, 2, 3], "runs": [[0.0, 1.0 + d, 0.5 + d] for d in (0.0, 0.01)]}
    assert verdict("trend", {"monotone": "rising"}, dips) == N
    assert verdict("trend", {"monotone": "rising", "reversal": 0.4}, dips) == N
    finding = judged("finding", "trend", {"monotone": "rising", "reversal": 0.6}, dips)
    assert finding.verdict == R
    assert finding.reason == (
        "right from first to last, but from 2 to 3 it falls by 0.5 (0.5 … 0.5), which the rule’s margin of 0.6 allows"
    )
    ends = {"steps": [1, 2], "runs": [[1.0, 0.9], [1.0, 0.91]]}
    assert verdict("trend", {"monotone": "rising", "reversal": 0.6}, ends) == N


# Bounds: exclusive and inclusive ones differ exactly on the bound


@pytest.mark.parametrize(
    ("rule", "inside", "on_the_bound", "outside"),
    [
        ({"above": 2}, 2.5, N, 1.5),
        ({"least": 2}, 2.5, R, 1.5),
        ({"below": 2}, 1.5, N, 2.5),
        ({"most": 2}, 1.5, R, 2.5),
    ],
)
def test_a_number_against_one_bound(rule, inside, on_the_bound, outside):
    for kind in ("paired", "equivalent", "trend"):
        assert verdict(kind, rule, inside) == R
        assert verdict(kind, rule, 2) == on_the_bound
        assert verdict(kind, rule, outside) == N


@pytest.mark.parametrize(
    ("rule", "low", "high", "expected"),
    [
        ({"above": 0}, 0.5, 1, R), ({"above": 0}, 0, 1, I), ({"above": 0}, -1, 0, N), ({"above": 0}, -1, 1, I),
        ({"least": 0}, 0.5, 1, R), ({"least": 0}, 0, 1, R), ({"least": 0}, -1, 0, I), ({"least": 0}, -2, -1, N),
        ({"below": 0}, -1, -0.5, R), ({"below": 0}, -1, 0, I), ({"below": 0}, 0, 1, N),
        ({"most": 0}, -1, 0, R), ({"most": 0}, 0, 1, I), ({"most": 0}, 0.5, 1, N),
        ({"least": -1, "most": 1}, -1, 1, R), ({"least": -1, "most": 1}, -1, 1.5, I),
        ({"least": -1, "most": 1}, 1.5, 2, N), ({"least": -1, "most": 1}, -2, 2, I),
    ],
)  # fmt: skip
def test_an_interval_against_bounds(rule, low, high, expected):
    """The intervals are given directly: their ends are exact."""
    inside, outside = kinds.inside(rule, low, high), kinds.outside(rule, low, high)
    assert not (inside and outside)
    assert (R if inside else N if outside else I) == expected


def test_level_and_corrections_widen_the_interval():
    runs = around(0.1, 1.0)
    assert verdict("paired", {"above": 0}, runs) == R
    assert verdict("paired", {"above": 0, "level": 0.999}, runs) == I
    sets = {"a": runs, "b": runs, "c": runs}
    assert verdict("paired", {"above": 0}, sets) == R
    assert verdict("paired", {"above": 0, "correction": "parts"}, sets) == I
    assert verdict("paired", {"above": 0, "interval": "resampled", "test_share": 0.5}, runs) == I
    assert verdict("trend", {"above": 0, "interval": "prediction"}, runs) == I


# Curves


def curve(*means, spread=0.01):
    return {"steps": list(range(len(means))), "runs": [[m + s for m in means] for s in (0.0, spread)]}


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        (curve(0, 1, 2), R),
        (curve(2, 1, 0), N),
        (curve(0, 2, 1), N),  # one significant step down
        (curve(0, 0, 0), N),  # it certainly does not rise
        ({"steps": [1, 2], "runs": [[0.0, 1.0], [0.0, -1.0]]}, I),
    ],
)
def test_monotone_curves(measured, expected):
    assert verdict("trend", {"monotone": "rising"}, measured) == expected
    turned = measured | {"runs": [[-v for v in row] for row in measured["runs"]]}
    assert verdict("trend", {"monotone": "falling"}, turned) == expected


def test_a_curve_that_ends_right_and_is_refuted_says_by_which_step():
    rows = curve(0.0, 2.0, 1.5, 3.0, spread=0.5)
    finding = judged("finding", "trend", {"monotone": "rising"}, rows)
    assert (finding.verdict, finding.reason) == (
        N,
        "right from first to last, but from 1 to 2 it falls by 0.5 (0.5 … 0.5); the rule asks for a rise at "
        "every step",
    )
    turned = {"steps": [0, 2, 4], "runs": [[4.0, 1.0, 1.5], [4.5, 1.5, 2.01], [4.0, 1.0, 1.49]]}
    finding = judged("finding", "trend", {"monotone": "falling", "unit": "points"}, {"easy": turned})
    assert finding.reason.startswith(
        "easy: right from first to last, but from 2 to 4 it rises by 0.500 (0.464 … 0.536)"
    )
    assert finding.reason.endswith("the rule asks for a fall at every step; does not hold for easy")
    twice = judged("finding", "trend", {"monotone": "rising"}, curve(0, 3, 2, 5, 1, 6))
    assert "from 3 to 4 it falls by 4 (4 … 4), and against the rule at 1 more of the steps;" in twice.reason
    once = judged("finding", "trend", {"monotone": "rising"}, curve(0, 5, 1, 4, 3, 5.5))
    assert "from 1 to 2 it falls by 4 (4 … 4), and against the rule at 1 more of the steps;" in once.reason
    little = judged("finding", "trend", {"monotone": "rising"}, curve(0, 0.5, 0.25, 0.75))
    assert little.reason.startswith("right from first to last, but from 1 to 2")
    assert (
        judged("finding", "trend", {"monotone": "rising"}, curve(0, 2, 0)).reason == ""
    )  # not from end to end
    level = {"steps": [0, 1, 2], "runs": [[0.0, 2.0, end] for end in (-0.06, -0.05, 0.04, 0.07)]}
    assert judged("finding", "trend", {"monotone": "rising"}, level).reason == ""  # the ends do not say so
    falls = judged("finding", "trend", {"monotone": "rising"}, curve(2, 1, 0))
    assert falls.reason == ""  # the value says it


@pytest.mark.parametrize(
    ("interval", "expected"), [((0.0, 1.0), I), ((0.1, 1.0), R), ((-1.0, 0.0), N), ((-1.0, 1.0), I)]
)
def test_the_ends_of_a_curve_must_exclude_zero(monkeypatch, interval, expected):
    monkeypatch.setattr(kinds, "mean_interval", lambda runs, level: interval)
    assert verdict("trend", {"monotone": "rising"}, {"steps": [1, 2], "runs": [[0.0, 1.0]] * 2}) == expected


def test_steps_of_a_curve_are_corrected_for_their_number():
    fall = around(-1.0, -0.01)  # significant alone, not as one of ten steps
    rows = [[0.0, 5 + f, *range(6, 15)] for f in fall]
    rows = [[0.0, 5.0, 5 + f, *range(6, 14)] for f in fall]
    assert verdict("trend", {"monotone": "rising"}, {"steps": list(range(11)), "runs": rows}) == R
    short = [[0.0, 5.0, 5 + f] for f in fall]
    assert intervals.mean_interval(fall, 0.95)[1] < 0 < intervals.mean_interval(fall, 1 - 0.05 / 2)[1]
    assert verdict("trend", {"monotone": "rising"}, {"steps": [1, 2, 3], "runs": short}) == R
    assert verdict("trend", {"monotone": "rising", "level": 0.8}, {"steps": [1, 2, 3], "runs": short}) == N


# Every kind: its ends belong to it, as they are printed


def pair(first, second):
    return {"first": [first] * 2, "second": [second] * 2}


RUN = {"published": 1.0, "widest": 2}
RELATIVE = {"relative": 0.25, "absolute": 2}
CASES = [
    ("exact", {"published": 3}, {R: [3], N: [4]}),
    ("exact", {"published": True}, {R: [True], N: [False]}),
    ("exact", {"published": "%"}, {R: ["%"]}),
    ("exact", {"published": [28, 0.004]}, {R: [[28, 0.004]], N: [[28]]}),
    ("exact", {"published": 0.017, "decimals": 3, "cut": True}, {R: [0.017999]}),
    ("exact", {"published": [28, 0.017], "decimals": 3, "cut": True}, {R: [[28, 0.01754]]}),
    ("exact", {"published": 0.018, "decimals": 3}, {R: [0.017999, 0.0175001]}),
    ("exact", {"published": 0.0, "decimals": 0}, {R: [0.123456789], N: [0.6]}),
    ("exact", {"published": 0.123456789, "decimals": 15}, {R: [0.123456789], N: [0.1234567891]}),
    ("tolerance", {"published": 0.55, "within": 0.005},
     {R: [0.55, 0.545, 0.555, [0.55, 0.545]], N: [0.5449999, 0.5550001, [0.55, 0.6]]}),
    ("published-run", {"published": 5.0}, {R: [[5.0] * 3], N: [[5.1] * 3, [4.9] * 3]}),
    ("published-run", RUN, {I: [[0.0, 1.0, 2.0]], N: [[8.0, 9.0, 10.0]]}),  # outside is outside
    ("published-run", RUN | {"widest": 5}, {R: [[0.0, 1.0, 2.0]]}),
    ("published-run", {"published": 0.002, "decimals": 3, "cut": True}, {R: [[0.0021, 0.0029, 0.0025]]}),
    ("published-run", {"published": 0.002, "decimals": 3}, {N: [[0.0029, 0.00291, 0.00292]]}),
    ("published-run", {"published": 99.0, "within": 1.5},
     {R: [99.0, 97.5, [96.5, 98.5]], N: [97.4, [97.0, 97.2]], I: [None]}),
    ("property", {}, {R: [{"true": 5, "of": 5}, [True] * 2], N: [{"true": 4, "of": 5}, [True, False]]}),
    ("property", {"some": True}, {R: [{"true": 4, "of": 5}, [True, False]], N: [{"true": 0, "of": 5}, [False]]}),
    ("counterexample", {"above": 1e-6}, {R: [1e-6, 0, [0, 0]], N: [1e-3, [0, 1]]}),
    ("equivalent", {"within": 0.5}, {R: [[0.5] * 2, [-0.5] * 2], N: [[0.51] * 2, [-0.51] * 2], I: [[-0.5, 0.5]]}),
    # the larger of a share, exactly a quarter, and an absolute margin, exactly 2
    ("equivalent", RELATIVE, {R: [pair(125.0, 100.0), pair(3.0, 1.0)], N: [pair(125.1, 100.0), pair(3.1, 1.0)]}),
    ("trend", {"above": 0, "interval": "wilson"},
     {R: [{"true": 1, "of": 50}, [True] * 3], I: [{"true": 0, "of": 50}, [False] * 3]}),
    # a flat step is no step the other way
    ("trend", {"monotone": "rising"}, {R: [curve(0, 1, 1)]}),
    ("trend", {"monotone": "falling"}, {R: [curve(1, 1, 0)]}),
    # one measurement needs no correction for parts
    ("paired", {"above": 0, "correction": "parts"}, {R: [around(0.01, 1.0), {"only": around(0.01, 1.0)}]}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "rule", "measured", "expected"),
    [
        (kind, rule, measured, expected)
        for kind, rule, by_verdict in CASES
        for expected, measurements in by_verdict.items()
        for measured in measurements
    ],
)
def test_every_kind_inside_outside_and_on_its_ends(kind, rule, measured, expected):
    assert verdict(kind, rule, measured) == expected


# Several sets


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([True] * 3, R), ([False], N), ([None], I), ([True, False], P), ([True, True, False], P),
        ([True, False, False], N), ([True, None], P), ([True, None, None], I), ([None, None], I),
        ([False, None], N), ([False, None, None], I), ([False, False, None], N), ([False, False, None, None], N),
        ([True, None, False, False], N), ([True, True, False, False], P), ([False, None, None, None], I),
        ([False] * 3 + [None] * 3, N), ([True] * 3 + [None] * 3, P), ([False] * 2 + [None] * 4, I),
    ],
)  # fmt: skip
def test_sets_combine_symmetrically(answers, expected):
    assert rules.over_sets(answers) == expected


def test_all_parts_of_a_set_must_hold():
    rule, yes, no, open_ = {"above": 0}, [1.0, 1.0], [-1.0, -1.0], [-1.0, 1.0]
    assert verdict("paired", rule, {"a": {"x": yes, "y": yes}}) == R
    assert verdict("paired", rule, {"a": {"x": yes, "y": no}}) == N
    assert verdict("paired", rule, {"a": {"x": yes, "y": open_}}) == I
    assert verdict("paired", rule, {"a": {"x": no, "y": open_}}) == N
    assert verdict("paired", rule, {"a": {"x": yes, "y": yes}, "b": {"x": yes, "y": no}}) == P


def test_parts_have_bounds_of_their_own_and_must_all_be_there():
    rule = {"parts": {"in N": {"least": 0.9, "most": 1.1}, "in n": {"most": 1.15}}}
    assert verdict("trend", rule, {"in N": 0.9, "in n": 1.15}) == R
    assert verdict("trend", rule, {"in N": 1.1, "in n": 1.16}) == P
    assert verdict("trend", rule, {"in N": 1.2, "in n": 1.2}) == N
    finding = judged("finding", "trend", rule, {"in N": 1.0, "in n": 1.1})
    assert finding.ours == "in N: 1; in n: 1.1"
    for measured in ({"in N": 1.0}, {"in N": 1.0, "in n": 1, "in d": 1}, 1.0):
        with pytest.raises(ValueError, match="judges the parts in N, in n, got"):
            verdict("trend", rule, measured)


# Natures, questions and text


def test_the_words_that_readers_and_stored_reports_know():
    assert rules.VERDICTS == (
        "reproduced", "partly", "depends on a choice", "not reproduced", "inconclusive", "checked", "answered",
        "not testable", "planned", "disputed", "shown",
    )  # fmt: skip
    assert all(hasattr(rules, name) for name in rules.__all__)


def test_an_identity_that_holds_is_checked_and_one_that_fails_is_not_reproduced():
    assert verdict("property", {}, [True], "identity") == rules.CHECKED
    assert verdict("property", {}, [False], "identity") == N
    assert verdict("not-testable", {}, None) == rules.NOT_TESTABLE


def test_a_question_is_answered_with_its_numbers():
    rule = {"answer": "From d = {first d} on; slope {slope}."}
    finding = judged("question", "question", rule, {"first d": 5, "slope": [1.0, 1.0, 1.0]})
    assert (finding.verdict, finding.ours) == (rules.ANSWERED, "From d = 5 on; slope 1 (1 … 1).")


@pytest.mark.parametrize("measured", [{"slope": 1}, {}, None, [1]])
def test_a_question_without_its_numbers_is_refused(measured):
    with pytest.raises(ValueError, match="answer"):
        verdict("question", {"answer": "From d = {first d} on."}, measured, "question")


ABOVE = {"above": 0}
LABELS = {"published": [1, 2], "labels": ["depth", "nodes"]}


@pytest.mark.parametrize(
    ("kind", "rule", "measured", "shown"),
    [
        ("exact", {"published": 3, "shown": "{} trees"}, 4, "4 trees"),
        ("exact", {"published": False}, True, "yes"),
        ("exact", {"published": False}, False, "no"),
        ("exact", LABELS, [1, 3], "depth 1, nodes 3"),
        ("counterexample", ABOVE, [0, 2, 0, 3], "2 in 2 of 4 cases"),
        ("counterexample", ABOVE, [-1, 0], "−1 in 0 of 2 cases"),
        ("counterexample", ABOVE, [1.5], "1.5"),
        ("property", {}, {"true": 1_999, "of": 2_000}, "1,999 of 2,000 cases"),
        ("published-run", {"published": 1.0}, [1.0, 2.0, 3.0], "2.0"),
        ("published-run", {"published": 1}, None, "This run did not measure it"),
        ("tolerance", {"published": 0.2, "within": 0.02}, [0.2, 0.25, 0.19], "0.25, the farthest of 3"),
        ("tolerance", {"published": 1, "within": 1}, [1.5, 1.0], "1.5, the farthest of 2"),
        ("tolerance", {"published": 1, "within": 1}, [1.5], "1.5"),
        ("paired", ABOVE | {"unit": "points"}, [0.4, 0.6], "0.5 points"),
        ("trend", ABOVE | {"interval": "wilson"}, [True, True, False, True], "3 of 4, 0.75"),
        ("trend", {"monotone": "falling"}, curve(3, 2, 1, spread=0.0), "−2"),
        ("trend", ABOVE, None, "This run did not measure it"),
        ("trend", ABOVE, {"a": 1, "b": 2, "c": 3}, "a: 1; b: 2; c: 3"),
        ("trend", ABOVE, dict.fromkeys("abcd", 1), "holds for 4 of 4"),
        ("trend", ABOVE, {name: {"x": 1, "y": 2} for name in "abc"}, "a: x 1; y 2; b: x 1; y 2; c: x 1; y 2"),
        ("trend", ABOVE, {name: dict.fromkeys("wxyz", 1) for name in "abc"}, "holds for 3 of 3"),
        ("trend", ABOVE, {name: dict.fromkeys("xyz", 1) for name in "ab"}, "a: x 1; y 1; z 1; b: x 1; y 1; z 1"),
    ],
)  # fmt: skip
def test_how_a_measurement_is_shown(kind, rule, measured, shown):
    finding = judged("finding", kind, rule, measured)
    assert finding.ours == shown
    assert measured is not None or finding.verdict == I


@pytest.mark.parametrize(
    ("measured", "reason"),
    [
        ({"a, 1": -1, "b": None, "c": 1, "d": 1}, "does not hold for (a, 1); undecided for b"),
        ({"a": -1, "b": -1, "c": 1}, "does not hold for a, b"),
        (dict.fromkeys("abcdef", -1), "does not hold for a, b, c, d, e, f"),
        (dict.fromkeys("abcdefg", -1), "does not hold for 7 of them"),
    ],
)
def test_sets_that_fail_are_named(measured, reason):
    assert judged("finding", "trend", ABOVE, measured).reason == reason


def test_an_interval_that_is_too_wide_is_the_reason():
    finding = judged("finding", "published-run", RUN, [0.0, 1.0, 2.0])
    assert finding.reason == "the interval reaches farther than ± 2"


@pytest.mark.parametrize(
    ("kind", "rule", "measured", "message"),
    [
        ("paired", ABOVE, "text", "cannot judge"),
        ("paired", ABOVE, [1.0], "at least two runs, got 1"),
        ("paired", ABOVE, [1.0, None], "^1 of 2 runs have no value"),
        ("tolerance", {"published": 1, "within": 1}, "x" * 58, f"cannot judge '{'x' * 58}' \\("),
        ("tolerance", {"published": 1, "within": 1}, "x" * 59, rf"cannot judge '{'x' * 56}\.\.\. \("),
        ("trend", ABOVE, {"first": [1], "second": [1, 2]}, "cannot judge"),
        ("trend", ABOVE, {}, "no set"),
        ("property", {}, [], "no case"),
        ("property", {}, {"true": 0, "of": 0}, "no case"),
        ("property", {}, [True, 2], "^expected Booleans or a count"),
        ("exact", LABELS, [1, 2, 3], "has 2 labels, and 3 values were measured"),
        *(("exact", {"published": 0.5, "decimals": decimals}, 0.5, "decimals must be a whole number from 0 to 15")
          for decimals in (10**9, -1, 2.0, True)),
    ],
)  # fmt: skip
def test_what_suits_no_rule_is_refused(kind, rule, measured, message):
    with pytest.raises(ValueError, match=message):
        verdict(kind, rule, measured)


@pytest.mark.parametrize("p", [1.0, 0.49])
def test_a_level_of_no_interval_is_refused(p):
    with pytest.raises(ValueError, match="level of an interval must be at least 0 and below 1, got"):
        intervals.t_quantile(p, 3)
    assert intervals.t_quantile(0.5, 3) == pytest.approx(0, abs=1e-9)


def test_the_level_of_a_published_run_widens_its_interval():
    runs = [1.0, 2.0, 3.0]
    for level in (0.5, 0.99):
        low, high = prediction_interval(runs, level)[1:]
        for published, expected in ((high - 0.01, R), (high + 0.01, N), (low + 0.01, R), (low - 0.01, N)):
            assert verdict("published-run", {"published": published, "level": level}, runs) == expected
