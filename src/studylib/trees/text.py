"""Trees and paths as text."""

import itertools
from typing import NamedTuple

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

#: Said of a false outcome that missing values have, too.
OR_MISSING = " (or missing)"


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
    """A line for each outcome down to a depth, indented, the true one of a binary condition first.

    Every line says in full what holds below it.  Iterative, since a tree may be as deep as it has samples.
    """
    lines, stack = [], [(0, "", -1, frozenset())]
    while stack:
        node, text, level, settled = stack.pop()
        record, condition = tree.nodes_[node], tree.condition(node)
        hidden = max_depth is not None and record["depth"] > max_depth
        if condition is None:
            lines.append("  " * max(level, 0) + f"{text} → {_label(tree, node)}".lstrip())
        elif hidden:
            lines.append("  " * level + f"{text}: … mostly {_label(tree, node)}")
        else:
            if node:
                lines.append("  " * level + f"{text}:")
            for outcome, text, below in reversed(_outcomes(tree, record, condition, settled)):
                stack.append((int(record["first_child"]) + outcome, text, level + 1, below))
    return "\n".join(lines)


def _outcomes(tree, record, condition, settled):
    """``(outcome, text, settled below)`` of a node's outcomes in the order in which they are shown.

    ``settled`` is the set of columns of which the path says whether they are missing.
    """
    feature, outcomes = int(record["feature"]), []
    name, binary = tree.feature_names_[feature], isinstance(condition, BinaryCondition)
    for outcome in (1, 0) if binary else range(condition.n_outcomes):
        text, below = condition.describe(name, outcome), settled | {feature}
        if binary and not outcome and not _asks_about_missing(condition):
            text += OR_MISSING if feature not in settled and tree._columns.has_missing[feature] else ""
            below = settled
        outcomes.append((outcome, text, below))
    return outcomes


def node_texts(tree, node):
    """Text of a node, and a list of those of its branches, in the order of its children."""
    record, condition = tree.nodes_[node], tree.condition(node)
    if condition is None:
        return _label(tree, node), []
    feature, settled = record["feature"], frozenset()
    if tree._columns.has_missing[feature]:
        for above, child in itertools.pairwise(path(tree._parents(), node)):
            passed = tree.nodes_[above]
            outcomes = _outcomes(tree, passed, tree.condition(above), settled)
            settled = {outcome: below for outcome, _, below in outcomes}[child - passed["first_child"]]
    outcomes = {outcome: text for outcome, text, _ in _outcomes(tree, record, condition, settled)}
    branches = [outcomes[outcome] for outcome in sorted(outcomes)]
    return f"{tree.feature_names_[feature]}\n{_label(tree, node)}", branches


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
    """Text of one outcome on a path; if the condition is binary, with the row's value beside it."""
    if isinstance(condition, ValueCondition):
        return condition.describe(name, outcome)
    missing = pd.isna(value)
    if missing and not outcome and not _asks_about_missing(condition):
        step = f"not {condition.describe(name, 1)}"  # neither below nor above
    else:
        step = condition.describe(name, outcome)
    return f"{step}  (here {'missing' if missing else value})"


def _asks_about_missing(condition):
    """Test if the false outcome, put in words, is right for a missing value, too."""
    if isinstance(condition, ThresholdCondition):
        return condition.threshold == np.inf
    return isinstance(condition, (EqualityCondition, MembershipCondition))


class RuleTable(pd.DataFrame):
    """A frame whose texts are shown in full, whatever pandas is set to."""

    @property
    def _constructor(self):
        return RuleTable

    def __repr__(self):
        with pd.option_context("display.max_colwidth", None, "display.max_columns", None):
            return super().__repr__()

    def _repr_html_(self):
        with pd.option_context("display.max_colwidth", None):
            return super()._repr_html_()


def rules_as_table(tree):
    """Table of a tree's rules, one row per leaf: see :meth:`TreeClassifier.rules`."""
    nodes = tree.nodes_
    leaves = np.flatnonzero(nodes["feature"] == LEAF)
    counts, label = tree._counts(leaves), nodes["label"][leaves]
    return RuleTable(
        {
            "rule": _rules(tree),
            "label": tree.classes_[label],
            "n_samples": nodes["n_samples"][leaves],
            "share": counts[np.arange(len(leaves)), label] / counts.sum(axis=1),
        },
        index=pd.Index(leaves, name="leaf"),
    )


class Interval(NamedTuple):
    """Statement of a path about a column of numbers: ``low < x ≤ high``, or that it is missing.

    ``missing`` is None where both are possible.
    """

    low: float
    high: float
    missing: bool | None

    def text(self, name):
        """The interval in words."""
        low, high = self.low, self.high
        if self.missing:
            return f"{name} is missing"
        if low == -np.inf:
            return f"{name} ≤ {shown(high)}" if high < np.inf else f"{name} is known"
        if high < np.inf:
            return f"{shown(low)} < {name} ≤ {shown(high)}"
        return f"{name} > {shown(low)}" + (OR_MISSING if self.missing is None else "")


def _rules(tree):
    """The conditions of each leaf's path as text, in the order of the leaves.

    A node's path is a dict, so that all thresholds of a column share one entry, its interval.
    """
    names, paths, rules = tree.feature_names_, {0: {}}, []
    for node, record in enumerate(tree.nodes_):
        steps = paths.pop(node)
        if record["feature"] == LEAF:
            texts = [step.text(key) if isinstance(step, Interval) else step for key, step in steps.items()]
            rules.append(" and ".join(texts) or "always")
            continue
        condition, name = tree.condition(node), names[record["feature"]]
        for outcome in range(condition.n_outcomes):
            if isinstance(condition, (ThresholdCondition, CutCondition)):
                maybe = None if tree._columns.has_missing[record["feature"]] else False
                key, before = name, steps.get(name, Interval(-np.inf, np.inf, maybe))
                entry = _narrowed(before, condition, outcome)
            else:
                key, entry = (name, node), condition.describe(name, outcome)
            paths[int(record["first_child"]) + outcome] = {**steps, key: entry}
    return rules


def _narrowed(interval, condition, outcome):
    """The interval behind one outcome of a threshold, which lies within it."""
    threshold, cut = condition.threshold, isinstance(condition, CutCondition)
    if cut and condition.has_missing and outcome == condition.n_outcomes - 1:
        return interval._replace(missing=True)
    if outcome == (0 if cut else 1):
        return interval._replace(high=min(threshold, interval.high), missing=False)
    if threshold == np.inf:
        return interval._replace(missing=True)
    return interval._replace(low=threshold, missing=False if cut else interval.missing)
