"""Figs 1 and 3 to 5 of GRAF: growth of a tree, and bias and variance as tables and figures (notebook 03)."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from studylib import plots
from studylib.statistics import mean_interval
from studylib.studies.graf.experiments import METHODS, SLOW
from studylib.studies.graf.over_seeds import interval, over_seeds, pairs
from studylib.studies.graf.scales import GREY, note

#: Parts of the error, as they are called in :class:`~studylib.statistics.BiasVariance` and in tables.
PARTS = {"error": "error", "bias2": "bias²", "variance": "variance"}
#: How the results of :func:`~studylib.studies.graf.experiments.decomposition` are nested.
LEVELS = ("part", "group", "stage")
#: Below this difference two formulas give the same number.
ROUNDING = 1e-12
#: How the methods are drawn beside GRAF, which is bold and in colour.
_PEERS = {"random forest": "--", "gradient boosting": ":", "AdaBoost": "-."}


def decomposition_table(models):
    """A row per key, stage and part of the error, in ``percent``: the keys' columns, ``trees``, ``part``.

    ``models``: of ``experiments.decomposition``, one group of models each, by ``LEVELS``.
    """
    first = models[models["group"] == 0]
    table = pd.concat(first[first["part"] == name] for name in PARTS)
    stages = zip(table["stages"], table["n_estimators"], table["stage"], strict=True)
    trees = [(listed or [last])[stage] for listed, last, stage in stages]
    return table.assign(trees=trees, part=table["part"].map(PARTS), percent=100 * table["value"])


def forms_of_decomposition(models, data_seed):
    """The original and the printed decomposition of the whole forests' error (eqs 27–28), a row per data set.

    ``models``: as for :func:`decomposition_table`. Returns the fields of
    :class:`~studylib.statistics.BiasVariance`, and how much bias² + variance differ from the error: not at
    all in the original form (else an ArithmeticError is raised), by "as printed" in the other.
    """
    chosen = models[(models["data_seed"] == data_seed) & (models["group"] == 0)]
    forms = chosen.pivot_table("value", "data", "part", aggfunc="last", sort=False)
    forms = forms.rename_axis(index=None, columns=None)
    original = forms["bias2"] + forms["variance"] - forms["error"]
    if original.abs().max() > ROUNDING:
        raise ArithmeticError("bias² and variance of the original form do not add up to the error.")
    forms["bias² + variance − error"] = 0.0
    forms["as printed"] = forms["printed_bias2"] + forms["printed_variance"] - forms["error"]
    return forms


def compared_stages(by_trees, share):
    """The stages between which the curves ought to be flat: the first from a share of the trees on, and all.

    ``by_trees``: from :func:`decomposition_table`.
    """
    stages = sorted(by_trees["trees"].unique())
    return min(stage for stage in stages if stage >= share * stages[-1]), stages[-1]


def variances_of_single_trees(single, forests):
    """The variance of single trees with what it may be more than, by data set: paired runs over data seeds.

    ``single``, ``forests``: from :func:`decomposition_table`, for one tree and for many.
    """
    sizes = sorted({*single["trees"], *forests["trees"]})
    variances = pd.concat(rows[rows["part"] == "variance"] for rows in (single, forests))
    return {
        "the squared bias": pairs(single, "part", "variance", "bias²"),
        "a forest's variance": pairs(variances, "trees", *sizes),
    }


def gaps_to_peers(by_size, part):
    """How far GRAF is from the other methods, in points, for every set and size.

    ``by_size``: from :func:`decomposition_table`. ``part``: {"error", "bias²", "variance"}. Returns a dict of
    (str, int) to dict: "GRAF − best": runs, the difference to the better of random forest and AdaBoost on
    each data seed; "GRAF − boosting": the mean difference to gradient boosting on its seeds, None if it was
    not run.
    """
    fast = [method for method in METHODS if method not in ("GRAF", SLOW)]
    gaps = {}
    for case, rows in by_size[by_size["part"] == part].groupby(["data", "n_train"], sort=False):
        wide = over_seeds(rows, "percent", "method")
        boosting = (wide["GRAF"] - wide.get(SLOW, np.nan)).mean()
        gaps[case] = {
            "GRAF − best": (wide["GRAF"] - wide[fast].min(axis=1)).tolist(),
            "GRAF − boosting": None if np.isnan(boosting) else float(boosting),
        }
    return gaps


def gap_table(by_size):
    """:func:`gaps_to_peers` as a table: mean differences with intervals over the data seeds.

    ``by_size``: from :func:`decomposition_table`.
    """
    rows = {}
    for part in ("variance", "bias²", "error"):
        for case, gaps in gaps_to_peers(by_size, part).items():
            gap = mean_interval(gaps["GRAF − best"])
            rows.setdefault(case, {}).update(
                {
                    f"{part}": gap.mean,
                    f"{part}, low": gap.low,
                    f"{part}, high": gap.high,
                    f"{part}, to boosting": gaps["GRAF − boosting"],
                }
            )
    names = ["GRAF − better of random forest and AdaBoost", "samples"]
    return pd.DataFrame(rows).T.astype(float).rename_axis(names)


@plots.nine_points
def growth(forest, X, y, heights):
    """A tree at several heights, from no hyperplane on, with the names of features and classes (Fig. 1).

    ``forest``: GuidedRandomForestClassifier; fitted on two features, both in each tree.
    """
    n_rows = -(-(len(heights) + 1) // 3)  # the last place is the legend's
    figure, axes = plt.subplots(
        n_rows, 3, figsize=(plots.WIDTH, 2.1 * n_rows + 0.2), sharex=True, sharey=True, layout="constrained"
    )
    shown, spare = axes.flat[: len(heights)], axes.flat[len(heights) :]
    for ax in plots.draw_growth(forest, X, y, heights, axes=shown):
        ax.set(
            title=ax.get_title().replace(": ", "\n"), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1], aspect="equal"
        )
    for ax in spare:
        ax.set_axis_off()
    figure.supxlabel("first feature")
    figure.supylabel("second feature")
    handles = [
        Line2D([], [], marker=marker, color=color, linestyle="none", label=label)
        for label, marker, color in zip(forest.classes_, "os", plots.PALETTE, strict=False)
    ]
    spare[-1].legend(handles=handles, loc="center")
    return figure


@plots.nine_points
def error_parts(table, x, *, label, ticks, caption, xscale="linear"):
    """Error as variance above bias², a panel for each data set.

    ``table``: from :func:`~studylib.studies.graf.figures_1_to_5.decomposition_table`. ``x``: a column of it.
    ``label``: of the x axis. ``ticks``: sequence of int, on the x axis. ``caption``: what the figure is made
    from. Means over the data seeds. Where there are several, bars are 95% intervals of error and bias².
    """
    figure, axes = plt.subplots(2, 3, figsize=(plots.WIDTH, 4.6), sharex=True, layout="constrained")
    areas = {"variance": plots.PALETTE[4], "bias²": plots.PALETTE[0]}
    for ax, (data, part) in zip(axes.flat, table.groupby("data", sort=False), strict=True):
        by_part = {name: rows.pivot_table("percent", "data_seed", x) for name, rows in part.groupby("part")}
        error, bias = by_part["error"].mean(), by_part["bias²"].mean()
        ax.fill_between(error.index, bias, error, color=areas["variance"], alpha=0.5, lw=0)
        ax.fill_between(error.index, 0, bias, color=areas["bias²"], alpha=0.5, lw=0)
        several = len(by_part["error"]) > 1
        for name, color, aside in (("bias²", areas["bias²"], 0.15), ("error", "black", -0.15)):
            ax.plot(error.index, by_part[name].mean(), color=color)
            if several:
                ends = [interval(by_part[name][rows]) for rows in error.index]
                ax.vlines(error.index + aside, *zip(*ends, strict=True), color=color, lw=1)
        shown = [tick for tick in ticks if tick <= error.index[-1]]
        ax.set(title=data, xscale=xscale, ylim=(0, None))
        ax.set_xlim(error.index[0] - 0.3 * several, error.index[-1] + 0.3 * several)
        ax.set_xticks(shown, shown)
        ax.minorticks_off()
        ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    for ax in axes[:, 0]:
        ax.set_ylabel("error, %")
    for ax in axes[-1]:
        ax.set_xlabel(label)
    names = {"error  =": Line2D([], [], color="black")}
    names |= {
        f"{name}{sign}": Patch(color=areas[name], alpha=0.5, lw=0)
        for name, sign in (("variance", "  +"), ("bias²", ""))
    }
    figure.legend(names.values(), names, loc="outside upper center", ncols=3)
    return note(figure, caption)


@plots.nine_points
def methods(table, caption):
    """Error, bias² and variance of all methods against the size of the training set, a row for each data set.

    ``table``: from :func:`~studylib.studies.graf.figures_1_to_5.decomposition_table`. Logarithmic axes, the
    same for all panels.
    """
    sets = table["data"].unique()
    figure, axes = plt.subplots(
        len(sets), 3, figsize=(plots.WIDTH, 1.4 * len(sets) + 0.6), sharex=True, sharey="row",
        layout="constrained",
    )  # fmt: skip
    for row, data in zip(axes, sets, strict=True):
        for ax, part in zip(row, PARTS.values(), strict=True):
            rows = table[(table["data"] == data) & (table["part"] == part)]
            ends = {}
            ax.set_yscale("log")
            for method, runs in rows.groupby("method", sort=False):
                is_graf = method == "GRAF"
                color, style, width = (plots.PALETTE[0], "-", 2.5) if is_graf else (GREY, _PEERS[method], 1.2)
                mean = runs.groupby("n_train")["percent"].mean()
                ax.plot(mean.index, mean, color=color, ls=style, lw=width, zorder=2 + is_graf)
                ends[method] = mean.iloc[-1]
        low, high = np.log10(ax.get_ylim())  # of the row
        _names_at_ends(ax, mean.index[-1], ends, least=0.17 * (high - low))
        row[0].set_ylabel("\n".join([*data.split(", "), "%"]))
    for ax, part in zip(axes[0], PARTS.values(), strict=True):
        ax.set_title(part)
    for ax in axes[-1]:
        ax.set_xlabel("training samples")
    axes[0, 0].set(xlim=(0, None), xticks=[0, 1000, 2000])
    for ax in axes[:, 0]:
        low, high = ax.get_ylim()
        shown = [tick for tick in (0.2, 0.5, 1, 2, 5, 10, 20, 50) if low <= tick <= high]
        ax.set_yticks(shown, shown)
        ax.minorticks_off()
    return note(figure, caption)


def _names_at_ends(ax, x, ends, least):
    """Methods' names behind the ends of their lines, on a logarithmic axis, never closer than ``least``."""
    place = -np.inf
    for method, value in sorted(ends.items(), key=lambda end: end[1]):
        place = max(np.log10(value), place + least)
        ax.annotate(
            method, (x, 10**place), (4, 0), textcoords="offset points", va="center", annotation_clip=False,
            color=plots.PALETTE[0] if method == "GRAF" else GREY,
            weight="bold" if method == "GRAF" else "normal",
        )  # fmt: skip
