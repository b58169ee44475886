"""Figures about sensitivity on the six patterns (Fig. 7) and how many rows are enough (Fig. 8)."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from studylib import plots
from studylib.statistics import mean_interval, resampled_interval
from studylib.studies.graf import patterns
from studylib.studies.graf.approximation import LEARNERS, TEST_SHARE
from studylib.studies.graf.sensitivity import PATTERN_LEARNERS, SCHEMES
from studylib.studies.graf.sensitivity_tables import REACHED, smallest_fractions

#: How the schemes are named and drawn.
SCHEME_NAMES = {"U": "uniform (U)", "P": "sampled by sensitivity (P)", "S": "highest sensitivity (S)"}
SCHEME_COLORS = dict(zip(SCHEMES, (plots.PALETTE[6], plots.PALETTE[4], plots.PALETTE[0]), strict=True))
_MARKERS = {"U": "s", "P": "D", "S": "o"}
_GRID = np.linspace(-1.02, 1.02, 200)
#: The most sensitive points stand out from white, and light on dark where a page turns figures round.
_RANKS = LinearSegmentedColormap.from_list("ranks", ["#ccd2d9", "#8250b4", "#240046"])


@plots.nine_points
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
    views = [
        "sensitivity,\nas a rank",
        "uniform\n(U)",
        "sampled by\nsensitivity (P)",
        "highest\nsensitivity (S)",
    ]
    figure, axes = plt.subplots(
        len(examples),
        len(views),
        figsize=(plots.WIDTH, 1.45 * len(examples) + 1.1),
        layout="constrained",
        squeeze=False,
    )
    for row, (pattern, one) in zip(axes, examples.items(), strict=True):
        rank = one.sensitivity.argsort(kind="stable").argsort() / (len(one.X) - 1)
        order = rank.argsort()
        dots = row[0].scatter(*one.X[order].T, c=rank[order], s=4, cmap=_RANKS, vmin=0, vmax=1, lw=0)
        for ax, rows in zip(row[1:], one.rows.values(), strict=True):
            for c, color in zip(np.unique(one.y), plots.PALETTE, strict=False):
                chosen = rows[one.y[rows] == c]
                ax.scatter(*one.X[chosen].T, s=6, color=color, lw=0)
        for ax in row:
            _bare(ax, pattern)
        row[0].set_ylabel(pattern.replace(", ", ",\n"))
    for ax, view in zip(axes[0], views, strict=True):
        ax.set_title(view)
    bar = figure.colorbar(dots, ax=axes[-1, 0], location="bottom", ticks=[0, 0.5, 1], pad=0.03, aspect=12)
    bar.ax.set_xticklabels(["0%", "50%", "100%"])
    bar.set_label("points of lower\nsensitivity")
    figure.supxlabel(caption, x=0.01, ha="left", color="dimgray")
    return figure


def _bare(ax, pattern):
    """Boundaries between the true classes as thin lines, and no ticks."""
    points = np.stack(np.meshgrid(_GRID, _GRID), axis=-1)
    labels = np.where(patterns.inside(pattern, points), patterns.true_classes(pattern, points), -1)
    for level in range(patterns.PATTERNS[pattern][1]):
        ax.contour(_GRID, _GRID, labels == level, levels=[0.5], colors="#777777", linewidths=0.6)
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(False)


@plots.nine_points
def near_boundary(boundary, caption):
    """Accuracy near the boundary with a quarter of the points, for each pattern and learner; 95% intervals.

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
        1, len(PATTERN_LEARNERS), figsize=(plots.WIDTH, 3.4), sharey=True, layout="constrained"
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
        ax.set(title=learner, xlabel="accuracy near\nthe boundary, %")
        ax.grid(visible=False, axis="y")
    axes[0].set_yticks(range(len(names)), names)
    axes[0].invert_yaxis()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    figure.text(0.01, -0.06, caption, color="dimgray")
    return figure


@plots.nine_points
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
    figure, (left, right) = plt.subplots(1, 2, figsize=(plots.WIDTH, 3.4), layout="constrained")
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
        ax.set(xlabel="wrong labels\namong all points, %", ylabel=label)
        ax.set_xticks(rates, [f"{rate:g}" for rate in rates])
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    figure.text(0.01, -0.06, caption, color="dimgray")
    return figure


@plots.nine_points
def rows_needed(curves, caption):
    """Share of the rows that each scheme needs for the accuracy of all rows, a panel per learner.

    Parameters
    ----------
    curves : DataFrame, from :func:`~studylib.studies.graf.sensitivity_tables.fraction_table`
    caption : str
        What the figure is made from.

    Returns
    -------
    Figure
    """
    shares = 100 * smallest_fractions(curves)
    names = list(curves["data"].unique())
    figure, axes = plt.subplots(
        1,
        len(LEARNERS),
        figsize=(plots.WIDTH, 0.42 * len(names) + 1.6),
        sharex=True,
        sharey=True,
        layout="constrained",
    )
    for ax, learner in zip(axes, LEARNERS, strict=True):
        for k, (scheme, label) in enumerate(SCHEME_NAMES.items()):
            runs = [shares[name, learner, scheme] for name in names]
            mean, low, high = np.array([resampled_interval(one, TEST_SHARE) for one in runs]).T
            bars = [mean - low.clip(0), high.clip(max=100) - mean]
            y = np.arange(len(names)) + 0.24 * (k - 1)
            ax.errorbar(
                mean,
                y,
                xerr=bars,
                fmt=_MARKERS[scheme],
                color=SCHEME_COLORS[scheme],
                label=label,
                lw=1.5,
                ms=5,
            )
        ax.set(title=learner, xlim=(0, 103), xticks=[0, 25, 50, 75, 100])
        ax.grid(visible=False, axis="y")
        for k in range(1, len(names), 2):
            ax.axhspan(k - 0.5, k + 0.5, color="#f4f4f4", lw=0, zorder=0)
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set_ylim(len(names) - 0.5, -0.5)
    figure.supxlabel(f"rows needed to come within {REACHED} percentage points of the accuracy of all rows, %")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, columnspacing=1)
    figure.text(0.01, -0.04, caption, color="dimgray")
    return figure
