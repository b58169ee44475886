"""The pictures of the lecture on random forests, and kinds of pictures that the other lecture uses too."""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from studylib.plots import PALETTE, draw_decision_surface
from studylib.studies.forest_lecture.by_hand import SMOKING, implied_smoking_share

#: The rectangle that shows the two moons.
MOONS = ((-1.7, -1.5), (3, 2))


def pale_surface(model, bounds, ax, resolution=250):
    """A decision surface that leaves the points on it visible."""
    draw_decision_surface(model, bounds, ax, resolution=resolution)
    ax.images[-1].set_alpha(0.35)


def surfaces(models, points, size, bounds=MOONS):
    """Decision surfaces of fitted classifiers side by side, with points on each; ``size`` in inches."""
    figure, axes = plt.subplots(1, len(models), figsize=size, squeeze=False, layout="constrained")
    for ax, (title, model), (X, y) in zip(axes[0], models.items(), points, strict=True):
        pale_surface(model, bounds, ax)
        sns.scatterplot(
            x=X[:, 0], y=X[:, 1], hue=y, style=y, s=18, palette=list(PALETTE[:2]), legend="full", ax=ax
        )
        ax.set(title=title)
    legend_of_classes(figure)
    return figure


def legend_of_classes(figure):
    """One legend of the classes below all panels, each of which has its own; those go."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    for ax in figure.axes:
        ax.get_legend().remove()
    figure.legend(
        handles,
        [f"class {label}" for label in labels],
        loc="outside lower center",
        ncols=len(labels),
        fontsize=9,
        markerscale=1.6,
    )


def plain_ticks(axis, subs=(1.0, 2.0, 5.0)):
    """Ticks of a logarithmic axis as plain numbers, such as 0.02 and 5,000, and no small ones."""
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:.6g}")
    )
    axis.set_minor_locator(NullLocator())


def lines(curves, styles, size=(6, 3), **axes):
    """Lines ``(x, y)`` by label, with a legend; size in inches, and ``axes`` are for ``Axes.set``."""
    figure, ax = plt.subplots(figsize=size)
    for (label, (x, y)), style in zip(curves.items(), styles, strict=True):
        ax.plot(x, y, style, label=label, markersize=3 if len(x) > 10 else None)
    ax.set(**axes)
    ax.legend(fontsize="small")
    return figure


def averages(tables):
    """Mean curves for :func:`lines`, of tables with one row per replicate and one column per step."""
    return {name: (list(table.columns), table.mean()) for name, table in tables.items()}


def impurities():
    """Three impurities of a node of two classes."""
    p = np.linspace(0, 1, 401)
    gini = 2 * p * (1 - p)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = np.nan_to_num(-p * np.log2(p) - (1 - p) * np.log2(1 - p))
    return lines(
        {"entropy, bits": (p, entropy), "Gini": (p, gini), "√Gini": (p, np.sqrt(gini))},
        ("-", "--", ":"),
        xlabel="share of the first of two classes",
        ylabel="impurity",
        title="How impure is a node?",
    )


def bars(values, size, xlabel, title=""):
    """Horizontal bars of a mapping or Series of name to number.

    Each has its number beside it, since a bar of 0 cannot be seen.
    """
    figure, ax = plt.subplots(figsize=size)
    names, numbers = zip(*values.items(), strict=True)
    ax.bar_label(ax.barh(names, numbers, height=0.7), fmt="%.2f", padding=7, fontsize=8)
    ax.margins(x=0.1)
    ax.set(xlabel=xlabel, title=title)
    return figure


def smoking():
    """Shares in the nodes of the smoking tree, and what the two lower ones imply for the root."""
    figure = bars(
        {f"{name}, {n}": share for name, (n, share) in SMOKING.items()},
        (6, 2.2),
        "share that intends to smoke",
    )
    ax = figure.axes[0]
    for label in ax.texts:  # inside its bar, where no mark is
        label.set(color="white", ha="right", x=-7)
    implied = implied_smoking_share()
    ax.plot(implied, 0, "D", color=PALETTE[1])
    ax.annotate(
        f"the two below imply {implied:.3f}",
        (implied, 0),
        (9, 0),
        textcoords="offset points",
        va="center",
        fontsize=9,
        color=PALETTE[1],
    )
    ax.invert_yaxis()
    ax.set(xlim=(0, 0.8))
    return figure


def approximation(steps):
    """Error of a tree on smooth functions, by number of leaves."""
    figure, ax = plt.subplots(figsize=(6, 3.2))
    sns.lineplot(
        steps, x="leaves", y="rms", hue="function", style="function", markers=True, errorbar=None, ax=ax
    )
    ax.set(xscale="log", yscale="log", xlabel="leaves", ylabel="root mean square error")
    plain_ticks(ax.xaxis)
    plain_ticks(ax.yaxis)
    ax.set(title="How close does a tree come?")
    return figure
