"""Figures about sensitive points, support vectors, random subsets, and other ways to choose."""

import matplotlib.pyplot as plt
import numpy as np

from studylib import plots
from studylib.studies.graf import half_tables
from studylib.studies.graf.readings import READINGS
from studylib.studies.graf.selection import LEARNERS, WAYS
from studylib.studies.graf.subset_tables import differences_from_uniform, way_summary
from studylib.studies.graf.support_vectors import GROUPS

_GROUP_STYLES = dict(
    zip(
        GROUPS,
        ((plots.PALETTE[6], "-"), (plots.PALETTE[0], "-"), (plots.PALETTE[1], "--")),
        strict=True,
    )
)


#: Ticks on a symmetric log scale of percentage points.
_POINTS = {-30: "−30", -10: "−10", -3: "−3", -1: "−1", 0: "0", 1: "1", 3: "3", 10: "10"}


@plots.nine_points
def control(table, caption):
    """Accuracy on the most sensitive rows − on as many random ones: all halves, means and intervals.

    Parameters
    ----------
    table : DataFrame, from :func:`~studylib.studies.graf.half_tables.reading_table`
    caption : str
        What the figure is made from.

    Returns
    -------
    Figure
    """
    figure, ax = plt.subplots(
        figsize=(plots.WIDTH, 0.36 * table["data"].nunique() + 1.2), layout="constrained"
    )
    _draw_halves(ax, table, "accuracy, sensitive − random")
    ax.set_xlabel("SVM’s accuracy, sensitive − random rows, percentage points")
    figure.supxlabel(caption, x=0.01, ha="left", color="dimgray")
    return figure


@plots.nine_points
def weights(table, quantiles, bound, caption):
    """Rank correlation of |α| and p on random halves, and an example of what the source draws (Fig. 9).

    Parameters
    ----------
    table : DataFrame, from :func:`~studylib.studies.graf.half_tables.reading_table`
    quantiles : DataFrame, from :func:`~studylib.studies.graf.subset_tables.quantile_table`
        The distribution shown is that of its last set.
    bound : float
        What the correlation has to exceed.
    caption : str

    Returns
    -------
    Figure
    """
    figure, (left, right) = plt.subplots(
        1,
        2,
        figsize=(plots.WIDTH, 0.36 * table["data"].nunique() + 1.6),
        width_ratios=[3, 2],
        layout="constrained",
    )
    _draw_halves(left, table, "|α| and p")
    left.axvline(bound, color=plots.PALETTE[1], ls="--", lw=1)
    left.set(title=f"each half, mean and interval;\ndashed: {bound}", xlabel="rank correlation of |α| and p")
    name = quantiles["data"].iloc[-1]
    for group, (color, style) in _GROUP_STYLES.items():
        one = quantiles[(quantiles["data"] == name) & (quantiles["group"] == group)]
        right.plot(one["relative"], one["share"], color=color, ls=style, label=group)
    right.set(
        title=f"{name},\none forest",
        xlim=(0, None),
        ylim=(0, 1),
        xlabel="p over its mean",
        ylabel="share of points",
    )
    figure.legend(*right.get_legend_handles_labels(), loc="outside upper right", ncols=3)
    figure.supxlabel(caption, x=0.01, ha="left", color="dimgray")
    return figure


def _draw_halves(ax, table, quantity):
    """One of ``half_tables.QUANTITIES`` by data set: every half, their mean and its interval."""
    by_set = {name: one for name, one in half_tables.runs(table, quantity).items() if one is not None}
    intervals = half_tables.interval_table(table, quantity)[READINGS[0]]
    rng = np.random.default_rng(0)
    for k, (name, values) in enumerate(by_set.items()):
        ax.scatter(
            values, k + rng.uniform(-0.2, 0.2, len(values)), s=10, color=plots.PALETTE[6], alpha=0.6, lw=0
        )
        mean, low, high = intervals.loc[name, ["mean", "low", "high"]]
        ax.errorbar(mean, k, xerr=[[mean - low], [high - mean]], fmt="o", color=plots.PALETTE[0], capsize=4)
    ax.axvline(0, color="#555555", lw=1)
    ax.set_yticks(range(len(by_set)), by_set)
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")


@plots.nine_points
def ways(table, caption):
    """Accuracy of each way of choosing − that of uniform sampling: each data set, mean and interval.

    Parameters
    ----------
    table : DataFrame, from :func:`~studylib.studies.graf.subset_tables.way_table`
    caption : str

    Returns
    -------
    Figure
    """
    found, summary = differences_from_uniform(table), way_summary(table)
    shares = sorted(found["share"].unique())
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
                one = found.query("share == @share and learner == @learner and way == @way")["difference"]
                mean, low, high = summary.loc[(share, learner, way), ["mean", "low", "high"]]
                ax.scatter(one, np.full(len(one), k), s=14, color=plots.PALETTE[6], alpha=0.45, lw=0)
                ax.errorbar(
                    mean, k, xerr=[[mean - low], [high - mean]], fmt="o", color=plots.PALETTE[0], capsize=4
                )
            ax.axvline(0, color="#555555", lw=1)
            ax.grid(visible=False, axis="y")
            ax.set_title(f"{learner} on {share:.0%} of the rows")
    # One scale for all panels, so that lengths compare; it holds every mark.
    low, high = found["difference"].min(), max(found["difference"].max(), summary["high"].max())
    axes[0, 0].set_xscale("symlog", linthresh=1, linscale=0.6)
    axes[0, 0].set_xlim(1.3 * min(low, summary["low"].min(), -1), 1.3 * max(high, 1))
    axes[0, 0].set_xticks(list(_POINTS), list(_POINTS.values()))
    axes[0, 0].minorticks_off()
    axes[0, 0].set_yticks(range(len(WAYS) - 1), WAYS[1:])
    axes[0, 0].set_ylim(len(WAYS) - 1.5, -0.5)
    figure.supxlabel("accuracy, difference from uniform sampling, percentage points (symmetric log scale)")
    figure.text(0.01, -0.03, caption, color="dimgray")
    return figure
