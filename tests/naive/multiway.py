"""ID3 and C4.5's cuts the slow, obvious way: the oracle of ``studylib.trees.MultiwayTreePredictor``.

Plain recursion over rows that are dicts.  A node is a dict too; its children are keyed by the answer that
leads to them: a value, with ``None`` for a missing one, or ``"<="``, ``">"`` and ``None`` in a column that is
cut, and ``"known"`` and ``None`` where no number is left to cut.  The columns that are left are carried along
explicitly.
"""

import itertools
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


def answer(value, threshold):
    """Which side of a threshold a value is on; of an infinite one, whether it is known."""
    if value is None:
        return None
    if threshold == math.inf:
        return "known"
    return "<=" if value <= threshold else ">"


def best_cut(criterion, values, labels, every, min_samples_leaf):
    """C4.5's threshold for the values of a node, None if there is none; ``every`` are those of the table.

    It has the largest gain (the information gain also where the gain ratio compares columns).
    """
    known = sorted({v for v in values if v is not None})
    if len(known) == 1:
        counts = Counter(v is None for v in values)
        return math.inf if len(counts) == 2 and min(counts.values()) >= min_samples_leaf else None
    best, threshold = -math.inf, None
    for low, high in itertools.pairwise(known):
        sides = [answer(v, low) for v in values]
        if min(sides.count("<="), sides.count(">")) < min_samples_leaf:
            continue
        here = gain("information" if criterion == "gain_ratio" else criterion, sides, labels)
        if here > best + 1e-9:
            best, threshold = here, max(v for v in every if v is not None and v <= (low + high) / 2)
    return threshold


def grow(rows, labels, criterion, *, cut=(), max_depth=math.inf, min_samples_split=2, min_samples_leaf=1):
    """The tree of rows (dicts from column to value, in the columns' order); columns in ``cut`` are cut.

    Two values of another column, at least, must have ``min_samples_leaf`` rows.
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
            "threshold": None,
            "children": {},
        }
        if len(set(inside)) == 1 or len(some) < min_samples_split or depth >= max_depth:
            return node
        best = -math.inf
        for column in columns:
            values, threshold = [rows[i][column] for i in some], None
            if column in cut:
                threshold = best_cut(criterion, values, inside, everything[column], min_samples_leaf)
                if threshold is None:
                    continue
                values = [answer(value, threshold) for value in values]
            large = [v for v, k in Counter(values).items() if k >= min_samples_leaf]
            if len(large) > 1 and gain(criterion, values, inside) > best + 1e-9:
                best = gain(criterion, values, inside)
                node["column"], node["gain"], node["threshold"] = column, best, threshold
        if node["column"] is None:
            return node
        asked, threshold = node["column"], node["threshold"]
        left = [column for column in columns if column != asked or column in cut]
        answers = everything[asked]
        if threshold is not None:
            numbers = ["known"] if threshold == math.inf else ["<=", ">"]
            answers = numbers + [None] * (None in everything[asked])
        for value in answers:
            part = [i for i in some if reply(node, rows[i]) == value]
            if part:
                node["children"][value] = build(part, left, depth + 1)
            else:
                node["children"][value] = {
                    **node, "column": None, "threshold": None, "gain": 0.0, "depth": depth + 1, "samples": [], "children": {}
                }  # fmt: skip
        return node

    return build(list(range(len(rows))), list(rows[0]), 0)


def reply(node, row):
    """What a row answers to the question of a node."""
    value = row[node["column"]]
    return value if node["threshold"] is None else answer(value, node["threshold"])


def end(node, row):
    """The node at which a row ends: a leaf, or one that has no child for the row's answer."""
    while node["column"] is not None and reply(node, row) in node["children"]:
        node = node["children"][reply(node, row)]
    return node
