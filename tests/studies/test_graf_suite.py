"""The comparison on held-out UCI sets: groups, folds, ties."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold

from studylib.datasets import data_dir, load_bundled, uci_suite_names
from studylib.datasets._uci_archive import SUITE
from studylib.studies.graf import blend_results, suite
from studylib.study.measured import tidy

KEY = {"data": "bundled iris", "n_folds": 4, "split_seed": 2026, "method": "random forest", "n_trees": 3}
needs_suite = pytest.mark.skipif(not (data_dir() / SUITE.path).is_file(), reason="the UCI suite is not there")


def test_groups_are_disjoint_sets_of_the_suite():
    groups = suite.groups()
    assert {name: len(sets) for name, sets in groups.items()} == {
        "selection": 28, "held_out": 57, "held_out_large": 18,
    }  # fmt: skip
    names = [name for sets in groups.values() for name in sets]
    assert len(set(names)) == len(names)
    assert set(names) <= set(uci_suite_names())


@needs_suite
def test_held_out_sets_come_smallest_first_with_the_folds_of_their_group():
    sets, groups = suite.load_held_out_sets(), suite.groups()
    assert len(sets) == 75
    assert [of_set.n_values for of_set in sets] == sorted(of_set.n_values for of_set in sets)
    assert {of_set.name for of_set in sets if of_set.n_folds == 2} == set(groups["held_out_large"])
    assert {of_set.name for of_set in sets if of_set.n_folds == 4} == set(groups["held_out"])
    assert not {of_set.name for of_set in sets} & set(groups["selection"])


class _Constant(ClassifierMixin, BaseEstimator):
    """Predicts the class that it is told."""

    def __init__(self, label):
        self.label = label

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), self.label)


def test_accuracies_are_those_of_the_folds_of_scikit_learn(monkeypatch):
    X, y = load_bundled("wine")
    monkeypatch.setattr(suite, "_model", lambda method, n_trees, seed: _Constant(1))
    scores = suite.fold_accuracies(KEY | {"data": "bundled wine"}, 0)
    folds = StratifiedKFold(4, shuffle=True, random_state=2026).split(X, y)
    assert scores["accuracy"] == [pytest.approx((y[test] == 1).mean()) for _, test in folds]


def test_a_class_smaller_than_the_number_of_folds_is_no_warning(monkeypatch):
    """Warnings are errors in this suite."""
    y = np.array([0] * 20 + [1] * 20 + [2] * 2)
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    monkeypatch.setattr(suite, "rows", lambda name: (X, y))
    scores = suite.fold_accuracies(KEY, 0)
    assert sum(scores["n_test"]) == len(y)


def test_equal_accuracies_in_another_order_are_a_tie():
    """0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ by rounding."""
    keys = suite.suite_keys([suite.HeldOutSet("a", 4, 1)], [1, 2], 5)
    accuracies = [0.7, 0.1, 0.2, 0.3]
    results = [
        {"accuracy": accuracies, "n_test": [10] * 4, "oblique": 0.25}
        if key["method"] == "blend"
        else {"accuracy": accuracies[::-1], "n_test": [10] * 4, "oblique": None}
        for key in keys
    ]
    folds = blend_results.fold_table(tidy(keys, results))
    assert blend_results.gains(folds, "blend", "random forest").tolist() == [0]
