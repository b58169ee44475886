"""Pictures of the benchmarks."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch

from studylib.plots import PALETTE, WIDTH, nine_points

_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
#: Between two estimators that are compared with the same package; contests and packages are 1 apart.
_STEP = 0.6


@nine_points
def ratios(table, work):
    """Each ratio of one kind of work with its quartiles on a logarithmic axis, by contest and other package.

    Parameters
    ----------
    table : DataFrame
        From :func:`benchmarks.contests.hold`, of several contests.
    work : str
        "fit", "predict" or "fit + predict".

    Returns
    -------
    matplotlib Figure
        A colour for each estimator; where its target is met is shaded.
    """
    rows = table[table["work"] == work].reset_index(drop=True)
    labels, places, last = {}, {}, 0.0
    for contest, part in rows.groupby("contest", sort=False):
        labels[last] = contest
        last += 1
        for peer, some in part.groupby("compared with", sort=False):
            at = last + _STEP * np.arange(len(some))
            labels[at.mean()] = peer
            places.update(zip(some.index, at, strict=True))
            last = at[-1] + 1
        last += 0.3
    figure, ax = plt.subplots(figsize=(WIDTH, 1.1 + 0.2 * last), layout="constrained")
    right = 1.3 * rows[["upper quartile", "target"]].max(axis=None)
    for k, (name, part) in enumerate(rows.groupby("estimator", sort=False)):
        at, color = [places[row] for row in part.index], PALETTE[k % len(PALETTE)]
        errors = [part["ratio"] - part["lower quartile"], part["upper quartile"] - part["ratio"]]
        ax.errorbar(part["ratio"], at, xerr=errors, fmt="osD^vP"[k % 6], color=color, label=name)
        ax.barh(at, right - part["target"], _STEP, left=part["target"], color=color, alpha=0.15, lw=0)
    ax.axvline(1.0, color="0.3", lw=1)
    ax.set(
        xscale="log", xlim=(None, right), ylim=(last - 0.5, -0.7), yticks=list(labels),
        xlabel=f"times slower than our estimator, {work} (left of 1: faster)",
    )  # fmt: skip
    ax.set_yticklabels(labels.values())
    for text in ax.get_yticklabels():
        text.set_weight("bold" if text.get_text() in set(rows["contest"]) else "normal")
    ax.grid(visible=False, axis="y")
    ticks = [value for value in _TICKS if ax.get_xlim()[0] <= value <= ax.get_xlim()[1]]
    ax.set_xticks(ticks, [f"{value:g}" for value in ticks])
    ax.minorticks_off()
    handles, names = ax.get_legend_handles_labels()
    if rows["target"].notna().any():
        handles, names = [*handles, Patch(color="0.3", alpha=0.15, lw=0)], [*names, "target met"]
    figure.legend(handles, names, loc="outside upper center", ncols=4)
    return figure


@nine_points
def growth(seconds):
    """Seconds against samples, features and trees, both axes logarithmic, a line per forest."""
    along = list(seconds["along"].unique())
    figure, axes = plt.subplots(1, len(along), figsize=(WIDTH, 3.4), layout="constrained")
    for ax, axis in zip(np.atleast_1d(axes), along, strict=True):
        part = seconds[seconds["along"] == axis]
        for k, (name, line) in enumerate(part.groupby("forest", sort=False)):
            theirs = name.startswith("scikit-learn")
            ax.plot(
                line["size"], line["seconds"], marker="o", ms=3, label=name,
                color="0.4" if theirs else PALETTE[(k - 1) % len(PALETTE)], ls="--" if theirs else "-",
            )  # fmt: skip
        sizes = part["size"].unique()
        ax.set(xscale="log", yscale="log", xlabel=axis, xticks=sizes, xticklabels=[f"{n:,}" for n in sizes])
        ax.minorticks_off()
    axes[0].set_ylabel("processor seconds of a fit")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure
