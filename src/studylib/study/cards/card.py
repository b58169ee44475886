"""A claim and its verdict as a card of sentences."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from studylib.study import rules
from studylib.study.cards import sentences, values
from studylib.study.ledger.rule_table import interval_name

TEMPLATES = Path(__file__).parent / "templates"
#: Where there are no shapes, a sign tells the verdict, and a colour of Okabe and Ito's palette marks it.
_SIGNS = {
    rules.REPRODUCED: ("✓", "#009e73"),
    rules.CHECKED: ("✓", "#009e73"),
    rules.PARTLY: ("◐", "#56b4e9"),
    rules.NOT_REPRODUCED: ("✗", "#d55e00"),
    rules.INCONCLUSIVE: ("◇", "#e69f00"),
    rules.ANSWERED: ("•", "#0072b2"),
    rules.SHOWN: ("·", "#0072b2"),
}
_OTHERWISE = ("–", "#7a828a")
#: Values that say no more than the statement does.
_NO_VALUES = ("", "–", "row", "<", ">", "≤", "≥")


@dataclass(frozen=True, kw_only=True)
class Card:
    """What is said about a claim wherever it is shown.

    Parameters
    ----------
    id : str
        The claim's id; the card's anchor is ``claim-<id>``.
    source, place, statement, value : str
        Short name of the source, place in it, what it says, and its value.
    rule : str
        The rule in words.
    verdict, nature : str
        The verdict, and what a verdict on this claim can tell.
    ours, interval, interval_name : str
        Our value, its interval and what that is, ready to read; empty where there is none.
    asked, because : str
        What the rule asks for, and how our value decides it, in words; or empty.
    reason : str
        What else belongs to the verdict, such as the sets that it does not hold for; or empty.
    """

    id: str
    source: str
    place: str
    statement: str
    value: str
    rule: str
    verdict: str
    nature: str = "finding"
    ours: str = ""
    interval: str = ""
    interval_name: str = ""
    asked: str = ""
    because: str = ""
    reason: str = ""

    @property
    def ours_lines(self):
        """Our value, a line for each of several sets: N = 2 before N = 10."""
        lines = self.ours.split("; ")
        if self.nature == "question" or not all(": " in line for line in lines):
            return [self.ours] if self.nature == "question" else lines
        return sorted(lines, key=lambda line: natural(line.partition(": ")[0]))

    @property
    def source_says(self):
        """The value that the source prints, where that says more than its statement does."""
        says_nothing = self.value in (*_NO_VALUES, self.place) or "ours" in (self.value, self.place)
        return "" if says_nothing or self.nature == "question" else self.value

    @property
    def where(self):
        """Source and place."""
        return f"{self.source}, {self.place}" if self.place != "ours" else "This study"


def facts(claim, entry):
    """What is said about a claim, as keywords of a :class:`Card`.

    Parameters
    ----------
    claim : Claim
    entry : dict
        ``verdict`` and, if it was judged, ``ours``, ``interval`` and ``reason``, as in
        :func:`studylib.study.rules.outcome`.
    """
    verdict = entry["verdict"]
    printed = entry.get("ours", ""), entry.get("interval", "")
    ours, interval = values.measured(*printed, claim.judge, verdict)
    return {
        "id": claim.id,
        "source": claim.source,
        "place": claim.place,
        "statement": values.statement(claim.statement, claim.judge),
        "value": claim.value,
        "rule": claim.rule,
        "verdict": verdict,
        "nature": claim.counted_as,
        "ours": ours,
        "interval": interval,
        "interval_name": interval_name(claim.kind, claim.judge) if interval else "",
        "asked": sentences.asked(claim.kind, claim.judge),
        "because": sentences.because(claim.kind, claim.judge, verdict, *printed),
        "reason": sentences.words(values.rounded(entry.get("reason", ""))),
    }


def markup(card, ledger=""):
    """A card as HTML.

    Parameters
    ----------
    card : Card
    ledger : str
        Relative link to the claims, for a page of the report.  Without one the card is for a notebook: it
        brings its looks along, and reads well without them.
    """
    sign, hue = _SIGNS.get(card.verdict, _OTHERWISE)
    template = _environment(bool(ledger)).get_template("claim.html.j2")
    text = template.render(claim=card, ledger=ledger, sign=sign, hue=hue).strip("\n")
    return text if ledger else re.sub(r"\n+", "\n", text)


def natural(text):
    """A key that sorts numbers in a text as numbers."""
    parts = re.split(r"(\d{1,99})", text)  # Python reads no number of thousands of digits
    return [(not part.isdecimal(), int(part) if part.isdecimal() else part) for part in parts]


@cache
def _environment(on_a_page):
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # a notebook may judge nothing

    from studylib.study.cards.formulas import raised_and_lowered, typeset

    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["typeset"] = typeset if on_a_page else raised_and_lowered
    return made
