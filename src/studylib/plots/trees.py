"""Drawings of trees."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb
from sklearn.utils.validation import check_is_fitted

from studylib.core.parameters import check_integer
from studylib.core.tables import feature_names
from studylib.core.tree import LEAF
from studylib.plots._nodes import draw_box, draw_line, lay_out
from studylib.plots.style import PALETTE


def draw_tree(tree, max_depth=3, ax=None):
    """Draw the top levels of a fitted TreePredictor.

    A box names the condition, its colour the majority class (paler where the node is less pure), the bar
    below it the class shares.  The true branch leaves to the left.  A dotted stub is a subtree not drawn.

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
    children = tree.nodes_["first_child"]
    spots, ax = lay_out(children, max_depth, ax, 1.75, 1.25, mirrored=True)
    for node, (x, y) in spots.items():
        first = int(children[node])
        if first in spots:
            draw_line(ax, (x, y), spots[first], "no", gap=0.23)
            draw_line(ax, (x, y), spots[first + 1], "yes", gap=0.23)
        elif first != LEAF:
            for side in (-0.18, 0.18):
                ax.plot([x, x + side], [y - 0.22, y - 0.42], color="#999999", lw=1, ls=":", zorder=1)
        _draw_node(ax, tree, node, x, y)
    handles = [
        plt.Line2D([], [], marker="s", ls="", color=_color(c), label=str(name))
        for c, name in enumerate(tree.classes_)
    ]
    ax.legend(handles=handles, loc="upper left", title="class", fontsize=8, title_fontsize=8)
    return ax


def _color(k):
    return PALETTE[k % len(PALETTE)]


def _draw_node(ax, tree, node, x, y):
    """A box and a bar."""
    record, counts = tree.nodes_[node], tree.class_counts_[node]
    shares, label = counts / counts.sum(), int(record["label"])
    text = str(tree.classes_[label])
    if record["feature"] != LEAF:
        name = feature_names(tree)[record["feature"]]
        text = tree.condition(node).describe(name, 1).replace(f"{name} ", f"{name}\n", 1)
    paleness = 0.25 + 0.6 * (1 - shares[label]) * len(shares) / max(1, len(shares) - 1)
    face = 1 - (1 - np.array(to_rgb(_color(label)))) * (1 - min(paleness, 0.9)) * 0.6
    draw_box(ax, (x, y), f"{text}\nn = {int(record['n_samples']):,}", _color(label), face)
    left = x - 0.3
    for c, share in enumerate(shares):
        ax.barh(y - 0.33, 0.6 * share, 0.05, left=left, color=_color(c), zorder=3)
        left += 0.6 * share
