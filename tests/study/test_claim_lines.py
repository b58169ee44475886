"""What is said about a claim, and the line that shows it."""

import dataclasses

import pytest
from bs4 import BeautifulSoup

from studylib.study import rules
from studylib.study.cards.card import Card, facts, markup
from studylib.study.evidence.verdicts import claim_line, tally
from studylib.study.ledger.claims import Claim

CLAIM = Claim(
    id="c", place="p. 1 & 2", statement="a < b", value="<1", source="s", kind="exact", rule="equal",
    nature="arithmetic", judge={"published": 1}, note="a remark",
)  # fmt: skip


def said(measured=1, beside=(), stand_in=False, profile="quick", **changes):
    given = {"measured": measured, "beside": dict(beside), "stand_in": stand_in}
    return rules.outcome(dataclasses.asdict(CLAIM) | changes, given, profile)


def test_what_was_measured_beside_and_the_remark_are_the_reason():
    found = said(beside=[("n", 3), ("m", 4)])
    assert found["verdict"] == "reproduced"
    assert found["reason"].endswith("n 3; m 4; a remark")
    assert said(2)["verdict"] == "not reproduced"


def test_the_smoke_profile_shows_and_does_not_judge():
    assert said(profile="smoke")["verdict"] == rules.SHOWN == "shown"


def test_a_claim_about_real_data_is_not_testable_on_a_stand_in():
    expected = {"verdict": "not testable", "ours": "", "interval": "", "reason": "real data absent"}
    assert said(stand_in=True, needs_data=True) == expected
    assert said(stand_in=True, needs_data=False)["verdict"] == "reproduced"


def card_of(entry, ledger=""):
    return markup(Card(**facts(CLAIM, entry)), ledger)


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
    entry = {"verdict": verdict, "ours": "2", "interval": "1 … 3", "reason": "3 > 2"}
    assert claim_line(CLAIM, entry) == f"c [p. 1 & 2] a < b | source <1 | ours 2 (1 … 3) | {verdict} – 3 > 2"
    head, *more = paragraphs(card_of(entry))
    assert f"<strong>{sign} {verdict}</strong>" in card_of(entry)
    assert head == f"{sign} {verdict} s, p. 1 & 2: a < b."
    assert more[0] == "We measured 2 (95% interval 1\u00a0…\u00a03). The source says <1."
    assert more[-2:] == ["3 > 2", "Rule: equal."]


def test_a_line_without_value_and_reason_says_so_by_a_dash():
    entry = {"verdict": "shown", "ours": "", "interval": "", "reason": ""}
    assert claim_line(CLAIM, entry).endswith("| ours – | shown")
    assert paragraphs(card_of(entry))[1:] == ["Rule: equal."]


@pytest.mark.parametrize("ours", ["not measured", "not measured points"])
def test_a_card_says_that_a_run_did_not_measure_it(ours):
    entry = {"verdict": "inconclusive", "ours": ours, "interval": "", "reason": ""}
    assert paragraphs(card_of(entry))[1] == "This run did not measure it."


@pytest.mark.parametrize(("value", "repeated"), [("≥", ""), ("<", ""), ("> 0.5", "> 0.5")])
def test_a_comparison_alone_is_not_what_a_source_says(value, repeated):
    entry = {"verdict": "reproduced", "ours": "2", "interval": "1 … 3", "reason": ""}
    assert Card(**facts(dataclasses.replace(CLAIM, value=value), entry)).source_says == repeated


@pytest.mark.parametrize("verdict", rules.VERDICTS)
def test_a_card_says_in_a_notebook_what_it_says_on_its_page(verdict):
    entry = {"verdict": verdict, "ours": "2", "interval": "1 … 3", "reason": "seen in 95 %"}
    here, there = card_of(entry), card_of(entry, "claims.html")
    assert paragraphs(here)[1:] == [text.replace("seen in", "Seen in") for text in paragraphs(there)[1:]]
    assert paragraphs(here)[0].split(maxsplit=1)[1] == paragraphs(there)[0]
    assert "style" not in there  # the page's style sheet does it
    assert (
        here.count('style="margin: 0"') == here.count("<p") == here.count("<p style") + here.count("<p class")
    )


def test_a_tally_counts_verdicts_in_the_order_of_the_ledger():
    entries = [{"verdict": v} for v in ("shown", "reproduced", "checked", "reproduced")]
    assert tally(entries) == "2 reproduced, 1 checked, 1 shown"
    assert tally([]) == ""
