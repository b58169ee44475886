"""What a notebook hands over, as plain data that JSON can keep."""

import math
import sys

import numpy as np


def plain(value):
    """A measurement as plain data: arrays and Series become lists, NaN becomes None, keys become strings.

    Parameters
    ----------
    value : number, bool, str, None, or list, tuple, array, Series, dict or iterator of such

    Returns
    -------
    plain data

    Raises
    ------
    ValueError
        If the value cannot be kept: a DataFrame, an infinite number or another object.
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


def _pandas_lists():
    """Types of pandas, which takes half a second to import: there is no value of them before somebody has."""
    pandas = sys.modules.get("pandas")
    return (pandas.Series, pandas.Index) if pandas else ()


def _name(key):
    if isinstance(key, tuple):
        return ", ".join(map(str, key))
    return str(key)
