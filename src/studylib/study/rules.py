"""The one judge: from a rule, as data, and what was measured, to a verdict.

A claim's ``[claim.judge]`` table holds all numbers of its rule; a notebook hands over measurements only.
Each measured quantity is a *part*: a number, runs (one number per replicate), paired runs, curves or a count.
A mapping of names to parts is a statement about several sets, a nested one asks for all parts of a set.

This file needs the standard library only: ``reports/<profile>/verify.py`` contains it word for word, so that
anybody can derive the verdicts again without installing anything.
"""

import math
import re
from dataclasses import replace

from studylib.study.findings import (
    ANSWERED,
    CHECKED,
    DEPENDS,
    DISPUTED,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    PARTLY,
    PLANNED,
    REPRODUCED,
    SHOWN,
    VERDICTS,
    Finding,
    Part,
    answers,
    over_choices,
    over_sets,
    verdict_on,
)
from studylib.study.intervals import mean_interval
from studylib.study.kinds import _OF_ALL, _OF_PARTS, is_mapping

__all__ = [
    "ANSWERED", "CHECKED", "DEPENDS", "DISPUTED", "INCONCLUSIVE", "NOT_REPRODUCED", "NOT_TESTABLE", "PARTLY",
    "PLANNED", "REPRODUCED", "SHOWN", "VERDICTS", "Finding", "Part", "combinations", "judge", "keys_of",
    "mean_interval", "outcome", "with_choices",
]  # fmt: skip

#: The profile in which values are shown and nothing is judged: what a notebook's own parameters say.
SMOKE = "smoke"
#: A place of an answer where a measured quantity stands.
PLACE = re.compile(r"\{([^{}]*)\}")
#: What a choice sets that is made in the measurement and not in the rule.
MEASURED = "measured"
#: Combinations of choices for which a claim is judged, at most.
MOST_COMBINATIONS = 24


def outcome(claim, given, profile, by_function=None):
    """Verdict on one claim, with the numbers that are shown with it.

    Parameters
    ----------
    claim : dict
        As in ``ledger.json``; its ``nature``, ``kind``, ``judge``, ``choices`` and ``needs_data`` count.
    given : dict
        ``measured``, ``beside``, ``stand_in`` and perhaps ``by_choice``, as the notebook handed them over.
    profile : str
        The profile ``"smoke"`` shows values and gives no verdicts.
    by_function : callable ``(rule, measured) -> Finding`` or None
        Judges by a function of the study, where the rule names one.

    Returns
    -------
    dict
        ``verdict``, ``parts``, and where they say something ``note`` and ``beside``, as plain data: see
        :class:`Finding`.  With choices, ``parts`` and ``note`` are those at the main one, whose verdict is
        ``at_main``, and ``choices`` has verdict and parts for each combination, with its values as ``at``.

    Raises
    ------
    ValueError
        If the measurement is not of the form that the rule asks for.
    """
    if given["stand_in"] and claim["needs_data"]:
        return Finding(NOT_TESTABLE, note={"why": "no real data"}).plain()
    found = finding(claim, given["measured"], by_function).plain()
    if profile == SMOKE:
        found["verdict"] = SHOWN
    elif claim.get("choices"):
        choices = list(_for_each_choice(claim, given, by_function))
        verdict = over_choices([choice["verdict"] for choice in choices])
        found |= {"verdict": verdict, "at_main": found["verdict"], "choices": choices}
    if given["beside"]:
        found["beside"] = [part.plain() for part in quantities(given["beside"])]
    return found


def finding(claim, measured, by_function=None):
    """What the rule of a claim says about a measurement, by its kind or by a function of the study."""
    if "function" in claim["judge"]:
        return by_function(claim["judge"], measured)
    return judge(claim["nature"], claim["kind"], claim["judge"], measured)


def combinations(choices):
    """Everything that can be chosen together: by the id of each choice, its value; a list of dicts.

    Raises
    ------
    ValueError
        If there are more than ``MOST_COMBINATIONS``.
    """
    if math.prod(len(choice["values"]) for choice in choices) > MOST_COMBINATIONS:
        raise ValueError(f"a claim may have {MOST_COMBINATIONS} combinations of choices.")
    found = [{}]
    for choice in choices:
        found = [{**at, choice["id"]: value} for at in found for value in choice["values"]]
    return found


def keys_of(choice):
    """Each key of the rule that a choice sets: the part that has it ("" for the whole rule), and its name."""
    sets = choice["sets"] if isinstance(choice["sets"], list) else [choice["sets"]]
    within = [key.removeprefix("parts.").rpartition(".") for key in sets]
    return [(part, key) for part, _, key in within]


def with_choices(rule, choices, at):
    """The rule with other values of its choices.

    Parameters
    ----------
    rule : dict
    choices : list of dict
        Of the claim; a choice of several keys has lists of values.
    at : dict
        By the id of each choice, the value that is taken.

    Returns
    -------
    dict
    """
    for choice in choices:
        if choice["sets"] != MEASURED:
            value = at[choice["id"]]
            values = value if isinstance(choice["sets"], list) else [value]
            for (part, key), value in zip(keys_of(choice), values, strict=True):
                if part:
                    parts = rule["parts"]
                    rule = {**rule, "parts": {**parts, part: {**parts[part], key: value}}}
                else:
                    rule = {**rule, key: value}
    return rule


def _for_each_choice(claim, given, by_function):
    """The whole claim judged for each combination of its choices, all sets and corrections included."""
    measured_by = [choice["id"] for choice in claim["choices"] if choice["sets"] == MEASURED]
    for at in combinations(claim["choices"]):
        measured = given["measured"]
        if measured_by:
            value = str(at[measured_by[0]])
            if value not in given.get("by_choice", {}):
                yield {"at": at, "verdict": INCONCLUSIVE, "note": {"why": "not measured"}}
                continue
            measured = given["by_choice"][value]
        chosen = {**claim, "judge": with_choices(claim["judge"], claim["choices"], at)}
        yield {"at": at, **finding(chosen, measured, by_function).plain()}


def judge(nature, kind, rule, measured):
    """Judge a claim by a rule of a standard kind.

    Parameters
    ----------
    nature, kind : str, the claim's
    rule : dict
        Its ``[claim.judge]`` table.
    measured : plain data

    Returns
    -------
    Finding

    Raises
    ------
    ValueError
        If the measurement is not of the form that the kind asks for.
    """
    try:
        found = _found(kind, rule, measured)
    except (TypeError, KeyError, IndexError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"a rule of kind {kind!r} cannot judge {_brief(measured)} ({error}).") from error
    if nature == "identity" and found.verdict == REPRODUCED:
        found = replace(found, verdict=CHECKED)
    return found


def _found(kind, rule, measured):
    if kind == "not-testable":
        return Finding(NOT_TESTABLE)
    if kind == "question":
        unknown = [name for name in PLACE.findall(rule["answer"]) if name not in (measured or {})]
        if unknown:
            raise ValueError(f"the answer names {unknown[0]!r}, which was not measured.")
        return Finding(ANSWERED, tuple(quantities(measured)))
    if kind in _OF_ALL:
        if not measured:
            raise ValueError("no set was measured.")
        found = _OF_ALL[kind](rule, measured)
        unit = rule.get("unit", "")
        return replace(found, parts=tuple(replace(part, unit=unit or part.unit) for part in found.parts))
    if "parts" in rule and (not is_mapping(measured) or set(measured) != set(rule["parts"])):
        raise ValueError(f"the rule judges the parts {', '.join(rule['parts'])}, got {_brief(measured)}.")
    if is_mapping(measured):
        return _several(kind, rule, measured)
    part = _judge_part(kind, rule, measured, 1)
    return Finding(verdict_on(part.outcome), (part,))


def _several(kind, rule, measured):
    """A statement about several sets; inner parts of a set must all hold."""
    if not measured:
        raise ValueError("no set was measured.")
    leaves = sum(len(v) if is_mapping(v) else 1 for v in measured.values())
    parts = []
    for set_, value in measured.items():
        if value == {}:
            raise ValueError(f"nothing of {set_!r} was measured.")
        own = rule | rule["parts"][set_] if "parts" in rule else rule
        for name, one in (value if is_mapping(value) else {"": value}).items():
            parts.append(replace(_judge_part(kind, own, one, leaves), set=set_, name=name))
    return Finding(over_sets(list(answers(parts).values())), tuple(parts))


def _judge_part(kind, rule, value, n_parts):
    """Judge one part; ``n_parts`` is how many the rule's correction counts."""
    return replace(_OF_PARTS[kind](rule, value, n_parts), unit=rule.get("unit", ""))


def quantities(measured):
    """Measured quantities that nothing judges, as parts: runs as their mean and its 95% interval."""
    for name, value in measured.items():
        numbers = isinstance(value, list) and all(
            isinstance(v, (int, float)) and not isinstance(v, bool) for v in value
        )
        if numbers and len(value) > 1:
            low, high = mean_interval(value, 0.95)
            yield Part(None, math.fsum(value) / len(value), low, high, name=name)
        else:
            count = isinstance(value, dict) and value.keys() == {"true", "of"}
            yield (
                Part(None, value["true"], name=name, count=value["of"])
                if count
                else Part(None, value, name=name)
            )


def _brief(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
