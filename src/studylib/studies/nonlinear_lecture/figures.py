"""The pictures of the lecture on non-linear classification."""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

from studylib.plots import PALETTE
from studylib.statistics import resampled_interval
from studylib.studies.forest_lecture.figures import averages, lines, plain_ticks
from studylib.studies.nonlinear_lecture.properties import INDICES, impurity_ratio


def impurity_ratios():
    """Impurity of a child relative to its parent's as the second class grows, as printed and weighted."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 2.8))
    balance = np.arange(1, 21)
    parent, child = np.array([30, 20]), np.array([10, 2])
    for ax, weighted in zip(axes, (False, True), strict=True):
        for (name, index), line in zip(INDICES.items(), ("-", "--", ":"), strict=True):
            ratio = [impurity_ratio(index, parent * (1, k), child * (1, k), weighted) for k in balance]
            ax.plot(balance, ratio, line, label=name)
        ax.set(xlabel="factor on the second class", title="weighted by the share of samples")
    axes[0].set(ylabel="impurity of child / parent", title="as printed")
    axes[0].legend()
    return figure


def pruning(runs):
    """Test error of grown, stopped and pruned trees by label noise."""
    shown = runs.melt(["noise", "replicate"], ["grown", "stopped", "pruned"], "tree", "test error")
    figure, ax = plt.subplots(figsize=(6, 3.2))
    sns.lineplot(
        shown,
        x="noise",
        y="test error",
        hue="tree",
        style="tree",
        markers=True,
        errorbar=("se", 1.96),
        err_style="bars",
        ax=ax,
    )
    ax.set(xlabel="share of random labels", title="What do stopping and pruning save?")
    return figure


def ranking(curves):
    """ROC curves of leaves."""
    return lines(
        curves,
        ("-", "--", "o:"),
        (4, 3.4),
        xlabel="false positive rate",
        ylabel="true positive rate",
        title="How well do leaves rank?",
    )


def noise(errors):
    """Training and test errors of a tree and a forest, with clean and noisy training labels.

    Points rather than bars: a bar of the tree's training error, 0, could not be seen.
    """
    grid = sns.catplot(
        errors,
        x="error",
        y="model",
        order=["tree", "forest"],
        hue="part",
        hue_order=["train", "test"],
        col="labels",
        kind="point",
        linestyle="none",
        markers=["o", "s"],
        dodge=0.3,
        height=2.2,
        aspect=1.6,
        errorbar=("se", 1.96),
    )
    grid.set_titles("{col_name} training labels").set_axis_labels("error", "")
    return grid.figure


def votes(differences):
    """Error of plain − of weighted votes on each set: mean and the interval that is judged."""
    figure, ax = plt.subplots(figsize=(6, 2.6))
    _means_with_intervals(differences, "difference", 0.3, ax)
    ax.axvline(0, color="0.5", lw=1)
    ax.set(xlabel="test error of plain − of weighted votes, points", ylabel="")
    return figure


def subsets(runs):
    """Rank correlation of summed importances with accuracy on each set: every split, mean and interval."""
    figure, ax = plt.subplots(figsize=(6, 2.6))
    sns.stripplot(runs, x="correlation", y="data", color="0.6", size=4, ax=ax)
    _means_with_intervals(runs, "correlation", 0.5, ax)
    ax.axvline(0.5, color=PALETTE[1], ls="--", lw=1)
    ax.set(xlabel="rank correlation (dashed: what the rule asks for)", ylabel="")
    return figure


def _means_with_intervals(runs, column, test_share, ax):
    def interval(values):
        judged = resampled_interval(values, test_share)
        return judged.low, judged.high

    sns.pointplot(runs, x=column, y="data", linestyle="none", errorbar=interval, markersize=5, ax=ax)


def boosting_rounds(epsilon):
    """Error of each stump on the samples as they are weighted in its round."""
    figure, ax = plt.subplots(figsize=(6, 3))
    ax.plot(range(1, len(epsilon) + 1), epsilon)
    ax.axhline(0.5, color="0.4", lw=1, ls="--")
    ax.text(1, 0.5, "as bad as guessing", va="bottom", fontsize=9, color="0.3")
    ax.set(xscale="log", xlabel="round", ylabel="weighted error ε of the stump", ylim=(None, 0.53))
    plain_ticks(ax.xaxis)
    return figure


def boosting_bias(curves):
    """Squared bias and variance by number of rounds."""
    figure = lines(
        averages(curves),
        ("o-", "s--"),
        xlabel="rounds",
        ylabel="part of the error, %",
        xscale="log",
        ylim=(0, None),
        title="What does boosting reduce?",
    )
    figure.axes[0].set_xticks(next(iter(curves.values())).columns)
    figure.axes[0].xaxis.set_major_formatter("{x:g}")
    figure.axes[0].minorticks_off()
    return figure


def reliability(shares, n_informative=5):
    """Share of the votes by feature, the informative features first."""
    figure, ax = plt.subplots(figsize=(7, 2.6))
    colors = ["#0072B2"] * n_informative + ["#999999"] * (len(shares) - n_informative)
    ax.bar(range(1, len(shares) + 1), 100 * shares, color=colors)
    ax.set(
        xlabel="feature (the first five are informative)",
        ylabel="share of the votes, %",
        xticks=[1, 5, 10, 15, 20],
    )
    return figure
