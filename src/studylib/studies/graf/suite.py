"""Forests and boosting on held-out sets of the UCI suite: accuracies in cross-validation, a task per method.

The folds depend on data set and split seed alone, so methods are paired.
"""

import tomllib
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from studylib.blend import BlendedForestClassifier
from studylib.datasets import load_uci_suite
from studylib.datasets._uci_archive import entries
from studylib.graf import GuidedRandomForestClassifier
from studylib.studies.suites import bundled_names, rows

#: What is compared: three methods of scikit-learn at their defaults, and three forests of ours.
METHODS = ("random forest", "extra trees", "histogram boosting", "guided", "canonical", "blend")
#: Folds of a cross-validation, by group: fewer where the sets are large.
N_FOLDS = {"held_out": 4, "held_out_large": 2}
#: A column with so few distinct values probably codes categories, or counts.
MOST_CODES = 10

_GROUPS = Path(__file__).with_name("groups.toml")


class HeldOutSet(NamedTuple):
    """A data set, and how it is divided; ``n_values`` is samples times features."""

    name: str
    n_folds: int
    n_values: int


def groups():
    """Names of the data sets in each group: on which variants were chosen, and on which they are compared."""
    return tomllib.loads(_GROUPS.read_text(encoding="utf-8"))


def load_held_out_sets():
    """All held-out sets, the smallest first, after a check that they are there."""
    known, sets = entries(), []
    for group, n_folds in N_FOLDS.items():
        for name in groups()[group]:
            sets.append(HeldOutSet(name, n_folds, known[name].n_samples * known[name].n_features))
    load_uci_suite(sets[0].name)
    return sorted(sets, key=lambda data: data.n_values)


def bundled_sets():
    """The sets that stand in for them: those that come with scikit-learn, the smallest first."""
    sets = [HeldOutSet(name, 4, rows(name)[0].size) for name in bundled_names()]
    return sorted(sets, key=lambda data: data.n_values)


def set_keys(sets):
    """Keys of :func:`description`, one for each set."""
    return [{"data": data.name} for data in sets]


def description(key, seed):
    """Sizes of a data set, and "coded", the share of its columns with at most ``MOST_CODES`` values."""
    X, y = rows(key["data"])
    coded = [len(np.unique(column)) <= MOST_CODES for column in X.T]
    return {"n": len(X), "d": X.shape[1], "classes": int(y.max()) + 1, "coded": float(np.mean(coded))}


def suite_keys(sets, split_seeds, n_trees):
    """Keys of :func:`fold_accuracies`: every method on every data set and split seed."""
    return [
        {
            "data": data.name,
            "n_folds": data.n_folds,
            "split_seed": split_seed,
            "method": method,
            "n_trees": n_trees,
        }
        for data in sets
        for split_seed in split_seeds
        for method in METHODS
    ]


def _folds(X, y, key):
    folds = StratifiedKFold(key["n_folds"], shuffle=True, random_state=key["split_seed"])
    with warnings.catch_warnings():
        # A class with fewer members than folds is missing in some test parts: the same ones for all methods.
        warnings.filterwarnings("ignore", "The least populated class in y", UserWarning)
        return list(folds.split(X, y))


def _model(method, n_trees, seed):
    if method == "random forest":
        return RandomForestClassifier(n_trees, random_state=seed, n_jobs=1)
    if method == "extra trees":
        return ExtraTreesClassifier(n_trees, random_state=seed, n_jobs=1)
    if method == "histogram boosting":
        return HistGradientBoostingClassifier(max_iter=n_trees, random_state=seed)
    if method == "blend":
        return BlendedForestClassifier(n_trees, min_samples_split=2, random_state=seed, n_jobs=1)
    return GuidedRandomForestClassifier(n_trees, hyperplane=method, random_state=seed, n_jobs=1)


def fold_accuracies(key, seed):
    """Accuracy of one method in one cross-validation of one data set, in one thread; lists over folds.

    The folds are stratified and depend on data, number of folds and split seed alone; the method gets another
    seed in each.  "oblique" is the blend's mean share of oblique trees, None for the other methods.
    """
    X, y = rows(key["data"])
    accuracies, n_test, shares = [], [], []
    with threadpool_limits(1):
        for k, (train, test) in enumerate(_folds(X, y, key)):
            model = _model(key["method"], key["n_trees"], (seed + k) % 2**32).fit(X[train], y[train])
            accuracies.append(float((model.predict(X[test]) == y[test]).mean()))
            n_test.append(len(test))
            if key["method"] == "blend":
                shares.append(float(model.family_weights_["oblique"]))
    return {
        "accuracy": accuracies,
        "n_test": n_test,
        "oblique": float(np.mean(shares)) if shares else None,
    }
