"""Figures of the notebooks about the Guided Random Forest; a panel for each data set or measure."""

import seaborn as sns
from matplotlib.lines import Line2D

from studylib import plots
from studylib.statistics import mean_interval
from studylib.studies.graf.tables import relative_changes


def _interval(values):
    return mean_interval(values)[1:]


def _caption(grid, text):
    """Say under the panels what they are made from."""
    grid.figure.text(0.01, -0.04, text, fontsize="small", color="dimgray")
    return grid.figure


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
    axes = plots.draw_growth(forest, X, y, heights)
    for ax in axes:
        ax.set_xlabel("first feature")
    axes[0].set_ylabel("second feature")
    handles = [
        Line2D([], [], marker=marker, color=color, linestyle="none", label=label)
        for label, marker, color in zip(forest.classes_, "os", plots.PALETTE, strict=False)
    ]
    figure = axes[0].figure
    figure.legend(handles=handles, loc="center left", bbox_to_anchor=(0.91, 0.5))
    return figure


def curves(table, x, y, lines, *, labels, caption, intervals=False, **axes):
    """A panel for each data set with a line for each value of a column.

    Parameters
    ----------
    table : DataFrame with the column "data"
    x, y, lines : str, columns of it
    labels : (str, str), of the axes
    caption : str
        What the figure is made from.
    intervals : bool or "sd"
        Bars of 95 % intervals over the rows of a point, or of their standard deviation.
    **axes
        Further settings of all axes, such as ``xscale``; all panels have one scale where ``ylim`` is given.

    Returns
    -------
    Figure
    """
    errorbar = "sd" if intervals == "sd" else _interval if intervals else None
    grid = sns.relplot(
        table, x=x, y=y, hue=lines, style=lines, col="data", col_wrap=3, kind="line", markers=True,
        height=2.5, aspect=1.25, facet_kws={"sharey": "ylim" in axes}, errorbar=errorbar, err_style="bars",
    )  # fmt: skip
    grid.set(**{"ylim": (0, None)} | axes).set_titles("{col_name}").set_axis_labels(*labels)
    return _caption(grid, caption)


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
    shown = relative_changes(measured).replace({"test_error": "test error"})
    n_sub_spaces = shown["max_features"].nunique()
    grid = sns.catplot(
        shown, x="change", y="data", hue="max_features", col="measure", kind="point", palette="colorblind",
        errorbar=_interval, linestyle="none", dodge=0.4 * (n_sub_spaces > 1),
        markers=list("osD^vPX*")[:n_sub_spaces], height=3.6, aspect=0.72,
    )  # fmt: skip
    grid.refline(x=0, color="black", linestyle="-").set_titles("{col_name}")
    grid.set_axis_labels("change, %", "").legend.set_title("M")
    return _caption(grid, caption)
