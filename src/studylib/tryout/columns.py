"""What the columns of a table are, and what the classifiers are given of them.

The target takes no part in any of these decisions, so they need not be repeated within each fold.
"""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from studylib.tryout import choice, formats
from studylib.tryout.escapes import in_shell
from studylib.tryout.marks import marks_in
from studylib.tryout.numbers import number_format
from studylib.tryout.options import NO_OPTIONS
from studylib.tryout.phrases import several

#: Categories of a column that are kept, the most frequent ones; the others become one.
MAX_CATEGORIES = 200
OTHER = "(other)"
_NAMED = 4  # further columns that are named where the same is said of several
#: Names such as customer_id, Kunden-Nr, CustomerID and caseid, but not acid or paid.
_IDENTIFIER = re.compile(
    r"(?i:(^|[_\W])(id|uuid|guid|index|idx|key|nr|no|rownum|row)$|^unnamed: \d+$|^\(row\)$)"
    r"|[a-z](Id|ID|Nr|No|Key)$"
    r"|(?i:(account|case|client|customer|device|employee|item|member|order|patient|person|product|record|row"
    r"|sample|session|student|subject|transaction|user)id$)"
)
_FREE_TEXT = 40  # characters of the average entry
_FEW = 20  # rows from which on "all different" says something
_MANY = 0.9  # share of different entries above which each names its row
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.A)
_DIGIT, _INFINITE = re.compile("[0-9]"), re.compile("[+-]?inf(inity)?", re.I)
#: Words that say yes, and no.
_YES_NO = (
    "yes no", "y n", "true false", "t f", "on off", "ja nein", "j n", "ja nee", "ja nej", "wahr falsch",
    "an aus", "oui non", "vrai faux", "sí no", "si no", "sì no", "verdadero falso", "vero falso",
    "sim não", "sim nao", "verdadeiro falso", "waar onwaar", "tak nie", "ano ne", "igen nem", "да нет",
)  # fmt: skip
_YES_NO = {frozenset(pair.split()): pair.split()[0] for pair in _YES_NO}
#: How numbers are read that were none of text, and dates.
_PLAIN, _ISO = number_format().how, {"kind": "dates", "name": "year-month-day"}


@dataclass
class Column:
    """One column as the classifiers see it.

    ``kind`` is ``"numbers"``, ``"categories"`` or ``"dates"``; else, why it is left out.  ``values`` are a
    Series of float64 or category, None if it is left out; those of dates count from the first of ``moments``.
    ``remark`` is one sentence, or empty; by ``how`` further entries are read.
    """

    kind: str
    values: pd.Series | None = None
    remark: str = ""
    moments: pd.Series | None = None
    how: dict | None = None

    def as_text(self):
        """The values as ``parsed.csv`` has them, texts; empty where missing."""
        values = self.values if self.moments is None else self.moments
        codes, different = pd.factorize(values)
        texts = np.array([*formats.shown(self.how["kind"], np.asarray(different)), ""], object)
        return pd.Series(texts[codes], values.index)


def as_columns(frame, target, options=NO_OPTIONS):
    """What all columns but the target hold, by name.

    A column that seems to count the rows is left out, unless no other is left.
    """
    made = {name: as_column(name, frame[name], options) for name in frame if name != target}
    if all(column.values is None for column in made.values()):
        for name, column in made.items():
            if column.kind == "identifier" and name not in options.id:
                values = pd.to_numeric(frame[name], errors="coerce")
                remark = f"Column {name!r} seems to count the rows; it is kept, because no other is left."
                made[name] = Column("numbers", values.astype("float64"), remark, how=_PLAIN)
    return made


def as_column(name, series, options=NO_OPTIONS):
    """What a column, a Series, holds, and what is made of it: a Column.

    ValueError if it can be read in two ways and no option says in which.
    """
    for chosen, kind, why in (
        ((options.time,), "time", "says which rows are later (--time)"),
        (options.drop, "dropped", "is not wanted (--drop)"),
        (options.id, "identifier", "names the rows (--id)"),
        ((options.group,), "group", "says which rows stay together (--group)"),
    ):
        if name in chosen:
            return _left_out(name, kind, why)
    series = without_missing(series, options.missing)
    known = series.dropna()
    try:
        n_distinct = known.nunique()
    except TypeError:  # they cannot be hashed
        return _left_out(name, "lists", f"holds entries of type {type(known.iloc[0]).__name__}")
    if n_distinct == 0:
        return _left_out(name, "empty", "holds no value at all")
    if n_distinct == 1 and len(known) == len(series):
        return _left_out(name, "constant", f"holds nothing but {known.iloc[0]!s:.40}")
    if pd.api.types.is_datetime64_any_dtype(series):
        return _dates(name, series.dt.tz_convert(None) if series.dt.tz else series)
    if pd.api.types.is_timedelta64_dtype(series):
        remark, how = f"Column {name!r} holds durations, in days.", {"kind": "days"}
        return Column("numbers", series.dt.total_seconds() / 86400, remark, how=how)
    if pd.api.types.is_bool_dtype(series):
        return Column("numbers", series.astype(float), how=_yes_no("true", "false"))
    if pd.api.types.is_any_real_numeric_dtype(series):
        return _numbers(name, series)
    codes_of_classes = isinstance(series.dtype, pd.CategoricalDtype)
    return _text(name, as_entries(series, options.missing), not codes_of_classes, options)


def together(remarks):
    """Remarks by column as a list, in which what is said of several columns alike is said once."""
    alike = {}
    for name, remark in remarks.items():
        alike.setdefault(remark.replace(repr(name), "", 1), []).append(name)
    said = []
    for first, *others in alike.values():
        named = ", ".join(map(repr, others[:_NAMED]))
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        said.append(remarks[first] + (f" Likewise {named}{more}." if others else ""))
    return said


def looks_like_identifier(name):
    """True if a column's name is that of a number or code which names something."""
    return bool(_IDENTIFIER.search(name))


def as_entries(series, missing):
    """The entries of a column as stripped texts, None where one is missing or empty."""
    text = series.astype("object").map(_tidy, na_action="ignore")
    return text.where(~text.isin(["", *missing]), None)


def tells_and_marks(texts):
    """Which texts tell a number or a date, and which are marks of what is missing: two arrays of bool."""
    tells = np.array([bool(_DIGIT.search(text) or _INFINITE.fullmatch(text)) for text in texts], bool)
    marks = marks_in(texts)
    return tells & ~marks, marks


def without_marks(texts, known=()):
    """A column of texts in which marks of what is missing are None; those that are ``known`` are none."""
    codes, different = pd.factorize(texts)
    return texts.where(~np.append(marks_in(different, known), False)[codes], None)


def _tidy(entry):
    return entry.strip() if isinstance(entry, str) else str(entry)


def without_missing(series, missing):
    """A column of which the numbers among some texts, such as -999, are taken out."""
    dtype = series.dtype
    if pd.api.types.is_bool_dtype(dtype) or not pd.api.types.is_any_real_numeric_dtype(dtype):
        return series
    return series.mask(series.isin([float(text) for text in missing if _NUMBER.fullmatch(text)]))


def _left_out(name, kind, why, more="", how=None):
    return Column(kind, None, f"Column {name!r} {why}; it is left out.{more}", how=how)


def _group_hint(name, n_distinct, n_rows):
    """What to do if an identifier comes in several rows, or nothing."""
    if n_distinct == n_rows or not looks_like_identifier(name):
        return ""
    return f" {in_shell(f'--group={name}')} keeps rows with the same one together, in training or in test."


def _numbers(name, series, remark="", how=_PLAIN):
    values = series.astype("float64")
    infinite = np.isinf(values)
    if infinite.any():
        remark = f"Column {name!r} holds infinity {several(infinite.sum(), 'time')}; that counts as missing."
        values = values.mask(infinite)
    known = values.dropna()
    whole = len(known) >= _FEW and (known == known.round()).all()
    if whole and (n_distinct := known.nunique()) > _MANY * len(known):
        counted = n_distinct == len(known) and (np.diff(np.sort(known)) == 1).all()
        if counted or looks_like_identifier(name):
            different = f"{n_distinct:,} different whole numbers in {len(known):,} rows"
            more = _group_hint(name, n_distinct, len(known))
            return _left_out(name, "identifier", f"holds {different}, an identifier", more)
    return Column("numbers", values, remark, how=how)


def _text(name, series, may_be_numbers, options):
    codes, texts = pd.factorize(series)
    tells, marks = tells_and_marks(texts)
    sizes = np.bincount(codes[codes >= 0], minlength=len(texts))
    if may_be_numbers and 2 * sizes[tells].sum() > sizes[~marks].sum():
        telling = [text for text, tell in zip(texts, tells, strict=True) if tell]
        reading = choice.read(telling, options)
        if reading.question:
            raise ValueError(f"try: column {name!r} {reading.question}={in_shell(name)}.")
        if reading.values is not None:
            return _read(name, series, codes, tells, reading)
    else:
        reading = choice.Reading("")
    return _categories(name, without_marks(series), reading)


def _read(name, series, codes, tells, reading):
    """A column of text that tells numbers or dates; entries without a digit tell nothing."""
    empty = np.datetime64("NaT", "us") if reading.kind == "dates" else np.nan
    values = np.full(len(tells) + 1, empty, reading.values.dtype)  # the last one is for the code -1
    values[:-1][tells] = reading.values
    values = pd.Series(values[codes], series.index)
    phrases = [reading.remark] if reading.remark else []
    if not tells.all():
        words = series[(codes >= 0) & ~np.append(tells, True)[codes]]
        few = ", ".join(f"{word!r:.30}" for word in words.value_counts().index[:3])
        n = f"{several(len(words), 'entry', 'entries')} without a digit (such as {few})"
        phrases.append(f"holds {n}, which count{'s' if len(words) == 1 else ''} as missing")
    remark = " and ".join(phrases)
    if reading.kind == "dates":
        return _dates(name, values, remark, reading.how)
    remark = f"Column {name!r} {remark}." if remark else ""
    return _numbers(name, values, remark, reading.how)


def _categories(name, series, reading):
    known = series.dropna()
    unread = reading.remark if reading.kind == "unread" else ""
    n_distinct = known.nunique()
    if n_distinct == 0:
        return _left_out(name, "empty", "holds no value at all")
    long = n_distinct > 0.5 * len(known) and known.str.len().mean() > _FREE_TEXT
    different = len(known) >= _FEW and (long or n_distinct > _MANY * len(known))
    if unread and (different or n_distinct > _FEW):
        return _left_out(name, "unread", unread)
    if different:
        different = f"{n_distinct:,} different texts in {several(len(known), 'row')}"
        more = _group_hint(name, n_distinct, len(known))
        return _left_out(name, "text", f"holds {different}, too many for categories", more, reading.how)
    answers = frozenset(known.str.casefold()) if n_distinct <= 4 else frozenset()
    if answers in _YES_NO:
        answer = _YES_NO[answers]
        values = known.str.casefold().eq(answer).astype(float).reindex(series.index)
        remark, how = f"Column {name!r} counts {answer!r} as 1.", _yes_no(answer, *(answers - {answer}))
        return Column("numbers", values, remark, how=how)
    remark = f"Column {name!r} {unread}; its entries count as categories." if unread else ""
    if n_distinct > MAX_CATEGORIES:
        kept = known.value_counts().index[: MAX_CATEGORIES - 1]
        series = series.where(series.isna() | series.isin(kept), OTHER)
        remark = (
            f"Column {name!r} holds {n_distinct:,} categories; the {len(kept)} most frequent are kept, the "
            f"others count as {OTHER!r}."
        )
    return Column("categories", series.astype("category"), remark, how=reading.how or {"kind": "categories"})


def _yes_no(yes, no):
    return {"kind": "yes or no", "name": "yes or no", "yes": yes, "no": no}


def _dates(name, series, remark="holds dates", how=_ISO):
    first = series.min()
    days = (series - first).dt.total_seconds() / 86400
    since = f"{first.year:04}-{first.month:02}-{first.day:02}"  # strftime knows years up to 9999 only
    remark = f"Column {name!r} {remark}; they count as days since {since}."
    return Column("dates", days, remark, series, {**how, "since": first.isoformat()})
