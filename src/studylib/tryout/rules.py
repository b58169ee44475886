"""The rules of fitted trees and of 1-R, as tables whose thresholds of dates are dates."""

import numpy as np
import pandas as pd

from studylib.trees import ThresholdCondition, TreePredictor
from studylib.tryout.compare import chance_of
from studylib.tryout.models import PARTIAL
from studylib.tryout.phrases import number
from studylib.tryout.words import percent

_MANY_COLUMNS = 100


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
    return _interval(feature, value.left, value.right, False, date or number)


def _interval(name, low, high, or_missing, written):
    """``low < name ≤ high`` in words; only a missing value is above infinity."""
    if np.isinf(low) and np.isinf(high):
        return f"{name} is {'known' if low < 0 else 'missing'}"
    if np.isinf(high):
        return f"{name} > {written(low)}{' (or missing)' if or_missing else ''}"
    return f"{name} ≤ {written(high)}" if np.isinf(low) else f"{written(low)} < {name} ≤ {written(high)}"


def table_of_rules(tree, compared, table):
    """The leaves of a tree, the largest first; if a class is rare, those with the largest share of it."""
    if compared.focus and len(tree.classes_) == 2:  # all of them would name the other class
        return _leaves(tree, table.X, table.dates, f"share of {compared.rarest!r}", compared.rarest)
    return _leaves(tree, table.X, table.dates, "right")


def _leaves(tree, X, dates, share, label=None):
    """The leaves of a tree of ``X``, the largest first; of two labels, by the share of ``label``."""
    rules = tree.rules().set_axis(["if", "then", "rows", share], axis=1)
    rules["if"] = _conditions(tree, X, dates)
    if label is not None:
        rules[share] = rules[share].where(rules.pop("then") == label, 1 - rules[share])
    by = "rows" if label is None else share
    rules = rules.sort_values(by, ascending=False, kind="stable").set_index("if")
    return rules.assign(**{"rows": rules["rows"].map("{:,.0f}".format), share: rules[share].map(percent)})


def three_rows(model, table, label):
    """What a TableModel says of three rows, and why: where a label is most, middling and least likely."""
    if table.X.shape[1] > _MANY_COLUMNS:  # each takes a prediction
        return None
    chance = chance_of(model, model.estimator.predict_proba(table.X), label)
    order, rows = np.argsort(-chance, kind="stable"), []
    for k in order[[0, len(order) // 2, -1]]:
        told = model.explain(table.raw.iloc[k])[:3]
        effects = [f"{round(effect, 2) + 0.0:+.2f}".replace("-", "−") for effect in told["effect"]]
        values = (str(value).removesuffix(" 00:00:00") for value in told["value"])
        texts = map("{} = {:.20} ({})".format, told["column"], values, effects)
        row = {f"probability of {label}": f"{chance[k]:.2f}", "predicted": told["prediction"][0]}
        rows.append(row | {"is": table.y[k], "because of": "; ".join(texts)})
    return pd.DataFrame(rows, index=["most likely", "in the middle", "least likely"])


def abstention_rules(table, compared):
    """The leaves of a tree of depth two that tells rows on which the partial forest abstains, or None."""
    abstains = np.where(compared.confidences[PARTIAL] < 1, "abstains", "predicts")
    if len(set(abstains)) == 1:
        return None
    least = max(10, len(abstains) // 50)  # a branch of fewer rows would be anecdote
    X = table.X.iloc[compared.tested]
    tree = TreePredictor(max_depth=2, min_samples_leaf=least).fit(X, abstains)
    return _leaves(tree, X, table.dates, "abstains", "abstains")


def _conditions(tree, X, dates):
    """What the rows of each leaf have in common, in words; thresholds of a column make one interval."""
    written = {name: dates.get(name, "{:.12g}".format) for name in X}  # numbers as a tree writes them
    paths, found = {0: {}}, []
    for node, record in enumerate(tree.nodes_):
        steps, condition = paths.pop(node), tree.condition(node)
        if condition is None:
            texts = (s if isinstance(s, str) else _interval(k, *s, written[k]) for k, s in steps.items())
            found.append(" and ".join(texts) or "always")
            continue
        name = key = tree.feature_names_[record["feature"]]
        if isinstance(condition, ThresholdCondition):
            low, high, or_missing = steps.get(name, (-np.inf, np.inf, X[name].isna().any()))
            above, below = (condition.threshold, high, or_missing), (low, condition.threshold, False)
        else:
            key, above, below = node, condition.describe(name, 0), condition.describe(name, 1)
        for child, step in enumerate((above, below), record["first_child"]):
            paths[child] = {**steps, key: step}
    return found
