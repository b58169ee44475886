"""The source's comparison on the UCI suite: tuning on one half of a set, accuracy on the authors' four draws.

A task tunes or tests one method on one data set.  Forests grow in portions of at most 100 trees whose votes
are added, so all numbers of trees come from one pass, and two thousand trees need no more memory than 100.
"""

import functools
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from studylib.blend import BlendedForestClassifier
from studylib.datasets import load_uci_suite
from studylib.graf import GuidedRandomForestClassifier
from studylib.studies import suites

#: Folds of the cross-validation on the tuning half; fewer where no class has so many members.
N_FOLDS = 5
SHIFT = 30.0  # in standard deviations
_PORTION = 100  # trees that are in memory at a time
_FORESTS = {"random forest": RandomForestClassifier, "extra trees": ExtraTreesClassifier}


class _Set(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    tuning: np.ndarray  # rows to tune on
    folds: list  # four pairs of rows


@functools.lru_cache(maxsize=2)
def _load(name):
    """A set of the suite with its authors' splits, or one of scikit-learn's with splits like them."""
    X, y = suites.rows(name)
    if not suites.is_bundled(name):
        archived = load_uci_suite(name)
        return _Set(X, y, archived.tuning_split[0], archived.folds)
    half = StratifiedShuffleSplit(1, test_size=0.5, random_state=0)
    draws = StratifiedShuffleSplit(4, test_size=0.25, random_state=0)
    return _Set(X, y, next(half.split(X, y))[0], list(draws.split(X, y)))


def _inner_folds(y):
    n_folds = min(N_FOLDS, np.bincount(y).max())
    with warnings.catch_warnings():
        # A class with fewer members than folds is missing in some test parts: the same ones for all methods.
        warnings.filterwarnings("ignore", "The least populated class in y", UserWarning)
        return list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(y, y))


def tuning_accuracies(key, seed):
    """Mean accuracy of one configuration in five-fold cross-validation on a set's tuning half.

    For each number of trees (or rounds of boosting), which rise.  Further entries of the key are parameters
    of the method, as in :func:`fold_accuracies`.  The folds depend on the data set alone.
    """
    data = _load(key["data"])
    X, y = data.X[data.tuning], data.y[data.tuning]
    return np.mean(_over_folds(key, seed, X, y, _inner_folds(y)), axis=0).tolist()


def fold_accuracies(key, seed):
    """Accuracy of one configuration on the test rows of the four draws of a set.

    "n_trees" is a list with one number.  "max_features" (a number) and "min_samples_split" may be given, too;
    what is not has the method's default.  "replicate" numbers repetitions with other seeds.
    """
    data = _load(key["data"])
    return [row[-1] for row in _over_folds(key, seed, data.X, data.y, data.folds)]


def tree_accuracies(key, seed):
    """Accuracy of a single tree, scikit-learn's at its defaults, on the four draws of a set."""
    data, accuracies = _load(key["data"]), []
    for train, test in data.folds:
        tree = DecisionTreeClassifier(random_state=seed % 2**31).fit(data.X[train], data.y[train])
        accuracies.append(float((tree.predict(data.X[test]) == data.y[test]).mean()))
    return accuracies


def shifted_accuracies(key, seed):
    """Mean accuracy of the source's GRAF without standardisation on a set as it is stored, and on it shifted.

    ``SHIFT`` is added to each feature, and the same seed used; "shifted, standardised" stands beside them.
    """
    data, by_variant = _load(key["data"]), {}
    variants = (("as stored", 0.0, False), ("shifted", SHIFT, False), ("shifted, standardised", SHIFT, True))
    for name, shift, standardize in variants:
        X, accuracies = data.X + shift, []
        for train, test in data.folds:
            forest = GuidedRandomForestClassifier(
                key["n_trees"], standardize=standardize, random_state=seed % 2**31, n_jobs=1
            ).fit(X[train], data.y[train])
            accuracies.append(float((forest.predict(X[test]) == data.y[test]).mean()))
        by_variant[name] = float(np.mean(accuracies))
    return by_variant


def _over_folds(key, seed, X, y, folds):
    """A row of accuracies, one for each number of trees, for each fold; in one thread."""
    rows = []
    with threadpool_limits(1):
        for k, (train, test) in enumerate(folds):
            seeds = np.random.SeedSequence([seed, k])
            rows.append([float((p == y[test]).mean()) for p in _staged(key, seeds, X, y, train, test)])
    return rows


def _staged(key, seeds, X, y, train, test):
    """Yield the predicted labels of the test rows for each number of trees."""
    method, counts = key["method"], key["n_trees"]
    if (y[train] == y[train[0]]).all():  # in a tiny set: boosting refuses a single class
        yield from (np.full(len(test), y[train[0]]) for _ in counts)
        return
    given = {name: key[name] for name in ("max_features", "min_samples_split") if name in key}
    one_seed = int(seeds.generate_state(1)[0] >> 1)
    if method in ("gradient boosting", "AdaBoost"):
        kind = GradientBoostingClassifier if method == "gradient boosting" else AdaBoostClassifier
        model = kind(n_estimators=counts[-1], random_state=one_seed, **given).fit(X[train], y[train])
        stages = list(model.staged_predict(X[test]))  # AdaBoost may end before its last round
        yield from (stages[min(n, len(stages)) - 1] for n in counts)
    elif method in ("histogram boosting", "blend", "blend, m = 2"):
        for n in counts:
            if method == "histogram boosting":
                model = HistGradientBoostingClassifier(max_iter=n, random_state=one_seed)
            else:
                model = BlendedForestClassifier(n, random_state=one_seed, n_jobs=1, **given)
            yield model.fit(X[train], y[train]).predict(X[test])
    else:
        yield from _staged_forest(method, counts, given, seeds, X, y, train, test)


def _staged_forest(method, counts, given, seeds, X, y, train, test):
    votes, n_grown = 0.0, 0
    for n in counts:
        while n_grown < n:
            portion = min(_PORTION, n - n_grown)
            seed = int(seeds.spawn(1)[0].generate_state(1)[0] >> 1)
            if method in _FORESTS:
                forest = _FORESTS[method](portion, random_state=seed, n_jobs=1, **given)
                votes = votes + portion * forest.fit(X[train], y[train]).predict_proba(X[test])
            else:
                hyperplane = "box" if method == "GRAF" else method
                forest = GuidedRandomForestClassifier(
                    portion, hyperplane=hyperplane, random_state=seed, n_jobs=1, **given
                )
                votes = votes + forest.fit(X[train], y[train]).decision_function(X[test])
            n_grown += portion
        # Two classes have one score, the second one's advantage.
        best = np.argmax(votes, axis=1) if votes.ndim == 2 else (votes > 0).astype(int)
        yield forest.classes_[best]
