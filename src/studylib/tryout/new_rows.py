"""New rows, read as the columns of the table were on which a model was fitted."""

import datetime
from collections.abc import Mapping
from decimal import Decimal
from numbers import Real

import numpy as np
import pandas as pd

from studylib.core.text import warn
from studylib.tryout import choice
from studylib.tryout.columns import OTHER, as_entries, tells_and_marks, without_marks, without_missing
from studylib.tryout.phrases import near, several

#: What is a value already and no text, by the kind of the column.
_VALUES = {"dates": datetime.date, "days": datetime.timedelta}


def as_frame(rows):
    """Rows as a frame: a DataFrame as it is, one row that is a Series or a dict."""
    if isinstance(rows, pd.Series):
        rows = rows.to_frame().T.infer_objects()
    elif isinstance(rows, Mapping):
        rows = pd.DataFrame([rows])
    if not isinstance(rows, pd.DataFrame):
        raise ValueError(
            f"predict: rows must be a pandas DataFrame, or one row as a Series or dict, got "
            f"{type(rows).__name__}."
        )
    if len(rows) == 0:
        raise ValueError("predict: the table has no rows.")
    return rows


def raw_columns(frame, names):
    """The columns of a frame that have these names once blanks around them are gone, in this order."""
    known = [str(name).strip() for name in frame.columns]
    lacking = [name for name in names if name not in known]
    if lacking:
        more = f" (and {several(len(lacking) - 1, 'other')})" if len(lacking) > 1 else ""
        raise ValueError(
            f"predict: the table has no column {lacking[0]!r}{more}, which the model needs"
            f"{near(lacking[0], known) or '.'}"
        )
    twice = next((name for name in names if known.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"predict: the table has several columns called {twice!r}.")
    places = [known.index(name) for name in names]
    return frame.iloc[:, places].set_axis(names, axis=1).reset_index(drop=True)


def read_rows(frame, columns, options):
    """The columns of a frame as the model takes them; ValueError for the first entry that cannot be read.

    ``columns`` has a dict for each: ``name``, ``how`` (``Column.how``), ``categories`` and ``example``.
    Warns of entries of a kind that the table had not.
    """
    raw = raw_columns(frame, [column["name"] for column in columns])
    made = {}
    for column in columns:
        name, how = column["name"], column["how"]
        series = without_missing(raw[name], options.missing)
        if how["kind"] == "categories":
            made[name] = _categories(name, series, column["categories"], options)
        elif how["kind"] == "yes or no":
            made[name] = _yes_or_no(name, series, how, options)
        else:
            made[name] = _values(name, series, how, column["example"], options)
    return pd.DataFrame(made)


def _categories(name, series, known, options):
    texts = without_marks(as_entries(series, options.missing), known)
    new = texts.notna() & ~texts.isin(known)
    if new.any():
        kept = OTHER in known
        as_what = repr(OTHER) if kept else "none of those that it knows"
        _tell(name, texts[new], "a category that the model has not seen", f"the model takes it as {as_what}")
        if kept:
            texts = texts.where(~new, OTHER)
    unseen = sorted(set(texts.dropna()) - set(known))
    return pd.Series(pd.Categorical(texts, categories=[*known, *unseen]))


def _yes_or_no(name, series, how, options):
    texts = without_marks(as_entries(series, options.missing))
    folded = texts.map(str.casefold, na_action="ignore")
    new = texts.notna() & ~folded.isin([how["yes"], how["no"]])
    if new.any():
        _tell(name, texts[new], f"what is neither {how['yes']!r} nor {how['no']!r}", "that counts as missing")
    return folded.map({how["yes"]: 1.0, how["no"]: 0.0}).astype("float64")


def _values(name, series, how, example, options):
    """Numbers, also those that dates become."""
    entries, kinds = series.astype("object"), _VALUES.get(how["kind"], (Real, Decimal))
    given = (entries.map(lambda entry: isinstance(entry, kinds)) & entries.notna()).to_numpy(bool)
    texts = as_entries(entries.where(~given, None), options.missing)
    values = _from_text(name, texts, how, example, options)
    if given.any():
        values[given] = _given(entries[given], how["kind"])
    if how["kind"] == "dates":
        return (pd.Series(values) - pd.Timestamp(how["since"])).dt.total_seconds() / 86400
    return pd.Series(values).replace([np.inf, -np.inf], np.nan)


def _from_text(name, texts, how, example, options):
    """What texts tell, float64 or datetime64[us]; those without a digit tell nothing."""
    codes, different = pd.factorize(texts)
    tells, marks = tells_and_marks(different)
    telling = list(different[tells])
    read = [None] * len(telling)
    if telling and how["kind"] != "days":  # those are durations, which no text is
        form = choice.format_of({key: value for key, value in how.items() if key != "since"})
        read = choice.read_as(telling, form, options)
    wrong = [text for text, value in zip(telling, read, strict=True) if value is None]
    if wrong:
        row = int(np.argmax(texts.isin(wrong)))
        such = f", where the table had entries such as {example!r:.40}" if example else ""
        raise ValueError(f"predict: row {row + 1}, column {name!r}: {texts[row]!r:.40} cannot be read{such}.")
    words = np.append(~tells & ~marks, False)
    if words.any():
        _tell(name, texts[words[codes]], "an entry without a digit", "that counts as missing")
    values = np.full(len(words), np.datetime64("NaT", "us") if how["kind"] == "dates" else np.nan)
    if telling:
        values[:-1][tells] = read
    return values[codes]  # the last one is for the code -1


def _given(entries, kind):
    if kind == "dates":
        return pd.to_datetime(list(entries), utc=True).tz_localize(None).to_numpy("datetime64[us]")
    if kind == "days":
        return pd.to_timedelta(list(entries)).total_seconds() / 86400
    return entries.astype(float)


def _tell(name, entries, what, then):
    """Warn of entries, texts of which none is missing."""
    rows = several(len(entries), "row")
    warn(f"Column {name!r} has, in {rows}, {what}, such as {entries.iloc[0]!r:.40}; {then}.")
