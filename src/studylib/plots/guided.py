"""Pictures of the growth of a tree of the Guided Random Forest."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap, to_rgb
from sklearn.utils.validation import check_is_fitted

from studylib.core.parameters import check_integer
from studylib.core.tree import parents, path
from studylib.plots._nodes import TEXT, draw_box, draw_line, lay_out, numbers_of_children
from studylib.plots.partitions import surface_grid
from studylib.plots.style import PALETTE

_IMPURE, _NEXT = "#e6e6e6", "#ffffff"


def draw_growth(forest, X, y, heights, *, tree=0, axes=None, resolution=300):
    """A tree of a forest at several heights: partitions, hyperplanes, and the weights P(i) of Algorithm 1.

    A partition of one class has that class's pale colour, an impure one is grey, and ω, which the next
    hyperplane is drawn for, is white; the samples in it (P(i) = 1) are drawn large.  The lines are all
    hyperplanes so far, the latest in black.

    Parameters
    ----------
    forest : GuidedRandomForestClassifier
        Fitted on two features, both in each tree.
    X : array-like (n_samples, 2), the training data
    y : array-like (n_samples,)
    heights : sequence of int
        Numbers of hyperplanes, one for each picture; those beyond the tree's are cut.
    tree : int
        Which tree of the forest.
    axes : sequence of matplotlib Axes or None
        As many as heights; a new figure by default.
    resolution : int
        Points along each side.

    Returns
    -------
    list of Axes
    """
    check_is_fitted(forest)
    if forest.n_features_in_ != 2 or forest.max_features_ != 2:
        raise ValueError(
            f"draw_growth: the forest must have 2 features and use both in each tree, got "
            f"{forest.n_features_in_} and max_features_ = {forest.max_features_}."
        )
    X, y = np.asarray(X, float), np.asarray(y)
    if axes is None:
        _, axes = plt.subplots(1, len(heights), figsize=(3.1 * len(heights), 3.3), sharex=True, sharey=True)
    which, margin = forest.trees_[tree], 0.05 * np.ptp(X, axis=0)
    bounds = np.array([X.min(axis=0) - margin, X.max(axis=0) + margin])
    grid = surface_grid(bounds, resolution)
    sample_leaves, grid_leaves = forest.apply(X)[:, tree], forest.apply(grid)[:, tree]
    codes, seen = np.searchsorted(forest.classes_, y), forest.scale(grid)
    axes = list(np.atleast_1d(axes))
    for ax, height in zip(axes, heights, strict=True):
        height = min(height, len(which.thresholds))
        _draw_partitions(ax, which, codes, sample_leaves, grid_leaves, height, bounds, len(forest.classes_))
        for h in range(height):
            # The line where the hyperplane's bit changes, in the units that the hyperplanes see.
            excess = seen[:, which.features[0]] @ which.weights[h] - which.thresholds[h]
            latest = h == height - 1
            ax.contour(
                excess.reshape(resolution, -1), [0.0], extent=bounds.T.ravel(),
                colors="black" if latest else "#888888", linewidths=1.6 if latest else 0.8,
            )  # fmt: skip
        omega = which.origins[height] if height < len(which.thresholds) else -1
        weighted = which.at_height(sample_leaves, height) == omega
        for k in range(len(forest.classes_)):
            for inside, size in ((False, 10), (True, 38)):
                part = X[(codes == k) & (weighted == inside)]
                ax.scatter(
                    part[:, 0], part[:, 1], size, color=PALETTE[k % len(PALETTE)], marker="osD^vP"[k % 6],
                    edgecolors="black" if inside else "none", linewidths=0.8, zorder=3,
                )  # fmt: skip
        ax.set(xlim=bounds[:, 0], ylim=bounds[:, 1])
        ax.set_title(
            f"height {height}" + (f": ω has {weighted.sum()} samples" if omega >= 0 else ": all pure")
        )
        ax.grid(visible=False)
    return axes


def _draw_partitions(ax, tree, codes, sample_leaves, grid_leaves, height, bounds, n_classes):
    """Colour the plane by partition: pale for one class, white for ω, grey for the other impure ones."""
    mine, plane = tree.at_height(sample_leaves, height), tree.at_height(grid_leaves, height)
    kind = np.zeros(len(tree.nodes), int)  # 0 impure, 1 ω, 2 + c pure
    for node in np.unique(mine):
        present = np.unique(codes[mine == node])
        if len(present) == 1:
            kind[node] = 2 + present[0]
    if height < len(tree.thresholds):
        kind[tree.origins[height]] = 1
    pale = [1 - 0.3 * (1 - np.array(to_rgb(PALETTE[k % len(PALETTE)]))) for k in range(n_classes)]
    side = int(np.sqrt(len(grid_leaves)))
    ax.imshow(
        kind[plane].reshape(side, side), origin="lower", extent=bounds.T.ravel(), aspect="auto",
        cmap=ListedColormap([_IMPURE, _NEXT, *pale]), vmin=0, vmax=1 + n_classes, interpolation="nearest",
    )  # fmt: skip


def draw_guided_tree(forest, *, tree=0, max_depth=6, ax=None, sideways=False, sample=None):
    """The partitions of a tree of a Guided Random Forest, each with the hyperplane that gives its next bit.

    The same hyperplane may appear in several boxes: it was drawn for one partition (marked ω) and extended to
    the others.

    Parameters
    ----------
    forest : GuidedRandomForestClassifier
        Fitted.
    tree : int
        Which tree of the forest.
    max_depth : int
        Nodes down to this depth are drawn; the root has depth 0.
    ax : matplotlib Axes or None
        A new figure by default.
    sideways : bool
        Whether the tree grows to the right; one with many leaves is narrower so.
    sample : array-like (n_features,) or None
        Its way through the tree is drawn as a broad green line.

    Returns
    -------
    Axes
    """
    check_is_fitted(forest)
    max_depth = check_integer("draw_guided_tree", "max_depth", max_depth, 0)
    which = forest.trees_[tree]
    children, codes, labels = which._first_child(), which.codes(), which.labels()
    way = []
    if sample is not None:
        above = parents(children, numbers_of_children(children))
        way = path(above, forest.apply(np.reshape(sample, (1, -1)))[0, tree])
    column, row = (1.0, 0.5) if sideways else (0.95, 0.95)
    spots, ax = lay_out(children, max_depth, ax, column, row, sideways=sideways)
    for at, spot in spots.items():
        plane, first = int(which.nodes["plane"][at]), int(children[at])
        if first in spots:
            for bit in (0, 1):
                color = PALETTE[2] if first + bit in way else None
                draw_line(ax, spot, spots[first + bit], str(bit), size=TEXT, color=color)
        if plane >= 0:
            mark = " (ω)" if which.origins[plane] == at else ""
            text, edge = f"λ{plane + 1}{mark}\nn = {which.n_samples[at]}", "#444444"
        else:
            label = labels[at]
            text, edge = f"{forest.classes_[label]}\n{codes[at]}", PALETTE[label % len(PALETTE)]
        draw_box(ax, spot, text, edge, size=TEXT)
    return ax
