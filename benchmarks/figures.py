"""Pictures of the benchmarks."""

import matplotlib.pyplot as plt
import numpy as np

from studylib.plots import PALETTE


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
    ax.axvline(1.0, color="0.6", lw=1, zorder=0)
    labels = [f"{r['contest']}: {r['estimator']} – {r['compared with']}" for _, r in rows.iterrows()]
    ax.set(xscale="log", yticks=places, yticklabels=labels, xlabel=f"times as long as ours, {work}")
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.legend(loc="lower right")
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
    axes[-1].legend(fontsize="small")
    return figure


def threads(table):
    """Speed-up against the number of threads, beside the ideal line."""
    figure, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
    for k, (name, row) in enumerate(table.iterrows()):
        theirs = name.startswith("scikit-learn")
        ax.plot(
            table.columns, row, marker="o", label=name,
            color="0.4" if theirs else PALETTE[(k - 1) % len(PALETTE)], ls="--" if theirs else "-",
        )  # fmt: skip
    ax.plot(table.columns, table.columns, color="0.7", lw=1, label="ideal")
    ax.set(xlabel="threads", ylabel="speed-up of a fit", xticks=table.columns)
    ax.legend(fontsize="small")
    return figure
