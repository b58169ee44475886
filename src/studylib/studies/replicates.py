"""What experiments over replicates share: repeating a task, series of values, slopes on log scales."""

import itertools
import math

import pandas as pd


def repeat(run_map, task, n_replicates, over=None, **fixed):
    """A task's results for every condition and replicate, one row each.

    Parameters
    ----------
    run_map : callable ``(task, keys)``
        Such as :meth:`studylib.study.Run.map`.
    task : callable ``(key, seed) -> dict``
        Its key has what ``fixed`` and ``over`` name, and ``"replicate"``.
    n_replicates : int
    over : dict of str to list or None
        Conditions to cross: each name with the values that it takes.
    **fixed
        The same in every key.

    Returns
    -------
    DataFrame
        The keys' columns, then the results'; an entry of a nested result is named ``"outer: inner"``.
    """
    over = over or {}
    keys = [
        {**fixed, **dict(zip(over, values, strict=True)), "replicate": replicate}
        for values in itertools.product(*over.values())
        for replicate in range(n_replicates)
    ]
    return pd.DataFrame(keys).join(pd.json_normalize(run_map(task, keys), sep=": "))


def series(column, steps):
    """A column of lists as a table: one row per replicate, one column per step."""
    return pd.DataFrame(column.tolist(), columns=steps)


def slope(x, y):
    """Slope of y in x by least squares, a float.

    All sums are exact, so that it has the same bits on every machine; LAPACK's depends on the processor.
    """
    x, y = [float(a) for a in x], [float(b) for b in y]
    mean = math.fsum(x) / len(x), math.fsum(y) / len(y)
    steps = [a - mean[0] for a in x]
    return math.fsum(a * (b - mean[1]) for a, b in zip(steps, y, strict=True)) / math.fsum(
        a * a for a in steps
    )


def log_slope(x, y):
    """Slope of log y in log x, by least squares."""
    return slope(map(math.log, x), map(math.log, y))


def log_slopes(table, x, y):
    """Slope of log y in log x for each replicate, a list.

    Parameters
    ----------
    table : DataFrame with a column ``"replicate"``
    x, y : str, columns
    """
    return [log_slope(part[x], part[y]) for _, part in table.groupby("replicate")]
