"""The choice between formats: one for all entries of a column, or none.

Nothing is decided entry by entry: a column is read if one format fits all of its entries.  Where two fit that
give other values, a question names the options that decide.

Why not skrub's ``Cleaner``?  Version 0.11 reads 31 of the 120 columns of our tests' zoo right, leaves 88 as
text (thousands, money, percent, month names, times) and takes postcodes for numbers.  01/02/2023, if it may
be either, becomes January 2 without a word.
"""

import re
from dataclasses import dataclass, replace

import numpy as np

from studylib.tryout.dates import TIMES_AND_DURATIONS, date_formats
from studylib.tryout.formats import shown
from studylib.tryout.numbers import MONEY, number_format, number_formats
from studylib.tryout.options import BELOW, NO_OPTIONS, Options

#: Blanks, apostrophes and minus signs, as they are typed.
_TYPED = str.maketrans("\u00a0\u202f\u2009\u2007\u2019\u2018\u2212\u2013\u2014", "    ''---")
_DIGITS = re.compile(r"\d+", re.A)
_BELOW = re.compile(r"[<≤]=? ?(?=.*\d)")
_MOSTLY = 0.8  # share of entries from which on a column looks like something


@dataclass
class Reading:
    """What some texts tell.

    ``kind`` is that of a format; ``"unread"`` if the texts look like numbers or dates and are not read;
    ``""`` if they are just texts.  ``values`` are float64 (times and durations in hours), datetime64[us], or
    None.  ``remark`` says how they were read or why not, a phrase whose subject is the column, or nothing.
    ``how`` is the format's ``Format.how``; if two fit, ``question`` says which, and the options that decide.
    """

    kind: str
    values: np.ndarray | None = None
    remark: str = ""
    question: str = ""
    how: dict | None = None


def read(texts, options=NO_OPTIONS):
    """Read the entries of a column, if one format fits all of them; returns a Reading.

    The texts are stripped, at least one, each with a digit (or infinity).
    """
    typed = [text.translate(_TYPED) for text in texts]
    if all(map(_DIGITS.fullmatch, typed)) and any(re.match("0.", text) for text in typed):
        return Reading("", how={"kind": "categories", "name": "codes with leading zeros"})
    below = np.array([bool(_BELOW.match(text)) for text in typed])
    if below.any() and 2 * below.sum() < len(typed):
        return _read_below(texts, typed, below, options)
    fitting = []
    for form in _formats(typed, options):
        values = form.read(typed)
        if values is not None and not any(_same(values, others) for _, others in fitting):
            fitting.append((form, values))
    fitting = [pair for pair in fitting if pair[0].agrees(options)] or fitting
    if not fitting:
        return _unread(typed)
    if len(fitting) > 1:
        return _question(texts, fitting)
    form, values = fitting[0]
    return Reading(form.kind, values, _remark(texts, typed, form, values), how=form.how)


def _read_below(texts, typed, below, options):
    """Numbers, some of them below a limit such as <0.05: an option says what these count as."""
    reading = read([_BELOW.sub("", text) for text in typed], options)
    if reading.question:
        return reading
    if reading.kind != "numbers":
        return _unread(typed)
    such = f"holds numbers below a limit, such as {texts[int(np.argmax(below))]!r:.40}"
    if not options.below:
        say = "say --below=half, --below=limit or --below=missing"
        return Reading("asked", question=f"{such}; {say}, or leave it out with --drop")
    reading.values[below] *= BELOW[options.below]
    as_what = "missing" if options.below == "missing" else f"{'half ' * (options.below == 'half')}the limit"
    return replace(reading, remark=f"{such}, which count as {as_what}")


def format_of(how):
    """The format that ``Format.how`` describes."""
    if how["kind"] == "numbers":
        return number_format(*(how.get(key, "") for key in ("decimal", "thousands", "before", "unit")))
    forms = [*TIMES_AND_DURATIONS, *date_formats(how.get("century"))]
    return next(form for form in forms if form.how == how)


def read_as(texts, form, options=NO_OPTIONS):
    """Read new entries of a column whose format is known: a list of values, None for what cannot be read.

    A number may have a mark that none had before, as 1.374,12 after 318,50, if that leaves one value only.
    """
    typed = [text.translate(_TYPED) for text in texts]
    plain = [_BELOW.sub("", text) for text in typed] if form.kind == "numbers" and options.below else typed
    values = form.read(plain)
    values = [_read_one(text, form, options) for text in plain] if values is None else list(values)
    return [
        value if text == given or value is None else value * BELOW[options.below]
        for text, given, value in zip(plain, typed, values, strict=True)
    ]


def _read_one(text, form, options):
    values = form.read([text])
    if values is not None:
        return values[0]
    known = Options(decimal=form.decimal or options.decimal, thousands=form.thousands or options.thousands)
    found = set()
    for other in number_formats([text]) if form.kind == "numbers" else ():
        if (other.before, other.unit) == (form.before, form.unit) and other.agrees(known):
            values = other.read([text])
            found |= set(() if values is None else values.tolist())
    return found.pop() if len(found) == 1 else None


def _formats(typed, options):
    yield from date_formats(options.first_year)
    yield from TIMES_AND_DURATIONS
    yield from number_formats(typed)


def are_numbers(texts):
    """Whether some format of numbers fits all of the texts, be it one of several."""
    typed = [text.translate(_TYPED) for text in texts]
    return any(form.read(typed) is not None for form in number_formats(typed))


def _same(values, others):
    return values.dtype == others.dtype and np.array_equal(values, others)


def _question(texts, fitting):
    """What to decide between; the example is the first entry in which the formats differ."""
    (form, values), (other, others) = fitting[:2]
    differ = values != others if values.dtype == others.dtype else np.ones(len(texts), bool)
    k = int(np.argmax(differ))
    may_be = " or ".join(dict.fromkeys(shown(form.kind, values[[k]])[0] for form, values in fitting))
    options = list(dict.fromkeys(form.option for form, _ in fitting))
    if len(options) == 1 and form.century:
        options = [f"--first-year={form.century}" for form, _ in fitting]
    kind = form.kind if form.kind == other.kind else "entries"
    question = f"holds {kind} such as {texts[k]!r:.40}, which may be {may_be}"
    say = f"say {' or '.join(filter(None, options))}, or " if len(options) > 1 else ""
    return Reading("asked", question=f"{question}; {say}leave it out with --drop")


def _remark(texts, typed, form, values):
    if form.kind == "dates":
        if not form.first or form.first == "year":
            return f"holds {'dates' if 'day' in form.name else 'quarters' if 'q' in form.name else 'months'}"
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


#: What is not read, by what it looks like.
_AMOUNT = r"\d[\d.,' ]*"
_UNREAD = {
    "dates": (
        r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3(\d{4}|\d\d)"
        r"|\d{1,2}[ .-]+[^\W\d_]{3,}\.?[ .-]+\d{2,4})([T ,].*)?"
    ),
    "versions": r"v?\d+(\.\d+){2,}",
    "times": r"\d{1,3}:\d\d(:\d\d)?([.,]\d+)?( ?[ap]m)?",
    "numbers": rf"[+-]?(?:{MONEY} ?)?[+-]?{_AMOUNT}(?:e[+-]?\d+|[%‰]|{MONEY})?",
}
_UNREAD = {what: re.compile(pattern, re.I | re.A) for what, pattern in _UNREAD.items()}


def _unread(texts):
    """What texts look like that no format fits, with two entries that differ in how they are written."""
    for what, pattern in _UNREAD.items():
        fits = [bool(pattern.fullmatch(text)) for text in texts]
        if np.mean(fits) >= _MOSTLY:
            example = texts[fits.index(True)]
            odd = texts[fits.index(False)] if not all(fits) else _of_another_form(texts, example)
            such = f"{example!r:.40}" + (f" and {odd!r:.40}" if odd else "")
            return Reading(
                "unread", None, f"holds what looks like {what} ({such}), and no format fits them all"
            )
    return Reading("")


def _of_another_form(texts, example):
    forms = [re.sub(r"\d+", "0", text) for text in (example, *texts)]
    return next((text for text, form in zip(texts, forms[1:], strict=True) if form != forms[0]), "")
