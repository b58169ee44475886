"""What figures share: axes for differences in accuracy and for sizes of data sets, and a note below."""

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from studylib import plots

#: Properties of a data set, and what they are called in figures and tables.
PROPERTIES = {"n": "samples", "d": "features", "classes": "classes", "coded": "share of coded columns"}
#: The colour of what stands beside.
GREY = plots.PALETTE[6]

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


def note(figure, text):
    """Say below what the figure is made from."""
    figure.supxlabel(text, x=0.01, ha="left", color="dimgray")
    return figure
