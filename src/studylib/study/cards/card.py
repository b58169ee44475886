"""A claim and its verdict as a card of sentences."""

import re
from dataclasses import dataclass, field

from studylib.study import rules
from studylib.study.cards import environment, sentences
from studylib.study.cards.choices import choices

#: Where there are no shapes, a sign shows the verdict, and a colour of Okabe and Ito's palette marks it.
_SIGNS = {
    rules.REPRODUCED: ("✓", "#009e73"),
    rules.CHECKED: ("✓", "#009e73"),
    rules.PARTLY: ("◐", "#56b4e9"),
    rules.DEPENDS: ("Y", "#cc79a7"),
    rules.NOT_REPRODUCED: ("✗", "#d55e00"),
    rules.INCONCLUSIVE: ("◇", "#e69f00"),
    rules.ANSWERED: ("•", "#0072b2"),
    rules.SHOWN: ("·", "#0072b2"),
}
_OTHERWISE = ("–", "#7a828a")
#: A statement that is a bare row of numbers, such as 0.1 / 0.2.
_ROW = re.compile(r"[-−]?\d[\d,.]*(?: / [-−]?\d[\d,.]*)+")


@dataclass(frozen=True, kw_only=True)
class Card:
    """What is said about a claim wherever it is shown; all fields are texts, and those without a value empty.

    The anchor is ``claim-<id>``.  ``nature`` is what a verdict on the claim can tell.  ``lines`` are our
    value, ready to read: a line for each of several sets, or a sentence; ``form`` says which: ``"value"``,
    ``"cases"`` in which it is so, ``"count"`` of sets, ``"sentence"`` or ``""``.  ``asked`` is what the rule
    asks for, ``because`` how our value decides it, ``reason`` what else belongs to the verdict, such as the
    sets that it does not hold for.
    ``choices`` has what could be chosen, the verdict at it, and whether it is the main choice (bool).
    """

    id: str
    source: str
    place: str
    statement: str
    value: str
    rule: str
    verdict: str
    nature: str = "finding"
    lines: list = field(default_factory=list)
    form: str = ""
    interval: str = ""
    interval_name: str = ""
    asked: str = ""
    because: str = ""
    reason: str = ""
    choices: list = field(default_factory=list)

    @property
    def source_says(self):
        """The number that the source prints, where its statement does not say it."""
        new = f" {self.value} " not in f" {self.statement} " and any(map(str.isdigit, self.value))
        return self.value if new and self.place != "ours" and self.nature != "question" else ""

    @property
    def where(self):
        """Source and place."""
        return f"{self.source}, {self.place}" if self.place != "ours" else "This study"


def facts(claim, entry):
    """A Card's keywords, from a claim and its entry, a dict as from :func:`studylib.study.rules.outcome`."""
    lines, interval, form = sentences.headline(claim, entry)
    name = sentences.interval_name(claim.kind, claim.judge, entry["parts"][0]) if interval else ""
    return {
        "id": claim.id,
        "source": claim.source,
        "place": claim.place,
        "statement": statement(claim.statement, claim.judge),
        "value": claim.value,
        "rule": claim.rule,
        "verdict": entry["verdict"],
        "nature": claim.counted_as,
        "lines": lines,
        "form": form,
        "interval": interval,
        "interval_name": name,
        "asked": sentences.asked(claim.kind, claim.judge),
        "because": sentences.because(claim, entry),
        "reason": sentences.reason(claim, entry),
        "choices": choices(claim, entry),
    }


def statement(text, rule):
    """A statement that is a bare row of numbers, with the ``labels`` or names of ``parts`` of its rule."""
    names, published = rule.get("labels"), rule.get("published")
    if "parts" in rule:
        names, published = list(rule["parts"]), [part.get("published") for part in rule["parts"].values()]
    numbers = text.split(" / ")
    if not _ROW.fullmatch(text) or not names or len(names) != len(numbers):
        return text
    if published != [float(number.replace(",", "").replace("−", "-")) for number in numbers]:
        return text
    return ", ".join(f"{name} {number}" for name, number in zip(names, numbers, strict=True))


def claim_line(claim, entry):
    """A claim with its verdict as one line of text."""
    ours, why = sentences.in_a_line(claim, entry), sentences.reason(claim, entry)
    text = f"{claim.id} [{claim.place}] {claim.statement} | source {claim.value} | ours {ours or '–'}"
    return text + f" | {entry['verdict']}" + (f" – {why}" if why else "")


def markup(card, ledger=""):
    """A card as HTML; ``ledger`` is the relative link to the claims, for a page of the report.

    Without a link the card is for a notebook: it brings its own style, and reads well without it.
    """
    from studylib.study.cards.formulas import raised_and_lowered, typeset  # a notebook may judge nothing

    sign, hue = _SIGNS.get(card.verdict, _OTHERWISE)
    template = environment(typeset if ledger else raised_and_lowered).get_template("claim.html.j2")
    text = template.render(claim=card, ledger=ledger, sign=sign, hue=hue).strip("\n")
    return text if ledger else re.sub(r"\n+", "\n", text)
