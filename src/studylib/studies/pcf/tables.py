"""What the experiments with the Partial Classification Forest found, as tables, intervals and slopes."""

import numpy as np
import pandas as pd

from studylib.datasets import BUNDLED
from studylib.statistics import mean_interval, resampled_interval
from studylib.studies.pcf.experiments import GROWTH_BASE, PEERS

#: How the settings of a forest are written in the source.
SYMBOLS = {"n_samples": "n", "n_features": "d", "min_samples_leaf": "τ_|X|", "max_depth": "τ_h"}


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


def setting_intervals(surfaces, measure):
    """Interval of a measure over the seeds for each setting of Fig. 2.

    Parameters
    ----------
    surfaces : DataFrame, a row per key of :func:`~studylib.studies.pcf.experiments.surface`
    measure : str

    Returns
    -------
    dict of (min_samples_leaf, n_estimators) to Interval
    """
    settings = surfaces.groupby(["min_samples_leaf", "n_estimators"])[measure]
    return {setting: mean_interval(values.dropna()) for setting, values in settings}


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


def gain_interval(data, gain, confidence=0.95):
    """Interval of a paired gain over replicates.

    Parameters
    ----------
    data : str
        Replicates of "plane" are new data; those of a real set are splits of the same data.
    gain : array-like (n_replicates,)
    confidence : float

    Returns
    -------
    Interval
    """
    if data == "plane":
        return mean_interval(gain, confidence)
    return resampled_interval(gain, 0.3, confidence)


def gains_of_leaf_models(table, confidence):
    """How much smaller the area under the risk–coverage curve is with another γ than with the majority.

    Parameters
    ----------
    table : DataFrame, a row per key of :func:`~studylib.studies.pcf.experiments.risk_curve`
    confidence : float
        Of each interval.

    Returns
    -------
    DataFrame
        A row per data set and γ: "gain in area", "low", "high".
    """
    areas = table.pivot_table("area", ["data", "replicate"], ["n_estimators", "method"])
    rows = {}
    for data, part in table[table["method"] != "majority"].groupby("data", sort=False):
        for n, method in part[["n_estimators", "method"]].drop_duplicates().itertuples(index=False):
            gain = areas.loc[data, (n, "majority")] - areas.loc[data, (n, method)]
            rows[data, method] = gain_interval(data, gain, confidence)._asdict()
    return pd.DataFrame(rows).T.rename(columns={"mean": "gain in area"})


def comparison_with_peers(table):
    """The area under the risk–coverage curve of the PCF and of each peer, and the gain with its outcome.

    Parameters
    ----------
    table : DataFrame, a row per key of :func:`~studylib.studies.pcf.experiments.risk_curve`

    Returns
    -------
    DataFrame
        A row per data set and peer; "outcome" is "win", "loss" or "tie" (the interval holds 0).
    """
    areas = table.pivot_table("area", ["data", "replicate"], "method")
    rows = {}
    for data in ("plane", *BUNDLED):
        for peer in PEERS:
            own, other = areas.loc[data, "majority"], areas.loc[data, peer]
            gain = gain_interval(data, other - own)
            outcome = "win" if gain.low > 0 else "loss" if gain.high < 0 else "tie"
            rows[data, peer] = {
                "PCF": own.mean(), "peer": other.mean(), "gain": gain.mean, "low": gain.low,
                "high": gain.high, "outcome": outcome,
            }  # fmt: skip
    return pd.DataFrame(rows).T.infer_objects()


def dimension_curve(table):
    """Predicted over the number of dimensions for 100 Trees and two relevant dimensions.

    Parameters
    ----------
    table : DataFrame, a row per key of :func:`~studylib.studies.pcf.experiments.dimension`

    Returns
    -------
    dict of int to Interval
    slope : Interval
        Of the change for each doubling of the dimensions up to ten.
    """
    forest = table.query("n_estimators == 100 and n_relevant == 2")
    few = forest[forest["n_features"] <= 10].groupby("replicate")
    slopes = [np.polyfit(np.log2(part["n_features"]), part["predicted"], 1)[0] for _, part in few]
    curve = {d: mean_interval(values) for d, values in forest.groupby("n_features")["predicted"]}
    return curve, mean_interval(slopes)


def growth_series(table):
    """The rows in which one setting is varied and the others are those of ``GROWTH_BASE``.

    Parameters
    ----------
    table : DataFrame, a row per key of :func:`~studylib.studies.pcf.experiments.growth`

    Returns
    -------
    dict of str to DataFrame, by the setting that varies
    """
    return {
        name: table[np.logical_and.reduce([table[k] == GROWTH_BASE[k] for k in SYMBOLS if k != name])]
        for name in SYMBOLS
    }


def log_slope(table, setting, measure):
    """Least-squares slope of the logarithm of a measure in the logarithm of a setting.

    Parameters
    ----------
    table : DataFrame
    setting, measure : str, columns of it

    Returns
    -------
    float
    """
    return np.polyfit(np.log(table[setting]), np.log(table[measure]), 1)[0]


def growth_slopes(series):
    """Intervals of log–log slopes over the replicates, for every setting but the height limit.

    Parameters
    ----------
    series : dict of str to DataFrame, from :func:`growth_series`

    Returns
    -------
    dict of (setting, measure) to Interval
    """
    return {
        (name, measure): mean_interval(
            [log_slope(one, name, measure) for _, one in part.groupby("replicate")]
        )
        for name, part in series.items()
        for measure in ("nodes", "leaves", "depth", "active_share")
        if name != "max_depth"
    }


def cost_slopes(by_samples, by_trees, flat):
    """Log–log slopes of the work of FIT and PREDICT in the number of Trees N and of observations n.

    Parameters
    ----------
    by_samples, by_trees, flat : DataFrame
        Forests of different n, of different N, and of different n with Trees of a fixed height.

    Returns
    -------
    dict of str to float: "fit_n", "fit_N", "predict_N", "predict_n"
    """
    return {
        "fit_n": log_slope(by_samples, "n_samples", "fit_work"),
        "fit_N": log_slope(by_trees, "n_estimators", "fit_work"),
        "predict_N": log_slope(by_trees, "n_estimators", "predict_work"),
        "predict_n": log_slope(flat, "n_samples", "predict_work"),
    }
