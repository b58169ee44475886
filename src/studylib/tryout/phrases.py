"""Words of sentences about a table: numbers, names that are like one, errors."""

import difflib

from studylib.core.text import shorten


def several(n, noun, nouns=None):
    """A number of things, ``"1 row"`` or ``"1,200 rows"``."""
    return f"{n:,} {noun if n == 1 else nouns or noun + 's'}"


def number(value):
    """A number in six digits, ``"33,112,000"`` and not ``"3.3112e+07"``; years have no comma."""
    if not 10_000 <= abs(value) < 1e15:
        return f"{value:.6g}"
    return f"{value:,.{1 if abs(value) < 100_000 else 0}f}".removesuffix(".0")


def near(name, known):
    """``"; did you mean 'a' or 'b'?"``, or an empty string if nothing is like ``name``."""
    folded = {str(one).casefold(): str(one) for one in known}
    found = [folded[one] for one in difflib.get_close_matches(str(name).casefold(), folded, n=3, cutoff=0.6)]
    return f"; did you mean {' or '.join(map(repr, found))}?" if found else ""


def near_or_all(name, known):
    """As :func:`near`, or some of all names where none is like ``name``."""
    return near(name, known) or f"; there are {shorten(', '.join(map(repr, known)), 300)}."


def first_line(error):
    """The first line of an error's message."""
    return str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
