"""Parts of real sets: sets, tuning, support vectors, ways to choose."""

import json

import numpy as np
import pytest
from scipy import stats
from sklearn.svm import SVC

from studylib.core.data import DataChangedError, DataNotAvailableError
from studylib.datasets import data_dir
from studylib.datasets._uci_archive import SUITE
from studylib.graf import GuidedRandomForestClassifier
from studylib.studies.graf import approximation, readings, selection, sensitivity, support_vectors

IRIS = "bundled iris"
needs_suite = pytest.mark.skipif(not (data_dir() / SUITE.path).is_file(), reason="the UCI suite is not there")


# Real sets


@pytest.mark.slow
@needs_suite
def test_training_halves_have_the_sizes_of_table_1():
    printed = [300, 345, 350, 384, 423, 500, 1912, 3747, 4062, 10000]
    sets = approximation.load_table_1_sets()
    assert sets == (list(approximation.TABLE_1), {})
    assert [approximation.sizes(name)["training"] for name in sets.usable] == printed


def test_a_set_that_is_altered_is_left_out_and_named(monkeypatch):
    def load(name):
        if name == "optical":
            raise DataChangedError("the set optical has been altered")

    monkeypatch.setattr(approximation, "load_uci_suite", load)
    sets = approximation.load_table_1_sets()
    assert len(sets.usable) == 9
    assert sets.left_out == {"optical": "the set optical has been altered"}


@pytest.mark.parametrize("error", [DataChangedError, DataNotAvailableError])
def test_without_any_set_the_data_are_not_available(monkeypatch, error):
    def load(name):
        raise error("nothing there")

    monkeypatch.setattr(approximation, "load_uci_suite", load)
    with pytest.raises(DataNotAvailableError, match="nothing there"):
        approximation.load_table_1_sets()


def test_random_halves_hold_every_row_once_in_the_order_of_the_set(monkeypatch):
    X, y = np.arange(60)[:, np.newaxis], np.repeat([0, 1, 2], 20)
    monkeypatch.setattr(approximation.suites, "rows", lambda name: (X, y))
    approximation.split.cache_clear()
    for half in (0, 1):
        train, y_train, test, y_test = approximation.split("sixty rows", half)
        assert sorted([*train.ravel(), *test.ravel()]) == list(range(60))
        assert (np.diff(train[:, 0]) > 0).all()
        assert (np.diff(test[:, 0]) > 0).all()
        assert np.bincount(y_train).tolist() == np.bincount(y_test).tolist() == [10, 10, 10]
    assert not np.array_equal(approximation.split("sixty rows", 0)[0], train)
    approximation.split.cache_clear()
    monkeypatch.undo()  # else a set of sixty rows would be kept as this one
    assert approximation.split(IRIS, None) is approximation.halves(IRIS)


SUBSET = {
    "data": IRIS, "machine": "tuned", "C": 1.0, "gamma": 0.1, "weight": "height", "max_features": 2, "n_trees": 5,
    "replicates": [0, 1],
}  # fmt: skip


def test_overlap_and_correlation_against_a_slow_twin():
    measures = support_vectors.subset_accuracies(SUBSET, 0)
    json.dumps(measures, allow_nan=False)
    X, y, X_test, y_test = approximation.halves(IRIS)
    machine = SVC(C=1.0, gamma=0.1).fit(X, y)
    vectors = set(machine.support_.tolist())
    assert measures["vectors"] == len(vectors) / len(X)
    for replicate in (0, 1):
        scores = approximation.sensitivities(X, y, 5, 2, replicate)
        ranked = sorted(range(len(X)), key=lambda i: (-scores[i], i))[: len(vectors)]
        assert measures["overlap"][replicate] == pytest.approx(len(vectors & set(ranked)) / len(vectors))
        weight = {i: sum(abs(a) for a in machine.dual_coef_[:, k]) for k, i in enumerate(machine.support_)}
        rho = stats.spearmanr(list(weight.values()), [scores[i] for i in weight]).statistic
        assert measures["correlation"][replicate] == pytest.approx(rho)
        subset = SVC(C=1.0, gamma=0.1).fit(X[sorted(ranked)], y[sorted(ranked)])
        assert measures["sensitive"][replicate] == subset.score(X_test, y_test)
    assert [len(measures["quantiles"][group]) for group in support_vectors.GROUPS] == [101] * 3


# Readings of eq 37


def test_readings_are_those_of_the_estimator_but_for_random_ranks():
    X, y, *_ = approximation.halves(IRIS)
    by_reading = readings.sensitivities_by_reading(X, y, 5, 2, 3)
    assert tuple(by_reading) == readings.READINGS
    for weight in sensitivity.WEIGHTS:
        expected = approximation.sensitivities(X, y, 5, 2, 3, weight)
        np.testing.assert_allclose(by_reading[weight], expected, atol=1e-15)
    forest = GuidedRandomForestClassifier(5, max_features=2, random_state=3).fit(X, y)
    leaves, order = forest.apply(X), np.random.default_rng([3, 1])
    expected = np.zeros(len(y))
    for k, tree in enumerate(forest.trees_):
        theta, seen = np.zeros(len(y)), {}
        for i in order.permutation(len(y)):  # the rank of a row: how many of its leaf came before it
            seen[leaves[i, k]] = seen.get(leaves[i, k], 0) + 1
            theta[i] = tree.heights()[leaves[i, k]] / seen[leaves[i, k]]
        expected += np.log1p(theta / np.array([theta[y == c].sum() for c in range(3)])[y]) / 5
    np.testing.assert_allclose(by_reading["random rank"], expected, atol=1e-15)


def test_a_half_by_each_reading():
    forests, machines = {IRIS: {"max_features": 2}}, {IRIS: {"C": 1.0, "gamma": 0.1}}
    keys = readings.subset_keys(forests, machines, 5, 2, 3, 1)
    halves = [(0, 0), (1, 0), (None, 0), (None, 1), (None, 2)]
    assert [(key["half"], key["replicate"]) for key in keys] == halves
    by_reading = readings.subset_readings(keys[0], 4)
    json.dumps(by_reading, allow_nan=False)
    assert by_reading == readings.subset_readings(keys[0], 4)
    X, y, X_test, y_test = approximation.split(IRIS, 0)
    machine = SVC(C=1.0, gamma=0.1).fit(X, y)
    assert (by_reading["vectors"], by_reading["accuracy"]) == (
        len(machine.support_) / len(X),
        machine.score(X_test, y_test),
    )
    scores = readings.sensitivities_by_reading(X, y, 5, 2, 4)["random rank"]
    highest = sorted(np.argsort(-scores, kind="stable")[: len(machine.support_)])
    measures = by_reading["readings"]["random rank"]
    assert measures["overlap"] == pytest.approx(np.isin(machine.support_, highest).mean())
    assert measures["sensitive"] == SVC(C=1.0, gamma=0.1).fit(X[highest], y[highest]).score(X_test, y_test)
    assert 0 <= by_reading["random"] <= 1


# Ways to choose


def test_farthest_first_against_brute_force():
    X = np.random.default_rng(5).normal(size=(40, 3))
    chosen = selection.farthest_first(X, 12, 7)
    assert chosen[0] == 7
    for k in range(1, 12):
        gaps = [min(np.linalg.norm(x - X[c]) for c in chosen[:k]) for x in X]
        assert chosen[k] == int(np.argmax(gaps))
    doubled = selection.farthest_first(np.repeat(X[:3], 2, axis=0), 6, 0)
    assert sorted(doubled) == list(range(6))


def test_leverage_is_the_diagonal_of_the_hat_matrix():
    X = np.random.default_rng(6).normal(size=(30, 4))
    A = np.column_stack([np.ones(30), X])
    assert selection.leverage_scores(X) == pytest.approx(np.diag(A @ np.linalg.pinv(A)))
    collinear = np.column_stack([X, X[:, 0] + X[:, 1]])
    assert selection.leverage_scores(collinear) == pytest.approx(selection.leverage_scores(X))


def test_margins_are_lowest_where_the_label_is_wrong():
    X, y, *_ = approximation.halves(IRIS)
    wrong = y.copy()
    wrong[5] = (y[5] + 1) % 3
    margin = selection.margins(X, wrong, 0)
    assert margin.argmin() == 5
    assert margin.max() <= 1 or np.isinf(margin.max())
