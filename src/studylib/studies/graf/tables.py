"""What the experiments with the Guided Random Forest found, as tables."""

import numpy as np
import pandas as pd

from studylib.statistics import mean_interval
from studylib.studies.graf.experiments import METHODS, SLOW

#: Parts of the error, as they are called in :class:`~studylib.statistics.BiasVariance` and in tables.
PARTS = {"error": "error", "bias2": "bias²", "variance": "variance"}

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
        The columns of the keys, ``trees`` (the stage), ``part`` (error, bias² or variance) and ``per cent``.
    """
    rows = []
    for key, one in zip(keys, found, strict=True):
        for k, n_trees in enumerate(key["stages"] or [key["n_estimators"]]):
            for name, part in PARTS.items():
                rows.append(key | {"trees": n_trees, "part": part, "per cent": 100 * one[name][0][k]})
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
        the error in the original form and "as printed".
    """
    chosen = {key["data"]: one for key, one in zip(keys, found, strict=True) if key["data_seed"] == data_seed}
    forms = pd.DataFrame({data: {name: one[name][0][-1] for name in one} for data, one in chosen.items()}).T
    forms["bias² + variance − error"] = forms["bias2"] + forms["variance"] - forms["error"]
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


def gaps_to_peers(by_size):
    """How far GRAF is from the better of random forest and AdaBoost, in points, for every set and size.

    Parameters
    ----------
    by_size : DataFrame, from :func:`decomposition_table`

    Returns
    -------
    DataFrame
        For variance and error the interval over all seeds ("variance: mean", "… low", "… high"), and the mean
        difference to gradient boosting over the seeds that have it, NaN if none does.
    """
    fast = [method for method in METHODS if method not in ("GRAF", SLOW)]
    rows = {}
    for (data, n), case in by_size.groupby(["data", "n_train"], sort=False):
        row = rows[data, n] = {}
        for part in ("variance", "error"):
            wide = over_seeds(case[case["part"] == part], "per cent", "method")
            gap = mean_interval(wide["GRAF"] - wide[fast].min(axis=1))
            boosting = (wide["GRAF"] - wide.get(SLOW, np.nan)).mean()
            found = gap._asdict() | {"to boosting": boosting}
            row |= {f"{part}: {name}": value for name, value in found.items()}
    return pd.DataFrame(rows).T.rename_axis(["GRAF − better of random forest and AdaBoost", "samples"])


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
    """Change of each measure, in per cent, when hyperplanes are extended to all partitions.

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


def ablation_table(ablation):
    """How much larger each measure is without extended hyperplanes, for every data set and M.

    Parameters
    ----------
    ablation : DataFrame, from :func:`strength_table`

    Returns
    -------
    DataFrame
        For each measure the mean difference ("bound") and its interval over the data seeds ("bound, low",
        "bound, high").
    """
    rows = {}
    for (data, m), part in ablation.groupby(["data", "max_features"], sort=False):
        row = rows[data, m] = {}
        for measure in ("bound", "test_error", "strength", "correlation"):
            wide = over_seeds(part, measure, "extend")
            found = mean_interval(wide[False] - wide[True])
            row |= {measure: found.mean, f"{measure}, low": found.low, f"{measure}, high": found.high}
    return pd.DataFrame(rows).T.rename_axis(["own partition only − extended", "M"])
