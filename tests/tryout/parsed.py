"""The table that a page used, from the two files beside it: they are all that is needed."""

import json
from pathlib import Path

import pandas as pd


def read_parsed(folder):
    """Read ``parsed.csv`` with the kinds of ``columns.json``, from where ``studylib try`` wrote its page.

    Returns X, a DataFrame with numbers as float64, dates as days since the first of them and all else as
    categories, and y, a Series of str.
    """
    folder = Path(folder)
    columns = json.loads((folder / "columns.json").read_text(encoding="utf-8"))
    kinds = {column["name"]: (column["kind"], column["how"]) for column in columns if not column["dropped"]}
    table = pd.read_csv(folder / "parsed.csv", dtype=str, keep_default_na=False, na_values=[""])
    target = next(name for name, (kind, _) in kinds.items() if kind == "target")
    X = {name: _typed(table[name], *kinds[name]) for name in kinds if name != target}
    return pd.DataFrame(X), table[target]


def _typed(series, kind, how):
    if how["kind"] == "times":
        whole = series.where(series.str.count(":") == 2, series + ":00")
        return pd.to_timedelta(whole).dt.total_seconds() / 3600
    if kind == "numbers":
        return series.astype("float64")
    if kind == "dates":
        times = pd.to_datetime(series, format="ISO8601")
        return (times - times.min()).dt.total_seconds() / 86400
    return series.astype("category")
