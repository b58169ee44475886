"""Formats of dates, times of day and durations."""

import functools
import re
from datetime import datetime, timedelta

import numpy as np

from studylib.tryout.formats import TIMES, Format

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
_DAY, _MONTH, _YEARS = (
    r"(?P<day>\d{1,2})",
    r"(?P<month>\d{1,2})",
    {4: r"(?P<year>\d{4})", 2: r"'?(?P<year>\d\d)"},
)
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
    """A converter of matches to datetime64[us]."""

    def convert(matches):
        clocks = {(match["half"] is None, match["zone"] is None) for match in matches if match["hour"]}
        if len(clocks) > 1:
            raise ValueError("more than one way to write the time")
        return np.array([_moment(match, century) for match in matches], "datetime64[us]")

    return convert


def _months(century):
    """A converter of months and quarters, to their first days."""

    def convert(matches):
        return np.array([datetime(*_year_month(match, century), 1) for match in matches], "datetime64[us]")

    return convert


def _year_month(match, century):
    found = match.groupdict()
    year, month = found["year"], found.get("month")
    if month is None:
        month = 3 * int(found["quarter"]) - 2
    else:
        month = int(month) if month.isdecimal() else _MONTHS[month.lower()]
    return int(year) if len(year) == 4 else century + (int(year) - century) % 100, month


def _moment(match, century):
    year, month = _year_month(match, century)
    minute, second = (int(match[part] or 0) for part in ("minute", "second"))
    part = int((match["part"] or "0")[:6].ljust(6, "0"))
    moment = datetime(year, month, int(match["day"]), _hour(match), minute, second, part)
    return moment - _ahead(match["zone"] or "Z")


def _hour(match):
    hour, half = int(match["hour"] or 0), match["half"]
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
    yield _date_format("year month-name day", rf"{_YEARS[4]}[ -]{month}[ -]{_DAY}", 4, 0)


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
        yield Format("dates", name, re.compile(pattern, re.I), _months(0))
    for century in first_years:  # as Excel writes them; Mar 21 may be a day
        pattern = re.compile(rf"{word}-{_YEARS[2]}", re.I)
        yield Format("dates", "month-name year, two digits", pattern, _months(century), century=century)


def _date_format(name, pattern, digits, century, first=""):
    name = f"{name}, two digits" if digits == 2 else name
    return Format(
        "dates", name, re.compile(pattern + _CLOCK, re.I), _dates(century), first=first, century=century
    )


def _excel(matches):
    """Days as Excel counts them; before March 1900 it counts a day that was none."""
    days = np.array([float(match[0].replace(",", ".")) for match in matches])
    if not ((days > 60) & (days < 2_958_466)).all():
        raise ValueError("no dates of Excel's")
    seconds = np.round(86_400 * days).astype("timedelta64[s]")  # a double has no more digits
    return (np.datetime64("1899-12-30T00:00:00", "s") + seconds).astype("datetime64[us]")


#: Numbers that count as dates only where the user says so.
EXCEL = Format("dates", "days as Excel counts them", re.compile(r"\d+(?:[.,]\d+)?", re.A), _excel)

_PARTS = ("days", "hours", "minutes", "seconds")
_LONG = re.compile(
    r"(?P<sign>-?)(?:(?P<days>\d+) days?,? )?(?P<hours>\d+):(?P<minutes>[0-5]\d)"
    r"(?::(?P<seconds>[0-5]\d(?:\.\d+)?))?",
    re.I | re.A,
)


def _times(matches):
    """Hours since midnight; all entries have seconds and halves of the day, or none."""
    if len({(match["second"] is None, match["half"] is None) for match in matches}) > 1:
        raise ValueError("more than one way to write the time")
    return np.array([_hours(match) for match in matches])


def _hours(match):
    second = float(f"{match['second'] or 0}.{match['part'] or 0}")
    return _hour(match) + int(match["minute"]) / 60 + second / 3600


def _durations(matches):
    """Hours; 75:30 counts in units of its first part."""
    if len({match["seconds"] is None for match in matches}) > 1:
        raise ValueError("more than one way to write a duration")
    return np.array([_duration(match) for match in matches])


def _duration(match):
    days, hours, minutes, seconds = (float(match[part] or 0) for part in _PARTS)
    value = 24 * days + hours + minutes / 60 + seconds / 3600
    return -value if match["sign"] else value


TIMES_AND_DURATIONS = [
    Format("times", TIMES, re.compile(_TIME, re.I | re.A), _times),
    Format("durations", "durations in hours, such as 75:30", _LONG, _durations),
]


class AsDate:
    """Writes days since the first of a column's moments (datetime64) as a date.

    A threshold lies between two moments of the column.  It is written as the last whole day, or second,
    before it, since "at most" and "later than" that divide these moments in the same way.
    """

    def __init__(self, moments):
        known = moments.dropna().to_numpy().astype("datetime64[us]")
        self._first = known.min()
        units = ("D", "s", "us")
        self._unit = next(unit for unit in units if (known == known.astype(f"datetime64[{unit}]")).all())

    def __call__(self, days):
        moment = self._first + np.timedelta64(round(days * 86_400_000_000), "us")
        return str(moment.astype(f"datetime64[{self._unit}]")).replace("T", " ").removesuffix(":00")
