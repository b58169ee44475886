"""Formats of dates, times of day and durations."""

import functools
import re
from datetime import datetime, timedelta

import numpy as np

from studylib.tryout.formats import Format, unit_of

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
_TIME = (
    r"(?P<hour>\d{1,2})[:h](?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,](?P<part>\d{1,9}))?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?| Uhr)?"
)
_ZONE = r"(?P<zone> ?(?:Z|(?:UTC|GMT)?[+-]\d\d?(?::?\d\d)?|UTC|GMT)(?:\[[\w/]+\])?)?"
_CLOCK = rf"(?:(?:[T:]|,? +(?:(?:at|um) )?){_TIME}{_ZONE})?"
_LETTER = r"[^\W\d_]"
_DAY, _MONTH = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})"
_YEARS = {4: r"(?P<year>\d{4})", 2: r"'?(?P<year>\d\d)"}  # by their digits
_FIRST_YEARS = (1969, 1930)  # of the hundred years that two digits may mean, if the user does not say


def _beginnings():
    """The month of each beginning of its name that no other month shares."""
    months = {}
    for month, names in enumerate(_MONTH_NAMES, 1):
        for name in names.split():
            for n in range(3, len(name) + 1):
                months.setdefault(name[:n], set()).add(month)
    return {word: min(numbers) for word, numbers in months.items() if len(numbers) == 1}


_MONTHS = _beginnings()


def _dates(century):
    """A converter of matches to datetime64[us]; months and quarters become their first days."""

    def convert(matches):
        found = [match.groupdict() for match in matches]
        _check_alike([one for one in found if one.get("hour")], "half", "zone")
        return np.array([_moment(one, century) for one in found], "datetime64[us]")

    return convert


def _check_alike(found, *parts):
    """Raise a ValueError if a part is in some entries only."""
    if len({tuple(one[part] is None for part in parts) for one in found}) > 1:
        raise ValueError("more than one way to write the time")


def _moment(found, century):
    year, month = found["year"], found.get("month")
    if month is None:
        month = 3 * int(found["quarter"]) - 2
    else:
        month = int(month) if month.isdecimal() else _MONTHS[month.lower()]
    year = int(year) if len(year) == 4 else century + (int(year) - century) % 100
    if not found.get("hour"):
        return datetime(year, month, int(found.get("day") or 1))
    part = int((found["part"] or "0")[:6].ljust(6, "0"))
    clock = _hour(found), int(found["minute"]), int(found["second"] or 0), part
    return datetime(year, month, int(found["day"]), *clock) - _ahead(found["zone"] or "Z")


def _hour(found):
    hour, half = int(found["hour"]), found["half"]
    if hour > 23 or (half and not 1 <= hour <= 12):
        raise ValueError("no hour of a day, or of half a day")
    return hour % 12 + 12 * (half in "Pp") if half else hour


def _ahead(zone):
    """How far a zone's time is ahead of UTC."""
    sign, hours, minutes = re.search(r"(?:([+-])(\d\d?):?(\d\d)?)?(?:\[|$)", zone).groups()
    ahead = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    return -ahead if sign == "-" else ahead


@functools.cache
def date_formats(first_year=None):
    """Formats of dates, in the order in which they are tried.

    Two digits of a year mean ``first_year`` or one of the 99 years after it.
    """
    return list(_date_formats([first_year] if first_year else _FIRST_YEARS))


def _date_formats(first_years):
    orders = {
        "day": [("day", _DAY), ("month", _MONTH), ("year", None)],
        "month": [("month", _MONTH), ("day", _DAY), ("year", None)],
        "year": [("year", None), ("month", _MONTH), ("day", _DAY)],
    }
    day, month = rf"{_DAY}(?:\.|st|nd|rd|th|er|º)?", rf"(?P<month>{_LETTER}{{3,10}})\.?"
    weekday = rf"(?:{_LETTER}{{2,10}}\.?,? )?"
    for digits, year in _YEARS.items():
        for century in [0] if digits == 4 else first_years:
            for first, parts in orders.items():
                for mark in "-/.":
                    pattern = (re.escape(mark) + " ?").join(part or year for _, part in parts)
                    end = r"\.?" if mark == "." else ""
                    name = mark.join(part for part, _ in parts)
                    yield _date_format(name, pattern + end, digits, century, first)
            for name, pattern in (
                ("day month-name year", rf"{weekday}{day}[ /-]*(?:de )?{month}[ .,/-]+(?:de )?{year}"),
                ("month-name day year", rf"{weekday}{month}[ -]{day},?[ -]+{year}"),
            ):
                yield _date_format(name, pattern, digits, century)
    yield from _month_formats(first_years)
    yield _date_format("year month-name day", rf"{_YEARS[4]}[ -]{month}[ -]{_DAY}")


def _month_formats(first_years):
    word = rf"(?P<month>{_LETTER}{{3,10}})\.?"
    quarter, year = "Q(?P<quarter>[1-4])", _YEARS[4]
    for name, pattern in (
        ("year-month", rf"{year}[-/M]{_MONTH}"),
        ("month-year", rf"{_MONTH}[-/]{year}"),
        ("month-name year", rf"{word}[ .,/-]+(?:de )?{year}"),
        ("year quarter", rf"{year}[ /-]?{quarter}"),
        ("quarter year", rf"{quarter}[ /-]?{year}"),
    ):
        yield _date_format(name, pattern, clock="")
    for century in first_years:  # as Excel writes them; Mar 21 may be a day
        yield _date_format("month-name year", rf"{word}-{_YEARS[2]}", 2, century, clock="")


def _date_format(name, pattern, digits=4, century=0, first="", clock=_CLOCK):
    name = f"{name}, two digits" if digits == 2 else name
    pattern = re.compile(pattern + clock, re.I)
    return Format("dates", name, pattern, _dates(century), first=first, century=century)


_LONG = re.compile(
    r"(?P<sign>-?)(?:(?P<days>\d+) days?,? )?(?P<hours>\d+):(?P<minutes>[0-5]\d)"
    r"(?::(?P<seconds>[0-5]\d(?:\.\d+)?))?",
    re.I | re.A,
)


def _times(matches):
    """Hours since midnight."""
    _check_alike(matches, "second", "half")
    seconds = (float(f"{match['second'] or 0}.{match['part'] or 0}") for match in matches)
    pairs = zip(matches, seconds, strict=True)
    return np.array([_hour(match) + int(match["minute"]) / 60 + second / 3600 for match, second in pairs])


def _durations(matches):
    """Hours; 75:30 counts in units of its first part."""
    _check_alike(matches, "seconds")
    return np.array([_duration(match) for match in matches])


def _duration(match):
    days, hours, minutes, seconds = (
        float(match[part] or 0) for part in ("days", "hours", "minutes", "seconds")
    )
    value = 24 * days + hours + minutes / 60 + seconds / 3600
    return -value if match["sign"] else value


TIMES_AND_DURATIONS = [
    Format("times", "times of day", re.compile(_TIME, re.I | re.A), _times),
    Format("durations", "durations in hours, such as 75:30", _LONG, _durations),
]


class AsDate:
    """Writes days since the first of a column's moments (datetime64) as a date.

    A threshold lies between two moments of the column.  It is written as the last whole day, or second,
    before it, since "at most" and "later than" that divide these moments in the same way.
    """

    def __init__(self, moments):
        known = moments.dropna().to_numpy().astype("datetime64[us]")
        self._first, self._unit = known.min(), unit_of(known)

    def __call__(self, days):
        moment = self._first + np.timedelta64(round(days * 86_400_000_000), "us")
        return str(moment.astype(f"datetime64[{self._unit}]")).replace("T", " ").removesuffix(":00")
