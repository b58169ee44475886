"""Trees and paths as text."""

import itertools

import numpy as np
import pandas as pd

from studylib.core.tree import LEAF, path
from studylib.trees.conditions import (
    BinaryCondition,
    CutCondition,
    EqualityCondition,
    MembershipCondition,
    ThresholdCondition,
    ValueCondition,
    shown,
)


def _label(tree, node):
    """Label of a node, with its support."""
    counts, n = tree.class_counts_[node], int(tree.nodes_["n_samples"][node])
    label = tree.classes_[tree.nodes_["label"][node]]
    if n == 0:
        return f"{label}  (no samples: its parent's majority)"
    share = counts.max() / counts.sum()
    purity = "" if share == 1.0 else f", {share:.1%} of them"
    return f"{label}  ({n} sample{'s' if n != 1 else ''}{purity})"


def tree_as_text(tree, max_depth=None):
    """Indented rules down to a depth: a question with its answers, "no" first, or a line for each value.

    Iterative, since a tree may be as deep as it has samples.
    """
    names, lines, stack = tree.feature_names_, [], [(0, "", 0)]
    while stack:
        node, answer, level = stack.pop()
        record, condition, answers = tree.nodes_[node], tree.condition(node), []
        name, colon = names[record["feature"]], "" if isinstance(condition, BinaryCondition) else ":"
        if condition is None:
            line = f"{answer} → {_label(tree, node)}"
        elif max_depth is not None and record["depth"] > max_depth:
            line = f"{answer}{colon} … mostly {_label(tree, node)}"
        elif colon:
            line = f"{answer}:" if node else ""
            answers = [condition.describe(name, v) for v in range(condition.n_outcomes)]
        else:
            line, answers = f"{answer} {condition.describe(name, 1)}?", ["no", "yes"]
        if line:
            lines.append("  " * level + line.lstrip())
        below, first = level + bool(line), int(record["first_child"])
        stack += [(first + v, answers[v], below) for v in reversed(range(len(answers)))]
    return "\n".join(lines)


def path_as_text(tree, end, row):
    """The conditions that ``row`` meets from the root to the node at which it ends, and the label there."""
    nodes, names, steps = tree.nodes_, tree.feature_names_, []
    for node, child in itertools.pairwise(path(tree._parents(), end)):
        feature = nodes["feature"][node]
        outcome = child - int(nodes["first_child"][node])
        steps.append(_step(tree.condition(node), names[feature], outcome, row[feature]))
    if nodes["feature"][end] != LEAF:
        cut = isinstance(tree.condition(end), CutCondition)
        what = "is missing, as none was in training" if cut else "has a value that is new"
        steps.append(f"{names[nodes['feature'][end]]} {what}")
    numbered = [f"{k}. {step}" for k, step in enumerate(steps, start=1)]
    return "\n".join([*numbered, f"→ {_label(tree, end)}"])


def _step(condition, name, outcome, value):
    """One outcome on a path; of a binary condition with the row's value beside it."""
    if isinstance(condition, ValueCondition):
        return condition.describe(name, outcome)
    missing = pd.isna(value)
    if missing and not outcome and not _asks_about_missing(condition):
        step = f"not {condition.describe(name, 1)}"  # neither below nor above
    else:
        step = condition.describe(name, outcome)
    return f"{step}  (here {'missing' if missing else value})"


def _asks_about_missing(condition):
    """Whether the false outcome, put in words, is right for a missing value, too."""
    if isinstance(condition, ThresholdCondition):
        return condition.threshold == np.inf
    return isinstance(condition, (EqualityCondition, MembershipCondition))


def rules_as_table(tree):
    """One row per leaf: see :meth:`TreePredictor.rules`."""
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
    names, paths, rules = tree.feature_names_, {0: {}}, []
    for node, record in enumerate(tree.nodes_):
        steps = paths.pop(node)
        if record["feature"] == LEAF:
            rules.append(" and ".join(_entry(*step) for step in steps.items()) or "always")
            continue
        condition, name = tree.condition(node), names[record["feature"]]
        for outcome in (0, 1):
            if isinstance(condition, ThresholdCondition) and condition.threshold < np.inf:
                key, (low, high) = name, steps.get(name, (-np.inf, np.inf))
                # Every threshold lies within the interval that the path has come to.
                entry = (low, condition.threshold) if outcome else (condition.threshold, high)
            else:
                key, entry = (name, node), condition.describe(name, outcome)
            paths[int(record["first_child"]) + outcome] = {**steps, key: entry}
    return rules


def _entry(key, entry):
    """One entry of a path as text."""
    if isinstance(entry, str):
        return entry
    low, high = entry
    if low > -np.inf and high < np.inf:
        return f"{shown(low)} < {key} ≤ {shown(high)}"
    return f"{key} ≤ {shown(high)}" if high < np.inf else f"{key} > {shown(low)}"
