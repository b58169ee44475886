"""The figures and tables of a page."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import get_scorer, roc_auc_score

from studylib.core.text import shorten
from studylib.plots import PALETTE
from studylib.statistics import risk_coverage
from studylib.tryout.compare import chance_of, splits_of
from studylib.tryout.escapes import in_figure
from studylib.tryout.models import BASELINE, BLEND, CLAUSES, PARTIAL, chosen
from studylib.tryout.words import ends, percent

_MAX_BARS, _MAX_ROWS = 15, 1000
#: Columns that are shuffled at most: each takes some predictions.
_MAX_SHUFFLED = 100


def draw_classes(table):
    """Bars of how many rows each class has, the most frequent ones."""
    sizes = table.y.value_counts()
    shown = sizes[: 2 * _MAX_BARS]
    figure, ax = plt.subplots(figsize=(6.5, 0.7 + 0.26 * len(shown)))
    ax.barh(range(len(shown)), shown, color=PALETTE[0])
    ax.set_yticks(range(len(shown)), _short(shown.index))
    ax.invert_yaxis()
    ax.set(xlabel="rows", title=in_figure(f"Classes of {table.target!r}"))
    ax.grid(axis="y", visible=False)
    said = f"{len(sizes)} classes, from {sizes.iloc[-1]:,} to {sizes.iloc[0]:,} rows."
    return figure, said + (f" The {len(shown)} most frequent are shown." if len(shown) < len(sizes) else "")


def draw_errors(compared):
    """Mean error of each classifier, or its ROC AUC for a rare class, with its interval; the best on top."""
    names = compared.ranked
    found = [compared.interval(name, compared.measure) for name in names]
    same = {names[0], *compared.not_worse()}
    figure, ax = plt.subplots(figsize=(7, 0.9 + 0.34 * len(names)))
    for k, (name, one) in enumerate(zip(names, found, strict=True)):
        color = PALETTE[0] if name in same else "#777777"
        ax.plot([100 * one.low, 100 * one.high], [k, k], color=color, lw=2, alpha=0.6)
        ax.plot(100 * one.mean, k, "o", color=color, ms=7)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    if compared.focus:
        ax.axvline(50, color="#777777", ls=":", lw=1)
        ax.set_xticks(ticks := np.arange(0, 101, 10), [f"{tick / 100:.1f}" for tick in ticks])
        ax.set_xlim(min(45, 100 * min(one.low for one in found) - 2), 100)
        ax.set(xlabel=in_figure(f"ROC AUC of {compared.rarest!r}, with 95% interval"))
        ax.set(title="Nested cross-validation")
        said = f"Highest ROC AUC: {names[0]}, {found[0].mean:.2f}."
        return figure, f"{said} Blue: those not shown to be worse. Dotted: chance."
    ax.set_xlim(left=0)
    ax.set(xlabel="error in %, with 95% interval", title="Nested cross-validation")
    said = f"Lowest error: {names[0]}, {percent(found[0].mean)}. Blue: those not shown to be worse."
    return figure, f"{said} Always the {BASELINE}: {percent(compared.interval(BASELINE).mean)}."


def table_of_errors(compared):
    """A row for each classifier: what ranks them, how far it is behind the first, and other measures."""
    rows, best = [], compared.ranked[0]
    of_rarest = "" if compared.focus else f" of {shorten(compared.rarest, 20)!r}"
    for name in compared.ranked:
        behind = "" if name == best else _in_percent(compared.difference(name, best))
        balanced = {"balanced error, %": f"{100 * compared.errors(name, 'balanced_error').mean():.1f}"}
        ranking = {
            f"ROC AUC{of_rarest}": _in_hundredths(compared.interval(name, "auc")),
            f"average precision{of_rarest}": _in_hundredths(compared.interval(name, "average_precision")),
        }
        scores = {  # of probabilities, which are weighted where a rare class is what matters
            "log loss": f"{compared.errors(name, 'log_loss').mean():.3f}",
            "Brier score": f"{compared.errors(name, 'brier').mean():.3f}",
        }
        if compared.focus:
            plain = {"error, %": f"{100 * compared.errors(name).mean():.1f}"}
            row = ranking | {"behind the first, hundredths": behind} | balanced | plain
        else:
            row = {"error, %": _in_percent(compared.interval(name)), "behind the first, points": behind}
            row |= balanced | (ranking if compared.uneven else scores)
        rows.append({"classifier": name} | row)
    return pd.DataFrame(rows).set_index("classifier")


def leaderboard(compared):
    """A row for each classifier: means over folds, and the interval of what ranks them, all as numbers."""
    found = compared.folds.groupby("model").mean(numeric_only=True).loc[compared.ranked].drop(columns="fold")
    intervals = [compared.interval(name, compared.measure) for name in compared.ranked]
    return found.assign(
        **{f"{compared.measure} {end}": [getattr(one, end) for one in intervals] for end in ("low", "high")}
    )


def _in_percent(interval):
    return f"{100 * interval.mean:.1f} ({ends(interval)})".replace("-", "−")


def _in_hundredths(interval):
    if np.isnan(interval.mean):  # a fold lacks the class
        return "–"
    return f"{interval.mean:.2f} ({ends(interval, 1, 2)})"


def table_of_found(compared):
    """How many rows of a rare class the best classifier finds, if it calls about as many as there are."""
    name, rarest = compared.ranked[0], compared.rarest
    threshold, called = compared.called(name)
    rare = compared.labels == rarest
    columns = {f"probability {threshold:.2f} or more": called, "less": ~called}
    rows = {f"{rarest}": rare, "other rows": ~rare}
    counts = {
        what: {row: f"{(here & there).sum():,}" for row, there in rows.items()}
        for what, here in columns.items()
    }
    return pd.DataFrame(counts).rename_axis(f"{name}: true class")


def table_of_settings(compared):
    """A row for each classifier: what it is, the settings chosen most often, the seconds a fold took."""
    rows = []
    for name, part in compared.folds.groupby("model", sort=False):
        texts = part["settings"].map(_as_text)
        often = texts.mode()[0]
        rows.append(
            {
                "classifier": name,
                "what it is": CLAUSES.get(name, ""),
                "chosen most often": often,
                "in folds": percent((texts == often).mean()) if often else "",
                "seconds per fold": f"{part['seconds'].mean():.1f}",
            }
        )
    found = pd.DataFrame(rows).set_index("classifier")
    return found.loc[:, (found != "").any()]  # without a choice of settings, none is shown


def _as_text(settings):
    return ", ".join(f"{name}={value}" for name, value in settings.items())


def importances(table, models, compared, seed=0):
    """How much worse the best classifier gets when a column is shuffled, on rows it has not seen.

    Returns a DataFrame by column, the largest first, and the classifier's name: ``mean`` and ``deviation`` of
    some shuffles, in errors per row or, for a rare class, in ROC AUC; of a wide table, the columns that a
    blended forest uses most.
    """
    name, model = chosen(models, compared)
    train, test = splits_of(table, seed)[-1]
    test = np.random.default_rng(seed).permutation(test)[:_MAX_ROWS]
    X, y = table.X, table.y.to_numpy()
    model.fit(X.iloc[train], y[train])
    columns = list(X)
    if len(columns) > _MAX_SHUFFLED:
        forest = clone(models[BLEND][0]).fit(X.iloc[train], y[train])
        columns = [
            columns[k] for k in np.argsort(-forest.feature_importances_, kind="stable")[:_MAX_SHUFFLED]
        ]
    score = get_scorer("accuracy") if not compared.focus else _auc(compared.rarest)
    rows, rng, found = X.iloc[test], np.random.default_rng(seed), []
    before, n_repeats = score(model, rows, y[test]), 5 if len(columns) <= 40 else 2
    for column in columns:
        shuffled, lost = rows.copy(), []
        for _ in range(n_repeats):
            shuffled[column] = rows[column].array[rng.permutation(len(rows))]
            lost.append(before - score(model, shuffled, y[test]))
        found.append({"mean": np.mean(lost), "deviation": np.std(lost)})
    return pd.DataFrame(found, index=columns).sort_values("mean", ascending=False, kind="stable"), name


def _auc(label):
    """A scorer of how well a label's rows are ranked."""

    def score(model, X, y):
        return roc_auc_score(y == label, chance_of(model, model.predict_proba(X), label))

    return score


def draw_importances(found, name, focus=False):
    """Bars of the most important columns."""
    shown = found[:_MAX_BARS]
    figure, ax = plt.subplots(figsize=(6.5, 0.9 + 0.28 * len(shown)))
    ax.barh(range(len(shown)), 100 * shown["mean"], xerr=100 * shown["deviation"], color=PALETTE[0])
    ax.set_yticks(range(len(shown)), _short(shown.index))
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    lost, unit = ("ROC AUC lost", "hundredths of ROC AUC") if focus else ("more errors", "points of error")
    ax.set(xlabel=f"{lost} when it is shuffled, in {unit.split()[0]}", title=f"Columns that {name} uses")
    top = ", ".join(f"{column} {100 * value:.1f}" for column, value in shown["mean"][:3].items())
    return figure, f"Permutation importance in {unit}; the largest: {top}."


def draw_dependence(table, found, model, label):
    """How the mean probability of a label depends on each of the three most important columns."""
    names = [name for name in found.index[:3] if found["mean"][name] > 0] or list(found.index[:1])
    X = table.X.iloc[np.random.default_rng(0).permutation(len(table.X))[:_MAX_ROWS]]
    size = (2.6 * len(names) + 0.8, 2.6)
    figure, axes = plt.subplots(1, len(names), figsize=size, sharey=True, squeeze=False)
    for ax, name in zip(axes[0], names, strict=True):
        values, dates = table.X[name].dropna(), table.dates.get(name)
        if name in table.categorical:
            places = list(values.value_counts().index[:8])
        else:
            places = list(np.unique(np.quantile(values, np.linspace(0.05, 0.95, 10), method="nearest")))
        shares = []
        for value in places:
            changed = X.assign(**{name: pd.Series([value] * len(X), X.index, dtype=X[name].dtype)})
            shares.append(chance_of(model, model.predict_proba(changed), label).mean())
        shown = _short(places) if name in table.categorical else list(map(dates, places)) if dates else places
        ax.plot(shown, shares, "o" if name in table.categorical else "o-", color=PALETTE[0], ms=4)
        ax.set(xlabel=_short([name])[0])
        if name in table.categorical or dates:
            ax.tick_params(axis="x", labelrotation=90)
        else:
            ax.locator_params(axis="x", nbins=3, steps=[1, 2, 5, 10])  # five digits take much room
    # All of them share this axis, so its upper end is known only now.
    axes[0][0].set(ylabel=in_figure(f"probability of {shorten(label, 20)!r}"), ylim=(0, None))
    said = "Mean over rows of which this column alone is changed (partial dependence)"
    return figure, f"{said}: what the model says, which may be no cause."


def draw_coverage(compared):
    """Error among the most confident rows, partial forest and best rival."""
    y = compared.labels
    figure, ax = plt.subplots(figsize=(6.5, 3.6))
    rival = next(name for name in compared.ranked if name != BASELINE)
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
        said = f"PCF itself predicts {percent(predicts.mean())}, {percent(error)} of them wrongly."
        if compared.uneven:
            said = f"PCF itself predicts {percent(predicts.mean())}; the table below says of which class."
    ax.set(
        xlabel="rows predicted, the most confident first, in %",
        ylabel="errors among them, in %",
        ylim=(0, None),
    )
    ax.legend()
    return figure, f"Risk–coverage curves of {PARTIAL} and {rival}. {said}"


def abstentions(compared):
    """How often the partial forest abstains, by class; the ten largest classes."""
    labels = compared.labels
    abstains = pd.Series(compared.confidences[PARTIAL] < 1)
    wrong = pd.Series(compared.predictions[PARTIAL] != labels)
    rows = []
    for label in pd.Series(labels).value_counts().index[:10]:
        here = labels == label
        said = here & ~abstains
        rows.append(
            {
                "class": label,
                "rows": f"{here.sum():,}",
                "abstains, %": f"{100 * abstains[here].mean():.1f}",
                "errors where it predicts, %": f"{100 * wrong[said].mean():.1f}" if said.any() else "–",
            }
        )
    return pd.DataFrame(rows).set_index("class")


def _short(names):
    return [in_figure(f"{name!s:.27}…" if len(str(name)) > 28 else name) for name in names]
