"""Figures of the notebooks about the Partial Classification Forest."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from studylib import plots
from studylib.datasets import clean_regions
from studylib.pcf import ConfidenceBound, Laplace, Majority
from studylib.studies.pcf.experiments import SIZES, plane
from studylib.studies.pcf.tables import SYMBOLS
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest


def _draw_regions(ax, *, filled):
    """The five clean regions as rectangles, in their labels' colours or as frames."""
    for region in clean_regions():
        box = region.lower, *np.subtract(region.upper, region.lower)
        if filled:
            ax.add_patch(Rectangle(*box, color=plots.PALETTE[region.label]))
            continue
        for color, width in (("white", 4.0), ("black", 1.8)):  # seen on pale and on dark surfaces
            ax.add_patch(Rectangle(*box, fill=False, edgecolor=color, lw=width))


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


def measures_over_dimensions(series):
    """Predicted and accuracy against the number of dimensions, with 95 % intervals.

    Parameters
    ----------
    series : dict of str to DataFrame, from :func:`~studylib.studies.pcf.tables.dimension_series`

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(1, 2, figsize=(11, 3.8))
    for (name, part), marker, color in zip(series.items(), "osD^", plots.PALETTE, strict=False):
        for ax, measure in zip(axes, ("predicted", "accuracy"), strict=True):
            spread = part.groupby("n_features")[measure].agg(["mean", "sem"])
            ax.errorbar(
                spread.index, spread["mean"], 1.96 * spread["sem"].fillna(0), marker=marker, ms=4, capsize=2,
                label=name, color=color, ls="--" if "growing" in name else "-",
            )  # fmt: skip
    for ax, measure in zip(axes, ("predicted", "accuracy"), strict=True):
        ax.set(xlabel="dimensions d", title=measure, xticks=range(1, 11))
    axes[0].axhline(0.01, color="#555555", ls=":", lw=1)
    axes[1].axhline(0.5, color="#555555", ls=":", lw=1)
    axes[1].set_ylim(0.4, 1.02)  # an interval over the few seeds that predict anything may be wider
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
    figure, axes = plt.subplots(3, len(series), figsize=(13, 8), sharex="col", sharey="row")
    for column, (name, part) in zip(axes.T, series.items(), strict=True):
        for ax, measure in zip(column, measures, strict=True):
            found = part.groupby(name)[measure].agg(["mean", "sem"])
            ax.errorbar(found.index, found["mean"], 1.96 * found["sem"].fillna(0), fmt="o-", ms=4)
        column[-1].set_xlabel(f"{SYMBOLS[name]} ({name})")
        column[-1].set_xscale("log", base=2)
        if name == "max_loss":
            ticks = [0.05, 0.1, 0.2, 0.4]
            column[-1].set_xticks(ticks, ticks)
    limits = np.unique(series["max_depth"]["max_depth"])
    axes[0, -1].plot(limits, 2.0 ** (limits + 1) - 1, color="#555555", ls="--", lw=1, label="2^(τ_h+1) − 1")
    axes[0, -1].legend(fontsize=8)
    for ax, label in zip(axes[:, 0], measures.values(), strict=True):
        ax.set_ylabel(label)
    axes[0, 0].set(yscale="log", ylim=(3, 3e5))
    return figure


def steps_per_query(table):
    """Mean steps of a query against n, beside a balanced tree's.

    Parameters
    ----------
    table : DataFrame
        Rows of :func:`~studylib.studies.pcf.growth.growth` in which n varies and the height has no limit.

    Returns
    -------
    Figure
    """
    figure, ax = plt.subplots(figsize=(6.5, 3.4))
    found = table.groupby("n_samples")["steps"].agg(["mean", "sem"])
    n, smallest = found.index.to_numpy(), table["min_samples_leaf"].iloc[0]
    ax.errorbar(
        n, found["mean"], 1.96 * found["sem"].fillna(0), fmt="o-", ms=4, label="Trees, without a limit"
    )
    ax.plot(n, np.log2(n / smallest), color="#555555", ls="--", label="balanced tree, log2(n / τ_|X|)")
    ax.set_xscale("log", base=2)
    ax.set(xlabel="observations n", ylabel="steps per query", ylim=(0, None))
    ax.legend(fontsize=8)
    return figure


def gains_of_leaf_models(tables):
    """How much each γ gains on the majority, a panel for each comparison.

    Parameters
    ----------
    tables : dict of str to DataFrame, from :func:`~studylib.studies.pcf.comparison_tables.gains`

    Returns
    -------
    Figure
    """
    sets = next(iter(tables.values())).index.unique(0)
    size = (12, 1.2 + 0.42 * len(sets))
    figure, axes = plt.subplots(1, len(tables), figsize=size, sharex=True, sharey=True, layout="constrained")
    for ax, (title, table) in zip(np.atleast_1d(axes), tables.items(), strict=True):
        for k, (model, part) in enumerate(table.groupby(level=1, sort=False)):
            places = np.arange(len(part)) + 0.18 * (k - 1.5)
            ax.errorbar(
                part["mean"], places, xerr=[part["mean"] - part["low"], part["high"] - part["mean"]],
                fmt="osD^"[k], ms=4, lw=1, color=plots.PALETTE[k], label=model,
            )  # fmt: skip
        ax.axvline(0, color="#555555", lw=1)
        ax.set(title=title, xlabel="area with the majority γ − area with this γ", yticks=range(len(sets)))
        ax.set_yticklabels(sets)
    axes[0].invert_yaxis()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=9)
    return figure


def risk_coverage_curves(curves):
    """Risk against coverage of the PCF and its peers, a panel for each data set.

    Parameters
    ----------
    curves : DataFrame
        A row for each data set, split and method: "data", "method", "coverage", "risk".

    Returns
    -------
    Figure
    """
    panels = curves.groupby("data", sort=False)
    rows = -(-len(panels) // 5)
    figure, axes = plt.subplots(rows, 5, figsize=(13, 2.6 * rows), layout="constrained", squeeze=False)
    for ax, (data, part) in zip(axes.flat, panels, strict=False):
        for k, (method, found) in enumerate(part.groupby("method", sort=False)):
            ax.plot(
                found["coverage"].iloc[0], np.mean(list(found["risk"]), axis=0), color=plots.PALETTE[k],
                ls=["-", "--", "-.", ":"][k], label=method,
            )  # fmt: skip
        ax.set_title(data, fontsize=10)
        ax.set(ylim=(0, None))
    for ax in axes.flat[len(panels) :]:
        ax.axis("off")
    figure.supxlabel("coverage")
    figure.supylabel("risk")
    axes[0, 0].legend(fontsize=7)
    return figure
