"""Figs 1 to 3 of the PCF: figures, and what is judged about the plane (notebook 01)."""

from string import ascii_uppercase

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from studylib import plots
from studylib.datasets import clean_regions
from studylib.studies.pcf.experiments import SIZES, plane
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest

#: Numbers of Trees that the source's statements on Fig. 3 are about.
FEW, MANY, MORE, MOST = 30, 100, 200, 500


def by_group(runs):
    """The nested results of a run's tasks, with columns ``(group, measure)``."""
    nested = runs.filter(like=": ")
    return nested.set_axis(pd.MultiIndex.from_tuples([name.split(": ") for name in nested]), axis=1)


def best_peer(peers, part):
    """Accuracies, one for each plane, of the classifier that is the best on average."""
    accuracies = peers.xs(part, axis=1, level=1)
    return accuracies[accuracies.mean().idxmax()]


def by_number_of_trees(surfaces, tau, measure):
    """A measure of every run with a τ_|X|, for each number of Trees of Fig. 2.

    Runs without a value, an accuracy where nothing is predicted, are left out.
    """
    some = surfaces[surfaces["min_samples_leaf"] == tau].groupby("n_estimators")[measure]
    return {f"N = {n}": values.dropna().tolist() for n, values in some}


def region_ratios(surfaces):
    """How many times as many connected regions τ_|X| = 2 gives as τ_|X| = 10, in each run, by Trees.

    Where τ_|X| = 10 gives no region, one is taken.
    """
    small, large = (by_number_of_trees(surfaces, tau, "regions") for tau in (2, 10))
    return {name: np.divide(small[name], np.maximum(large[name], 1)) for name in small}


def tree_curves(runs):
    """Curves over the number of Trees, float64 (n_seeds, n_trees) each; NaN where nothing was predicted."""
    names = [f"{part}_{measure}" for part in ("train", "test") for measure in ("predicted", "accuracy")]
    return {name: np.array(runs[name].tolist(), float) for name in names}


def variation_ratio(curve):
    """How many times as much a measure varies over N below 30 as from there to 100.

    Returns the ratio of the standard deviations over N, each the mean over the seeds.
    """
    few, some = curve[:, : FEW - 1], curve[:, FEW - 1 : MANY]
    return float(np.nanmean(np.nanstd(few, axis=1)) / np.nanmean(np.nanstd(some, axis=1)))


def at_trees(curve, n):
    """A curve's value at n Trees, for each seed."""
    return curve[:, n - 1]


def change(curve, start, end):
    """A curve's value at ``end`` and at ``start`` Trees, as paired runs."""
    return {"first": at_trees(curve, end), "second": at_trees(curve, start)}


def accuracies_from_many(curve):
    """A curve's values at the numbers of Trees of the source's statement on N ≥ 100, and its change there."""
    values = {f"N = {n}": at_trees(curve, n) for n in (MANY, MORE, MOST)}
    return values | {f"from {MANY} to {MOST}": change(curve, MANY, MOST)}


def shares_correct(predicted, accuracy):
    """Two readings of "accuracy", with 100 Trees: correct labels of all and of the predicted, for each seed.

    ``predicted`` is a share of the test observations, ``accuracy`` of those predicted, (n_seeds, n_trees).
    """
    predicted, accuracy = at_trees(predicted, MANY), at_trees(accuracy, MANY)
    return {
        "predicted": predicted,
        "correct of predicted": accuracy,
        "correct of all": predicted * np.nan_to_num(accuracy),
    }


def all_ones(curve):
    """Whether a curve is exactly 1 at every N from 30 to 100, for each seed."""
    return (curve[:, FEW - 1 : MANY] == 1).all(axis=1)


def _draw_regions(ax, *, filled):
    """The five clean regions as rectangles, in their labels' colours or as frames."""
    for region in clean_regions():
        box = region.lower, *np.subtract(region.upper, region.lower)
        if filled:
            ax.add_patch(Rectangle(*box, color=plots.PALETTE[region.label]))
            continue
        for color, width in (("white", 4.0), ("black", 1.8)):  # seen on pale and on dark surfaces
            ax.add_patch(Rectangle(*box, fill=False, edgecolor=color, lw=width))


@plots.nine_points
def tree_and_partitions(tree, X, y):
    """A Tree in the plane, and below it the same Tree as a diagram (Fig. 1); letters name the leaves."""
    figure, axes = plt.subplots(2, 1, figsize=(plots.WIDTH, 8), height_ratios=[0.8, 1], layout="constrained")
    names = dict(zip(np.flatnonzero(tree.nodes_["feature"] < 0), ascii_uppercase, strict=False))
    plots.draw_partitions(tree, X, y, axes[0], names=names)
    axes[0].set(title="the splits, active leaves shaded", xlabel="x0", ylabel="x1")
    axes[0].legend(title="label", loc="center left", bbox_to_anchor=(1, 0.5))
    axes[0].grid(visible=False)
    plots.draw_partial_tree(tree, ax=axes[1], max_depth=9, names=names)
    axes[1].set_title("the same Tree; Λ marks leaves that abstain")
    return figure


def plane_and_optimum(X, y):
    """The simulated plane beside the best decision surface for it."""
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.2), sharey=True)
    plots.draw_points(X, y, axes[0])
    axes[0].set(title="the data", xlabel="x0", ylabel="x1")
    _draw_regions(axes[1], filled=True)
    axes[1].set(xlim=(0, 1), ylim=(0, 1), title="the optimal decision surface: 20%", xlabel="x0")
    return figure


def decision_surfaces():
    """One forest for each pair of N and τ_|X| on one plane; the frames are the optimum (Fig. 2)."""
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


@plots.nine_points
def curves_over_trees(curves):
    """Predicted and accuracy against the number of Trees, with the middle 95% of the seeds (Fig. 3)."""
    figure, axes = plt.subplots(2, 1, figsize=(plots.WIDTH, 6), sharex=True, layout="constrained")
    for ax, measure in zip(axes, ("predicted", "accuracy"), strict=True):
        for color, part in zip(plots.PALETTE, ("train", "test")):  # noqa: B905 (more colours than parts)
            percent = 100 * curves[f"{part}_{measure}"]
            numbers = np.arange(1, percent.shape[1] + 1)
            mean, half = np.nanmean(percent, axis=0), 1.96 * np.nanstd(percent, axis=0)
            ax.plot(numbers, mean, color=color)
            ax.fill_between(numbers, mean - half, np.minimum(mean + half, 100), color=color, alpha=0.2, lw=0)
            ax.plot(numbers, percent[0], color=color, lw=0.8, ls=":")
            name, above = {"train": ("training data", 5), "test": ("test data", -5)}[part]
            ax.annotate(
                name, (numbers[-1], mean[-1]), (5, above), textcoords="offset points", va="center",
                color=color, annotation_clip=False,
            )  # fmt: skip
        ax.axvspan(30, 100, color="#dddddd", alpha=0.5, lw=0)
        ax.set(xscale="log", xlim=(1, 1.05 * len(numbers)))
    axes[0].axhline(20, color="#555555", lw=1, ls="--")
    axes[0].annotate(
        "20%, the share in the five boxes", (40, 20), (0, 4), textcoords="offset points", ha="left"
    )
    axes[0].set(ylim=(0, 26), ylabel="predicted, % of observations")
    axes[1].set(ylim=(75, 101), ylabel="accuracy, % of the predicted", xlabel="number of Trees N")
    axes[1].annotate("30 ≤ N ≤ 100", (55, 76), ha="center", color="#555555")
    axes[1].set_xticks([1, 2, 5, 10, 30, 100, 500], [1, 2, 5, 10, 30, 100, 500])
    axes[1].minorticks_off()
    lines = [Line2D([], [], color="#555555", ls=ls, lw=lw) for ls, lw in (("-", 1.5), (":", 0.8))]
    handles = [lines[0], Patch(color="#555555", alpha=0.2, lw=0), lines[1]]
    figure.legend(
        handles, ["mean of the seeds", "95% of the seeds", "one seed"], loc="outside lower center", ncols=3
    )
    return figure
