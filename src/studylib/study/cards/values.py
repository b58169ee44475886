"""Statements and measured values as a reader wants them: with names, and no more digits than are known."""

import math
import re

from studylib.study.cards.sentences import percent

_NUMBER = r"[-−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"
_WITH_INTERVAL = re.compile(rf"({_NUMBER})((?: [^\W\d][^();:]*?)?) \(({_NUMBER}) … ({_NUMBER})\)")
_ROW = re.compile(rf"{_NUMBER}(?: / {_NUMBER})+")
_MINUS = re.compile(r"(?<![\w.)–−-])-(?=\d)")
_SETS = re.compile(r"\d+ of \d+")
#: Numbers without names that a reader takes in.
_FEW = 6


def statement(text, rule):
    """A statement that is a bare row of numbers, with the names that its rule gives them.

    Parameters
    ----------
    text : str
    rule : dict
        The claim's ``[claim.judge]`` table, with ``labels`` and ``published`` or with ``parts``.
    """
    if not _ROW.fullmatch(text):
        return text
    said = text.split(" / ")
    names, published = rule.get("labels"), rule.get("published")
    if "parts" in rule:
        names, published = list(rule["parts"]), [part.get("published") for part in rule["parts"].values()]
    if not names or not isinstance(published, list) or not len(names) == len(published) == len(said):
        return text
    if any(_number(one) != its_value for one, its_value in zip(said, published, strict=True)):
        return text
    return ", ".join(f"{name} {one}" for name, one in zip(names, said, strict=True))


def measured(ours, interval, rule, verdict):
    """Our value and its interval, ready to read.

    Parameters
    ----------
    ours, interval, verdict : str
        As the judge gave them.
    rule : dict

    Returns
    -------
    ours, interval : str
    """
    if _SETS.fullmatch(ours) and not interval:
        held, _, of = ours.partition(" of ")
        return f"holds for {'none' if held == '0' else held} of {of}", ""
    bare = isinstance(rule.get("published"), list) and "labels" not in rule and verdict == "reproduced"
    if bare and len(rule["published"]) > _FEW:
        return f"all {len(rule['published'])} values agree", ""
    whole = f"{ours} ({interval})" if interval else ours
    shown = rounded(whole, apart=_bounds(rule))
    if not interval:
        return shown, ""
    ours, _, interval = shown.removesuffix(")").rpartition(" (")
    return ours, interval


def rounded(text, apart=(0.0,)):
    """Round every value with an interval in a text to what the interval supports; set minus signs.

    An end of an interval that differs from a number of ``apart`` still does after rounding, so that one sees
    on which side of a bound an interval lies.
    """

    def shorter(match):
        value, unit, low, high = match.groups()
        if not -math.inf < _number(low) <= _number(value) <= _number(high) < math.inf:
            return match.group()  # a count with the interval of its share
        digits = _digits(_number(low), _number(high), apart)
        printed = max(_decimals(low), _decimals(high))
        value, low, high = (_fixed(_number(n), min(digits, printed)) for n in (value, low, high))
        return f"{value}{unit} ({low} … {high})"

    return percent(_MINUS.sub("−", _WITH_INTERVAL.sub(shorter, text)))


def _bounds(rule):
    """The numbers of a rule that an interval is compared with, and 0."""
    found = {0.0}
    for own in (rule, *rule.get("parts", {}).values()):
        for key in ("above", "below", "least", "most", "published"):
            if isinstance(own.get(key), (int, float)):
                found.add(float(own[key]))
        if "within" in own:
            found |= {float(own["within"]), -float(own["within"])}
    return found


def _digits(low, high, apart):
    """Decimals at which half the interval has one significant digit, or two if that one is a 1 or 2."""
    half = abs(high - low) / 2
    if half == 0:
        return 12
    digits = -math.floor(math.log10(half))
    digits += half * 10.0**digits < 3
    digits = max(digits, 0)
    while digits < 12 and any(
        end != bound and round(end, digits) == round(bound, digits) for end in (low, high) for bound in apart
    ):
        digits += 1
    return digits


def _decimals(text):
    mantissa, _, exponent = text.partition("e")
    return max(0, len(mantissa.partition(".")[2]) - int(exponent or 0))


def _fixed(value, digits):
    text = f"{round(value, digits):,.{digits}f}"
    return text.removeprefix("-") if not float(text.replace(",", "")) else text


def _number(text):
    return float(text.replace(",", "").replace("−", "-"))
