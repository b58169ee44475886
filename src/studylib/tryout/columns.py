"""What the columns of a table are, and what the classifiers are given of them.

The target takes no part in any of these decisions, so they need not be repeated within each fold.
"""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

#: Categories of a column that are kept, the most frequent ones; the others become one.
MAX_CATEGORIES = 200
OTHER = "(other)"
_IDENTIFIER = re.compile(
    r"(^|[_\W])(id|uuid|guid|index|idx|key|nr|no|rownum|row)$|^unnamed: \d+$|^\(row\)$", re.I
)
_MOSTLY = 0.8  # share of numbers from which on other entries are oddities
_FREE_TEXT = 40  # characters of the average entry
_FEW = 20  # rows from which on "all different" says something
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d{1,2}:\d{2}.*)?$")


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
        return _numbers(name, series, n_distinct)
    return _text(name, series.astype("object").map(_tidy, na_action="ignore"))


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


def _numbers(name, series, n_distinct):
    values = series.astype("float64")
    infinite = np.isinf(values)
    remark = ""
    if infinite.any():
        remark = f"Column {name!r} holds infinity {infinite.sum()} times; that counts as missing."
        values = values.mask(infinite)
    known = values.dropna()
    whole = len(known) and (known == known.round()).all()
    if whole and len(known) >= _FEW and n_distinct == len(known):
        counted = (np.diff(np.sort(known)) == 1).all()
        if counted or _IDENTIFIER.search(name):
            return _left_out(name, "identifier", "holds another whole number in each row, an identifier")
    return Column("numbers", values, remark)


def _text(name, series):
    known = series.dropna()
    known = known[known != ""]
    series = series.where(series != "", None)
    numbers = pd.to_numeric(known, errors="coerce")
    share = numbers.notna().mean() if len(known) else 0.0
    if share < _MOSTLY:
        continental = pd.to_numeric(known.str.replace(".", "").str.replace(",", "."), errors="coerce")
        if continental.notna().mean() > 0.95:
            return _told(
                name,
                series,
                continental,
                f"Column {name!r} holds numbers with a decimal comma; they were read.",
            )
    if share >= _MOSTLY:
        odd = known[numbers.isna()]
        if odd.empty:
            return _told(name, series, numbers, "")
        few = ", ".join(f"{value!r:.30}" for value in odd.value_counts().index[:3])
        remark = (
            f"Column {name!r} holds numbers, but also text ({len(odd):,} entries, such as {few}), which "
            "counts as missing."
        )
        return _told(name, series, numbers, remark)
    if known.str.match(_DATE).mean() > 0.95:
        dates = pd.to_datetime(series, errors="coerce", format="mixed", utc=True)
        if dates.notna().sum() > 0.95 * len(known):
            return _dates(name, dates)
    n_distinct = known.nunique()
    if len(known) >= _FEW and n_distinct > 0.5 * len(known) and known.str.len().mean() > _FREE_TEXT:
        return _left_out(name, "free text", "holds free text, which these classifiers do not read")
    if len(known) >= _FEW and n_distinct > 0.9 * len(known):
        why = f"holds {n_distinct:,} different names in {len(known):,} rows, an identifier"
        return _left_out(name, "identifier", why)
    remark = ""
    if n_distinct > MAX_CATEGORIES:
        kept = known.value_counts().index[: MAX_CATEGORIES - 1]
        series = series.where(series.isna() | series.isin(kept), OTHER)
        remark = (
            f"Column {name!r} holds {n_distinct:,} categories; the {len(kept)} most frequent are kept, the "
            f"others count as {OTHER!r}."
        )
    return Column("categories", series.astype("category"), remark)


def _told(name, series, numbers, remark):
    """A column of text that tells numbers."""
    values = pd.Series(np.nan, series.index)
    values.loc[numbers.index] = numbers.astype("float64")
    found = _numbers(name, values, values.nunique())
    found.remark = found.remark or remark
    return found


def _dates(name, series):
    first = series.min()
    days = (series - first).dt.total_seconds() / 86400
    since = f"{first.year:04}-{first.month:02}-{first.day:02}"  # strftime knows years up to 9999 only
    return Column("dates", days, f"Column {name!r} holds dates; they count as days since {since}.")
