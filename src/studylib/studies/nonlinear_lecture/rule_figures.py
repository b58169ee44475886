"""The pictures of rules: the lecture's examples, what measures mean, 1-R, and how well rules classify."""

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from studylib.datasets import load_weather
from studylib.plots import PALETTE
from studylib.rules import apriori, association_rules
from studylib.studies.nonlinear_lecture import simple_rules
from studylib.studies.nonlinear_lecture.widgets import live_picture

#: The colours of "yes" and "no", and of other pairs of classes.
YES, NO = PALETTE[0], PALETTE[1]


def examples():
    """The four XOR points and the fruits, each with the regions of the rules."""
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 2.9), layout="constrained", width_ratios=[1, 2])
    for (x, y), label in simple_rules.POINTS.items():
        (mark,) = simple_rules.classes(simple_rules.XOR, (x, y))
        _region(axes[0], (x - 0.5, y - 0.5, 1, 1), NO if mark == "★" else YES)
        axes[0].plot(x, y, "*" if label == "★" else "o", color="black", ms=14 if label == "★" else 10)
    axes[0].set(xlabel="x", ylabel="y", xticks=[0, 1], yticks=[0, 1], title="two XOR rules", aspect="equal")
    for row, color in enumerate(simple_rules.COLORS):
        for low, high in ((60, 150), (150, 240)):
            (fruit,) = simple_rules.classes(simple_rules.FRUIT, (color, low))
            _region(axes[1], (low, row - 0.5, high - low, 1), NO if fruit == "apple" else YES)
            axes[1].text((low + high) / 2, row, fruit, ha="center", va="center")
    axes[1].axhline(0.5, color="white", lw=3)
    axes[1].set(xlabel="weight in grams", xlim=(60, 240), ylim=(-0.5, 1.5), title="three fruit rules")
    axes[1].set_yticks(range(2), simple_rules.COLORS)
    axes[1].set_xticks([100, 150, 200])
    for ax in axes:
        ax.grid(visible=False)
    return figure


def _region(ax, place, color):
    left, bottom, width, height = place
    ax.add_patch(Rectangle((left, bottom), width, height, facecolor=color, alpha=0.3, edgecolor="none"))


# Measures


def measures(bodies=("humidity = normal", "outlook = rainy", "outlook = sunny"), head="play = yes"):
    """Support, confidence and lift of rules on the weather table, as areas.

    The width of the left column is the support of the body, and its height the confidence; the dashed line is
    the support of the head.
    """
    mined = association_rules(apriori(simple_rules.weather_baskets(), 0.01, max_len=2), 0.0)
    figure, axes = plt.subplots(1, len(bodies), figsize=(10.5, 3.6), layout="constrained", sharey=True)
    for ax, body in zip(axes, bodies, strict=True):
        rule = mined[(mined["antecedents"] == {body}) & (mined["consequents"] == {head})].iloc[0]
        width, overall = rule["antecedent support"], rule["consequent support"]
        others = (overall - rule["support"]) / (1 - width)  # share of the head where the body does not hold
        for left, right, height in ((0, width, rule["confidence"]), (width, 1, others)):
            filled = {"facecolor": YES, "alpha": 0.75 if left == 0 else 0.3}
            ax.add_patch(Rectangle((left, 0), right - left, height, **filled, edgecolor="white"))
            ax.add_patch(Rectangle((left, height), right - left, 1 - height, facecolor="0.93"))
        ax.plot([0, 1], [overall, overall], "--", color="black", lw=1.2)
        ax.text(width / 2, 0.04, f"support\n{rule['support']:.3f}", ha="center", color="white", fontsize=9)
        ax.set(
            xlim=(0, 1),
            ylim=(0, 1),
            xticks=[0, width, 1],
            xticklabels=["0", f"{width:.2f}", "1"],
            xlabel="share of the days",
            title=f"{body} ⇒ {head}\nconfidence {rule['confidence']:.3f}, lift {rule['lift']:.2f}",
        )
        ax.title.set_fontsize(9.5)
        ax.grid(visible=False)
    axes[0].set(ylabel=f"share with {head}")
    axes[0].text(0.99, overall, "supp(head) ", ha="right", va="bottom", fontsize=8)
    return figure


def lifts():
    """Lift of every pair of items of the weather table; pairs that never occur together have lift 0.

    The lift of A and B is that of B and A, so each pair is shown once.
    """
    baskets = simple_rules.weather_baskets()
    items = list(dict.fromkeys(item for basket in sorted(baskets) for item in basket))
    items.sort(key=lambda item: list(load_weather().frame).index(item.split(" = ")[0]))
    held = np.array([[item in basket for item in items] for basket in baskets], float)
    support = held.mean(axis=0)
    lift = held.T @ held / len(held) / np.outer(support, support)
    names = np.array([item.split(" = ")[0] for item in items])
    lift[(names[:, None] == names) | np.triu(np.ones_like(lift, bool))] = np.nan
    first, last = (
        (names == names[0]).sum(),
        (names != names[-1]).sum(),
    )  # the others' rows or columns are empty
    lift, below, beside = lift[first:, :last], items[first:], items[:last]
    figure, ax = plt.subplots(figsize=(7.6, 5), layout="constrained")
    colors = LinearSegmentedColormap.from_list("lift", (PALETTE[0], "white", PALETTE[1]))
    drawn = ax.imshow(lift, cmap=colors, vmin=0, vmax=2)
    for row, column in np.argwhere(~np.isnan(lift)):
        color = "white" if abs(lift[row, column] - 1) > 0.7 else "black"
        ax.text(column, row, f"{lift[row, column]:.1f}", ha="center", va="center", fontsize=9, color=color)
    ax.set_xticks(range(len(beside)), beside, rotation=40, ha="right", rotation_mode="anchor", fontsize=9)
    ax.set_yticks(range(len(below)), below, fontsize=9)
    ax.grid(visible=False)
    figure.colorbar(drawn, label="lift", shrink=0.7, ticks=[0, 0.5, 1, 1.5, 2])
    return figure


def compared(runs):
    """Test error of several models on several sets."""
    shown = runs.melt("data", list(simple_rules.MODELS), "model", "error")
    figure, ax = plt.subplots(figsize=(7.4, 2.8), layout="constrained")
    sns.pointplot(
        shown,
        x="error",
        y="data",
        hue="model",
        linestyle="none",
        markers=["X", "s", "o", "D"],
        dodge=0.5,
        errorbar=("se", 1.96),
        palette=[PALETTE[6], *PALETTE[:3]],
        ax=ax,
    )
    ax.set(xlabel="test error", ylabel="", xlim=(0, None))
    ax.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


# 1-R


def one_r(model):
    """Days of each class by the values of each attribute of the weather table; errors of 1-R hatched."""
    shares = simple_rules.errors_as_printed(model)
    figure, axes = plt.subplots(
        1,
        len(shares),
        figsize=(10.5, 3),
        layout="constrained",
        sharey=True,
        width_ratios=[len(part) for _, part in model.table_.groupby("feature", sort=False)],
    )
    for ax, (name, part) in zip(axes, model.table_.groupby("feature", sort=False), strict=True):
        for at, row in enumerate(part.itertuples()):
            right = row.n_samples - row.errors
            color, other = (YES, NO) if row.label == "yes" else (NO, YES)
            ax.bar(at, right, color=color, width=0.75)
            ax.bar(at, row.errors, bottom=right, color=other, alpha=0.55, hatch="///", width=0.75)
            ax.text(at, right / 2, row.label, ha="center", va="center", color="white", fontsize=9)
        ax.set_xticks(range(len(part)), [str(value).lower() for value in part["value"]], fontsize=9)
        ax.set(title=f"{name}: {shares[name]}")
        ax.grid(visible=False, axis="x")
    axes[0].set(ylabel="days; errors hatched")
    return figure


def one_level_tree(model):
    """The rule of 1-R on the weather table as a tree with one question."""
    shares = simple_rules.errors_as_printed(model)
    rule = model.table_[model.table_["feature"] == model.feature_]
    figure, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
    box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": "0.4"}
    ax.text(
        0,
        1,
        f"{model.feature_}?   errors {shares[model.feature_]}",
        ha="center",
        va="center",
        bbox=box,
        zorder=3,
    )
    for at, row in zip((-1, 0, 1), rule.itertuples(), strict=True):
        ax.plot([0, at], [1, 0], color="0.5", lw=1.2, zorder=1)
        ax.text(
            at / 2, 0.5, row.value, ha="center", va="center", fontsize=9, backgroundcolor="white", zorder=2
        )
        leaf = box | {"facecolor": YES if row.label == "yes" else NO}
        says = f"{row.label}\n{row.errors:g}/{row.n_samples:g} wrong"
        ax.text(at, 0, says, ha="center", va="center", color="white", fontsize=9, bbox=leaf, zorder=3)
    ax.set(xlim=(-1.5, 1.5), ylim=(-0.35, 1.3))
    ax.axis("off")
    return figure


def buckets(ax, name, min_bucket_size):
    """A column of the weather table with numbers as a strip of days, and the intervals of 1-R."""
    weather = load_weather(numeric=True)
    values, labels = weather.data[name].to_numpy(float), weather.target.to_numpy()
    cuts, errors = simple_rules.cut(name, min_bucket_size)
    ends = [values.min() - 2, *cuts, values.max() + 2]
    for low, high in zip(ends[:-1], ends[1:], strict=True):
        inside = labels[(values > low) & (values <= high)]
        majority_yes = (inside == "yes").sum() > (inside == "no").sum()
        ax.axvspan(low, high, color=YES if majority_yes else NO, alpha=0.25, lw=0)
    for low in cuts:
        ax.axvline(low, color="0.3", lw=1)
    seen = {}
    for value, label in sorted(zip(values, labels, strict=True)):
        seen[value] = seen.get(value, -1) + 1
        look = {"marker": "o" if label == "yes" else "X", "color": YES if label == "yes" else NO}
        ax.plot(value, seen[value], ms=7, mec="white", **look)
    ax.set(ylim=(-0.8, 2.8), xlim=(ends[0], ends[-1]), yticks=[])
    ax.grid(visible=False)
    counts = f"{_several(len(ends) - 1, 'interval')}, {_several(errors, 'error')}"
    ax.set_title(f"{name}, buckets of {min_bucket_size}: {counts}", fontsize=10)


def _several(n, noun):
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def bucket_exercise(sizes=(1, 3, 6)):
    """What the slider shows: the intervals of temperature and humidity for some sizes of a bucket."""
    figure, axes = plt.subplots(
        len(sizes), 2, figsize=(10.5, 1.35 * len(sizes) + 0.3), layout="constrained", squeeze=False
    )
    for row, size in zip(axes, sizes, strict=True):
        for ax, name in zip(row, ("temperature", "humidity"), strict=True):
            buckets(ax, name, size)
    return figure


def bucket_slider():
    """The intervals of temperature and humidity, with a slider for the size of a bucket; alive in Jupyter."""
    size = ipywidgets.IntSlider(3, 1, 8, description="bucket size", continuous_update=False)
    return live_picture(lambda: bucket_exercise((size.value,)), [size])


def overfitting(runs):
    """Training and test error of 1-R, and its intervals, by the least size of a bucket, on several sets."""
    shown = runs.melt(["data", "size"], ["training", "test"], "samples", "error")
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.1), layout="constrained")
    common = {"x": "size", "hue": "data", "errorbar": ("se", 1.96), "markers": True}
    sns.lineplot(shown, y="error", style="samples", style_order=["test", "training"], ax=axes[0], **common)
    sns.lineplot(runs, y="intervals", style="data", ax=axes[1], **common)
    for ax in axes:
        ax.set_xscale("log", base=2)
        ax.set_xticks(sorted(runs["size"].unique()), sorted(runs["size"].unique()))
        ax.set(xlabel="least size of a bucket", ylim=(0, None))
    axes[0].get_legend().remove()
    axes[1].get_legend().remove()
    figure.legend(*axes[0].get_legend_handles_labels(), fontsize=8, loc="outside right center")
    return figure
