"""Size and cost of Trees, and the number of dimensions: tables and figures (notebook 02)."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullLocator

from studylib import plots
from studylib.studies.pcf.growth import BASE, N_PER_CELL
from studylib.studies.replicates import log_slopes, slope

#: How the settings of a forest are written in the source.
SYMBOLS = {
    "n_samples": "n",
    "n_features": "d",
    "min_samples_leaf": "τ_|X|",
    "max_loss": "τ_l",
    "max_depth": "τ_h",
}
#: Below this share of predicted observations, in percent, an accuracy is that of a handful.
_TOO_FEW = 0.1


def dimension_series(table):
    """The rows of four series over the number of dimensions."""
    n, d, relevant = table["n_samples"], table["n_features"], table["n_relevant"]
    sizes = {"fixed n": n == BASE["n_samples"], "growing n": n == N_PER_CELL * 2**d}
    relevances = {"2 relevant": relevant == d.clip(upper=2), "all relevant": relevant == d}
    return {
        f"{size}, {relevance}": table[of_size & is_relevant]
        for size, of_size in sizes.items()
        for relevance, is_relevant in relevances.items()
    }


def first_dimension_below(part, share):
    """The number of dimensions from which on less than a share (mean over seeds) is predicted; or "none"."""
    predicted = part.groupby("n_features")["predicted"].mean()
    still = predicted.index[predicted >= share]
    later = predicted.index[predicted.index > (still.max() if len(still) else 0)]
    return str(later.min()) if len(later) else f"none up to {predicted.index.max()}"


def growth_series(table):
    """The rows in which one setting is varied and the others are those of ``BASE``."""
    is_base = {name: _equals(table[name], BASE[name]) for name in SYMBOLS}
    series = {
        name: table[np.logical_and.reduce([is_base[other] for other in SYMBOLS if other != name])]
        for name in SYMBOLS
    }
    series["max_depth"] = series["max_depth"].dropna(subset="max_depth")
    series["max_loss"] = series["max_loss"].query("max_loss > 0")  # there is no logarithm of 0
    return series


def _equals(column, value):
    return column.isna() if value is None else column == value


def growth_slopes(series):
    """Log–log slopes of the measures in the settings, as in "nodes in n", for every replicate.

    The height limit is not among the settings.
    """
    return {
        f"{measure.replace('_', ' ')} in {SYMBOLS[name]}": log_slopes(part, name, measure)
        for name, part in series.items()
        for measure in ("nodes", "leaves", "depth", "active_share")
        if name != "max_depth"
    }


def growth_table(series):
    """Nodes, depth and active share against the settings that the figure leaves out: d, τ_l and τ_h.

    Means over the replicates, and the source's bound on the nodes.
    """
    parts = {}
    for name in ("n_features", "max_loss", "max_depth"):
        means = series[name].groupby(name)[["nodes", "depth", "active_share"]].mean()
        limited = name == "max_depth"
        means["bound on nodes"] = [f"{2 ** (h + 1) - 1:,.0f}" if limited else "–" for h in means.index]
        parts[SYMBOLS[name]] = means.set_axis([f"{value:g}" for value in means.index])
    table = pd.concat(parts, names=["setting", "value"])
    table["active_share"] *= 100
    return table.rename(columns={"active_share": "active leaves, %"})


def slopes_on_log2(table, measure):
    """Slope of a measure in log2 n, for every replicate."""
    return [slope(map(math.log2, part["n_samples"]), part[measure]) for _, part in table.groupby("replicate")]


def rise_of_slopes(table, measure):
    """Slope of a measure in log2 n over the larger half of the sizes less that over the smaller half."""
    sizes = sorted(table["n_samples"].unique())
    half = (len(sizes) + 1) // 2  # of an odd number, both halves have the middle one
    small, large = (
        slopes_on_log2(table[table["n_samples"].isin(part)], measure)
        for part in (sizes[:half], sizes[-half:])
    )
    return [b - a for a, b in zip(small, large, strict=True)]


@plots.nine_points
def measures_over_dimensions(series):
    """Predicted and accuracy against the number of dimensions, with 95% intervals.

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
    """Nodes and depth against n and τ_|X|."""
    settings = {
        "n_samples": ("observations n", (500, 2_000, 8_000, 32_000)),
        "min_samples_leaf": ("smallest leaf $\\tau_{|X|}$, observations", (2, 4, 8, 16, 32, 64)),
    }
    figure, axes = plt.subplots(
        2, 2, figsize=(plots.WIDTH, 5), sharex="col", sharey="row", layout="constrained"
    )
    for column, (name, (words, ticks)) in zip(axes.T, settings.items(), strict=True):
        for ax, measure in zip(column, ("nodes", "depth"), strict=True):
            values = series[name].groupby(name)[measure].agg(["mean", "sem"])
            ax.errorbar(values.index, values["mean"], 1.96 * values["sem"].fillna(0), fmt="o-")
        ticks = [tick for tick in ticks if tick <= values.index[-1]]
        column[-1].set(xlabel=words, xscale="log")
        column[-1].set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        column[-1].xaxis.set_minor_locator(NullLocator())
    axes[0, 0].set(ylabel="nodes", yscale="log", ylim=(100, 2e5))
    axes[0, 0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes[1, 0].set(ylabel="depth, levels", ylim=(0, None))
    return figure


@plots.nine_points
def steps_per_query(table):
    """Mean steps of a query against n, of Trees without a limit of height, beside a balanced tree's."""
    figure, ax = plt.subplots(figsize=(plots.WIDTH, 3.2), layout="constrained")
    steps = table.groupby("n_samples")["steps"].agg(["mean", "sem"])
    n, smallest = steps.index.to_numpy(), table["min_samples_leaf"].iloc[0]
    balanced = np.log2(n / smallest)
    ax.errorbar(n, steps["mean"], 1.96 * steps["sem"].fillna(0), fmt="o-")
    ax.plot(n, balanced, color="#555555", ls="--")
    for end, words, color in (
        (steps["mean"].iloc[-1], "Trees,\nno limit", plots.PALETTE[0]),
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
