"""Numbers, dates and times written as text: one format for all entries of a column, or none.

Nothing is decided entry by entry.  Where two formats fit a column and give other values, or none fits, the
column is not read, and a phrase says what it looks like.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

_TYPED = str.maketrans("\u00a0\u202f’", "  '")  # marks of thousands, as they are typed
_MOSTLY = 0.8  # share of entries from which on a column looks like something
_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS = {word: k for k, name in enumerate(_NAMES, 1) for word in (name[:3], name[:4], name)}
_PLAIN = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)", re.I | re.A)
_MONEY, _AMOUNT = r"(?:[$€£¥]|EUR|USD|GBP|CHF)", r"\d[\d.,' ]*"
#: A currency before the number, or a currency, per cent or unit behind it.
_MARKED = re.compile(rf"([+-]?)({_MONEY})? ?([+-]?\d.*?) ?([$€£¥%°]| (?!am$|pm$)[^\W\d_]+[²³]?)?", re.I)
_LOOSE = re.compile(rf"[+-]?{_AMOUNT}", re.A)
#: Marks of decimals and of thousands, beside the plain format.
_FORMATS = ((",", ""), (",", "."), (",", " "), (",", "'"), (".", ","), (".", " "), (".", "'"))
_CLOCK = (
    r"(?:[T ]+(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?(?P<zone> ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?"
)
_DATE = re.compile(r"(?P<a>\d{1,4})(?P<mark>[-/.])(?P<b>\d{1,2})(?P=mark)(?P<c>\d{1,4})" + _CLOCK, re.A)
_NAMED_DATE = re.compile(
    r"(?:(?P<a>\d{1,2})[ .-]+(?P<b>[a-z]{3,9})\.?|(?P<b2>[a-z]{3,9})\.? (?P<a2>\d{1,2}),?)[ ,-]+(?P<c>\d{4})"
    + _CLOCK,
    re.I | re.A,
)
_TIME = re.compile(r"(\d{1,2}):([0-5]\d)(?::([0-5]\d))?", re.A)
#: What is not read, by what it looks like.
_UNREAD = {
    "IP addresses": r"\d{1,3}(\.\d{1,3}){3}",
    "dates whose year has two digits": r"\d{1,2}([-/.])\d{1,2}\1\d\d([T ].*)?",
    "versions": r"v?\d+(\.\d+){2,}",
    "dates that no one format fits": r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{4})([T ].*)?",
    "dates with the month as a word": r"\d{1,2}[ .-]+[^\W\d_]{3,}\.?[ .-]+\d{2,4}.*",
    "times": r"\d{1,3}:\d\d(:\d\d)?([.,]\d+)?( ?[ap]m)?",
    "amounts of money": rf"[+-]?{_MONEY} ?[+-]?{_AMOUNT}|[+-]?{_AMOUNT}{_MONEY}",
    "percentages": rf"[+-]?{_AMOUNT}%",
}
_UNREAD = {what: re.compile(pattern, re.I | re.A) for what, pattern in _UNREAD.items()}


@dataclass
class Reading:
    """What some texts tell.

    Parameters
    ----------
    kind : str
        ``"numbers"`` or ``"dates"``; ``"unread"`` if the texts look like either and are not read; ``""``
        if they are just texts.
    values : ndarray or None
        float64, or datetime64[us].
    said : str
        How they were read or why not, a phrase whose subject is the column; may be empty.
    """

    kind: str
    values: np.ndarray | None = None
    said: str = ""


def read(texts):
    """Texts as dates, times or numbers, if one format fits all of them.

    Parameters
    ----------
    texts : list of str
        Stripped, at least one, each with a digit.

    Returns
    -------
    Reading
    """
    texts = [one.translate(_TYPED) for one in texts]
    return _dates(texts) or _times(texts) or _numbers(texts) or _unread(texts)


def are_numbers(texts):
    """Whether some format of numbers fits all of the texts, be it one of several."""
    texts = [one.translate(_TYPED) for one in texts]
    return bool(_readings(texts) or _readings(_without_marks(texts)))


def _numbers(texts):
    bare = texts
    found = _readings(bare)
    if not found:
        bare = _without_marks(texts)
        found = _readings(bare)
    if not found:
        return None
    mark, values = found[0]
    example = max(range(len(bare)), key=lambda k: bare[k].count(mark))
    shown = f"{texts[example]!r:.40}"
    if len(found) > 1:
        other = found[1][1]
        if mark == "." and all(mark in one for one in bare):
            return Reading(
                "numbers",
                values,
                f"holds three digits behind the point in each entry, as in {shown}; if the point marks "
                "thousands, its numbers are 1,000 times as large, in the same order",
            )
        said = f"holds numbers such as {shown}, which may be {other[example]:.10g} or {values[example]:.10g}"
        return Reading("unread", None, said)
    plain = all(map(_PLAIN.fullmatch, texts)) and np.array_equal(values, _floats(texts))
    said = "" if plain else f"holds numbers, such as {shown} for {values[example]:.10g}"
    return Reading("numbers", values, said)


def _readings(texts):
    """The mark that was taken for decimals or thousands, and the values, of each format that fits."""
    found = []
    if texts and all(map(_PLAIN.fullmatch, texts)):
        found.append((".", _floats(texts)))
    for decimal, thousands in _FORMATS:
        values = _in_format(texts, decimal, thousands)
        if values is not None and not any(np.array_equal(values, other) for _, other in found):
            found.append((thousands or decimal, values))
    if len(found) > 1:
        # A writer who keeps the zero of 1,200 would not write 950 but 950,000: then it marks thousands.
        mark = found[0][0]
        kept = any(mark in one and one.endswith("0") for one in texts)
        if kept and any(re.fullmatch(r"[+-]?[1-9]\d\d+", one) for one in texts):
            found = found[1:]
    return found


def _in_format(texts, decimal, thousands):
    whole = rf"(?:[1-9]\d{{0,2}}(?:[{thousands}]\d{{3}})+|\d+)" if thousands else r"\d+"
    pattern = re.compile(rf"[+-]?{whole}(?:[{decimal}]\d+)?", re.A)
    if not texts or not all(map(pattern.fullmatch, texts)):
        return None
    return _floats(one.replace(thousands, "").replace(decimal, ".") for one in texts)


def _floats(texts):
    return np.fromiter(map(float, texts), float)


def _without_marks(texts):
    """The texts without the currency, per cent or unit that all of them have; empty if they have none."""
    found = [_MARKED.fullmatch(one) for one in texts]
    if not texts or not all(found) or len({(one[2], (one[4] or "").strip()) for one in found}) > 1:
        return []
    return [one[1] + one[3] for one in found] if found[0][2] or found[0][4] else []


def _times(texts):
    """Times as numbers, in units of their first part: hours of 08:15, minutes if it means these."""
    found = [_TIME.fullmatch(one) for one in texts]
    if not all(found) or len({one[3] is None for one in found}) > 1:
        return None
    values = np.array([int(one[1]) + int(one[2]) / 60 + int(one[3] or 0) / 3600 for one in found])
    example = np.argmax(values % 1 > 0)
    return Reading("numbers", values, f"holds times, such as {texts[example]!r} for {values[example]:.4g}")


def _dates(texts):
    found = [_DATE.fullmatch(one) for one in texts]
    if all(found):
        if all(len(one["a"]) == 4 for one in found):
            orders = {"": "abc"}
        elif all(len(one["c"]) == 4 for one in found):
            orders = {"day first": "cba", "month first": "cab"}
        else:
            return None
        if len({one["mark"] for one in found}) > 1:
            return None
    else:
        found, orders = [_NAMED_DATE.fullmatch(one) for one in texts], {"": ""}
        if not all(found):
            return None
    clocks = {(one["half"] is None, one["zone"] is None) for one in found if one["hour"]}
    read = {how: _moments(found, order) for how, order in orders.items()} if len(clocks) <= 1 else {}
    read = {how: moments for how, moments in read.items() if moments is not None}
    if not read:
        return None
    if len(read) > 1 and not np.array_equal(*read.values()):
        example = next(one[0] for one in found if int(one["a"]) != int(one["b"]))
        said = f"holds dates such as {example!r:.40}, in which the day or the month may come first"
        return Reading("unread", None, said)
    how, moments = next(iter(read.items()))
    if how:  # the example that shows which is the day
        how = f", {how} (such as {max(found, key=lambda one: max(int(one['a']), int(one['b'])))[0]!r:.40})"
    return Reading("dates", moments, f"holds dates{how}")


def _moments(matches, order):
    """datetime64[us]; None if the order does not fit one of the dates."""
    try:
        return np.array([_moment(one, order) for one in matches], "datetime64[us]")
    except (ValueError, OverflowError, KeyError):
        return None


def _moment(match, order):
    if order:
        year, month, day = (int(match[part]) for part in order)
    else:
        month, day = match["b"] or match["b2"], match["a"] or match["a2"]
        year, month, day = int(match["c"]), _MONTHS[month.lower()], int(day)
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    if match["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("no hour of a half day")
        hour = hour % 12 + 12 * (match["half"] in "Pp")
    moment = datetime(year, month, day, hour, minute, second, int((match["part"] or "0")[:6].ljust(6, "0")))
    zone = (match["zone"] or "").strip()
    if zone[:1] in ("+", "-"):
        ahead = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
        moment += -ahead if zone[0] == "+" else ahead
    return moment


def _unread(texts):
    """What texts look like that no format fits."""
    for what, pattern in _UNREAD.items():
        fits = [bool(pattern.fullmatch(one)) for one in texts]
        if np.mean(fits) >= _MOSTLY:
            odd = next((one for one, fit in zip(texts, fits, strict=True) if not fit), None)
            also = f" and {odd!r:.40}" if odd else ""
            return Reading(
                "unread",
                None,
                f"holds what looks like {what} ({texts[fits.index(True)]!r:.40}{also}), which are not read",
            )
    fits = [bool(_LOOSE.fullmatch(one) or _PLAIN.fullmatch(one)) for one in texts]
    if np.mean(fits) < _MOSTLY:
        return Reading("")
    if all(fits):
        longest = max(texts, key=lambda one: len(re.sub(r"\d", "", one)))
        return Reading("unread", None, f"holds numbers that no one format fits (such as {longest!r:.40})")
    odd = texts[fits.index(False)]
    return Reading("unread", None, f"holds numbers, but also entries such as {odd!r:.40}")
