"""Numbers, dates, times and codes written as text: one format for all entries of a column, or none.

A format is a pattern and a converter.  Nothing is decided entry by entry: a column is read if one format fits
all of its entries.  Where two fit that give other values, a question names the options that decide.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from studylib.tryout.options import NO_OPTIONS

#: Blanks, apostrophes and minus signs, as they are typed.
_TYPED = str.maketrans("\u00a0\u202f\u2009\u2007\u2019\u2018\u2212\u2013", "    ''--")
_MOSTLY = 0.8  # share of entries from which on a column looks like something
#: The name of the format of times of day.
TIMES = "times of day"

# Months in English, German, French, Spanish, Italian, Dutch, Portuguese and Scandinavian.
_MONTH_NAMES = """\
january januar janvier enero gennaio januari janeiro jänner
february februar février fevrier febrero febbraio februari fevereiro
march märz mars marzo maart março marts mrt
april avril abril aprile
may mai mayo maggio mei maio maj
june juni juin junio giugno junho
july juli juillet julio luglio julho
august août aout agosto augustus augusti
september septembre septiembre settembre setembro
october oktober octobre octubre ottobre outubro
november novembre noviembre novembro
december dezember décembre decembre diciembre dicembre dezembro""".splitlines()


def _beginnings():
    """The month of each beginning of its name that no other month shares."""
    months = {}
    for month, names in enumerate(_MONTH_NAMES, 1):
        for name in names.split():
            for n in range(3, len(name) + 1):
                months.setdefault(name[:n], set()).add(month)
    return {word: min(numbers) for word, numbers in months.items() if len(numbers) == 1}


_MONTHS = _beginnings()


@dataclass(frozen=True)
class Format:
    """A way to write numbers, dates or times.

    Parameters
    ----------
    kind : str
        ``"numbers"``, ``"dates"``, ``"times"``, ``"durations"`` or ``"text"``.
    name : str
    pattern : Pattern
        Of one entry.
    convert : callable
        Takes the matches of all entries of a column and returns their values, an array; raises a
        ValueError if they are none after all.
    decimal, thousands, first : str
        What it takes for what, for the options that choose among formats.
    """

    kind: str
    name: str
    pattern: re.Pattern
    convert: Callable
    decimal: str = ""
    thousands: str = ""
    first: str = ""

    def read(self, texts):
        """The values of a column, None if the format does not fit all of its entries."""
        matches = []
        for text in texts:
            match = self.pattern.fullmatch(text)
            if match is None:
                return None
            matches.append(match)
        try:
            return self.convert(matches)
        except (ValueError, OverflowError, KeyError):
            return None

    def agrees(self, options):
        """Whether the options allow it."""
        decimal, thousands = options.decimal, options.thousands
        if self.kind == "text" and (decimal or thousands):
            return False
        if decimal and (self.decimal not in ("", decimal) or self.thousands == decimal):
            return False
        if thousands and (self.thousands not in ("", thousands) or self.decimal == thousands):
            return False
        return not options.first or self.first in ("", options.first)

    @property
    def option(self):
        """The option that chooses it, if one does."""
        if self.first:
            return f"--{self.first}first"
        if self.thousands:
            return f'--thousands="{self.thousands}"'
        return f'--decimal="{self.decimal}"' if self.decimal else ""


@dataclass
class Reading:
    """What some texts tell.

    Parameters
    ----------
    kind : str
        A kind of format; ``"unread"`` if the texts look like numbers or dates and are not read; ``""`` if
        they are just texts.
    values : ndarray or None
        float64 (times and durations in hours), or datetime64[us].
    remark : str
        How they were read or why not, a phrase whose subject is the column; may be empty.
    format : str
        The name of the format.
    question : str
        If two formats fit, what to decide between: such a phrase, and the options.
    """

    kind: str
    values: np.ndarray | None = None
    remark: str = ""
    format: str = ""
    question: str = ""


def read(texts, options=NO_OPTIONS):
    """Read the entries of a column, if one format fits all of them.

    Parameters
    ----------
    texts : list of str
        Stripped, at least one, each with a digit (or infinity).
    options : Options

    Returns
    -------
    Reading
    """
    typed = [text.translate(_TYPED) for text in texts]
    code = next((form for form in _CODES if form.read(typed) is not None), None)
    if code:
        return Reading("text", None, f"holds {code.name}", code.name)
    fitting = []
    for form in (*_FORMATS, *_numbers(typed)):
        values = form.read(typed)
        if values is not None and not any(_same(values, others) for _, others in fitting):
            fitting.append((form, values))
    fitting = [pair for pair in fitting if pair[0].agrees(options)] or fitting
    if not fitting:
        return _unread(typed)
    if len(fitting) > 1:
        return _question(texts, fitting)
    form, values = fitting[0]
    return Reading(form.kind, values, _remark(texts, typed, form, values), form.name)


def are_numbers(texts):
    """Whether some format of numbers fits all of the texts, be it one of several."""
    typed = [text.translate(_TYPED) for text in texts]
    return any(form.read(typed) is not None for form in _numbers(typed))


def _same(values, others):
    return values.dtype == others.dtype and np.array_equal(values, others)


def _question(texts, fitting):
    """What to decide between; the example is the first entry in which the formats differ."""
    (form, values), (other, others) = fitting[:2]
    differ = values != others if values.dtype == others.dtype else np.ones(len(texts), bool)
    k = int(np.argmax(differ))
    may_be = " or ".join(dict.fromkeys(shown(form.kind, values[[k]])[0] for form, values in fitting))
    options = list(dict.fromkeys(form.option for form, _ in fitting))
    kind = form.kind if form.kind == other.kind else "entries"
    question = f"holds {kind} such as {texts[k]!r:.40}, which may be {may_be}"
    say = f"say {' or '.join(filter(None, options))}, or " if len(options) > 1 else ""
    return Reading("asked", None, "", "", f"{question}; {say}leave it out with --drop")


def _remark(texts, typed, form, values):
    if form.kind == "dates":
        if not form.first or form.first == "year":
            return "holds dates"
        # The example that shows which is the day.
        k = max(range(len(typed)), key=lambda k: max(map(int, re.findall(r"\d+", typed[k])[:2])))
        return f"holds dates, {form.first} first (such as {texts[k]!r:.40})"
    if form.kind in ("times", "durations"):
        k = int(np.argmax(values % 1 > 0))
        return f"holds {form.kind}, such as {texts[k]!r:.40} for {values[k]:.4g}"
    if form.name == "plain":
        return ""
    k = max(range(len(typed)), key=lambda k: len(re.sub(r"\d", "", typed[k])))
    return f"holds numbers, such as {texts[k]!r:.40} for {values[k]:.10g}"


def shown(kind, values):
    """Values as ``parsed.csv`` has them: numbers with a point, ISO 8601, ``HH:MM[:SS]``; none is missing."""
    if kind == "dates":
        values = np.asarray(values).astype("datetime64[us]")
        unit = next(
            unit for unit in ("D", "s", "us") if (values.astype(f"datetime64[{unit}]") == values).all()
        )
        return list(np.datetime_as_string(values, unit))
    if kind == "times":
        seconds = np.round(np.asarray(values, float) * 3600, 6)
        texts = [f"{int(s // 3600):02}:{int(s // 60 % 60):02}:{s % 60:09.6f}" for s in seconds]
        texts = [text.removesuffix(".000000") for text in texts]
        return [text[:-3] for text in texts] if all(text.endswith(":00") for text in texts) else texts
    if kind == "text":
        return list(map(str, values))
    return [repr(float(value)).removesuffix(".0") for value in values]


# Numbers

_MONEY = (
    r"(?:[A-Z]{0,3}[$€£¥₹₽₩₺₴₫₪₱฿₦¢]|EUR|USD|GBP|CHF|JPY|CNY|RMB|INR|AUD|CAD|NZD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|TRY|RUB|UAH|"
    r"BRL|MXN|ZAR|KRW|SGD|HKD|ILS|AED|SAR|THB|IDR|MYR|PHP|VND|TWD|CLP|COP|ARS|kr|zł|Kč|Ft|lei|лв|руб|Rs|SFr|Fr)"
)
_BEFORE = re.compile(_MONEY, re.I)
#: Behind a number: a currency, per cent, degrees; a unit after a blank.
_AFTER = re.compile(rf" ?(?:{_MONEY}|[%‰°]|°[CF])| (?!(?:am|pm)$)[^\W\d_]+[²³]?(?:/[^\W\d_]+[²³]?)?", re.I)
_BODY = re.compile(r"[.,]?\d(?:.*\d)?", re.A)
_MARKS = ",.' "


def _numbers(texts):
    """The formats of numbers that the currency or unit and the marks of a column allow."""
    example = next((text for text in texts if _BODY.search(text)), None)
    if example is None or all(text.startswith("(") for text in texts):  # (1), (2) are no negative numbers
        return
    body = _BODY.search(example)
    before, after = example[: body.start()].strip("(+- ."), example[body.end() :].lstrip(")-.").rstrip(")- ")
    if (before and not _BEFORE.fullmatch(before)) or (after and not _AFTER.fullmatch(after)):
        return
    bodies = [match[0] for match in map(_BODY.search, texts) if match]
    marks = set("".join(bodies)) & set(_MARKS)
    for decimal in (*(mark for mark in ".," if mark in marks), ""):
        rest = marks - {decimal}
        if len(rest) <= 1:
            yield _number_format(decimal, "".join(rest), before, after.strip())


def _number_format(decimal, thousands, before, unit):
    whole = r"(?:0|[1-9]\d*)"
    if thousands:
        whole = rf"(?:[1-9]\d{{0,2}}(?:[{thousands}]\d{{3}})+|{whole})"
    if thousands == ",":  # 12,34,567 in India
        whole = rf"(?:[1-9]\d?(?:,\d\d)+,\d{{3}}|{whole})"
    fraction = "(?P<part>)"
    if decimal:
        whole = rf"(?:\d*(?=[{decimal}]\d)|{whole})"
        fraction = rf"(?:[{decimal}](?P<part>\d+))?"
    end = r"\.?" if decimal != "," and thousands != "." else ""  # 7.
    power = "" if thousands else r"(?:e[+-]?\d+)?"
    number = rf"(?P<number>{whole}{fraction}{end}{power}|inf(?:inity)?)"
    money = rf"(?:{re.escape(before)}\.?)" if before else ""
    pattern = rf"([+(-]?) ?{money} ?([+(-]?){number}([)-]?) ?{re.escape(unit)}([)-]?)"
    names = [f"decimal {decimal!r}"] if decimal == "," or (decimal and thousands) else []
    names += [f"thousands {thousands!r}"] if thousands else []
    names += [f"with {mark!r}" for mark in (before, unit) if mark]

    def convert(matches):
        _check_thousands(matches, decimal, thousands)
        return np.fromiter((_number(match, decimal, thousands) for match in matches), float, len(matches))

    name = ", ".join(names) or "plain"
    return Format("numbers", name, re.compile(pattern, re.I | re.A), convert, decimal, thousands)


def _check_thousands(matches, decimal, thousands):
    """Raise a ValueError if the decimal mark separates thousands.

    A writer who keeps the zero of 1,200 would not write 950 but 950,000.
    """
    if not decimal or thousands:
        return
    marked = [match["number"] for match in matches if match["part"]]
    grouped = re.compile(rf"[1-9]\d{{0,2}}[{decimal}]\d{{3}}", re.A)
    if not any(number.endswith("0") for number in marked) or not all(map(grouped.fullmatch, marked)):
        return
    if any(re.fullmatch(r"[1-9]\d\d+", match["number"], re.A) for match in matches):
        raise ValueError("these are thousands")


def _number(match, decimal, thousands):
    number = match["number"]
    if thousands:
        number = number.replace(thousands, "")
    if decimal == ",":
        number = number.replace(",", ".")
    groups = match.groups()
    signs = groups[0] + groups[1] + groups[-2] + groups[-1]
    if not signs:
        return float(number)
    if signs not in ("+", "-", "()"):
        raise ValueError(f"signs {signs}")
    return float(number) if signs == "+" else -float(number)


# Dates, times and durations

_CLOCK = (
    r"(?:(?:[T ]|, )+(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?(?P<zone> ?(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?)?"
)
_LETTER = r"[^\W\d_]"
_YEARS = {4: r"(?P<year>\d{4})", 2: r"(?P<year>\d\d)"}
_DAY, _MONTH = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})"
_NAMED_DAY = r"(?P<day>\d{1,2})(?:\.|st|nd|rd|th|er|º)?"
_CENTURIES = {4: (0,), 2: (1969, 1930)}  # first of the hundred years that two digits may mean


def _dates(century):
    """A converter of matches to datetime64[us]."""

    def convert(matches):
        clocks = {(match["half"] is None, match["zone"] is None) for match in matches if match["hour"]}
        if len(clocks) > 1:
            raise ValueError("more than one way to write the time")
        return np.array([_moment(match, century) for match in matches], "datetime64[us]")

    return convert


def _moment(match, century):
    year, month, day = match["year"], match["month"], int(match["day"])
    month = int(month) if month.isdecimal() else _MONTHS[month.lower()]
    year = int(year) if len(year) == 4 else century + (int(year) - century) % 100
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    if match["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("no hour of a half day")
        hour = hour % 12 + 12 * (match["half"] in "Pp")
    moment = datetime(year, month, day, hour, minute, second, int((match["part"] or "0")[:6].ljust(6, "0")))
    zone = (match["zone"] or "").strip()
    if zone[:1] in ("+", "-"):
        ahead = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:].strip(":") or 0))
        moment += -ahead if zone[0] == "+" else ahead
    return moment


def _date_formats():
    orders = {
        "day": [("day", _DAY), ("month", _MONTH), ("year", None)],
        "month": [("month", _MONTH), ("day", _DAY), ("year", None)],
        "year": [("year", None), ("month", _MONTH), ("day", _DAY)],
    }
    for digits, year in _YEARS.items():
        for century in _CENTURIES[digits]:
            for first, parts in orders.items():
                for mark in "-/.":
                    pattern = (re.escape(mark) + " ?").join(part or year for _, part in parts)
                    end = r"\.?" if mark == "." else ""
                    name = mark.join(part for part, _ in parts)
                    yield _date_format(name, pattern + end, digits, century, first)
            month = rf"(?P<month>{_LETTER}{{3,10}})\.?"
            weekday = rf"(?:{_LETTER}{{2,10}}\.?,? )?"
            named = rf"{weekday}{_NAMED_DAY}[ /-]*(?:de )?{month}[ .,/-]+(?:de )?{year}"
            yield _date_format("day month-name year", named, digits, century)
            named = rf"{weekday}{month}[ -]{_NAMED_DAY},?[ -]+{year}"
            yield _date_format("month-name day year", named, digits, century)


def _date_format(name, pattern, digits, century, first=""):
    name = f"{name}, two digits" if digits == 2 else name
    return Format("dates", name, re.compile(pattern + _CLOCK, re.I), _dates(century), first=first)


_TIME = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d(?:[.,]\d+)?))?(?: ?(?P<half>[ap])\.?m\.?)?",
    re.I | re.A,
)
_PARTS = ("days", "hours", "minutes", "seconds")
_LONG = re.compile(
    r"(?P<sign>-?)(?:(?P<days>\d+) days?,? )?(?P<hours>\d+):(?P<minutes>[0-5]\d)"
    r"(?::(?P<seconds>[0-5]\d(?:\.\d+)?))?",
    re.I | re.A,
)
_SPELT = re.compile(
    r"(?P<sign>)(?:(?P<days>\d+) ?(?:d|days?|tage?) ?)?(?:(?P<hours>\d+) ?(?:h|hours?|hrs?|std) ?)?"
    r"(?:(?P<minutes>\d+) ?(?:m|min|mins|minutes?) ?)?(?:(?P<seconds>\d+) ?(?:s|sec|secs|seconds?))?",
    re.I | re.A,
)
_ISO_LONG = re.compile(
    r"(?P<sign>-?)P(?:(?P<days>\d+)D)?(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?"
    r"(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?",
    re.A,
)


def _times(matches):
    """Hours since midnight; all entries have seconds and halves of the day, or none."""
    if len({(match["second"] is None, match["half"] is None) for match in matches}) > 1:
        raise ValueError("more than one way to write the time")
    return np.array([_time(match) for match in matches])


def _time(match):
    hour, half = int(match["hour"]), match["half"]
    if (half and not 1 <= hour <= 12) or hour > 23:
        raise ValueError("no hour of a day")
    if half:
        hour = hour % 12 + 12 * (half in "Pp")
    return hour + int(match["minute"]) / 60 + float((match["second"] or "0").replace(",", ".")) / 3600


def _durations(matches):
    """Hours; 75:30 counts in units of its first part."""
    if len({match["seconds"] is None for match in matches if match.re is _LONG}) > 1:
        raise ValueError("more than one way to write a duration")
    parts = [[match[part] is not None for part in _PARTS] for match in matches]
    if matches[0].re is _SPELT and max(map(sum, parts)) < 2:
        raise ValueError("5 m may be metres")
    return np.array([_duration(match) for match in matches])


def _duration(match):
    days, hours, minutes, seconds = (float(match[part] or 0) for part in _PARTS)
    value = 24 * days + hours + minutes / 60 + seconds / 3600
    return -value if match["sign"] else value


# Codes, which stay text


def _codes(matches):
    """Codes of digits, of which some begin with zero."""
    if not any(len(match[0]) > 1 and match[0][0] == "0" for match in matches):
        raise ValueError("numbers")
    return np.empty(0)


def _texts(matches):
    return np.array([match[0] for match in matches], object)


_BYTE = r"(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])"
_TELEPHONE = re.compile(r"(?=(?:\D*\d){9})(?=.+[ ()/-])[+0(]\d[\d ()/.-]+\d|\+\d{8,15}", re.A)
#: Formats that are decided first.
_CODES = [
    Format("text", "codes with leading zeros", re.compile(r"\d+", re.A), _codes),
    Format("text", "IP addresses", re.compile(rf"{_BYTE}(?:\.{_BYTE}){{3}}", re.A), _texts),
    Format("text", "telephone numbers", _TELEPHONE, _texts),
]
_FORMATS = [
    *_date_formats(),
    Format("times", TIMES, _TIME, _times),
    Format("durations", "durations in hours", _LONG, _durations),
    Format("durations", "durations in hours", _SPELT, _durations),
    Format("durations", "durations in hours", _ISO_LONG, _durations),
    Format("text", "telephone numbers", re.compile(r"[1-9]\d\d \d{3} \d{3}", re.A), _texts),
]

#: What is not read, by what it looks like.
_AMOUNT = r"\d[\d.,' ]*"
_UNREAD = {
    "dates that no one format fits": (
        r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3(\d{4}|\d\d))([T ].*)?"
    ),
    "versions": r"v?\d+(\.\d+){2,}",
    "dates with the month as a word": r"\d{1,2}[ .-]+[^\W\d_]{3,}\.?[ .-]+\d{2,4}.*",
    "times": r"\d{1,3}:\d\d(:\d\d)?([.,]\d+)?( ?[ap]m)?",
    "amounts of money": rf"[+-]?{_MONEY} ?[+-]?{_AMOUNT}|[+-]?{_AMOUNT}{_MONEY}",
    "percentages": rf"[+-]?{_AMOUNT}%",
}
_UNREAD = {what: re.compile(pattern, re.I | re.A) for what, pattern in _UNREAD.items()}
_LOOSE = re.compile(rf"[+-]?{_AMOUNT}(?:e[+-]?\d+)?", re.I | re.A)


def _unread(texts):
    """What texts look like that no format fits."""
    for what, pattern in _UNREAD.items():
        fits = [bool(pattern.fullmatch(text)) for text in texts]
        if np.mean(fits) >= _MOSTLY:
            odd = next((text for text, fit in zip(texts, fits, strict=True) if not fit), None)
            also = f" and {odd!r:.40}" if odd else ""
            example = texts[fits.index(True)]
            return Reading(
                "unread", None, f"holds what looks like {what} ({example!r:.40}{also}), which are not read"
            )
    fits = [bool(_LOOSE.fullmatch(text)) for text in texts]
    if np.mean(fits) < _MOSTLY:
        return Reading("")
    if all(fits):
        longest = max(texts, key=lambda text: len(re.sub(r"\d", "", text)))
        return Reading("unread", None, f"holds numbers that no one format fits (such as {longest!r:.40})")
    odd = texts[fits.index(False)]
    return Reading("unread", None, f"holds numbers, but also entries such as {odd!r:.40}")
