"""The pictures of the mushroom report's notebooks."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.metrics import confusion_matrix

from studylib.plots import PALETTE
from studylib.studies.mushrooms.experiments import GRID


def missing_shares(missing):
    """Shares of missing values, with the two deletion thresholds."""
    figure, ax = plt.subplots(figsize=(8, 3))
    shares = missing[missing > 0].sort_values(ascending=False)
    ax.bar(shares.index, shares, color=PALETTE[0])
    for threshold, style in ((0.40, "--"), (0.20, "-")):
        label = f"deletion threshold {threshold:.2f}"
        ax.axhline(threshold, color=PALETTE[1], ls=style, lw=1.5, label=label)
    ax.set(ylabel="share of missing values", title="Which columns are deleted at which threshold?")
    plt.setp(ax.get_xticklabels(), rotation=30, ha="right", rotation_mode="anchor")
    ax.legend()
    return figure


def confusion_matrices(trees, X_test, y_test):
    """What each tree predicts for edible and poisonous test rows."""
    figure, axes = plt.subplots(1, len(trees), figsize=(11, 2.9), sharey=True)
    names = ["edible", "poisonous"]
    for ax, (criterion, tree) in zip(axes, trees.items(), strict=True):
        counts = confusion_matrix(y_test, tree.predict(X_test), labels=tree.classes_)
        sns.heatmap(
            counts,
            annot=True,
            fmt=",d",
            cmap="Blues",
            cbar=False,
            ax=ax,
            xticklabels=names,
            yticklabels=names,
        )
        ax.set(title=criterion, xlabel="predicted")
    axes[0].set_ylabel("true")
    return figure


def errors_over_splits(over_splits, published):
    """Test errors of each criterion over splits, their mean ± standard deviation, and the published run."""
    figure, ax = plt.subplots(figsize=(8, 3))
    sns.stripplot(
        over_splits, x="test_error", y="model", hue="model", alpha=0.6, jitter=0.15, legend=False, ax=ax
    )
    errors = over_splits.groupby("model", sort=False)["test_error"].agg(["mean", "std"])
    at = np.arange(len(errors))
    ax.errorbar(errors["mean"], at, xerr=errors["std"], fmt="k|", ms=14, capsize=4, zorder=5)
    ax.plot(published[errors.index], at, "kx", ms=8, zorder=6, label="published run")
    ax.set(
        xlabel="test error", ylabel="", title="Test error over splits: each point a split, bar = mean ± s. d."
    )
    ax.legend(loc="upper center")
    return figure


def changed_shares(changed):
    """Shares of nodes that change when rows are left out: a panel per size of the training set."""
    sizes = list(changed["n_train"].unique())
    figure, axes = plt.subplots(1, len(sizes), figsize=(9, 2.8), sharey=True)
    for ax, n in zip(axes, sizes, strict=True):
        part = changed[changed["n_train"] == n]
        sns.stripplot(
            part, x="variation", y="changed", hue="variation", alpha=0.5, jitter=0.25, legend=False, ax=ax
        )
        ax.axhline(0.5, color="black", ls="--", lw=1)
        ax.set(title=f"{n:,} training rows", xlabel="left out", ylabel="", ylim=(-0.03, 1.03))
    axes[0].set_ylabel("share of nodes changed")
    return figure


def losses_by_limit(losses, unlimited):
    """Validation error by the value of each limit, the others free; a line at the tree without limits.

    Parameters
    ----------
    losses : DataFrame, from :func:`studylib.studies.mushrooms.experiments.losses_by_limit`
        Means over splits.
    unlimited : float
        Mean error over the same splits of the tree without limits.
    """
    figure, axes = plt.subplots(1, len(GRID), figsize=(13, 2.8), sharey=True)
    for ax, name in zip(axes, GRID, strict=True):
        sns.boxplot(losses, x=name, y="validation error", ax=ax, color=PALETTE[5], fliersize=2)
        ax.axhline(unlimited, color=PALETTE[1], lw=1, label="no limit, mean")
        ax.tick_params(axis="x", rotation=45)
    axes[-1].legend(fontsize=8, loc="lower right", bbox_to_anchor=(1, 1))
    return figure


def learning_curves(curves):
    """Test error by number of training rows."""
    figure, ax = plt.subplots(figsize=(7.5, 3.8))
    sns.lineplot(
        curves, x="n_train", y="test_error", hue="model", style="model", markers=True, errorbar=None, ax=ax
    )
    ax.set(xscale="log", xlabel="training rows", ylabel="test error")
    ax.set(title="How does the error fall with the training rows?")
    ax.set_yscale("symlog", linthresh=1e-3)
    ax.set_ylim(0, None)
    sns.move_legend(ax, "center left", bbox_to_anchor=(1, 0.5))
    return figure


def growing_forests(forests):
    """Test error of each forest along its trees, and its out-of-bag error."""
    figure, ax = plt.subplots(figsize=(7, 3.2))
    for k, forest in enumerate(forests):
        errors, color = forest["staged_errors"], PALETTE[k % len(PALETTE)]
        ax.plot(np.arange(1, len(errors) + 1), errors, color=color, label=f"split {k}, test")
        ax.axhline(forest["oob_error"], color=color, ls="--", lw=1)
    title = "Test error against number of trees; dashed: out of bag, all trees"
    ax.set(xscale="log", xlabel="trees", ylabel="error", title=title)
    ax.legend(fontsize=8)
    return figure


def importances(forests):
    """Mean ± standard deviation of each feature's importance over forests."""
    shares = pd.DataFrame([forest["importances"] for forest in forests])
    order = shares.mean().sort_values().index
    figure, ax = plt.subplots(figsize=(6, 3.6))
    ax.barh(order, shares[order].mean(), xerr=shares[order].std(), color=PALETTE[0])
    ax.set(xlabel="share of the information gain", title="Which features matter most?")
    return figure
