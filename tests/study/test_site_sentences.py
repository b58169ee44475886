"""Verdicts in sentences: what a rule asks for, and how a value decides it."""

from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from studylib.study.cards.formulas import raised_and_lowered, typeset
from studylib.study.cards.numbers import words
from studylib.study.cards.sentences import asked, because


@pytest.mark.parametrize(
    ("kind", "rule", "expected"),
    [
        ("paired", {"above": 0, "unit": "points"}, "more than 0 points"),
        ("trend", {"least": -1, "below": 2}, "at least −1 and less than 2"),
        ("equivalent", {"within": 0.01}, "a value within ± 0.01"),
        ("trend", {"relative": 0.05, "absolute": 2}, "a difference of at most 5% or 2, whichever is more"),
        ("trend", {"monotone": "falling"}, "a fall from first to last, and no clear step the other way"),
        ("exact", {"published": 0.585, "decimals": 3}, "exactly 0.585, rounded to 3 decimals"),
        ("exact", {"published": list(range(30))}, "exactly what is printed"),
        ("tolerance", {"published": 1, "within": 0.01}, "a value within ± 0.01 of 1"),
        ("published-run", {"published": 0.0036}, "the printed 0.0036 to lie in the range of our own runs"),
        ("published-run", {"published": 3, "within": 1}, "a mean within ± 1 of the printed 3"),
        ("property", {}, "every case to be so"),
        ("property", {"some": True}, "one case to be so"),
        ("counterexample", {"below": 0}, "no case with less than 0"),
        ("share-above", {"most": 1, "exceeds": 2, "of": "a"}, "at most 1 of the draws to be above 2, at a"),
        ("question", {"answer": "{x}"}, ""),
        ("paired", {"function": "a.b:c"}, ""),
        ("paired", {"parts": {"a": {"above": 0}}}, ""),
    ],
)
def test_what_a_rule_asks_for(kind, rule, expected):
    assert asked(kind, rule) == expected


ONE = [{"outcome": True, "value": 1, "low": 0.5, "high": 1.5}]
NUMBER = [{"outcome": True, "value": 1}]


def sets(held, of, refuted=0):
    outcomes = [True] * held + [False] * refuted + [None] * (of - held - refuted)
    return [{"outcome": outcome, "value": 1, "set": str(k)} for k, outcome in enumerate(outcomes)]


@pytest.mark.parametrize(
    ("kind", "rule", "verdict", "parts", "expected"),
    [
        ("paired", {"above": 0}, "reproduced", ONE, "our whole interval lies there"),
        ("paired", {"above": 0}, "not reproduced", ONE, "our whole interval lies elsewhere"),
        ("paired", {"above": 0}, "inconclusive", ONE, "our interval reaches to both sides of that"),
        ("equivalent", {"within": 1}, "inconclusive", ONE, "our interval lies only partly there"),
        ("paired", {"above": 0}, "reproduced", sets(18, 18), "it holds in all 18 cases"),
        ("property", {}, "checked", sets(4, 4), "it holds in all 4 parts"),
        ("paired", {"above": 0}, "not reproduced", sets(0, 6, 6), "it holds in none of the 6 cases"),
        ("paired", {"above": 0}, "reproduced", sets(2, 2), "it holds in both cases"),
        ("paired", {"above": 0}, "not reproduced", sets(0, 2, 2), "it holds in neither of the two cases"),
        ("paired", {"above": 0}, "not reproduced", sets(0, 1, 1), "it is not"),
        ("tolerance", {"parts": {}}, "partly", sets(3, 4), "it holds in 3 of 4 cases"),
        ("paired", {"function": "a.b:c"}, "reproduced", ONE, ""),
        ("paired", {"above": 0}, "not reproduced", sets(2, 6, 4), "it holds in only 2 of 6 cases"),
        ("paired", {"above": 0}, "inconclusive", sets(2, 6), "too many of the 6 cases are undecided"),
        ("property", {}, "checked", [{"outcome": True, "value": 200, "count": 200}], "it is so"),
        ("property", {}, "not reproduced", [{"outcome": False, "value": 11, "count": 300}], "it is not"),
        ("counterexample", {"below": 0}, "not reproduced", NUMBER, "there is one"),
        ("published-run", {"published": 3}, "not reproduced", ONE, "it does not"),
        ("published-run", {"published": 3}, "inconclusive", ONE, "the interval is too wide to decide"),
        ("share", {}, "partly", [{"outcome": None, "value": 0.3}], "that is neither typical nor rare"),
        ("holm", {"above": 0, "rival": "a"}, "reproduced", ONE, "our whole interval lies there"),
        ("speed-up", {}, "inconclusive", sets(1, 2), "our runs do not decide"),
        ("paired", {"above": 0}, "shown", NUMBER, ""),
        ("question", {}, "answered", NUMBER, ""),
    ],
)
def test_how_a_value_decides(kind, rule, verdict, parts, expected):
    claim = SimpleNamespace(kind=kind, judge=rule)
    assert because(claim, {"verdict": verdict, "parts": parts}) == expected
    elsewhere = {"verdict": "depends on a choice", "at_main": verdict, "parts": parts}
    assert because(claim, elsewhere) == (f"at our main choice {expected}" if expected else "")


def test_names_of_the_code_become_words():
    assert words("n_train") == "n train"
    assert words("n_trees and max_features: printed_bias2, bias2") == (
        "number of trees and max features: printed bias², bias²"
    )
    assert words("Q_X stays, and so does GRAF 2") == "Q_X stays, and so does GRAF 2"


def test_per_cent_signs_stand_behind_their_numbers():
    assert words("2 features, 5 %") == "2 features, 5%"
    assert asked("paired", {"above": 0, "unit": "%"}) == "more than 0%"
    assert typeset("the 95\u00a0% interval, in %") == "the 95% interval, in %"


def test_without_formulas_powers_and_indices_are_raised_and_lowered():
    markup = raised_and_lowered("<b> 2^(τ_h+1), τ_|X|, W^ω; n_jobs")
    assert (
        markup == "&lt;b&gt; 2<sup>τ<sub>h</sub>+1</sup>, τ<sub>|X|</sub>, W<sup>ω</sup>; <code>n_jobs</code>"
    )


def test_powers_and_indices_are_typeset_and_the_rest_is_escaped():
    text = typeset("<b> 2^(τ_h+1), τ_|X|, W^ω; n_jobs and x_y_z")
    assert text.startswith("&lt;b&gt; <math")
    assert text.count("<math") == 3
    assert text.count("<msup>") == 2
    assert text.count("<msub>") == 2
    assert "<code>n_jobs</code> and <code>x_y_z</code>" in text


@pytest.mark.parametrize(
    "text", [r"2^(\text{<b>})", r"2^(\href{javascript:x}{y})", "2^(<b>)", "x_|<b>|", "2^(&lt;b&gt;)"]
)
@pytest.mark.parametrize("shown", [typeset, raised_and_lowered])
def test_no_formula_in_a_text_is_markup(text, shown):
    soup = BeautifulSoup(shown(text), "html.parser")
    assert not soup(["b", "a"])
    assert not soup(href=True)
