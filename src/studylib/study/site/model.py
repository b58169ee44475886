"""What the report says: claims with their verdicts, sources, notebooks, deviations, provenance."""

import re
from collections import Counter
from dataclasses import dataclass, field

from studylib.study.cards.card import Card

# In the order of bar, chips and sorting.
VERDICTS = {
    "reproduced": "The rule is met.",
    "partly": "The rule is met on at least half of the sets it is judged on, not on all.",
    "depends on a choice": "The source leaves something open, and another choice gives another verdict.",
    "not reproduced": "The rule was judged and is not met.",
    "inconclusive": "Our interval does not decide.",
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
    "identity": "A theorem, or a property that holds for any correct code: checked, and no finding.",
}
# All pages of a report beside its notebooks, with what links to them say.
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

    Parameters
    ----------
    id, source, place, statement, value, rule, verdict, nature, lines, form, interval, interval_name
    asked, because, reason, choices
        As in a :class:`~studylib.study.cards.card.Card`; the row's anchor is ``claim-<id>``.
    kind, judged_by, required : str
        The kind of rule, the rule as the data say it that judge, and what our value must be for the statement
        to hold, such as ``"> 0"``; or empty.
    notebook, href : str
        The notebook's name and the relative link to the cell that shows the claim; empty where there is none.
    notes, remarks, ours : list of str
        Deviations from the source that are about the claim, what else a reader should know about the rule,
        and what of it is this study's choice and not the source's.
    amended : list of dict
        Amendments after results were known, in order of time: date, reason, and rule and verdict until then.
    lists_known : list of bool
        For each list of choices, whether verdicts at its values were known when it was made.
    stale : str
        Why the result may no longer be what the present code and data give; empty if it is.
    """

    kind: str
    judged_by: str = ""
    required: str = ""
    notebook: str = ""
    href: str = ""
    notes: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    amended: list[dict[str, str]] = field(default_factory=list)
    ours: list[str] = field(default_factory=list)
    lists_known: list[bool] = field(default_factory=list)
    stale: str = ""

    @property
    def notebook_label(self):
        """The notebook's number, which fits where its name does not; else its name."""
        number = re.match(r"\d+(?=_)", self.notebook)
        return f"notebook {number.group()}" if number else self.notebook.replace("_", " ")


@dataclass(frozen=True)
class Source:
    """A source, and what came out about it.

    Parameters
    ----------
    short, author, title, year, identifier, link : str
    finding, caveat : str
        What came out, in a few sentences, and what a reader must know about them; or empty.
    headline : str
        The finding in one or two sentences; empty where the finding is short enough.
    image, alt, figure_href : str
        Data URI of a figure, what it shows, and the relative link to where it is from; or empty.
    notebooks : dict of str to str
        Titles of the notebooks that judge its claims, with links to their pages (empty: none yet).
    not_covered : list of dict
        Checkable statements without a claim: place, statement, and why.
    """

    short: str
    author: str
    title: str
    year: str = ""
    identifier: str = ""
    link: str = ""
    finding: str = ""
    caveat: str = ""
    headline: str = ""
    image: str = ""
    alt: str = ""
    figure_href: str = ""
    notebooks: dict[str, str] = field(default_factory=dict)
    not_covered: list[dict[str, str]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class NotebookCard:
    """One notebook with its picture.

    Parameters
    ----------
    name, title, question, duration : str
        File name without suffix, title, the question that the notebook asks, and how long it took, in words.
    href : str
        Relative link to the page; empty where there is none yet.
    image, alt : str or None, str
        Data URI or relative path of a picture, and what it shows in words.
    status, error : {'ok', 'stale', 'failed', 'planned'}, str
        What became of the run, and one line about a failure or what has changed since.
    n_claims : int
        Number of claims that the notebook reports.
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

    @property
    def is_lesson(self):
        """Whether it is a lesson."""
        return is_lesson(self.name)


@dataclass(frozen=True, kw_only=True)
class Deviation:
    """A contradiction in a source, or the reading of it that this study takes.

    Parameters
    ----------
    source, place, text : str
    claim_ids : list of str
        The claims that it is about.
    """

    source: str
    place: str
    text: str
    claim_ids: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Site:
    """Everything that the report shows beside the notebooks themselves.

    Parameters
    ----------
    profile, title, subtitle : str
        The profile that was run, and the study's name.
    generated : str
        Date and time of the last run that the report shows; empty if there was none.
    banner : list of str
        Sentences that a reader must see first, such as that data were simulated.
    claims, notebooks, sources, deviations : list of ClaimRow, of NotebookCard, of Source, of Deviation
    provenance : dict of str to dict of str to str
        Section, then name and value.
    docs : str or None
        Relative link to the user guide and the API reference.
    ledger_hash, evidence : str, bool
        Hash of all claims and rules; whether ``evidence.json`` and ``verify.py`` are beside the page.
    """

    profile: str
    title: str
    subtitle: str
    generated: str
    banner: list[str] = field(default_factory=list)
    claims: list[ClaimRow] = field(default_factory=list)
    notebooks: list[NotebookCard] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    provenance: dict[str, dict[str, str]] = field(default_factory=dict)
    deviations: list[Deviation] = field(default_factory=list)
    docs: str | None = None
    ledger_hash: str = ""
    evidence: bool = False


def is_lesson(name):
    """Whether a notebook of this name is a lesson: its name begins so."""
    return name.startswith("lesson")


def counts_of(claims):
    """How often each verdict was given, in the order of `VERDICTS`."""
    counts = Counter(claim.verdict for claim in claims)
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def check_site(site):
    """Raise ValueError if a notebook's page would overwrite one of the report's own."""
    for card in site.notebooks:
        if card.name in PAGES:
            raise ValueError(f"Notebook {card.name!r} needs another name: the report has a page called so.")
