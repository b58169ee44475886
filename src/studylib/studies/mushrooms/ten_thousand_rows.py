"""The study of 10,000 rows (sections 4.3 and 5): tables and figures (notebook 08)."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from studylib.plots import PALETTE
from studylib.studies.mushrooms.experiments import GRID
from studylib.studies.mushrooms.published import ERRORS_10000

#: Names of the models that the learning curves compare with ours.
MODEL_NAMES = {f"peer {kind}": f"scikit-learn's {kind}" for kind in ("tree", "forest", "boosting")}
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


def overfitting_gap(errors):
    """Test minus training error of the grown trees on each split, in points."""
    grown = errors[errors["model"] == "tree"]
    return 100 * (grown["test_error"] - grown["train_error"])


def published_errors(single, folds, best):
    """The three errors of a single tree, as published and as ours."""
    ours = pd.Series([single, np.mean(folds), np.mean(best)], ERRORS_10000.index)
    return pd.DataFrame({"published": ERRORS_10000, "ours": ours})


def losses_by_limit(losses, unlimited):
    """Validation error by the value of each limit, the others free; a line at the tree without limits.

    Both are means over the same splits.
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
        shown = (100 * errors.agg(["mean", "min", "max"])).clip(lower=1e-3)
        ax.plot(shown.index, shown["mean"], color=color, ls=style, marker="o", ms=4)
        ax.fill_between(shown.index, shown["min"], shown["max"], color=color, alpha=0.15, lw=0)
        ax.annotate(
            label or "", (sizes[-1], shown["mean"].iloc[-1]), (8, 0), textcoords="offset points", color=color,
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
    errors = 100 * np.array(forests["staged_errors"].tolist())
    oob = 100 * forests["oob_error"].to_numpy()
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
    shares = 100 * forests.filter(like=": ").rename(columns=lambda name: name.removeprefix("importances: "))
    order = shares.mean().sort_values().index
    figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    ax.barh(order, shares[order].mean(), xerr=shares[order].std(), color=PALETTE[0])
    ax.set(xlabel="share of the information gain, %")
    ax.grid(visible=False, axis="y")
    return figure
