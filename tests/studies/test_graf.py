"""The experiments with GRAF and the paper's general statements."""

import json

import numpy as np
import pytest

from studylib.datasets import make_random_rbf
from studylib.graf import GuidedRandomForestClassifier, impurity
from studylib.studies.graf import experiments, properties

SEEDS = range(6)
KEY = {
    "data": "2 classes, 10 centroids", "data_seed": 1, "method": "GRAF", "n_train": 200, "n_models": 4,
    "n_groups": 2, "n_estimators": 6, "max_features": 5, "stages": [2, 6],
}  # fmt: skip


@pytest.mark.parametrize("method", experiments.METHODS)
def test_decomposition_is_repeatable_and_adds_up(method):
    key = KEY | {"method": method, "stages": [2, 6] if method == "GRAF" else None}
    found = experiments.decomposition(key, 3)
    assert json.dumps(found, allow_nan=False) == json.dumps(experiments.decomposition(key, 3))
    error, bias2, variance = (np.array(found[name]) for name in ("error", "bias2", "variance"))
    assert error.shape == (2, 2 if method == "GRAF" else 1)
    assert error == pytest.approx(bias2 + variance, abs=1e-12)


def test_last_stage_is_the_whole_forest():
    whole = experiments.decomposition(KEY | {"stages": None}, 3)
    staged = experiments.decomposition(KEY, 3)
    assert [group[-1] for group in staged["error"]] == [group[0] for group in whole["error"]]


def test_halves_are_disjoint_and_the_same_each_time():
    X, _, X_test, _ = experiments.rbf_halves("5 classes, 50 centroids", 2)
    assert X.shape == X_test.shape == (5000, 10)
    assert not {row.tobytes() for row in X} & {row.tobytes() for row in X_test}
    experiments.rbf_halves.cache_clear()
    assert np.array_equal(experiments.rbf_halves("5 classes, 50 centroids", 2)[0], X)


@pytest.mark.parametrize("extend", [True, False])
def test_strengths_are_repeatable(extend):
    key = {"data": "5 classes, 10 centroids", "data_seed": 1, "max_features": 3, "n_models": 2,
           "n_estimators": 5, "extend": extend}  # fmt: skip
    found = experiments.strengths(key, 0)
    assert found == experiments.strengths(key, 1)  # the seed of the key plays no part
    assert all(len(values) == 2 for values in found.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_properties_of_the_paper_hold_on_small_forests(seed):
    forest, X, y = properties.small_forest(seed)
    everywhere = np.random.default_rng(seed).uniform(-3, 3, (200, X.shape[1]))
    assert properties.nothing_is_empty(forest, everywhere)
    assert properties.within_partition_bound(forest)
    assert properties.votes_like_a_majority(forest, everywhere)
    assert properties.is_boosting(forest, X, y)
    assert properties.split_share(forest) > 0.9
    assert properties.purity_gains(forest, X, y) >= 0


def test_a_local_tree_is_not_algorithm_1():
    held = []
    for seed in SEEDS:
        forest, X, y = properties.small_forest(seed, extend=False)
        held.append(properties.is_boosting(forest, X, y))
    assert not all(held)


def test_counts_of_nodes_by_a_loop():
    forest, X, y = properties.small_forest(3)
    leaves = forest.apply(X)
    for t, tree in enumerate(forest.trees_):
        codes = tree.codes()
        counts = properties.node_counts(tree, leaves[:, t], y, len(forest.classes_))
        mine = forest.codes(X)[:, t]
        for node in range(0, len(codes), 7):
            inside = [label for label, code in zip(y, mine, strict=True) if code.startswith(codes[node])]
            assert counts[node].tolist() == np.bincount(inside, minlength=len(forest.classes_)).tolist()
        assert counts.sum(axis=1).tolist() == tree.n_samples.tolist()


def test_impurity_is_not_superadditive():
    totals = np.array([2, 6])
    whole, first, second = (impurity(np.array(c), totals) for c in ((2, 1), (1, 1), (1, 0)))
    assert round(whole, 3) == 0.735
    assert round(first + second, 3) == 0.750


def test_class_weights_do_nothing_where_leaves_are_pure():
    found = properties.class_weight_gain({"replicate": 0, "min_samples_split": 2, "rare": 0.1}, 1)
    assert found["with"] == found["without"]


def test_forest_takes_the_parameters_that_it_is_given():
    forest, _, _ = properties.small_forest(0, n_estimators=2, hyperplane="guided")
    assert isinstance(forest, GuidedRandomForestClassifier)
    assert (forest.n_estimators, forest.hyperplane) == (2, "guided")


def test_decomposition_table_has_a_row_for_every_stage_and_part():
    key = KEY | {"stages": [2, 4], "n_models": 2, "n_groups": 1}
    found = experiments.decomposition(key, 1)
    table = experiments.decomposition_table([key], [found])
    assert len(table) == 6
    row = table[(table["trees"] == 4) & (table["part"] == "bias²")].iloc[0]
    assert row["per cent"] == 100 * found["bias2"][0][1]
    assert (row["method"], row["data"]) == (key["method"], key["data"])


def test_strength_table_has_a_row_for_every_model():
    key = {
        "data": "2 classes, 10 centroids", "data_seed": 1, "max_features": 3, "n_models": 2, "n_estimators": 3,
        "extend": True,
    }  # fmt: skip
    found = experiments.strengths(key, 1)
    table = experiments.strength_table([key, key | {"data_seed": 2}], [found, found])
    assert table["model"].tolist() == [0, 1, 0, 1]
    assert table["data_seed"].tolist() == [1, 1, 2, 2]
    assert table["strength"].tolist() == 2 * found["strength"]


def test_strength_where_a_class_has_no_centroid():
    """Trees vote for indices of the classes that are there; they were once compared with the labels."""
    name, data_seed = "5 classes, 10 centroids", 5
    _, y = make_random_rbf(10_000, 10, 5, 10, data_seed)
    assert len(np.unique(y)) == 4
    key = {
        "data": name,
        "data_seed": data_seed,
        "max_features": 5,
        "n_models": 1,
        "n_estimators": 5,
        "extend": True,
    }
    found = experiments.strengths(key, 0)
    assert found["strength"][0] > 0.5
    assert found["error"][0] == pytest.approx(found["test_error"][0], abs=0.05)
