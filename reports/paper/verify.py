#!/usr/bin/env python3
"""Check this report: python3 verify.py

It needs Python 3.11 or newer and nothing else.  It compares every file with its sha256 in evidence.json and
derives every verdict again from what was measured, by the code that judged it.  The exit code is 0 if
everything agrees and 1 if anything differs.

It is made of three files of studylib, word for word: study/fingerprints.py, study/rules.py, the judge, and
study/evidence/verifier.py.
"""

"""Hashes and states by which the engine tells whether something is still the same.

``reports/<profile>/verify.py`` contains this file word for word, so it needs the standard library only.  The
hash of one file is :func:`studylib.core.files.file_hash`, because the data sets need it, too.
"""

import hashlib
import json
import os


def canonical_text(value):
    """JSON text of plain data that does not depend on the order of keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def readable_text(value):
    """JSON text as it is written into the files of a report."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False, sort_keys=True) + "\n"


def bytes_hash(content):
    """sha256 of bytes."""
    return hashlib.sha256(content).hexdigest()


def data_hash(value):
    """sha256 of plain data."""
    return bytes_hash(canonical_text(value).encode())


def key_of(parts):
    """Hash of everything that a result depends on: the key of a stamp, the context of a task."""
    return bytes_hash(json.dumps(parts, sort_keys=True).encode())


def rule_hash(claim):
    """Hash of everything that judges a claim, a table of ``claims.toml`` or ``ledger.json``."""
    return data_hash([claim["nature"], claim["kind"], claim["rule"], claim.get("judge", {})])


def content_of(files, root):
    """Hash of the names and contents of files, by their path below a folder."""
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes() if file.is_file() else b"absent"
        name = file.relative_to(root) if file.is_relative_to(root) else file
        digest.update(name.as_posix().encode() + b"\0" + content + b"\0")
    return digest.hexdigest()


def state_of(files):
    """State of files without their content, to notice that one was written meanwhile; a list of lists."""
    found = []
    for file in files:
        try:
            state = os.stat(file)
            found.append([str(file), state.st_mtime_ns, state.st_size, state.st_ino])
        except OSError:
            found.append([str(file), 0, 0, 0])
    return found


"""The one judge: from a rule, as data, and what was measured, to a verdict.

A claim's ``[claim.judge]`` table holds all numbers of its rule; a notebook hands over measurements only.
Each measured quantity is a *part*: a number, runs (one number per replicate), paired runs, curves or a count.
A mapping of names to parts is a statement about several sets, a nested one asks for all parts of a set.

This file needs the standard library only: ``reports/<profile>/verify.py`` contains it word for word, so that
anybody can derive the verdicts again without installing anything.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from statistics import NormalDist

__all__ = ["VERDICTS", "Finding", "judge", "outcome", "over_sets"]

REPRODUCED = "reproduced"
PARTLY = "partly"
NOT_REPRODUCED = "not reproduced"
INCONCLUSIVE = "inconclusive"
NOT_TESTABLE = "not testable"
CHECKED = "checked"
ANSWERED = "answered"
PLANNED = "planned"
DISPUTED = "disputed"
SHOWN = "shown"

VERDICTS = (
    REPRODUCED, PARTLY, NOT_REPRODUCED, INCONCLUSIVE, CHECKED, ANSWERED, NOT_TESTABLE, PLANNED, DISPUTED,
    SHOWN,
)  # fmt: skip

#: The profile in which values are shown and nothing is judged: what a notebook's own parameters say.
SMOKE = "smoke"

#: Most parts that are shown one by one; of more, only how many hold.
_FEW = 3
_MOST_DECIMALS = 15  # that a float has


@dataclass(frozen=True)
class Finding:
    """What the judge says about a claim.

    Parameters
    ----------
    verdict : str
        One of ``VERDICTS``.
    ours, interval, reason : str
        Our value, its interval and a remark, ready to read.

    Examples
    --------
    >>> from studylib.study.rules import Finding
    >>> Finding("reproduced", "0.12", "0.10 … 0.14").verdict
    'reproduced'
    """

    verdict: str
    ours: str
    interval: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Part:
    """What the judge says about one part: whether the statement holds (None: undecided), value, and why."""

    holds: bool | None
    ours: str
    interval: str = ""
    why: str = ""

    @property
    def text(self):
        """Value and interval."""
        return f"{self.ours} ({self.interval})" if self.interval else self.ours


def outcome(claim, given, profile, by_function=None):
    """Verdict on one claim, with the value, the interval and the reason that are shown with it.

    Parameters
    ----------
    claim : dict
        As in ``ledger.json``; its ``nature``, ``kind``, ``judge``, ``note`` and ``needs_data`` count.
    given : dict
        ``measured``, ``beside`` and ``stand_in``, as the notebook handed them over.
    profile : str
        The profile ``"smoke"`` shows values and gives no verdicts.
    by_function : callable ``(rule, measured) -> Finding`` or None
        Judges by a function of the study, where the rule names one.

    Returns
    -------
    dict of str to str
        ``verdict``, ``ours``, ``interval`` and ``reason``.

    Raises
    ------
    ValueError
        If the measurement is not of the form that the rule asks for.
    """
    if given["stand_in"] and claim["needs_data"]:
        return {"verdict": NOT_TESTABLE, "ours": "", "interval": "", "reason": "real data absent"}
    found = finding(claim, given["measured"], by_function)
    beside = "; ".join(f"{name} {quantity_text(value)}" for name, value in given["beside"].items())
    reason = "; ".join(filter(None, [found.reason, beside, claim["note"]]))
    verdict = SHOWN if profile == SMOKE else found.verdict
    return {"verdict": verdict, "ours": found.ours, "interval": found.interval, "reason": reason}


def finding(claim, measured, by_function=None):
    """What the rule of a claim says about a measurement, by its kind or by a function of the study."""
    if "function" in claim["judge"]:
        return by_function(claim["judge"], measured)
    return judge(claim["nature"], claim["kind"], claim["judge"], measured)


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
    if kind == "not-testable":
        return Finding(NOT_TESTABLE, "")
    if kind == "question":
        return Finding(ANSWERED, _answer(rule["answer"], measured))
    if "parts" in rule and (not is_mapping(measured) or set(measured) != set(rule["parts"])):
        raise ValueError(f"the rule judges the parts {', '.join(rule['parts'])}, got {_brief(measured)}.")
    if is_mapping(measured):
        found = _several(kind, rule, measured)
    else:
        part = judge_part(kind, rule, measured, 1)
        found = Finding(_verdict_of(kind, part.holds), part.ours, part.interval, part.why)
    if nature == "identity" and found.verdict == REPRODUCED:
        found = Finding(CHECKED, found.ours, found.interval, found.reason)
    return found


def _answer(text, measured):
    try:
        return text.format_map({name: quantity_text(value) for name, value in measured.items()})
    except (TypeError, KeyError, AttributeError, IndexError, ArithmeticError) as error:
        raise ValueError(
            f"the answer {text!r} cannot be filled with {_brief(measured)} ({error})."
        ) from error


def _verdict_of(kind, holds):
    return INCONCLUSIVE if holds is None else REPRODUCED if holds else NOT_REPRODUCED


def _several(kind, rule, measured):
    """A statement about several sets; inner parts of a set must all hold."""
    if not measured:
        raise ValueError("no set was measured.")
    leaves = sum(len(v) if is_mapping(v) else 1 for v in measured.values())
    holds, texts, remarks = {}, {}, []
    for name, value in measured.items():
        own = rule | rule["parts"][name] if "parts" in rule else rule
        inner = value if is_mapping(value) else {"": value}
        parts = [judge_part(kind, own, one, leaves) for one in inner.values()]
        answers = [part.holds for part in parts]
        holds[name] = False if False in answers else None if None in answers else True
        texts[name] = "; ".join(
            f"{label} {part.text}".strip() for label, part in zip(inner, parts, strict=True)
        )
        remarks += [f"{name}: {part.why}" for part in parts if part.why]
    n_held = sum(answer is True for answer in holds.values())
    few = len(holds) <= _FEW and leaves <= 2 * _FEW
    ours = (
        "; ".join(f"{name}: {text}" for name, text in texts.items()) if few else f"{n_held} of {len(holds)}"
    )
    remarks = [
        *remarks,
        _named("does not hold for", [name for name, answer in holds.items() if answer is False]),
        _named("undecided for", [name for name, answer in holds.items() if answer is None]),
    ]
    return Finding(over_sets(list(holds.values())), ours, reason="; ".join(filter(None, remarks)))


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


def judge_part(kind, rule, value, n_parts):
    """Judge one part; ``n_parts`` is how many the rule's correction counts.

    Returns
    -------
    Part
    """
    try:
        part = _JUDGES[kind](rule, value, n_parts)
    except (TypeError, KeyError, IndexError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"a rule of kind {kind!r} cannot judge {_brief(value)} ({error}).") from error
    unit = rule.get("unit", "")
    if unit and part.ours:
        part = Part(part.holds, f"{part.ours} {unit}", part.interval, part.why)
    return part


# One function for each kind


def _exact(rule, value, n_parts):
    ours = _digits(rule, value)
    shown = ours
    if isinstance(value, list) and "labels" in rule:
        labels = rule["labels"]
        if len(labels) != len(ours):
            raise ValueError(f"the rule has {len(labels)} labels, and {len(ours)} values were measured.")
        shown = ", ".join(f"{label} {value_text(v)}" for label, v in zip(labels, ours, strict=True))
    return Part(ours == rule["published"], rule.get("shown", "{}").format(value_text(shown)))


def _tolerance(rule, value, n_parts):
    values = value if isinstance(value, list) else [value]
    farthest = max(values, key=lambda v: _distance(v, rule["published"]))
    said = value_text(farthest) + (f", the farthest of {len(values)}" if len(values) > 1 else "")
    return Part(_distance(farthest, rule["published"]) <= Decimal(repr(rule["within"])), said)


def _distance(value, published):
    """How far a value is from a published one, in decimals: as they are printed."""
    return abs(Decimal(repr(value)) - Decimal(repr(published)))


def _published_run(rule, value, n_parts):
    if value is None:
        return Part(None, "not measured")
    if "within" in rule:  # the rule says how far our mean may be
        mean = math.fsum(_whole(value)) / len(value) if isinstance(value, list) else value
        near = _distance(mean, rule["published"]) <= Decimal(repr(rule["within"]))
        return Part(near, value_text(mean))
    low, high = prediction_interval([_digits(rule, v) for v in _whole(value)], rule.get("level", 0.95))
    holds, why = low <= rule["published"] <= high, ""
    if holds and (high - low) / 2 > rule.get("widest", math.inf):
        holds, why = None, f"the interval reaches farther than ± {value_text(rule['widest'])}"
    return Part(holds, value_text(math.fsum(value) / len(value)), _span(low, high), why)


def _property(rule, value, n_parts):
    true, of = _count(value)
    if of < 1:
        raise ValueError("no case was generated.")
    return Part(true > 0 if rule.get("some") else true == of, f"{true:,} of {of:,} cases")


def _counterexample(rule, value, n_parts):
    values = value if isinstance(value, list) else [value]
    found = [v for v in values if inside(rule, v, v)]
    said = f"{value_text(found[0] if found else values[0])}"
    return Part(not found, said + (f" in {len(found):,} of {len(values):,} cases" if len(values) > 1 else ""))


def _position(rule, value, n_parts):
    """Where a number or an interval is: paired, equivalent and trend."""
    if value is None:
        return Part(None, "not measured")
    if isinstance(value, (int, float)):
        return Part(_where(_as_bounds(rule, None), value, value), value_text(value))
    if isinstance(value, dict) and value.keys() == {"steps", "runs"}:
        return _monotone(rule, value)
    level = rule.get("level", 0.95)
    if rule.get("correction") == "parts":
        level = 1 - (1 - level) / n_parts
    if rule.get("interval") == "wilson":
        true, of = _count(value)
        mean, (low, high) = true / of, wilson_interval(true, of, level)
    else:
        runs, second = value, None
        if isinstance(value, dict):
            first, second = _whole(value["first"]), _whole(value["second"])
            if len(first) != len(second):
                raise ValueError(f"cannot judge pairs of {len(first)} and {len(second)} runs.")
            runs = [a - b for a, b in zip(first, second, strict=True)]
        mean = math.fsum(_whole(runs)) / len(runs)
        low, high = _interval(rule, runs, level)
        rule = _as_bounds(rule, second)
    return Part(_where(rule, low, high), value_text(mean), _span(low, high))


def _where(rule, low, high):
    """Whether everything from low to high is inside the bounds; None if only a part is, or all too near."""
    return True if inside(rule, low, high) else False if outside(rule, low, high) else None


def _monotone(rule, value):
    """A curve rises or falls: decided by its ends, and refuted by one significant step the other way.

    A step refutes if its whole interval lies farther the other way than the rule's ``reversal``.
    """
    sign = 1 if rule["monotone"] == "rising" else -1
    rows, n_steps, level = value["runs"], len(value["steps"]) - 1, rule.get("level", 0.95)
    step_level = 1 - (1 - level) / n_steps
    against = []  # steps that significantly go the other way: the interval's end, how far, where, interval
    for k in range(n_steps):
        change = [sign * (row[k + 1] - row[k]) for row in rows]
        low, high = mean_interval(change, step_level)
        if high < 0:
            against.append((high, math.fsum(change) / len(change), k, low))
    broken = any(high < -rule.get("reversal", 0) for high, *_ in against)
    change = [row[-1] - row[0] for row in rows]
    low, high = mean_interval(change, level)
    signed = (low, high) if sign > 0 else (-high, -low)
    holds = False if broken or signed[1] <= 0 else True if signed[0] > 0 else None
    why = _turned(rule, value["steps"], against, broken) if against and signed[0] > 0 else ""
    return Part(holds, value_text(math.fsum(change) / len(change)), _span(low, high), why)


def _turned(rule, steps, against, broken):
    """Where a curve that goes the right way from first to last turns back, and what the rule says to it."""
    moves, wanted = {"rising": ("falls", "a rise"), "falling": ("rises", "a fall")}[rule["monotone"]]
    high, by, k, low = min(against)
    said = (
        f"right from first to last, but from {steps[k]} to {steps[k + 1]} it {moves} by {value_text(-by)} "
        f"({_span(-high, -low)})"
    )
    if not broken:
        return f"{said}, which the rule’s margin of {value_text(rule['reversal'])} allows"
    more = f", and against the rule at {len(against) - 1} more of the steps" if len(against) > 1 else ""
    return f"{said}{more}; the rule asks for {wanted} at every step"


_JUDGES = {
    "exact": _exact,
    "tolerance": _tolerance,
    "published-run": _published_run,
    "paired": _position,
    "equivalent": _position,
    "trend": _position,
    "property": _property,
    "counterexample": _counterexample,
}


# Bounds and intervals


def _as_bounds(rule, second):
    """The rule with its margin, if it has one, as bounds."""
    margin = rule.get("within")
    if "relative" in rule:
        reference = abs(math.fsum(second) / len(second))
        margin = max(rule["relative"] * reference, rule["absolute"])
    return rule if margin is None else rule | {"least": -margin, "most": margin}


def inside(rule, low, high):
    """Whether everything from low to high is inside the bounds ``above``, ``below``, ``least``, ``most``."""
    return (
        ("above" not in rule or low > rule["above"])
        and ("least" not in rule or low >= rule["least"])
        and ("below" not in rule or high < rule["below"])
        and ("most" not in rule or high <= rule["most"])
    )


def outside(rule, low, high):
    """Whether everything from low to high is beyond one bound, by the rule's ``reversal`` at least."""
    reversal = rule.get("reversal", 0)
    return (
        ("above" in rule and high <= rule["above"] - reversal)
        or ("least" in rule and high < rule["least"] - reversal)
        or ("below" in rule and low >= rule["below"] + reversal)
        or ("most" in rule and low > rule["most"] + reversal)
    )


def _interval(rule, runs, level):
    how = rule.get("interval", "mean")
    if how == "resampled":
        return resampled_interval(runs, rule["test_share"], level)
    return {"mean": mean_interval, "prediction": prediction_interval}[how](runs, level)


def mean_interval(runs, level):
    """Student's t interval ``(low, high)`` for the mean of independent runs."""
    return _around(runs, 1 / len(runs), level)


def resampled_interval(runs, test_share, level):
    """Interval for a mean over random splits of one data set, corrected as by Nadeau and Bengio (2003)."""
    return _around(runs, 1 / len(runs) + test_share / (1 - test_share), level)


def prediction_interval(runs, level):
    """Interval that one more run falls into."""
    return _around(runs, 1 + 1 / len(runs), level)


def _around(runs, factor, level):
    n = len(runs)
    if n < 2:
        raise ValueError(f"an interval needs at least two runs, got {n}.")
    mean = math.fsum(runs) / n
    variance = math.fsum((x - mean) ** 2 for x in runs) / (n - 1)
    half = t_quantile(0.5 + level / 2, n - 1) * math.sqrt(variance * factor)
    return mean - half, mean + half


def wilson_interval(true, of, level):
    """Wilson's interval ``(low, high)`` for a share."""
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share, z2 = true / of, z * z
    centre = share + z2 / (2 * of)
    half = z * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    low, high = (centre - half) / (1 + z2 / of), (centre + half) / (1 + z2 / of)
    return (0.0 if true == 0 else low), (1.0 if true == of else high)


@cache
def t_quantile(p, df):
    """The p-quantile, p at least one half, of Student's t with ``df`` degrees of freedom."""
    if not 0.5 <= p < 1:  # nothing is as far out as that
        raise ValueError(f"the level of an interval must be at least 0 and below 1, got {2 * p - 1:.6g}.")
    low, high = 0.0, 1.0
    while _t_cdf(high, df) < p:
        high *= 2
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _t_cdf(middle, df) < p else (low, middle)
    return (low + high) / 2


def _t_cdf(t, df):
    return 1 - _incomplete_beta(df / 2, 0.5, df / (df + t * t)) / 2


def _incomplete_beta(a, b, x):
    """Regularised incomplete beta function by its continued fraction (Lentz's method)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny, c = 1e-300, 1.0
    d = 1 / _away(1 - (a + b) * x / (a + 1), tiny)
    total = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away(1 + numerator * d, tiny)
            c = _away(1 + numerator / c, tiny)
            total *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return front * total / a


def _away(value, tiny):
    return value if abs(value) > tiny else tiny


# Forms of measurements, and how they are printed


def is_mapping(value):
    """Whether a measurement names several parts, rather than being one."""
    forms = ({"first", "second"}, {"steps", "runs"}, {"true", "of"})
    return isinstance(value, dict) and set(value) not in forms


def _count(value):
    if isinstance(value, dict):
        return value["true"], value["of"]
    if not all(v in (True, False) for v in value):
        raise ValueError(f"expected Booleans or a count, got {_brief(value)}.")
    return sum(value), len(value)


def _whole(runs):
    if any(v is None for v in runs):
        raise ValueError(f"{sum(v is None for v in runs)} of {len(runs)} runs have no value.")
    return runs


def _digits(rule, value):
    """A value at the rule's number of decimals, rounded or cut."""
    if isinstance(value, list):
        return [_digits(rule, v) for v in value]
    if "decimals" not in rule or not isinstance(value, float):
        return value
    decimals = rule["decimals"]
    if type(decimals) is not int or not 0 <= decimals <= _MOST_DECIMALS:  # 10 to a huge power takes forever
        raise ValueError(
            f"decimals must be a whole number from 0 to {_MOST_DECIMALS}, got {_brief(decimals)}."
        )
    scale = 10**decimals
    return math.trunc(value * scale) / scale if rule.get("cut") else round(value, decimals)


def value_text(value):
    """A measured value as it is printed."""
    if value is None:
        return "not measured"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        text = f"{value:.4g}" if math.isfinite(value) else str(value)
        return "0" if text == "-0" else text
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list):
        return ", ".join(value_text(v) for v in value)
    if isinstance(value, dict):
        if value.keys() == {"true", "of"}:
            return f"{value['true']:,} of {value['of']:,}"
        return "; ".join(f"{k}: {value_text(v)}" for k, v in value.items())
    return str(value)


def quantity_text(value):
    """A measured quantity as it is printed: runs as their mean and its 95% interval."""
    numbers = isinstance(value, list) and all(
        isinstance(v, (int, float)) and not isinstance(v, bool) for v in value
    )
    if numbers and len(value) > 1:
        return f"{value_text(math.fsum(value) / len(value))} ({_span(*mean_interval(value, 0.95))})"
    return value_text(value)


def _span(low, high):
    return f"{value_text(float(low))} … {value_text(float(high))}"


def _named(what, names):
    """Which sets, by name if they are few; a name with a comma in parentheses."""
    named = ", ".join(f"({name})" if "," in str(name) else str(name) for name in names)
    return f"{what} {named if len(names) <= 6 else f'{len(names)} of them'}" if names else ""


def _brief(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


"""Check a report's evidence: every hash, and every verdict, derived again.

This file needs the standard library, ``fingerprints`` and ``rules`` only: ``reports/<profile>/verify.py`` is
made of the three.
"""

import json
import os
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

#: The manifest.
EVIDENCE = "evidence.json"
#: What a damaged file can lead to while a claim is checked.
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RecursionError)
#: What a claim of ``ledger.json`` says where its table in ``claims.toml`` says nothing.
CLAIM_DEFAULTS = {
    "judge": {}, "note": "", "needs_data": True, "checked_by_hand": False, "added": "", "amended": {},
}  # fmt: skip
#: Files of a report that carry evidence, by folder.
FOLDERS = {
    "results": [".json"],
    "stamps": [".json"],
    "tasks": [".jsonl"],
    "notebooks": [".ipynb"],
}


@dataclass
class Verification:
    """What was found: ``problems``, a sentence for each; and what to say of the rest."""

    problems: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    n_files: int = 0
    derived: Counter = field(default_factory=Counter)
    by_function: list = field(default_factory=list)
    not_here: list = field(default_factory=list)


def verify(folder, by_function=None):
    """Check the report in a folder.

    Parameters
    ----------
    folder : path-like
    by_function : callable ``(rule, measured) -> Finding`` or None
        Judges by the functions of the study, if they can be imported.

    Returns
    -------
    Verification
    """
    return _Check(Path(folder), by_function).run()


class _Check:
    def __init__(self, folder, by_function):
        self.folder = folder
        self.by_function = by_function
        self.found = Verification()
        self.contents = {}
        self.written = {}  # by claim: the file of the ledger that it is in, and its table

    def run(self):
        evidence = self._evidence()
        if not self.found.problems:  # otherwise there is nothing to compare with
            self._files(evidence)
            self._ledger(evidence)
            self._stamps(evidence)
            self._tasks(evidence)
            self._claims(evidence)
        return self.found

    def _evidence(self):
        try:
            text = (self.folder / EVIDENCE).read_bytes().decode()
            evidence = json.loads(text)
            said = data_hash({key: value for key, value in evidence.items() if key != "sha256"})
            if text != readable_text(evidence):
                self._problem(f"{EVIDENCE}: its text is not as it was written")
            if said != evidence["sha256"]:
                self._problem(f"{EVIDENCE}: its own sha256 is not that of what it says")
            for part in ("files", "beside", "claims"):
                evidence[part].items()
            return evidence
        except OSError as error:
            self._problem(f"{EVIDENCE}: cannot be read ({error.strerror})")
        except _DAMAGE as error:
            self._problem(f"{EVIDENCE}: cannot be understood ({type(error).__name__}: {error})")

    def _problem(self, sentence):
        self.found.problems.append(sentence)

    # Files

    def _files(self, evidence):
        for name, listed in evidence["files"].items():
            content = self._content(name)
            if content is None:
                self._problem(f"{name}: missing")
                continue
            self.found.n_files += 1
            if bytes_hash(content) != listed:
                self._problem(f"{name}: its bytes are not those listed in {EVIDENCE}")
        for part, endings in FOLDERS.items():
            paths = [path for ending in endings for path in self.folder.glob(f"{part}/*{ending}")]
            for path in sorted(paths):
                name = path.relative_to(self.folder).as_posix()
                if name not in evidence["files"]:
                    self._problem(f"{name}: not listed in {EVIDENCE}")
        for name, listed in evidence["beside"].items():
            content = self._content(name)
            if content is None:
                self.found.not_here.append(name)
                continue
            self.found.n_files += 1
            if bytes_hash(content) != listed:
                self._problem(f"{name}: its bytes are not those that the report was made from")
            if name.endswith("/claims.toml"):
                self._claims_file(name, content)

    def _content(self, name):
        if name not in self.contents:
            try:
                self.contents[name] = Path(os.path.normpath(self.folder / name)).read_bytes()
            except OSError:
                self.contents[name] = None
        return self.contents[name]

    def _json(self, name, path=()):
        """What stands in a file, or in a part of it; None if that cannot be read."""
        try:
            value = json.loads(self._content(name).decode())
            for key in path:
                value = value[key]
        except _DAMAGE:
            return None
        return value

    def _claims_file(self, name, content):
        try:
            claims = tomllib.loads(content.decode("utf-8-sig"))["claim"]
            self.written |= {claim["id"]: (name, claim) for claim in claims}
        except _DAMAGE as error:
            self._problem(f"{name}: cannot be understood ({type(error).__name__}: {error})")

    # What belongs together

    def _ledger(self, evidence):
        ledger = self._json("ledger.json")
        if not isinstance(ledger, dict):
            self._problem("ledger.json: cannot be understood")
            return
        said = data_hash({key: value for key, value in ledger.items() if key != "sha256"})
        for name, hash_ in (("ledger.json", ledger.get("sha256")), (EVIDENCE, evidence["ledger_sha256"])):
            if hash_ != said:
                self._problem(f"{name}: its hash of the ledger is not that of what ledger.json says")

    def _stamps(self, evidence):
        """A stamp is of the files beside it."""
        judged = {entry["notebook"] for entry in evidence["claims"].values()}
        stamped = set()
        for name in [name for name in evidence["files"] if name.startswith("stamps/")]:
            stamp, notebook = self._json(name), Path(name).stem
            if not isinstance(stamp, dict):
                self._problem(f"{name}: cannot be understood")
                continue
            stamped.add(notebook)
            files = {
                "results": "results/{}.json",
                "tasks": "tasks/{}.jsonl",
                "executed": "notebooks/{}.ipynb",
            }
            for what, file in files.items():
                content = self._content(file.format(notebook))
                hash_ = "absent" if content is None else bytes_hash(content)
                if stamp.get(f"{what}_sha256") != hash_:
                    self._problem(f"{name}: it is not the stamp of {file.format(notebook)}")
            if stamp.get("key") != key_of(stamp.get("inputs")):
                self._problem(f"{name}: its key is not that of its inputs")
        for name in sorted(judged - stamped):
            self._problem(f"stamps/{name}.json: missing, though claims were judged")

    def _tasks(self, evidence):
        """Each line of a file of tasks has its checksum."""
        for name in [name for name in evidence["files"] if name.startswith("tasks/")]:
            for number, line in enumerate((self._content(name) or b"").splitlines(), start=1):
                try:
                    entry = json.loads(line)
                    same = entry.pop("sha256") == data_hash(entry)
                except _DAMAGE:
                    same = False
                if not same:
                    self._problem(f"{name}: line {number} has not the checksum of what it says")

    # Claims

    def _claims(self, evidence):
        known, measured = self._json("ledger.json", ["claims"]) or {}, {}
        for name in [name for name in evidence["files"] if name.startswith("results/")]:
            given = self._json(name, ["claims"])
            if not isinstance(given, dict):
                self._problem(f"{name}: cannot be understood")
                continue
            measured[Path(name).stem] = given
            left_out = [claim for claim in given if claim in known and claim not in evidence["claims"]]
            if left_out:
                self.found.notes.append(f"{name} measured claims without a verdict: {', '.join(left_out)}")
        for claim_id, entry in evidence["claims"].items():
            try:
                given = measured[entry["notebook"]][claim_id]
                problems = list(self._claim(claim_id, known[claim_id], given, entry, evidence["profile"]))
            except _DAMAGE as error:
                problems = [f"cannot be checked ({type(error).__name__}: {error})"]
            self.found.problems += [f"claim {claim_id}: {problem}" for problem in problems]

    def _claim(self, claim_id, claim, given, entry, profile):
        """Yield what is wrong with a verdict."""
        if rule_hash(claim) != entry["rule_sha256"]:
            yield "its rule in ledger.json is not the one that judged it"
        if claim_id in self.written:
            file, table = self.written[claim_id]
            table = {**CLAIM_DEFAULTS, **table, "source": claim["source"]}
            other = sorted(key for key in claim if claim[key] != table.get(key))
            if other:
                yield f"ledger.json and {file} differ in its {', '.join(other)}"
        if data_hash(given) != entry["measured_sha256"]:
            yield f"results/{entry['notebook']}.json holds another measurement than the one that was judged"
        if "function" in claim["judge"] and self.by_function is None:
            self.found.by_function.append(claim_id)
            return
        for key, said in outcome(claim, given, profile, self.by_function).items():
            if said != entry[key]:
                yield f"derived again, its {key} is {said!r}, but {EVIDENCE} says {entry[key]!r}"
        own = (claim["place"], claim["nature"]) == ("ours", "finding")  # no source states it; counted apart
        self.found.derived["own finding" if own else claim["nature"], entry["verdict"]] += 1


def summary(found):
    """What was checked, as lines to read."""
    if any(problem.startswith(f"{EVIDENCE}:") for problem in found.problems) and not found.n_files:
        lines = [f"{EVIDENCE} cannot be trusted, so nothing was compared with it."]
    else:
        lines = [f"{found.n_files} files compared with their sha256."]
        lines += [f"Not here, so not compared: {', '.join(found.not_here)}."] * bool(found.not_here)
        lines.append(f"{sum(found.derived.values())} verdicts derived again from what was measured:")
        for nature in dict.fromkeys(nature for nature, _ in found.derived):
            of = {verdict: n for (its, verdict), n in found.derived.items() if its == nature}
            said = ", ".join(f"{n} {verdict}" for verdict, n in of.items())
            lines.append(f"  {nature}: {sum(of.values())} ({said})")
        if found.by_function:
            lines.append(
                f"{len(found.by_function)} judged by a function of the study, not derived here: "
                f"{', '.join(found.by_function)}."
            )
            lines.append("`studylib verify` derives these, too; it needs the study and its packages.")
        lines += [f"Note: {note}." for note in found.notes]
    if not found.problems:
        return [*lines, "Everything agrees."]
    said = "1 thing differs:" if len(found.problems) == 1 else f"{len(found.problems)} things differ:"
    return [*lines, said, *(f"  {problem}" for problem in found.problems)]


def main(folder=None, by_function=None):
    """Check the report in a folder, by default the one this file is in; returns an exit code."""
    found = verify(Path(__file__).resolve().parent if folder is None else folder, by_function)
    said = "\n".join(summary(found)) + "\n"
    sys.stdout.buffer.write(said.encode())  # a terminal without UTF-8 must not make it fail
    return 1 if found.problems else 0


if __name__ == "__main__":
    sys.exit(main())
