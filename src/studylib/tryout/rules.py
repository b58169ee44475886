"""The rules of fitted trees and of 1-R, as tables whose thresholds of dates are dates."""

import re

import numpy as np
import pandas as pd

from studylib.trees import TreePredictor
from studylib.tryout.models import PARTIAL
from studylib.tryout.reading import number
from studylib.tryout.words import percent

#: A threshold as a tree writes it.
_NUMBER = r"-?\d[\d.e+-]*"


def table_of_one_rule(one_rule, table):
    """The rule of a fitted OneRClassifier, a row for each value; at most twelve."""
    rules = one_rule.table_[one_rule.table_["feature"] == one_rule.feature_]
    rows = [
        {
            "if": _value_as_text(rule.feature, rule.value, table.dates.get(rule.feature)),
            "then": rule.label,
            "rows": f"{rule.n_samples:,.0f}",
            "errors": percent(rule.errors / rule.n_samples),
        }
        for rule in rules.sort_values("n_samples", ascending=False).itertuples()
    ]
    return pd.DataFrame(rows[:12]).set_index("if")


def _value_as_text(feature, value, date):
    if not isinstance(value, pd.Interval):
        return f"{feature} is missing" if value is None else f"{feature} is {value}"
    if np.isinf(value.left) and np.isinf(value.right):
        return f"{feature} is known"
    low, high = ("" if np.isinf(end) else (date or number)(end) for end in (value.left, value.right))
    if not low:
        return f"{feature} ≤ {high}"
    return f"{low} < {feature} ≤ {high}" if high else f"{feature} > {low}"


def table_of_rules(tree, compared, table):
    """The leaves of a tree, the largest first; if a class is rare, those with the largest share of it."""
    if compared.focus and len(tree.classes_) == 2:  # all of them would name the other class
        return _leaves(tree, table, f"share of {compared.rarest!r}", compared.rarest)
    return _leaves(tree, table, "right")


def _leaves(tree, table, share, label=None):
    """The leaves of a tree, the largest first; of two labels, those with the largest share of ``label``."""
    rules = tree.rules().set_axis(["if", "then", "rows", share], axis=1)
    rules["if"] = [with_dates(text, table) for text in rules["if"]]
    if label is not None:
        rules[share] = rules[share].where(rules.pop("then") == label, 1 - rules[share])
    by = "rows" if label is None else share
    rules = rules.sort_values(by, ascending=False, kind="stable").set_index("if")
    return rules.assign(**{"rows": rules["rows"].map("{:,.0f}".format), share: rules[share].map(percent)})


def abstention_rules(table, compared):
    """The leaves of a tree of depth two that tells rows on which the partial forest abstains, or None."""
    abstains = np.where(compared.confidences[PARTIAL] < 1, "abstains", "predicts")
    if len(set(abstains)) == 1:
        return None
    least = max(10, len(abstains) // 50)  # a branch of fewer rows would be anecdote
    tree = TreePredictor(max_depth=2, min_samples_split=least).fit(table.X.iloc[compared.tested], abstains)
    return _leaves(tree, table, "abstains", "abstains")


def with_dates(rule, table):
    """A rule as a tree words it, with dates instead of days where it asks about a column of dates."""
    names = "|".join(re.escape(name) for name in sorted(table.X, key=len, reverse=True))

    def worded(match):
        start, low, name, sign, high = match.groups()
        date = table.dates.get(name)
        if not date:
            return match.group()
        return f"{start}{date(float(low)) + ' < ' if low else ''}{name} {sign} {date(float(high))}"

    return re.sub(rf"(^| and )(?:({_NUMBER}) < )?({names}) ([≤>]) ({_NUMBER})", worded, rule)
