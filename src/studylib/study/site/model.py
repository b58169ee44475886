"""What the report says: claims with their verdicts, sources, notebooks, deviations, provenance."""

import re
from dataclasses import dataclass, field

from studylib.study.cards.card import Card
from studylib.study.ledger.claims import Deviation, Source

# In the order of bar, chips and sorting.
VERDICTS = {
    "reproduced": "The rule is met.",
    "partly": "The rule is met on half of its sets or more; or on all with some of our choices only.",
    "depends on a choice": "The source leaves a choice open: with one the rule is met, with another not.",
    "not reproduced": "The rule was judged and is not met.",
    "inconclusive": "Our interval does not decide, at least not for every choice that we could make.",
    "checked": "An identity, which holds for any correct code: verified, and not counted as a finding.",
    "answered": "An open question: answered with numbers, without a verdict.",
    "not testable": "It cannot be judged here, for the reason given.",
    "disputed": "The rule itself is wrong or impossible, for the reason given.",
    "shown": "Our value is shown next to the source’s, without a verdict.",
    "planned": "No notebook judges it yet.",
}
# What a verdict can tell, in the order of the ledger.
NATURES = {
    "finding": "It could have come out otherwise: an experiment decides.",
    "own finding": "This study’s own statement, no source’s: an experiment decides; counted apart.",
    "question": "The source leaves it open, or it is ours: answered, without a verdict.",
    "arithmetic": "Recomputed from what the source prints, such as tables and worked examples.",
    "identity": "A theorem, or a property of any correct code, or an error in such a statement: no finding.",
}
# All pages of a report besides its notebooks, with what links to them say.
PAGES = {
    "index": "Overview",
    "claims": "Claims",
    "notebooks": "Notebooks",
    "lessons": "Lessons",
    "method": "Method",
    "amendments": "Amendments",
}


@dataclass(frozen=True, kw_only=True)
class ClaimRow(Card):
    """One line of the ledger: a claim's card, and what else is known about it.

    ``judged_by`` is the rule as the data say it that judge, ``href`` a link to the cell that shows the claim.
    ``one_by_one`` has the numbers of each case where the card only counts them.  ``notes`` are deviations
    from the source, ``remarks`` what else a reader should know about the rule, and ``ours`` what of it is
    this study's choice.  ``amended`` has its changes after results were known, in order of time; ``added``
    is the day, if it came after the first run; ``lists_known``, for each list of choices, whether verdicts
    were known when it was made; and ``stale`` why the result may no longer be what the present code and data
    give.
    """

    kind: str
    judged_by: str = ""
    required: str = ""
    one_by_one: list[str] = field(default_factory=list)
    notebook: str = ""
    href: str = ""
    notes: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    amended: list[dict[str, str]] = field(default_factory=list)
    added: str = ""
    ours: list[str] = field(default_factory=list)
    lists_known: list[bool] = field(default_factory=list)
    stale: str = ""

    @property
    def notebook_label(self):
        """The notebook's number, which fits where its name does not; else its name."""
        number = re.match(r"\d+[a-z]?(?=_)", self.notebook)
        return f"notebook {number.group()}" if number else self.notebook.replace("_", " ")


@dataclass(frozen=True, kw_only=True)
class SourceCard:
    """A source, and what came out about it: in full, in a short headline, and a caveat if there is one.

    ``image`` is the data URI of a figure, ``notebooks`` has links to the pages about it by their titles.
    """

    source: Source
    finding: str = ""
    caveat: str = ""
    headline: str = ""
    image: str = ""
    alt: str = ""
    figure_href: str = ""
    notebooks: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class NotebookCard:
    """One notebook with its picture.

    ``status`` says what became of the run: "ok", "stale", "failed" or "planned"; ``error`` is one line about
    a failure or what has changed since.
    """

    name: str
    title: str
    question: str
    status: str
    href: str = ""
    image: str | None = None
    alt: str = ""
    duration: str = ""
    n_claims: int = 0
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class Site:
    """Everything that the report shows besides the notebooks themselves.

    ``generated`` is when the last run ended that it shows, ``banner`` has sentences that a reader must see
    first, ``provenance`` names and values by section.
    """

    profile: str
    title: str
    subtitle: str
    generated: str
    banner: list[str] = field(default_factory=list)
    claims: list[ClaimRow] = field(default_factory=list)
    notebooks: list[NotebookCard] = field(default_factory=list)
    sources: list[SourceCard] = field(default_factory=list)
    provenance: dict[str, dict[str, str]] = field(default_factory=dict)
    deviations: list[Deviation] = field(default_factory=list)
    docs: str | None = None
    ledger_hash: str = ""


def is_lesson(name):
    """Whether a notebook of this name is a lesson: its name begins so."""
    return name.startswith("lesson")
