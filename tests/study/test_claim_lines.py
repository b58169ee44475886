"""What is said about a claim, and the line that shows it."""

import dataclasses

import pytest

from studylib.study import rules
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


@pytest.mark.parametrize(
    ("verdict", "sign"),
    [
        ("reproduced", "✓"), ("checked", "✓"), ("partly", "◐"), ("not reproduced", "✗"),
        ("inconclusive", "◇"), ("answered", "•"), ("not testable", "–"), ("shown", "·"),
    ],
)  # fmt: skip
def test_a_line_shows_sign_verdict_and_all_that_was_found(verdict, sign):
    entry = {"verdict": verdict, "ours": "2", "interval": "1 … 3", "reason": "3 > 2"}
    text, markup = claim_line(CLAIM, entry)
    assert text == f"c [p. 1 & 2] a < b | source <1 | ours 2 (1 … 3) | {verdict} – 3 > 2"
    assert markup == (
        f'<div class="claim" id="claim-c" data-verdict="{verdict}"><span class="verdict">{sign} {verdict}</span> '
        "<em>p. 1 &amp; 2</em>: a &lt; b. Source: <strong>&lt;1</strong>; ours: <strong>2 (1 … 3)</strong> – 3 &gt; 2</div>"
    )


def test_a_line_without_value_and_reason_says_so_by_a_dash():
    text, markup = claim_line(CLAIM, {"verdict": "shown", "ours": "", "interval": "", "reason": ""})
    assert text.endswith("| ours – | shown")
    assert markup.endswith("ours: <strong>–</strong></div>")


def test_a_tally_counts_verdicts_in_the_order_of_the_ledger():
    entries = [{"verdict": v} for v in ("shown", "reproduced", "checked", "reproduced")]
    assert tally(entries) == "2 reproduced, 1 checked, 1 shown"
    assert tally([]) == ""
