"""Figures of the source's comparison on the UCI suite."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from studylib import plots
from studylib.studies.graf.scales import difference_axis, log_axis
from studylib.studies.graf.uci_tables import COMPARABLE, PROPERTIES, by_property, critical_difference, ranks

#: How an axis of differences is divided, said on the axis.
_SYMLOG = "(symmetric log scale)"
_WON, _LOST, _NEAR = plots.PALETTE[0], plots.PALETTE[1], plots.PALETTE[6]


def _marks(d):
    d = np.asarray(d)
    return {
        "better by more than 1 point": (d > COMPARABLE, "o", _WON),
        "within 1 point": (np.abs(d) <= COMPARABLE, "s", _NEAR),
        "worse by more than 1 point": (d < -COMPARABLE, "v", _LOST),
    }


def _caption(figure, caption, *, legend=True):
    if not legend:
        figure.get_layout_engine().set(rect=(0, 0.06, 1, 0.94))  # room for the caption
    figure.text(0.01, 0.01, caption, fontsize="small", color="dimgray")
    return figure


@plots.nine_points
def sorted_differences(table, rivals, caption):
    """GRAF − rival on all data sets, sorted, a panel for each rival; the share that the source printed.

    Parameters
    ----------
    table : DataFrame, from ``uci_tables.means``
    rivals : dict of str to float
        Rivals, and the share of sets on which the source calls GRAF better or comparable.
    caption : str

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(1, len(rivals), figsize=(plots.WIDTH, 4.4), sharey=True, layout="constrained")
    everything = np.concatenate([table["GRAF"] - table[rival] for rival in rivals])
    for ax, (rival, published) in zip(axes, rivals.items(), strict=True):
        d = np.sort(table["GRAF"] - table[rival])
        for label, (chosen, marker, color) in _marks(d).items():
            places = np.arange(1, len(d) + 1)[chosen]
            ax.scatter(places, d[chosen], s=10, marker=marker, color=color, label=label)
        difference_axis(ax, "y", everything)
        ours = (d >= -COMPARABLE).mean()
        ax.set(
            title=f"{rival}\nbetter or\ncomparable: {ours:.0%}\nin the source: {published:.0%}",
            xlabel="data sets, sorted",
        )
        ax.xaxis.get_major_locator().set_params(integer=True, nbins=4)
    axes[0].set_ylabel(f"accuracy, GRAF − rival, points {_SYMLOG}")
    return _legend(figure, axes[0], caption)


def _legend(figure, ax, caption):
    """The kinds of marks above the panels, and below what the figure is made from."""
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=3, columnspacing=1)
    figure.supxlabel(caption, x=0.01, ha="left", color="dimgray")
    return figure


def rank_diagram(table, caption):
    """Mean ranks of all methods, and which of them differ less than Nemenyi's critical difference.

    Parameters
    ----------
    table : DataFrame, from ``uci_tables.means``
    caption : str

    Returns
    -------
    Figure
    """
    mean = ranks(table).mean().sort_values()
    cd = critical_difference(table.shape[1], len(table))
    figure, ax = plt.subplots(figsize=(9, 0.42 * len(mean) + 1.6), layout="constrained")
    places = np.arange(len(mean))
    ax.hlines(places, mean - cd / 2, mean + cd / 2, color=plots.PALETTE[4], lw=7, alpha=0.5)
    ax.scatter(mean, places, s=46, color=plots.PALETTE[0], zorder=3)
    for place, value in zip(places, mean, strict=True):
        ax.annotate(
            f"{value:.2f}", (value, place), (0, 7), textcoords="offset points", ha="center", fontsize=8
        )
    ax.set_yticks(places, mean.index)
    ax.set_ylim(len(mean) - 0.4, -0.7)  # the best on top, with room for its number
    ax.set(xlabel=f"mean rank over {len(table)} data sets; 1 is best")
    ax.set_title(
        f"two methods differ if their bars do not overlap (critical difference {cd:.2f})", fontsize=10
    )
    return _caption(figure, caption, legend=False)


def accuracy_against_time(table, caption):
    """Mean accuracy against the time of a fit, relative to a random forest, a mark for each method.

    Parameters
    ----------
    table : DataFrame
        A row per method: "accuracy", "low" and "high" (per cent), and "time", a ratio.
    caption : str

    Returns
    -------
    Figure
    """
    figure, ax = plt.subplots(figsize=(8, 4.4), layout="constrained")
    errors = [table["accuracy"] - table["low"], table["high"] - table["accuracy"]]
    ax.errorbar(table["time"], table["accuracy"], errors, fmt="o", color=plots.PALETTE[0], ecolor="#aaaaaa")
    for method, row in table.iterrows():
        side, offset = ("right", -6) if row["time"] < 1 else ("left", 6)  # names do not cross the line at 1
        ax.annotate(
            method,
            (row["time"], row["accuracy"]),
            (offset, 5),
            textcoords="offset points",
            ha=side,
            fontsize=9,
        )
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} ×"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.axvline(1, color="#555555", lw=1, ls=":")
    ax.set(xlabel="processor time of a fit, random forest = 1", ylabel="mean accuracy, %")
    ax.margins(x=0.25)
    return _caption(figure, caption, legend=False)


@plots.nine_points
def against_properties(table, properties, rival, caption):
    """GRAF − rival against samples, features, classes and the share of coded columns.

    Parameters
    ----------
    table : DataFrame, from ``uci_tables.means``
    properties : DataFrame
        Columns of ``uci_tables.PROPERTIES``, with the same index.
    rival : str
    caption : str

    Returns
    -------
    Figure
    """
    d = table["GRAF"] - table[rival]
    correlations = by_property(table, properties, "GRAF", rival)["rank correlation"]
    figure, axes = plt.subplots(2, 2, figsize=(plots.WIDTH, 6), sharey=True, layout="constrained")
    for ax, (name, words) in zip(axes.flat, PROPERTIES.items(), strict=True):
        for label, (chosen, marker, color) in _marks(d).items():
            ax.scatter(properties[name][chosen], d[chosen], s=12, marker=marker, color=color, label=label)
        difference_axis(ax, "y", d)
        rho = f"{correlations[words].iloc[0]:+.2f}".replace("-", "−")
        ax.set(xlabel=words, title=f"rank correlation ρ = {rho}")
        if name != "coded":
            log_axis(ax)
        if name == "n":  # its long numbers do not fit in between
            ax.xaxis.set_major_locator(LogLocator())
    figure.supylabel(f"accuracy, GRAF − {rival}, points {_SYMLOG}")
    return _legend(figure, axes[0, 0], caption)


def shift_figure(table, caption):
    """Loss of accuracy by a shift of the origin, per set, without and with standardisation.

    Parameters
    ----------
    table : DataFrame, from ``uci_tables.shift_table``
    caption : str

    Returns
    -------
    Figure
    """
    figure, ax = plt.subplots(figsize=(8, 3.8), layout="constrained")
    columns = {"shifted": (_LOST, "v"), "shifted, standardised": (_WON, "o")}
    for name, (color, marker) in columns.items():
        d = np.sort(table[name] - table["as stored"])
        ax.scatter(range(1, len(d) + 1), d, s=18, color=color, marker=marker, label=name)
    difference_axis(ax, "y", (table[list(columns)].sub(table["as stored"], axis=0)).to_numpy())
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="data sets, sorted", ylabel=f"change of accuracy, points\n{_SYMLOG}")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower right", ncols=2, fontsize=9)
    return _caption(figure, caption)
