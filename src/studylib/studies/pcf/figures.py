"""Figures of the notebooks about the Partial Classification Forest."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from studylib import plots
from studylib.datasets import clean_regions
from studylib.pcf import ConfidenceBound, Laplace, Majority, PartialClassificationForest
from studylib.studies.pcf.experiments import PEERS, SIZES, plane
from studylib.studies.pcf.tables import SYMBOLS


def _draw_regions(ax, *, filled):
    """The five clean regions as rectangles, in their labels' colours or as frames."""
    for region in clean_regions():
        look = (
            {"color": plots.PALETTE[region.label]}
            if filled
            else {"fill": False, "edgecolor": "#333333", "lw": 0.8}
        )
        ax.add_patch(Rectangle(region.lower, *np.subtract(region.upper, region.lower), **look))


def tree_and_partitions(tree, X, y):
    """A Tree in the plane, and the same Tree as a diagram (Fig. 1).

    Parameters
    ----------
    tree : PartialClassificationTree
        Fitted on two features.
    X : array-like (n_samples, 2)
    y : array-like (n_samples,)

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(1, 2, figsize=(12, 4.6), width_ratios=[1, 1.9])
    plots.draw_partitions(tree, X, y, axes[0])
    axes[0].set(title="the splits, active leaves shaded", xlabel="x0", ylabel="x1")
    axes[0].legend(title="label", loc="upper left", bbox_to_anchor=(0, -0.15), ncols=2)
    plots.draw_partial_tree(tree, ax=axes[1], max_depth=9)
    axes[1].set_title("the same Tree; Λ marks leaves that abstain")
    return figure


def plane_and_optimum(X, y):
    """The simulated plane beside the best decision surface for it.

    Parameters
    ----------
    X : array-like (n_samples, 2)
    y : array-like (n_samples,)

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.2), sharey=True)
    plots.draw_points(X, y, axes[0])
    axes[0].set(title="the data", xlabel="x0", ylabel="x1")
    _draw_regions(axes[1], filled=True)
    axes[1].set(xlim=(0, 1), ylim=(0, 1), title="the optimal decision surface: 20 %", xlabel="x0")
    return figure


def decision_surfaces():
    """One forest for each pair of N and τ_|X| on one plane; the frames are the optimum (Fig. 2).

    Returns
    -------
    Figure
    """
    X_train, X_test, y_train, _ = plane(0)
    figure, axes = plt.subplots(3, 3, figsize=(8.4, 8.6), sharex=True, sharey=True)
    for row, tau in zip(axes, SIZES, strict=True):
        for ax, n in zip(row, SIZES, strict=True):
            forest = PartialClassificationForest(n, min_samples_leaf=tau, random_state=0)
            forest.fit(X_train, y_train)
            plots.draw_decision_surface(forest, [[0, 0], [1, 1]], ax, resolution=400)
            _draw_regions(ax, filled=False)
            ax.set(xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
            ax.set_title(f"τ = {tau}, N = {n}: predicts {forest.coverage(X_test):.0%}", fontsize=10)
    for ax in axes[-1]:
        ax.set_xlabel("x0")
    for ax in axes[:, 0]:
        ax.set_ylabel("x1")
    return figure


def curves_over_trees(curves):
    """Predicted and accuracy against the number of Trees, with the middle 95 % of the seeds (Fig. 3).

    Parameters
    ----------
    curves : dict of str to ndarray (n_seeds, n_trees)
        From :func:`~studylib.studies.pcf.tables.tree_curves`.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(1, 2, figsize=(11, 4))
    for ax, measure in zip(axes, ("predicted", "accuracy"), strict=True):
        for color, part in zip(plots.PALETTE, ("train", "test")):  # noqa: B905 (more colours than parts)
            found = curves[f"{part}_{measure}"]
            numbers = np.arange(1, found.shape[1] + 1)
            mean, half = np.nanmean(found, axis=0), 1.96 * np.nanstd(found, axis=0)
            ax.plot(numbers, mean, color=color, label=f"{part}, mean and 95 % of the seeds")
            ax.fill_between(numbers, mean - half, np.minimum(mean + half, 1), color=color, alpha=0.2, lw=0)
            ax.plot(numbers, found[0], color=color, lw=0.8, ls=":", label=f"{part}, one seed")
        ax.axvspan(30, 100, color="#dddddd", alpha=0.5, lw=0)
        ax.set(xscale="log", xlabel="number of Trees N", title=measure, xticks=[1, 10, 30, 100, 500])
        ax.set_xticklabels([1, 10, 30, 100, 500])
    axes[0].axhline(0.2, color="#555555", lw=1, ls="--")
    axes[0].set_ylim(0, 0.45)
    axes[1].set_ylim(0.7, 1.01)
    axes[1].legend(loc="lower right", fontsize=8)
    return figure


def losses_of_pure_leaves():
    """The loss that each γ gives to a pure leaf, against the leaf's size.

    Returns
    -------
    Figure
    """
    models = {
        "majority (the source's)": Majority(),
        "Laplace, α = 1": Laplace(),
        "confidence bound, 95 %": ConfidenceBound(),
    }
    figure, ax = plt.subplots(figsize=(6.5, 3.2))
    for name, model in models.items():
        ax.plot(range(1, 61), [model.loss(0, n, 2) for n in range(1, 61)], label=name)
    ax.set(
        xlabel="observations in a pure leaf",
        ylabel="loss",
        title="How sure is γ of a pure leaf of two-class data?",
    )
    ax.legend()
    return figure


def measures_over_dimensions(table):
    """Predicted and accuracy against the number of dimensions, with 95 % intervals.

    Parameters
    ----------
    table : DataFrame, a row per key of :func:`~studylib.studies.pcf.experiments.dimension`

    Returns
    -------
    Figure
    """
    dimensions = sorted(table["n_features"].unique())
    kinds = np.where(table["n_relevant"] == 2, "2 relevant", "all relevant")
    figure, axes = plt.subplots(1, 2, figsize=(11, 3.8))
    for ax, measure in zip(axes, ("predicted", "accuracy"), strict=True):
        lines = table.groupby([kinds, "n_estimators"])
        for ((kind, n), part), marker in zip(lines, "osD^", strict=True):
            spread = part.groupby("n_features")[measure].agg(["mean", "sem"])
            ax.errorbar(
                spread.index, spread["mean"], 1.96 * spread["sem"].fillna(0), marker=marker, ms=4, capsize=2,
                label=f"{kind}, N = {n}",
            )  # fmt: skip
        ax.set(xscale="log", xlabel="dimensions d", title=measure, xticks=dimensions)
        ax.set_xticklabels(dimensions)
    axes[1].axhline(0.5, color="#555555", ls="--", lw=1)
    axes[0].legend(fontsize=8)
    return figure


def growth_of_trees(series):
    """Nodes, depth and active share of leaves against each setting.

    Parameters
    ----------
    series : dict of str to DataFrame, from :func:`~studylib.studies.pcf.tables.growth_series`

    Returns
    -------
    Figure
    """
    measures = {"nodes": "nodes", "depth": "depth", "active_share": "active share of leaves"}
    figure, axes = plt.subplots(3, 4, figsize=(12, 8), sharex="col", sharey="row")
    for column, (name, part) in zip(axes.T, series.items(), strict=True):
        for ax, measure in zip(column, measures, strict=True):
            found = part.groupby(name)[measure].mean()
            ax.plot(found.index, found, "o-", ms=4)
        column[-1].set_xlabel(f"{SYMBOLS[name]} ({name})")
        column[-1].set_xscale("log", base=2)
    limits = np.unique(series["max_depth"]["max_depth"])
    axes[0, 3].plot(limits, 2.0 ** (limits + 1) - 1, color="#555555", ls="--", lw=1, label="2^(τ_h+1) − 1")
    axes[0, 3].legend(fontsize=8)
    for ax, label in zip(axes[:, 0], measures.values(), strict=True):
        ax.set_ylabel(label)
    axes[0, 0].set(yscale="log", ylim=(3, 3e5))
    return figure


def risk_coverage_curves(table):
    """Risk against coverage of the PCF and its peers, a panel for each data set.

    Parameters
    ----------
    table : DataFrame, a row per key of :func:`~studylib.studies.pcf.experiments.risk_curve`

    Returns
    -------
    Figure
    """
    panels = table.groupby("data", sort=False)
    figure, axes = plt.subplots(1, len(panels), figsize=(15, 3.4))
    for ax, (data, part) in zip(axes, panels, strict=True):
        for k, method in enumerate(("majority", *PEERS)):
            found = part[part["method"] == method]
            ax.plot(
                found["coverage"].iloc[0], np.mean(list(found["risk"]), axis=0), color=plots.PALETTE[k],
                ls=["-", "--", "-.", ":"][k], label="PCF" if method == "majority" else method,
            )  # fmt: skip
        ax.set(title=data, xlabel="coverage", ylim=(0, None))
    axes[0].set_ylabel("risk")
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    return figure
