"""Rules as data: what is refused, how they read, and which verdicts they can give."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from studylib.study import rules
from studylib.study.cards import sentences
from studylib.study.ledger import rule_table
from studylib.study.ledger.study import current_study

CLAIMS = current_study().ledger.claims


@pytest.mark.parametrize("claim", [c for c in CLAIMS.values() if c.judge], ids=lambda c: c.id)
def test_every_rule_reads_as_words(claim):
    words = sentences.in_words(claim.kind, claim.judge)
    assert words
    assert {"None", "inf", "-inf"}.isdisjoint(words.split())


@pytest.mark.parametrize(
    ("kind", "rule", "message"),
    [
        ("trend", {}, "no finite bound, so it can give one verdict only"),
        ("trend", {"least": float("-inf"), "most": float("inf")}, "no finite bound"),
        ("paired", {"unit": "points"}, "no finite bound"),
        ("counterexample", {}, "no finite bound"),
        ("paired", {"above": 1, "below": 1}, "bounds that no number meets, so it can give one verdict only"),
        ("counterexample", {"least": 2, "most": 1}, "bounds that no number meets"),
        ("trend", {"above": 1, "interval": "wilson"}, "bounds that no share meets"),
        ("share-above", {"of": "a", "exceeds": 0, "level": 0.9, "least": 0}, "bounds that every share meets"),
        ("exact", {}, "lacks the key 'published'"),
        ("tolerance", {"published": 1}, "lacks the key 'within'"),
        ("question", {}, "lacks the key 'answer'"),
        ("published-run", {"within": 1}, "lacks the key 'published'"),
        ("paired", {"abov": 0}, "unknown key 'abov'; allowed are above, below"),
        ("exact", {"published": "0.87", "decimals": 2}, "'published' of a rule must be a number, got '0.87'"),
        ("paired", {"above": 0, "interval": "normal"}, "must be one of mean, resampled, prediction, wilson"),
        ("paired", {"above": 0, "interval": "resampled"}, "needs 'test_share'"),
        ("paired", {"above": 0, "test_share": 0.3}, "needs 'test_share', and only that interval"),
        ("equivalent", {"relative": 0.05}, "'relative' and 'absolute' of a rule belong together"),
        ("trend", {"monotone": "up"}, "must be one of rising, falling, got 'up'"),
        ("trend", {"monotone": "u" * 5000}, r"must be one of rising, falling, got 'uu[^\n]{1,200}$"),
        ("trend", {"parts": {"a": {"least": 1}, "b": {}}}, "no finite bound"),
        ("trend", {"parts": {"a": {"lest": 1}}}, "part 'a', has the unknown key 'lest'"),
        ("exact", {"function": "a:b", "published": 1}, "with a function has the unknown key 'published'"),
        ("paired", {"above": 0, "reversal": -1}, "'reversal' of a rule must be 0 or more, got -1"),
        ("published-run", {"published": 1, "widest": -1}, "'widest' of a rule must be above 0, got -1"),
        ("paired", {"above": 0, "level": 0}, "'level' of a rule must be between 0 and 1, got 0"),
        ("paired", {"above": 0, "level": 1.0}, "'level' of a rule must be between 0 and 1, got 1.0"),
        ("paired", {"above": 0, "interval": "resampled", "test_share": 1}, "'test_share' of a rule must be between"),
        ("paired", {"above": 0, "correction": "part"}, "'correction' of a rule must be one of parts, got 'part'"),
        ("exact", {"published": 1, "decimals": 10**400}, "'decimals' of a rule must be a number that a float"),
    ],
)  # fmt: skip
def test_a_rule_that_cannot_judge_is_refused(kind, rule, message):
    with pytest.raises(ValueError, match=message):
        rule_table.check_rule(kind, rule)


SHOWING = {"unit": "%", "shown": "{}", "labels": ["a"]}
POSITION = {
    "above": 0, "below": 9, "least": 1, "most": 8, "reversal": 0.1, "level": 0.9, "correction": "parts", "unit": "%",
    "interval": "resampled", "test_share": 0.5,
}  # fmt: skip
OF_ALL = {"above": 0, "below": 9, "least": 1, "most": 8, "reversal": 1, "level": 0.9, "unit": "%"}
COMPLETE = {
    "exact": {"published": 1, "decimals": 2, "cut": True, **SHOWING},
    "tolerance": {"published": 1, "within": 0.5, "unit": "%"},
    "published-run": {
        "published": 1,
        "within": 0.5,
        "decimals": 2,
        "cut": True,
        "level": 0.9,
        "widest": 2,
        "unit": "%",
    },
    "paired": POSITION,
    "equivalent": {**POSITION, "within": 0.5, "relative": 0.5, "absolute": 1},
    "trend": {**POSITION, "monotone": "rising"},
    "property": {"some": True},
    "counterexample": {"above": 0, "below": 9, "least": 1, "most": 8, "unit": "%"},
    "bound": {"above": 0, "below": 9, "least": 1, "most": 8, "unit": "%"},
    "ahead-of-all": OF_ALL,
    "any-of": OF_ALL,
    "holm": {"rival": "a", "above": 0, "level": 0.9, "unit": "%"},
    "share-of-sets": {
        "published": 0.5, "widest": 0.1, "above": 0, "below": 9, "least": 1, "most": 8, "level": 0.9, "runs": 10,
    },
    "share": {"typical": 0.5, "rare": 0.1, "level": 0.9},
    "share-above": {
        "of": "a", "exceeds": 0.5, "above": 0, "below": 9, "least": 1, "most": 8, "level": 0.9,
    },
    "speed-up": {"least_share": 0.7, "least_pairs": 30, "least_cores": 4, "largest_load": 0.5, "level": 0.9},
    "question": {"answer": "a number"},
    "not-testable": {},
}  # fmt: skip


@pytest.mark.parametrize("kind", rule_table.KINDS)
def test_all_keys_of_a_kind_are_taken_and_each_has_a_type(kind):
    assert COMPLETE.keys() == set(rule_table.KINDS)
    rule_table.check_rule(kind, COMPLETE[kind])
    for key in COMPLETE[kind].keys() - {"published"}:
        what = {
            "cut": "true or false", "some": "true or false", "labels": "a list",
            **dict.fromkeys(("decimals", "runs", "least_pairs", "least_cores"), "an integer"),
            **dict.fromkeys(("unit", "shown", "answer", "rival", "of"), "a string"),
            **dict.fromkeys(("interval", "correction", "monotone"), "one of .*"),
        }.get(key, "a number")  # fmt: skip
        with pytest.raises(ValueError, match=f"key '{key}' of a rule must be {what}, got {{}}"):
            rule_table.check_rule(kind, COMPLETE[kind] | {key: {}})


@pytest.mark.parametrize(
    ("kind", "rule", "words"),
    [
        ("paired", {"above": 0}, "> 0; of runs, the whole 95% interval (Student's t) of the mean"),
        (
            "equivalent",
            {"within": 0.5, "unit": "points", "correction": "parts"},
            "within ± 0.5 points; of runs, the whole 95% interval (Student's t) of the mean, corrected for the number of parts",
        ),
        ("exact", {"published": 0.017, "decimals": 3, "cut": True}, "equal to 0.017, cut to 3 decimals"),
        ("tolerance", {"published": 0.55, "within": 0.005}, "within ± 0.005 of 0.55"),
        ("exact", {"published": 0.02, "decimals": 2}, "equal to 0.02, rounded to 2 decimals"),
        ("published-run", {"published": 2, "within": 0.1, "unit": "%"}, "our mean within ± 0.1 of 2%"),
        (
            "published-run",
            {"published": 0.2, "decimals": 1, "cut": True},
            "0.2 inside the 95% prediction interval of our runs, each cut to 1 decimals",
        ),
        (
            "published-run",
            {"published": 0.2, "decimals": 1},
            "0.2 inside the 95% prediction interval of our runs, each rounded to 1 decimals",
        ),
        (
            "equivalent",
            {"relative": 0.05, "absolute": 0.2},
            "within 5% of the second value or ± 0.2; of runs, the whole 95% interval (Student's t) of the mean",
        ),
        (
            "published-run",
            {"published": 0.2, "widest": 0.1},
            "0.2 inside the 95% prediction interval of our runs; undecided if that reaches farther than ± 0.1",
        ),
        (
            "paired",
            {"most": 0, "reversal": 0.1},
            "≤ 0; of runs, the whole 95% interval (Student's t) of the mean; refuted only from 0.1 beyond the bound on",
        ),
        (
            "trend",
            {"monotone": "rising", "reversal": 0.1},
            "rising: no step goes the other way by more than 0.1 (level corrected for the number of steps), and the "
            "95% interval of last − first excludes 0",
        ),
        ("question", {"answer": "a number"}, "answered with numbers"),
        ("not-testable", {}, ""),
        ("paired", {"function": "a:b"}, "judged by the function a:b"),
        ("paired", {"function": "a:b", "numbers": {"the_most": 3}}, "judged by the function a:b with the most 3"),
        (
            "paired",
            {"function": "a:b", "numbers": {"least": 1, "most": 3}},
            "judged by the function a:b with least 1; most 3",
        ),
        (
            "paired",
            {"parts": {"in N": {"below": 0.2}, "in M": {"above": 0}}, "interval": "wilson"},
            "in N: < 0.2; of runs, the whole 95% Wilson interval of the share; "
            "in M: > 0; of runs, the whole 95% Wilson interval of the share",
        ),
        (
            "equivalent",
            {"within": 1, "interval": "resampled", "test_share": 0.25},
            "within ± 1; of runs, the whole 95% interval of the mean over resampled splits (Nadeau and Bengio, "
            "test share 0.25)",
        ),
        ("property", {"some": True}, "true in at least one case"),
        ("property", {}, "true in every case"),
        ("counterexample", {"above": 1e-6}, "refuted by one case with a value > 1\u00a0×\u00a010⁻⁶"),
        (
            "trend",
            {"parts": {"in N": {"least": 0.9, "most": 1.1}}, "interval": "prediction"},
            "in N: ≥ 0.9 and ≤ 1.1; of runs, the whole 95% prediction interval",
        ),
        (
            "trend",
            {"monotone": "falling"},
            "falling: no step goes the other way (level corrected for the number of steps), and the 95% interval "
            "of last − first excludes 0",
        ),
    ],
)  # fmt: skip
def test_rules_read_as_they_judge(kind, rule, words):
    rule_table.check_rule(kind, rule)
    assert sentences.in_words(kind, rule) == words


R, P, N, I = rules.REPRODUCED, rules.PARTLY, rules.NOT_REPRODUCED, rules.INCONCLUSIVE  # noqa: E741
RUNS, SETS = [1.0, 2.0], {"one": [1.0, 2.0], "two": [1.0, 2.0], "three": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("kind", "rule", "like", "can_give"),
    [
        ("paired", {"above": 0}, RUNS, [R, N, I]),
        ("paired", {"above": 0}, 1.0, [R, N]),
        ("paired", {"above": 0, "reversal": 1}, 1.0, [R, N, I]),
        ("paired", {"above": 0}, SETS, [R, P, N, I]),
        ("paired", {"above": 0}, {"set": {"here": 1.0, "there": 2.0}}, [R, N]),
        ("equivalent", {"within": 0.1}, RUNS, [R, N, I]),
        ("equivalent", {"relative": 0.05, "absolute": 0.2}, RUNS, [R, N, I]),
        ("trend", {"monotone": "falling"}, None, [R, N, I]),
        ("paired", {"above": 0.5, "interval": "wilson"}, [True], [R, N, I]),
        ("trend", {"parts": {"a": {"least": 1}, "b": {"most": 0}}}, {"a": 1.0, "b": RUNS}, [R, P, N]),
        ("published-run", {"published": 1}, RUNS, [R, N]),
        ("published-run", {"published": 1, "widest": 0.1}, RUNS, [R, N, I]),
        ("property", {}, {"a": [True], "b": [True]}, [R, P, N]),
        ("paired", {"above": 0}, {"a": 1.0, "b": 1.0, "c": RUNS}, [R, P, N, I]),
        ("paired", {"above": 0}, {}, [R, N, I]),
        ("exact", {"published": 1}, None, [R, N]),
    ],
)  # fmt: skip
def test_the_verdicts_that_a_rule_can_give(kind, rule, like, can_give):
    claim = SimpleNamespace(nature="finding", kind=kind, judge=rule)
    assert rule_table.verdicts_it_can_give(claim, like) == can_give


def test_a_function_without_cases_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "judging", ModuleType("judging"))
    claim = SimpleNamespace(id="a", judge={"function": "judging:mine"})
    with pytest.raises(ValueError, match="a: judging must list measurements for 'mine' in its dict CASES"):
        rule_table.verdicts_it_can_give(claim)


@pytest.mark.parametrize(
    ("kind", "rule", "message", "interval"),
    [
        ("paired", {"above": 0}, "> 0", "95% interval"),
        ("equivalent", {"within": 0.01, "unit": "points"}, "within ± 0.01 points", "95% interval"),
        ("equivalent", {"relative": 0.05, "absolute": 1.0}, "within 5% or 1", "95% interval"),
        ("trend", {"least": -0.1, "most": 0.1, "level": 0.99}, "≥ −0.1 and ≤ 0.1", "99% interval"),
        ("trend", {"monotone": "rising"}, "", "95% interval"),
        ("published-run", {"published": 0.02}, "", "95% prediction interval"),
        ("paired", {"above": 0, "correction": "parts"}, "> 0", "interval"),
        ("paired", {"parts": {"a": {"above": 0}, "b": {"above": 1}}}, "", "interval"),
        ("paired", {"parts": {"a": {"above": 0}}, "unit": "points"}, "", "interval"),
        ("paired", {"function": "a.b:c"}, "", "interval"),
        ("paired", {"function": "a.b:c", "unit": "points"}, "", "interval"),
        ("trend", {"monotone": "rising", "unit": "points"}, "", "95% interval"),
        ("trend", {"least": 0, "interval": "prediction"}, "≥ 0", "95% prediction interval"),
    ],
)
def test_the_ledger_says_what_is_required_and_what_an_interval_is(kind, rule, message, interval):
    assert sentences.required(kind, rule) == message
    assert sentences.interval_name(kind, rule, {}) == interval
