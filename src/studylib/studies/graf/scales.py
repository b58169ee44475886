"""What figures share: differences in accuracy, their axes and marks, sizes of data sets, and a note below."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from scipy import stats

from studylib import plots

#: Properties of a data set, and what they are called in figures and tables.
PROPERTIES = {"n": "samples", "d": "features", "classes": "classes", "coded": "share of coded columns"}
#: The colour of what stands beside.
GREY = plots.PALETTE[6]

#: How a difference is drawn: a gain, a small one or a tie, and a loss.
_MARKS = (("o", plots.PALETTE[0]), ("s", plots.PALETTE[6]), ("v", plots.PALETTE[1]))
_TICKS = (-30, -10, -3, -1, 0, 1, 3, 10, 30)


def difference_axis(ax, which, values):
    """Make one axis a scale of differences on which one point and thirty can be read: linear up to ± 1."""
    scale, ticks, limits, line = {
        "x": (ax.set_xscale, ax.set_xticks, ax.set_xlim, ax.axvline),
        "y": (ax.set_yscale, ax.set_yticks, ax.set_ylim, ax.axhline),
    }[which]
    line(0, color="#555555", lw=1)
    scale("symlog", linthresh=1, linscale=0.6)
    ticks(_TICKS, [f"{t:+d}".replace("-", "−") if t else "0" for t in _TICKS])
    ax.minorticks_off()
    limits(1.3 * min(np.min(values), -1), 1.3 * max(np.max(values), 1))


def log_axis(ax):
    """A logarithmic x axis with plain numbers, whether it spans one power of ten or three."""
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def scatter(ax, x, y, difference, labels, within=0, size=12):
    """Marks at x and y: where a difference is above ``within``, up to it, and below its negative."""
    x, y, difference = map(np.asarray, (x, y, difference))
    kinds = difference > within, np.abs(difference) <= within, difference < -within
    for chosen, label, (marker, color) in zip(kinds, labels, _MARKS, strict=True):
        ax.scatter(x[chosen], y[chosen], s=size, marker=marker, color=color, label=label)


def rank_correlation(values, other):
    """Spearman's rank correlation; NaN where one of both is constant."""
    if values.nunique() < 2 or other.nunique() < 2:
        return float("nan")
    return float(stats.spearmanr(values, other).statistic)


def correlation_title(values, other, words="rank correlation"):
    """The rank correlation behind some words; empty where there is none."""
    rho = rank_correlation(values, other)
    return "" if np.isnan(rho) else f"{words} {rho:+.2f}".replace("-", "−")


def against_properties(properties, difference, labels, title="rank correlation", within=0):
    """A difference against samples, features, classes and the share of coded columns: a figure, and its axes.

    ``properties``: columns of ``PROPERTIES``. ``labels``, ``within``: as for :func:`scatter`. ``title``: the
    words before a panel's rank correlation.
    """
    figure, axes = plt.subplots(2, 2, figsize=(plots.WIDTH, 6), sharey=True, layout="constrained")
    for ax, (name, words) in zip(axes.flat, PROPERTIES.items(), strict=True):
        scatter(ax, properties[name], difference, difference, labels, within)
        difference_axis(ax, "y", difference)
        ax.set(xlabel=words, title=correlation_title(properties[name], difference, title))
        if name != "coded":
            log_axis(ax)
    n = properties["n"]
    if n.max() > 100 * n.min():  # long numbers do not fit in between
        axes[0, 0].xaxis.set_major_locator(LogLocator())
    return figure, axes


def legend(figure, ax, caption):
    """The kinds of marks above the panels, and below what the figure is made from."""
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=3, columnspacing=1)
    return note(figure, textwrap.fill(caption, 90))


def note(figure, text):
    """Say below what the figure is made from."""
    figure.supxlabel(text, x=0.01, ha="left", color="dimgray")
    return figure
