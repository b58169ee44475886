#!/usr/bin/env python3
"""Check this report: python3 verify.py

It needs Python 3.11 or newer and nothing else.  It compares every file with its sha256 in evidence.json and
derives every verdict again from what was measured, by the code that judged it.  The exit code is 0 if
everything agrees and 1 if anything differs.

It is made of four files of studylib, word for word: study/fingerprints.py, study/rules.py, the judge,
study/evidence/untrusted.py and study/evidence/verifier.py.
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


class WrittenNumber(float):
    """A number of a TOML file, with its text: 0.60 is not 0.6 where a text is asked for."""

    def __new__(cls, text):
        """The number of a text."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def number_as_text(value):
    """A number as it was written, where a text is asked for; anything else stays."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return getattr(value, "text", str(value))


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


"""Read files that may be hostile: only plain ones, inside a folder, of a limited size; and print their names.

This file needs the standard library only: ``reports/<profile>/verify.py`` contains it word for word.
"""

import json
import os
import stat
from pathlib import Path

# Limits, so that no report fills the memory or takes minutes.  Our largest one needs the number at the end.
MOST_BYTES = 500_000_000  # of all files together (31 MB)
MOST_PARSED = 4_000_000  # of a JSON file or a line of tasks, whose values may need 30 times that (0.7 MB)
MOST_TOML = 500_000  # of a claims.toml (45 kB)
MOST_DOTS = 500  # in one of its lines: the time for a key such as a.a.a grows with their square (12)
MOST_JUDGED = 20_000_000  # length of a rule times that of its measurement: it may add words to each (2.5e6)
MOST_NAME = 1000  # letters
MOST_SENTENCE = 1000
MOST_PROBLEMS = 100


class Refused(Exception):
    """Its text says why something is not used."""


def is_below(path, folder):
    """Whether a path is inside a folder, once links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def opened(folder, name, root="."):
    """A plain file by its path from a folder, open for reading, if it is below ``folder/root``.

    Raises
    ------
    Refused or OSError
    """
    if len(name) > MOST_NAME:
        raise Refused(f"a name may have {MOST_NAME} letters")
    path = os.path.normpath(Path(folder, name))
    if not is_below(path, os.path.normpath(Path(folder, root))):
        raise Refused("it is not in the folder of the " + ("report" if root == "." else "study"))
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise Refused("it is no plain file")
    return file


def _without_waiting(path, flags):
    """Open a file; if it is a pipe, whether or not somebody writes into it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read(folder, name, most, root="."):
    """The bytes of a plain file; see :func:`opened`."""
    with opened(folder, name, root) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise Refused(f"it may have {most / 10**6:g} MB")
    return content


def parsed(content):
    """The value of JSON text without NaN, and without a name twice, of which readers see one or the other."""
    return json.loads(content.decode(), object_pairs_hook=_unique, parse_constant=_no_number)


def _unique(pairs):
    table = dict(pairs)
    if len(table) < len(pairs):
        raise Refused("a name is twice in one table")
    return table


def _no_number(text):
    raise Refused(f"{text} is no number")


def is_table(value, of):
    """Whether a value is a dict with values of a type."""
    return isinstance(value, dict) and all(isinstance(one, of) for one in value.values())


def reason(error):
    """Why something failed, in a few words."""
    if isinstance(error, Refused):
        return str(error)
    return getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"


def visible(line):
    """A line with all that moves the cursor, breaks the line or turns the direction of writing escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


"""Check a report's evidence: every hash, and every verdict, derived again.

The report may be hostile, with hashes that fit, so its files are read by ``untrusted`` only.

This file needs the standard library, ``fingerprints``, ``rules`` and ``untrusted`` only:
``reports/<profile>/verify.py`` is made of the four.
"""

import hashlib
import os
import re
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

#: The manifest.
EVIDENCE = "evidence.json"
#: What a claim of ``ledger.json`` says where its table in ``claims.toml`` says nothing.
CLAIM_DEFAULTS = {
    "judge": {}, "note": "", "needs_data": True, "checked_by_hand": False, "added": "", "amended": {},
}  # fmt: skip
#: Files of a report that carry evidence: in its own folder, and by folder.
OWN_FILES = ("ledger.json", "verify.py", "ro-crate-metadata.json")
FOLDERS = {
    "results": [".json"],
    "stamps": [".json"],
    "tasks": [".jsonl"],
    "notebooks": [".ipynb"],
}
#: The page that shows the verdict on every claim.
CLAIMS_PAGE = "claims.html"
#: A folder that only runs use.
WORK = "work"
#: What a manifest's own hashes are not of: pages render what the first one is of.
_NOT_CITED = ("pages", "pages_sha256", "sha256")
#: Files of the ledger, in a folder for each source.
SOURCE_FILES = ("source.toml", "claims.toml", "deviations.toml")
#: What the manifest says about a claim.
_ENTRY = ("notebook", "rule_sha256", "measured_sha256", "verdict", "ours", "interval", "reason")


class _Enough(Exception):
    """There are so many problems that no more are listed."""


@dataclass
class Verification:
    """What was found: ``problems``, a sentence for each; and what to say of the rest."""

    problems: list = field(default_factory=list)
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
        self.hashes = {}  # of the files that could be read
        self.bytes_left = MOST_BYTES
        self.known = None  # the claims of ledger.json
        self.disputed = {}  # those among them about which the source contradicts itself
        self.differs = {}  # by claim: its claims.toml, and the keys in which ledger.json differs from it

    def run(self):
        try:
            evidence = self._evidence()
            if not self.found.problems:  # otherwise there is nothing to compare with
                self._files(evidence)
                self._ledger(evidence)
                self._sources(evidence)
                self._stamps(evidence)
                self._tasks()
                self._claims(evidence)
                self._pages(evidence)
        except _Enough:
            self.found.problems.append("perhaps more; the check stopped here")
        except Exception as error:  # whatever a report can still do, it must not look as if it agreed
            self.found.problems.append(f"the report: cannot be checked ({reason(error)})")
        return self.found

    def _problem(self, sentence):
        if len(sentence) > MOST_SENTENCE:
            sentence = f"{sentence[:700]} … {sentence[-200:]}"
        self.found.problems.append(sentence)
        if len(self.found.problems) == MOST_PROBLEMS:
            raise _Enough

    def _evidence(self):
        try:
            content = read(self.folder, EVIDENCE, MOST_PARSED)
            evidence = parsed(content)
            _check_shape(evidence)
            same_text = content == readable_text(evidence).encode()
            cited = {key: value for key, value in evidence.items() if key not in _NOT_CITED}
            hashes = {"sha256": data_hash(cited), "pages_sha256": data_hash(evidence["pages"])}
        except OSError as error:
            self._problem(f"{EVIDENCE}: cannot be read ({reason(error)})")
        except Exception as error:
            self._problem(f"{EVIDENCE}: cannot be understood ({reason(error)})")
        else:
            if not same_text:
                self._problem(f"{EVIDENCE}: its text is not as it was written")
            for key, hash_ in hashes.items():
                if hash_ != evidence[key]:
                    self._problem(f"{EVIDENCE}: its own {key} is not that of what it says")
            return evidence

    # Files

    def _files(self, evidence):
        for name, listed in evidence["files"].items():
            part, _, file = name.rpartition("/")
            if name not in OWN_FILES and not file.endswith(tuple(FOLDERS.get(part, ()))):
                self._problem(f"{name}: a report has no such file, but {EVIDENCE} lists it")
            elif not self._compare(name, listed, f"those listed in {EVIDENCE}"):
                self._problem(f"{name}: missing")
        for name, listed in evidence["pages"].items():
            if "/" in name or name in (EVIDENCE, *OWN_FILES):
                self._problem(f"{name}: it is no page, but {EVIDENCE} lists it as one")
            elif not self._compare(name, listed, f"those listed in {EVIDENCE}"):
                self._problem(f"{name}: missing")
        for name in self._names():
            if name != EVIDENCE and name not in evidence["files"] and name not in evidence["pages"]:
                self._problem(f"{name}: not listed in {EVIDENCE}")

    def _names(self):
        """What is in the folder, but for what only runs use, and what file managers leave."""
        for entry in sorted(os.scandir(self.folder), key=lambda entry: entry.name):
            if entry.name.startswith(".") or entry.name == WORK:
                continue
            if entry.name in FOLDERS and entry.is_dir():
                inner = sorted(path.name for path in os.scandir(entry.path))
                yield from (f"{entry.name}/{name}" for name in inner if not name.startswith("."))
            else:
                yield entry.name

    def _sources(self, evidence):
        """The ledger's own files, which are below the study's folder, two above the report's."""
        for name, listed in evidence["beside"].items():
            if name.rpartition("/")[2] not in SOURCE_FILES:
                self._problem(f"{name}: a ledger has no such file, but {EVIDENCE} lists it")
            elif not self._compare(name, listed, "those that the report was made from", "../.."):
                self.found.not_here.append(name)
            elif name in self.hashes and name.endswith("/claims.toml"):
                self._claims_file(name)

    def _compare(self, name, listed, wanted, root="."):
        """Compare a file with its sha256; whether it is there."""
        try:
            with opened(self.folder, name, root) as file:
                size = os.fstat(file.fileno()).st_size
                if size > self.bytes_left:
                    raise Refused(f"all files of a report may have {MOST_BYTES // 10**6} MB together")
                self.bytes_left -= size
                self.hashes[name] = hashlib.file_digest(file, "sha256").hexdigest()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except Exception as error:
            self._problem(f"{name}: cannot be read ({reason(error)})")
            return True
        self.found.n_files += 1
        if self.hashes[name] != listed:
            self._problem(f"{name}: its bytes are not {wanted}")
        return True

    def _table(self, name):
        """The table in a JSON file; None, and a problem, if there is none."""
        if name not in self.hashes:
            return None  # that was said already
        try:
            table = parsed(read(self.folder, name, MOST_PARSED))
            canonical_text(table).encode()  # fails for what has no hash
            if not isinstance(table, dict):
                raise Refused("it is no table")
        except Exception as error:
            self._problem(f"{name}: cannot be understood ({reason(error)})")
        else:
            return table

    def _claims_file(self, name):
        """Compare the claims of ledger.json with their tables in a claims.toml."""
        try:
            content = read(self.folder, name, MOST_TOML, "../..").decode("utf-8-sig")
            if max(line.count(".") for line in content.split("\n")) > MOST_DOTS:
                raise Refused(f"a line of it may have {MOST_DOTS} dots")
            for table in tomllib.loads(content, parse_float=WrittenNumber)["claim"]:
                claim = (self.known or {}).get(table["id"], {})
                table = {**CLAIM_DEFAULTS, **table, "source": claim.get("source")}
                others = {key for key in claim if claim[key] != table.get(key)}
                others -= {key for key in others if claim[key] == number_as_text(table.get(key))}
                self.differs[table["id"]] = name, sorted(others)
        except Exception as error:
            self._problem(f"{name}: cannot be understood ({reason(error)})")

    # What belongs together

    def _ledger(self, evidence):
        ledger = self._table("ledger.json")
        if ledger is None:
            return
        said = data_hash({key: value for key, value in ledger.items() if key != "sha256"})
        for name, hash_ in (("ledger.json", ledger.get("sha256")), (EVIDENCE, evidence["ledger_sha256"])):
            if hash_ != said:
                self._problem(f"{name}: its hash of the ledger is not that of what ledger.json says")
        if not is_table(ledger.get("claims"), dict):
            self._problem("ledger.json: its claims must be a table of tables")
            return
        self.known = ledger["claims"]
        self.disputed = ledger.get("disputed") or {}

    def _stamps(self, evidence):
        """A stamp is of the files beside it."""
        judged = {entry["notebook"] for entry in evidence["claims"].values()}
        names = [name for name in evidence["files"] if name.startswith("stamps/")]
        for name in names:
            stamp, notebook = self._table(name), Path(name).stem
            if stamp is None:
                continue
            files = {
                "results": "results/{}.json",
                "tasks": "tasks/{}.jsonl",
                "executed": "notebooks/{}.ipynb",
            }
            for what, file in files.items():
                if stamp.get(f"{what}_sha256") != self.hashes.get(file.format(notebook), "absent"):
                    self._problem(f"{name}: it is not the stamp of {file.format(notebook)}")
            if stamp.get("key") != key_of(stamp.get("inputs")):
                self._problem(f"{name}: its key is not that of its inputs")
        for name in sorted(judged - {Path(name).stem for name in names}):
            self._problem(f"stamps/{name}.json: missing, though claims were judged")

    def _tasks(self):
        """Each line of a file of tasks has its checksum; a first one that has not is said."""
        for name in [name for name in self.hashes if name.startswith("tasks/")]:
            with opened(self.folder, name) as file:
                for number, line in enumerate(iter(lambda: file.readline(MOST_PARSED), b""), start=1):
                    if not _has_its_checksum(line):
                        self._problem(f"{name}: line {number} has not the checksum of what it says")
                        break

    # Claims

    def _claims(self, evidence):
        """Notebook by notebook, so that the memory holds the results of one."""
        if self.known is None:
            return
        judged = {}
        for claim_id, entry in evidence["claims"].items():
            judged.setdefault(entry["notebook"], {})[claim_id] = entry
        for name in [name for name in evidence["files"] if name.startswith("results/")]:
            entries = judged.pop(Path(name).stem, {})
            results = self._table(name)
            if results is None:
                continue
            if not is_table(results.get("claims"), dict):
                self._problem(f"{name}: its claims must be a table of tables")
                continue
            for claim_id in results["claims"]:
                if claim_id in self.known and claim_id not in evidence["claims"]:
                    self._problem(
                        f"claim {claim_id}: measured in {name}, but {EVIDENCE} has no verdict on it"
                    )
            for claim_id, entry in entries.items():
                self._checked_claim(claim_id, entry, results["claims"], evidence["profile"])
        for notebook, entries in judged.items():
            self._problem(
                f"results/{notebook}.json: not listed in {EVIDENCE}, but judged: {', '.join(entries)}"
            )

    def _checked_claim(self, claim_id, entry, measured, profile):
        try:
            problems = list(self._claim(claim_id, entry, measured, profile))
        except Exception as error:  # a function of the study may raise anything
            problems = [f"cannot be checked ({reason(error)})"]
        for problem in problems:
            self._problem(f"claim {claim_id}: {problem}")

    def _claim(self, claim_id, entry, measured, profile):
        """Yield what is wrong with a verdict."""
        for file, claims in (("ledger.json", self.known), (f"results/{entry['notebook']}.json", measured)):
            if claim_id not in claims:
                yield f"not in {file}"
                return
        claim, given = self.known[claim_id], measured[claim_id]
        if rule_hash(claim) != entry["rule_sha256"]:
            yield "its rule in ledger.json is not the one that judged it"
        file, other = self.differs.get(claim_id, ("", []))
        if other:
            yield f"ledger.json and {file} differ in its {', '.join(other)}"
        if data_hash(given) != entry["measured_sha256"]:
            yield f"results/{entry['notebook']}.json holds another measurement than the one that was judged"
        if not isinstance(claim["judge"], dict):
            yield "its rule in ledger.json must be a table"
            return
        if "function" in claim["judge"] and self.by_function is None:
            self.found.by_function.append(claim_id)
            return
        length = len(canonical_text(claim["judge"])) * len(canonical_text(given))
        if length > MOST_JUDGED or _asks_for_width(claim["judge"]):
            yield "its rule would write too long a text"
            return
        for key, said in outcome(claim, given, profile, self.by_function).items():
            if said != entry[key]:
                yield f"derived again, its {key} is {said!r}, but {EVIDENCE} says {entry[key]!r}"
        own = (claim["place"], claim["nature"]) == ("ours", "finding")  # no source states it; counted apart
        self.found.derived["own finding" if own else claim["nature"], entry["verdict"]] += 1

    # Pages

    def _pages(self, evidence):
        """The verdict that a reader sees is the one in the evidence, on every page."""
        missing = set(evidence["claims"])
        for name in [name for name in evidence["pages"] if name in self.hashes and name.endswith(".html")]:
            try:
                page = _Page()
                page.feed(read(self.folder, name, MOST_PARSED).decode())
                page.close()
            except Exception as error:
                self._problem(f"{name}: cannot be understood ({reason(error)})")
                continue
            for claim_id, which, shown in page.verdicts:
                said = self._verdicts(evidence, claim_id, which)
                if shown not in said:
                    self._problem(
                        f"{name}: shows {shown!r} for the claim {claim_id}, not {' or '.join(said)!r}"
                    )
            if name == CLAIMS_PAGE:
                missing -= {claim_id for claim_id, which, _ in page.verdicts if not which}
        if CLAIMS_PAGE in self.hashes:
            for claim_id in sorted(missing):
                self._problem(f"{CLAIMS_PAGE}: shows no verdict on the claim {claim_id}")

    def _verdicts(self, evidence, claim_id, which):
        """What a page may show for a claim."""
        if which:
            return [(self.known or {}).get(claim_id, {}).get("amended", {}).get("first_verdict", "nothing")]
        if claim_id in self.disputed:
            return [DISPUTED]
        if claim_id in evidence["claims"]:
            return [evidence["claims"][claim_id]["verdict"]]
        return [PLANNED, NOT_TESTABLE]


class _Page(HTMLParser):
    """The verdicts that a page shows, each with its claim, and ``"first"`` if it was before an amendment."""

    def __init__(self):
        super().__init__()
        self.verdicts = []
        self._open = None  # the present verdict: its tag, how often that is open within, and its text

    def handle_starttag(self, tag, attrs):
        if self._open:
            self._open[1] += tag == self._open[0]
            return
        found = dict(attrs)
        if "verdict" in (found.get("class") or "").split():
            self._open = [tag, 1, ""]
            self.verdicts.append((found.get("data-of") or "", found.get("data-which") or "", ""))

    def handle_endtag(self, tag):
        if self._open and tag == self._open[0]:
            self._open[1] -= 1
            if not self._open[1]:
                self.verdicts[-1] = (*self.verdicts[-1][:2], " ".join(self._open[2].split()))
                self._open = None

    def handle_data(self, data):
        if self._open:
            self._open[2] += data


def _check_shape(evidence):
    """Refuse a manifest that is not of the form that is written."""
    if not isinstance(evidence, dict):
        raise Refused("it is no table")
    tables = (*((key, str, "texts") for key in ("files", "pages", "beside")), ("claims", dict, "tables"))
    for key, of, said in tables:
        if not is_table(evidence.get(key), of):
            raise Refused(f"its {key} must be a table of {said}")
    for key in ("ledger_sha256", "profile", "sha256", "pages_sha256"):
        if not isinstance(evidence.get(key), str):
            raise Refused(f"its {key} must be a text")
    for claim_id, entry in evidence["claims"].items():
        for key in _ENTRY:
            if not isinstance(entry.get(key), str):
                raise Refused(f"its claim {claim_id} must have a text as {key}")


def _has_its_checksum(line):
    try:
        entry = parsed(line)
        return entry.pop("sha256") == data_hash(entry)
    except Exception:
        return False


def _asks_for_width(rule):
    """Whether a text of a rule has a field such as ``{n:999999999}``, a gigabyte of spaces."""
    if isinstance(rule, dict):
        return any(_asks_for_width(value) for value in rule.values())
    return isinstance(rule, str) and bool(re.search(r"\{[^{}]*:", rule))


def summary(found):
    """What was checked, as lines to read."""
    if any(problem.startswith(f"{EVIDENCE}:") for problem in found.problems) and not found.n_files:
        lines = [f"{EVIDENCE} cannot be trusted, so nothing was compared with it."]
    else:
        lines = [f"{found.n_files} files compared with their sha256."]
        lines += [f"Not here, so not compared: {', '.join(found.not_here)}."] * bool(found.not_here)
        lines.append(f"{sum(found.derived.values())} verdicts derived again from what was measured:")
        by_nature = {}
        for (nature, verdict), n in found.derived.items():
            by_nature.setdefault(nature, {})[verdict] = n
        for nature, of in by_nature.items():
            said = ", ".join(f"{n} {verdict}" for verdict, n in of.items())
            lines.append(f"  {nature}: {sum(of.values())} ({said})")
        if found.by_function:
            lines.append(
                f"{len(found.by_function)} judged by a function of the study, not derived here: "
                f"{', '.join(found.by_function)}."
            )
            lines.append("`studylib verify` derives these, too; it needs the study and its packages.")
    if found.problems:
        lines.append(
            "1 thing differs:" if len(found.problems) == 1 else f"{len(found.problems)} things differ:"
        )
        lines += [f"  {problem}" for problem in found.problems]
    # The last line is ours: a long name in the one before could end as one likes, in a line of a terminal.
    lines.append("Not everything agrees." if found.problems else "Everything agrees.")
    return [visible(line) for line in lines]


def main(folder=None, by_function=None):
    """Check the report in a folder, by default the one this file is in; returns an exit code."""
    found = verify(Path(__file__).resolve().parent if folder is None else folder, by_function)
    said = "\n".join(summary(found)) + "\n"
    sys.stdout.buffer.write(said.encode())  # a terminal without UTF-8 must not make it fail
    return 1 if found.problems else 0


if __name__ == "__main__":
    sys.exit(main())
