"""What experiments over replicates share: repeating a task, series of values, slopes on log scales."""

import math

import pandas as pd

from studylib.studies.keys import crossed


def repeat(frame, task, n_replicates, over=None, **fixed):
    """A task's results for every condition and replicate, a row each; ``frame`` is that of a Run.

    The task's key has what ``fixed`` and ``over`` name, and ``"replicate"``; ``over`` gives conditions to
    cross: each name with the values that it takes.
    """
    return frame(task, crossed({**(over or {}), "replicate": range(n_replicates)}, **fixed))


def unrolled(table, columns, place=None):
    """A row for each entry of the lists in ``columns``; those of a row have one length.

    ``place`` is a column for the entries' numbers, from 0.
    """
    rows = table.explode(columns)
    if place:
        rows[place] = rows.groupby(level=0).cumcount()
    return rows.reset_index(drop=True).infer_objects()


def in_percent(table, *columns):
    """The table with these columns times 100."""
    return table.assign(**{name: 100 * table[name] for name in columns})


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
    """Slope of log y in log x for each replicate, a list."""
    return [log_slope(part[x], part[y]) for _, part in table.groupby("replicate")]
