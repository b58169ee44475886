"""What the comparison on held-out sets of the UCI suite found, as tables."""

import numpy as np
import pandas as pd
from scipy import stats

from studylib.statistics import mean_interval
from studylib.studies.graf.judging import holm_steps
from studylib.studies.graf.suite import METHODS

#: Whom the blend is compared with, corrected for their number.
RIVALS = METHODS[:3]
#: All differences that are shown: a method and whom it is compared with.
COMPARISONS = (*(("blend", rival) for rival in (*RIVALS, "guided", "canonical")), ("canonical", "guided"))
#: Differences of means below this, in points, are rounding: a tie.
ROUNDING = 1e-9
#: Properties of a data set, and how they are called in figures and tables.
PROPERTIES = {"n": "samples", "d": "features", "classes": "classes", "coded": "share of coded columns"}


def fold_table(keys, found):
    """Results of ``suite.fold_accuracies``, a row per key and fold.

    Parameters
    ----------
    keys : list of dict
    found : list of dict, one for each key

    Returns
    -------
    DataFrame
        The columns of the keys, "fold", "accuracy" in per cent, and "oblique" in per cent.
    """
    frames = []
    for key, one in zip(keys, found, strict=True):
        accuracy = 100 * np.array(one["accuracy"])
        share = np.nan if one["oblique"] is None else 100 * one["oblique"]
        frames.append(
            pd.DataFrame({**key, "fold": range(len(accuracy)), "accuracy": accuracy, "oblique": share})
        )
    return pd.concat(frames, ignore_index=True)


def set_table(folds, descriptions):
    """One row per data set: its properties, the mean accuracy of each method, the blend's oblique share.

    Parameters
    ----------
    folds : DataFrame, from :func:`fold_table`
    descriptions : list of dict
        From ``suite.description``, in the order in which the sets first appear in ``folds``.

    Returns
    -------
    DataFrame
        Columns of ``PROPERTIES``, of ``METHODS``, and "oblique", in per cent.
    """
    names = folds["data"].unique()
    by_set = folds.groupby(["data", "method"], sort=False)["accuracy"].mean().unstack()
    shares = folds[folds["method"] == "blend"].groupby("data")["oblique"].mean()
    table = pd.DataFrame(descriptions, index=pd.Index(names, name="data"))[list(PROPERTIES)]
    return table.join(by_set.loc[names, list(METHODS)]).join(shares)


def mean_accuracies(folds):
    """Accuracy of each method in per cent, a Series: the mean over data sets of their means over folds."""
    by_set = folds.groupby(["method", "data"], sort=False)["accuracy"].mean()
    return by_set.groupby(level="method", sort=False).mean()


def differences(folds, method, rival):
    """Difference in accuracy, in points, for each data set: the mean of paired differences over all folds.

    Parameters
    ----------
    folds : DataFrame, from :func:`fold_table`
    method, rival : str, of ``METHODS``

    Returns
    -------
    Series, indexed by data set
        Differences that are rounding only are 0.
    """
    index = ["data", "split_seed", "fold"]
    one, other = (folds[folds["method"] == name].set_index(index)["accuracy"] for name in (method, rival))
    found = (one - other).groupby(level="data", sort=False).mean()
    return found.where(found.abs() > ROUNDING, 0.0)


def differences_from_rivals(folds, method="blend"):
    """:func:`differences` of a method from each of ``RIVALS``, a dict of str to Series."""
    return {rival: differences(folds, method, rival) for rival in RIVALS}


def comparison_table(folds, numbers):
    """Mean differences over the data sets, in points, with intervals, wins, ties and losses.

    Parameters
    ----------
    folds : DataFrame, from :func:`fold_table`
    numbers : dict
        Numbers of the rule of Holm's procedure, as the ledger has them.

    Returns
    -------
    DataFrame
        A row for each of ``COMPARISONS``: "mean", "low" and "high" (95 %, not corrected), "wins", "ties",
        "losses", and what Holm's procedure decides about the three rivals.
    """
    steps = holm_steps({name: d.tolist() for name, d in differences_from_rivals(folds).items()}, numbers)
    said = {True: "better", False: "worse", None: "undecided"}
    rows = {}
    for method, rival in COMPARISONS:
        d = differences(folds, method, rival)
        corrected = said[steps[rival].holds] if method == "blend" and rival in steps else "–"
        rows[f"{method} − {rival}"] = {
            **mean_interval(d)._asdict(),
            "wins": int((d > 0).sum()),
            "ties": int((d == 0).sum()),
            "losses": int((d < 0).sum()),
            "by Holm’s procedure": corrected,
        }
    return pd.DataFrame(rows).T.infer_objects()


def largest(table, n, *, gains):
    """The sets on which the blend gains or loses most against a random forest.

    Parameters
    ----------
    table : DataFrame, from :func:`set_table`
    n : int
        At most so many sets.
    gains : bool
        Gains, or else losses.

    Returns
    -------
    DataFrame
        Rows of ``table``, and the "difference"; the largest first.
    """
    difference = table["blend"] - table["random forest"]
    chosen = difference[difference > ROUNDING] if gains else difference[difference < -ROUNDING]
    chosen = chosen.sort_values(ascending=not gains, kind="stable").head(n)
    return table.loc[chosen.index].assign(difference=chosen)


def by_property(table):
    """Blend − random forest on sets with little and with much of each property, divided at its median.

    Parameters
    ----------
    table : DataFrame, from :func:`set_table`

    Returns
    -------
    DataFrame
        For each property and half ("≤ median", "> median"): number of sets, mean difference with its 95 %
        interval (NaN for fewer than two sets), losses and the largest loss; and Spearman's rank correlation
        of property and difference over all sets.
    """
    difference = table["blend"] - table["random forest"]
    rows = {}
    for name, words in PROPERTIES.items():
        median = table[name].median()
        rho = rank_correlation(table[name], difference)
        for sign, half in (("≤", table[name] <= median), (">", table[name] > median)):
            part = difference[half]
            interval = mean_interval(part) if len(part) > 1 else (part.mean(), np.nan, np.nan)
            rows[words, f"{sign} {median:.4g}"] = {
                "sets": len(part),
                **dict(zip(("mean", "low", "high"), interval, strict=True)),
                "losses": int((part < -ROUNDING).sum()),
                "largest loss": max(-part.min(), 0.0) if len(part) else np.nan,
                "rank correlation": rho,
            }
    return pd.DataFrame(rows).T.astype({"sets": int, "losses": int})


def rank_correlation(one, other):
    """Spearman's rank correlation; NaN where one of both is constant."""
    if one.nunique() < 2 or other.nunique() < 2:
        return float("nan")
    return float(stats.spearmanr(one, other).statistic)


def by_better_family(table):
    """The blend's oblique share where forests of oblique trees are better, and where a random forest is.

    Parameters
    ----------
    table : DataFrame, from :func:`set_table`

    Returns
    -------
    DataFrame
        A row for each answer to which of both is more accurate: number of sets, and mean, smallest and
        largest share in per cent.
    """
    gap = table["canonical"] - table["random forest"]
    answer = np.select([gap > ROUNDING, gap < -ROUNDING], ["canonical", "random forest"], "neither")
    shares = table["oblique"].groupby(pd.Series(answer, table.index, name="more accurate"))
    return shares.agg(["size", "mean", "min", "max"]).rename(columns={"size": "sets"})
