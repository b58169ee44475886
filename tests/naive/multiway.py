"""ID3 the slow, obvious way: the oracle of ``studylib.trees.MultiwayTreePredictor``.

Plain recursion over rows that are dicts.  A node is a dict too; its children are keyed by the value that
leads to them, with ``None`` for a missing one.  The columns that are left are carried along explicitly.
"""

import math
from collections import Counter


def entropy(things):
    n = len(things)
    return sum(k / n * math.log2(n / k) for k in Counter(things).values())


def index(criterion, labels):
    """Impurity of labels."""
    shares = [k / len(labels) for k in Counter(labels).values()]
    if criterion == "misclassification":
        return 1 - max(shares)
    gini = sum(p * (1 - p) for p in shares)
    return gini if criterion == "gini" else math.sqrt(gini)


def gain(criterion, values, labels):
    """Gain of knowing the value that goes with each label."""
    n, size, of_class = len(labels), Counter(values), Counter(labels)
    together = list(zip(values, labels, strict=True))
    if criterion in ("information", "gain_ratio"):  # the mutual information, which is symmetric
        mutual = entropy(values) + entropy(labels) - entropy(together)
        return mutual / entropy(values) if criterion == "gain_ratio" else mutual
    if criterion == "chi_square":
        both = Counter(together)
        return sum(
            (both[v, c] - size[v] * of_class[c] / n) ** 2 / (size[v] * of_class[c] / n)
            for v in size
            for c in of_class
        )
    after = sum(
        size[v] / n * index(criterion, [label for value, label in together if value == v]) for v in size
    )
    return index(criterion, labels) - after


def majority(labels):
    """The most frequent label; of tied ones the first in order."""
    count = Counter(labels)
    return min(count, key=lambda label: (-count[label], label))


def grow(rows, labels, criterion, *, max_depth=math.inf, min_samples_split=2, min_samples_leaf=1):
    """The tree of rows (dicts from column to value, in the columns' order).

    Two values of a column, at least, must have ``min_samples_leaf`` rows.
    """
    everything = {
        column: sorted({row[column] for row in rows}, key=lambda v: (v is None, v)) for column in rows[0]
    }

    def build(some, columns, depth):
        inside = [labels[i] for i in some]
        node = {
            "column": None,
            "gain": 0.0,
            "depth": depth,
            "samples": some,
            "label": majority(inside),
            "voters": inside,
            "children": {},
        }
        if len(set(inside)) == 1 or len(some) < min_samples_split or depth >= max_depth:
            return node
        best = -math.inf
        for column in columns:
            values = [rows[i][column] for i in some]
            large = [v for v, k in Counter(values).items() if k >= min_samples_leaf]
            if len(large) > 1 and gain(criterion, values, inside) > best + 1e-9:
                best = gain(criterion, values, inside)
                node["column"], node["gain"] = column, best
        if node["column"] is None:
            return node
        left = [column for column in columns if column != node["column"]]
        for value in everything[node["column"]]:
            part = [i for i in some if rows[i][node["column"]] == value]
            if part:
                node["children"][value] = build(part, left, depth + 1)
            else:
                node["children"][value] = {
                    **node, "column": None, "gain": 0.0, "depth": depth + 1, "samples": [], "children": {}
                }  # fmt: skip
        return node

    return build(list(range(len(rows))), list(rows[0]), 0)


def end(node, row):
    """The node at which a row ends: a leaf, or one that has no child for the row's value."""
    while node["column"] is not None and row[node["column"]] in node["children"]:
        node = node["children"][row[node["column"]]]
    return node
