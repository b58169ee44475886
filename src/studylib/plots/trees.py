"""Drawings of trees."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb
from sklearn.utils.validation import check_is_fitted

from studylib.core.parameters import check_integer, describe
from studylib.core.tree import LEAF
from studylib.plots._nodes import draw_box, draw_line, lay_out, numbers_of_children
from studylib.plots.guided import draw_guided_tree
from studylib.plots.partitions import draw_partial_tree
from studylib.plots.style import PALETTE

#: Longest text of a branch.
_LONGEST = 18


def draw_tree(tree, max_depth=3, ax=None, *, member=None):
    """Draw the top levels of a fitted tree of this library, or of a forest's member.

    A box names the condition, its colour the majority class (paler where the node is less pure), the bar
    below it the class shares.  The true branch leaves to the left; the branches of a multiway tree have
    their values beside them.  A dotted stub is a subtree not drawn.  Trees of a Partial Classification
    Forest and of a Guided Random Forest are drawn as :func:`draw_partial_tree` and :func:`draw_guided_tree`
    do.

    Parameters
    ----------
    tree : TreePredictor, MultiwayTreePredictor, PartialClassificationTree, or a forest with a ``member``
        Fitted.
    max_depth : int
        Nodes down to this depth are drawn; the root has depth 0.
    ax : matplotlib Axes or None
        A new figure by default.
    member : int or None
        Which tree of a forest, or of AdaBoost.

    Returns
    -------
    Axes
    """
    max_depth = check_integer("draw_tree", "max_depth", max_depth, 0)
    members = _members(tree)
    if members is None:
        return _draw_table_tree(tree, max_depth, ax)
    if len(members) == 1 and member is None:
        member = 0
    if member is None:
        raise ValueError(
            f"draw_tree: a {type(tree).__name__} has {len(members)} trees; say which one, as in member=0."
        )
    member = check_integer("draw_tree", "member", member, 0, len(members) - 1)
    if hasattr(members[member], "condition"):
        return draw_tree(members[member], max_depth, ax)
    if hasattr(tree, "max_loss"):
        return draw_partial_tree(tree, max_depth, ax, member=member)
    return draw_guided_tree(tree, tree=member, max_depth=max_depth, ax=ax)


def _members(tree):
    """The trees of a fitted forest, None for a single tree; raises for what cannot be drawn."""
    if not hasattr(tree, "fit"):
        raise TypeError(
            f"draw_tree: tree must be a fitted tree or forest, got a {type(tree).__name__}; an entry of "
            "trees_ is drawn with its forest, as in draw_tree(forest, member=0)."
        )
    if not type(tree).__module__.startswith("studylib."):
        raise TypeError(
            f"draw_tree: tree must be a tree or forest of this library, got {describe(tree)}; for trees of "
            "scikit-learn there is sklearn.tree.plot_tree."
        )
    check_is_fitted(tree)
    if hasattr(tree, "condition"):
        return None
    members = getattr(tree, "estimators_", [tree])
    drawn = hasattr(tree, "max_loss") or hasattr(tree, "codes")  # partial or guided
    if drawn or hasattr(members[0], "condition"):
        return members
    raise TypeError(f"draw_tree: there is no drawing of a {type(tree).__name__}'s trees.")


def _draw_table_tree(tree, max_depth, ax):
    """A TreePredictor or MultiwayTreePredictor."""
    children = tree.nodes_["first_child"]
    n_children, named = numbers_of_children(children), not hasattr(tree, "prune")
    spots, ax = lay_out(children, max_depth, ax, 1.75, 1.25, mirrored=not named)
    for node, (x, y) in spots.items():
        first = int(children[node])
        if first in spots:
            for outcome, text in enumerate(_answers(tree, node, n_children[node], named)):
                below_x, below_y = spots[first + outcome]
                draw_line(ax, (x, y - 0.36), (below_x, below_y + 0.16), text)
        elif first != LEAF:
            for side in (-0.18, 0.18):
                ax.plot([x, x + side], [y - 0.37, y - 0.55], color="#999999", lw=1, ls=":", zorder=1)
        _draw_node(ax, tree, node, x, y, named)
    handles = [
        plt.Line2D([], [], marker="s", ls="", color=_color(c), label=str(name))
        for c, name in enumerate(tree.classes_)
    ]
    ax.legend(handles=handles, loc="upper left", title="class", fontsize=8, title_fontsize=8)
    return ax


def _answers(tree, node, n_children, named):
    """Texts beside the branches of a node: its outcomes by name, or no and yes."""
    if not named:
        return ["no", "yes"]
    name, condition = tree.feature_names_[tree.nodes_["feature"][node]], tree.condition(node)
    texts = [condition.describe(name, outcome).removeprefix(f"{name} ") for outcome in range(n_children)]
    texts = [text.removeprefix("= ") for text in texts]
    return [text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…" for text in texts]


def _color(k):
    return PALETTE[k % len(PALETTE)]


def _draw_node(ax, tree, node, x, y, named):
    """A box and a bar; the box has only the column's name if the branches are ``named``."""
    record, counts = tree.nodes_[node], tree.class_counts_[node]
    label, total = int(record["label"]), counts.sum()
    shares = counts / total if total else np.zeros(len(counts))  # an empty leaf has no bar
    text = str(tree.classes_[label])
    if record["feature"] != LEAF:
        text = name = tree.feature_names_[record["feature"]]
        if not named:
            text = tree.condition(node).describe(name, 1).replace(f"{name} ", f"{name}\n", 1)
    paleness = 0.25 + 0.6 * (1 - shares[label]) * len(shares) / max(1, len(shares) - 1)
    face = 1 - (1 - np.array(to_rgb(_color(label)))) * (1 - min(paleness, 0.9)) * 0.6
    draw_box(ax, (x, y), f"{text}\nn = {int(record['n_samples']):,}", _color(label), face)
    left = x - 0.3
    for c, share in enumerate(shares):
        ax.barh(y - 0.33, 0.6 * share, 0.05, left=left, color=_color(c), zorder=3)
        left += 0.6 * share
