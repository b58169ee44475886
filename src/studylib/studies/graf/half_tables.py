"""Tables about sensitive rows and support vectors on halves of ten sets, by each reading of eq 37."""

import numpy as np
import pandas as pd

from studylib.statistics import resampled_interval
from studylib.studies.graf.approximation import TEST_SHARE
from studylib.studies.graf.readings import READINGS

#: What is judged on every half: gains over random rows in accuracy and overlap, and Fig. 9's correlation.
QUANTITIES = {
    "accuracy, sensitive − random": lambda table: table["sensitive"] - table["random"],
    "overlap − chance": lambda table: table["overlap"] - table["vectors"],
    "|α| and p": lambda table: table["correlation"],
}


def reading_table(keys, found):
    """Results of ``readings.subset_readings``, a row per key and reading.

    Parameters
    ----------
    keys : list of dict
    found : list of dict, one for each key

    Returns
    -------
    DataFrame
        "data", "half" (−1: the archive's), "reading"; "vectors", "accuracy", "random", "overlap" and
        "sensitive" in percent; "correlation" (NaN if it has no value), and the columns of ``QUANTITIES``.
    """
    rows = []
    for key, one in zip(keys, found, strict=True):
        fixed = {"data": key["data"], "half": -1 if key["half"] is None else key["half"]}
        fixed |= {name: 100 * one[name] for name in ("vectors", "accuracy", "random")}
        for reading, values in one["readings"].items():
            per_cent = {name: 100 * values[name] for name in ("overlap", "sensitive")}
            rho = np.nan if values["correlation"] is None else values["correlation"]
            rows.append(fixed | {"reading": reading, **per_cent, "correlation": rho})
    table = pd.DataFrame(rows)
    return table.assign(**{name: of(table) for name, of in QUANTITIES.items()})


def on_random_halves(table):
    """The rows of a :func:`reading_table` about random halves."""
    return table[table["half"] >= 0]


def runs(table, quantity, reading=READINGS[0]):
    """For each data set one of ``QUANTITIES`` on every random half, None where one has no value.

    Parameters
    ----------
    table : DataFrame, from :func:`reading_table`
    quantity : str
    reading : str, of ``READINGS``

    Returns
    -------
    dict of str to list of float or None
    """
    rows = on_random_halves(table)
    by_set = rows[rows["reading"] == reading].groupby("data", sort=False)[quantity]
    return {name: None if one.isna().any() else one.tolist() for name, one in by_set}


def set_means(runs_of_sets):
    """The mean of each set that has runs, a list: for statements about a mean over the sets."""
    return [float(np.mean(one)) for one in runs_of_sets.values() if one is not None]


def interval_table(table, quantity):
    """One of ``QUANTITIES`` by set and reading, with 95% intervals for random halves.

    Parameters
    ----------
    table : DataFrame, from :func:`reading_table`
    quantity : str

    Returns
    -------
    DataFrame
        A row per data set; for each of ``READINGS`` "mean", "low" and "high", NaN without a value.
    """
    columns = {}
    for reading in READINGS:
        found = {
            name: (np.nan,) * 3 if one is None else resampled_interval(one, TEST_SHARE)
            for name, one in runs(table, quantity, reading).items()
        }
        for k, part in enumerate(("mean", "low", "high")):
            columns[reading, part] = pd.Series({name: interval[k] for name, interval in found.items()})
    return pd.DataFrame(columns)


def third_reading(table):
    """Overlap and accuracy on the subset with random ranks, on the archive's halves, a row per data set."""
    rows = table[(table["half"] < 0) & (table["reading"] == READINGS[-1])]
    return rows.groupby("data", sort=False)[["overlap", "sensitive"]].mean()
