"""Figures about sensitivity on the six patterns (Fig. 7) and accuracy against fraction (Fig. 8)."""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

from studylib import plots
from studylib.statistics import mean_interval, resampled_interval
from studylib.studies.graf import patterns
from studylib.studies.graf.approximation import TEST_SHARE
from studylib.studies.graf.sensitivity import PATTERN_LEARNERS, SCHEMES

#: How the schemes are named and drawn.
SCHEME_NAMES = {"U": "uniform (U)", "P": "sampled by sensitivity (P)", "S": "highest sensitivity (S)"}
SCHEME_COLORS = dict(zip(SCHEMES, (plots.PALETTE[6], plots.PALETTE[4], plots.PALETTE[0]), strict=True))
_MARKERS = {"U": "s", "P": "D", "S": "o"}
_GRID = np.linspace(-1.02, 1.02, 200)


def _interval(values):
    return resampled_interval(values, TEST_SHARE)[1:]


def maps(examples, caption):
    """Sensitivity of the points of six patterns, and the quarters that the three schemes choose (Fig. 7).

    Parameters
    ----------
    examples : dict of str to Example
        From :func:`~studylib.studies.graf.sensitivity_tables.examples`.
    caption : str
        What the figure is made from.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(4, len(examples), figsize=(14, 9.8), layout="constrained")
    for column, (pattern, one) in zip(axes.T, examples.items(), strict=True):
        column[0].set_title(pattern)
        rank = one.sensitivity.argsort(kind="stable").argsort() / len(one.X)
        order = rank.argsort()
        dots = column[0].scatter(*one.X[order].T, c=rank[order], s=4, cmap="cividis", vmin=0, vmax=1, lw=0)
        for ax, rows in zip(column[1:], one.rows.values(), strict=True):
            for c, color in zip(np.unique(one.y), plots.PALETTE, strict=False):
                chosen = rows[one.y[rows] == c]
                ax.scatter(*one.X[chosen].T, s=4, color=color, lw=0)
        for ax in column:
            _bare(ax, pattern)
    axes[0, 0].set_ylabel("sensitivity")
    for ax, scheme in zip(axes[1:, 0], SCHEMES, strict=True):
        ax.set_ylabel(SCHEME_NAMES[scheme])
    bar = figure.colorbar(dots, ax=axes[0], ticks=[0, 0.5, 1], pad=0.01, aspect=12)
    bar.ax.set_yticklabels(["lowest", "median", "highest"])
    figure.supxlabel(caption, x=0.01, ha="left", fontsize="small", color="dimgray")
    return figure


def _bare(ax, pattern):
    """Boundaries between the true classes as thin lines, and no ticks."""
    points = np.stack(np.meshgrid(_GRID, _GRID), axis=-1)
    labels = np.where(patterns.inside(pattern, points), patterns.true_classes(pattern, points), -1)
    for level in range(patterns.PATTERNS[pattern][1]):
        ax.contour(_GRID, _GRID, labels == level, levels=[0.5], colors="#999999", linewidths=0.5)
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(False)


def near_boundary(boundary, caption):
    """Accuracy near the boundary with a quarter of the points, for each pattern and learner; 95 % intervals.

    Parameters
    ----------
    boundary : DataFrame, from :func:`~studylib.studies.graf.sensitivity_tables.boundary_table`
    caption : str

    Returns
    -------
    Figure
    """
    names = list(boundary["pattern"].unique())
    figure, axes = plt.subplots(
        1, len(PATTERN_LEARNERS), figsize=(10.5, 3.8), sharey=True, layout="constrained"
    )
    labels = SCHEME_NAMES | {"all": "all points"}
    for ax, learner in zip(axes, PATTERN_LEARNERS, strict=True):
        part = boundary[boundary["learner"] == learner]
        for k, (scheme, label) in enumerate(labels.items()):
            runs = part[part["scheme"] == scheme].groupby("pattern")["near"]
            intervals = np.array([mean_interval(runs.get_group(name)) for name in names])
            mean, low, high = intervals.T
            y = np.arange(len(names)) + 0.16 * (k - 1)
            color = SCHEME_COLORS.get(scheme, "black")
            if scheme == "all":
                ax.plot(mean, np.arange(len(names)), "|", color=color, label=label, ms=22)
            else:
                bars = [mean - low, high - mean]
                ax.errorbar(mean, y, xerr=bars, fmt=_MARKERS[scheme], color=color, label=label, lw=1.5)
        ax.set(title=learner, xlabel="accuracy near the boundary, %")
        ax.grid(visible=False, axis="y")
    axes[0].set_yticks(range(len(names)), names)
    axes[0].invert_yaxis()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=9)
    figure.text(0.01, -0.06, caption, fontsize="small", color="dimgray")
    return figure


def wrong_labels(noise, caption):
    """What wrong labels do to each scheme: accuracy on clean test points, and wrong labels that are chosen.

    Parameters
    ----------
    noise : DataFrame, from :func:`~studylib.studies.graf.sensitivity_tables.noise_table`
    caption : str

    Returns
    -------
    Figure
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 3.8), layout="constrained")
    for scheme, label in (SCHEME_NAMES | {"all": "all points"}).items():
        # A replicate is the mean over the patterns.
        runs = noise[noise["scheme"] == scheme].groupby(["rate", "replicate"])[["accuracy", "wrong"]].mean()
        style = {"color": SCHEME_COLORS.get(scheme, "black"), "marker": _MARKERS.get(scheme, "x")}
        for ax, column in ((left, "accuracy"), (right, "wrong")):
            found = runs[column].groupby(level="rate").apply(lambda one: mean_interval(one.to_numpy()))
            mean, low, high = np.array(found.tolist()).T
            ax.errorbar(found.index, mean, yerr=[mean - low, high - mean], label=label, **style)
    rates = sorted(noise["rate"].unique())
    for ax, label in ((left, "accuracy on clean points, %"), (right, "wrong among the chosen, %")):
        ax.set(xlabel="wrong labels among all points, %", ylabel=label)
        ax.set_xticks(rates, [f"{rate:g}" for rate in rates])
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=9)
    figure.text(0.01, -0.06, caption, fontsize="small", color="dimgray")
    return figure


def fractions(curves, caption):
    """Accuracy against the fraction of a random half, a panel per data set; bars are intervals for halves.

    Parameters
    ----------
    curves : DataFrame, from :func:`~studylib.studies.graf.sensitivity_tables.fraction_table`
    caption : str

    Returns
    -------
    Figure
    """
    shown = curves.assign(scheme=curves["scheme"].map(SCHEME_NAMES))
    colors = {SCHEME_NAMES[scheme]: color for scheme, color in SCHEME_COLORS.items()}
    grid = sns.relplot(
        shown, x="fraction", y="accuracy", hue="scheme", style="learner", col="data", col_wrap=5, kind="line",
        palette=colors, hue_order=list(colors), markers=["o", "^"], height=2.3, aspect=1.15, ms=4, lw=1.3,
        facet_kws={"sharey": False}, errorbar=_interval, err_style="bars",
    )  # fmt: skip
    grid.set(xlim=(0, 1.03), xticks=[0, 0.5, 1]).set_titles("{col_name}")
    for ax in grid.axes.flat:
        low, high = ax.get_ylim()
        ax.set_ylim(max(low, 0), min(high, 101))
    grid.set_axis_labels("fraction of the rows", "accuracy, %")
    sns.move_legend(grid, "upper center", bbox_to_anchor=(0.45, -0.01), ncols=2, fontsize=9)
    grid.figure.text(0.01, -0.04, caption, fontsize="small", color="dimgray")
    return grid.figure
