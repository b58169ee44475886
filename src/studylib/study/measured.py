"""Two conversions: results of tasks to a table, and measurements to plain data that JSON can keep."""

import math
import sys

import numpy as np


def plain(value):
    """A measurement as plain data: arrays and Series become lists, NaN becomes None, keys become strings.

    ValueError if the value cannot be kept: a DataFrame, an infinite number or another object.
    """
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        if math.isinf(value):
            raise ValueError("a measurement must be finite, got an infinite number.")
        return None if math.isnan(value) else float(value)
    if isinstance(value, dict):
        return {_name(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, np.ndarray, *_pandas_lists())) or hasattr(value, "__next__"):
        return [plain(one) for one in value]
    raise ValueError(
        f"a measurement must be numbers, strings, Booleans, or lists and dicts of them, got "
        f"{type(value).__name__}."
    )


def tidy(keys, results, levels=()):
    """Keys and results of tasks as one DataFrame, a row per key; see :meth:`studylib.study.Run.frame`."""
    import pandas as pd  # takes half a second, and not every notebook needs it

    rows = [
        {**key, **labels, **_columns(entry)}
        for key, result in zip(keys, results, strict=True)
        for labels, entry in _entries(result, levels)
    ]
    table = pd.DataFrame(rows)
    of_results = [name for name in table if name not in keys[0]] if rows else []
    return table.astype({name: float for name in of_results if table[name].isna().all()})


def _entries(result, levels):
    """Yield the entries of a nested result, each with its labels by level."""
    if not levels:
        yield {}, result
        return
    name, *others = levels
    for label, entry in result.items() if isinstance(result, dict) else enumerate(result):
        for labels, inner in _entries(entry, others):
            yield {name: label, **labels}, inner


def _columns(entry):
    """The columns of a row: entries of a dict, of an inner one "outer: inner", or a single value."""
    if not isinstance(entry, dict):
        return {"value": entry}
    columns = {}
    for name, value in entry.items():
        if isinstance(value, dict):
            columns |= {f"{name}: {inner}": v for inner, v in _columns(value).items()}
        else:
            columns[name] = value
    return columns


def _pandas_lists():
    """Types of pandas, which takes half a second to import: there is no value of them before somebody has."""
    pandas = sys.modules.get("pandas")
    return (pandas.Series, pandas.Index) if pandas else ()


def _name(key):
    if isinstance(key, tuple):
        return ", ".join(map(str, key))
    return str(key)
