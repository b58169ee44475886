"""The pictures of indexes: a k-d tree's search, an R-tree's boxes, hash tables."""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.patches import Circle, Rectangle

from studylib.plots import PALETTE
from studylib.studies.forest_lecture.figures import plain_ticks
from studylib.studies.nonlinear_lecture import box_trees, hash_tables


def partition_and_search():
    """A k-d tree of the plane, the first leaf that a search looks into, and all of them."""
    tree, query, rows, visits = box_trees.drawn_search()
    boxes = [box for _, box in box_trees.leaves(tree)]
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.9), layout="constrained")
    for ax, seen in zip(axes, (0, 1, len(visits)), strict=True):
        for box in boxes:
            ax.add_patch(_rectangle([*box[0], *box[1]], fill=False, edgecolor="0.6", lw=0.8))
        for number, visit in enumerate(visits[:seen], start=1):
            box = visit.box
            ax.add_patch(_rectangle([*box[0], *box[1]], facecolor=PALETTE[4], alpha=0.35))
            ax.text(box[0, 0] + 0.01, box[1, 1] - 0.01, number, fontsize=8, va="top")
        ax.plot(*tree.data.T, ".", color="0.35", ms=4)
        ax.set(xticks=[], yticks=[], aspect="equal", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        ax.grid(visible=False)
        if seen:
            ax.plot(*query, "*", color=PALETTE[1], ms=12)
            ax.add_patch(Circle(query, visits[seen - 1].after, fill=False, color=PALETTE[1], lw=1.5))
    axes[2].plot(*tree.data[rows].T, "o", color=PALETTE[0], ms=6)
    axes[0].set(title=f"{len(boxes)} leaves, cut at the median")
    axes[1].set(title="the first leaf: a sphere of candidates")
    axes[2].set(title=f"{len(visits)} of {len(boxes)} leaves: it has shrunk")
    return figure


def computed(runs):
    """Distances that a k-d tree computes per search, by number of points and of dimensions."""
    figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
    shown = runs.assign(dimensions=runs["d"].astype(str))
    sns.lineplot(
        shown, x="n", y="computed", hue="dimensions", style="dimensions", markers=True, errorbar=None, ax=ax
    )
    n = np.sort(runs["n"].unique())
    ax.plot(n, n, color="0.4", lw=1)
    ax.text(n[0], n[0] * 1.15, "all points", fontsize=8, color="0.3", rotation=25)
    ax.set(xscale="log", yscale="log", xlabel="points", ylabel="distances computed per search")
    plain_ticks(ax.yaxis, subs=(1,))
    ax.set_xticks(n, [f"{size:,}" for size in n])
    ax.minorticks_off()
    ax.legend(fontsize=8, title="dimensions", loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def boxes():
    """An R-tree of rectangles: its overlapping leaves; a search for what overlaps a window; the nearest."""
    drawn, index, leaf_boxes = box_trees.drawn_boxes()
    window, point = (0.55, 0.3, 0.8, 0.5), (0.25, 0.7)
    inside = set(index.intersection(window))
    nearest = set(index.nearest((*point, *point), 3))
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.9), layout="constrained")
    looked = box_trees.overlap([box for _, box in leaf_boxes], window)
    for ax, marked in zip(axes, (set(), inside, nearest), strict=True):
        for row, box in enumerate(drawn):
            color = PALETTE[1] if row in marked else "0.75"
            ax.add_patch(_rectangle(box, facecolor=color, edgecolor="0.4", lw=0.5))
        ax.set(xticks=[], yticks=[], aspect="equal", xlim=(-0.03, 1.12), ylim=(-0.03, 1.12))
        ax.grid(visible=False)
    for k, (_, box) in enumerate(leaf_boxes):
        axes[0].add_patch(_rectangle(box, fill=False, edgecolor=PALETTE[k % 4], lw=1.5))
        if looked[k]:
            axes[1].add_patch(_rectangle(box, fill=False, edgecolor=PALETTE[0], lw=1.5))
    axes[1].add_patch(_rectangle(window, facecolor=PALETTE[4], alpha=0.4, edgecolor="black", ls="--"))
    axes[2].plot(*point, "*", color="black", ms=12)
    axes[0].set(title=f"{len(drawn)} rectangles in {len(leaf_boxes)} leaves")
    axes[1].set(title=f"the window meets {looked.sum()} leaves, {len(inside)} rectangles")
    axes[2].set(title="the three nearest to a point")
    return figure


def hashing(runs, n_tables, n):
    """How pairs of ``n`` baskets meet in hash tables, in theory and counted; recall by number of tables."""
    figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
    s = np.linspace(0, 1, 200)
    for number, color in zip((min(n_tables), 8, max(n_tables)), PALETTE, strict=False):
        axes[0].plot(s, 1 - (1 - s**hash_tables.FUNCTIONS) ** number, color=color, label=f"{number} tables")
        axes[0].plot(*hash_tables.meetings(number, n), "o", color=color, ms=4)
    axes[0].set(xlabel="similarity of two sets", ylabel="share with a common bucket", title="Pairs that meet")
    axes[0].legend(fontsize=8)
    for ax, what, title in zip(
        axes[1:], ("recall", "share"), ("Neighbours found", "Sets compared"), strict=True
    ):
        sns.lineplot(
            runs.assign(**{what: 100 * runs[what]}), x="tables", y=what, hue="data", style="data",
            markers=True, errorbar=("se", 1.96), ax=ax,
        )  # fmt: skip
        ax.set_xscale("log", base=2)
        ax.set_xticks(n_tables, n_tables)
        ax.set(ylabel="of all, %", title=title)
    axes[1].set(ylim=(0, 103))
    axes[1].legend(fontsize=8, loc="lower right")
    axes[2].get_legend().remove()
    axes[2].set(yscale="log", ylim=(None, 130))
    plain_ticks(axes[2].yaxis, subs=(1,))
    return figure


def recall_against_time(timed):
    """Recall and milliseconds per search, with hash tables and by comparing all."""
    figure, axes = plt.subplots(
        1, len(timed), figsize=(4.6 * len(timed), 3), layout="constrained", sharey=True, squeeze=False
    )
    for ax, (n, measured) in zip(axes[0], timed.items(), strict=True):
        for label, (recall, milliseconds) in measured.items():
            exact = label == "all compared"
            ax.plot(milliseconds, recall, "s" if exact else "o", color=PALETTE[1 if exact else 0])
            ax.annotate(
                label,
                (milliseconds, recall),
                (6, 5 if exact else -11),
                textcoords="offset points",
                fontsize=8,
            )
        longest = max(milliseconds for _, milliseconds in measured.values())
        ax.set(
            xlabel="milliseconds per search", xlim=(0, 1.35 * longest), ylim=(0, 1.08), title=f"{n:,} sets"
        )
    axes[0, 0].set(ylabel="recall")
    return figure


def _rectangle(box, **style):
    left, bottom, right, top = box
    return Rectangle((left, bottom), right - left, top - bottom, **style)
