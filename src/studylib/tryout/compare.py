"""Nested cross-validation of all classifiers on one table, and what it says in two or three sentences."""

import warnings
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import get_reusable_executor
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.metrics import average_precision_score, balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, train_test_split
from threadpoolctl import threadpool_limits

from studylib.statistics import flat_cv, resampled_interval
from studylib.statistics.intervals import Interval
from studylib.tryout.models import BASELINE, PARTIAL
from studylib.tryout.table import N_FOLDS

#: Training rows on which settings are chosen at most: a choice needs fewer than a fit.
_CHOICE_ROWS, _INNER_FOLDS = 2000, 3
_LEVEL = 0.95
_UNEVEN = 0.4  # share of a class's even share of the rows; with two classes, 20 % of the rows


@dataclass
class Comparison:
    """What was measured.

    Parameters
    ----------
    folds : DataFrame
        A row for each classifier and outer fold: ``model``, ``fold``, ``error``, ``balanced_error``,
        ``seconds``, ``settings``; ``auc`` and ``average_precision`` of the rarest class by its probability.
    predictions : dict of str to ndarray (n_samples,)
        Of the first repetition, each row predicted by the classifier that has not seen it.
    confidences : dict of str to ndarray (n_samples,)
        Largest probability of a class; of the partial forest, largest share of the votes, plus 1 where it
        predicts.
    repeats : int
        Repetitions of the cross-validation.
    rarest : str
        The class with the fewest rows, or the one that --positive names.
    uneven : bool
        Whether it has so few that a low error says little about it.
    """

    folds: pd.DataFrame
    predictions: dict
    confidences: dict
    repeats: int
    rarest: str = ""
    uneven: bool = False

    @property
    def ranked(self):
        """Names of the classifiers that always predict, the lowest mean error first."""
        means = self.folds[self.folds["model"] != PARTIAL].groupby("model")["error"].mean()
        return means.round(12).sort_values(kind="stable").index.tolist()

    def errors(self, name, column="error"):
        """A classifier's value in each fold, float64 (n_folds,)."""
        return self.folds.loc[self.folds["model"] == name].sort_values("fold")[column].to_numpy(float)

    def interval(self, name, column="error"):
        """The mean with its 95 % interval, corrected for training sets that overlap.

        An error's interval is at least that of as many coin tosses as rows: folds may be alike by chance.
        """
        errors = self.errors(name, column)
        found = resampled_interval(errors, 1 / N_FOLDS)
        if column != "error":
            return found
        n = len(self.predictions[name])
        tossed = binomtest(round(found.mean * n), n).proportion_ci(_LEVEL)
        return Interval(found.mean, min(found.low, float(tossed.low)), max(found.high, float(tossed.high)))

    def difference(self, first, second):
        """Interval of the mean difference in error, ``first - second``.

        The intervals of all classifiers' differences from one of them hold together with 95 % (Bonferroni):
        the first of ``ranked`` was chosen for its low error.
        """
        level = 1 - (1 - _LEVEL) / (len(self.ranked) - 1)
        return resampled_interval(self.errors(first) - self.errors(second), 1 / N_FOLDS, level)

    def best_ranking(self):
        """The classifier with the highest mean ROC AUC of the rarest class, and its interval.

        The intervals of all classifiers hold together with 95 % (Bonferroni), for the same reason.  A fold
        that lacks the class has no ROC AUC; then there is no interval.
        """
        names = [name for name in self.ranked if name != BASELINE]
        name = max(names, key=lambda one: self.errors(one, "auc").mean())
        values, level = self.errors(name, "auc"), 1 - (1 - _LEVEL) / len(names)
        return name, None if np.isnan(values).any() else resampled_interval(values, 1 / N_FOLDS, level)

    def not_worse(self):
        """Classifiers for which no difference from the first of ``ranked`` is supported, in that order."""
        first, *others = self.ranked
        return [name for name in others if self.difference(name, first).low <= 0]


def compare(table, models, *, repeats=None, jobs=1, seed=0, tell=None):
    """Nested cross-validation: inner folds choose the settings, outer folds test what was chosen.

    Parameters
    ----------
    table : Table
    models : dict of str to (estimator, grid)
    repeats : int or None
        Repetitions with other folds; by default one, up to 2,000 rows two.
    jobs : int
        Processes.
    seed : int
        Of the folds.
    tell : callable ``(done, total)`` or None

    Returns
    -------
    Comparison
    """
    repeats = repeats or (1 if len(table.y) > 2000 else 2)
    splits = [split for r in range(repeats) for split in _splits(table, seed + r)]
    y = table.y.to_numpy()
    sizes = table.y.value_counts()
    rarest = table.positive or sizes.index[-1]
    uneven = bool(sizes[rarest] < _UNEVEN * sizes.mean())
    tasks = [(name, k) for name in models for k in range(len(splits))]
    found, (predictions, confidences) = [], _empty(models, y)
    # Processes: threads would wait for each other wherever a method returns to Python.
    with threadpool_limits(1), parallel_config("loky", n_jobs=jobs, inner_max_num_threads=1):
        run = Parallel(return_as="generator")
        for row, test, predicted, confidence in run(
            delayed(_one)(table.X, y, name, *models[name], k, *splits[k], seed, rarest) for name, k in tasks
        ):
            found.append(row)
            if row["fold"] < N_FOLDS:
                predictions[row["model"]][test], confidences[row["model"]][test] = predicted, confidence
            if tell:
                tell(len(found), len(tasks))
    if jobs > 1:
        get_reusable_executor().shutdown()
    return Comparison(pd.DataFrame(found), predictions, confidences, repeats, rarest, uneven)


def _splits(table, seed):
    """Stratified outer folds; rows of the same group, or with the same features, are in one fold."""
    X, y = table.X, table.y
    if table.groups is not None:
        grouped = StratifiedGroupKFold(N_FOLDS, shuffle=True, random_state=seed)
        return list(grouped.split(X, y, table.groups))
    plain = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    groups = X.groupby(list(X), observed=True, dropna=False, sort=False).ngroup()
    sizes = groups.value_counts()
    if sizes.max() == 1 or sizes.max() > len(y) / (4 * N_FOLDS):  # too large a group makes lopsided folds
        return list(plain.split(X, y))
    found = list(StratifiedGroupKFold(N_FOLDS, shuffle=True, random_state=seed).split(X, y, groups))
    whole = all(y.iloc[train].nunique() == y.nunique() for train, _ in found)
    return found if whole else list(plain.split(X, y))


def _empty(models, y):
    return {name: np.empty(len(y), object) for name in models}, {name: np.zeros(len(y)) for name in models}


def _one(X, y, name, estimator, grid, k, train, test, seed, rarest):
    """One classifier on one outer fold."""
    warnings.filterwarnings("ignore")  # of a fold that lacks a class, and the like
    start, settings = perf_counter(), {}
    if grid:
        rows = _for_choice(y, train, seed)
        inner = StratifiedKFold(_INNER_FOLDS, shuffle=True, random_state=seed)
        settings = flat_cv(estimator, grid, X.iloc[rows], y[rows], inner).best_params
    model = clone(estimator).set_params(**settings).fit(X.iloc[train], y[train])
    predicted = model.predict(X.iloc[test])
    row = {
        "model": name,
        "fold": k,
        "error": float(np.mean(predicted != y[test])),
        "settings": {key.removeprefix("model__"): value for key, value in settings.items()},
    }
    if name == PARTIAL:
        partial = model[-1]
        predicts = predicted != partial.abstain_label_
        shares = partial.vote_shares(model[:-1].transform(X.iloc[test]))[:, :-1]
        confidence = shares.max(axis=1)
        # Beyond its own coverage, the curve goes on with the label of the most votes.
        predicted = np.where(predicts, predicted, partial.classes_[shares.argmax(axis=1)])
        confidence = confidence + predicts
    else:
        row["balanced_error"] = 1 - balanced_accuracy_score(y[test], predicted)
        shares = model.predict_proba(X.iloc[test])
        confidence = shares.max(axis=1)
        row |= _ranking(y[test] == rarest, shares[:, model.classes_ == rarest].sum(axis=1))
    row["seconds"] = perf_counter() - start
    return row, test, predicted, confidence


def _ranking(is_rarest, probability):
    """How well a probability of the rarest class ranks the rows of a fold; nothing without both kinds."""
    if is_rarest.all() or not is_rarest.any():
        return {"auc": np.nan, "average_precision": np.nan}
    return {
        "auc": float(roc_auc_score(is_rarest, probability)),
        "average_precision": float(average_precision_score(is_rarest, probability)),
    }


def _for_choice(y, train, seed):
    """Some of the training rows, each class in its share."""
    if len(train) <= _CHOICE_ROWS:
        return train
    return train_test_split(train, train_size=_CHOICE_ROWS, random_state=seed, stratify=y[train])[0]
