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
