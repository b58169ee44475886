"""Numbers and names as a reader sees them: no more digits than an interval supports, and words for names."""

import math
import re

#: Digits of a number that has no interval.
_SIGNIFICANT = 4
#: Numbers beyond these are written with a power of ten.
_SMALL, _LARGE = 1e-4, 1e15
_MOST_DECIMALS = 15
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
#: A name out of the code.
_NAME = re.compile(r"\b[A-Za-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
_SPACED = re.compile(r"(?<=\d)\s%")
_MINUS = re.compile(r"(?<![\w.)–−-])-(?=\.?\d)")


def number_text(value, bounds=()):
    """A measured value (number, bool, str, None or a list of such) without an interval.

    It has at least the decimals of the ``bounds`` that it is compared with, and differs from them if it does.
    """
    if value is None:
        return "not measured"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(number_text(entry, bounds) for entry in value)
    if isinstance(value, dict):
        return "; ".join(f"{name}: {number_text(entry, bounds)}" for name, entry in value.items())
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return _signed(f"{value:,}")
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    scale = _scale(value)
    value, bounds = value / 10.0**scale, [bound / 10.0**scale for bound in bounds]
    decimals = _SIGNIFICANT - 1 - math.floor(math.log10(abs(value)))
    decimals = _apart(max([decimals, 0, *map(_decimals, bounds)]), [value], bounds)
    text = f"{value:,.{min(decimals, _decimals(value))}f}"
    return _signed(text) + _power(scale)


def interval_texts(value, low, high, bounds=()):
    """Texts of a value and of the ends of its interval, with two digits of half its width.

    An end that differs from one of the ``bounds`` does so as it is written, too.
    """
    numbers = [float(value), float(low), float(high)]
    if not all(map(math.isfinite, numbers)):
        return tuple(map(str, numbers))
    if low == high:
        return (number_text(value, bounds),) * 3 if value == low else tuple(map(number_text, numbers))
    scale = _scale(max(numbers, key=abs))
    value, low, high = (number / 10.0**scale for number in numbers)
    bounds = [bound / 10.0**scale for bound in bounds]
    half = (high - low) / 2
    known = max(map(_decimals, (value, low, high)))
    decimals = min(max(1 - math.floor(math.log10(half)), 0), known)
    decimals = _apart(decimals, [low, high], bounds)
    return tuple(_signed(f"{number:,.{decimals}f}") + _power(scale) for number in (value, low, high))


def _scale(value):
    """The power of ten that is taken out of a number: 0 unless it is very small or very large."""
    if value == 0 or _SMALL <= abs(value) < _LARGE:
        return 0
    return max(math.floor(math.log10(abs(value))), -300)


def _power(scale):
    return f"\u00a0×\u00a010{str(scale).translate(_RAISED)}" if scale else ""


def _decimals(value):
    """Decimals that a number has, as it is stored."""
    mantissa, _, exponent = repr(float(value)).partition("e")
    decimals = len(mantissa.partition(".")[2].rstrip("0")) - int(exponent or 0)
    return min(max(decimals, 0), _MOST_DECIMALS)


def _apart(decimals, ends, bounds):
    """At least so many decimals, and as many as show on which side of a bound an end is."""
    while decimals < _MOST_DECIMALS and any(
        end != bound and round(end, decimals) == round(bound, decimals) for end in ends for bound in bounds
    ):
        decimals += 1
    return decimals


def _signed(text):
    """A minus sign instead of a hyphen, and none before a zero."""
    text = text.removeprefix("-") if not text.strip("-0.,") else text
    return text.replace("-", "−")


def words(name):
    """A name out of the code as a reader says it: ``n_trees`` is the number of trees.

    Names within a sentence are put in words, too; everything else stays.
    """
    # The number of trees, but not of train.
    text = _NAME.sub(lambda match: re.sub(r"^n_(?=.*s$)", "number of ", match[0]).replace("_", " "), name)
    return percent(text.replace("bias2", "bias²"))


def percent(text):
    """A text with its percent signs right behind the numbers, as in 95%, and minus signs before them."""
    return _MINUS.sub("−", _SPACED.sub("%", text))


def natural(text):
    """A key that sorts numbers in a text as numbers: N = 2 before N = 10."""
    parts = re.split(r"(\d{1,99})", text.replace(",", ""))  # Python reads no number of thousands of digits
    return [(not part.isdecimal(), int(part) if part.isdecimal() else part) for part in parts]
