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
    found = judged("finding", "trend", {"monotone": "rising", "reversal": 0.6}, dips)
    assert found.verdict == R
    assert found.reason == (
        "right from first to last, but from 2 to 3 it falls by 0.5 (0.5 … 0.5), which the rule’s margin of 0.6 allows"
    )
    ends = {"steps": [1, 2], "runs": [[1.0, 0.9], [1.0, 0.91]]}
    assert verdict("trend", {"monotone": "rising", "reversal": 0.6}, ends) == N


def test_a_published_run_inside_an_interval_that_is_too_wide_is_undecided():
    runs, rule = [0.0, 1.0, 2.0], {"published": 1.0, "widest": 2}
    found = judged("finding", "published-run", rule, runs)
    assert (found.verdict, found.reason) == (I, "the interval reaches farther than ± 2")
    assert verdict("published-run", rule | {"widest": 5}, runs) == R
    assert verdict("published-run", rule | {"published": 9.0}, runs) == N  # outside is outside


def test_an_interval_needs_two_runs():
    with pytest.raises(ValueError, match="at least two runs, got 1"):
        verdict("paired", {"above": 0}, [1.0])


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


@pytest.mark.parametrize(
    ("runs", "expected"), [([1.0, 1.0], R), ([0.0, 0.0], N), ([-1.0, -1.0], N), ([-1.0, 1.0], I)]
)
def test_paired(runs, expected):
    assert verdict("paired", {"above": 0}, runs) == expected
    assert verdict("paired", {"below": 0}, [-x for x in runs]) == expected
    pairs = {"first": [x + 5 for x in runs], "second": [5.0, 5.0]}
    assert verdict("paired", {"above": 0}, pairs) == expected


@pytest.mark.parametrize(
    ("runs", "expected"),
    [([0.5, 0.5], R), ([-0.5, -0.5], R), ([0.51, 0.51], N), ([-0.51, -0.51], N), ([-0.5, 0.5], I)],
)
def test_equivalent_includes_its_margin(runs, expected):
    assert verdict("equivalent", {"within": 0.5}, runs) == expected


def test_a_relative_margin_takes_the_larger_of_share_and_absolute():
    rule = {"relative": 0.25, "absolute": 2}
    large = {"first": [125.0, 125.0], "second": [100.0, 100.0]}  # exactly a quarter
    small = {"first": [3.0, 3.0], "second": [1.0, 1.0]}  # exactly 2
    assert verdict("equivalent", rule, large) == verdict("equivalent", rule, small) == R
    assert verdict("equivalent", rule, {"first": [125.1, 125.1], "second": [100.0, 100.0]}) == N
    assert verdict("equivalent", rule, {"first": [3.1, 3.1], "second": [1.0, 1.0]}) == N


def test_level_and_corrections_widen_the_interval():
    runs = around(0.1, 1.0)
    assert verdict("paired", {"above": 0}, runs) == R
    assert verdict("paired", {"above": 0, "level": 0.999}, runs) == I
    sets = {"a": runs, "b": runs, "c": runs}
    assert verdict("paired", {"above": 0}, sets) == R
    assert verdict("paired", {"above": 0, "correction": "parts"}, sets) == I
    assert verdict("paired", {"above": 0, "interval": "resampled", "test_share": 0.5}, runs) == I
    assert verdict("trend", {"above": 0, "interval": "prediction"}, runs) == I


@pytest.mark.parametrize(
    ("count", "expected"),
    [({"true": 0, "of": 50}, I), ({"true": 1, "of": 50}, R), ([True] * 3, R), ([False] * 3, I)],
)
def test_wilson(count, expected):
    assert verdict("trend", {"above": 0, "interval": "wilson"}, count) == expected


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
    found = judged("finding", "trend", {"monotone": "rising"}, rows)
    assert (found.verdict, found.reason) == (
        N,
        "right from first to last, but from 1 to 2 it falls by 0.5 (0.5 … 0.5); the rule asks for a rise at "
        "every step",
    )
    turned = {"steps": [0, 2, 4], "runs": [[4.0, 1.0, 1.5], [4.5, 1.5, 2.01], [4.0, 1.0, 1.49]]}
    found = judged("finding", "trend", {"monotone": "falling", "unit": "points"}, {"easy": turned})
    assert found.reason.startswith(
        "easy: right from first to last, but from 2 to 4 it rises by 0.500 (0.464 … 0.536)"
    )
    assert found.reason.endswith("the rule asks for a fall at every step; does not hold for easy")
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


def test_a_flat_step_is_no_step_the_other_way():
    assert verdict("trend", {"monotone": "rising"}, curve(0, 1, 1)) == R
    assert verdict("trend", {"monotone": "falling"}, curve(1, 1, 0)) == R


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


# Values


@pytest.mark.parametrize(
    ("rule", "measured", "expected"),
    [
        ({"published": 3}, 3, R), ({"published": 3}, 4, N), ({"published": "%"}, "%", R),
        ({"published": [28, 0.004]}, [28, 0.004], R), ({"published": [28, 0.004]}, [28], N),
        ({"published": 0.017, "decimals": 3, "cut": True}, 0.017999, R),
        ({"published": 0.017, "decimals": 3}, 0.017999, N), ({"published": 0.018, "decimals": 3}, 0.0175001, R),
        ({"published": [28, 0.017], "decimals": 3, "cut": True}, [28, 0.01754], R),
        ({"published": True}, True, R), ({"published": True}, False, N),
    ],
)  # fmt: skip
def test_exact(rule, measured, expected):
    assert verdict("exact", rule, measured) == expected


@pytest.mark.parametrize(
    ("measured", "expected"),
    [(0.55, R), (0.545, R), (0.555, R), (0.5449999, N), (0.5550001, N), ([0.55, 0.545], R), ([0.55, 0.6], N)],
)
def test_tolerance_includes_its_ends_as_they_are_printed(measured, expected):
    assert verdict("tolerance", {"published": 0.55, "within": 0.005}, measured) == expected


def test_tolerance_shows_the_farthest_value():
    found = judged("finding", "tolerance", {"published": 0.2, "within": 0.02}, [0.2, 0.25, 0.19])
    assert found.ours == "0.25, the farthest of 3"


@pytest.mark.parametrize(("published", "expected"), [(5.0, R), (5.1, N), (4.9, N)])
def test_published_run_includes_the_ends_of_the_prediction_interval(published, expected):
    assert verdict("published-run", {"published": published}, [5.0, 5.0, 5.0]) == expected


def test_published_run_cuts_every_run_first():
    rule = {"published": 0.002, "decimals": 3, "cut": True}
    assert verdict("published-run", rule, [0.0021, 0.0029, 0.0025]) == R
    assert verdict("published-run", rule | {"cut": False}, [0.0029, 0.00291, 0.00292]) == N


@pytest.mark.parametrize(
    ("measured", "expected"),
    [(99.0, R), ([96.5, 98.5], R), (97.5, R), (97.4, N), ([97.0, 97.2], N), (None, I)],
)
def test_published_run_may_say_how_far_our_mean_may_be(measured, expected):
    assert verdict("published-run", {"published": 99.0, "within": 1.5}, measured) == expected


@pytest.mark.parametrize(
    ("measured", "every", "some"),
    [
        ({"true": 5, "of": 5}, R, R), ({"true": 4, "of": 5}, N, R), ({"true": 0, "of": 5}, N, N),
        ([True, True], R, R), ([True, False], N, R), ([False, False], N, N),
    ],
)  # fmt: skip
def test_property(measured, every, some):
    assert verdict("property", {}, measured) == every
    assert verdict("property", {"some": True}, measured) == some


def test_property_needs_a_case():
    for nothing in ([], {"true": 0, "of": 0}):
        with pytest.raises(ValueError, match="no case"):
            verdict("property", {}, nothing)


@pytest.mark.parametrize(("measured", "expected"), [(1e-3, N), (1e-6, R), (0, R), ([0, 0], R), ([0, 1], N)])
def test_a_counterexample_refutes(measured, expected):
    assert verdict("counterexample", {"above": 1e-6}, measured) == expected


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


def test_sets_that_fail_are_named():
    found = judged("finding", "trend", {"above": 0}, {"a, 1": -1, "b": None, "c": 1, "d": 1})
    assert (found.verdict, found.ours) == (P, "holds for 2 of 4")
    assert found.reason == "does not hold for (a, 1); undecided for b"
    many = judged("finding", "trend", {"above": 0}, dict.fromkeys("abcdefg", -1))
    assert many.reason == "does not hold for 7 of them"
    with pytest.raises(ValueError, match="no set"):
        judged("finding", "trend", {"above": 0}, {})


def test_parts_have_bounds_of_their_own_and_must_all_be_there():
    rule = {"parts": {"in N": {"least": 0.9, "most": 1.1}, "in n": {"most": 1.15}}}
    assert verdict("trend", rule, {"in N": 0.9, "in n": 1.15}) == R
    assert verdict("trend", rule, {"in N": 1.1, "in n": 1.16}) == P
    assert verdict("trend", rule, {"in N": 1.2, "in n": 1.2}) == N
    found = judged("finding", "trend", rule, {"in N": 1.0, "in n": 1.1})
    assert found.ours == "in N: 1; in n: 1.1"
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


def test_a_question_is_answered_with_its_numbers():
    rule = {"answer": "From d = {first d} on; slope {slope}."}
    found = judged("question", "question", rule, {"first d": 5, "slope": [1.0, 1.0, 1.0]})
    assert (found.verdict, found.ours) == (rules.ANSWERED, "From d = 5 on; slope 1 (1 … 1).")


@pytest.mark.parametrize("measured", [{"slope": 1}, {}, None, [1]])
def test_a_question_without_its_numbers_is_refused(measured):
    with pytest.raises(ValueError, match="answer"):
        verdict("question", {"answer": "From d = {first d} on."}, measured, "question")


def test_what_cannot_be_tested_says_so():
    assert verdict("not-testable", {}, None) == rules.NOT_TESTABLE


@pytest.mark.parametrize(
    ("kind", "measured"),
    [("paired", "text"), ("paired", [1.0, None]), ("tolerance", "x"), ("trend", {"first": [1], "second": [1, 2]})],
)  # fmt: skip
def test_a_measurement_of_the_wrong_form_is_refused(kind, measured):
    with pytest.raises(ValueError, match="cannot judge|have no value"):
        verdict(kind, {"above": 0, "published": 1, "within": 1}, measured)


def test_why_a_measurement_is_refused():
    with pytest.raises(ValueError, match="^1 of 2 runs have no value"):
        verdict("paired", {"above": 0}, [1.0, None])
    with pytest.raises(ValueError, match="^expected Booleans or a count"):
        verdict("property", {}, [True, 2])
    for p in (1.0, 0.49):
        with pytest.raises(ValueError, match="level of an interval must be at least 0 and below 1, got"):
            intervals.t_quantile(p, 3)
    assert intervals.t_quantile(0.5, 3) == pytest.approx(0, abs=1e-9)


def test_up_to_three_sets_are_shown_one_by_one():
    found = judged("finding", "trend", {"above": 0}, {"a": 1, "b": 2, "c": 3})
    assert found.ours == "a: 1; b: 2; c: 3"
    assert judged("finding", "trend", {"above": 0}, dict.fromkeys("abcd", 1)).ours == "holds for 4 of 4"
    pairs = {name: {"x": 1, "y": 2} for name in "abc"}
    assert judged("finding", "trend", {"above": 0}, pairs).ours == "a: x 1; y 2; b: x 1; y 2; c: x 1; y 2"


def test_how_measurements_are_shown():
    def ours(kind, rule, measured):
        return judged("finding", kind, rule, measured).ours

    assert ours("exact", {"published": 3, "shown": "{} trees"}, 4) == "4 trees"
    assert ours("exact", {"published": False}, True) == "yes"
    assert ours("exact", {"published": False}, False) == "no"
    assert ours("counterexample", {"above": 0}, [0, 2, 0, 3]) == "2 in 2 of 4 cases"
    assert ours("counterexample", {"above": 0}, [-1, 0]) == "−1 in 0 of 2 cases"
    assert ours("property", {}, {"true": 1_999, "of": 2_000}) == "1,999 of 2,000 cases"
    assert ours("published-run", {"published": 1.0}, [1.0, 2.0, 3.0]) == "2.0"
    assert ours("trend", {"above": 0, "interval": "wilson"}, [True, True, False, True]) == "3 of 4, 0.75"
    assert ours("trend", {"monotone": "falling"}, curve(3, 2, 1, spread=0.0)) == "−2"


def test_what_was_not_measured_is_said_and_decides_nothing():
    for kind, rule in (("published-run", {"published": 1}), ("trend", {"above": 0})):
        found = judged("finding", kind, rule, None)
        assert (found.verdict, found.ours) == (I, "This run did not measure it")


def test_what_is_shown_of_two_is_more_than_of_one():
    found = judged("finding", "tolerance", {"published": 1, "within": 1}, [1.5, 1.0])
    assert found.ours == "1.5, the farthest of 2"
    found = judged("finding", "trend", {"above": 0}, {"a": -1, "b": -1, "c": 1})
    assert found.reason == "does not hold for a, b"
    six = judged("finding", "trend", {"above": 0}, dict.fromkeys("abcdef", -1))
    assert six.reason == "does not hold for a, b, c, d, e, f"


def test_many_parts_of_few_sets_are_counted():
    twelve = {name: dict.fromkeys("wxyz", 1) for name in "abc"}
    assert judged("finding", "trend", {"above": 0}, twelve).ours == "holds for 3 of 3"
    two = {name: dict.fromkeys("xyz", 1) for name in "ab"}
    assert judged("finding", "trend", {"above": 0}, two).ours == "a: x 1; y 1; z 1; b: x 1; y 1; z 1"


def test_the_level_of_a_published_run_widens_its_interval():
    runs = [1.0, 2.0, 3.0]
    for level in (0.5, 0.99):
        low, high = prediction_interval(runs, level)[1:]
        for published, expected in ((high - 0.01, R), (high + 0.01, N), (low + 0.01, R), (low - 0.01, N)):
            assert verdict("published-run", {"published": published, "level": level}, runs) == expected


@pytest.mark.parametrize(("length", "shown"), [(58, "'" + "x" * 58 + "'"), (59, "'" + "x" * 56 + "...")])
def test_a_long_measurement_is_shown_in_sixty_characters(length, shown):
    with pytest.raises(ValueError, match="cannot judge") as caught:
        verdict("tolerance", {"published": 1, "within": 1}, "x" * length)
    assert f"cannot judge {shown} (" in str(caught.value)


def test_a_measurement_that_is_no_set_of_parts_is_not_corrected():
    runs = around(0.01, 1.0)
    assert verdict("paired", {"above": 0, "correction": "parts"}, runs) == R
    assert verdict("paired", {"above": 0, "correction": "parts"}, {"only": runs}) == R


@pytest.mark.parametrize("decimals", [0, 15])
def test_decimals_from_none_to_all_of_a_float(decimals):
    assert verdict("exact", {"published": 2.0, "decimals": decimals}, 2.0) == R
    assert (
        verdict("exact", {"published": round(0.123456789, decimals), "decimals": decimals}, 0.123456789) == R
    )


def test_a_single_value_in_a_list_is_shown_alone():
    assert judged("finding", "tolerance", {"published": 1, "within": 1}, [1.5]).ours == "1.5"
    assert judged("finding", "counterexample", {"above": 0}, [1.5]).ours == "1.5"


def test_values_and_units_are_shown():
    found = judged("finding", "paired", {"above": 0, "unit": "points"}, [0.4, 0.6])
    assert found.ours == "0.5 points"
    found = judged("arithmetic", "exact", {"published": [1, 2], "labels": ["depth", "nodes"]}, [1, 3])
    assert found.ours == "depth 1, nodes 3"


def test_a_list_of_another_length_than_its_labels_is_refused():
    with pytest.raises(ValueError, match="has 2 labels, and 3 values were measured"):
        judged("arithmetic", "exact", {"published": [1, 2], "labels": ["depth", "nodes"]}, [1, 2, 3])


@pytest.mark.parametrize("decimals", [10**9, -1, 2.0, True])
def test_a_number_of_decimals_that_no_float_has_is_refused(decimals):
    with pytest.raises(ValueError, match="decimals must be a whole number from 0 to 15"):
        verdict("exact", {"published": 0.5, "decimals": decimals}, 0.5)
