"""Other ways to choose rows than by sensitivity, as tables and a figure (notebook 06)."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from studylib import plots
from studylib.statistics import mean_interval
from studylib.studies.graf.selection import LEARNERS, WAYS
from studylib.studies.replicates import in_percent, unrolled

#: Ticks on a symmetric log scale of percentage points.
_POINTS = {-30: "−30", -10: "−10", -3: "−3", -1: "−1", 0: "0", 1: "1", 3: "3", 10: "10"}


def way_table(ways):
    """A row per key, way, learner and "share" (1 for "all rows"), and the "accuracy" in percent."""
    shares = zip(ways["way"], ways["shares"], strict=True)
    table = ways.assign(share=[[1.0] if way == "all rows" else listed for way, listed in shares])
    return in_percent(unrolled(table, ["share", "value"]).rename(columns={"value": "accuracy"}), "accuracy")


def differences_from_uniform(ways):
    """Mean accuracy of each way − that of uniform sampling, in points, by data set, share and learner."""
    parts = ways[ways["way"] != "all rows"]
    means = parts.pivot_table("accuracy", ["data", "share", "learner"], "way", sort=False)
    others = means[list(WAYS[1:])].sub(means["uniform"], axis=0)
    return others.melt(ignore_index=False, var_name="way", value_name="difference").reset_index()


def way_summary(ways):
    """Mean difference from uniform over the data sets with its 95% interval, wins and losses.

    A difference of at most half a point is neither won nor lost.
    """
    by_group, rows = differences_from_uniform(ways).groupby(["share", "learner", "way"]), {}
    shares = sorted(ways.loc[ways["way"] != "all rows", "share"].unique())
    for group in itertools.product(shares, LEARNERS, WAYS[1:]):
        d = by_group.get_group(group)["difference"]
        rows[group] = {
            **mean_interval(d)._asdict(),
            "won": int((d > 0.5).sum()),
            "lost": int((d < -0.5).sum()),
            "worst": d.min(),
        }
    table = pd.DataFrame(rows).T.rename_axis(["share", "learner", "way"])
    return table.astype({"won": int, "lost": int})


def mean_way_accuracies(ways):
    """Accuracy in percent by share, learner and way: the mean over data sets of means over repetitions."""
    by_set = ways.groupby(["way", "learner", "share", "data"], sort=False)["accuracy"].mean()
    means = by_set.groupby(level=["way", "learner", "share"]).mean()
    shares = sorted(ways.loc[ways["way"] != "all rows", "share"].unique())
    rows = {
        (share, learner): {way: means[way, learner, share] for way in WAYS}
        | {"all rows": means["all rows", learner, 1.0]}
        for share in shares
        for learner in LEARNERS
    }
    return pd.DataFrame(rows).T.rename_axis(["share", "learner"])


@plots.nine_points
def ways(table, caption):
    """Accuracy of each way of choosing − that of uniform sampling: each data set, mean and interval."""
    differences, summary = differences_from_uniform(table), way_summary(table)
    shares = sorted(differences["share"].unique())
    figure, axes = plt.subplots(
        len(LEARNERS),
        len(shares),
        figsize=(plots.WIDTH, 2.1 * len(LEARNERS) + 0.5),
        sharex=True,
        sharey=True,
        layout="constrained",
        squeeze=False,
    )
    for row, learner in zip(axes, LEARNERS, strict=True):
        for ax, share in zip(row, shares, strict=True):
            for k, way in enumerate(WAYS[1:]):
                gaps = differences.query("share == @share and learner == @learner and way == @way")[
                    "difference"
                ]
                mean, low, high = summary.loc[(share, learner, way), ["mean", "low", "high"]]
                ax.scatter(gaps, np.full(len(gaps), k), s=14, color=plots.PALETTE[6], alpha=0.45, lw=0)
                ax.errorbar(
                    mean, k, xerr=[[mean - low], [high - mean]], fmt="o", color=plots.PALETTE[0], capsize=4
                )
            ax.axvline(0, color="#555555", lw=1)
            ax.grid(visible=False, axis="y")
            ax.set_title(f"{learner} on {share:.0%} of the rows")
    # One scale for all panels, so that lengths compare; it holds every mark.
    low, high = differences["difference"].min(), max(differences["difference"].max(), summary["high"].max())
    axes[0, 0].set_xscale("symlog", linthresh=1, linscale=0.6)
    axes[0, 0].set_xlim(1.3 * min(low, summary["low"].min(), -1), 1.3 * max(high, 1))
    axes[0, 0].set_xticks(list(_POINTS), list(_POINTS.values()))
    axes[0, 0].minorticks_off()
    axes[0, 0].set_yticks(range(len(WAYS) - 1), WAYS[1:])
    axes[0, 0].set_ylim(len(WAYS) - 1.5, -0.5)
    figure.supxlabel("accuracy, difference from uniform sampling, percentage points (symmetric log scale)")
    figure.text(0.01, -0.03, caption, color="dimgray")
    return figure
