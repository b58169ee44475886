"""Pictures of the benchmarks."""

import matplotlib.pyplot as plt
import numpy as np

from studylib.plots import PALETTE

_TICKS = (0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 20, 30, 50, 100)


def ratios(table, work):
    """Each ratio of one kind of work with its quartiles, and the target, on a logarithmic axis.

    Parameters
    ----------
    table : DataFrame
        From :func:`benchmarks.contests.hold`, of several contests.
    work : str
        "fit", "predict" or "fit + predict".

    Returns
    -------
    matplotlib Figure
    """
    rows = table[table["work"] == work].iloc[::-1].reset_index(drop=True)
    figure, ax = plt.subplots(figsize=(9, 0.9 + 0.28 * len(rows)), layout="constrained")
    places = np.arange(len(rows))
    errors = [rows["ratio"] - rows["lower quartile"], rows["upper quartile"] - rows["ratio"]]
    ax.errorbar(rows["ratio"], places, xerr=errors, fmt="o", color=PALETTE[0], label="median and quartiles")
    if rows["target"].notna().any():
        ax.plot(rows["target"], places, "|", color=PALETTE[1], ms=14, mew=2, label="target")
    ax.axvline(1.0, color="0.3", lw=1)
    labels = [f"{r['contest']}: {r['estimator']} – {r['compared with']}" for _, r in rows.iterrows()]
    ax.set(xscale="log", yticks=places, yticklabels=labels, xlabel=f"times as long as ours, {work}")
    ticks = [value for value in _TICKS if ax.get_xlim()[0] <= value <= ax.get_xlim()[1]]
    ax.set_xticks(ticks, [f"{value:g}" for value in ticks])
    ax.minorticks_off()
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0)
    return figure


def growth(seconds):
    """Seconds against samples, features and trees, both axes logarithmic, a line per forest."""
    along = list(seconds["along"].unique())
    figure, axes = plt.subplots(1, len(along), figsize=(4 * len(along), 3.6), layout="constrained")
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
