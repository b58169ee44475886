"""The outcome of one claim, which notebook, report and verifier share: verdict, value, interval and reason."""

import dataclasses

import pytest

from studylib.study import rules

CLAIM = {"nature": "finding", "kind": "paired", "judge": {"above": 0}, "note": "", "needs_data": True}
RUNS = [1.9, 2.0, 2.1]


def outcome(claim=(), profile="paper", by_function=None, **given):
    given = {"measured": RUNS, "beside": {}, "stand_in": False} | given
    return rules.outcome(CLAIM | dict(claim), given, profile, by_function)


def test_a_verdict_comes_with_value_and_interval():
    low, high = rules.mean_interval(RUNS, 0.95)
    part = {"outcome": True, "value": 2.0, "low": low, "high": high, "bounds": [0.0]}
    assert outcome() == {"verdict": "reproduced", "parts": [part]}


@pytest.mark.parametrize(("stand_in", "needs_data"), [(True, True), (True, False), (False, True)])
def test_a_stand_in_decides_no_claim_that_needs_the_data(stand_in, needs_data):
    entry = outcome({"needs_data": needs_data}, stand_in=stand_in)
    absent = {"verdict": "not testable", "parts": [], "note": {"why": "no real data"}}
    assert (entry == absent) == (stand_in and needs_data)
    if entry != absent:
        assert entry["parts"][0]["value"] == 2.0


def test_the_small_run_shows_what_it_measured_and_gives_no_verdict():
    assert outcome(profile=rules.SMOKE) == outcome() | {"verdict": "shown"}
    assert outcome(profile="quick") == outcome()
    assert rules.SMOKE == "smoke"  # the name of that profile in every study


def test_what_stands_beside_is_kept_as_numbers():
    low, high = rules.mean_interval([1.0, 2.0], 0.95)
    beside = {"depth": 3, "of others": [1.0, 2.0], "cases": {"true": 1, "of": 2}, "kind": "a"}
    assert outcome(beside=beside)["beside"] == [
        {"outcome": None, "value": 3, "name": "depth"},
        {"outcome": None, "value": 1.5, "low": low, "high": high, "name": "of others"},
        {"outcome": None, "value": 1, "name": "cases", "count": 2},
        {"outcome": None, "value": "a", "name": "kind"},
    ]


def test_a_rule_that_names_a_function_is_judged_by_it():
    rule, asked = {"function": "ranks", "level": 0.9}, []

    def by_function(*given):
        asked.append(given)
        return rules.Finding("partly", (rules.Part(None, 7, 6, 8),), {"why": "said", "text": "ties"})

    entry = outcome({"judge": rule}, by_function=by_function)
    assert asked == [(rule, RUNS)]
    part = {"outcome": None, "value": 7, "low": 6, "high": 8}
    assert entry == {"verdict": "partly", "parts": [part], "note": {"why": "said", "text": "ties"}}
    assert outcome(by_function=by_function) == outcome()  # no function named, none asked
    assert len(asked) == 1


def test_nature_and_kind_of_the_claim_count():
    exact = {"kind": "exact", "judge": {"published": 2}}
    assert outcome(exact, measured=2)["verdict"] == "reproduced"
    assert outcome({**exact, "nature": "identity"}, measured=2)["verdict"] == "checked"
    assert outcome({"kind": "not-testable"})["verdict"] == "not testable"


@pytest.mark.parametrize("what", [rules.Finding("partly"), rules.Part(None, 1)])
def test_what_was_found_stays_as_it_is(what):
    with pytest.raises(dataclasses.FrozenInstanceError):
        what.note = {}
