"""Figures of the comparison on held-out sets of the UCI suite; a mark is a data set."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator

from studylib import plots
from studylib.statistics import mean_interval
from studylib.studies.graf.scales import difference_axis, log_axis
from studylib.studies.graf.suite_tables import PROPERTIES, rank_correlation

_WON, _LOST, _TIED = plots.PALETTE[0], plots.PALETTE[1], plots.PALETTE[6]
_MARKS = {"blend more accurate": ("o", _WON), "equal": ("s", _TIED), "blend less accurate": ("v", _LOST)}


def _split(values):
    """Which marks the values are, a Boolean array for each."""
    return dict(zip(_MARKS, (values > 0, values == 0, values < 0), strict=True))


def _scatter(ax, x, y, difference):
    for label, chosen in _split(np.asarray(difference)).items():
        marker, color = _MARKS[label]
        ax.scatter(
            np.asarray(x)[chosen], np.asarray(y)[chosen], s=12, marker=marker, color=color, label=label
        )


def _correlation(rho):
    return "" if np.isnan(rho) else f"rank correlation {rho:+.2f}".replace("-", "−")


def _finish(figure, ax, caption):
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=3, columnspacing=1)
    figure.supxlabel(textwrap.fill(caption, 90), x=0.01, ha="left", multialignment="left", color="dimgray")
    return figure


@plots.nine_points
def sorted_differences(differences, caption):
    """Differences in accuracy on all data sets, sorted, a panel for each rival; the mean with its interval.

    Parameters
    ----------
    differences : dict of str to Series
        Blend − rival, in points.
    caption : str
        What the figure is made from.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(
        1, len(differences), figsize=(plots.WIDTH, 4.4), sharey=True, layout="constrained"
    )
    for ax, (rival, values) in zip(np.atleast_1d(axes), differences.items(), strict=True):
        found = np.sort(values.to_numpy())
        mean, low, high = mean_interval(found)
        ax.axhspan(low, high, color=plots.PALETTE[4], alpha=0.35, lw=0)
        ax.axhline(mean, color=plots.PALETTE[4], lw=2)
        _scatter(ax, range(1, len(found) + 1), found, found)
        difference_axis(ax, "y", np.concatenate(list(differences.values())))
        said = f"{mean:+.2f}\n({low:+.2f} … {high:+.2f})".replace("-", "−")
        ax.set_title(f"{textwrap.fill(f'blend − {rival}', 22)}\n{said}")
        ax.set_xlabel("data sets, sorted")
        ax.xaxis.get_major_locator().set_params(integer=True, nbins=4)
    np.atleast_1d(axes)[0].set_ylabel("difference in accuracy, points")
    return _finish(figure, np.atleast_1d(axes)[0], caption)


@plots.nine_points
def against_properties(table, difference, caption):
    """Difference from a random forest against samples, features, classes and the share of coded columns.

    Parameters
    ----------
    table : DataFrame
        From :func:`~studylib.studies.graf.suite_tables.set_table`.
    difference : Series
        Blend − random forest, in points.
    caption : str

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(2, 2, figsize=(plots.WIDTH, 6), sharey=True, layout="constrained")
    for ax, (name, words) in zip(axes.flat, PROPERTIES.items(), strict=True):
        _scatter(ax, table[name], difference, difference)
        difference_axis(ax, "y", difference)
        rho = rank_correlation(table[name], difference)
        ax.set(xlabel=words, title=_correlation(rho))
        if name != "coded":
            log_axis(ax)
        if name == "n" and table["n"].max() > 100 * table["n"].min():  # long numbers do not fit in between
            ax.xaxis.set_major_locator(LogLocator())
    figure.supylabel("blend − random forest, points")
    return _finish(figure, axes[0, 0], caption)


@plots.nine_points
def oblique_shares(table, difference, caption):
    """How large the blend's oblique shares are, and how they follow which family is better.

    Parameters
    ----------
    table : DataFrame
        From :func:`~studylib.studies.graf.suite_tables.set_table`.
    difference : Series
        Blend − random forest, in points.
    caption : str

    Returns
    -------
    Figure
    """
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(plots.WIDTH, 3.8), width_ratios=[1, 1.8], sharey=True, layout="constrained"
    )
    bins = np.linspace(0, 100, 11)
    left.hist(table["oblique"], bins, orientation="horizontal", color=plots.PALETTE[5], edgecolor="white")
    left.set(xlabel="data sets", ylabel="share of oblique trees, %", ylim=(-3, 103))
    gap = table["canonical"] - table["random forest"]
    _scatter(right, gap, table["oblique"], difference)
    right.axhline(50, color="#555555", lw=1, ls=":")
    difference_axis(right, "x", gap)
    rho = rank_correlation(gap, table["oblique"])
    right.set(
        xlabel="canonical − random forest, points",
        title=_correlation(rho),
    )
    return _finish(figure, right, caption)
