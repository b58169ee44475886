"""AdaBoost round by round, for a page: all its numbers are the library's."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from studylib import plots
from studylib.lessons.elements import _picture, _short, _touch
from studylib.trees import AdaBoostClassifier


def rounds(X, y, X_new, y_new, n_rounds, asked, box, alt):
    """Display stumps that AdaBoost fits to points, and the points with their weights, round by round.

    Parameters
    ----------
    X, y : float array (n_points, 2); int array (n_points,), of 0 and 1
    X_new, y_new : the same for test points
    n_rounds, asked : int
        How many rounds at most (AdaBoost may end earlier), and after how many of them a reader guesses the
        three heaviest points.
    box : tuple of float
        Left, bottom, right and top end of the plane that is drawn.
    alt : str
        What the picture shows that stands there on paper and without scripts, in a sentence.
    """
    course = boosted(X, y, X_new, y_new, n_rounds, box)
    points = {"x": np.round(X, 4).tolist(), "y": y.tolist()}
    given = {"kind": "rounds", "asked": asked, "box": _short(box), "points": _short(points)}
    _touch({**given, "rounds": _short(course)}, _picture(_draw(X, y, course, box), alt))


def boosted(X, y, X_new, y_new, n_rounds, box):
    """What a page shows of AdaBoost: a dict of plain lists.

    ``weights`` after 0, 1, … rounds; of each round the stump's ``feature``, ``threshold`` and ``labels`` on
    both sides, its weighted ``error`` and its ``vote``; ``training`` and ``test`` errors of the sum so far;
    ``edges`` of the cells of the plane in which no stump changes its mind, by feature; and ``cells``, the
    labels of the sum in each of them, a string for each round, row by row from the bottom.
    """
    model = AdaBoostClassifier(n_rounds).fit(X, y)
    stumps = [_stump(estimator) for estimator in model.estimators_]
    edges = [
        [box[k], *sorted({s["threshold"] for s in stumps if s["feature"] == k}), box[k + 2]] for k in (0, 1)
    ]
    middles = [np.add(values[1:], values[:-1]) / 2 for values in edges]
    cells = np.stack(np.meshgrid(*middles), axis=-1).reshape(-1, 2)
    return {
        "weights": [_rounded(weight) for weight in weights(model, X, y)],
        "stumps": stumps,
        "error": _rounded(model.estimator_errors_),
        "vote": _rounded(model.estimator_weights_),
        "training": [_share(predicted != y) for predicted in model.staged_predict(X)],
        "test": [_share(predicted != y_new) for predicted in model.staged_predict(X_new)],
        "edges": edges,
        "cells": ["".join(map(str, labels)) for labels in model.staged_predict(cells)],
    }


def weights(model, X, y):
    """The weights of the training points after 0, 1, … rounds, each of sum 1.

    In each round AdaBoost multiplies the weight of a point by exp(∓α), so after some it is exp(−margin).
    """
    sign = np.where(y == model.classes_[1], 1.0, -1.0)
    yield np.full(len(y), 1 / len(y))
    for margin in model.staged_decision_function(X):
        weight = np.exp(-sign * margin)
        yield weight / weight.sum()


def _stump(estimator):
    asked = estimator.condition(0)
    sides = np.full((2, 2), float(asked.threshold))
    sides[1] += 1
    labels = estimator.predict(sides).tolist()
    return {
        "feature": int(estimator.feature_importances_.argmax()),
        "threshold": float(asked.threshold),
        "labels": labels,
    }


def _rounded(values):
    return np.round(values, 6).tolist()


def _share(wrong):
    return round(float(np.mean(wrong)), 5)


def _draw(X, y, course, box):
    n = len(course["stumps"])
    shown = sorted({0, 1, min(5, n), n})
    figure, axes = plt.subplots(1, len(shown), figsize=(9.5, 2.7), layout="constrained", sharey=True)
    for ax, k in zip(axes, shown, strict=True):
        if k:
            (across, up), labels = course["edges"], np.array(list(course["cells"][k - 1]), dtype=int)
            labels = labels.reshape(len(up) - 1, -1)
            ax.pcolormesh(
                across, up, labels, cmap=ListedColormap(plots.PALETTE[:2]), vmin=0, vmax=1, alpha=0.35
            )
        for label, marker in enumerate("os"):
            size = 36 * len(y) * np.array(course["weights"][k])[y == label]
            ax.scatter(*X[y == label].T, size, color=f"C{label}", marker=marker, edgecolors="white", lw=0.5)
        ax.set(
            title=f"after {k} round{'' if k == 1 else 's'}",
            xlim=box[::2],
            ylim=box[1::2],
            xticks=[],
            yticks=[],
        )
    return figure
