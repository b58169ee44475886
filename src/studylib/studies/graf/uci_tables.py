"""What the source's comparison on the UCI suite found, as tables and as measurements for its claims."""

import baycomp
import numpy as np
import pandas as pd
from scipy import stats

from studylib.statistics import mean_interval
from studylib.studies.graf.uci_grids import FIRST_BLEND, OURS, SOURCE, UNTUNED

#: The source calls a method comparable to another that is at most so much better, in points.
COMPARABLE = 1.0
#: The sets with the most classes, by the claim about each.
PLANTS = {f"graf-uci-plant-{kind}": f"plant-{kind}" for kind in ("margin", "shape", "texture")}
#: Properties of a data set, and what they are called in figures and tables.
PROPERTIES = {"n": "samples", "d": "features", "classes": "classes", "coded": "share of coded columns"}
_ROUNDING = 1e-9


def accuracy_table(keys, found):
    """Results of ``uci.fold_accuracies``, a row per key and draw.

    Parameters
    ----------
    keys : list of dict
    found : list of list of float

    Returns
    -------
    DataFrame
        "data", "method", "replicate", "draw", and "accuracy" in percent.
    """
    rows = [
        (key["data"], key["method"], key["replicate"], draw, 100 * accuracy)
        for key, accuracies in zip(keys, found, strict=True)
        for draw, accuracy in enumerate(accuracies)
    ]
    return pd.DataFrame(rows, columns=["data", "method", "replicate", "draw", "accuracy"])


def means(accuracies, methods=None):
    """Mean accuracy of each method (columns) on each data set (rows)."""
    table = accuracies.groupby(["data", "method"], sort=False)["accuracy"].mean().unstack(sort=False)
    methods = methods or [m for m in (*SOURCE, *OURS, *UNTUNED, FIRST_BLEND) if m in table]
    return table.loc[accuracies["data"].unique(), list(methods)]


def replicates(accuracies, methods=SOURCE):
    """:func:`means` of each replicate, a list; a method that is tested once has that one in all.

    Parameters
    ----------
    accuracies : DataFrame, from :func:`accuracy_table`
    methods : sequence of str

    Returns
    -------
    list of DataFrame
    """
    first = means(accuracies[accuracies["replicate"] == 0], methods)
    found = []
    for _, part in accuracies.groupby("replicate"):
        own = [method for method in methods if method in set(part["method"])]
        found.append(first.assign(**means(part, own)))
    return found


def best_or_equal(table):
    """Whether GRAF is best or equal in each row, at the source's two decimals."""
    return table["GRAF"].round(2) >= table[list(SOURCE)].round(2).max(axis=1)


def comparable(rivals):
    """Whether GRAF is better than each of the rivals, or at most a point behind: a function of a table."""
    return lambda table: table["GRAF"] - table[list(rivals)].max(axis=1) >= -COMPARABLE - _ROUNDING


#: What is said of a share of the sets, by the claim about it.
STATEMENTS = {
    "graf-uci-best": best_or_equal,
    "graf-uci-adaboost": comparable(["AdaBoost"]),
    "graf-uci-rf": comparable(["random forest"]),
    "graf-uci-gb": comparable(["gradient boosting"]),
    "graf-majority": comparable(SOURCE[1:]),
}


def from_best_other(accuracies, data):
    """GRAF − the best other method of the source on one set, in points: a difference for each draw.

    Each draw counts with the mean over its replicates; the best other has the highest mean over all.
    """
    part = accuracies[(accuracies["data"] == data) & accuracies["method"].isin(SOURCE)]
    by_draw = part.groupby(["draw", "method"])["accuracy"].mean().unstack()
    best = by_draw[list(SOURCE[1:])].mean().idxmax()
    return best, (by_draw["GRAF"] - by_draw[best]).tolist()


def ranks(table):
    """Rank of each method on each set, 1 for the best; equal accuracies share their mean rank."""
    return table.round(9).rank(axis=1, ascending=False)


def rank_differences(table, rivals):
    """Rank of GRAF − rank of a rival on each set, a dict of lists; negative where GRAF is better."""
    found = ranks(table)
    return {rival: (found["GRAF"] - found[rival]).tolist() for rival in rivals}


def wins(table, method, rivals):
    """On how many sets a method is better than each rival by more than the comparable point: counts."""
    won = {rival: table[method] - table[rival] > COMPARABLE + _ROUNDING for rival in rivals}
    return {rival: {"true": int(one.sum()), "of": len(table)} for rival, one in won.items()}


def of_group(values, inside):
    """Values of the sets inside a group, a list; None of fewer than two, which have no interval."""
    found = values[inside].tolist()
    return found if len(found) > 1 else None


def from_best_method(table, method):
    """Method − the best other method by mean accuracy, in points, on each set: ``(which, a list)``."""
    best = table.drop(columns=method).mean().idxmax()
    return best, (table[method] - table[best]).tolist()


def difference_of_groups(values, inside):
    """Values whose mean is the mean inside a group minus that outside, a list; None if one of them is empty.

    Each set's value is what it adds to the difference, so an interval for their mean is one for the
    difference of two independent groups, whose variances may differ.

    Parameters
    ----------
    values : Series
    inside : bool Series
    """
    groups = [(inside, 1), (~inside, -1)]
    if not all(mask.any() for mask, _ in groups):
        return None
    means = [sign * values[mask].mean() for mask, sign in groups]
    parts = [
        sum(means) + sign * len(values) / mask.sum() * (values[mask] - values[mask].mean())
        for mask, sign in groups
    ]
    return pd.concat(parts).loc[values.index].tolist()


def by_domain(table, discrete, method="single tree", rival="random forest"):
    """Mean rank of a method among all, and its accuracy beside a rival's, on two kinds of sets.

    Parameters
    ----------
    table : DataFrame, from :func:`means`
    discrete : bool Series
        Whether all features of a set are discrete.
    method, rival : str

    Returns
    -------
    DataFrame
    """
    rows = {}
    for words, mask in (("discrete features only", discrete), ("others", ~discrete)):
        part = table[mask]
        rows[words] = {
            "sets": len(part),
            "mean rank": ranks(part)[method].mean(),
            method: part[method].mean(),
            rival: part[rival].mean(),
        }
    return pd.DataFrame(rows).T.astype({"sets": int})


def friedman(table):
    """Friedman's test of equal ranks: ``(statistic, p)``."""
    found = stats.friedmanchisquare(*(table[method].round(9) for method in table))
    return float(found.statistic), float(found.pvalue)


def critical_difference(n_methods, n_sets, level=0.95):
    """Nemenyi's critical difference of mean ranks.

    Demšar, *Statistical Comparisons of Classifiers over Multiple Data Sets*, JMLR 7 (2006):
    ``q √(k (k + 1) / 6N)``, q the quantile of the studentised range divided by √2.
    """
    q = stats.studentized_range.ppf(level, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def wins_table(table, method, rivals, rope=COMPARABLE):
    """A method against each rival over all sets.

    Parameters
    ----------
    table : DataFrame, from :func:`means`
    method : str
    rivals : sequence of str
    rope : float
        Points: differences up to this are practically equivalent.

    Returns
    -------
    DataFrame
        For each rival: wins, ties (exactly equal) and losses; the mean difference with its 95% interval; and
        by the Bayesian signed-rank test (Benavoli et al., ICML 2014) the probabilities that on another set of
        this kind the method is better by more than ``rope``, equivalent, or worse by more than it.
    """
    rows = {}
    for rival in rivals:
        d = (table[method] - table[rival]).where(lambda v: v.abs() > _ROUNDING, 0.0)
        test = baycomp.SignedRankTest(
            table[rival].to_numpy(), table[method].to_numpy(), rope=rope, nsamples=10_000, random_state=0
        )
        worse, equivalent, better = test.probs()
        rows[f"{method} − {rival}"] = {
            "wins": int((d > 0).sum()),
            "ties": int((d == 0).sum()),
            "losses": int((d < 0).sum()),
            **mean_interval(d)._asdict(),
            "P(better)": better,
            "P(equivalent)": equivalent,
            "P(worse)": worse,
        }
    return pd.DataFrame(rows).T.astype({"wins": int, "ties": int, "losses": int})


def result_table(sets, tuned, defaults):
    """One row per set, with its sizes, the tuned accuracies, and those at defaults of what is not tuned.

    Parameters
    ----------
    sets : list of UciSet
    tuned, defaults : DataFrame, from :func:`means`

    Returns
    -------
    DataFrame
    """
    sizes = pd.DataFrame(sets).set_index("name").rename(columns={"n": "samples", "d": "features"})
    return sizes.join(tuned[[*SOURCE, *OURS]]).join(defaults[list(UNTUNED)])


def tuning_gain(tuned, defaults):
    """Tuned − default accuracy of each tuned method, in points: mean over sets with its interval."""
    gains = {m: (tuned[m] - defaults[m]).dropna() for m in tuned}
    rows = {m: {"sets": len(gain), **mean_interval(gain)._asdict()} for m, gain in gains.items()}
    return pd.DataFrame(rows).T.astype({"sets": int})


def choices(best):
    """How often each number of trees, of features (as a share of d) and smallest split was chosen.

    Parameters
    ----------
    best : dict
        From ``uci_grids.chosen``.

    Returns
    -------
    DataFrame
        Rows are methods, columns ``(parameter, value)``, entries numbers of sets.
    """
    rows = [
        {"method": method, "parameter": name, "value": key[name][0] if name == "n_trees" else key[name]}
        for (_, method), key in best.items()
        for name in ("n_trees", "min_samples_split")
        if key.get(name, "auto") != "auto"
    ]
    table = pd.DataFrame(rows)
    return pd.crosstab(table["method"], [table["parameter"], table["value"]]).loc[table["method"].unique()]


def differences(table, method, rivals):
    """Method − rival, in points, on each set: a dict of lists."""
    return {rival: (table[method] - table[rival]).tolist() for rival in rivals}


def shift_table(sets, found):
    """Accuracy in percent as stored, shifted, and shifted but standardised first, a row per set.

    Parameters
    ----------
    sets : list of UciSet
    found : list of dict, from ``uci.shifted_accuracies``

    Returns
    -------
    DataFrame
    """
    return 100 * pd.DataFrame(found, index=[one.name for one in sets])


def by_property(table, properties, method, rival):
    """Method − rival on the sets with little and with much of each property, divided at its median.

    Parameters
    ----------
    table : DataFrame, from :func:`means`
    properties : DataFrame
        Columns of ``PROPERTIES``, with the same index.
    method, rival : str

    Returns
    -------
    DataFrame
        For each property and half: sets, wins, mean difference with its 95% interval; and the rank
        correlation of property and difference over all sets.
    """
    d = table[method] - table[rival]
    rows = {}
    for name, words in PROPERTIES.items():
        values = properties[name]
        median = values.median()
        rho = stats.spearmanr(values, d).statistic if values.nunique() > 1 and d.nunique() > 1 else np.nan
        for sign, half in (("≤", values <= median), (">", values > median)):
            part = d[half]
            interval = mean_interval(part) if len(part) > 1 else (part.mean(), np.nan, np.nan)
            rows[words, f"{sign} {median:.4g}"] = {
                "sets": len(part),
                "wins": int((part > _ROUNDING).sum()),
                **dict(zip(("mean", "low", "high"), interval, strict=True)),
                "rank correlation": rho,
            }
    return pd.DataFrame(rows).T.astype({"sets": int, "wins": int})


def accuracy_and_time(defaults, times):
    """Mean accuracy at defaults with its interval over sets, and the relative time of a fit, by method.

    Parameters
    ----------
    defaults : DataFrame, from :func:`means`
    times : Series, from ``uci_costs.relative_fit_times``

    Returns
    -------
    DataFrame
        "accuracy", "low", "high" (percent) and "time".  Intervals are those of the difference from the
        mean of all methods on the same set, around the method's mean: sets differ more than methods do.
    """
    difficulty = defaults.mean(axis=1)
    centred = defaults.sub(difficulty, axis=0) + difficulty.mean()
    rows = {m: mean_interval(centred[m].dropna())._asdict() | {"time": times[m]} for m in defaults}
    return pd.DataFrame(rows).T.rename(columns={"mean": "accuracy"})
