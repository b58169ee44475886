"""Trees of the Partial Classification Forest the slow, obvious way: the oracle of ``studylib.pcf``.

Rows are lists of floats and labels are class indices 0, 1, ...  Every node gets its own lists and its own
copy of the box; a label of ``None`` is Λ.

``grow`` follows the readings of the project, node by node.  ``grow_as_printed`` is the source's Algorithm 1
line by line; its Trees are compared by what they predict.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

from tests.naive.splitmix64 import Stream

# Losses of predicting the majority class where n_wrong of n samples are of another class.


def majority_loss(n_wrong, n, n_classes):
    return n_wrong / n


def laplace_loss(alpha):
    return lambda n_wrong, n, n_classes: (n_wrong + alpha * (n_classes - 1)) / (n + alpha * n_classes)


def wilson_loss(confidence):
    """Upper end of the one-sided interval: the larger share q with (p - q)² = z² q (1 - q) / n."""
    z = NormalDist().inv_cdf(confidence)

    def loss(n_wrong, n, n_classes):
        p = n_wrong / n
        middle = p + z * z / (2 * n)
        spread = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return (middle + spread) / (1 + z * z / n)

    return loss


def majority(labels, weights=None):
    """The most frequent label, the lowest of those tied."""
    return max(sorted(set(labels)), key=lambda label: weight_of(label, labels, weights))


def weight_of(label, labels, weights=None):
    """How often a label is there, or the sum of its weights."""
    if weights is None:
        return labels.count(label)
    return sum(weight for other, weight in zip(labels, weights, strict=True) if other == label)


def cut(low, high, u):
    """The point that divides [low, high] as u divides [0, 1]; both are halved where their distance overflows."""
    if math.isinf(high - low):
        point = 2.0 * (low / 2 + u * (high / 2 - low / 2))
    else:
        point = low + u * (high - low)
    return min(max(point, low), high)


def bounds(X):
    """The box of the rows: its lower and its upper corner."""
    return [min(column) for column in zip(*X, strict=True)], [max(column) for column in zip(*X, strict=True)]


def changed(corner, dimension, value):
    return [*corner[:dimension], value, *corner[dimension + 1 :]]


# The Trees of the project


@dataclass
class Node:
    n_samples: int
    depth: int
    rows: list
    loss: float | None = None
    label: int | None = None
    dimension: int | None = None
    split: float | None = None
    children: tuple | None = None


def grow(
    X, y, loss, state, *, max_loss=0.0, min_samples_leaf=4, max_depth=math.inf, as_printed=False, weights=None
):
    """Nodes of a Tree: the root is 0, and a split hands the next two numbers to its children.

    A sample of weight 2 counts as two in the loss, but ``min_samples_leaf`` counts samples.
    """
    stream = Stream(state)
    n_classes = max(y) + 1
    nodes = []

    def make(rows, depth):
        nodes.append(Node(len(rows), depth, rows))

    def visit(at, before, lower, upper):
        node = nodes[at]
        n = len(node.rows)
        if n == 0 or (n < min_samples_leaf and not as_printed):
            return
        labels = [y[i] for i in node.rows]
        inside = None if weights is None else [weights[i] for i in node.rows]
        label = majority(labels, inside)
        total = n if weights is None else sum(inside)
        node.loss = loss(total - weight_of(label, labels, inside), total, n_classes)
        if node.loss <= max_loss:
            node.label = label
            return
        if n < min_samples_leaf or node.depth >= max_depth:
            return
        d = len(lower)
        for dimension in [(before + step) % d for step in range(1, d + 1)]:
            if len({X[i][dimension] for i in node.rows}) > 1:
                break
        else:
            return
        split = cut(lower[dimension], upper[dimension], stream.uniform())
        left, right = len(nodes), len(nodes) + 1
        node.dimension, node.split, node.children = dimension, split, (left, right)
        make([i for i in node.rows if X[i][dimension] < split], node.depth + 1)
        make([i for i in node.rows if not X[i][dimension] < split], node.depth + 1)
        visit(left, dimension, lower, changed(upper, dimension, split))
        visit(right, dimension, changed(lower, dimension, split), upper)

    make(list(range(len(X))), 0)
    visit(0, -1, *bounds(X))
    return nodes


def find_leaf(nodes, x):
    """Number of the leaf that a row reaches."""
    at = 0
    while nodes[at].children is not None:
        node = nodes[at]
        at = node.children[0] if x[node.dimension] < node.split else node.children[1]
    return at


def predict(nodes, x):
    return nodes[find_leaf(nodes, x)].label


# The source's Algorithms 1 and 2, word for word but for line 4


def grow_as_printed(
    X, y, loss, draw, *, n_classes, max_loss=0.0, min_samples_leaf=4, max_depth=32, small_first=False
):
    """Algorithm 1 as nested tuples; ``draw(X)`` gives the uniform number for a node that holds ``X``.

    Line 4 reads "h ≥ τ_h or |X| < τ_|X|".  An empty node has no predictor, hence an infinite loss.
    With ``small_first`` line 4's question about the size comes before line 2, as the source's text has it.
    """

    def gamma(y):
        if not y:
            return None, math.inf
        label = majority(y)
        return label, loss(len(y) - y.count(label), len(y), n_classes)

    def fit(X, y, h, lower, upper):
        if small_first and len(X) < min_samples_leaf:
            return ("leaf", False, None)
        predictor, its_loss = gamma(y)
        if its_loss <= max_loss:
            return ("leaf", True, predictor)
        if h >= max_depth or len(X) < min_samples_leaf:
            return ("leaf", False, predictor)
        dimension = h % len(lower)
        split = cut(lower[dimension], upper[dimension], draw(X))
        below = [i for i in range(len(X)) if X[i][dimension] < split]
        above = [i for i in range(len(X)) if not X[i][dimension] < split]
        left = fit(
            [X[i] for i in below], [y[i] for i in below], h + 1, lower, changed(upper, dimension, split)
        )
        right = fit(
            [X[i] for i in above], [y[i] for i in above], h + 1, changed(lower, dimension, split), upper
        )
        return ("node", split, left, right)

    return fit(X, y, 0, *bounds(X))


def predict_as_printed(tree, x, h=0):
    """Algorithm 2."""
    if tree[0] == "node":
        _, split, left, right = tree
        return predict_as_printed(left if x[h % len(x)] < split else right, x, h + 1)
    _, active, predictor = tree
    return predictor if active else None


# The source's Algorithm 4


def vote(predictions, voting, y=()):
    """What the Trees' predictions amount to: Λ wins a tie with a label, the lowest label one among labels.

    Beyond the source, with "always" the labels ``y`` of the training set decide where no Tree does.
    """
    labels = [label for label in predictions if label is not None]
    if not labels:
        return majority(list(y)) if voting == "always" else None
    best = majority(labels)
    if voting == "plurality" and labels.count(best) <= len(predictions) - len(labels):
        return None
    return best
