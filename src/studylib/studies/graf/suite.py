"""Forests and boosting on held-out sets of the UCI suite: accuracies in cross-validation, a task per method.

The folds depend on data set and split seed alone, so methods are paired.
"""

import functools
import tomllib
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from studylib.blend import BlendedForestClassifier
from studylib.datasets import BUNDLED, load_bundled, load_uci_suite
from studylib.datasets._uci_archive import entries
from studylib.graf import GuidedRandomForestClassifier

#: What is compared: three methods of scikit-learn at their defaults, and three forests of ours.
METHODS = ("random forest", "extra trees", "histogram boosting", "guided", "canonical", "blend")
#: Folds of a cross-validation, by group: fewer where the sets are large.
N_FOLDS = {"held_out": 4, "held_out_large": 2}
#: A column with so few distinct values probably codes categories, or counts.
MOST_CODES = 10

_GROUPS = Path(__file__).with_name("groups.toml")
_BUNDLED = "bundled "


class HeldOutSet(NamedTuple):
    """A data set, and how it is divided.

    Parameters
    ----------
    name : str
    n_folds : int
    n_values : int
        Samples times features.
    """

    name: str
    n_folds: int
    n_values: int


def groups():
    """Names of the data sets in each group: on which variants were chosen, and on which they are compared.

    Returns
    -------
    dict of str to list of str
        "selection", "held_out" and "held_out_large".
    """
    return tomllib.loads(_GROUPS.read_text(encoding="utf-8"))


def load_held_out_sets():
    """All held-out sets, the smallest first, after a check that they are there.

    Returns
    -------
    list of HeldOutSet

    Raises
    ------
    DataNotAvailableError
    """
    known, found = entries(), []
    for group, n_folds in N_FOLDS.items():
        for name in groups()[group]:
            found.append(HeldOutSet(name, n_folds, known[name].n_samples * known[name].n_features))
    load_uci_suite(found[0].name)
    return sorted(found, key=lambda one: one.n_values)


def bundled_sets():
    """The sets that stand in for them: those that come with scikit-learn, the smallest first."""
    found = [HeldOutSet(_BUNDLED + name, 4, load_bundled(name)[0].size) for name in BUNDLED]
    return sorted(found, key=lambda one: one.n_values)


@functools.lru_cache(maxsize=2)
def _rows(name):
    """Features and class indices; of a set with a separate test file the training file only."""
    if name.startswith(_BUNDLED):
        X, y = load_bundled(name.removeprefix(_BUNDLED))
    else:
        found = load_uci_suite(name)
        X, y = found.data, found.target
    return X, np.unique(y, return_inverse=True)[1]


def set_keys(sets):
    """Keys of :func:`description`, one for each set."""
    return [{"data": one.name} for one in sets]


def description(key, seed):
    """Sizes of a data set, and the share of its columns that probably hold codes.

    Parameters
    ----------
    key : {"data"}
    seed : int
        Not used, but part of a task's signature.

    Returns
    -------
    dict
        "n", "d", "classes", and "coded": the share of columns with at most ``MOST_CODES`` distinct values.
    """
    X, y = _rows(key["data"])
    coded = [len(np.unique(column)) <= MOST_CODES for column in X.T]
    return {"n": len(X), "d": X.shape[1], "classes": int(y.max()) + 1, "coded": float(np.mean(coded))}


def suite_keys(sets, split_seeds, n_trees):
    """Keys of :func:`fold_accuracies`: every method on every data set and split seed.

    Parameters
    ----------
    sets : sequence of HeldOutSet
    split_seeds : sequence of int
    n_trees : int

    Returns
    -------
    list of dict
    """
    return [
        {
            "data": one.name,
            "n_folds": one.n_folds,
            "split_seed": split_seed,
            "method": method,
            "n_trees": n_trees,
        }
        for one in sets
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
    """Accuracy of one method in one cross-validation of one data set, in one thread.

    Parameters
    ----------
    key : {"data", "n_folds", "split_seed", "method", "n_trees"}
        The folds are stratified and depend on data, number of folds and split seed alone.
    seed : int
        Of the method; a different one in each fold.

    Returns
    -------
    dict
        "accuracy" and "n_test", a list over folds each; "oblique", the blend's mean share of oblique trees,
        None for the other methods.
    """
    X, y = _rows(key["data"])
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
