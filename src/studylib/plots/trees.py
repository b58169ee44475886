"""Drawings of trees."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb
from sklearn.utils.validation import check_is_fitted

from studylib.core.parameters import check_integer
from studylib.plots.style import PALETTE


def draw_tree(tree, max_depth=3, ax=None):
    """Draw the top levels of a fitted TreePredictor.

    A box names the condition, its colour the majority class (paler where the node is less pure), the bar
    below it the class shares.  The true branch leaves to the left.  A dashed stub is a subtree not drawn.

    Parameters
    ----------
    tree : TreePredictor
        Fitted.
    max_depth : int
        Nodes down to this depth are drawn; the root has depth 0.
    ax : matplotlib Axes or None
        A new figure by default.

    Returns
    -------
    Axes
    """
    check_is_fitted(tree)
    max_depth = check_integer("draw_tree", "max_depth", max_depth, 0)
    shown = _layout(tree, max_depth)
    n_columns = max(1, sum(1 for node in shown if not _drawn_children(tree, node, shown)))
    depth = max(int(tree.nodes_["depth"][node]) for node in shown)
    if ax is None:
        _, ax = plt.subplots(figsize=(max(4.0, 1.75 * n_columns), 1.25 * (depth + 1) + 0.5))
    for node, (x, y) in shown.items():
        first = int(tree.nodes_["first_child"][node])
        if first < 0:
            continue
        for child, answer in ((first + 1, "yes"), (first, "no")):
            if child in shown:
                cx, cy = shown[child]
                ax.plot([x, cx], [y - 0.22, cy + 0.24], color="#999999", lw=1, zorder=1)
                ax.text(
                    (x + cx) / 2, (y + cy) / 2, answer, fontsize=8, color="#444444", ha="center",
                    va="center", bbox={"facecolor": "white", "edgecolor": "none", "pad": 1}, zorder=2,
                )  # fmt: skip
            else:
                side = -0.18 if answer == "yes" else 0.18
                ax.plot([x, x + side], [y - 0.22, y - 0.42], color="#999999", lw=1, ls=":", zorder=1)
    for node, (x, y) in shown.items():
        _draw_node(ax, tree, node, x, y)
    ax.set_xlim(-0.5, n_columns - 0.5)
    ax.set_ylim(-depth - 0.5, 0.4)
    ax.set_axis_off()
    handles = [
        plt.Line2D([], [], marker="s", ls="", color=PALETTE[c % len(PALETTE)], label=str(name))
        for c, name in enumerate(tree.classes_)
    ]
    ax.legend(handles=handles, loc="upper left", title="class", fontsize=8, title_fontsize=8)
    return ax


def _drawn_children(tree, node, shown):
    first = int(tree.nodes_["first_child"][node])
    return [c for c in (first + 1, first) if first >= 0 and c in shown]


def _layout(tree, max_depth):
    """Position of every node drawn: leaves of the drawing side by side, parents over their middle."""
    nodes = tree.nodes_
    shown = {int(i): None for i in np.flatnonzero(nodes["depth"] <= max_depth)}
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(_drawn_children(tree, node, shown)))
    column = 0
    for node in order:
        if not _drawn_children(tree, node, shown):
            shown[node] = (float(column), -float(nodes["depth"][node]))
            column += 1
    for node in sorted(order, reverse=True):  # children have larger numbers than their parents
        children = _drawn_children(tree, node, shown)
        if children:
            shown[node] = (np.mean([shown[c][0] for c in children]), -float(nodes["depth"][node]))
    return shown


def _draw_node(ax, tree, node, x, y):
    record = tree.nodes_[node]
    counts = tree.class_counts_[node]
    shares = counts / counts.sum()
    label = int(record["label"])
    if record["feature"] >= 0:
        name = tree.feature_names_[record["feature"]]
        text = tree.condition(node).describe(name, 1).replace(f"{name} ", f"{name}\n", 1)
    else:
        text = str(tree.classes_[label])
    paleness = 0.25 + 0.6 * (1 - shares[label]) * len(shares) / max(1, len(shares) - 1)
    base = np.array(to_rgb(PALETTE[label % len(PALETTE)]))
    ax.text(
        x, y, f"{text}\nn = {int(record['n_samples']):,}", ha="center", va="center", fontsize=8, zorder=3,
        bbox={"boxstyle": "round,pad=0.3", "facecolor": 1 - (1 - base) * (1 - min(paleness, 0.9)) * 0.6,
              "edgecolor": base, "lw": 1.0},
    )  # fmt: skip
    left = x - 0.3
    for c, share in enumerate(shares):
        ax.barh(y - 0.33, 0.6 * share, 0.05, left=left, color=PALETTE[c % len(PALETTE)], zorder=3)
        left += 0.6 * share
