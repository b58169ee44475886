"""What the columns of a table are, and what the classifiers are given of them.

The target takes no part in any of these decisions, so they need not be repeated within each fold.
"""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from studylib.tryout import formats
from studylib.tryout.reading import several

#: Categories of a column that are kept, the most frequent ones; the others become one.
MAX_CATEGORIES = 200
OTHER = "(other)"
_IDENTIFIER = re.compile(
    r"(^|[_\W])(id|uuid|guid|index|idx|key|nr|no|rownum|row)$|^unnamed: \d+$|^\(row\)$", re.I
)
_FREE_TEXT = 40  # characters of the average entry
_FEW = 20  # rows from which on "all different" says something
_MANY = 0.9  # share of different entries above which each names its row
_DIGIT, _INFINITE = re.compile("[0-9]"), re.compile("[+-]?inf(inity)?", re.I)


@dataclass
class Column:
    """One column as the classifiers see it.

    Parameters
    ----------
    kind : str
        ``"numbers"``, ``"categories"`` or ``"dates"``; else, why it is left out.
    values : Series or None
        float64 or category; None if it is left out.
    remark : str
        One sentence, or empty.
    """

    kind: str
    values: pd.Series | None = None
    remark: str = ""


def as_column(name, series):
    """What a column holds, and what is made of it.

    Parameters
    ----------
    name : str
    series : Series

    Returns
    -------
    Column
    """
    known = series.dropna()
    n_distinct = known.nunique() if _hashable(known) else -1
    if n_distinct == -1:
        return _left_out(name, "lists", f"holds entries of type {type(known.iloc[0]).__name__}")
    if n_distinct == 0:
        return _left_out(name, "empty", "holds no value at all")
    if n_distinct == 1 and len(known) == len(series):
        return _left_out(name, "constant", f"holds nothing but {known.iloc[0]!s:.40}")
    if pd.api.types.is_datetime64_any_dtype(series):
        return _dates(name, series)
    if pd.api.types.is_timedelta64_dtype(series):
        return Column(
            "numbers", series.dt.total_seconds() / 86400, f"Column {name!r} holds durations, in days."
        )
    if pd.api.types.is_bool_dtype(series):
        return Column("numbers", series.astype(float))
    if pd.api.types.is_numeric_dtype(series) and not pd.api.types.is_complex_dtype(series):
        return _numbers(name, series)
    codes_of_classes = isinstance(series.dtype, pd.CategoricalDtype)
    return _text(name, series.astype("object").map(_tidy, na_action="ignore"), not codes_of_classes)


def _tidy(entry):
    return entry.strip() if isinstance(entry, str) else str(entry)


def _hashable(known):
    try:
        known.nunique()
    except TypeError:
        return False
    return True


def _left_out(name, kind, why):
    return Column(kind, None, f"Column {name!r} {why}; it is left out.")


def _numbers(name, series, remark=""):
    values = series.astype("float64")
    infinite = np.isinf(values)
    if infinite.any():
        remark = f"Column {name!r} holds infinity {several(infinite.sum(), 'time')}; that counts as missing."
        values = values.mask(infinite)
    known = values.dropna()
    whole = len(known) >= _FEW and (known == known.round()).all()
    if whole and (n_distinct := known.nunique()) > _MANY * len(known):
        counted = n_distinct == len(known) and (np.diff(np.sort(known)) == 1).all()
        if counted or _IDENTIFIER.search(name):
            different = f"{n_distinct:,} different whole numbers in {len(known):,} rows"
            return _left_out(name, "identifier", f"holds {different}, an identifier")
    return Column("numbers", values, remark)


def _text(name, series, may_be_numbers=True):
    series = series.where(series != "", None)
    codes, texts = pd.factorize(series)
    told = np.array([bool(_DIGIT.search(text) or _INFINITE.fullmatch(text)) for text in texts], bool)
    sizes = np.bincount(codes[codes >= 0], minlength=len(texts))
    unread = ""
    if may_be_numbers and 2 * sizes[told].sum() > sizes.sum():
        found = formats.read([text for text, tells in zip(texts, told, strict=True) if tells])
        if found.values is not None:
            return _told(name, series, codes, told, found)
        unread = found.said
    return _categories(name, series, unread)


def _told(name, series, codes, told, found):
    """A column of text that tells numbers or dates; entries without a digit tell nothing."""
    empty = np.datetime64("NaT", "us") if found.kind == "dates" else np.nan
    values = np.full(len(told) + 1, empty, found.values.dtype)  # the last one is for the code -1
    values[:-1][told] = found.values
    values = pd.Series(values[codes], series.index)
    said = [found.said] if found.said else []
    if not told.all():
        words = series[(codes >= 0) & ~np.append(told, True)[codes]]
        few = ", ".join(f"{word!r:.30}" for word in words.value_counts().index[:3])
        n = f"{several(len(words), 'entry', 'entries')} without a digit (such as {few})"
        said.append(f"holds {n}, which count{'s' if len(words) == 1 else ''} as missing")
    said = " and ".join(said)
    if found.kind == "dates":
        return _dates(name, values, said)
    return _numbers(name, values, f"Column {name!r} {said}." if said else "")


def _categories(name, series, unread):
    known = series.dropna()
    n_distinct = known.nunique()
    if n_distinct == 0:
        return _left_out(name, "empty", "holds no value at all")
    long = n_distinct > 0.5 * len(known) and known.str.len().mean() > _FREE_TEXT
    different = len(known) >= _FEW and (long or n_distinct > _MANY * len(known))
    if unread and (different or n_distinct > _FEW):
        return _left_out(name, "unread", unread)
    if different:
        different = f"{n_distinct:,} different texts in {several(len(known), 'row')}"
        return _left_out(name, "text", f"holds {different}, too many for categories")
    remark = f"Column {name!r} {unread}; its entries count as categories." if unread else ""
    if n_distinct > MAX_CATEGORIES:
        kept = known.value_counts().index[: MAX_CATEGORIES - 1]
        series = series.where(series.isna() | series.isin(kept), OTHER)
        remark = (
            f"Column {name!r} holds {n_distinct:,} categories; the {len(kept)} most frequent are kept, the "
            f"others count as {OTHER!r}."
        )
    return Column("categories", series.astype("category"), remark)


def _dates(name, series, said="holds dates"):
    first = series.min()
    days = (series - first).dt.total_seconds() / 86400
    since = f"{first.year:04}-{first.month:02}-{first.day:02}"  # strftime knows years up to 9999 only
    return Column("dates", days, f"Column {name!r} {said}; they count as days since {since}.")
