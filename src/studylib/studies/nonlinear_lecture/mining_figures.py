"""The pictures of Apriori: the lattice of itemsets, chains of confidence, and the cost."""

from itertools import combinations

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

from studylib.plots import PALETTE
from studylib.rules import apriori, association_rules
from studylib.studies.forest_lecture.figures import plain_ticks
from studylib.studies.nonlinear_lecture import mining
from studylib.studies.nonlinear_lecture.widgets import live_picture

#: How a set of the lattice looks.
_LOOKS = {
    "counted": {"facecolor": "0.9", "edgecolor": "0.6", "textcolor": "black"},
    "frequent": {"facecolor": PALETTE[0], "edgecolor": PALETTE[0], "textcolor": "white"},
    "counted in vain": {"facecolor": PALETTE[4], "edgecolor": PALETTE[4], "textcolor": "black"},
    "never counted": {"facecolor": "white", "edgecolor": "0.6", "textcolor": "0.5"},
}


def lattice(ax, held, letters, share):
    """All sets of the items, with those that Apriori counts; returns how many of each kind.

    ``share`` is the least support; None: every set is counted, and none is judged.
    """
    levels = mining.by_level(held, share or 0.0)
    counted = {items: n for level in levels for items, n in level.counted.items()}
    frequent = {items for level in levels for items in level.frequent}
    places = {}
    for k in range(1, len(letters) + 1):
        sets = list(combinations(range(len(letters)), k))
        places |= {items: (at - (len(sets) - 1) / 2, -k) for at, items in enumerate(sets)}
    for items, (x, y) in places.items():
        for part in combinations(items, len(items) - 1):
            if part:
                alive = part in frequent and items in counted
                ax.plot([x, places[part][0]], [y, places[part][1]], color="0.75" if alive else "0.92", lw=0.8)
    kinds = dict.fromkeys(_LOOKS, 0)
    for items, (x, y) in places.items():
        if items in frequent:
            kind = "frequent" if share else "counted"
        else:
            kind = "counted in vain" if items in counted else "never counted"
        kinds[kind] += 1
        look = _LOOKS[kind]
        text = "".join(letters[j] for j in items) + (f"\n{counted[items]}" if items in counted else "")
        box = {"boxstyle": "round,pad=0.25"} | {k: look[k] for k in ("facecolor", "edgecolor")}
        ax.text(x, y, text, ha="center", va="center", fontsize=8, color=look["textcolor"], bbox=box)
    ax.set(xlim=(-5.1, 5.1), ylim=(-len(letters) - 0.5, -0.5))
    ax.axis("off")
    return kinds


def all_subsets():
    """The lattice of five items, each set with its number of transactions."""
    figure, ax = plt.subplots(figsize=(8.6, 3.9), layout="constrained")
    kinds = lattice(ax, *mining.drawn_transactions(), None)
    ax.set_title(f"{sum(kinds.values())} sets of 5 items, and in how many of 10 transactions each is")
    return figure


def pruned(shares=(0.3, 0.5)):
    """The lattice at some least supports: what is frequent, counted in vain, and never counted."""
    figure, axes = plt.subplots(len(shares), 1, figsize=(8.6, 4 * len(shares)), layout="constrained")
    for ax, share in zip(axes, shares, strict=True):
        _titled(ax, lattice(ax, *mining.drawn_transactions(), share), share)
    return figure


def _titled(ax, kinds, share):
    counts = ", ".join(f"{n} {kind}" for kind, n in kinds.items() if kind != "counted")
    ax.set_title(f"θ = {share:g}: {counts}", fontsize=11)


def thresholds_sliders():
    """The lattice and the rules, with sliders for θ and γ; alive in Jupyter only."""
    share = ipywidgets.FloatSlider(0.3, min=0.1, max=0.9, step=0.1, description="θ", continuous_update=False)
    sure = ipywidgets.FloatSlider(0.7, min=0.0, max=1.0, step=0.05, description="γ", continuous_update=False)
    return live_picture(lambda: exercise(round(share.value, 2), round(sure.value, 2)), [share, sure])


def exercise(share=0.3, least_confidence=0.7):
    """What the sliders show: the lattice at θ, and the rules from its frequent sets above γ."""
    held, letters = mining.drawn_transactions()
    figure, axes = plt.subplots(2, 1, figsize=(8.6, 7), layout="constrained", height_ratios=[3, 2])
    _titled(axes[0], lattice(axes[0], held, letters, share), share)
    mined = association_rules(apriori(held, share), 0.0)
    kept = mined[mined["confidence"] > least_confidence]  # the lecture's γ is exceeded
    for part, color in ((mined, "0.8"), (kept, PALETTE[0])):
        axes[1].plot(part["confidence"], part["support"], "o", color=color, ms=6)
    axes[1].axvline(least_confidence, color=PALETTE[1], lw=1.2, ls="--")
    axes[1].axhline(share, color=PALETTE[1], lw=1.2, ls="--")
    axes[1].set(xlabel="confidence", ylabel="support", xlim=(0, 1.05), ylim=(0, 0.9))
    axes[1].set_title(f"{len(kept)} of {len(mined)} rules have conf > {least_confidence:g}", fontsize=11)
    return figure


def chain(four="ABCD", least_confidence=0.5):
    """Confidence of all rules within four items, by the size of the head; lines move an item to the head."""
    held, letters = mining.drawn_transactions()
    confidence = mining.confidences_within(held[:, [letters.index(letter) for letter in four]])
    figure, ax = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
    for body, value in confidence.items():
        for part in map(frozenset, combinations(body, len(body) - 1)):
            if part:
                heads = [len(four) - len(body), len(four) - len(part)]
                ax.plot(heads, [value, confidence[part]], color="0.8", lw=1, zorder=1)
    named = {}
    for body, value in confidence.items():
        rest = [four[j] for j in range(len(four)) if j not in body]
        rule = "".join(four[j] for j in sorted(body)) + " ⇒ " + "".join(rest)
        named.setdefault((len(rest), value), []).append(rule)
    for (size, value), rules in named.items():
        ax.plot(size, value, "o", color=PALETTE[0] if value > least_confidence else PALETTE[4], zorder=2)
        ax.annotate(
            ", ".join(rules),
            (size, value),
            (7, 0),
            textcoords="offset points",
            fontsize=8,
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
    ax.axhline(least_confidence, color=PALETTE[1], lw=1.2, ls="--")
    ax.text(0.85, least_confidence + 0.01, "γ", color=PALETTE[1])
    ax.set(xlim=(0.8, 3.8), ylim=(0.2, 1.04), xlabel="items of the head", ylabel="confidence")
    ax.set_xticks([1, 2, 3])
    return figure


def doubling(runs):
    """Frequent itemsets by number of items, for three densities, beside all subsets."""
    items = mining.ITEMS
    figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    for density, marker in zip(runs["density"].unique(), "os^", strict=False):
        counts = np.array(runs.loc[runs["density"] == density, "itemsets"].tolist())
        ax.plot(items, counts.mean(axis=0), marker=marker, ms=5, label=f"{density:.0%}")
    ax.plot(items, [2**n - 1 for n in items], ":", color="black", label="2ⁿ − 1")
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.set(xlabel="items n", ylabel="frequent itemsets", xticks=items)
    ax.legend(title="share of transactions\nthat hold an item", fontsize=8, title_fontsize=8)
    return figure


def sensitivity(timed):
    """Itemsets and seconds by θ, rules and seconds by γ, on several sets."""
    figure, axes = plt.subplots(2, 2, figsize=(8.2, 5.4), layout="constrained", sharex="col")
    for column, (by, what, name) in zip(
        axes.T, (("support", "itemsets", "θ"), ("confidence", "rules", "γ")), strict=True
    ):
        part = timed[timed["by"] == by]
        for ax, y, text in ((column[0], "found", what), (column[1], "seconds", f"seconds to find {what}")):
            sns.lineplot(
                part, x="threshold", y=y, hue="data", style="data", markers=True, errorbar=None, ax=ax
            )
            ax.set(yscale="log", xlabel=name, ylabel=text)
            low, high = part[y].min(), part[y].max()
            plain_ticks(ax.yaxis, (1.0,) if high > 100 * low else (1.0, 2.0, 5.0))
            ax.legend(fontsize=8)
        if by == "support":
            for ax in column:
                ax.set(xscale="log")
                ax.set_xticks([0.03, 0.05, 0.1, 0.2, 0.3, 0.5], [0.03, 0.05, 0.1, 0.2, 0.3, 0.5])
                ax.minorticks_off()
    for ax in axes.ravel()[1:]:
        ax.get_legend().remove()
    return figure
