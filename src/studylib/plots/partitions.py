"""Pictures of classifiers that abstain: partitions, Trees of a PCF, decision surfaces."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle
from sklearn.utils.validation import check_is_fitted

from studylib.core.parameters import check_integer
from studylib.core.tree import LEAF
from studylib.pcf import node_boxes
from studylib.plots._nodes import TEXT, draw_box, draw_line, lay_out
from studylib.plots.style import PALETTE

_NOTHING = "#f1f1f1"


def _color(k):
    return PALETTE[k % len(PALETTE)]


def _new_axes(ax, size):
    return plt.subplots(figsize=size)[1] if ax is None else ax


def draw_points(X, y, ax=None, classes=None):
    """Scatter plot of labelled points in the plane; every class has a colour and a marker.

    Parameters
    ----------
    X : array-like (n_samples, 2)
    y : array-like (n_samples,)
    ax : matplotlib Axes or None
        A new figure by default.
    classes : sequence or None
        Order of the colours; by default the labels in order.

    Returns
    -------
    Axes
    """
    X, y = np.asarray(X), np.asarray(y)
    ax = _new_axes(ax, (4.5, 4.2))
    size = float(np.clip(9000 / len(X), 2, 40))
    for k, label in enumerate(np.unique(y) if classes is None else classes):
        part = X[y == label]
        marker = "osD^vP"[k % 6]
        ax.scatter(part[:, 0], part[:, 1], s=size, c=_color(k), marker=marker, linewidths=0, label=str(label))
    return ax


def draw_partitions(tree, X, y, ax=None, *, names=None):
    """The splits of a PCF Tree in the plane, active leaves shaded in their label's colour, and the points.

    Parameters
    ----------
    tree : PartialClassificationTree
        Fitted on two features.
    X : array-like (n_samples, 2)
    y : array-like (n_samples,)
    ax : matplotlib Axes or None
        A new figure by default.
    names : dict of int to str or None
        Names of leaves, by node, to write into their rectangles.

    Returns
    -------
    Axes
    """
    check_is_fitted(tree)
    if tree.n_features_in_ != 2:
        raise ValueError(f"draw_partitions: tree must have 2 features, got {tree.n_features_in_}.")
    ax = _new_axes(ax, (4.5, 4.2))
    lower, upper = node_boxes(tree.nodes_, tree.bounds_)
    for at in np.flatnonzero(tree.nodes_["feature"] < 0):
        label = int(tree.nodes_["label"][at])
        face = _color(label) if label >= 0 else "none"
        width, height = upper[at] - lower[at]
        ax.add_patch(Rectangle(lower[at], width, height, facecolor=face, alpha=0.25, lw=0))
        ax.add_patch(Rectangle(lower[at], width, height, fill=False, edgecolor="#666666", lw=0.8))
    for at, name in (names or {}).items():
        ax.annotate(name, lower[at], (2, 2), textcoords="offset points", fontsize=TEXT)
    return draw_points(X, y, ax, tree.classes_)


def draw_partial_tree(tree, max_depth=6, ax=None, *, member=0, names=None):
    """The structure of a PCF Tree: splits, active leaves with their label, inactive leaves with Λ.

    Parameters
    ----------
    tree : PartialClassificationTree or PartialClassificationForest
        Fitted.
    max_depth : int
        Nodes down to this depth are drawn; the root has depth 0.
    ax : matplotlib Axes or None
        A new figure by default.
    member : int
        Which Tree of a forest.
    names : dict of int to str or None
        Names of leaves, by node, to write before what they say.

    Returns
    -------
    Axes
    """
    check_is_fitted(tree)
    max_depth = check_integer("draw_partial_tree", "max_depth", max_depth, 0)
    tree = getattr(tree, "estimators_", [tree])[member]
    children, labels = tree.nodes_["first_child"], tree.nodes_["label"]
    spots, ax = lay_out(children, max_depth, ax, 0.85, 0.95)
    for at, spot in spots.items():
        first = int(children[at])
        if first in spots:
            draw_line(ax, spot, spots[first])
            draw_line(ax, spot, spots[first + 1])
        edge = "#444444" if first != LEAF else _color(labels[at]) if labels[at] >= 0 else "#aaaaaa"
        text = tree._texts(at, digits=2)[0]
        if at in (names or {}):
            text = f"{names[at]}: {text}"
        draw_box(ax, spot, text, edge, size=TEXT)
    return ax


def draw_decision_surface(estimator, bounds, ax=None, *, resolution=400):
    """Classes that a classifier predicts over a rectangle; where it abstains the picture stays pale.

    Parameters
    ----------
    estimator : classifier
        Fitted on two features; ``abstain_label_`` marks abstentions if it has one.
    bounds : array-like (2, 2)
        Lower left and upper right corner.
    ax : matplotlib Axes or None
        A new figure by default.
    resolution : int
        Points along each side.

    Returns
    -------
    Axes
    """
    ax = _new_axes(ax, (4.2, 4.0))
    (x0, y0), (x1, y1) = np.asarray(bounds, float)
    labels = estimator.predict(surface_grid(bounds, resolution))
    codes = np.zeros(len(labels), int)
    for k, label in enumerate(estimator.classes_):
        codes[labels == label] = k + 1
    colors = ListedColormap([_NOTHING, *(_color(k) for k in range(len(estimator.classes_)))])
    ax.imshow(
        codes.reshape(resolution, resolution), origin="lower", extent=(x0, x1, y0, y1), cmap=colors,
        vmin=0, vmax=len(estimator.classes_), interpolation="nearest", aspect="auto",
    )  # fmt: skip
    ax.grid(visible=False)
    return ax


def surface_grid(bounds, resolution):
    """Centres of the cells of a grid over a rectangle, row by row from below.

    Parameters
    ----------
    bounds : array-like (2, 2)
        Lower left and upper right corner.
    resolution : int
        Cells along each side.

    Returns
    -------
    float64 ndarray (resolution², 2)
    """
    (x0, y0), (x1, y1) = np.asarray(bounds, float)
    steps = (np.arange(resolution) + 0.5) / resolution
    xs, ys = np.meshgrid(x0 + (x1 - x0) * steps, y0 + (y1 - y0) * steps)
    return np.column_stack([xs.ravel(), ys.ravel()])
