"""The blend and its rivals, as tables and figures; a data set is one observation (notebooks 11 and 11b)."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from studylib import plots
from studylib.statistics import mean_interval
from studylib.studies.graf import scales
from studylib.studies.graf.repeated import BLEND, RF
from studylib.studies.graf.scales import PROPERTIES, difference_axis, legend, rank_correlation, scatter
from studylib.studies.graf.suite import METHODS
from studylib.studies.replicates import in_percent, unrolled
from studylib.study.intervals import holm_steps

#: Whom the blend is compared with, corrected for their number.
RIVALS = METHODS[:3]
#: The differences that the first run shows: a method and whom it is compared with.
COMPARISONS = (*(("blend", rival) for rival in (*RIVALS, "guided", "canonical")), ("canonical", "guided"))
#: Differences of means below this are rounding: a tie.
ROUNDING = 1e-9
#: Measures, how tables call them, and whether more of it is better.
MEASURES = {"accuracy": ("accuracy", 1), "log_loss": ("log loss", -1), "brier": ("Brier score", -1)}
#: The groups of sets by size that were formed before the run: the largest number of samples in each.
_SIZES = {"up to 306 samples": 306, "307 to 1,473": 1473, "1,474 and more": np.inf}
_LABELS = ("blend more accurate", "equal", "blend less accurate")


def fold_table(runs):
    """A row per key and "fold"; "accuracy" and "oblique" are in percent.

    ``runs``: a row per key of ``suite.fold_accuracies`` or ``repeated.scores``.
    """
    folds = unrolled(runs, [name for name in MEASURES if name in runs], place="fold")
    return in_percent(folds, "accuracy", "oblique")


def set_table(folds, descriptions):
    """One row per data set: its properties, the mean accuracy of each method, the blend's oblique share.

    ``folds``: from :func:`fold_table`. ``descriptions``: from ``suite.description``, in the order in which
    the sets first appear in ``folds``. Returns columns of ``PROPERTIES``, of the methods, and "oblique", in
    percent.
    """
    names, methods = folds["data"].unique(), folds["method"].unique()
    by_set = folds.groupby(["data", "method"], sort=False)["accuracy"].mean().unstack()
    shares = folds[folds["method"] == "blend"].groupby("data")["oblique"].mean()
    table = pd.DataFrame(descriptions, index=pd.Index(names, name="data"))[list(PROPERTIES)]
    return table.join(by_set.loc[names, methods]).join(shares)


def mean_scores(folds):
    """Mean accuracy of each method in percent, and what else was measured: means over the data sets.

    ``folds``: from :func:`fold_table`. Returns a row per method, of means over data sets of their means over
    folds and seeds.
    """
    measured = [name for name in MEASURES if name in folds]
    by_set = folds.groupby(["method", "data"], sort=False)[measured].mean()
    table = by_set.groupby(level="method", sort=False).mean()
    return table.rename(columns={name: words for name, (words, _) in MEASURES.items()})


def gains(folds, method, rival, measure="accuracy"):
    """By how much a method is better than a rival on each data set; negative where it is worse.

    ``folds``: from :func:`fold_table`. ``measure``: {"accuracy", "log_loss", "brier"}; accuracy in points;
    the others as they are, rival − method. Returns a Series, indexed by data set: means of paired differences
    over folds and splits, each over the model seeds; 0 if rounding only.
    """
    means = folds.groupby(["method", "data", "split_seed", "fold"], sort=False)[measure].mean()
    gained = MEASURES[measure][1] * (means[method] - means[rival])
    gained = gained.groupby(level="data", sort=False).mean()
    return gained.where(gained.abs() > ROUNDING, 0.0)


def without_the_farthest(gained):
    """The median gain, and the gains without the set with the largest difference, whatever its sign.

    ``gained``: from :func:`gains`. Returns a dict of str to float or list, named after that set.
    """
    farthest = gained.abs().idxmax()
    return {"median": float(gained.median()), f"mean without {farthest}": gained.drop(farthest).tolist()}


def gains_over_rivals(folds, method="blend", measure="accuracy"):
    """:func:`gains` of a method over each of ``RIVALS``, a dict of str to Series."""
    return {rival: gains(folds, method, rival, measure) for rival in RIVALS}


def comparison_table(folds, comparisons, numbers=None):
    """Mean gains over the data sets with intervals, wins, ties and losses.

    ``folds``: from :func:`fold_table`. ``comparisons``: sequence of (str, str); a method, and whom it is
    compared with. ``numbers``: dict or None; numbers of the rule of Holm's procedure over the blend's three
    rivals, as the ledger has them. Returns a row per comparison: "mean", "low" and "high" (95%, not
    corrected) and "median" in points of accuracy, "wins", "ties", "losses", what Holm's procedure decides;
    and, if it was measured, what is gained in log loss, with an interval, and in Brier score.
    """
    steps = (
        holm_steps({r: d.tolist() for r, d in gains_over_rivals(folds).items()}, numbers) if numbers else {}
    )
    words = {True: "better", False: "worse", None: "undecided"}
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
                words[steps[rival].holds] if method == "blend" and rival in steps else "–"
            )
        if "log_loss" in folds:
            loss = mean_interval(gains(folds, method, rival, "log_loss"))
            row |= dict(zip(("log loss", "log loss low", "log loss high"), loss, strict=True))
            row["Brier score"] = gains(folds, method, rival, "brier").mean()
        rows[f"{method} − {rival}"] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("compared")


def before_and_after(first, second, numbers):
    """What two runs say about the blend and its three rivals, with Holm's procedure in each.

    ``first``, ``second``: from :func:`fold_table`. ``numbers``: as :func:`comparison_table` takes them.
    Returns a row per rival and run: "mean", "low", "high" and "by Holm’s procedure".
    """
    comparisons = [("blend", rival) for rival in RIVALS]
    columns = ["mean", "low", "high", "by Holm’s procedure"]
    tables = {
        run: comparison_table(folds, comparisons, numbers)[columns]
        for run, folds in (("first", first), ("second", second))
    }
    return (
        pd.concat(tables, names=["run", "compared"])
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

    ``table``: from :func:`set_table`. ``n``: at most so many sets. ``gains``: gains, or else losses. Returns
    rows of ``table``, and the "difference"; the largest first.
    """
    difference = _gain_over_forest(table)
    chosen = difference[difference > 0] if gains else difference[difference < 0]
    chosen = chosen.sort_values(ascending=not gains, kind="stable").head(n)
    return table.loc[chosen.index].assign(difference=chosen)


def by_property(table):
    """Blend − random forest on sets with little and with much of each property, divided at its median.

    ``table``: from :func:`set_table`. Returns for each property and half ("≤ median", "> median"): number of
    sets, mean difference with its 95% interval (NaN for fewer than two sets), losses and the largest loss;
    and Spearman's rank correlation of property and difference over all sets.
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
    return pd.DataFrame(rows).T.astype({"sets": int, "losses": int}).rename_axis(["property", "half"])


def by_better_family(table):
    """The blend's oblique share where forests of oblique trees are better, and where a random forest is.

    ``table``: from :func:`set_table`. Returns a row for each answer to which of both is more accurate: number
    of sets, and mean, smallest and largest share in percent.
    """
    gap = table["canonical"] - table["random forest"]
    answer = np.select([gap > ROUNDING, gap < -ROUNDING], ["canonical", "random forest"], "neither")
    shares = table["oblique"].groupby(pd.Series(answer, table.index, name="more accurate"))
    return shares.agg(["size", "mean", "min", "max"]).rename(columns={"size": "sets"})


def by_size(folds, n_samples, rivals, without):
    """Gains in accuracy over each rival, by groups of sets, with 95% intervals.

    ``folds``: from :func:`~studylib.studies.graf.blend_results.fold_table`. ``n_samples``: dict of str to
    int; samples of each data set. ``without``: one more group, if this set is there, are all others. Returns
    rows ``(group, rival)``: "sets", "mean", "low", "high"; a single set has no interval.
    """
    rows = {}
    for rival in rivals:
        d = gains(folds, BLEND, rival)
        n = d.index.map(n_samples)
        groups = {"all": d}
        if without in d:
            groups[f"without {without}"] = d.drop(without)
        least = 0
        for name, most in _SIZES.items():
            if len(some := d[(n > least) & (n <= most)]):
                groups[name] = some
            least = most
        for group, some in groups.items():
            interval = mean_interval(some) if len(some) > 1 else (some.mean(), np.nan, np.nan)
            rows[group, rival] = {
                "sets": len(some),
                **dict(zip(("mean", "low", "high"), interval, strict=True)),
            }
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.index.names = ["sets", "blend −"]
    return table.sort_index(level=0, sort_remaining=False, key=lambda names: names.map(list(groups).index))


def chosen_sizes(runs):
    """How often the blend chose each least node size, by family, in percent of its fits.

    ``runs``: a row per key of ``repeated.scores``.
    """
    sizes = pd.DataFrame(runs.loc[runs["method"] == BLEND, "sizes"].explode().tolist())
    table = sizes.apply(pd.Series.value_counts).sort_index().rename_axis("m")
    return 100 * table.fillna(0) / table.sum()


def six_gains(folds):
    """What the six claims about the tables kept back are judged on: gains by measure and rival.

    ``folds``: from :func:`~studylib.studies.graf.blend_results.fold_table`. Returns a dict of str to Series:
    "accuracy, random forest" and so on, in points, and "log loss, random forest" and so on, in nats.
    """
    return {
        f"{MEASURES[measure][0]}, {rival}": d
        for measure in ("accuracy", "log_loss")
        for rival, d in gains_over_rivals(folds, BLEND, measure).items()
    }


def by_table(folds):
    """Mean accuracy of each method on each data set, and how much the blend gains over a random forest.

    ``folds``: from :func:`~studylib.studies.graf.blend_results.fold_table`. In percent, sorted by the
    last column, "blend − random forest", in percentage points.
    """
    table = folds.pivot_table("accuracy", "data", "method", sort=False)
    table.index = [name.split(" ", 1)[-1] for name in table.index]  # without the kind of data set
    table.columns.name = None
    table[f"{BLEND} − {RF}"] = table[BLEND] - table[RF]
    return table.sort_values(table.columns[-1])


@plots.nine_points
def sorted_differences(differences, caption):
    """Differences in accuracy on all data sets, sorted, a panel for each rival; the mean with its interval.

    ``differences``: dict of str to Series; blend − rival, in points. ``caption``: what the figure is made
    from.
    """
    figure, axes = plt.subplots(
        1, len(differences), figsize=(plots.WIDTH, 4.4), sharey=True, layout="constrained"
    )
    for ax, (rival, values) in zip(np.atleast_1d(axes), differences.items(), strict=True):
        ordered = np.sort(values.to_numpy())
        mean, low, high = mean_interval(ordered)
        ax.axhspan(low, high, color=plots.PALETTE[4], alpha=0.35, lw=0)
        ax.axhline(mean, color=plots.PALETTE[4], lw=2)
        scatter(ax, range(1, len(ordered) + 1), ordered, ordered, _LABELS)
        difference_axis(ax, "y", np.concatenate(list(differences.values())))
        interval = f"{mean:+.2f}\n({low:+.2f} … {high:+.2f})".replace("-", "−")
        ax.set_title(f"{textwrap.fill(f'blend − {rival}', 22)}\n{interval}")
        ax.set_xlabel("data sets, sorted")
        ax.xaxis.get_major_locator().set_params(integer=True, nbins=4)
    np.atleast_1d(axes)[0].set_ylabel("difference in accuracy, points")
    return legend(figure, np.atleast_1d(axes)[0], caption)


@plots.nine_points
def against_properties(table, difference, caption):
    """Difference from a random forest against samples, features, classes and the share of coded columns.

    ``table``: from :func:`~studylib.studies.graf.blend_results.set_table`. ``difference``: blend − random
    forest, in points.
    """
    figure, axes = scales.against_properties(table, difference, _LABELS)
    figure.supylabel("blend − random forest, points")
    return legend(figure, axes[0, 0], caption)


@plots.nine_points
def oblique_shares(table, difference, caption):
    """How large the blend's oblique shares are, and how they follow which family is better.

    ``table``: from :func:`~studylib.studies.graf.blend_results.set_table`. ``difference``: blend − random
    forest, in points.
    """
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(plots.WIDTH, 3.8), width_ratios=[1, 1.8], sharey=True, layout="constrained"
    )
    bins = np.linspace(0, 100, 11)
    left.hist(table["oblique"], bins, orientation="horizontal", color=plots.PALETTE[5], edgecolor="white")
    left.set(xlabel="data sets", ylabel="share of oblique trees, %", ylim=(-3, 103))
    gap = table["canonical"] - table["random forest"]
    scatter(right, gap, table["oblique"], difference, _LABELS)
    right.axhline(50, color="#555555", lw=1, ls=":")
    difference_axis(right, "x", gap)
    right.set(
        xlabel="canonical − random forest, points",
        title=scales.correlation_title(gap, table["oblique"]),
    )
    return legend(figure, right, caption)
