"""The pictures of the mushroom report's notebooks."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.ticker import MaxNLocator

from studylib.plots import PALETTE, draw_tree
from studylib.studies.mushrooms.experiments import GRID

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
#: Words for each limit of the search, and for its values.
_LIMITS = {
    "max_depth": "depth ≤ {}",
    "max_leaf_nodes": "leaves ≤ {}",
    "max_nodes": "nodes ≤ {}",
    "min_samples_split": "rows to split ≥ {}",
    "min_entropy": "entropy > {:g}",
}
#: Colour and line of each model of the learning curves, and the name of those that share a colour.
_MODELS = {
    "pruned tree": (PALETTE[1], "-", "tree, pruned"),
    "tree": (PALETTE[0], "-", "trees"),
    "peer tree": (PALETTE[0], "--", None),
    "peer boosting": (PALETTE[3], "--", "boosting"),
    "forest": (PALETTE[2], "-", "forests"),
    "peer forest": (PALETTE[2], "--", None),
}


def missing_shares(missing):
    """Shares of missing values by column; the colour says at which threshold a column is deleted.

    Parameters
    ----------
    missing : Series, share by column
    """
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
        line.replace("∈ {", "is ").replace(", ", " or ").replace("}", "") if "∈" in line else line
        for line in rest
    ]
    return "\n".join([_CLASSES.get(first, first), *rest])


def errors_over_splits(over_splits, published):
    """Test errors of each criterion over splits, their mean ± standard deviation, and the published run.

    The axis is broken where no error lies, so that the best criteria can be told apart; both parts have one
    scale.

    Parameters
    ----------
    over_splits : DataFrame
        "model" and "test_error", a row per fit.
    published : Series, test error by criterion
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


def changed_shares(changed):
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


def losses_by_limit(losses, unlimited):
    """Validation error by the value of each limit, the others free; a line at the tree without limits.

    Parameters
    ----------
    losses : DataFrame, from :func:`studylib.studies.mushrooms.experiments.losses_by_limit`
        Means over splits.
    unlimited : float
        Mean error over the same splits of the tree without limits.
    """
    groups, labels, places = [], [], []
    for name in GRID:
        start = places[-1] + 1.7 if places else 0.0
        for k, (value, part) in enumerate(losses.groupby(name)["validation error"]):
            groups.append(100 * part.to_numpy())
            labels.append(_LIMITS[name].format(value))
            places.append(start + k)
    figure, ax = plt.subplots(figsize=(6.4, 6.8), layout="constrained")
    boxes = ax.boxplot(groups, positions=places, orientation="horizontal", widths=0.7, patch_artist=True)
    for box in boxes["boxes"]:
        box.set_facecolor(PALETTE[5])
    for median in boxes["medians"]:
        median.set(color="black", lw=1.5)
    for fliers in boxes["fliers"]:
        fliers.set_markersize(2)
    ax.axvline(100 * unlimited, color=PALETTE[1], lw=2)
    best = 100 * losses["validation error"].min()
    ax.annotate(
        f"no limits: {100 * unlimited:.1f}%; the best of {len(losses)} with limits: {best:.1f}%",
        (100 * unlimited, -1.4), (6, 0), textcoords="offset points", color=PALETTE[1], va="center",
    )  # fmt: skip
    ax.set_yticks(places, labels)
    ax.set(xlabel="validation error, %", xlim=(0, None), ylim=(places[-1] + 0.8, -2.2))
    ax.grid(visible=False, axis="y")
    return figure


def learning_curves(curves):
    """Test error by number of training rows: means over splits, and bands from smallest to largest."""
    figure, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
    sizes = sorted(curves["n_train"].unique())
    for model, (color, style, label) in _MODELS.items():
        errors = curves[curves["model"] == model].groupby("n_train")["test_error"]
        found = (100 * errors.agg(["mean", "min", "max"])).clip(lower=1e-3)
        ax.plot(found.index, found["mean"], color=color, ls=style, marker="o", ms=4)
        ax.fill_between(found.index, found["min"], found["max"], color=color, alpha=0.15, lw=0)
        ax.annotate(
            label or "", (sizes[-1], found["mean"].iloc[-1]), (8, 0), textcoords="offset points", color=color,
            va="center",
        )  # fmt: skip
    ax.set(xscale="log", yscale="log", xlabel="training rows", ylabel="test error, %")
    ax.set_xticks(sizes, [f"{n:,}" if n < 10_000 else f"{n / 1000:g}k" for n in sizes])
    low, high = ax.get_ylim()
    ticks = [t for t in (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30) if low <= t <= high]
    ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
    ax.minorticks_off()
    n_splits = curves["split_seed"].nunique()
    figure.supxlabel(
        f"solid: ours, dashed: scikit-learn’s; bands: smallest to largest of {n_splits} splits",
        fontsize="small",
    )
    return figure


def growing_forests(forests):
    """Test error along a forest's trees, mean and range over splits, and the out-of-bag error."""
    errors = 100 * np.array([forest["staged_errors"] for forest in forests])
    oob = 100 * np.array([forest["oob_error"] for forest in forests])
    trees = np.arange(1, errors.shape[1] + 1)
    figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    ax.plot(trees, errors.mean(axis=0), color=PALETTE[0])
    ax.fill_between(trees, errors.min(axis=0), errors.max(axis=0), color=PALETTE[0], alpha=0.2, lw=0)
    k = min(3, len(trees) - 1)
    ax.annotate(
        "test error", (trees[k], errors[:, k].max()), (8, 4), textcoords="offset points", color=PALETTE[0]
    )
    ax.axhspan(oob.min(), oob.max(), color=PALETTE[1], alpha=0.2, lw=0)
    ax.axhline(oob.mean(), color=PALETTE[1], ls="--")
    ax.annotate(
        f"out-of-bag error of all {len(trees)} trees", (trees[-1], oob.max()), (0, 20),
        textcoords="offset points", color=PALETTE[1], ha="right",
    )  # fmt: skip
    ax.set(xscale="log", ylim=(0, None), xlabel="trees (log scale)", ylabel="error, %")
    ticks = [t for t in (1, 2, 5, 10, 20, 50, 100, 200, 500) if t <= len(trees)]
    ax.set_xticks(ticks, ticks)
    ax.minorticks_off()
    figure.text(
        0.02,
        -0.05,
        f"lines and bands: mean and range over {len(forests)} splits",
        fontsize="small",
        color="dimgray",
    )
    return figure


def importances(forests):
    """Mean ± standard deviation of each feature's importance over forests."""
    shares = 100 * pd.DataFrame([forest["importances"] for forest in forests])
    order = shares.mean().sort_values().index
    figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    ax.barh(order, shares[order].mean(), xerr=shares[order].std(), color=PALETTE[0])
    ax.set(xlabel="share of the information gain, %")
    ax.grid(visible=False, axis="y")
    return figure
