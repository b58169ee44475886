"""Figures of the notebooks about the Guided Random Forest; a panel for each data set or measure."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from studylib import plots
from studylib.statistics import mean_interval
from studylib.studies.graf.tables import PARTS, relative_changes

#: How the methods are drawn beside GRAF, which is bold and in colour.
_PEERS = {"random forest": "--", "gradient boosting": ":", "AdaBoost": "-."}
_GREY = plots.PALETTE[6]
#: Where the plane of strength and correlation has room for a set's name: offset and alignment.
_BESIDE = {
    "2 classes, 10 centroids": (0, 6, "center", "bottom"),
    "2 classes, 20 centroids": (-6, 2, "right", "bottom"),
    "2 classes, 50 centroids": (-46, -8, "right", "top"),
    "5 classes, 10 centroids": (7, 0, "left", "center"),
    "5 classes, 20 centroids": (7, 0, "left", "center"),
    "5 classes, 50 centroids": (7, 4, "left", "bottom"),
}


def _interval(values):
    return mean_interval(values)[1:]


def _note(figure, text):
    """Say below what the figure is made from."""
    figure.supxlabel(text, x=0.01, ha="left", color="dimgray")
    return figure


@plots.nine_points
def growth(forest, X, y, heights):
    """A tree at several heights, from no hyperplane on, with the names of features and classes (Fig. 1).

    Parameters
    ----------
    forest : GuidedRandomForestClassifier
        Fitted on two features, both in each tree.
    X : array-like (n_samples, 2)
    y : array-like (n_samples,)
    heights : sequence of int

    Returns
    -------
    Figure
    """
    n_rows = -(-(len(heights) + 1) // 3)  # the last place is the legend's
    figure, axes = plt.subplots(
        n_rows, 3, figsize=(plots.WIDTH, 2.1 * n_rows + 0.2), sharex=True, sharey=True, layout="constrained"
    )
    shown, spare = axes.flat[: len(heights)], axes.flat[len(heights) :]
    for ax in plots.draw_growth(forest, X, y, heights, axes=shown):
        ax.set(
            title=ax.get_title().replace(": ", "\n"), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1], aspect="equal"
        )
    for ax in spare:
        ax.set_axis_off()
    figure.supxlabel("first feature")
    figure.supylabel("second feature")
    handles = [
        Line2D([], [], marker=marker, color=color, linestyle="none", label=label)
        for label, marker, color in zip(forest.classes_, "os", plots.PALETTE, strict=False)
    ]
    spare[-1].legend(handles=handles, loc="center")
    return figure


@plots.nine_points
def error_parts(table, x, *, label, ticks, caption, xscale="linear"):
    """Error as variance above bias², a panel for each data set.

    Parameters
    ----------
    table : DataFrame, from :func:`~studylib.studies.graf.tables.decomposition_table`
    x : str, a column of it
    label : str, of the x axis
    ticks : sequence of int, on the x axis
    caption : str
        What the figure is made from.
    xscale : str

    Returns
    -------
    Figure
        Means over the data seeds. Where there are several, bars are 95% intervals of error and bias².
    """
    figure, axes = plt.subplots(2, 3, figsize=(plots.WIDTH, 4.6), sharex=True, layout="constrained")
    areas = {"variance": plots.PALETTE[4], "bias²": plots.PALETTE[0]}
    for ax, (data, part) in zip(axes.flat, table.groupby("data", sort=False), strict=True):
        found = {name: one.pivot_table("percent", "data_seed", x) for name, one in part.groupby("part")}
        error, bias = found["error"].mean(), found["bias²"].mean()
        ax.fill_between(error.index, bias, error, color=areas["variance"], alpha=0.5, lw=0)
        ax.fill_between(error.index, 0, bias, color=areas["bias²"], alpha=0.5, lw=0)
        several = len(found["error"]) > 1
        for name, color, aside in (("bias²", areas["bias²"], 0.15), ("error", "black", -0.15)):
            ax.plot(error.index, found[name].mean(), color=color)
            if several:
                ends = [_interval(found[name][one]) for one in error.index]
                ax.vlines(error.index + aside, *zip(*ends, strict=True), color=color, lw=1)
        shown = [tick for tick in ticks if tick <= error.index[-1]]
        ax.set(title=data, xscale=xscale, ylim=(0, None))
        ax.set_xlim(error.index[0] - 0.3 * several, error.index[-1] + 0.3 * several)
        ax.set_xticks(shown, shown)
        ax.minorticks_off()
        ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    for ax in axes[:, 0]:
        ax.set_ylabel("error, %")
    for ax in axes[-1]:
        ax.set_xlabel(label)
    names = {"error  =": Line2D([], [], color="black")}
    names |= {
        f"{name}{sign}": Patch(color=areas[name], alpha=0.5, lw=0)
        for name, sign in (("variance", "  +"), ("bias²", ""))
    }
    figure.legend(names.values(), names, loc="outside upper center", ncols=3)
    return _note(figure, caption)


@plots.nine_points
def methods(table, caption):
    """Error, bias² and variance of all methods against the size of the training set, a row for each data set.

    Parameters
    ----------
    table : DataFrame, from :func:`~studylib.studies.graf.tables.decomposition_table`
    caption : str

    Returns
    -------
    Figure
        Logarithmic axes, the same for all panels.
    """
    sets = table["data"].unique()
    figure, axes = plt.subplots(
        len(sets), 3, figsize=(plots.WIDTH, 1.4 * len(sets) + 0.6), sharex=True, sharey="row",
        layout="constrained",
    )  # fmt: skip
    for row, data in zip(axes, sets, strict=True):
        for ax, part in zip(row, PARTS.values(), strict=True):
            found = table[(table["data"] == data) & (table["part"] == part)]
            ends = {}
            ax.set_yscale("log")
            for method, one in found.groupby("method", sort=False):
                own = method == "GRAF"
                color, style, width = (plots.PALETTE[0], "-", 2.5) if own else (_GREY, _PEERS[method], 1.2)
                mean = one.groupby("n_train")["percent"].mean()
                ax.plot(mean.index, mean, color=color, ls=style, lw=width, zorder=2 + own)
                ends[method] = mean.iloc[-1]
        low, high = np.log10(ax.get_ylim())  # of the row
        _names_at_ends(ax, mean.index[-1], ends, least=0.17 * (high - low))
        row[0].set_ylabel("\n".join([*data.split(", "), "%"]))
    for ax, part in zip(axes[0], PARTS.values(), strict=True):
        ax.set_title(part)
    for ax in axes[-1]:
        ax.set_xlabel("training samples")
    axes[0, 0].set(xlim=(0, None), xticks=[0, 1000, 2000])
    for ax in axes[:, 0]:
        low, high = ax.get_ylim()
        shown = [tick for tick in (0.2, 0.5, 1, 2, 5, 10, 20, 50) if low <= tick <= high]
        ax.set_yticks(shown, shown)
        ax.minorticks_off()
    return _note(figure, caption)


def _names_at_ends(ax, x, ends, least):
    """Methods' names behind the ends of their lines, on a logarithmic axis, never closer than ``least``."""
    place = -np.inf
    for method, value in sorted(ends.items(), key=lambda end: end[1]):
        place = max(np.log10(value), place + least)
        ax.annotate(
            method, (x, 10**place), (4, 0), textcoords="offset points", va="center", annotation_clip=False,
            color=plots.PALETTE[0] if method == "GRAF" else _GREY,
            weight="bold" if method == "GRAF" else "normal",
        )  # fmt: skip


@plots.nine_points
def strength_and_correlation(measured, caption):
    """Strength against correlation, a path over M for each data set, on contours of Breiman's bound.

    Parameters
    ----------
    measured : DataFrame
        From :func:`~studylib.studies.graf.tables.strength_table`, forests with and without extension.
    caption : str

    Returns
    -------
    Figure
    """
    shown = ["correlation", "strength"]
    means = measured.pivot_table(shown, ["data", "extend", "max_features"])
    figure, ax = plt.subplots(figsize=(plots.WIDTH, 5.6), layout="constrained")
    (left, bottom), (right, top) = means.min() - 0.03, means.max() + 0.08
    ax.set(
        xlim=(left, right), ylim=(bottom, min(top, 1)),
        xlabel="correlation of two trees, ρ", ylabel="strength of the trees, s",
        title="grey: Breiman's bound of the error, ρ (1 − s²) / s²",
    )  # fmt: skip
    x, y = np.meshgrid(np.linspace(*ax.get_xlim(), 200), np.linspace(*ax.get_ylim(), 200))
    levels = [0.05, 0.1, 0.2, 0.5, 1, 2]
    lines = ax.contour(x, y, x * (1 - y**2) / y**2, levels=levels, colors="#999999", linewidths=0.8)
    ax.clabel(lines, fmt=lambda level: f"{level:g}", fontsize=9)
    ax.grid(False)
    for color, data in zip(plots.PALETTE, means.index.unique("data"), strict=False):
        for extend, style, fill in ((False, ":", "white"), (True, "-", color)):
            path = means.loc[data, extend].sort_index()
            ax.plot(*path[shown].to_numpy().T, style, marker="o", color=color, mfc=fill)
        dx, dy, side, vertical = _BESIDE[data]
        ax.annotate(
            data.replace(", ", "\n"), path.iloc[-1], (dx, dy), textcoords="offset points", color=color,
            ha=side, va=vertical,
        )  # fmt: skip
    for m in path.index[[0, -1]]:
        ax.annotate(f"M = {m}", path.loc[m], (7, -9), textcoords="offset points", color=color)
    styles = {"extended to all partitions": ("-", _GREY), "own partition only": (":", "white")}
    handles = [Line2D([], [], color=_GREY, ls=ls, marker="o", mfc=fill) for ls, fill in styles.values()]
    figure.legend(handles, list(styles), title="hyperplanes", loc="outside upper center", ncols=2)
    return _note(figure, caption)


@plots.nine_points
def ablation(measured, caption):
    """Change of each measure when hyperplanes are extended to all partitions, with intervals over the seeds.

    Parameters
    ----------
    measured : DataFrame
        From :func:`~studylib.studies.graf.tables.strength_table`, forests of both kinds for every M in it.
    caption : str

    Returns
    -------
    Figure
    """
    changes = relative_changes(measured)
    sets, sizes = changes["data"].unique(), sorted(changes["max_features"].unique())
    figure, axes = plt.subplots(2, 2, figsize=(plots.WIDTH, 6.2), sharey=True, layout="constrained")
    for ax, (measure, part) in zip(axes.flat, changes.groupby("measure", sort=False), strict=True):
        for k, m in enumerate(sizes):
            found = part[part["max_features"] == m].groupby("data", sort=False)["change"]
            places = np.arange(len(sets)) + 0.22 * (k - (len(sizes) - 1) / 2)
            color = plots.PALETTE[k % len(plots.PALETTE)]
            ax.hlines(places, *zip(*found.apply(_interval), strict=True), color=color, lw=1.5)
            ax.plot(found.mean(), places, "osD^vPX*"[k], color=color, label=f"M = {m}")
        ax.axvline(0, color="#555555", lw=1)
        ax.set(title=measure.replace("_", " "), xlabel="change, %")
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes[0, 0].set_yticks(range(len(sets)), [data.replace(", ", "\n") for data in sets])
    axes[0, 0].invert_yaxis()
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(sizes))
    return _note(figure, caption)
