"""What the comparisons on halves of data found, as tables."""

import numpy as np
import pandas as pd
from scipy import stats

from studylib.statistics import resampled_interval
from studylib.studies.pcf.comparison import PEERS, TEST_SHARE
from studylib.studies.pcf.tuning import LEAF_MODELS

#: Level of the tests that the answer about γ counts, after Holm's correction.
LEVEL = 0.05
SOURCE, *OTHERS = LEAF_MODELS


def resampled_p_value(differences, test_share):
    """Two-sided p-value of the mean of paired differences over splits, corrected as ``resampled_interval``.

    Parameters
    ----------
    differences : array-like (n_splits,)
    test_share : float

    Returns
    -------
    float
        1 where all differences are zero.
    """
    values = np.asarray(differences, float)
    error = values.std(ddof=1) * np.sqrt(1 / len(values) + test_share / (1 - test_share))
    if error == 0:
        return float(values.mean() == 0)
    return float(2 * stats.t.sf(abs(values.mean()) / error, len(values) - 1))


def holm(p_values):
    """P-values adjusted for their number by Holm's step-down procedure.

    Parameters
    ----------
    p_values : array-like (n_tests,)

    Returns
    -------
    float64 ndarray (n_tests,)

    References
    ----------
    Holm, *A Simple Sequentially Rejective Multiple Test Procedure*, Scand. J. Statist. 6 (1979).
    """
    p_values = np.asarray(p_values, float)
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(len(order), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted


def gains(areas):
    """How much smaller the area under the risk–coverage curve is with another γ than with the majority.

    Parameters
    ----------
    areas : DataFrame
        Columns "data", "replicate", "leaf_model" and "area".

    Returns
    -------
    DataFrame
        A row per data set and γ: "mean", "low" and "high" of the gain, and "p", adjusted over all rows.
    """
    wide = areas.pivot(index=["data", "replicate"], columns="leaf_model", values="area")
    rows = {}
    for data in areas["data"].unique():
        for model in OTHERS:
            gain = wide.loc[data, SOURCE] - wide.loc[data, model]
            interval = resampled_interval(gain, TEST_SHARE)._asdict()
            rows[data, model] = interval | {"p": resampled_p_value(gain, TEST_SHARE)}
    table = pd.DataFrame(rows).T
    return table.assign(p=holm(table["p"]))


def counts_of_gains(table):
    """How often each γ has a significantly smaller and a significantly larger area than the majority.

    Parameters
    ----------
    table : DataFrame, from :func:`gains`

    Returns
    -------
    dict of str to str
        Such as "2 : 0".
    """
    clear = table["p"] < LEVEL
    return {
        model: f"{(clear & (table['mean'] > 0)).xs(model, level=1).sum()} : "
        f"{(clear & (table['mean'] < 0)).xs(model, level=1).sum()}"
        for model in OTHERS
    }


def relative_costs(prices):
    """How many times as long as with the majority a Tree takes: the geometric mean over all splits.

    Parameters
    ----------
    prices : list of dict, from :func:`~studylib.studies.pcf.comparison.price`

    Returns
    -------
    dict of str to float
        Two significant digits: it is a measured time.
    """
    table = pd.DataFrame(prices)
    found = np.exp(np.log(table[OTHERS].div(table[SOURCE], axis=0)).mean())
    return {model: float(f"{ratio:.2g}") for model, ratio in found.items()}


def against_best_peer(own, peers):
    """Areas of the forest and of the peer that is the best on average, for every data set.

    Parameters
    ----------
    own, peers : DataFrame
        Columns "data", "replicate" and "area"; ``peers`` also has "method".

    Returns
    -------
    areas : dict of str to {"first", "second"}
        The forest's and the peer's, one for each split.
    table : DataFrame
        A row per data set: mean areas of the PCF and of all peers, and the name of the best of these.
    """
    wide = peers.pivot(index=["data", "replicate"], columns="method", values="area")[list(PEERS)]
    forest = own.set_index(["data", "replicate"])["area"]
    areas, rows = {}, {}
    for data in own["data"].unique():
        means = wide.loc[data].mean()
        areas[data] = {
            "first": forest.loc[data].tolist(),
            "second": wide.loc[data, means.idxmin()].loc[forest.loc[data].index].tolist(),
        }
        rows[data] = {"PCF": forest.loc[data].mean(), **means, "best peer": means.idxmin()}
    return areas, pd.DataFrame(rows).T


def differences(areas, table):
    """How much larger the forest's area is than the best peer's, with intervals corrected for the splits.

    Parameters
    ----------
    areas, table
        From :func:`against_best_peer`.

    Returns
    -------
    DataFrame
        A row per data set: "mean"; "low" and "high" at 95%; "lowest" and "highest" at the level that is
        corrected for the number of sets, by which the claim is judged; "best peer".
    """
    corrected = 1 - LEVEL / len(areas)
    rows = {}
    for data, pair in areas.items():
        gap = np.subtract(pair["first"], pair["second"])
        mean, low, high = resampled_interval(gap, TEST_SHARE, 1 - LEVEL)
        _, lowest, highest = resampled_interval(gap, TEST_SHARE, corrected)
        rows[data] = {"mean": mean, "low": low, "high": high, "lowest": lowest, "highest": highest}
    return pd.DataFrame(rows).T.join(table["best peer"])
