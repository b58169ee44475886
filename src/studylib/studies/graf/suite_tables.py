"""What comparisons of the blend found, as tables; a data set is one observation."""

import numpy as np
import pandas as pd
from scipy import stats

from studylib.statistics import mean_interval
from studylib.studies.graf.suite import METHODS
from studylib.study.intervals import holm_steps

#: Whom the blend is compared with, corrected for their number.
RIVALS = METHODS[:3]
#: The differences that the first run shows: a method and whom it is compared with.
COMPARISONS = (*(("blend", rival) for rival in (*RIVALS, "guided", "canonical")), ("canonical", "guided"))
#: Differences of means below this are rounding: a tie.
ROUNDING = 1e-9
#: Measures, how tables call them, and whether more of it is better.
MEASURES = {"accuracy": ("accuracy", 1), "log_loss": ("log loss", -1), "brier": ("Brier score", -1)}
#: Properties of a data set, and how they are called in figures and tables.
PROPERTIES = {"n": "samples", "d": "features", "classes": "classes", "coded": "share of coded columns"}


def fold_table(keys, found):
    """Results of ``suite.fold_accuracies`` or ``repeated.scores``, a row per key and fold.

    Parameters
    ----------
    keys : list of dict
    found : list of dict, one for each key

    Returns
    -------
    DataFrame
        The columns of the keys, "fold", "accuracy" and "oblique" in percent, and what else was measured
        of ``MEASURES``.
    """
    frames = []
    for key, one in zip(keys, found, strict=True):
        measured = {name: one[name] for name in MEASURES if name in one}
        measured["accuracy"] = 100 * np.array(one["accuracy"])
        share = np.nan if one["oblique"] is None else 100 * one["oblique"]
        frames.append(pd.DataFrame({**key, "fold": range(key["n_folds"]), **measured, "oblique": share}))
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
        Columns of ``PROPERTIES``, of the methods, and "oblique", in percent.
    """
    names, methods = folds["data"].unique(), folds["method"].unique()
    by_set = folds.groupby(["data", "method"], sort=False)["accuracy"].mean().unstack()
    shares = folds[folds["method"] == "blend"].groupby("data")["oblique"].mean()
    table = pd.DataFrame(descriptions, index=pd.Index(names, name="data"))[list(PROPERTIES)]
    return table.join(by_set.loc[names, methods]).join(shares)


def mean_scores(folds):
    """Mean accuracy of each method in percent, and what else was measured: means over the data sets.

    Parameters
    ----------
    folds : DataFrame, from :func:`fold_table`

    Returns
    -------
    DataFrame
        A row per method, of means over data sets of their means over folds and seeds.
    """
    measured = [name for name in MEASURES if name in folds]
    by_set = folds.groupby(["method", "data"], sort=False)[measured].mean()
    table = by_set.groupby(level="method", sort=False).mean()
    return table.rename(columns={name: words for name, (words, _) in MEASURES.items()})


def gains(folds, method, rival, measure="accuracy"):
    """By how much a method is better than a rival on each data set; negative where it is worse.

    Parameters
    ----------
    folds : DataFrame, from :func:`fold_table`
    method, rival : str
    measure : {"accuracy", "log_loss", "brier"}
        Accuracy in points; the others as they are, rival − method.

    Returns
    -------
    Series, indexed by data set
        Means of paired differences over folds and splits, each over the model seeds; 0 if rounding only.
    """
    means = folds.groupby(["method", "data", "split_seed", "fold"], sort=False)[measure].mean()
    found = MEASURES[measure][1] * (means[method] - means[rival])
    found = found.groupby(level="data", sort=False).mean()
    return found.where(found.abs() > ROUNDING, 0.0)


def gains_over_rivals(folds, method="blend", measure="accuracy"):
    """:func:`gains` of a method over each of ``RIVALS``, a dict of str to Series."""
    return {rival: gains(folds, method, rival, measure) for rival in RIVALS}


def comparison_table(folds, comparisons, numbers=None):
    """Mean gains over the data sets with intervals, wins, ties and losses.

    Parameters
    ----------
    folds : DataFrame, from :func:`fold_table`
    comparisons : sequence of (str, str)
        A method, and whom it is compared with.
    numbers : dict or None
        Numbers of the rule of Holm's procedure over the blend's three rivals, as the ledger has them.

    Returns
    -------
    DataFrame
        A row per comparison: "mean", "low" and "high" (95%, not corrected) and "median" in points of
        accuracy, "wins", "ties", "losses", what Holm's procedure decides; and, if it was measured, what is
        gained in log loss, with an interval, and in Brier score.
    """
    steps = (
        holm_steps({r: d.tolist() for r, d in gains_over_rivals(folds).items()}, numbers) if numbers else {}
    )
    said = {True: "better", False: "worse", None: "undecided"}
    rows = {}
    for method, rival in comparisons:
        d = gains(folds, method, rival)
        row = {
            **mean_interval(d)._asdict(),
            "median": d.median(),
            "wins": int((d > 0).sum()),
            "ties": int((d == 0).sum()),
            "losses": int((d < 0).sum()),
        }
        if steps:
            row["by Holm’s procedure"] = (
                said[steps[rival].holds] if method == "blend" and rival in steps else "–"
            )
        if "log_loss" in folds:
            loss = mean_interval(gains(folds, method, rival, "log_loss"))
            row |= dict(zip(("log loss", "log loss low", "log loss high"), loss, strict=True))
            row["Brier score"] = gains(folds, method, rival, "brier").mean()
        rows[f"{method} − {rival}"] = row
    return pd.DataFrame.from_dict(rows, orient="index")


def before_and_after(first, second, numbers):
    """What two runs say about the blend and its three rivals, with Holm's procedure in each.

    Parameters
    ----------
    first, second : DataFrame, from :func:`fold_table`
    numbers : dict
        As :func:`comparison_table` takes them.

    Returns
    -------
    DataFrame
        A row per rival and run: "mean", "low", "high" and "by Holm’s procedure".
    """
    comparisons = [("blend", rival) for rival in RIVALS]
    columns = ["mean", "low", "high", "by Holm’s procedure"]
    tables = {
        run: comparison_table(folds, comparisons, numbers)[columns]
        for run, folds in (("first", first), ("second", second))
    }
    return (
        pd.concat(tables, names=["run", ""])
        .swaplevel()
        .sort_index(
            level=0, sort_remaining=False, key=lambda names: names.map([f"blend − {r}" for r in RIVALS].index)
        )
    )


def _gain_over_forest(table):
    difference = table["blend"] - table["random forest"]
    return difference.where(difference.abs() > ROUNDING, 0.0)


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
    difference = _gain_over_forest(table)
    chosen = difference[difference > 0] if gains else difference[difference < 0]
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
        For each property and half ("≤ median", "> median"): number of sets, mean difference with its 95%
        interval (NaN for fewer than two sets), losses and the largest loss; and Spearman's rank correlation
        of property and difference over all sets.
    """
    difference = _gain_over_forest(table)
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
                "losses": int((part < 0).sum()),
                "largest loss": max(0.0, -part.min()) if len(part) else np.nan,
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
        largest share in percent.
    """
    gap = table["canonical"] - table["random forest"]
    answer = np.select([gap > ROUNDING, gap < -ROUNDING], ["canonical", "random forest"], "neither")
    shares = table["oblique"].groupby(pd.Series(answer, table.index, name="more accurate"))
    return shares.agg(["size", "mean", "min", "max"]).rename(columns={"size": "sets"})
