#!/usr/bin/env python3
"""Check this report: python3 verify.py

It needs Python 3.11 or newer and nothing else.  It compares every file with its sha256 in evidence.json and
derives every verdict again from what was measured, by the code that judged it.  The exit code is 0 if
everything agrees and 1 if anything differs.

It is made of eight files of studylib, word for word but for their imports of one another:
study/fingerprints.py and study/shapes.py; the judge, study/findings.py, study/intervals.py, study/kinds.py
and study/rules.py; study/evidence/untrusted.py and study/evidence/verifier.py.
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
    """Hash of everything that judges a claim, a table of ``claims.toml`` or ``ledger.json``; not of words."""
    judging = {key: claim[key] for key in ("nature", "kind", "judge") if claim.get(key)}
    if claim.get("choices"):
        keys = ("id", "sets", "values", "main")
        judging["choices"] = [{key: choice[key] for key in keys} for choice in claim["choices"]]
    return data_hash(judging)


def forgotten_amendments(claim, hashes):
    """A sentence for each rule that judged a claim before and that no amendment of the claim replaced.

    The claim is a dict as in ``ledger.json``; ``hashes`` are those of all rules that gave it a verdict.
    Choices that are listed later replace no rule: what it is remains their main one, and they have a date.
    Once they have judged, a change of them needs an amendment, too.
    """
    without = rule_hash({**claim, "choices": []})
    known = {rule_hash(claim), without, *(amended.get("rule_sha256") for amended in claim["amended"])}
    return [
        "its rule was changed after it had given a verdict, so write that rule and verdict in claims.toml as "
        f'a [[claim.amended]] with rule_sha256 = "{old}", or restore the rule'
        for old in hashes
        if old not in known
    ]


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
    states = []
    for file in files:
        try:
            state = os.stat(file)
            states.append([str(file), state.st_mtime_ns, state.st_size, state.st_ino])
        except OSError:
            states.append([str(file), 0, 0, 0])
    return states


"""What files may hold: strict JSON, and one way to say what is in a table of TOML, of JSON or of a rule.

A shape is a type (``float`` is any number, ``object`` anything); a list with the shape of its entries; a
tuple of the texts that are allowed; or a dict of shapes by key, in which ``...`` stands for all other keys.

This file needs the standard library only: ``reports/<profile>/verify.py`` contains it word for word.
"""

import json
import math
from dataclasses import dataclass

_IN_WORDS = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
    object: "a value",
}


class Refused(ValueError):
    """Its text says why something is not used."""


def parsed(content):
    """The value of JSON bytes with finite numbers, whole characters, and no name twice in a table."""
    text = content.decode()
    value = json.loads(text, object_pairs_hook=_unique, parse_constant=_finite, parse_float=_finite)
    check_characters(text, value)
    return value


def _unique(pairs):
    table = dict(pairs)
    if len(table) < len(pairs):  # readers see one or the other
        raise Refused("a name is twice in one table")
    return table


def _finite(text):
    if not math.isfinite(number := float(text)):
        raise Refused(f"{text} is no finite number")
    return number


def check_characters(text, value):
    """Raise ValueError if a string of a JSON text is half a character, which no page can hold."""
    if "\\ud" in text.lower():
        json.dumps(value, ensure_ascii=False).encode()


@dataclass(frozen=True)
class Maybe:
    """The shape of a key that may be missing."""

    shape: object


def fits(value, shape):
    """Whether a value is of a shape; a table may have more keys than its shape names."""
    if isinstance(shape, Maybe):
        return fits(value, shape.shape)
    if isinstance(shape, dict):
        others = shape.get(..., object)
        return (
            isinstance(value, dict)
            and all(key in value for key in needed_keys(shape))
            and all(fits(entry, shape.get(key, others)) for key, entry in value.items())
        )
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(entry, shape[0]) for entry in value)
    if isinstance(shape, tuple):
        return value in shape
    if isinstance(value, bool):  # Python takes it for an integer
        return shape in (bool, object)
    return isinstance(value, (int, float) if shape is float else shape)


def needed_keys(shape):
    """The keys that a table of a shape must have."""
    return [key for key, inner in shape.items() if key is not ... and not isinstance(inner, Maybe)]


def shape_in_words(shape):
    """``"a list of strings"``: a shape as an error names it."""
    if isinstance(shape, Maybe):
        return shape_in_words(shape.shape)
    if isinstance(shape, tuple):
        return f"one of {', '.join(shape)}"
    if isinstance(shape, list):
        return f"a list of {shape_in_words(shape[0]).partition(' ')[2]}s"
    return _IN_WORDS[dict if isinstance(shape, dict) else shape]


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


"""Intervals for what was measured; the standard library only, because ``verify.py`` contains this file."""

import math
from functools import cache
from statistics import NormalDist
from typing import NamedTuple


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


class HolmStep(NamedTuple):
    """What Holm's procedure says about one of several mean differences.

    ``rank`` is its place by falling ``|t|``, from 1; ``level`` that of its interval, corrected for those that
    are not decided before it.  ``holds``: above the bound (True), below it (False) or undecided (None).
    ``tested`` is False if the procedure stopped before it.
    """

    rank: int
    level: float
    mean: float
    low: float
    high: float
    holds: bool | None
    tested: bool


def holm_steps(measured, rule):
    """Decide on several mean differences, a HolmStep each, with Holm's correction for their number.

    Intervals (Student's t) are taken in the order of falling ``|t|``, the k-th of m at the level
    ``1 − (1 − level) / (m − k + 1)``.  The first that includes the bound ends the procedure: it and all that
    follow are undecided.  ``measured`` has by rival a list of differences on the same sets; ``rule`` the
    bound, ``above``, and ``level``.  Raises ValueError if the lists differ in length, so that ``|t|`` does
    not order them by their p-values.
    """
    if len({len(runs) for runs in measured.values()}) != 1:
        raise ValueError("holm_steps: the differences against all rivals must be on the same sets.")
    bound = rule["above"]
    ordered = sorted(measured, key=lambda name: -_abs_t(measured[name], bound))
    steps, stopped = {}, False
    for k, name in enumerate(ordered):
        level = 1 - (1 - rule["level"]) / (len(ordered) - k)
        low, high = mean_interval(measured[name], level)
        excluded = not stopped and not low <= bound <= high
        holds = low > bound if excluded else None
        mean = math.fsum(measured[name]) / len(measured[name])
        steps[name] = HolmStep(k + 1, level, mean, low, high, holds, not stopped)
        stopped = holds is None
    return steps


def _abs_t(runs, bound):
    """Distance of the mean from the bound in standard errors; infinite without any spread."""
    n = len(runs)
    mean = math.fsum(runs) / n
    error = math.sqrt(math.fsum((x - mean) ** 2 for x in runs) / (n - 1) / n)
    distance = abs(mean - bound)
    return distance / error if error else math.inf * distance if distance else 0.0


"""The standard kinds of rules: from a rule, as data, and what was measured to parts and a verdict.

This file needs the standard library only: ``reports/<profile>/verify.py`` contains it word for word.
"""

import math
from decimal import Decimal

_BOUNDS = ("above", "least", "below", "most")
_MOST_DECIMALS = 15  # that a float has


# Kinds that judge one part: a number, runs, paired runs, curves or a count.


def _exact(rule, value, n_parts):
    ours = _digits(rule, value)
    labels = rule.get("labels")
    if labels is not None and isinstance(ours, list) and len(labels) != len(ours):
        raise ValueError(f"the rule has {len(labels)} labels, and {len(ours)} values were measured.")
    return Part(ours == rule["published"], ours)


def _tolerance(rule, value, n_parts):
    values = value if isinstance(value, list) else [value]
    farthest = max(values, key=lambda v: _distance(v, rule["published"]))
    return _near(rule, farthest, len(values) if len(values) > 1 else None)


def _near(rule, value, count=None):
    published, within = Decimal(repr(rule["published"])), Decimal(repr(rule["within"]))
    bounds = (float(published - within), float(published + within))
    return Part(_distance(value, rule["published"]) <= within, value, count=count, bounds=bounds)


def _distance(value, published):
    """How far a value is from a published one, in decimals: as they are printed."""
    return abs(Decimal(repr(value)) - Decimal(repr(published)))


def _published_run(rule, value, n_parts):
    if value is None:
        return Part(None)
    if "within" in rule:  # the rule says how far our mean may be
        return _near(rule, _mean(value) if isinstance(value, list) else value)
    low, high = prediction_interval([_digits(rule, v) for v in _whole(value)], rule.get("level", 0.95))
    holds, note = low <= rule["published"] <= high, None
    if holds and (high - low) / 2 > rule.get("widest", math.inf):
        holds, note = None, {"why": "too wide", "widest": rule["widest"]}
    return Part(holds, _mean(value), low, high, bounds=(rule["published"],), note=note)


def _property(rule, value, n_parts):
    true, of = _count(value)
    if of < 1:
        raise ValueError("no case was generated.")
    return Part(true > 0 if rule.get("some") else true == of, true, count=of)


def _counterexample(rule, value, n_parts):
    values = value if isinstance(value, list) else [value]
    found = [v for v in values if inside(rule, v, v)]
    note = {"why": "found", "n": len(found), "of": len(values)} if len(values) > 1 else None
    return Part(not found, found[0] if found else values[0], bounds=bounds_of(rule), note=note)


def _position(rule, value, n_parts):
    """Where a number or an interval is: bound, paired, equivalent and trend."""
    if value is None:
        return Part(None)
    if isinstance(value, (int, float)):
        rule = _as_bounds(rule, None)
        return Part(lies(rule, value, value), value, bounds=bounds_of(rule))
    if isinstance(value, dict) and value.keys() == {"steps", "runs"}:
        return _monotone(rule, value)
    level, of = rule.get("level", 0.95), None
    if rule.get("correction") == "parts":
        level = 1 - (1 - level) / n_parts
    if rule.get("interval") == "wilson":
        true, of = _count(value)
        mean, (low, high) = true / of, wilson_interval(true, of, level)
    else:
        runs, second = value, None
        if isinstance(value, dict):
            second, runs = value["second"], _differences(value)
        mean = _mean(runs)
        low, high = _interval(rule, runs, level)
        rule = _as_bounds(rule, second)
    return Part(lies(rule, low, high), mean, low, high, count=of, bounds=bounds_of(rule))


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
            against.append((high, _mean(change), k, low))
    broken = any(high < -rule.get("reversal", 0) for high, *_ in against)
    change = [row[-1] - row[0] for row in rows]
    low, high = mean_interval(change, level)
    signed = (low, high) if sign > 0 else (-high, -low)
    holds = False if broken or signed[1] <= 0 else True if signed[0] > 0 else None
    note = None
    if against and signed[0] > 0:
        end, by, k, start = min(against)
        steps = value["steps"][k : k + 2]
        note = {"why": "turned", "steps": steps, "by": -by, "low": -end, "high": -start, "n": len(against)}
    return Part(holds, _mean(change), low, high, bounds=(0.0,), note=note)


_OF_PARTS = {
    "exact": _exact,
    "tolerance": _tolerance,
    "published-run": _published_run,
    "bound": _position,
    "paired": _position,
    "equivalent": _position,
    "trend": _position,
    "property": _property,
    "counterexample": _counterexample,
}


# Kinds that judge all that was measured at once.


def _ahead_of_all(rule, measured):
    """For which cases the runs lie where the rule wants them; a single number beside them can only object."""
    parts = []
    for case, given in measured.items():
        if not any(isinstance(value, list) for value in given.values()):
            raise ValueError(f"no runs of {case!r} were measured.")
        singles = [value for value in given.values() if not isinstance(value, list)]
        objected = any(value is None or not inside(rule, value, value) for value in singles)
        for name, runs in given.items():
            if isinstance(runs, list):
                low, high = mean_interval(_whole(runs), rule["level"])
                held = lies(rule, low, high)
                outcome, note = (None, {"why": "objected"}) if held and objected else (held, None)
                found = outcome, _mean(runs), low, high, case, name
                parts.append(Part(*found, bounds=bounds_of(rule), note=note))
    return _of_sets(parts)


def _any_of(rule, measured):
    """On which sets one of several comparisons lies where the rule wants it, corrected for their number."""
    parts = []
    for name, pairs in measured.items():
        level = 1 - (1 - rule["level"]) / len(pairs)
        outcomes = []
        for pair in pairs.values():
            outcomes.append(lies(rule, *mean_interval(_differences(pair), level)))
        outcome = True if True in outcomes else None if None in outcomes else False
        parts.append(Part(outcome, outcomes.count(True), count=len(outcomes), set=name))
    return _of_sets(parts)


def _holm(rule, measured):
    """Whether the mean difference to one of several rivals is above the bound, by ``holm_steps``."""
    steps = holm_steps(measured, rule)
    step = steps[rule["rival"]]
    note = {
        "why": "holm",
        "rank": step.rank,
        "of": len(steps),
        "level": step.level,
        "tested": step.tested,
    }
    part = Part(step.holds, step.mean, step.low, step.high, bounds=(rule["above"],), note=note)
    return Finding(verdict_on(step.holds), (part,))


def _share_of_sets(rule, measured):
    """Share of the sets for which a statement holds; sets and runs are both drawn anew.

    A set counts with the share of its runs in which the statement holds.  Drawing sets with replacement, and
    for each of them one of its runs, gives a binomial number: Wilson's interval over the sets has both
    variances.  Nothing is decided if no set was run ``runs`` times.
    """
    means = [_mean(runs) for runs in measured.values()]
    share, n = _mean(means), len(means)
    low, high = wilson_interval(share * n, n, rule["level"])
    again = [runs for runs in measured.values() if len(runs) >= rule["runs"]]
    bounds = (rule["published"],) if "published" in rule else bounds_of(rule)
    if not again:
        holds, note = None, {"why": "not run again", "runs": rule["runs"]}
    else:
        holds = low <= rule["published"] <= high if "published" in rule else lies(rule, low, high)
        noise = math.sqrt(_mean([_variance(runs) for runs in again]) / n)
        note = {"why": "varies", "deviation": noise}
        if holds and "published" in rule and (high - low) / 2 > rule["widest"]:
            holds, note = None, note | {"widest": rule["widest"]}
    return Finding(verdict_on(holds), (Part(holds, share, low, high, bounds=bounds, note=note),))


def _share(rule, measured):
    """How often something is so: typical, now and then, or rare, by Wilson's interval of the share."""
    true, of = _count(measured)
    low, high = wilson_interval(true, of, rule["level"])
    outcome = True if high >= rule["typical"] else False if high < rule["rare"] else None
    verdict = {True: REPRODUCED, False: NOT_REPRODUCED, None: PARTLY}[outcome]
    part = Part(outcome, true / of, low, high, count=of, bounds=(rule["rare"], rule["typical"]))
    return Finding(verdict, (part,))


def _share_above(rule, measured):
    """For which sets the share of draws that exceed a value is above the bound, by Wilson's interval.

    Of each set, the draws that the rule names in ``of`` are judged; others are shown.
    """
    parts = []
    for name, draws in measured.items():
        if rule["of"] not in draws:
            raise ValueError(f"no draws {rule['of']!r} of {name!r} were measured.")
        for which, values in draws.items():
            true, of = sum(value > rule["exceeds"] for value in values), len(values)
            outcome, shown = None, {"why": "beside"}
            if which == rule["of"]:
                low, high = wilson_interval(true, of, rule["level"])
                outcome, shown = lies(rule, low, high), None
            parts.append(Part(outcome, true, count=of, set=name, name=which, note=shown))
    judged = [part for part in parts if part.name == rule["of"]]
    return Finding(over_sets(list(answers(judged).values())), tuple(parts))


def _speed_up(rule, measured):
    """Work by T > 1 threads is at least ``least_share`` · T times as fast as by one thread.

    A machine that others use, one of few cores, or few pairs of runs cannot decide it.

    ``measured`` has ``cores``; ``load``, the cores that others kept busy before the runs; and ``seconds``,
    for each part of the work a list of seconds per number of threads, as strings; the runs took turns.
    """
    parts, pairs = [], []
    for work, seconds in measured["seconds"].items():
        for threads, runs in seconds.items():
            if threads != "1":
                ratios = [one / run for one, run in zip(seconds["1"], runs, strict=True)]
                low, high = mean_interval(ratios, rule["level"])
                asked = {"least": rule["least_share"] * int(threads)}
                name = f"{threads} threads"
                parts.append(
                    Part(
                        lies(asked, low, high), _mean(ratios), low, high, work, name, bounds=bounds_of(asked)
                    )
                )
                pairs.append(len(ratios))
    machine = {"cores": measured["cores"], "load": measured["load"], "pairs": min(pairs, default=0)}
    for why, too_few in (
        ("few cores", measured["cores"] < rule["least_cores"]),
        ("few pairs", machine["pairs"] < max(rule["least_pairs"], 1)),
        ("busy", measured["load"] > rule["largest_load"]),
    ):
        if too_few:
            return Finding(INCONCLUSIVE, tuple(parts), {"why": why, **machine})
    return Finding(over_sets([part.outcome for part in parts]), tuple(parts), {"why": "machine", **machine})


_OF_ALL = {
    "ahead-of-all": _ahead_of_all,
    "any-of": _any_of,
    "holm": _holm,
    "share-of-sets": _share_of_sets,
    "share": _share,
    "share-above": _share_above,
    "speed-up": _speed_up,
}


def _of_sets(parts):
    return Finding(over_sets(list(answers(parts).values())), tuple(parts))


# Bounds and intervals


def bounds_of(rule):
    """The bounds of a rule, which tell digits apart when they are shown."""
    return tuple(float(rule[key]) for key in _BOUNDS if key in rule)


def _as_bounds(rule, second):
    """The rule with its margin, if it has one, as bounds."""
    margin = rule.get("within")
    if "relative" in rule:
        margin = max(rule["relative"] * abs(_mean(second)), rule["absolute"])
    return rule if margin is None else rule | {"least": -margin, "most": margin}


def lies(rule, low, high):
    """Whether everything from low to high is inside the bounds; None if only a part is, or all too near."""
    return True if inside(rule, low, high) else False if outside(rule, low, high) else None


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


# Forms of measurements


def is_mapping(value):
    """Whether a measurement names several parts, rather than being one."""
    forms = ({"first", "second"}, {"steps", "runs"}, {"true", "of"})
    return isinstance(value, dict) and set(value) not in forms


def _count(value):
    if isinstance(value, dict):
        return value["true"], value["of"]
    if not all(v in (True, False) for v in value):
        raise ValueError("expected Booleans or a count.")
    return sum(value), len(value)


def _differences(pair):
    first, second = _whole(pair["first"]), _whole(pair["second"])
    if len(first) != len(second):
        raise ValueError(f"cannot judge pairs of {len(first)} and {len(second)} runs.")
    return [a - b for a, b in zip(first, second, strict=True)]


def _whole(runs):
    if any(v is None for v in runs):
        raise ValueError(f"{sum(v is None for v in runs)} of {len(runs)} runs have no value.")
    return runs


def _mean(runs):
    return math.fsum(_whole(runs)) / len(runs)


def _variance(runs):
    mean = _mean(runs)
    return math.fsum((one - mean) ** 2 for one in runs) / (len(runs) - 1)


def _digits(rule, value):
    """A value at the rule's number of decimals, rounded or cut."""
    if isinstance(value, list):
        return [_digits(rule, v) for v in value]
    if "decimals" not in rule or not isinstance(value, float):
        return value
    decimals = rule["decimals"]
    if type(decimals) is not int or not 0 <= decimals <= _MOST_DECIMALS:  # 10 to a huge power takes forever
        raise ValueError(f"decimals must be a whole number from 0 to {_MOST_DECIMALS}.")
    scale = 10**decimals
    return math.trunc(value * scale) / scale if rule.get("cut") else round(value, decimals)


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


"""Read files that may be hostile: only plain ones, inside a folder, of a limited size; and print their names.

This file needs the standard library and ``shapes`` only: ``verify.py`` of a report contains it word for word.
"""

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


def is_below(path, folder):
    """Whether a path is inside a folder, once links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def opened(folder, name, root="."):
    """A plain file below ``folder/root``, opened for reading; Refused or OSError if it is none."""
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

This file needs the standard library and the files of which ``manifest.standalone`` makes ``verify.py`` only.
"""

import hashlib
import os
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
    "judge": {}, "note": "", "needs_data": True, "checked_by_hand": False, "added": "", "amended": [],
    "choices": [], "ours": None,
}  # fmt: skip
#: Files of a report that carry evidence: in its own folder, and by folder.
OWN_FILES = ("ledger.json", "verify.py", "ro-crate-metadata.json")
FOLDERS = {"results": ".json", "stamps": ".json", "tasks": ".jsonl", "notebooks": ".ipynb"}
#: The page that shows the verdict on every claim.
CLAIMS_PAGE = "claims.html"
#: A folder that only runs use.
WORK = "work"
_MISSING = "missing"
#: What a manifest's own hashes are not of: pages render what the first one is of.
_NOT_CITED = ("pages", "pages_sha256", "sha256")
#: Files of the ledger, in a folder for each source.
SOURCE_FILES = ("source.toml", "claims.toml", "deviations.toml")
#: What the manifest must hold.
_MANIFEST = {
    **dict.fromkeys(("files", "pages", "beside"), ({...: str}, "table of texts")),
    "claims": ({...: dict}, "table of tables"),
    "rules_sha256": ({...: list}, "table of lists"),
    **dict.fromkeys(("ledger_sha256", "profile", "sha256", "pages_sha256"), (str, "text")),
}
#: What it says about a claim.
_ENTRY = ("notebook", "rule_sha256", "measured_sha256", "verdict")
#: What of it is derived again.
_DERIVED = ("verdict", "parts", "note", "beside", "at_main", "choices")


@dataclass
class Verification:
    """What was found: ``problems``, a sentence for each; and what to say of the rest.

    ``trusted`` says whether the manifest could be read, so that anything was compared with it.
    """

    problems: list = field(default_factory=list)
    trusted: bool = False
    n_files: int = 0
    derived: Counter = field(default_factory=Counter)
    by_function: list = field(default_factory=list)
    not_here: list = field(default_factory=list)


def verify(folder, by_function=None):
    """Check the report in a folder; returns a Verification.

    ``by_function(rule, measured)`` judges by the functions of the study, if they can be imported.
    """
    check = _Check(Path(folder), by_function)
    problems = check.result.problems
    try:
        for problem in check.problems():
            short = len(problem) <= MOST_SENTENCE
            problems.append(problem if short else f"{problem[:700]} … {problem[-200:]}")
            if len(problems) == MOST_PROBLEMS:
                problems.append("perhaps more; the check stopped here")
                break
    except Exception as error:  # whatever a report can still do, it must not look as if it agreed
        problems.append(f"the report: cannot be checked ({reason(error)})")
    return check.result


class _Check:
    """One check of a report; its methods are generators of problems, a sentence for each."""

    def __init__(self, folder, by_function):
        self.folder = folder
        self.by_function = by_function
        self.result = Verification()
        self.evidence = None  # the manifest
        self.hashes = {}  # of the files that could be read
        self.bytes_left = MOST_BYTES
        self.known = None  # the claims of ledger.json
        self.disputed = {}  # those among them about which the source contradicts itself
        self.differs = {}  # by claim: its claims.toml, and the keys in which ledger.json differs from it

    def problems(self):
        yield from self._manifest()
        if self.result.problems:
            return  # there is nothing to compare with
        self.result.trusted = True
        yield from self._files()
        yield from self._ledger()
        yield from self._sources()
        yield from self._stamps()
        yield from self._tasks()
        yield from self._claims()
        yield from self._pages()

    def _manifest(self):
        try:
            content = read(self.folder, EVIDENCE, MOST_PARSED)
            evidence = parsed(content)
            _check_shape(evidence)
            same_text = content == readable_text(evidence).encode()
            cited = {key: value for key, value in evidence.items() if key not in _NOT_CITED}
            hashes = {"sha256": data_hash(cited), "pages_sha256": data_hash(evidence["pages"])}
        except OSError as error:
            yield f"{EVIDENCE}: cannot be read ({reason(error)})"
        except Exception as error:
            yield f"{EVIDENCE}: cannot be understood ({reason(error)})"
        else:
            if not same_text:
                yield f"{EVIDENCE}: its text is not as it was written"
            for key, hash_ in hashes.items():
                if hash_ != evidence[key]:
                    yield f"{EVIDENCE}: its own {key} is not that of what it says"
            self.evidence = evidence

    # Files

    def _files(self):
        files, pages = self.evidence["files"], self.evidence["pages"]
        for name, listed in files.items():
            part, _, file = name.rpartition("/")
            if name not in OWN_FILES and not file.endswith(FOLDERS.get(part, ())):
                yield f"{name}: a report has no such file, but {EVIDENCE} lists it"
            elif fault := self._fault(name, listed, f"those listed in {EVIDENCE}"):
                yield f"{name}: {fault}"
        for name, listed in pages.items():
            if "/" in name or name in (EVIDENCE, *OWN_FILES):
                yield f"{name}: it is no page, but {EVIDENCE} lists it as one"
            elif fault := self._fault(name, listed, f"those listed in {EVIDENCE}"):
                yield f"{name}: {fault}"
        for name in self._names():
            if name != EVIDENCE and name not in files and name not in pages:
                yield f"{name}: not listed in {EVIDENCE}"

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

    def _sources(self):
        """The ledger's own files, which are below the study's folder, two above the report's."""
        for name, listed in self.evidence["beside"].items():
            if name.rpartition("/")[2] not in SOURCE_FILES:
                yield f"{name}: a ledger has no such file, but {EVIDENCE} lists it"
                continue
            fault = self._fault(name, listed, "those that the report was made from", "../..")
            if fault == _MISSING:
                self.result.not_here.append(name)
            elif fault:
                yield f"{name}: {fault}"
            if name in self.hashes and name.endswith("/claims.toml"):
                yield from self._claims_file(name)

    def _fault(self, name, listed, wanted, root="."):
        """What is wrong with a file, which is compared with its sha256; None if nothing is."""
        try:
            with opened(self.folder, name, root) as file:
                size = os.fstat(file.fileno()).st_size
                if size > self.bytes_left:
                    raise Refused(f"all files of a report may have {MOST_BYTES // 10**6} MB together")
                self.bytes_left -= size
                self.hashes[name] = hashlib.file_digest(file, "sha256").hexdigest()
        except (FileNotFoundError, NotADirectoryError):
            return _MISSING
        except Exception as error:
            return f"cannot be read ({reason(error)})"
        self.result.n_files += 1
        return None if self.hashes[name] == listed else f"its bytes are not {wanted}"

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
            yield f"{name}: cannot be understood ({reason(error)})"
            return None
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
            yield f"{name}: cannot be understood ({reason(error)})"

    # What belongs together

    def _ledger(self):
        ledger = yield from self._table("ledger.json")
        if ledger is None:
            return
        its_hash = data_hash({key: value for key, value in ledger.items() if key != "sha256"})
        listed = {"ledger.json": ledger.get("sha256"), EVIDENCE: self.evidence["ledger_sha256"]}
        for name, hash_ in listed.items():
            if hash_ != its_hash:
                yield f"{name}: its hash of the ledger is not that of what ledger.json says"
        if not fits(ledger.get("claims"), {...: dict}):
            yield "ledger.json: its claims must be a table of tables"
            return
        self.known = ledger["claims"]
        self.disputed = ledger.get("disputed") or {}

    def _stamps(self):
        """A stamp is of the files beside it."""
        judged = {entry["notebook"] for entry in self.evidence["claims"].values()}
        names = [name for name in self.evidence["files"] if name.startswith("stamps/")]
        for name in names:
            stamp, notebook = (yield from self._table(name)), Path(name).stem
            if stamp is None:
                continue
            for what, part in (("results", "results"), ("tasks", "tasks"), ("executed", "notebooks")):
                file = f"{part}/{notebook}{FOLDERS[part]}"
                if stamp.get(f"{what}_sha256") != self.hashes.get(file, "absent"):
                    yield f"{name}: it is not the stamp of {file}"
            if stamp.get("key") != key_of(stamp.get("inputs")):
                yield f"{name}: its key is not that of its inputs"
        for name in sorted(judged - {Path(name).stem for name in names}):
            yield f"stamps/{name}.json: missing, though claims were judged"

    def _tasks(self):
        """Each line of a file of tasks has its checksum; a first one that has not is said."""
        for name in [name for name in self.hashes if name.startswith("tasks/")]:
            with opened(self.folder, name) as file:
                for number, line in enumerate(iter(lambda: file.readline(MOST_PARSED), b""), start=1):
                    if not _has_its_checksum(line):
                        yield f"{name}: line {number} has not the checksum of what it says"
                        break

    # Claims

    def _claims(self):
        """Notebook by notebook, so that the memory holds the results of one."""
        if self.known is None:
            return
        judged = {}
        for claim_id, entry in self.evidence["claims"].items():
            judged.setdefault(entry["notebook"], {})[claim_id] = entry
        for name in [name for name in self.evidence["files"] if name.startswith("results/")]:
            entries = judged.pop(Path(name).stem, {})
            results = yield from self._table(name)
            if results is None:
                continue
            if not fits(results.get("claims"), {...: dict}):
                yield f"{name}: its claims must be a table of tables"
                continue
            for claim_id in results["claims"]:
                if claim_id in self.known and claim_id not in self.evidence["claims"]:
                    yield f"claim {claim_id}: measured in {name}, but {EVIDENCE} has no verdict on it"
            for claim_id, entry in entries.items():
                try:
                    problems = list(self._claim(claim_id, entry, results["claims"]))
                except Exception as error:  # a function of the study may raise anything
                    problems = [f"cannot be checked ({reason(error)})"]
                yield from (f"claim {claim_id}: {problem}" for problem in problems)
        for notebook, entries in judged.items():
            yield f"results/{notebook}.json: not listed in {EVIDENCE}, but judged: {', '.join(entries)}"

    def _claim(self, claim_id, entry, measured):
        for file, claims in (("ledger.json", self.known), (f"results/{entry['notebook']}.json", measured)):
            if claim_id not in claims:
                yield f"not in {file}"
                return
        claim, given = self.known[claim_id], measured[claim_id]
        if rule_hash(claim) != entry["rule_sha256"]:
            yield "its rule in ledger.json is not the one that judged it"
        yield from forgotten_amendments(claim, self.evidence["rules_sha256"].get(claim_id, []))
        file, other = self.differs.get(claim_id, ("", []))
        if other:
            yield f"ledger.json and {file} differ in its {', '.join(other)}"
        if data_hash(given) != entry["measured_sha256"]:
            yield f"results/{entry['notebook']}.json holds another measurement than the one that was judged"
        if not isinstance(claim["judge"], dict):
            yield "its rule in ledger.json must be a table"
            return
        if "function" in claim["judge"] and self.by_function is None:
            self.result.by_function.append(claim_id)
            return
        if len(canonical_text(claim["judge"])) * len(canonical_text(given)) > MOST_JUDGED:
            yield "its rule and its measurement are too long"
            return
        derived = outcome(claim, given, self.evidence["profile"], self.by_function)
        for key in _DERIVED:
            now, listed = derived.get(key), entry.get(key)
            if not _alike(now, listed):
                yield f"derived again, its {key} is {now!r}, but {EVIDENCE} says {listed!r}"
        by_us = (claim["place"], claim["nature"]) == ("ours", "finding")  # no source states it; counted apart
        self.result.derived["own finding" if by_us else claim["nature"], entry["verdict"]] += 1

    # Pages

    def _pages(self):
        """The verdict that a reader sees is the one in the evidence, on every page."""
        missing = set(self.evidence["claims"])
        for name in [n for n in self.evidence["pages"] if n in self.hashes and n.endswith(".html")]:
            try:
                page = _Page()
                page.feed(read(self.folder, name, MOST_PARSED).decode())
                page.close()
            except Exception as error:
                yield f"{name}: cannot be understood ({reason(error)})"
                continue
            for claim_id, which, shown in page.verdicts:
                right = self._verdicts(claim_id, which)
                if shown not in right:
                    yield f"{name}: shows {shown!r} for the claim {claim_id}, not {' or '.join(right)!r}"
            if name == CLAIMS_PAGE:
                missing -= {claim_id for claim_id, which, _ in page.verdicts if not which}
        for claim_id in sorted(missing) if CLAIMS_PAGE in self.hashes else ():
            yield f"{CLAIMS_PAGE}: shows no verdict on the claim {claim_id}"

    def _verdicts(self, claim_id, which):
        """What a page may show for a claim."""
        if which:
            amended = (self.known or {}).get(claim_id, {}).get("amended", [])
            by_number = {str(n): change["first_verdict"] for n, change in enumerate(amended, start=1)}
            return [by_number.get(which, "nothing")]
        if claim_id in self.disputed:
            return [DISPUTED]
        if claim_id in self.evidence["claims"]:
            return [self.evidence["claims"][claim_id]["verdict"]]
        return [PLANNED, NOT_TESTABLE]


class _Page(HTMLParser):
    """The verdicts that a page shows, each with its claim; and which amendment ended it."""

    def __init__(self):
        super().__init__()
        self.verdicts = []
        self._open = None  # the present verdict: its tag, how often that is open within, and its text

    def handle_starttag(self, tag, attrs):
        if self._open:
            self._open[1] += tag == self._open[0]
            return
        named = dict(attrs)
        if "verdict" in (named.get("class") or "").split():
            self._open = [tag, 1, ""]
            self.verdicts.append((named.get("data-of") or "", named.get("data-which") or "", ""))

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
    for key, (shape, in_words) in _MANIFEST.items():
        if not fits(evidence.get(key), shape):
            raise Refused(f"its {key} must be a {in_words}")
    for claim_id, entry in evidence["claims"].items():
        for key in _ENTRY:
            if not isinstance(entry.get(key), str):
                raise Refused(f"its claim {claim_id} must have a text as {key}")


def _alike(now, listed, scale=0.0):
    """Test if two values are the same; numbers may differ by 1e-11 of the largest number beside them.

    The functions of the C library round differently on different machines.
    """
    if isinstance(now, float) and isinstance(listed, float):
        return abs(now - listed) <= 1e-11 * scale or now == listed
    if type(now) is not type(listed):
        return False
    if isinstance(now, dict):
        scale = max((abs(value) for value in now.values() if isinstance(value, float)), default=0.0)
        return now.keys() == listed.keys() and all(_alike(now[key], listed[key], scale) for key in now)
    if isinstance(now, list):
        return len(now) == len(listed) and all(map(_alike, now, listed))
    return now == listed


def _has_its_checksum(line):
    try:
        entry = parsed(line)
        return entry.pop("sha256") == data_hash(entry)
    except Exception:
        return False


def summary(result):
    """What was checked, as lines to read."""
    n_derived = sum(result.derived.values())
    if not result.trusted:
        lines = [f"{EVIDENCE} cannot be trusted, so nothing was compared with it."]
    else:
        lines = [f"{result.n_files} files compared with their sha256."]
        lines += [f"Not here, so not compared: {', '.join(result.not_here)}."] * bool(result.not_here)
        lines.append(f"{n_derived} verdicts derived again from what was measured:")
        by_nature = {}
        for (nature, verdict), n in result.derived.items():
            by_nature.setdefault(nature, {})[verdict] = n
        for nature, of in by_nature.items():
            counts = ", ".join(f"{n} {verdict}" for verdict, n in of.items())
            lines.append(f"  {nature}: {sum(of.values())} ({counts})")
        if result.by_function:
            lines.append(
                f"{len(result.by_function)} judged by a function of the study, not derived here: "
                f"{', '.join(result.by_function)}."
            )
            lines.append("`studylib verify` derives these, too; it needs the study and its packages.")
    if result.problems:
        lines.append(
            "1 thing differs:" if len(result.problems) == 1 else f"{len(result.problems)} things differ:"
        )
        lines += [f"  {problem}" for problem in result.problems]
    # The last line is ours: a long name in the one before could end as one likes, in a line of a terminal.
    n_judged = n_derived + len(result.by_function)
    derived = f"all {n_derived}" if not result.by_function else f"{n_derived} of {n_judged}"
    agrees = f"Everything agrees; {derived} verdicts were derived."
    lines.append("Not everything agrees." if result.problems else agrees)
    return [visible(line) for line in lines]


def main(folder=None, by_function=None):
    """Check the report in a folder, by default the one this file is in; returns an exit code."""
    result = verify(Path(__file__).resolve().parent if folder is None else folder, by_function)
    text = "\n".join(summary(result)) + "\n"
    sys.stdout.buffer.write(text.encode())  # a terminal without UTF-8 must not make it fail
    return 1 if result.problems else 0


if __name__ == "__main__":
    sys.exit(main())
