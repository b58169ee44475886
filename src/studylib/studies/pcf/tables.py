"""What the experiments with the Partial Classification Forest found, in the form in which it is judged."""

import math

import numpy as np
import pandas as pd

from studylib.studies.pcf.growth import BASE, N_PER_CELL
from studylib.studies.replicates import log_slopes, slope

#: How the settings of a forest are written in the source.
SYMBOLS = {
    "n_samples": "n",
    "n_features": "d",
    "min_samples_leaf": "τ_|X|",
    "max_loss": "τ_l",
    "max_depth": "τ_h",
}
#: Numbers of Trees that the source's statements on Fig. 3 are about.
FEW, MANY, MORE, MOST = 30, 100, 200, 500


def result_table(keys, found):
    """A row for each key with what its task found.

    Parameters
    ----------
    keys, found : lists of dict, of the same length

    Returns
    -------
    DataFrame
        Accuracies of nothing predicted are NaN.
    """
    table = pd.DataFrame(keys).join(pd.DataFrame(found))
    return table.astype({"accuracy": float}) if "accuracy" in table else table


def nested_table(found, names=None):
    """Results that are themselves groups of measures: a row per run, columns ``(group, measure)``.

    Parameters
    ----------
    found : list of dict of dict
    names : sequence of str or None
        The groups; all by default.

    Returns
    -------
    DataFrame
    """
    names = list(found[0]) if names is None else names
    return pd.concat({name: pd.DataFrame([one[name] for one in found]) for name in names}, axis=1)


# Notebook 01


def best_peer(peers, part):
    """Accuracies, one for each plane, of the classifier that is the best on average.

    Parameters
    ----------
    peers : DataFrame
        A row per plane, columns (classifier, "noise" or "whole").
    part : {"noise", "whole"}

    Returns
    -------
    Series
    """
    accuracies = peers.xs(part, axis=1, level=1)
    return accuracies[accuracies.mean().idxmax()]


def by_number_of_trees(surfaces, tau, measure):
    """A measure of every run, for each number of Trees of Fig. 2.

    Parameters
    ----------
    surfaces : DataFrame, a row per key of :func:`~studylib.studies.pcf.experiments.surface`
    tau : int, τ_|X|
    measure : str, a column

    Returns
    -------
    dict of str to list of float
        Runs without a value, an accuracy where nothing is predicted, are left out.
    """
    some = surfaces[surfaces["min_samples_leaf"] == tau].groupby("n_estimators")[measure]
    return {f"N = {n}": values.dropna().tolist() for n, values in some}


def region_ratios(surfaces):
    """How many times as many connected regions τ_|X| = 2 gives as τ_|X| = 10, in each run.

    Parameters
    ----------
    surfaces : DataFrame, a row per key of :func:`~studylib.studies.pcf.experiments.surface`

    Returns
    -------
    dict of str to ndarray
        For each number of Trees; where τ_|X| = 10 gives no region, one is taken.
    """
    small, large = (by_number_of_trees(surfaces, tau, "regions") for tau in (2, 10))
    return {name: np.divide(small[name], np.maximum(large[name], 1)) for name in small}


def tree_curves(found):
    """Curves over the number of Trees.

    Parameters
    ----------
    found : list of dict, from :func:`~studylib.studies.pcf.experiments.curves_over_trees`

    Returns
    -------
    dict of str to float64 ndarray (n_seeds, n_trees)
        NaN where nothing was predicted.
    """
    return {name: np.array([one[name] for one in found], float) for name in found[0]}


def variation_ratio(curve):
    """How many times as much a measure varies over N below 30 as from there to 100.

    Parameters
    ----------
    curve : ndarray (n_seeds, n_trees)

    Returns
    -------
    float
        Ratio of the standard deviations over N, each the mean over the seeds.
    """
    few, some = curve[:, : FEW - 1], curve[:, FEW - 1 : MANY]
    return float(np.nanmean(np.nanstd(few, axis=1)) / np.nanmean(np.nanstd(some, axis=1)))


def at_trees(curve, n):
    """A curve's value at n Trees, for each seed."""
    return curve[:, n - 1]


def change(curve, start, end):
    """A curve's value at ``end`` and at ``start`` Trees, as paired runs."""
    return {"first": at_trees(curve, end), "second": at_trees(curve, start)}


def accuracies_from_many(curve):
    """A curve's values at the numbers of Trees of the source's statement on N ≥ 100, a dict by N."""
    return {f"N = {n}": at_trees(curve, n) for n in (MANY, MORE, MOST)}


def shares_correct(predicted, accuracy):
    """Two readings of "accuracy", with 100 Trees: correct labels of all and of the predicted, for each seed.

    Parameters
    ----------
    predicted, accuracy : ndarray (n_seeds, n_trees)
        Shares of the test observations, and of those predicted.

    Returns
    -------
    dict of str to ndarray
    """
    predicted, accuracy = at_trees(predicted, MANY), at_trees(accuracy, MANY)
    return {
        "predicted": predicted,
        "correct of predicted": accuracy,
        "correct of all": predicted * np.nan_to_num(accuracy),
    }


def all_ones(curve):
    """Whether a curve is exactly 1 at every N from 30 to 100, for each seed."""
    return (curve[:, FEW - 1 : MANY] == 1).all(axis=1)


# Notebook 02


def dimension_series(table):
    """The rows of four series over the number of dimensions.

    Parameters
    ----------
    table : DataFrame, a row per key of :func:`~studylib.studies.pcf.growth.dimension`

    Returns
    -------
    dict of str to DataFrame
        By "fixed n" or "growing n" and by "2 relevant" or "all relevant".
    """
    n, d, relevant = table["n_samples"], table["n_features"], table["n_relevant"]
    sizes = {"fixed n": n == BASE["n_samples"], "growing n": n == N_PER_CELL * 2**d}
    relevances = {"2 relevant": relevant == d.clip(upper=2), "all relevant": relevant == d}
    return {
        f"{size}, {relevance}": table[of_size & is_relevant]
        for size, of_size in sizes.items()
        for relevance, is_relevant in relevances.items()
    }


def first_dimension_below(part, share):
    """The number of dimensions from which on less than a share is predicted, as text.

    Parameters
    ----------
    part : DataFrame, one of :func:`dimension_series`
    share : float
        For the mean over the seeds.

    Returns
    -------
    str
        "none" where the last number of dimensions still has more.
    """
    predicted = part.groupby("n_features")["predicted"].mean()
    still = predicted.index[predicted >= share]
    later = predicted.index[predicted.index > (still.max() if len(still) else 0)]
    return str(later.min()) if len(later) else f"none up to {predicted.index.max()}"


def growth_series(table):
    """The rows in which one setting is varied and the others are those of ``BASE``.

    Parameters
    ----------
    table : DataFrame, a row per key of :func:`~studylib.studies.pcf.growth.growth`

    Returns
    -------
    dict of str to DataFrame, by the setting that varies
    """
    is_base = {name: _equals(table[name], BASE[name]) for name in SYMBOLS}
    found = {}
    for name in SYMBOLS:
        found[name] = table[np.logical_and.reduce([is_base[other] for other in SYMBOLS if other != name])]
    found["max_depth"] = found["max_depth"].dropna(subset="max_depth")
    found["max_loss"] = found["max_loss"].query("max_loss > 0")  # there is no logarithm of 0
    return found


def _equals(column, value):
    return column.isna() if value is None else column == value


def growth_slopes(series):
    """Log–log slopes of the measures in the settings, for every replicate.

    Parameters
    ----------
    series : dict of str to DataFrame, from :func:`growth_series`

    Returns
    -------
    dict of str to list of float
        Such as "nodes in n"; the height limit is not among the settings.
    """
    return {
        f"{measure.replace('_', ' ')} in {SYMBOLS[name]}": log_slopes(part, name, measure)
        for name, part in series.items()
        for measure in ("nodes", "leaves", "depth", "active_share")
        if name != "max_depth"
    }


def growth_table(series):
    """Nodes, depth and active share against the settings that the figure leaves out: d, τ_l and τ_h.

    Parameters
    ----------
    series : dict of str to DataFrame, from :func:`growth_series`

    Returns
    -------
    DataFrame
        A row for each value of a setting: means over the replicates, and the source's bound on the nodes.
    """
    parts = {}
    for name in ("n_features", "max_loss", "max_depth"):
        found = series[name].groupby(name)[["nodes", "depth", "active_share"]].mean()
        limited = name == "max_depth"
        found["bound on nodes"] = [f"{2 ** (h + 1) - 1:,.0f}" if limited else "–" for h in found.index]
        parts[SYMBOLS[name]] = found.set_axis([f"{value:g}" for value in found.index])
    table = pd.concat(parts, names=["setting", "value"])
    table["active_share"] *= 100
    return table.rename(columns={"active_share": "active leaves, %"})


def slopes_on_log2(table, measure):
    """Slope of a measure in log2 n, for every replicate."""
    return [slope(map(math.log2, part["n_samples"]), part[measure]) for _, part in table.groupby("replicate")]


def rise_of_slopes(table, measure):
    """Slope of a measure in log2 n over the larger half of the sizes less that over the smaller half.

    Parameters
    ----------
    table : DataFrame
        With "n_samples" and "replicate".
    measure : str, a column

    Returns
    -------
    list of float, for every replicate
    """
    sizes = sorted(table["n_samples"].unique())
    half = (len(sizes) + 1) // 2  # of an odd number, both halves have the middle one
    small, large = (
        slopes_on_log2(table[table["n_samples"].isin(part)], measure)
        for part in (sizes[:half], sizes[-half:])
    )
    return [b - a for a, b in zip(small, large, strict=True)]
