"""What the judge says, as data: verdicts, and the numbers that they rest on.

This file needs the standard library only: ``reports/<profile>/verify.py`` contains it word for word.
"""

from dataclasses import dataclass, fields

REPRODUCED = "reproduced"
PARTLY = "partly"
DEPENDS = "depends on a choice"
NOT_REPRODUCED = "not reproduced"
INCONCLUSIVE = "inconclusive"
NOT_TESTABLE = "not testable"
CHECKED = "checked"
ANSWERED = "answered"
PLANNED = "planned"
DISPUTED = "disputed"
SHOWN = "shown"

VERDICTS = (
    REPRODUCED, PARTLY, DEPENDS, NOT_REPRODUCED, INCONCLUSIVE, CHECKED, ANSWERED, NOT_TESTABLE, PLANNED,
    DISPUTED, SHOWN,
)  # fmt: skip


def _without_defaults(record):
    """The fields of a record that say something."""
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return {name: value for name, value in values.items() if value not in (None, "", {}, ())}


@dataclass(frozen=True)
class Part:
    """A number, or several, and what the rule says about it.

    Parameters
    ----------
    outcome : bool or None
        Whether the statement holds for this part; None if it is undecided or not judged.
    value : number, bool, str, list of such, or None if it was not measured
        The mean of runs; of a count, how many cases are so.
    low, high : float or None
        Ends of the interval at the rule's level.
    set, name : str
        Of what the part is: a set (or case), and what was measured of it.
    unit : str
    count : int or None
        How many cases the value is a count of, or is the farthest of.
    bounds : tuple of float
        What value or interval was compared with.
    note : dict
        Why it is undecided or refuted: ``why``, which ``cards.sentences`` puts in words, and its numbers.
    """

    outcome: bool | None
    value: object = None
    low: float | None = None
    high: float | None = None
    set: str = ""
    name: str = ""
    unit: str = ""
    count: int | None = None
    bounds: tuple = ()
    note: dict | None = None

    def plain(self):
        """The part as a table for JSON; only what says something, but always the outcome."""
        found = {"outcome": self.outcome, **_without_defaults(self)}
        return {**found, "bounds": list(self.bounds)} if self.bounds else found


@dataclass(frozen=True)
class Finding:
    """What the judge says about a claim.

    Parameters
    ----------
    verdict : str
        One of ``VERDICTS``.
    parts : tuple of Part
        The numbers behind it; one for each set of a statement about several.
    note : dict
        What else belongs to the verdict, as in :class:`Part`; a function of a study may say
        ``{"why": "said", "text": "a sentence of its own"}``.

    Examples
    --------
    >>> from studylib.study.rules import Finding, Part
    >>> Finding("reproduced", (Part(True, 0.12, 0.1, 0.14),)).verdict
    'reproduced'
    """

    verdict: str
    parts: tuple[Part, ...] = ()
    note: dict | None = None

    def __post_init__(self):
        if self.verdict not in VERDICTS or not all(isinstance(part, Part) for part in self.parts):
            raise ValueError(f"a Finding has one of the verdicts {', '.join(VERDICTS)}, and a tuple of Part.")

    def plain(self):
        """The finding as a table for JSON."""
        found = _without_defaults(self)
        return {**found, "parts": [part.plain() for part in self.parts]}


def answers(parts):
    """By set: whether its statement holds; all parts of a set must."""
    found = {}
    for part in parts:
        found.setdefault(part.set, []).append(part.outcome)
    return {name: False if False in of else None if None in of else True for name, of in found.items()}


def over_sets(answers):
    """The verdict on several sets, each with the answer True, False or None (undecided).

    All hold: reproduced.  At least half are refuted and fewer than half hold: not reproduced.  At least half
    hold: partly.  Otherwise: inconclusive.
    """
    n = len(answers)
    held, refuted = sum(a is True for a in answers), sum(a is False for a in answers)
    if held == n:
        return REPRODUCED
    if 2 * refuted >= n and 2 * held < n:
        return NOT_REPRODUCED
    return PARTLY if 2 * held >= n else INCONCLUSIVE


def over_choices(verdicts):
    """The verdict that a claim has whatever is chosen, from the verdict for each choice.

    All alike: that verdict.  Refuted by some and met, at least in part, by others: it depends.  Otherwise it
    is inconclusive if one is, or else partly.
    """
    verdicts = set(verdicts)
    decided = verdicts - {INCONCLUSIVE}
    if len(verdicts) == 1:
        return verdicts.pop()
    if NOT_REPRODUCED in decided and len(decided) > 1:
        return DEPENDS
    return INCONCLUSIVE if INCONCLUSIVE in verdicts else PARTLY


def verdict_on(outcome):
    """The verdict on a single statement."""
    return INCONCLUSIVE if outcome is None else REPRODUCED if outcome else NOT_REPRODUCED
