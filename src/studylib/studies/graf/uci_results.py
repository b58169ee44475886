"""The source's comparison on the UCI suite (section 5.3): tables and measurements (notebook 05)."""

from itertools import permutations, product

import baycomp
import numpy as np
import pandas as pd
from scipy import stats

from studylib.statistics import mean_interval
from studylib.studies.graf.scales import PROPERTIES, rank_correlation
from studylib.studies.graf.uci_grids import FIRST_BLEND, OURS, SOURCE, UNTUNED
from studylib.studies.replicates import in_percent

#: Differences of at most so many points are called small in tables and figures.
COMPARABLE = 1.0
#: The sets with the most classes, by the claim about each.
PLANTS = {f"graf-uci-plant-{kind}": f"plant-{kind}" for kind in ("margin", "shape", "texture")}
_ROUNDING = 1e-9


def accuracy_table(runs):
    """The keys' columns, "draw", and "accuracy" in percent.

    ``runs``: of ``uci.fold_accuracies``, by "draw".
    """
    return in_percent(runs.rename(columns={"value": "accuracy"}), "accuracy")


def means(accuracies, methods=None):
    """Mean accuracy of each method (columns) on each data set (rows)."""
    table = accuracies.groupby(["data", "method"], sort=False)["accuracy"].mean().unstack(sort=False)
    methods = methods or [m for m in (*SOURCE, *OURS, *UNTUNED, FIRST_BLEND) if m in table]
    return table.loc[accuracies["data"].unique(), list(methods)]


def replicates(accuracies, methods=SOURCE):
    """:func:`means` of each replicate, a list; a method that is tested once has that one in all.

    ``accuracies``: from :func:`accuracy_table`. Returns a list of DataFrame.
    """
    first = means(accuracies[accuracies["replicate"] == 0], methods)
    tables = []
    for _, part in accuracies.groupby("replicate"):
        tested = [method for method in methods if method in set(part["method"])]
        tables.append(first.assign(**means(part, tested)))
    return tables


def comparable(rivals, points):
    """Whether GRAF is better than each of the rivals, or at most so many points behind.

    At the source's two decimals if that is 0.  Returns a function of a table.
    """

    def holds(table):
        table = table if points else table.round(2)
        return table["GRAF"] - table[list(rivals)].max(axis=1) >= -points - _ROUNDING

    return holds


#: To whom GRAF is compared on each set, by the claim about the share of sets.
RIVALS = {
    "graf-uci-best": SOURCE[1:],
    "graf-uci-adaboost": ["AdaBoost"],
    "graf-uci-rf": ["random forest"],
    "graf-uci-gb": ["gradient boosting"],
    "graf-majority": SOURCE[1:],
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
    places = ranks(table)
    return {rival: (places["GRAF"] - places[rival]).tolist() for rival in rivals}


def wins(tables, method, rivals, points):
    """How often a method is better than a rival by more than so many points, and how often by chance.

    By chance: how often either of them, tested again, is as much better than itself; one that is tested once
    does not count.  ``tables``: from :func:`replicates`. Returns for each rival "first", on each set the
    share of pairs of tests that are won, and "second", the share by chance: lists.
    """

    def share(one, other, pairs):
        won = [tables[i][one] - tables[j][other] > points + _ROUNDING for i, j in pairs]
        return sum(won) / max(len(won), 1)

    tests = range(len(tables))
    again = [m for m in tables[0] if not all(table[m].equals(tables[0][m]) for table in tables)]
    found = {}
    for rival in rivals:
        chance = [share(m, m, list(permutations(tests, 2))) for m in {method, rival} & set(again)]
        none = 0.0 * tables[0][method]
        found[rival] = {
            "first": share(method, rival, list(product(tests, repeat=2))).tolist(),
            "second": (sum(chance, none) / max(len(chance), 1)).tolist(),
        }
    return found


def places(table, method):
    """A method's place among all on each set, from 0 for the best to 1 for the last, a Series."""
    return (ranks(table)[method] - 1) / (table.shape[1] - 1)


def of_group(values, inside):
    """Values of the sets inside a group, a list; None of fewer than two, which have no interval."""
    chosen = values[inside].tolist()
    return chosen if len(chosen) > 1 else None


def from_best_method(table, method):
    """Method − the best other method by mean accuracy, in points, on each set: ``(which, a list)``."""
    best = table.drop(columns=method).mean().idxmax()
    return best, (table[method] - table[best]).tolist()


def difference_of_groups(values, inside):
    """Values whose mean is the mean inside a group minus that outside, a list; None if one of them is empty.

    Each set's value is what it adds to the difference, so an interval for their mean is one for the
    difference of two independent groups, whose variances may differ.

    ``inside``: bool Series.
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

    ``table``: from :func:`means`. ``discrete``: bool Series; whether all features of a set are discrete.
    """
    rows = {}
    for words, mask in (("discrete features only", discrete), ("others", ~discrete)):
        part = table[mask]
        rows[words] = {
            "sets": len(part),
            f"mean rank of {part.shape[1]}": ranks(part)[method].mean(),
            method: part[method].mean(),
            rival: part[rival].mean(),
        }
    return pd.DataFrame(rows).T.astype({"sets": int}).rename_axis("kind of sets")


def friedman(table):
    """Friedman's test of equal ranks: ``(statistic, p)``."""
    test = stats.friedmanchisquare(*(table[method].round(9) for method in table))
    return float(test.statistic), float(test.pvalue)


def critical_difference(n_methods, n_sets, level=0.95):
    """Nemenyi's critical difference of mean ranks.

    Demšar, *Statistical Comparisons of Classifiers over Multiple Data Sets*, JMLR 7 (2006):
    ``q √(k (k + 1) / 6N)``, q the quantile of the studentised range divided by √2.
    """
    q = stats.studentized_range.ppf(level, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def wins_table(table, method, rivals, rope=COMPARABLE):
    """A method against each rival over all sets.

    ``table``: from :func:`means`. ``rope``: points: differences up to this are practically equivalent.
    Returns for each rival: wins, ties (exactly equal) and losses; the mean difference with its 95% interval;
    and by the Bayesian signed-rank test (Benavoli et al., ICML 2014) the posterior probabilities that the
    typical difference is above ``rope``, within it, or below −``rope``.  They are about the typical set of
    such a sample, not about the next one.
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
    table = pd.DataFrame(rows).T.astype({"wins": int, "ties": int, "losses": int})
    return table.rename_axis("compared")


def result_table(sets, tuned, defaults):
    """One row per set, with its sizes, the tuned accuracies, and those at defaults of what is not tuned.

    ``sets``: list of UciSet. ``tuned``, ``defaults``: from :func:`means`.
    """
    sizes = pd.DataFrame(sets).set_index("name").rename(columns={"n": "samples", "d": "features"})
    return sizes.join(tuned[[*SOURCE, *OURS]]).join(defaults[list(UNTUNED)]).rename_axis("data set")


def tuning_gain(tuned, defaults):
    """Tuned − default accuracy of each tuned method, in points: mean over sets with its interval."""
    gains = {m: (tuned[m] - defaults[m]).dropna() for m in tuned}
    rows = {m: {"sets": len(gain), **mean_interval(gain)._asdict()} for m, gain in gains.items()}
    return pd.DataFrame(rows).T.astype({"sets": int}).rename_axis("method")


def choices(best):
    """How often each number of trees, of features (as a share of d) and smallest split was chosen.

    ``best``: from ``uci_grids.chosen``. Rows are methods, columns ``(parameter, value)``, entries
    numbers of sets.
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


def by_property(table, properties, method, rival):
    """Method − rival on the sets with little and with much of each property, divided at its median.

    ``table``: from :func:`means`. ``properties``: columns of ``PROPERTIES``, with the same index. Returns for
    each property and half: sets, wins, mean difference with its 95% interval; and the rank correlation of
    property and difference over all sets.
    """
    d = table[method] - table[rival]
    rows = {}
    for name, words in PROPERTIES.items():
        values = properties[name]
        median = values.median()
        rho = rank_correlation(values, d)
        for sign, half in (("≤", values <= median), (">", values > median)):
            part = d[half]
            interval = mean_interval(part) if len(part) > 1 else (part.mean(), np.nan, np.nan)
            rows[words, f"{sign} {median:.4g}"] = {
                "sets": len(part),
                "wins": int((part > _ROUNDING).sum()),
                **dict(zip(("mean", "low", "high"), interval, strict=True)),
                "rank correlation": rho,
            }
    return pd.DataFrame(rows).T.astype({"sets": int, "wins": int}).rename_axis(["property", "half"])


def accuracy_and_time(defaults, times):
    """Mean accuracy at defaults with its interval over sets, and the relative time of a fit, by method.

    ``defaults``: from :func:`means`. ``times``: from ``uci_costs.relative_fit_times``. Returns columns
    "accuracy", "low", "high" (percent) and "time".  Intervals are those of the difference from the mean of
    all methods on the same set, around the method's mean: sets differ more than methods do.
    """
    difficulty = defaults.mean(axis=1)
    centred = defaults.sub(difficulty, axis=0) + difficulty.mean()
    rows = {m: mean_interval(centred[m].dropna())._asdict() | {"time": times[m]} for m in defaults}
    return pd.DataFrame(rows).T.rename(columns={"mean": "accuracy"})
