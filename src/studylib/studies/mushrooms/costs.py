"""What training costs in the worst case, counted on the report's exhaustive algorithm (section 3.4.2)."""

import functools

import numpy as np
import pandas as pd

from studylib.studies.mushrooms.properties import alternating_chain
from studylib.trees import TreePredictor


def gini(counts):
    """1 − Σ p² from class counts in the last axis."""
    return 1 - (np.square(counts).sum(axis=-1) / np.square(counts.sum(axis=-1)))


def exhaustive_work(X, y):
    """Steps that the report's algorithm takes to grow a tree, counted while it grows one.

    Each node sorts the values of each column, and for each threshold between two of them tests all of its
    rows.  A comparison of two values in a sort counts 1, and so does a row that is tested.

    ``X``: array (m, d) of numbers. ``y``: int array (m,), class indices. A lone root has depth 1.
    """
    steps, depth, queue = 0, 0, [(np.arange(len(y)), 1)]
    for rows, level in queue:
        depth = max(depth, level)
        if len(np.unique(y[rows])) == 1:
            continue
        best, chosen = 0.0, None
        whole = gini(np.bincount(y[rows]).astype(float))
        for column in X[rows].T:
            n_compared, values = _sorted(column)
            distinct = np.unique(values)
            steps += n_compared
            for threshold in (distinct[1:] + distinct[:-1]) / 2:
                true = column <= threshold
                steps += len(rows)
                sides = [
                    np.bincount(y[rows][side], minlength=y.max() + 1).astype(float) for side in (true, ~true)
                ]
                gain = whole - sum(side.sum() / len(rows) * gini(side) for side in sides)
                if gain > best + 1e-12:
                    best, chosen = gain, true
        if chosen is not None:
            queue += [(rows[~chosen], level + 1), (rows[chosen], level + 1)]
    return steps, depth


def _sorted(values):
    """Number of comparisons that sorting takes, and the sorted values."""
    n = 0

    def compare(a, b):
        nonlocal n
        n += 1
        return (a > b) - (a < b)

    ordered = sorted(values.tolist(), key=functools.cmp_to_key(compare))
    return n, ordered


def our_work(X, y):
    """Steps of our tree: one sort and one pass per column and node, k log2 k + k for k rows."""
    tree = TreePredictor("gini").fit(X, y)
    inner = tree.nodes_["feature"] >= 0
    k = tree.nodes_["n_samples"][inner].astype(float)
    return int(X.shape[1] * (k * np.log2(k) + k).sum())


def bound(m, d):
    """The report's bound, m · d · (m log m + m²), with the logarithm to base 2 and without a constant."""
    return m * d * (m * np.log2(m) + m**2)


def work_table(sizes, widths):
    """Work on worst cases: labels alternate along equal columns, so that each node splits off one row.

    The rows come in random order, so that they need to be sorted.  A row per number of rows and of columns.
    """
    cases = {}
    for d in widths:
        for m in sizes:
            column, y = alternating_chain(m)
            order = np.random.default_rng(m).permutation(m)
            X, y = np.repeat(column.to_numpy(), d, axis=1)[order], y[order]
            steps, depth = exhaustive_work(X, y)
            most = bound(m, d)
            cases[m, d] = {
                "depth": depth, "steps": steps, "bound": int(most),
                "steps ÷ bound": steps / most, "ours ÷ bound": our_work(X, y) / most,
            }  # fmt: skip
    table = pd.DataFrame.from_dict(cases, orient="index").rename_axis(["rows m", "columns d"])
    return table.astype({"depth": int, "steps": int, "bound": int})
