"""Places, lines and boxes shared by the drawings of trees."""

import matplotlib.pyplot as plt
import numpy as np

from studylib.core.tree import LEAF, depths, layout, parents

#: Size of text, in points, where a figure stands in a column of text.
TEXT = 9


def lay_out(first_child, max_depth, ax, column, row, *, mirrored=False, sideways=False):
    """Places of the nodes to draw, ``(x, y)`` by number, and the axes to draw them in, by default new ones.

    Nodes below ``max_depth`` are not drawn.  ``column`` and ``row`` are inches per column and per level.  If
    ``mirrored``, the second child of a node is to the left of the first.  If ``sideways``, the tree grows to
    the right, with the first child of a node above the second; ``column`` is then the inches per level and
    ``row`` those per leaf.
    """
    n_children = numbers_of_children(first_child)
    place, n_columns = layout(first_child, max_depth, n_children)
    depth = depths(parents(first_child, n_children))
    if sideways:
        spots = {node: (int(depth[node]), -y) for node, y in place.items()}
        levels = 1 + max(x for x, _ in spots.values())
        if ax is None:
            _, ax = plt.subplots(figsize=(column * levels, row * n_columns))
        ax.set(xlim=(-0.5, levels - 0.5), ylim=(0.5 - n_columns, 0.5))
        ax.set_axis_off()
        return spots, ax
    last = n_columns - 1
    spots = {node: (last - x if mirrored else x, -int(depth[node])) for node, x in place.items()}
    lowest = min(y for _, y in spots.values())
    if ax is None:
        _, ax = plt.subplots(figsize=(max(4.0, column * n_columns), row * (0.5 - lowest) + 1.0))
    ax.set(xlim=(-0.7, n_columns - 0.3), ylim=(lowest - 0.6, 0.5))
    ax.set_axis_off()
    return spots, ax


def numbers_of_children(first_child):
    """Number of children of each node, int64 (n_nodes,); the children of a node are numbered in a row."""
    first_child = np.asarray(first_child)
    inner = np.flatnonzero(first_child != LEAF)
    inner = inner[np.argsort(first_child[inner], kind="stable")]
    counts = np.zeros(len(first_child), np.int64)
    counts[inner] = np.diff(np.append(first_child[inner], len(first_child)))
    return counts


def draw_line(ax, start, end, label=None, gap=0.0, *, size=8, color=None):
    """A line from a node to its child, with a label in the middle; ``gap`` leaves room for their boxes.

    A line with a ``color`` is broad.
    """
    (x, y), (below_x, below_y) = start, end
    ax.plot([x, below_x], [y - gap, below_y + gap], color=color or "#999999", lw=3 if color else 1, zorder=1)
    if label is not None:
        ax.text(
            (x + below_x) / 2, (y + below_y) / 2, label, fontsize=size, color="#444444", ha="center",
            va="center", bbox={"facecolor": "white", "edgecolor": "none", "pad": 1}, zorder=2,
        )  # fmt: skip


def draw_box(ax, spot, text, edge, face="white", *, size=7.5):
    """A node: text in a frame."""
    box = {"boxstyle": "round,pad=0.25", "facecolor": face, "edgecolor": edge, "lw": 1.4}
    ax.text(*spot, text, ha="center", va="center", fontsize=size, bbox=box, zorder=3)
