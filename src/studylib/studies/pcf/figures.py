"""Figures of the notebooks about the Partial Classification Forest."""

from string import ascii_uppercase

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from studylib import plots
from studylib.datasets import clean_regions
from studylib.pcf import ConfidenceBound, Laplace
from studylib.studies.pcf.experiments import SIZES, plane
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


@plots.nine_points
def tree_and_partitions(tree, X, y):
    """A Tree in the plane, and below it the same Tree as a diagram (Fig. 1); letters name the leaves.

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
    axes[1].set(xlim=(0, 1), ylim=(0, 1), title="the optimal decision surface: 20%", xlabel="x0")
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


@plots.nine_points
def curves_over_trees(curves):
    """Predicted and accuracy against the number of Trees, with the middle 95% of the seeds (Fig. 3).

    Parameters
    ----------
    curves : dict of str to ndarray (n_seeds, n_trees)
        From :func:`~studylib.studies.pcf.tables.tree_curves`.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(2, 1, figsize=(plots.WIDTH, 6), sharex=True, layout="constrained")
    for ax, measure in zip(axes, ("predicted", "accuracy"), strict=True):
        for color, part in zip(plots.PALETTE, ("train", "test")):  # noqa: B905 (more colours than parts)
            found = 100 * curves[f"{part}_{measure}"]
            numbers = np.arange(1, found.shape[1] + 1)
            mean, half = np.nanmean(found, axis=0), 1.96 * np.nanstd(found, axis=0)
            ax.plot(numbers, mean, color=color)
            ax.fill_between(numbers, mean - half, np.minimum(mean + half, 100), color=color, alpha=0.2, lw=0)
            ax.plot(numbers, found[0], color=color, lw=0.8, ls=":")
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


@plots.nine_points
def losses_of_pure_leaves():
    """The loss that each γ gives to a pure leaf, against the leaf's size; both axes are logarithmic.

    Returns
    -------
    Figure
    """
    sizes = np.arange(1, 101)
    figure, ax = plt.subplots(figsize=(plots.WIDTH, 3.2), layout="constrained")
    ax.plot(sizes, 1 / sizes, color="#888888", lw=1, ls=":")
    ax.annotate("1/n", (1.6, 0.72), color="#555555")
    for name, model, color, spot in (
        ("confidence bound, 95%", ConfidenceBound(), plots.PALETTE[2], (14, 0.24)),
        ("Laplace, α = 1", Laplace(), plots.PALETTE[1], (1.15, 0.12)),
    ):
        ax.plot(sizes, [model.loss(0, n, 2) for n in sizes], color=color)
        ax.annotate(name, spot, color=color)
    ax.annotate(
        "majority (the source's): 0 at every size, below any logarithmic axis", (0.02, 0.05),
        xycoords="axes fraction", color=plots.PALETTE[0],
    )  # fmt: skip
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    ax.set(
        xscale="log", yscale="log", xlim=(1, 100), ylim=(0.003, 1.1),
        xlabel="observations in a pure leaf, n (two classes)", ylabel="loss",
    )  # fmt: skip
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(plain)
    ax.minorticks_off()
    return figure


#: Below this share of predicted observations, in percent, an accuracy is that of a handful.
_TOO_FEW = 0.1


@plots.nine_points
def measures_over_dimensions(series):
    """Predicted and accuracy against the number of dimensions, with 95% intervals.

    Parameters
    ----------
    series : dict of str to DataFrame, from :func:`~studylib.studies.pcf.tables.dimension_series`

    Returns
    -------
    Figure
        No accuracy is shown where less than 0.1% is predicted.
    """
    figure, axes = plt.subplots(2, 1, figsize=(plots.WIDTH, 6.4), sharex=True, layout="constrained")
    for name, part in series.items():
        growing, all_relevant = "growing" in name, "all" in name
        color = plots.PALETTE[growing]
        means = part.groupby("n_features")[["predicted", "accuracy"]].agg(["mean", "sem"]).fillna(0) * 100
        enough = means["predicted", "mean"] >= _TOO_FEW
        for ax, measure in zip(axes, ("predicted", "accuracy"), strict=True):
            shown = means[measure][enough if measure == "accuracy" else means[measure, "mean"] > 0]
            half = 1.96 * shown["sem"]
            ax.errorbar(
                shown.index, shown["mean"], [half, np.minimum(half, 100 - shown["mean"])],
                marker="os"[all_relevant], capsize=2,
                color=color, ls="-" if all_relevant else "--", mfc=color if all_relevant else "white",
            )  # fmt: skip
    axes[0].axhline(1, color="#555555", lw=1)
    axes[0].annotate("1%", (10.4, 1), (0, 3), textcoords="offset points", ha="right", color="#555555")
    axes[0].annotate("n = 5,000", (4.6, 2e-3), ha="right", color=plots.PALETTE[0])
    axes[0].annotate("$n = 625 \\cdot 2^d$", (7.3, 0.06), ha="left", color=plots.PALETTE[1])
    axes[0].set(yscale="log", ylim=(1e-3, 40), ylabel="predicted, % of observations")
    axes[0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes[1].set(ylim=(None, 100.3), ylabel="accuracy, % of the predicted", xlabel="dimensions d")
    axes[1].set(xticks=range(1, 11), xlim=(0.6, 10.4))
    axes[1].annotate(
        "not shown where less than 0.1% is predicted",
        (1, 0.02),
        xycoords="axes fraction",
        ha="right",
        color="#555555",
    )
    styles = {
        "two relevant dimensions": ("--", "o", "white"),
        "all dimensions relevant": ("-", "s", "#555555"),
    }
    figure.legend(
        [Line2D([], [], color="#555555", ls=ls, marker=m, mfc=fill) for ls, m, fill in styles.values()],
        list(styles), loc="outside lower center", ncols=2,
    )  # fmt: skip
    return figure


@plots.nine_points
def growth_of_trees(series):
    """Nodes and depth against n and τ_|X|.

    Parameters
    ----------
    series : dict of str to DataFrame, from :func:`~studylib.studies.pcf.tables.growth_series`

    Returns
    -------
    Figure
    """
    settings = {
        "n_samples": ("observations n", (500, 2_000, 8_000, 32_000)),
        "min_samples_leaf": ("smallest leaf $\\tau_{|X|}$, observations", (2, 4, 8, 16, 32, 64)),
    }
    figure, axes = plt.subplots(
        2, 2, figsize=(plots.WIDTH, 5), sharex="col", sharey="row", layout="constrained"
    )
    for column, (name, (words, ticks)) in zip(axes.T, settings.items(), strict=True):
        for ax, measure in zip(column, ("nodes", "depth"), strict=True):
            found = series[name].groupby(name)[measure].agg(["mean", "sem"])
            ax.errorbar(found.index, found["mean"], 1.96 * found["sem"].fillna(0), fmt="o-")
        ticks = [tick for tick in ticks if tick <= found.index[-1]]
        column[-1].set(xlabel=words, xscale="log")
        column[-1].set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        column[-1].xaxis.set_minor_locator(NullLocator())
    axes[0, 0].set(ylabel="nodes", yscale="log", ylim=(100, 2e5))
    axes[0, 0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes[1, 0].set(ylabel="depth, levels", ylim=(0, None))
    return figure


@plots.nine_points
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
    figure, ax = plt.subplots(figsize=(plots.WIDTH, 3.2), layout="constrained")
    found = table.groupby("n_samples")["steps"].agg(["mean", "sem"])
    n, smallest = found.index.to_numpy(), table["min_samples_leaf"].iloc[0]
    balanced = np.log2(n / smallest)
    ax.errorbar(n, found["mean"], 1.96 * found["sem"].fillna(0), fmt="o-")
    ax.plot(n, balanced, color="#555555", ls="--")
    for end, words, color in (
        (found["mean"].iloc[-1], "Trees,\nno limit", plots.PALETTE[0]),
        (balanced[-1], "balanced tree,\n$\\log_2(n / \\tau_{|X|})$", "#555555"),
    ):
        ax.annotate(
            words, (n[-1], end), (6, 0), textcoords="offset points", va="center", color=color,
            annotation_clip=False,
        )  # fmt: skip
    ax.set(xscale="log", xlabel="observations n", ylabel="steps per query", ylim=(0, None))
    ticks = [tick for tick in (500, 2_000, 8_000, 32_000) if tick <= n[-1]]
    ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    ax.minorticks_off()
    return figure


@plots.nine_points
def gains_of_leaf_models(tables):
    """How much each γ gains on the majority, a panel for each comparison.

    Parameters
    ----------
    tables : dict of str to DataFrame, from :func:`~studylib.studies.pcf.comparison_tables.gains`

    Returns
    -------
    Figure
    """
    effect = sum(table["mean"].groupby(level=0, sort=False).mean() for table in tables.values())
    sets = effect.sort_values(ascending=False).index
    figure, axes = plt.subplots(
        1, len(tables), figsize=(plots.WIDTH, 1.6 + 0.44 * len(sets)), sharex=True, sharey=True,
        layout="constrained", squeeze=False,
    )  # fmt: skip
    for ax, (title, table) in zip(axes[0], tables.items(), strict=True):
        ax.axvline(0, color="#555555", lw=1)
        better, worse = table["low"] > 0, table["high"] < 0
        for k, (_, part) in enumerate(table.groupby(level=1, sort=False)):
            part = part.droplevel(1).loc[sets]
            places = np.arange(len(part)) + 0.19 * (k - 1.5)
            certain = (part["low"] > 0) | (part["high"] < 0)
            for shown, face, width in ((certain, plots.PALETTE[k], 1.8), (~certain, "white", 0.7)):
                some = part[shown]
                ax.errorbar(
                    some["mean"], places[shown],
                    xerr=[some["mean"] - some["low"], some["high"] - some["mean"]],
                    fmt="osD^"[k], ms=4, mfc=face, mew=1, lw=width, color=plots.PALETTE[k],
                )  # fmt: skip
        ax.set_title(f"{title}\nof {len(table)}: {better.sum()} better, {worse.sum()} worse")
        ax.set(yticks=range(len(sets)), yticklabels=sets, ylim=(len(sets) - 0.5, -0.5))
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.grid(visible=False, axis="y")
        for place in range(1, len(sets), 2):
            ax.axhspan(place - 0.5, place + 0.5, color="#f4f4f4", lw=0, zorder=0)
    figure.supxlabel("area with the majority γ − area with this γ (above 0: this γ is better)")
    names = next(iter(tables.values())).index.unique(1)
    handles = [
        Line2D([], [], color=color, marker=marker, lw=1, label=name)
        for name, color, marker in zip(names, plots.PALETTE, "osD^", strict=False)
    ]
    handles += [
        Line2D([], [], color="#555555", marker="o", lw=1.8, label="excludes 0"),
        Line2D([], [], color="#555555", marker="o", mfc="white", lw=0.7, label="includes 0"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return figure


@plots.nine_points
def against_best_peer(differences, curves, margin):
    """The difference in area from the best peer on each set, and the curves of three sets.

    Parameters
    ----------
    differences : DataFrame, from :func:`~studylib.studies.pcf.comparison_tables.differences`
    curves : DataFrame
        A row for each data set, split and method: "data", "method", "coverage", "risk".
    margin : float
        How much larger the area of a competitive forest may be.

    Returns
    -------
    Figure
    """
    rows = differences.sort_values("mean")
    heights = 1.1 + 0.24 * len(rows), 2.2
    figure = plt.figure(figsize=(plots.WIDTH, sum(heights)), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=heights)
    ax, places = above.subplots(), np.arange(len(rows))
    ax.axvspan(-margin, margin, color="#dddddd", alpha=0.7, lw=0)
    ax.axvline(0, color="#555555", lw=1)
    for ends, width, words in (
        (("low", "high"), 3.5, "95% interval"),
        (("lowest", "highest"), 1, f"the same, corrected for {len(rows)} sets"),
    ):
        ax.hlines(places, *(rows[end] for end in ends), color=plots.PALETTE[0], lw=width, label=words)
    ax.scatter(rows["mean"], places, s=20, color="white", edgecolor=plots.PALETTE[0], lw=1.2, zorder=3)
    ax.set_yticks(places, [f"{data} ({peer})" for data, peer in rows["best peer"].items()])
    ax.invert_yaxis()
    ax.set_xlabel(f"area of the PCF − area of the best peer (grey: within {margin})")
    above.legend(loc="outside lower right", ncols=2)
    competitive, worse = (rows["highest"] <= margin).sum(), (rows["lowest"] > margin).sum()
    ax.set_title(
        f"{len(rows)} sets: competitive on {competitive}, not on {worse}, "
        f"undecided on {len(rows) - competitive - worse}"
    )
    chosen = dict.fromkeys(rows.index[k] for k in (0, len(rows) // 2, -1))
    axes = below.subplots(1, 3, squeeze=False)[0]
    for ax, data in zip(axes, chosen, strict=False):
        peer = rows.loc[data, "best peer"]
        _two_curves(ax, curves[curves["data"] == data], peer)
        ax.set_title(f"{data}\n({peer})")
    for ax in axes[len(chosen) :]:
        ax.axis("off")
    axes[0].set_ylabel("risk, %")
    below.legend(*axes[0].get_legend_handles_labels(), loc="outside lower right", ncols=2)
    return figure


def _two_curves(ax, curves, peer):
    """Risk against coverage of the PCF and of one peer, each the mean over the splits."""
    lines = {"PCF": ("PCF", plots.PALETTE[0], "-"), peer: ("best peer", plots.PALETTE[1], "--")}
    for method, (words, color, style) in lines.items():
        found = curves[curves["method"] == method]
        coverage, risk = np.array(found["coverage"].iloc[0]), np.mean(list(found["risk"]), axis=0)
        ax.plot(100 * coverage, 100 * risk, color=color, ls=style, label=words)
    ax.set(xlabel="coverage, %", ylim=(0, None), xticks=[0, 50, 100])
