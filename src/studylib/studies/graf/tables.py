"""What the experiments with the Guided Random Forest found, as tables."""

import numpy as np
import pandas as pd

from studylib.statistics import mean_interval
from studylib.studies.graf.experiments import METHODS, SLOW

#: Parts of the error, as they are called in :class:`~studylib.statistics.BiasVariance` and in tables.
PARTS = {"error": "error", "bias2": "bias²", "variance": "variance"}

#: Below this difference two formulas give the same number.
ROUNDING = 1e-12

#: What :func:`~studylib.studies.graf.experiments.strengths` measures and the ablation compares.
MEASURES = ("strength", "correlation", "bound", "test_error")


def decomposition_table(keys, found):
    """Results of ``experiments.decomposition``, a row per key, stage and part of the error.

    Parameters
    ----------
    keys : list of dict
        One group of models each.
    found : list of dict, one for each key

    Returns
    -------
    DataFrame
        The columns of the keys, ``trees`` (the stage), ``part`` (error, bias² or variance) and ``percent``.
    """
    rows = []
    for key, one in zip(keys, found, strict=True):
        for k, n_trees in enumerate(key["stages"] or [key["n_estimators"]]):
            for name, part in PARTS.items():
                rows.append(key | {"trees": n_trees, "part": part, "percent": 100 * one[name][0][k]})
    return pd.DataFrame(rows).drop(columns="stages")


def forms_of_decomposition(keys, found, data_seed):
    """The original and the printed decomposition of the whole forests' error, a row per data set.

    Parameters
    ----------
    keys, found : lists of dict
        As for :func:`decomposition_table`.
    data_seed : int

    Returns
    -------
    DataFrame
        The fields of :class:`~studylib.statistics.BiasVariance`, and how much bias² + variance differ from
        the error: not at all in the original form, by "as printed" in the other.

    Raises
    ------
    ArithmeticError
        If the original form does not add up.
    """
    chosen = {key["data"]: one for key, one in zip(keys, found, strict=True) if key["data_seed"] == data_seed}
    forms = pd.DataFrame({data: {name: one[name][0][-1] for name in one} for data, one in chosen.items()}).T
    original = forms["bias2"] + forms["variance"] - forms["error"]
    if original.abs().max() > ROUNDING:
        raise ArithmeticError("bias² and variance of the original form do not add up to the error.")
    forms["bias² + variance − error"] = 0.0
    forms["as printed"] = forms["printed_bias2"] + forms["printed_variance"] - forms["error"]
    return forms


def over_seeds(table, values, columns):
    """Mean over the models: a row per data seed, a column for each value of ``columns``.

    Parameters
    ----------
    table : DataFrame
    values, columns : str, columns of it

    Returns
    -------
    DataFrame
    """
    return table.pivot_table(values, "data_seed", columns)


def pairs(table, column, first, second, values="percent"):
    """Measured pairs for each data set: the mean over the models at two values of a column, per data seed.

    Parameters
    ----------
    table : DataFrame with the columns "data" and "data_seed"
    column : str
    first, second : values of it
    values : str, another column

    Returns
    -------
    dict of str to {"first": runs, "second": runs}
    """
    found = {}
    for data, part in table.groupby("data", sort=False):
        wide = over_seeds(part, values, column)
        found[data] = {"first": wide[first], "second": wide[second]}
    return found


def pairs_of_parts(table, column, first, second):
    """:func:`pairs` of each part of the error, a dict by data set and part."""
    parts = {part: pairs(one, column, first, second) for part, one in table.groupby("part", sort=False)}
    return {data: {part: found[data] for part, found in parts.items()} for data in table["data"].unique()}


def pairs_with_last(table, column, values="percent"):
    """:func:`pairs` of every other value of a column with its last, a dict by data set and value."""
    *others, last = sorted(table[column].unique())
    found = {one: pairs(table, column, one, last, values) for one in others}
    return {data: {f"{column} {one}": found[one][data] for one in others} for data in table["data"].unique()}


def pairs_from_last(table, column, values="percent"):
    """:func:`pairs` of the last value of a column with every other, a dict by data set and value."""
    return {
        data: {name: {"first": pair["second"], "second": pair["first"]} for name, pair in found.items()}
        for data, found in pairs_with_last(table, column, values).items()
    }


def curves(table, column, values="percent"):
    """Measured curves for each data set: a row per data seed, a step for each value of a column.

    Parameters
    ----------
    table : DataFrame with the columns "data" and "data_seed"
    column, values : str, columns of it

    Returns
    -------
    dict of str to {"steps": list, "runs": list of list}
    """
    found = {}
    for data, part in table.groupby("data", sort=False):
        wide = over_seeds(part, values, column)
        found[data] = {"steps": wide.columns, "runs": wide.to_numpy().tolist()}
    return found


def compared_stages(by_trees):
    """The stages between which the curves ought to be flat: a hundred trees, or the last but one, and all.

    Parameters
    ----------
    by_trees : DataFrame, from :func:`decomposition_table`

    Returns
    -------
    near, last : int
    """
    *_, before, last = sorted(by_trees["trees"].unique())
    return (100 if last > 100 else before), last


def gaps_to_peers(by_size, part):
    """How far GRAF is from the other methods, in points, for every set and size.

    Parameters
    ----------
    by_size : DataFrame, from :func:`decomposition_table`
    part : {"error", "bias²", "variance"}

    Returns
    -------
    dict of (str, int) to dict
        "GRAF − best": runs, the difference to the better of random forest and AdaBoost on each data seed;
        "GRAF − boosting": the mean difference to gradient boosting on its seeds, None if it was not run.
    """
    fast = [method for method in METHODS if method not in ("GRAF", SLOW)]
    found = {}
    for case, one in by_size[by_size["part"] == part].groupby(["data", "n_train"], sort=False):
        wide = over_seeds(one, "percent", "method")
        boosting = (wide["GRAF"] - wide.get(SLOW, np.nan)).mean()
        found[case] = {
            "GRAF − best": (wide["GRAF"] - wide[fast].min(axis=1)).tolist(),
            "GRAF − boosting": None if np.isnan(boosting) else float(boosting),
        }
    return found


def gap_table(by_size):
    """:func:`gaps_to_peers` as a table: mean differences with intervals over the data seeds.

    Parameters
    ----------
    by_size : DataFrame, from :func:`decomposition_table`

    Returns
    -------
    DataFrame
    """
    rows = {}
    for part in ("variance", "bias²", "error"):
        for case, found in gaps_to_peers(by_size, part).items():
            gap = mean_interval(found["GRAF − best"])
            rows.setdefault(case, {}).update(
                {
                    f"{part}": gap.mean,
                    f"{part}, low": gap.low,
                    f"{part}, high": gap.high,
                    f"{part}, to boosting": found["GRAF − boosting"],
                }
            )
    names = ["GRAF − better of random forest and AdaBoost", "samples"]
    return pd.DataFrame(rows).T.astype(float).rename_axis(names)


def strength_table(keys, found):
    """Results of ``experiments.strengths``, a row per key and model.

    Parameters
    ----------
    keys : list of dict
    found : list of dict, one for each key

    Returns
    -------
    DataFrame
        The columns of the keys, ``model`` and what was measured.
    """
    frames = [
        pd.DataFrame(one).assign(**key, model=lambda frame: frame.index)
        for key, one in zip(keys, found, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def relative_changes(ablation):
    """Change of each measure, in percent, when hyperplanes are extended to all partitions.

    Parameters
    ----------
    ablation : DataFrame, from :func:`strength_table`

    Returns
    -------
    DataFrame
        A row per measure, data set, M and data seed; the column "change".
    """
    means = ablation.pivot_table(list(MEASURES), ["data", "max_features", "data_seed"], "extend", sort=False)
    changes = pd.concat(
        {measure: 100 * (means[measure][True] / means[measure][False] - 1) for measure in MEASURES},
        names=["measure"],
    )
    return changes.rename("change").reset_index()


def falls_by_extension(ablation, measure):
    """By how many percent a measure is lower with extended hyperplanes, for every data set and M.

    Parameters
    ----------
    ablation : DataFrame, from :func:`strength_table`
    measure : str, one of ``MEASURES``

    Returns
    -------
    dict of str to list, the runs of a set and M: one number per data seed
    """
    changes = relative_changes(ablation)
    chosen = changes[changes["measure"] == measure]
    return {
        f"{data}, M = {m}": (-part["change"]).tolist()
        for (data, m), part in chosen.groupby(["data", "max_features"], sort=False)
    }


def ablation_table(ablation):
    """Change of each measure with extended hyperplanes, in percent, for every data set and M.

    Parameters
    ----------
    ablation : DataFrame, from :func:`strength_table`

    Returns
    -------
    DataFrame
        For each measure the mean change ("bound") and its interval over the data seeds ("bound, low",
        "bound, high").
    """
    rows = {}
    for (data, m, measure), part in relative_changes(ablation).groupby(
        ["data", "max_features", "measure"], sort=False
    ):
        found = mean_interval(part["change"])
        rows.setdefault((data, m), {}).update(
            {measure: found.mean, f"{measure}, low": found.low, f"{measure}, high": found.high}
        )
    return pd.DataFrame(rows).T.rename_axis(["extended ÷ own partition only − 1, %", "M"])


def printed_correlations(measured):
    """Largest difference that eq 34 as printed makes to ρ of a forest, and both means of ρ.

    Parameters
    ----------
    measured : DataFrame, from :func:`strength_table`

    Returns
    -------
    difference : float
    means : dict of str to float
    """
    difference = (measured["printed_correlation"] - measured["correlation"]).abs().max()
    return float(difference), {
        "ρ with Breiman's deviation": float(measured["correlation"].mean()),
        "ρ with the printed one": float(measured["printed_correlation"].mean()),
    }


def mean_over_seeds(table, columns, values):
    """Mean of the data seeds' means, a row for each value of ``columns``; each seed counts the same."""
    by_seed = table.groupby([*columns, "data_seed"], sort=False)[values].mean()
    return by_seed.groupby(columns, sort=False).mean()


def half_table(keys, found):
    """Results of ``bounds.bound_on_half``, a row per key and model: its columns, "bound" and "error"."""
    frames = [pd.DataFrame(one).assign(**key) for key, one in zip(keys, found, strict=True)]
    return pd.concat(frames, ignore_index=True)
