"""Fig. 6 of GRAF: strength, correlation and their bound, with and without extension (notebook 04)."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from studylib import plots
from studylib.statistics import mean_interval
from studylib.studies.graf.over_seeds import interval
from studylib.studies.graf.scales import GREY, note
from studylib.studies.replicates import unrolled

#: What :func:`~studylib.studies.graf.experiments.strengths` measures and the ablation compares.
MEASURES = ("strength", "correlation", "bound", "test_error")
#: Where the plane of strength and correlation has room for a set's name: offset and alignment.
_BESIDE = {
    "2 classes, 10 centroids": (0, 6, "center", "bottom"),
    "2 classes, 20 centroids": (-6, 2, "right", "bottom"),
    "2 classes, 50 centroids": (-46, -8, "right", "top"),
    "5 classes, 10 centroids": (7, 0, "left", "center"),
    "5 classes, 20 centroids": (7, 0, "left", "center"),
    "5 classes, 50 centroids": (7, 4, "left", "bottom"),
}


def strength_table(forests):
    """A row per key of ``experiments.strengths`` and model: the keys' columns and what was measured."""
    return unrolled(forests, [name for name in forests if isinstance(forests[name][0], list)])


def relative_changes(ablation):
    """Change of each measure, in percent, when hyperplanes are extended to all partitions."""
    means = ablation.pivot_table(list(MEASURES), ["data", "max_features", "data_seed"], "extend", sort=False)
    changes = pd.concat(
        {measure: 100 * (means[measure][True] / means[measure][False] - 1) for measure in MEASURES},
        names=["measure"],
    )
    return changes.rename("change").reset_index()


def falls_by_extension(ablation, measure):
    """By how many percent a measure is lower with extended hyperplanes, for every data set and M."""
    changes = relative_changes(ablation)
    chosen = changes[changes["measure"] == measure]
    return {
        f"{data}, M = {m}": (-part["change"]).tolist()
        for (data, m), part in chosen.groupby(["data", "max_features"], sort=False)
    }


def ablation_table(ablation):
    """Change of each measure with extended hyperplanes, in percent, for every data set and M.

    "bound" is the mean, "bound, low" and "bound, high" its interval over the data seeds.
    """
    rows = {}
    for (data, m, measure), part in relative_changes(ablation).groupby(
        ["data", "max_features", "measure"], sort=False
    ):
        ends = mean_interval(part["change"])
        rows.setdefault((data, m), {}).update(
            {
                measure: ends.mean,
                f"{measure}, low": ends.low,
                f"{measure}, high": ends.high,
            }
        )
    return pd.DataFrame(rows).T.rename_axis(["extended ÷ own partition only − 1, %", "M"])


def printed_correlations(measured):
    """Largest difference that eq 34 as printed makes to ρ of a forest, and both means of ρ."""
    difference = (measured["printed_correlation"] - measured["correlation"]).abs().max()
    return float(difference), {
        "ρ with Breiman's deviation": float(measured["correlation"].mean()),
        "ρ with the printed one": float(measured["printed_correlation"].mean()),
    }


@plots.nine_points
def strength_and_correlation(measured, caption):
    """Strength against correlation, a path over M for each data set, on contours of Breiman's bound."""
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
    styles = {"extended to all partitions": ("-", GREY), "own partition only": (":", "white")}
    handles = [Line2D([], [], color=GREY, ls=ls, marker="o", mfc=fill) for ls, fill in styles.values()]
    figure.legend(handles, list(styles), title="hyperplanes", loc="outside upper center", ncols=2)
    return note(figure, caption)


@plots.nine_points
def ablation(measured, caption):
    """Change of each measure when hyperplanes are extended to all partitions; intervals over the seeds."""
    changes = relative_changes(measured)
    sets, sizes = changes["data"].unique(), sorted(changes["max_features"].unique())
    figure, axes = plt.subplots(2, 2, figsize=(plots.WIDTH, 6.2), sharey=True, layout="constrained")
    for ax, (measure, part) in zip(axes.flat, changes.groupby("measure", sort=False), strict=True):
        for k, m in enumerate(sizes):
            changes_at_m = part[part["max_features"] == m].groupby("data", sort=False)["change"]
            places = np.arange(len(sets)) + 0.22 * (k - (len(sizes) - 1) / 2)
            color = plots.PALETTE[k % len(plots.PALETTE)]
            ax.hlines(places, *zip(*changes_at_m.apply(interval), strict=True), color=color, lw=1.5)
            ax.plot(changes_at_m.mean(), places, "osD^vPX*"[k], color=color, label=f"M = {m}")
        ax.axvline(0, color="#555555", lw=1)
        ax.set(title=measure.replace("_", " "), xlabel="change, %")
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes[0, 0].set_yticks(range(len(sets)), [data.replace(", ", "\n") for data in sets])
    axes[0, 0].invert_yaxis()
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(sizes))
    return note(figure, caption)
