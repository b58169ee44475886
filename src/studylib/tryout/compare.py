"""Nested cross-validation of all classifiers on one table, and what it says in two or three sentences."""

import warnings
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import get_reusable_executor
from scipy.stats import binomtest, norm, rankdata
from sklearn.base import clone
from sklearn.metrics import average_precision_score, balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import (
    ParameterGrid,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    train_test_split,
)
from threadpoolctl import threadpool_limits

from studylib.statistics import Search, flat_cv, resampled_interval
from studylib.statistics.intervals import Interval
from studylib.tryout.models import BASELINE, LIGHTGBM, PARTIAL, SIMPLE
from studylib.tryout.table import N_FOLDS

#: Training rows on which settings are chosen, of more a part: there one of the inner folds, of 2,000 rows,
#: chooses as well as three of them did.
_CHOICE_ROWS, _INNER_FOLDS = 2000, 3
#: Trees of a forest while its settings are chosen, for they are no setting: 100 chose no better.
_CHOICE_TREES = 25
#: Folds of more rows than ``MANY_ROWS``, which need fewer to be known as well.
MANY_ROWS, _FEW_FOLDS = 5000, 4
_LEVEL = 0.95
#: A simple method is as good as the best if it is behind by no more than this, and no more than this share of
#: the best one's error, or of how far its ROC AUC falls short of 1.
_MARGIN, _MARGIN_SHARE = 0.01, 0.1


@dataclass
class Comparison:
    """What was measured.

    ``folds`` has a row for each classifier and outer fold: ``model``, ``fold``, ``error``,
    ``balanced_error``, ``log_loss``, ``brier``, ``seconds``, ``settings``; ``auc`` and ``average_precision``
    of the rarest class by its probability.

    By classifier, arrays (n_tested,): ``predictions`` of the first repetition, each row predicted by the
    classifier that has not seen it; ``confidences``, the largest probability of a class, and of the partial
    forest the largest share of the votes, plus 1 where it predicts; ``chances``, the probability of the
    rarest class; ``losses``, the share of repetitions in which the row was wrong, or with ``focus`` the mean
    share of the rows of the other kind in its fold that are on the wrong side of it.
    ``tested`` has the numbers of these rows: all, but with --time not the earliest; ``labels`` has theirs,
    and ``groups`` says which stay together, if any do.
    ``test_share`` is test rows over all rows of a split, ``repeats`` the number of repetitions.

    ``rarest`` is the class with the fewest rows, or the one that --positive names; ``uneven`` whether it has
    so few that a low error says little about it; ``focus`` whether classifiers are ranked by their ROC AUC
    for it rather than by their error; ``costs`` of a row of it that is missed, and of a false alarm.
    """

    folds: pd.DataFrame
    predictions: dict
    confidences: dict
    repeats: int
    rarest: str = ""
    uneven: bool = False
    focus: bool = False
    chances: dict = field(default_factory=dict)
    tested: np.ndarray | slice = field(default_factory=lambda: slice(None))
    test_share: float = 1 / N_FOLDS
    losses: dict = field(default_factory=dict)
    labels: np.ndarray | None = None
    groups: np.ndarray | None = None
    costs: tuple = ()

    @property
    def measure(self):
        """The column of ``folds`` that ranks the classifiers."""
        return "auc" if self.focus else "error"

    @property
    def ranked(self):
        """Names of the classifiers that always predict, the lowest mean error or highest ROC AUC first."""
        folds = self.folds[self.folds["model"] != PARTIAL]
        losses = folds["error"] if not self.focus else -folds["auc"]
        return losses.groupby(folds["model"]).mean().round(12).sort_values(kind="stable").index.tolist()

    def errors(self, name, column="error"):
        """A classifier's value in each fold, float64 (n_folds,)."""
        return self.folds.loc[self.folds["model"] == name].sort_values("fold")[column].to_numpy(float)

    def interval(self, name, column="error"):
        """The mean with its 95% interval, corrected for training sets that overlap.

        An error's interval is at least that of as many coin tosses as rows: folds may be alike by chance.
        The values must be shares.
        """
        found = resampled_interval(self.errors(name, column), self.test_share)
        if column == "error":
            n = len(self.predictions[name])
            tossed = binomtest(round(found.mean * n), n).proportion_ci(_LEVEL)
            low, high = min(found.low, float(tossed.low)), max(found.high, float(tossed.high))
            found = Interval(found.mean, low, high)
        return _of_share(found)

    def difference(self, first, second):
        """Interval of how far ``first`` is behind ``second``, in error or ROC AUC.

        Both were tested on the same rows, so their losses are compared row by row, as in the tests of McNemar
        and of DeLong et al. (1988); rows of a group count as one.  One more row on which they differ is added
        (Agresti and Min, 2005, add one, too): that they agree on a few rows is no certainty.

        The intervals of all classifiers' differences from one of them hold together with 95% (Bonferroni):
        the first of ``ranked`` was chosen for its low error.
        """
        ahead = float((self.errors(second, self.measure) - self.errors(first, self.measure)).mean())
        mean = ahead if self.focus else -ahead
        behind = self.losses[first] - self.losses[second]
        rare = self.labels == self.rarest
        parts = [rare, ~rare] if self.focus else [np.ones(len(behind), bool)]
        shares = np.zeros(len(behind))  # of each row, in the distance of what was found from what is true
        for part in parts:
            shares[part] = (behind[part] - behind[part].mean()) / part.sum()
        if self.groups is not None:
            shares = np.bincount(pd.factorize(self.groups)[0], shares)
        error = np.sqrt((shares**2).sum() + 1 / min(part.sum() for part in parts) ** 2)
        reach = float(norm.ppf(1 - (1 - _LEVEL) / (len(self.ranked) - 1) / 2) * error)
        return Interval(mean, mean - reach, mean + reach)

    def best_ranking(self):
        """The classifier with the highest mean ROC AUC of the rarest class, and its interval.

        The intervals of all classifiers hold together with 95% (Bonferroni), for the same reason.  A fold
        that lacks the class has no ROC AUC; then there is no interval.
        """
        names = [name for name in self.ranked if name != BASELINE]
        name = max(names, key=lambda one: self.errors(one, "auc").mean())
        values, level = self.errors(name, "auc"), 1 - (1 - _LEVEL) / len(names)
        if np.isnan(values).any():
            return name, None
        return name, _of_share(resampled_interval(values, self.test_share, level))

    def not_worse(self):
        """Classifiers for which no difference from the first of ``ranked`` is supported, in that order."""
        first, *others = self.ranked
        return [name for name in others if self.difference(name, first).low <= 0]

    @property
    def margin(self):
        """By how much a simple method may be behind the best and still be as good, in error or ROC AUC."""
        best = float(self.errors(self.ranked[0], self.measure).mean())
        return min(_MARGIN, _MARGIN_SHARE * (1 - best if self.focus else best))

    @property
    def beats_constant(self):
        """Whether some method is shown to be better than a constant, or to rank by more than chance."""
        if self.focus:
            return bool(self.best_ranking()[1].low > 0.5)
        return BASELINE not in (self.ranked[0], *self.not_worse())

    @property
    def advised(self):
        """The method to use: the best, or a simple one that is shown to be as good; "" if none is of use."""
        best, *others = self.ranked
        if not self.beats_constant:
            return ""
        as_good = [name for name in others if self.difference(name, best).high <= self.margin]
        return next((name for name in SIMPLE if name in (best, *as_good)), best)

    def called(self, name):
        """Which rows get the label of the rarest class: as many as have it, or by ``costs`` the cheapest.

        Returns the least probability of a row that gets it, and a mask, bool (n_tested,).
        """
        chances, rare = self.chances[name], self.labels == self.rarest
        order = np.argsort(-chances, kind="stable")
        n = int(rare.sum())
        if self.costs:
            miss, false_alarm = self.costs
            cost = false_alarm * np.cumsum(~rare[order]) - miss * np.cumsum(rare[order])
            last = np.append(np.diff(chances[order]) < 0, True)  # of those with the same probability
            n = 1 + int(np.argmin(np.where(last, cost, np.inf)))
        threshold = chances[order[n - 1]]
        return float(threshold), chances >= threshold


def _of_share(interval):
    """The part of an interval that a share can lie in."""
    return Interval(interval.mean, max(interval.low, 0.0), min(interval.high, 1.0))


def compare(table, models, *, repeats=None, jobs=1, seed=0, costs=(), tell=None, say=None):
    """Nested cross-validation: inner folds choose the settings, outer folds test what was chosen.

    ``models`` has pairs of estimator and grid by name.  ``repeats`` repetitions have other folds; by default
    it is one, and two up to 2,000 rows and 1,000 columns.  ``tell(done, total)`` is called with the progress,
    ``say`` with a phrase when another classifier is trained.
    """
    repeats = repeats or (1 if len(table.y) > 2000 or table.X.shape[1] > 1000 else 2)
    if table.times is not None:
        repeats = 1  # no other folds are there
    splits = [split for r in range(repeats) for split in splits_of(table, seed + r)]
    n_folds = len(splits) // repeats
    choices = [_choice(table, train, seed) for train, _ in splits]
    y, rarest = table.y.to_numpy(), table.rarest
    tasks = [(name, k) for name in models for k in range(len(splits))]
    found, predictions = [], {name: np.empty(len(y), object) for name in models}
    confidences, chances, wrong, misplaced = ({name: np.zeros(len(y)) for name in models} for _ in range(4))
    if say:
        say(_what_is_next(tasks, 0))
    # Processes: threads would wait for each other wherever a method returns to Python.
    with threadpool_limits(1), parallel_config("loky", n_jobs=jobs, inner_max_num_threads=1):
        run = Parallel(return_as="generator")
        for row, test, predicted, confidence, chance in run(
            delayed(_one)(table.X, y, name, *models[name], k, *splits[k], *choices[k], rarest, table.focus)
            for name, k in tasks
        ):
            found.append(row)
            name = row["model"]
            wrong[name][test] += (predicted != y[test]) / repeats
            misplaced[name][test] += _misplaced(y[test] == rarest, chance) / repeats
            if row["fold"] < n_folds:
                predictions[name][test], confidences[name][test] = predicted, confidence
                chances[name][test] = chance
            if tell:
                tell(len(found), len(tasks))
            if say and len(found) % len(splits) == 0:
                say(_what_is_next(tasks, len(found)))
    if jobs > 1:
        get_reusable_executor().shutdown()
    folds = pd.DataFrame(found)
    tested = np.sort(np.concatenate([test for _, test in splits[:n_folds]]))
    ratio = np.mean([len(test) / len(train) for train, test in splits])
    # A fold that lacks the class has no ROC AUC.
    focus = table.focus and not folds.loc[folds["model"] != PARTIAL, "auc"].isna().any()
    predictions, confidences, chances, losses = (
        {name: values[tested] for name, values in of_all.items()}
        for of_all in (predictions, confidences, chances, misplaced if focus else wrong)
    )
    groups = None if table.groups is None else np.asarray(table.groups)[tested]
    return Comparison(
        folds, predictions, confidences, repeats, rarest, table.uneven, focus, chances, tested,
        ratio / (1 + ratio), losses, y[tested], groups, tuple(costs),
    )  # fmt: skip


def _what_is_next(tasks, n_done):
    """Which classifier is trained once so many tasks are done; "" at the end."""
    if n_done == len(tasks):
        return ""
    names, (name, _) = list(dict.fromkeys(name for name, _ in tasks)), tasks[n_done]
    return f"training {name}, method {names.index(name) + 1} of {len(names)}"


def splits_of(table, seed):
    """Outer folds: stratified, with the rows of a group, or with the same features, in one fold; or by time.

    A list of pairs of arrays: numbers of training and of test rows.
    """
    X, y, n = table.X, table.y, N_FOLDS if len(table.y) <= MANY_ROWS else _FEW_FOLDS
    if table.times is not None:
        order = np.argsort(table.times, kind="stable")
        return [(order[train], order[test]) for train, test in TimeSeriesSplit(N_FOLDS).split(order)]
    if table.groups is not None:
        grouped = StratifiedGroupKFold(n, shuffle=True, random_state=seed)
        return list(grouped.split(X, y, table.groups))
    plain = StratifiedKFold(n, shuffle=True, random_state=seed)
    groups = X.groupby(list(X), observed=True, dropna=False, sort=False).ngroup()
    sizes = groups.value_counts()
    if sizes.max() == 1 or sizes.max() > len(y) / (4 * n):  # too large a group makes lopsided folds
        return list(plain.split(X, y))
    found = list(StratifiedGroupKFold(n, shuffle=True, random_state=seed).split(X, y, groups))
    whole = all(y.iloc[train].nunique() == y.nunique() for train, _ in found)
    return found if whole else list(plain.split(X, y))


def _part(rows, y, n, seed):
    """At most n of the rows, drawn at random, each class in its share."""
    if len(rows) <= n:
        return rows
    shares = y[rows] if np.unique(y[rows], return_counts=True)[1].min() > 1 else None
    return train_test_split(rows, train_size=n, random_state=seed, stratify=shares)[0]


def _one(X, y, name, estimator, grid, k, train, test, rows, inner, rarest, focus):
    """One classifier on one outer fold; its settings are chosen on ``rows`` of the training part."""
    warnings.filterwarnings("ignore")  # of a fold that lacks a class, and the like
    start, settings, chance = perf_counter(), {}, 0.0
    if grid:
        by_ranking = {"search": partial(_search_by_ranking, rarest)} if focus else {}
        trees = [key for key in estimator.get_params() if key.endswith("n_estimators") and name != LIGHTGBM]
        small = clone(estimator).set_params(**dict.fromkeys(trees, _CHOICE_TREES))
        settings = flat_cv(small, grid, X.iloc[rows], y[rows], inner, **by_ranking).best_params
    model = clone(estimator).set_params(**settings).fit(X.iloc[train], y[train])
    predicted = model.predict(X.iloc[test])
    row = {
        "model": name,
        "fold": k,
        "error": float(np.mean(predicted != y[test])),
        "settings": {key.removeprefix("model__"): value for key, value in settings.items()},
    }
    if name == PARTIAL:
        forest = model[-1]
        predicts = predicted != forest.abstain_label_
        shares = forest.vote_shares(model[:-1].transform(X.iloc[test]))[:, :-1]
        confidence = shares.max(axis=1)
        # Beyond its own coverage, the curve goes on with the label of the most votes.
        predicted = np.where(predicts, predicted, forest.classes_[shares.argmax(axis=1)])
        confidence = confidence + predicts
    else:
        row["balanced_error"] = 1 - balanced_accuracy_score(y[test], predicted)
        shares = model.predict_proba(X.iloc[test])
        confidence, chance = shares.max(axis=1), chance_of(model, shares, rarest)
        row |= _ranking(y[test] == rarest, chance) | _probability_scores(y[test], model.classes_, shares)
    row["seconds"] = perf_counter() - start
    return row, test, predicted, confidence, chance


def chance_of(model, shares, label):
    """Probability of a label, 0 if it was not in training."""
    return shares[:, model.classes_ == label].sum(axis=1)


def _misplaced(is_rarest, chance):
    """For each row, float64 (n,): the share of the rows of the other kind on its wrong side, ties as halves.

    The mean over the rows of either kind is 1 − ROC AUC.
    """
    chance = np.broadcast_to(chance, is_rarest.shape)
    below, shares = rankdata(chance), np.zeros(len(chance))
    for kind in (is_rarest, ~is_rarest):
        n_others = len(kind) - kind.sum()
        if n_others and kind.any():
            shares[kind] = (below[kind] - rankdata(chance[kind])) / n_others
    return np.where(is_rarest, 1 - shares, shares)


def _search_by_ranking(rarest, estimator, grid, X, y, X_valid, y_valid):
    """A ``search`` of ``flat_cv`` whose loss is 1 − ROC AUC; a half where a part lacks the class."""
    configurations, losses = list(ParameterGrid(grid)), []
    for one in configurations:
        model = clone(estimator).set_params(**one).fit(X, y)
        chance = chance_of(model, model.predict_proba(X_valid), rarest)
        losses.append(1 - _ranking(y_valid == rarest, chance)["auc"])
    return Search(configurations, np.nan_to_num(losses, nan=0.5)[:, None])


def _ranking(is_rarest, probability):
    """How well a probability of the rarest class ranks the rows of a fold; nothing without both kinds."""
    if is_rarest.all() or not is_rarest.any():
        return {"auc": np.nan, "average_precision": np.nan}
    return {
        "auc": float(roc_auc_score(is_rarest, probability)),
        "average_precision": float(average_precision_score(is_rarest, probability)),
    }


def _probability_scores(labels, classes, shares):
    """Log loss and Brier score, of two classes the usual half; what was never seen has probability 0."""
    true = labels[:, None] == classes
    of_label = (shares * true).sum(axis=1)
    brier = ((shares**2).sum(axis=1) - 2 * of_label + 1).mean()
    return {
        "log_loss": float(-np.log(np.maximum(of_label, np.finfo(float).eps)).mean()),
        "brier": float(brier / 2 if len(classes) == 2 else brier),
    }


def _choice(table, train, seed):
    """Training rows on which settings are chosen, each class in its share, and inner folds of them."""
    y = table.y.to_numpy()
    rows, used = _part(train, y, _CHOICE_ROWS, seed), slice(-1 if len(train) > _CHOICE_ROWS else 0, None)
    options = {"n_splits": _INNER_FOLDS, "shuffle": True, "random_state": seed}
    if table.groups is not None:
        return rows, list(StratifiedGroupKFold(**options).split(rows, y[rows], table.groups[rows]))[used]
    if table.times is not None:
        rows = rows[np.argsort(table.times[rows], kind="stable")]
        found = list(TimeSeriesSplit(_INNER_FOLDS).split(rows))
        if all(len(set(y[rows[part]])) > 1 for part, _ in found):
            return rows, found[used]
    return rows, list(StratifiedKFold(**options).split(rows, y[rows]))[used]
