"""The published trees (Tables 2.1 and 4.1) and what is said of any tree: tables and figures (notebook 07)."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.ticker import MaxNLocator

from studylib import datasets
from studylib.plots import PALETTE, draw_tree
from studylib.studies.mushrooms.published import TABLE_41

_COLOURS = {
    "n": "brown", "b": "buff", "g": "grey", "r": "green", "p": "pink", "u": "purple", "e": "red",
    "w": "white", "y": "yellow", "l": "blue", "o": "orange", "k": "black", "f": "none",
}  # fmt: skip
#: What the file's letters stand for, in the columns at the top of the published trees.
_LEVELS = {
    "gill-attachment": {
        "a": "adnate", "x": "adnexed", "d": "decurrent", "e": "free", "s": "sinuate", "p": "pores",
        "f": "none", "u": "unknown",
    },
    "ring-type": {
        "c": "cobwebby", "e": "evanescent", "r": "flaring", "g": "grooved", "l": "large", "p": "pendant",
        "s": "sheathing", "z": "zone", "y": "scaly", "m": "movable", "f": "none", "u": "unknown",
    },
    "habitat": {
        "g": "grasses", "l": "leaves", "m": "meadows", "p": "paths", "h": "heaths", "u": "urban",
        "w": "waste", "d": "woods",
    },
    "cap-color": _COLOURS, "gill-color": _COLOURS, "stem-color": _COLOURS,
}  # fmt: skip
_CLASSES = {"e": "edible", "p": "poisonous"}


def only_categories_remain(frame, threshold=0.40):
    """Whether only categorical columns remain after deletion at the report's threshold, by two readings."""
    kept = datasets.delete_features(frame, threshold).drop(columns="class")
    numbers = kept.select_dtypes("number")
    return {
        "every remaining column is categorical": numbers.empty,
        "every remaining column with missing values is categorical": not numbers.isna().any(axis=None),
    }


def row_of_table_41(table, criterion):
    """Depth, nodes, leaves and both errors of one tree, a list."""
    return [*map(int, table.loc[criterion].iloc[:3]), *map(float, table.loc[criterion].iloc[3:])]


def thresholds_giving_table_41(tables):
    """At which thresholds Table 4.1 arises, its errors cut after three decimals; "neither" if at none."""
    giving = [f"{t:.2f}" for t, table in tables.items() if (_cut(table) == TABLE_41).all(axis=None)]
    return ", ".join(giving) or "neither"


def _cut(table):
    return np.trunc(table * 1000) / 1000


def side_by_side(published, ours):
    """Table 4.1 as published and as ours, row by row; errors with the digits that each has."""
    both = pd.concat({"published": published.map("{:.3f}".format), "ours": ours.map("{:.6f}".format)})
    sizes = ["depth", "nodes", "leaves"]
    both[sizes] = pd.concat([published, ours])[sizes].to_numpy(int)
    return both.swaplevel().loc[list(published.index)]


def errors_by_class(trees, X, y):
    """Errors of each tree among the edible and among the poisonous rows, and their share of the class (%)."""
    rows, true = {}, np.asarray(y)
    for name, tree in trees.items():
        wrong = np.asarray(tree.predict(X)) != true
        rows[name] = {
            (label, column): value
            for code, label in (("e", "edible called poisonous"), ("p", "poisonous called edible"))
            for column, value in (
                ("rows", int(wrong[true == code].sum())),
                ("% of the class", 100 * wrong[true == code].mean()),
            )
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def points(table, first, second, column="test_error"):
    """Measured pairs of two models' errors over splits ("seed" or "split_seed"), in percent."""
    seed = "seed" if "seed" in table else "split_seed"
    wide = 100 * table.pivot(index=seed, columns="model", values=column)
    return {"first": wide[first], "second": wide[second]}


def errors_by_twins(twins):
    """Measured pairs of test errors with and without twins, in percent."""
    return {"first": 100 * twins["test error with"], "second": 100 * twins["test error without"]}


def changed_shares(table):
    """Share of nodes that changed in each draw, by size of the training set and variation."""
    by_size = {}
    for (n, variation), part in table.groupby(["n_train", "variation"], sort=False):
        by_size.setdefault(f"{n:,} rows", {})[variation] = part["changed"].tolist()
    return by_size


def missing_shares(missing):
    """Shares of missing values by column; the colour says at which threshold a column is deleted."""
    shares = 100 * missing[missing > 0].sort_values()
    groups = {
        "deleted at 0.20 and at 0.40": (shares > 40, PALETTE[1]),
        "deleted at 0.20 only": ((shares > 20) & (shares <= 40), PALETTE[4]),
        "kept": (shares <= 20, PALETTE[0]),
    }
    figure, ax = plt.subplots(figsize=(6.4, 0.32 * len(shares) + 1.3), layout="constrained")
    places = np.arange(len(shares))
    for label, (chosen, color) in groups.items():
        bars = ax.barh(places[chosen], shares[chosen], color=color, label=label)
        ax.bar_label(
            bars, fmt="%.1f", padding=4, fontsize="small", bbox={"color": "white", "pad": 0.5}, zorder=4
        )
    for threshold in (20, 40):
        ax.axvline(threshold, color="black", ls="--", lw=1)
    ax.set_yticks(places, shares.index)
    ax.set(xlabel="missing values, % of the rows; dashed: the two thresholds", xlim=(0, 108))
    ax.grid(visible=False, axis="y")
    figure.legend(loc="outside upper center", ncols=3, fontsize="small", columnspacing=1, handlelength=1)
    return figure


def first_levels(tree, max_depth=3):
    """The top of a tree on the mushroom data, with words for the file's letters."""
    ax = draw_tree(tree, max_depth=max_depth)
    for text in (*ax.texts, *ax.get_legend().get_texts()):
        text.set_text(_in_words(text.get_text()))
    return ax.figure


def _in_words(text):
    """A box of a tree or an entry of its legend, with words for letters."""
    first, *rest = text.split("\n")
    for code, name in _LEVELS.get(first, {}).items():
        rest = [line.replace(f"'{code}'", name) for line in rest]
    rest = [
        re.sub("^(∈ {|= )", "is ", line).replace(", ", " or ").rstrip("}") if line[:1] in ("∈", "=") else line
        for line in rest
    ]
    return "\n".join([_CLASSES.get(first, first), *rest])


def errors_over_splits(over_splits, published):
    """Test errors of each criterion over splits, their mean ± standard deviation, and the published run.

    The axis is broken where no error lies, so that the best criteria can be told apart; both parts have one
    scale.
    """
    errors = over_splits.assign(error=100 * over_splits["test_error"])
    by_model = errors.groupby("model", sort=False)["error"].agg(["mean", "std"])
    values = np.sort([*errors["error"], *(100 * published[by_model.index])])
    gap = np.diff(values).argmax()
    parts = [(values[0], values[gap]), (values[gap + 1], values[-1])]
    figure, axes = plt.subplots(
        1,
        2,
        figsize=(7.2, 3.4),
        sharey=True,
        layout="constrained",
        width_ratios=[high - low + 0.2 for low, high in parts],
    )
    places = np.arange(len(by_model))
    for ax, (low, high) in zip(axes, parts, strict=True):
        sns.stripplot(
            errors, x="error", y="model", hue="model", alpha=0.5, jitter=0.2, legend=False, ax=ax, size=4
        )
        ax.errorbar(
            by_model["mean"], places, xerr=by_model["std"], fmt="k|", ms=14, capsize=4, zorder=5,
            label="mean ± standard deviation",
        )  # fmt: skip
        ax.plot(100 * published[by_model.index], places, "kx", ms=8, zorder=6, label="published run")
        ax.set(xlabel="", ylabel="", xlim=(low - 0.1, high + 0.1))
        ax.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5]))
        ax.set_yticks(places, [name.replace("_", "-").replace("gini", "Gini") for name in by_model.index])
    axes[1].tick_params(axis="y", left=False, labelleft=False)
    axes[1].spines["left"].set_visible(False)
    cut = {
        "marker": [(-0.5, -1), (0.5, 1)],
        "ls": "",
        "ms": 9,
        "mew": 1,
        "color": "#777777",
        "clip_on": False,
    }
    axes[0].plot([1, 1], [0, 1], transform=axes[0].transAxes, **cut)
    axes[1].plot([0, 0], [0, 1], transform=axes[1].transAxes, **cut)
    figure.supxlabel("test error, % (the axis is broken); one point per split", fontsize="medium")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, fontsize="small")
    return figure


def shares_of_changed_nodes(changed):
    """Shares of nodes that change when rows are left out, and their medians: a panel per training set."""
    sizes, left_out = list(changed["n_train"].unique()), list(changed["variation"].unique())
    figure, axes = plt.subplots(1, len(sizes), figsize=(7.6, 3.4), sharey=True, layout="constrained")
    for ax, n in zip(axes, sizes, strict=True):
        part = changed[changed["n_train"] == n].assign(changed=lambda t: 100 * t["changed"])
        sns.stripplot(
            part,
            x="variation",
            y="changed",
            hue="variation",
            alpha=0.4,
            jitter=0.25,
            legend=False,
            ax=ax,
            size=4,
        )
        medians = part.groupby("variation")["changed"].median()[left_out]
        ax.hlines(
            medians,
            np.arange(len(left_out)) - 0.38,
            np.arange(len(left_out)) + 0.38,
            "black",
            lw=2.5,
            zorder=5,
        )
        ax.axhline(50, color="black", ls="--", lw=1)
        ax.set(title=f"{n:,} training rows", xlabel="left out", ylabel="", ylim=(-3, 103))
    axes[0].set_ylabel("nodes changed, %")
    figure.supxlabel(
        "bars: medians; above the dashed line a tree counts as entirely different", fontsize="small"
    )
    return figure
