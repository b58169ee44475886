"""A claim is judged with every combination of its choices, and its verdict is one that all of them give."""

import json
from dataclasses import asdict, replace
from itertools import product

import pytest

from studylib.study import Run, rules
from studylib.study.cards import card, sentences
from studylib.study.findings import over_choices
from studylib.study.fingerprints import forgotten_amendments, rule_hash
from studylib.study.ledger.choices import check_choices, check_ours, main_of_the_measurement
from studylib.study.ledger.claims import Claim
from studylib.study.ledger.study import study_root

RUNS = {"first": [1.4, 1.5, 1.6], "second": [0.0, 0.0, 0.0]}
TOLERANCE = {
    "id": "tolerance", "sets": "within", "values": [0.5, 1, 2], "main": 1, "why": "nothing says what is near",
    "sources": ["a convention of this study"], "fixed": "2026-11-29", "known": False,
}  # fmt: skip
LEVEL = TOLERANCE | {"id": "confidence", "sets": "level", "values": [0.9, 0.95], "main": 0.95}
CLAIM = Claim(
    "near", "a source", "1", "The two are near", "–", "equivalent", "within 1", "finding",
    judge={"within": 1, "level": 0.95}, choices=[TOLERANCE],
)  # fmt: skip


def outcome(claim, measured=RUNS, profile="paper", **more):
    given = {"measured": measured, "beside": {}, "stand_in": False, **more}
    return rules.outcome(asdict(claim), given, profile)


def verdict_over_all(verdicts):
    """The rule of `over_choices` in other words."""
    if all(verdict == verdicts[0] for verdict in verdicts):
        return verdicts[0]
    refuted, met = "not reproduced" in verdicts, {"reproduced", "partly"} & set(verdicts)
    if refuted and met:
        return "depends on a choice"
    return "inconclusive" if "inconclusive" in verdicts else "partly"


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_verdict_is_one_that_all_choices_give(n):
    for verdicts in product(["reproduced", "partly", "not reproduced", "inconclusive"], repeat=n):
        assert over_choices(verdicts) == verdict_over_all(verdicts)


def test_a_claim_is_judged_at_each_choice():
    entry = outcome(CLAIM)
    assert [(c["at"], c["verdict"]) for c in entry["choices"]] == [
        ({"tolerance": 0.5}, "not reproduced"), ({"tolerance": 1}, "not reproduced"), ({"tolerance": 2}, "reproduced"),
    ]  # fmt: skip
    assert (entry["verdict"], entry["at_main"]) == ("depends on a choice", "not reproduced")
    alone = outcome(replace(CLAIM, choices=[]))
    assert entry["parts"] == alone["parts"]
    for value, choice in zip(TOLERANCE["values"], entry["choices"], strict=True):
        other = outcome(replace(CLAIM, choices=[], judge={"within": value, "level": 0.95}))
        assert (choice["verdict"], choice["parts"]) == (other["verdict"], other["parts"])


def test_choices_are_combined_and_bounded():
    entry = outcome(replace(CLAIM, choices=[TOLERANCE, LEVEL]))
    assert [tuple(c["at"].values()) for c in entry["choices"]] == list(product([0.5, 1, 2], [0.9, 0.95]))
    with pytest.raises(ValueError, match="24 combinations"):
        rules.combinations([TOLERANCE | {"values": list(range(25))}])


def test_several_keys_move_together_and_a_key_of_a_part_alone():
    choice = TOLERANCE | {"sets": ["least", "most"], "values": [[-1, 1], [-2, 2]], "main": [-1, 1]}
    rule = {"least": -1, "most": 1}
    assert rules.with_choices(rule, [choice], {"tolerance": [-2, 2]}) == {"least": -2, "most": 2}
    rule = {"parts": {"in 2.5 d": {"within": 1}, "b": {"within": 1}}}
    moved = rules.with_choices(rule, [TOLERANCE | {"sets": "parts.in 2.5 d.within"}], {"tolerance": 2})
    assert moved == {"parts": {"in 2.5 d": {"within": 2}, "b": {"within": 1}}}
    assert rule["parts"]["in 2.5 d"] == {"within": 1}


def test_a_choice_in_the_measurement_has_a_measurement_for_each_value():
    points = TOLERANCE | {"id": "points", "sets": "measured", "values": [64_000, 128_000], "main": 64_000}
    claim = replace(CLAIM, kind="bound", judge={"below": 0.5}, choices=[points])
    assert main_of_the_measurement(claim, {"64000": 0.51}) == "64000"
    entry = outcome(claim, 0.51, by_choice={"64000": 0.51, "128000": 0.36})
    assert entry["verdict"] == "depends on a choice"
    entry = outcome(claim, 0.51, by_choice={"64000": 0.51})
    assert entry["verdict"] == "inconclusive"
    assert "not measured at 128,000" in sentences.reason(claim, entry)
    with pytest.raises(ValueError, match="for 64000 at least, got 128000"):
        main_of_the_measurement(claim, {"128000": 0.36})
    with pytest.raises(ValueError, match="this has none"):
        main_of_the_measurement(CLAIM, {"1": 0.36})


def test_nothing_is_judged_where_values_are_only_shown():
    assert outcome(CLAIM, profile="smoke").keys() == {"verdict", "parts"}


def test_a_card_says_at_which_choices_it_is_so():
    facts = card.facts(CLAIM, outcome(CLAIM))
    assert facts["choices"] == [
        ("0.5", "not reproduced", False), ("1", "not reproduced", True), ("2", "reproduced", False),
    ]  # fmt: skip
    assert facts["because"] == "at our main choice our whole interval lies elsewhere"
    assert facts["reason"] == (
        "by tolerance: not reproduced at 0.5 and 1 (our main choice); reproduced at 2; nothing says what is near"
    )
    same = card.facts(CLAIM, outcome(CLAIM, {"first": [0.1, 0.2, 0.15], "second": [0.0, 0.0, 0.0]}))
    assert same["reason"] == "the same for each tolerance: 0.5, 1 and 2; nothing says what is near"
    page = card.markup(card.Card(**facts), "claims.html")
    assert page.count("<li class=") == 3
    assert page.count("data-main") == 1


def test_a_choice_that_no_verdict_depends_on_is_not_listed():
    both = replace(CLAIM, choices=[LEVEL, TOLERANCE])
    assert card.facts(both, outcome(both))["choices"] == card.facts(CLAIM, outcome(CLAIM))["choices"]
    wide = {"first": [0.0, 0.9, 1.6], "second": [0.0, 0.0, 0.0]}
    both = replace(both, choices=[LEVEL | {"values": [0.01, 0.95]}, TOLERANCE])
    assert card.facts(both, outcome(both, wide))["choices"][:2] == [
        ("(0.01, 0.5)", "not reproduced", False), ("(0.01, 1)", "reproduced", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": [1]}, r"two different ones or more, got \[1\]"),
        ({"values": [1, 1]}, "two different ones"),
        ({"main": 3}, "one of its values"),
        ({"main": 2}, "the rule must have the main values"),
        ({"sets": "widest"}, "the rule must have the main values"),
        ({"sets": "parts.a.within"}, "key 'sets' of a choice must be"),
        ({"sets": ["within"]}, "key 'sets' of a choice must be"),
        ({"values": [1, -1]}, "with which|above|must"),
    ],
)
def test_choices_that_cannot_be_made_are_refused(change, message):
    claim = {"nature": "finding", "kind": "published-run", "judge": {"published": 3, "within": 1}}
    check_choices(claim | {"choices": [TOLERANCE]})
    if change == {"values": [1, -1]}:
        claim |= {"kind": "equivalent", "judge": {"within": 1, "reversal": 1}}
        change = {"values": [1, -1], "sets": "reversal"}
    with pytest.raises(ValueError, match=message):
        check_choices(claim | {"choices": [TOLERANCE | change]})


def test_only_findings_have_choices():
    with pytest.raises(ValueError, match="only a finding"):
        check_choices(
            {"nature": "identity", "kind": "equivalent", "judge": CLAIM.judge, "choices": [TOLERANCE]}
        )
    measured = TOLERANCE | {"sets": "measured"}
    with pytest.raises(ValueError, match="only one choice"):
        check_choices(asdict(CLAIM) | {"choices": [measured, measured | {"id": "other"}]})


def test_whose_a_number_is_names_keys_of_the_rule():
    check_ours(["within", "measured: the field of methods"], CLAIM.judge)
    with pytest.raises(ValueError, match="'widest', which the rule has not"):
        check_ours(["widest"], CLAIM.judge)


def test_a_list_of_choices_may_be_added_but_not_changed_in_silence():
    plain, with_list = asdict(replace(CLAIM, choices=[])), asdict(CLAIM)
    assert rule_hash(plain) != rule_hash(with_list)
    assert forgotten_amendments(with_list, [rule_hash(plain), rule_hash(with_list)]) == []
    wider = asdict(replace(CLAIM, choices=[TOLERANCE | {"values": [0.5, 1, 2, 3]}]))
    assert len(forgotten_amendments(wider, [rule_hash(with_list)])) == 1
    words = asdict(replace(CLAIM, choices=[TOLERANCE | {"why": "said better"}]))
    assert rule_hash(words) == rule_hash(with_list)


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [(-1.0, 3.0, "about 4 times"), (-99.0, 101.0, " more than 100 times"), (0.5, 1.5, "")],
)
def test_what_is_open_says_how_many_more_runs_would_decide_it(low, high, message):
    claim = replace(CLAIM, kind="paired", judge={"above": 0}, choices=[])
    undecided = low < 0 < high
    part = {"outcome": None if undecided else True, "value": 1.0, "low": low, "high": high, "bounds": [0.0]}
    reason = sentences.reason(
        claim, {"verdict": "inconclusive" if undecided else "reproduced", "parts": [part]}
    )
    assert message in reason
    assert bool(reason) == bool(message)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"interval": "prediction"}, ""),
        ({"reversal": 1}, ""),
        ({"interval": "resampled", "test_share": 0.5}, "more splits of the same rows would hardly narrow"),
    ],
)
def test_where_more_runs_do_not_narrow_the_interval_no_number_of_them_is_named(rule, message):
    claim = replace(CLAIM, kind="paired", judge={"above": 0, **rule}, choices=[])
    part = {"outcome": None, "value": 1.0, "low": -1.0, "high": 3.0, "bounds": [0.0]}
    reason = sentences.reason(claim, {"verdict": "inconclusive", "parts": [part]})
    assert "times as many" not in reason
    assert reason.startswith(message)


def test_a_notebook_hands_over_a_measurement_for_each_value(monkeypatch):
    monkeypatch.setattr("studylib.study.run.notebook_api._display", lambda *shown, **metadata: None)
    run = Run("10a_neighbours")
    claim = "l2-kd-tree-dimensions"
    assert run.choices(claim) == [0, 1, 2]
    of_trees = Run("03_graf_bias_variance").choices("graf-fig3-saturates")
    assert of_trees == [0.2, 0.1, 0.4]  # the main one first
    measured = {doublings: {"16 dimensions": [0.4, 0.41]} for doublings in (0, 1)}
    run.judge(claim, by_choice=measured)
    given = run.results()["claims"][claim]
    assert given["measured"] == {"16 dimensions": [0.4, 0.41]}
    assert given["by_choice"].keys() == {"0", "1"}
    with pytest.raises(
        ValueError, match="judge: 'l2-kd-tree-dimensions': by_choice must have measurements for"
    ):
        run.judge(claim, by_choice={3: 0.1})
    with pytest.raises(ValueError, match="this has none"):
        run.judge("l2-lsh", by_choice={3: 0.1})


def test_the_committed_report_measured_every_choice():
    claims = json.loads((study_root() / "reports/paper/evidence.json").read_text())["claims"]
    notes = [choice.get("note") for entry in claims.values() for choice in entry.get("choices", [])]
    assert len(notes) > 100
    assert {"why": "not measured"} not in notes
