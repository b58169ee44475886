"""What is said about a claim, and the line that shows it."""

import dataclasses

import pytest
from bs4 import BeautifulSoup

from studylib.study import rules
from studylib.study.cards import sentences
from studylib.study.cards.card import Card, claim_line, facts, markup
from studylib.study.evidence.verdicts import tally
from studylib.study.ledger.claims import Claim

CLAIM = Claim(
    id="c", place="p. 1 & 2", statement="a < b", value="<1", source="s", kind="exact", rule="equal",
    nature="arithmetic", judge={"published": 1}, note="a remark",
)  # fmt: skip
MEAN = dataclasses.replace(CLAIM, kind="paired", judge={"above": 0}, note="3 > 2")
PART = {"outcome": True, "value": 2.0, "low": 1.0, "high": 3.0, "bounds": [0.0]}


def reason_of(measured=1, beside=(), stand_in=False, **changes):
    given = {"measured": measured, "beside": dict(beside), "stand_in": stand_in}
    return rules.outcome(dataclasses.asdict(CLAIM) | changes, given, "quick")


def test_what_was_measured_beside_and_the_remark_are_the_reason():
    reason = reason_of(beside=[("n", 3), ("m:", 4)])
    assert reason["verdict"] == "reproduced"
    assert sentences.reason(CLAIM, reason) == "n: 3; m: 4; a remark"
    absent = reason_of(stand_in=True, needs_data=True)
    assert sentences.reason(CLAIM, absent) == "real data absent; a remark"


def test_a_count_that_is_a_text_is_shown_as_it_was_measured():
    question = dataclasses.replace(CLAIM, kind="question", judge={"answer": "it is {a}"})
    part = {"outcome": None, "value": 5, "name": "a", "count": "5"}
    assert sentences.in_a_line(question, {"verdict": "answered", "parts": [part]}) == "it is 5 of 5"


def card_of(entry, ledger=""):
    return markup(Card(**facts(MEAN, entry)), ledger)


def paragraphs(card):
    return [tag.get_text().strip() for tag in BeautifulSoup(card, "html.parser")("p")]


@pytest.mark.parametrize(
    ("verdict", "sign"),
    [
        ("reproduced", "✓"), ("checked", "✓"), ("partly", "◐"), ("not reproduced", "✗"),
        ("inconclusive", "◇"), ("answered", "•"), ("not testable", "–"), ("shown", "·"),
    ],
)  # fmt: skip
def test_a_line_shows_sign_verdict_and_all_that_was_found(verdict, sign):
    entry = {"verdict": verdict, "parts": [PART]}
    line = f"c [p. 1 & 2] a < b | source <1 | ours 2 (1 … 3) | {verdict} – 3 > 2"
    assert claim_line(MEAN, entry) == line
    head, *more = paragraphs(card_of(entry))
    assert f"<strong>{sign} {verdict}</strong>" in card_of(entry)
    assert head == f"{sign} {verdict} s, p. 1 & 2: a < b."
    assert more[0] == "We measured 2 (95% interval 1\u00a0…\u00a03). The source says <1."
    assert more[-2:] == ["3 > 2", "Rule: equal."]


def test_a_line_without_value_and_reason_says_so_by_a_dash():
    entry = {"verdict": "shown", "parts": []}
    assert claim_line(dataclasses.replace(MEAN, note=""), entry).endswith("| ours – | shown")
    assert paragraphs(card_of(entry))[1:] == ["3 > 2", "Rule: equal."]


def test_a_card_says_that_a_run_did_not_measure_it():
    entry = {"verdict": "inconclusive", "parts": [{"outcome": None, "unit": "points"}]}
    assert paragraphs(card_of(entry))[1] == "This run did not measure it."


@pytest.mark.parametrize(
    ("changes", "repeated"),
    [
        ({"value": "≥"}, ""),
        ({"value": "rises"}, ""),
        ({"value": "τ = 1", "statement": "With τ = 1 it grows"}, ""),
        ({"value": "1", "statement": "at N = 100 it is so"}, "1"),
        ({"value": "> 0.5"}, "> 0.5"),
        ({"value": "0.5", "place": "ours"}, ""),
        ({"value": "5 gaps", "nature": "question"}, ""),
    ],
)
def test_a_source_says_a_value_only_if_that_says_more_than_the_statement(changes, repeated):
    entry = {"verdict": "reproduced", "parts": [PART]}
    assert Card(**facts(dataclasses.replace(MEAN, **changes), entry)).source_says == repeated


@pytest.mark.parametrize("verdict", rules.VERDICTS)
def test_a_card_says_in_a_notebook_what_it_says_on_its_page(verdict):
    entry = {"verdict": verdict, "parts": [PART], "reason": "seen in 95 %"}
    here, on_page = card_of(entry), card_of(entry, "claims.html")
    assert paragraphs(here)[1:] == paragraphs(on_page)[1:]
    assert "Seen in 95%" in here
    assert paragraphs(here)[0].split(maxsplit=1)[1] == paragraphs(on_page)[0]
    assert "style" not in on_page  # the page's style sheet does it
    assert (
        here.count('style="margin: 0"') == here.count("<p") == here.count("<p style") + here.count("<p class")
    )


@pytest.mark.parametrize(
    ("text", "shown"), [("Is it so?", "Is it so?"), ("It is.", "It is."), ("ρ rises", "ρ rises.")]
)
def test_a_sentence_of_a_card_ends_once(text, shown):
    card = Card(
        id="c", source="s", place="4", statement=text, value="", rule=text, verdict="answered",
        nature="question", lines=[text], form="value", reason="ρ is",
    )  # fmt: skip
    assert paragraphs(markup(card)) == [
        f"• answered s, 4: {shown}",
        f"Our answer: {shown}",
        "ρ is",
        f"Rule: {shown}",
    ]


def test_cases_are_no_measured_value():
    claim = dataclasses.replace(CLAIM, kind="property", judge={}, value="–")
    entry = {"verdict": "not reproduced", "parts": [{"outcome": False, "value": 8, "count": 9}]}
    card = paragraphs(markup(Card(**facts(claim, entry))))
    assert card[1:3] == ["It is so in 8 of 9 cases.", "The rule asks for every case to be so: it is not."]


def test_a_long_list_of_equal_numbers_is_counted():
    published = [0, 0.23, 0, 0.16, 0.41, 0, 1]
    claim = dataclasses.replace(CLAIM, judge={"published": published})
    for measured, shown in (
        (published, "All 7 values agree"),
        ([1, *published[1:]], "1, 0.23, 0, 0.16, 0.41, 0, 1"),
    ):
        entry = rules.outcome(
            dataclasses.asdict(claim), {"measured": measured, "beside": {}, "stand_in": False}, "quick"
        )
        assert sentences.in_a_line(claim, entry) == shown


def test_a_tally_counts_verdicts_in_the_order_of_the_ledger():
    entries = [{"verdict": v} for v in ("shown", "reproduced", "checked", "reproduced")]
    assert tally(entries) == "2 reproduced, 1 checked, 1 shown"
    assert tally([]) == ""
