"""What a format is: a pattern and a converter, for all entries of a column; and how values are shown."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Format:
    """A way to write numbers, dates or times.

    ``kind`` is ``"numbers"``, ``"dates"``, ``"times"`` or ``"durations"``; ``pattern`` is that of one entry.
    ``convert`` makes an array of the matches of all entries of a column, or raises a ValueError if they are
    no values after all.  ``decimal``, ``thousands`` and ``first`` are what it takes for what, for the options
    that choose among formats; ``century`` is the first of the hundred years that two digits mean.  ``before``
    and ``unit`` stand before and behind a number.
    """

    kind: str
    name: str
    pattern: re.Pattern
    convert: Callable
    decimal: str = ""
    thousands: str = ""
    first: str = ""
    century: int = 0
    before: str = ""
    unit: str = ""

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

    @property
    def how(self):
        """What finds it again (:func:`studylib.tryout.choice.format_of`), as JSON can keep it."""
        keys = ("kind", "name", "decimal", "thousands", "century", "before", "unit")
        return {key: getattr(self, key) for key in keys if getattr(self, key)}

    def agrees(self, options):
        """Whether the options allow it."""
        decimal, thousands = options.decimal, options.thousands
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


def unit_of(moments):
    """The coarsest unit that all of some datetime64[us] have: days, seconds or microseconds."""
    return next(unit for unit in ("D", "s", "us") if (moments == moments.astype(f"datetime64[{unit}]")).all())


def shown(kind, values):
    """Values as ``parsed.csv`` has them: numbers with a point, ISO 8601, ``HH:MM[:SS]``; none is missing."""
    if kind == "dates":
        values = np.asarray(values).astype("datetime64[us]")
        return list(np.datetime_as_string(values, unit_of(values)))
    if kind == "times":
        seconds = np.round(np.asarray(values, float) * 3600, 6)
        texts = [f"{int(s // 3600):02}:{int(s // 60 % 60):02}:{s % 60:09.6f}" for s in seconds]
        texts = [text.removesuffix(".000000") for text in texts]
        return [text[:-3] for text in texts] if all(text.endswith(":00") for text in texts) else texts
    if kind == "categories":
        return list(map(str, values))
    return [repr(float(value)).removesuffix(".0") for value in values]
