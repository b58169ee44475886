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
    quantity = "accuracy, sensitive − random"
    by_set = half_tables.runs(table, quantity)
    intervals = half_tables.interval_table(table, quantity)[READINGS[0]]
    figure, ax = plt.subplots(figsize=(8, 0.42 * len(by_set) + 1.2), layout="constrained")
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
    ax.set_xlabel("SVM’s accuracy, sensitive − random rows, percentage points")
    return _with_caption(figure, caption)


def probabilities(quantiles, caption):
    """Distribution of p among all points, the most sensitive ones and the support vectors (Fig. 9).

    Parameters
    ----------
    quantiles : DataFrame, from :func:`~studylib.studies.graf.subset_tables.quantile_table`
    caption : str

    Returns
    -------
    Figure
    """
    names = list(quantiles["data"].unique())
    n_rows = -(-len(names) // 5)
    figure, axes = plt.subplots(
        n_rows,
        min(5, len(names)),
        figsize=(13, 2.5 * n_rows + 0.5),
        sharey=True,
        layout="constrained",
        squeeze=False,
    )
    for ax, name in zip(axes.flat, names, strict=False):
        for group, (color, style) in _GROUP_STYLES.items():
            one = quantiles[(quantiles["data"] == name) & (quantiles["group"] == group)]
            ax.plot(one["relative"], one["share"], color=color, ls=style, label=group)
        ax.set(title=name, xlim=(0, None), ylim=(0, 1))
    for ax in axes.flat[len(names) :]:
        ax.set_visible(False)
    for ax in axes[:, 0]:
        ax.set_ylabel("share of points")
    figure.supxlabel("probability p over its mean", fontsize="medium")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower right", ncols=3, fontsize=9)
    return _with_caption(figure, caption)


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
        len(shares),
        len(LEARNERS),
        figsize=(12, 2.6 * len(shares) + 0.4),
        sharey=True,
        layout="constrained",
        squeeze=False,
    )
    for row, share in zip(axes, shares, strict=True):
        for ax, learner in zip(row, LEARNERS, strict=True):
            for k, way in enumerate(WAYS[1:]):
                one = found.query("share == @share and learner == @learner and way == @way")["difference"]
                mean, low, high = summary.loc[(share, learner, way), ["mean", "low", "high"]]
                ax.scatter(one, np.full(len(one), k), s=14, color=plots.PALETTE[6], alpha=0.45, lw=0)
                ax.errorbar(
                    mean, k, xerr=[[mean - low], [high - mean]], fmt="o", color=plots.PALETTE[0], capsize=4
                )
            ax.axvline(0, color="#555555", lw=1)
            ax.set_xscale("symlog", linthresh=1, linscale=0.6)
            ax.set_xticks([-30, -10, -3, -1, 0, 1, 3, 10], ["−30", "−10", "−3", "−1", "0", "+1", "+3", "+10"])
            ax.minorticks_off()
            ax.grid(visible=False, axis="y")
            ax.set_title(f"{learner} on {share:.0%} of the rows".replace("%", " %"))
    axes[0, 0].set_yticks(range(len(WAYS) - 1), WAYS[1:])
    axes[0, 0].set_ylim(len(WAYS) - 1.5, -0.5)
    figure.supxlabel("accuracy, difference from uniform sampling, points", fontsize="medium")
    return _with_caption(figure, caption)


def _with_caption(figure, caption):
    figure.text(0.01, -0.03, caption, fontsize="small", color="dimgray")
    return figure
