"""The figures and tables of a page."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.inspection import permutation_importance

from studylib.plots import PALETTE
from studylib.statistics import risk_coverage
from studylib.trees import TreePredictor
from studylib.tryout.models import BASELINE, FOREST, PARTIAL

_MAX_BARS, _MAX_ROWS = 15, 1000


def draw_classes(table):
    """Bars of how many rows each class has, the most frequent ones."""
    sizes = table.y.value_counts()
    shown = sizes[: 2 * _MAX_BARS]
    figure, ax = plt.subplots(figsize=(6.5, 0.7 + 0.26 * len(shown)))
    ax.barh(_short(shown.index), shown, color=PALETTE[0])
    ax.invert_yaxis()
    ax.set(xlabel="rows", title=f"Classes of {table.target!r}")
    ax.grid(axis="y", visible=False)
    said = f"{len(sizes)} classes, from {sizes.iloc[-1]:,} to {sizes.iloc[0]:,} rows."
    return figure, said + (f" The {len(shown)} most frequent are shown." if len(shown) < len(sizes) else "")


def draw_errors(compared):
    """Mean error of each classifier with its interval, the best on top."""
    names = compared.ranked
    found = [compared.interval(name) for name in names]
    same = {names[0], *compared.not_worse()}
    figure, ax = plt.subplots(figsize=(7, 0.9 + 0.34 * len(names)))
    for k, (name, one) in enumerate(zip(names, found, strict=True)):
        color = PALETTE[0] if name in same else "#777777"
        low, high = max(one.low, 0.0), min(one.high, 1.0)
        ax.plot([100 * low, 100 * high], [k, k], color=color, lw=2, alpha=0.6)
        ax.plot(100 * one.mean, k, "o", color=color, ms=7)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    ax.set(xlabel="error in %, with 95 % interval", title="Nested cross-validation")
    said = f"Lowest error: {names[0]}, {100 * found[0].mean:.1f} %."
    return (
        figure,
        f"{said} Blue: no difference from it is supported. {BASELINE}: {_of(compared, BASELINE)} %.",
    )


def _of(compared, name):
    return f"{100 * compared.interval(name).mean:.1f}"


def table_of_errors(compared):
    """A row for each classifier: error, balanced error, difference from the first."""
    rows, best = [], compared.ranked[0]
    for name in compared.ranked:
        ahead = compared.difference(name, best)
        rows.append(
            {
                "classifier": name,
                "error %": _in_percent(compared.interval(name), 0.0, 1.0),
                "balanced error %": f"{100 * compared.interval(name, 'balanced_error').mean:.1f}",
                "behind the first, points": "" if name == best else _in_percent(ahead),
            }
        )
        if compared.uneven:
            for what, column in (("ROC AUC", "auc"), ("average precision", "average_precision")):
                rows[-1][f"{what} of {compared.rarest!r}"] = f"{compared.errors(name, column).mean():.2f}"
    return pd.DataFrame(rows).set_index("classifier")


def table_of_settings(compared):
    """A row for each classifier: the settings chosen most often, and the seconds that a fold took."""
    rows = []
    for name, part in compared.folds.groupby("model", sort=False):
        texts = part["settings"].map(_as_text)
        often = texts.mode()[0]
        rows.append(
            {
                "classifier": name,
                "chosen most often": often,
                "in folds": f"{(texts == often).mean():.0%}" if often else "",
                "seconds per fold": f"{part['seconds'].mean():.1f}",
            }
        )
    return pd.DataFrame(rows).set_index("classifier")


def _in_percent(interval, least=-1.0, most=1.0):
    low, high = max(interval.low, least), min(interval.high, most)
    return f"{100 * interval.mean:.1f} ({100 * low:.1f} to {100 * high:.1f})".replace("-", "−")


def _as_text(settings):
    return ", ".join(f"{name}={value}" for name, value in settings.items())


def table_of_one_rule(one_rule):
    """The rule of a fitted OneRClassifier, a row for each value; at most twelve."""
    rules = one_rule.table_[one_rule.table_["feature"] == one_rule.feature_]
    rows = [
        {
            "if": _value_as_text(rule.feature, rule.value),
            "then": rule.label,
            "rows": f"{rule.n_samples:,.0f}",
            "errors": f"{rule.errors / rule.n_samples:.1%}",
        }
        for rule in rules.sort_values("n_samples", ascending=False).itertuples()
    ]
    return pd.DataFrame(rows[:12]).set_index("if")


def _value_as_text(feature, value):
    if not isinstance(value, pd.Interval):
        return f"{feature} is missing" if value is None else f"{feature} is {value}"
    low, high = (f"{end:.5g}" for end in (value.left, value.right))
    if np.isinf(value.left):
        return f"{feature} ≤ {high}" if np.isfinite(value.right) else f"{feature} is known"
    return f"{feature} > {low}" if np.isinf(value.right) else f"{low} < {feature} ≤ {high}"


def table_of_rules(tree):
    """The leaves of a tree, the largest first."""
    rules = tree.rules().sort_values("n_samples", ascending=False)
    rules = rules.set_axis(["if", "then", "rows", "share of it"], axis=1).set_index("if")
    return rules.assign(
        **{
            "rows": rules["rows"].map("{:,.0f}".format),
            "share of it": rules["share of it"].map("{:.1%}".format),
        }
    )


def importances(table, models, compared, seed=0):
    """How much worse the best classifier gets when a column is shuffled, on rows it has not seen.

    Returns
    -------
    importances : DataFrame
        By column, the largest first: ``mean`` and ``deviation`` of five shuffles, in errors per row.
    name : str
        Of the classifier.
    """
    name = next((one for one in compared.ranked if one != BASELINE), FOREST)
    settings = compared.folds.loc[compared.folds["model"] == name, "settings"].iloc[0]
    estimator, grid = models[name]
    prefix = "model__" if any(key.startswith("model__") for key in grid) else ""
    rows = np.random.default_rng(seed).permutation(len(table.y))
    test, train = np.split(rows, [min(_MAX_ROWS, len(rows) // 3)])
    y = table.y.to_numpy()
    model = clone(estimator).set_params(**{prefix + key: value for key, value in settings.items()})
    model.fit(table.X.iloc[train], y[train])
    repeats = 5 if table.X.shape[1] <= 40 else 2
    found = permutation_importance(
        model, table.X.iloc[test], y[test], scoring="accuracy", n_repeats=repeats, random_state=seed
    )
    frame = pd.DataFrame(
        {"mean": found.importances_mean, "deviation": found.importances_std}, index=list(table.X)
    )
    return frame.sort_values("mean", ascending=False, kind="stable"), name


def draw_importances(found, name):
    """Bars of the most important columns."""
    shown = found[:_MAX_BARS]
    figure, ax = plt.subplots(figsize=(6.5, 0.9 + 0.28 * len(shown)))
    ax.barh(_short(shown.index), 100 * shown["mean"], xerr=100 * shown["deviation"], color=PALETTE[0])
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    ax.set(xlabel="more errors when it is shuffled, in points", title=f"Columns that {name} uses")
    top = ", ".join(f"{column} {100 * value:.1f}" for column, value in shown["mean"][:3].items())
    return figure, f"Permutation importance in points of error; the largest: {top}."


def draw_coverage(table, compared):
    """Error among the most confident rows, partial forest and best rival."""
    y = table.y.to_numpy()
    figure, ax = plt.subplots(figsize=(6.5, 3.6))
    rival = next((one for one in compared.ranked if one != BASELINE), FOREST)
    for name, color in ((PARTIAL, PALETTE[1]), (rival, PALETTE[0])):
        curve = risk_coverage(y, compared.predictions[name], compared.confidences[name])
        ax.plot(100 * curve.coverage, 100 * curve.risk, color=color, label=name)
    predicts = compared.confidences[PARTIAL] >= 1
    said = "It abstains on all rows."
    if predicts.any():
        error = float(np.mean(compared.predictions[PARTIAL][predicts] != y[predicts]))
        ax.plot(
            100 * predicts.mean(), 100 * error, "o", color=PALETTE[1], ms=9, label="where PCF itself stops"
        )
        said = f"PCF itself predicts {100 * predicts.mean():.1f} %, {100 * error:.1f} % of them wrongly."
    ax.set(
        xlabel="rows predicted, the most confident first, in %",
        ylabel="errors among them, in %",
        ylim=(0, None),
    )
    ax.legend()
    return figure, f"Risk–coverage curves of {PARTIAL} and {rival}. {said}"


def abstentions(table, compared):
    """How often the partial forest abstains, by class; the ten largest classes."""
    abstains = pd.Series(compared.confidences[PARTIAL] < 1)
    wrong = pd.Series(compared.predictions[PARTIAL] != table.y.to_numpy())
    rows = []
    for label in table.y.value_counts().index[:10]:
        here = (table.y == label).to_numpy()
        said = here & ~abstains
        rows.append(
            {
                "class": label,
                "rows": f"{here.sum():,}",
                "abstains %": f"{100 * abstains[here].mean():.1f}",
                "errors where it predicts %": f"{100 * wrong[said].mean():.1f}" if said.any() else "–",
            }
        )
    return pd.DataFrame(rows).set_index("class")


def abstention_rules(table, compared):
    """A tree of depth two that tells rows on which the partial forest abstains, as text."""
    abstains = np.where(compared.confidences[PARTIAL] < 1, "abstains", "predicts")
    if len(set(abstains)) == 1:
        return f"It {abstains[0]} on all rows, so there is nothing to tell apart."
    least = max(10, len(abstains) // 50)  # a branch of fewer rows would be anecdote
    tree = TreePredictor(max_depth=2, min_samples_split=least).fit(table.X, abstains)
    return tree.to_text()


def _short(names):
    return [f"{name!s:.27}…" if len(str(name)) > 28 else str(name) for name in names]
