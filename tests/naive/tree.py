"""A binary decision tree the slow, obvious way: the oracle of ``studylib.trees``.

It works on raw rows (lists of floats, strings and ``None`` or NaN for missing), asks every question of
every row, and counts classes anew for each candidate.  Nothing is sorted once, cached or coded.

A condition is a pair: ``("<=", θ)``, ``("=", v)``, ``("known", None)``, ``("missing", None)`` or, with a
predicate on known values, ``("own", predicate)``.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise


@dataclass
class Node:
    rows: list
    depth: int
    n_samples: int
    counts: list
    label: int
    column: int | None = None
    condition: tuple | None = None
    gain: float = 0.0
    children: tuple | None = None


def is_missing(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def answer(condition, value):
    """Outcome of a condition: 0 for false, 1 for true."""
    kind, operand = condition
    if kind == "missing":
        return int(is_missing(value))
    if is_missing(value):
        return 0
    if kind == "own":
        return int(operand(value))
    return int({"<=": lambda: value <= operand, "=": lambda: value == operand, "known": lambda: True}[kind]())


def midpoint(low, high):
    """The float closest to the exact middle, but ``low`` where that would be ``high``."""
    middle = float((Fraction(low) + Fraction(high)) / 2)
    return middle if middle < high else low


def candidates(values, by_value):
    """Conditions that split ``values``, in ascending order; ``by_value``: one value a question."""
    known = sorted({value for value in values if not is_missing(value)})
    some_missing = any(is_missing(value) for value in values)
    if by_value:
        conditions = [("=", value) for value in known] + [("missing", None)] * some_missing
        return conditions if len(conditions) > 1 else []
    conditions = [("<=", midpoint(low, high)) for low, high in pairwise(known)]
    return conditions + [("known", None)] * bool(some_missing and known)


def entropy(counts):
    total = 0.0
    for count in counts:
        if count > 0:
            p = count / sum(counts)
            total += p * math.log2(p)
    return -total


def index(criterion, counts, source):
    """Impurity of a node."""
    n = sum(counts)
    if criterion == "information":
        return entropy(counts)
    if criterion == "misclassification" and source:
        return min(count for count in counts if count > 0)
    if criterion == "misclassification":
        return 1.0 - max(counts) / n
    total = 0.0
    for count in counts:
        total += (count / n) * (count / n)
    gini = 1.0 - total
    return {"gini": gini, "sqrt_gini": math.sqrt(max(gini, 0.0))}[criterion]


def chi_square(parent, side, source):
    """One side's part of the statistic; the source adds roots, over the classes present on that side."""
    total = 0.0
    for c in range(len(parent)):
        expected = sum(side) * parent[c] / sum(parent)
        if side[c] > 0 if source else parent[c] > 0:
            term = (side[c] - expected) * (side[c] - expected) / expected
            total += math.sqrt(term) if source else term
    return total


def gain(criterion, parent, false, true, source):
    if criterion == "chi_square":
        return chi_square(parent, false, source) + chi_square(parent, true, source)
    weighted = 0.0
    for side in (false, true):
        weighted += sum(side) / sum(parent) * index(criterion, side, source)
    return index(criterion, parent, source) - weighted


def grow(
    X,
    y,
    categorical,
    criterion,
    *,
    weights=None,
    numbers_by_equality=False,
    max_depth=math.inf,
    max_leaf_nodes=math.inf,
    max_nodes=math.inf,
    min_samples_split=2,
    min_samples_leaf=1,
    min_weight_fraction_leaf=0.0,
    min_impurity_decrease=0.0,
    min_entropy=0.0,
    source=False,
    candidates_of=None,
    stop=None,
):
    """Nodes of the tree in the order in which they are made; ``y`` holds class indices 0, 1, ...

    ``candidates_of[column]`` maps the ascending known values to a list of predicates, and ``stop(counts, depth)`` says
    whether a node stays a leaf.
    Weights must be exact in binary (sums of them are compared as they come).
    """
    weights = [1.0] * len(y) if weights is None else weights
    n_classes = max(y) + 1

    def count(rows):
        counts = [0.0] * n_classes
        for i in rows:
            counts[y[i]] += weights[i]
        return counts

    def make(rows, depth):
        counts = count(rows)
        tied = [c for c in range(n_classes) if counts[c] == max(counts)]
        label = next(y[i] for i in rows if y[i] in tied) if source else tied[0]
        return Node(rows, depth, len(rows), counts, label)

    def stays_leaf(node, nodes):
        if sum(c > 0 for c in node.counts) == 1 or entropy(node.counts) <= min_entropy:
            return True
        if node.n_samples < min_samples_split:
            return True
        if stop is not None and stop(node.counts, node.depth):
            return True
        n_leaves = sum(other.children is None for other in nodes)
        if source:
            return (
                max(other.depth + 1 for other in nodes) > max_depth  # the source's root has depth 1
                or n_leaves > max_leaf_nodes
                or len(nodes) > max_nodes
            )
        return node.depth + 1 > max_depth or n_leaves + 1 > max_leaf_nodes or len(nodes) + 2 > max_nodes

    def offered(values, column):
        if candidates_of is None or column not in candidates_of:
            return candidates(values, column in categorical or numbers_by_equality)
        known = sorted({value for value in values if not is_missing(value)})
        return [("own", predicate) for predicate in candidates_of[column](known)]

    def sides(node, column, condition):
        rows = ([], [])
        for i in node.rows:
            rows[answer(condition, X[i][column])].append(i)
        return rows

    def too_small(rows):
        light = sum(count(rows)) < min_weight_fraction_leaf * sum(weights)
        return light or len(rows) < min_samples_leaf

    def decrease(node):
        """The part that the node's split has in the mean over all training samples."""
        total = criterion == "chi_square" or (source and criterion == "misclassification")
        return node.gain * (1.0 if total else sum(node.counts)) / sum(weights)

    nodes = [make(list(range(len(y))), 0)]
    queue = [0]
    while queue:
        node = nodes[queue.pop(0)]
        if stays_leaf(node, nodes):
            continue
        best = 0.0 if source else -math.inf
        for column in range(len(X[0])):
            values = [X[i][column] for i in node.rows]
            for condition in offered(values, column):
                false, true = sides(node, column, condition)
                if not false or not true:  # only a predicate can be as useless as that
                    continue
                if too_small(false) or too_small(true):
                    continue
                score = gain(criterion, node.counts, count(false), count(true), source)
                if score > best:
                    best = score
                    node.column, node.condition, node.gain = column, condition, score
        if node.condition is None:
            continue
        if min_impurity_decrease > 0.0 and decrease(node) < min_impurity_decrease - 1e-15:
            node.column = node.condition = None
            node.gain = 0.0
            continue
        node.children = (len(nodes), len(nodes) + 1)
        for rows in sides(node, node.column, node.condition):
            queue.append(len(nodes))
            nodes.append(make(rows, node.depth + 1))
    return nodes


def find_leaf(nodes, row):
    """Index of the leaf that a raw row reaches."""
    at = 0
    while nodes[at].children is not None:
        node = nodes[at]
        at = node.children[answer(node.condition, row[node.column])]
    return at
