"""Trees and paths as text."""

import numpy as np
import pandas as pd

from studylib.trees._nodes import LEAF
from studylib.trees.conditions import EqualityCondition, MembershipCondition, ThresholdCondition, shown


def _label(tree, node):
    """Label of a node, with its support."""
    counts = tree.class_counts_[node]
    n = int(tree.nodes_["n_samples"][node])
    share = counts.max() / counts.sum()
    purity = "" if share == 1.0 else f", {share:.1%} of them"
    return f"{tree.classes_[tree.nodes_['label'][node]]}  ({n} sample{'s' if n != 1 else ''}{purity})"


def feature_name(tree, feature):
    """Name of a column as in the training frame, else ``x<index>``."""
    return tree._columns.names[feature]


def tree_as_text(tree, max_depth=None):
    """Indented rules down to a depth, the false branch first.

    Iterative, since a tree may be as deep as it has samples.
    """
    lines, stack = [], [(0, "", 0)]
    while stack:
        node, answer, level = stack.pop()
        record = tree.nodes_[node]
        pad = "  " * level + answer
        if record["feature"] == LEAF:
            lines.append(f"{pad}→ {_label(tree, node)}" if answer else f"→ {_label(tree, node)}")
            continue
        if max_depth is not None and record["depth"] > max_depth:
            lines.append(f"{pad}… mostly {_label(tree, node)}")
            continue
        question = tree.condition(node).describe(feature_name(tree, record["feature"]), 1)
        lines.append(f"{pad}{question}?")
        first = int(record["first_child"])
        stack.append((first + 1, "yes ", level + 1))
        stack.append((first, "no ", level + 1))
    return "\n".join(lines)


def parents(tree):
    """Parent of every node, int64 (n_nodes,); -1 for the root."""
    parent = np.full(tree.n_nodes_, -1, np.int64)
    inner = np.flatnonzero(tree.nodes_["feature"] != LEAF)
    first = tree.nodes_["first_child"][inner]
    parent[first] = inner
    parent[first + 1] = inner
    return parent


def path_as_text(tree, leaf, row):
    """The conditions that ``row`` meets from the root to its leaf, its values beside, and the label."""
    parent, steps, node = parents(tree), [], leaf
    while parent[node] >= 0:
        above = int(parent[node])
        record = tree.nodes_[above]
        outcome = node - int(record["first_child"])
        feature = int(record["feature"])
        condition, name = tree.condition(above), feature_name(tree, feature)
        missing = pd.isna(row[feature])
        if missing and not outcome and not _asks_about_missing(condition):
            step = f"not {condition.describe(name, 1)}"  # neither below nor above
        else:
            step = condition.describe(name, outcome)
        value = "missing" if missing else row[feature]
        steps.append(f"{step}  (here {value})")
        node = above
    numbered = [f"{k}. {step}" for k, step in enumerate(reversed(steps), start=1)]
    return "\n".join([*numbered, f"→ {_label(tree, leaf)}"])


def _asks_about_missing(condition):
    """Whether the false outcome, put in words, is right for a missing value, too."""
    if isinstance(condition, ThresholdCondition):
        return condition.threshold == np.inf
    return isinstance(condition, (EqualityCondition, MembershipCondition))


def rules_as_table(tree):
    """One row a leaf: see :meth:`TreePredictor.rules`."""
    nodes, counts = tree.nodes_, tree.class_counts_
    leaves = np.flatnonzero(nodes["feature"] == LEAF)
    label = nodes["label"][leaves]
    return pd.DataFrame(
        {
            "rule": _rules(tree),
            "label": tree.classes_[label],
            "n_samples": nodes["n_samples"][leaves],
            "share": counts[leaves, label] / counts[leaves].sum(axis=1),
        },
        index=pd.Index(leaves, name="leaf"),
    )


def _rules(tree):
    """The conditions of each leaf's path as text, in the order of the leaves.

    A node's path is a dict, so that all thresholds of a column share one entry, ``(low, high)``.
    """
    paths, rules = {0: {}}, []
    for node, record in enumerate(tree.nodes_):
        path = paths.pop(node)
        if record["feature"] == LEAF:
            rules.append(" and ".join(_step(*step) for step in path.items()) or "always")
            continue
        condition, name = tree.condition(node), feature_name(tree, record["feature"])
        for outcome in (0, 1):
            if isinstance(condition, ThresholdCondition) and condition.threshold < np.inf:
                key, (low, high) = name, path.get(name, (-np.inf, np.inf))
                # Every threshold lies within the interval that the path has come to.
                entry = (low, condition.threshold) if outcome else (condition.threshold, high)
            else:
                key, entry = (name, node), condition.describe(name, outcome)
            paths[int(record["first_child"]) + outcome] = {**path, key: entry}
    return rules


def _step(key, entry):
    """One entry of a path as text."""
    if isinstance(entry, str):
        return entry
    low, high = entry
    if low > -np.inf and high < np.inf:
        return f"{shown(low)} < {key} ≤ {shown(high)}"
    return f"{key} ≤ {shown(high)}" if high < np.inf else f"{key} > {shown(low)}"
