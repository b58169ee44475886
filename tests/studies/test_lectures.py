"""The lectures' statements as tasks: repeatable, plain, and about what they say."""

import json

import numpy as np
import pytest

from studylib.studies.forest_lecture import experiments as single
from studylib.studies.nonlinear_lecture import experiments as ensembles
from studylib.trees import RandomForestClassifier, TreePredictor

TASKS = [
    (single.boolean_functions, {"n_variables": 2, "first": 0, "last": 16}),
    (single.approximation, {"function": "sine", "leaves": [2, 16], "replicate": 0}),
    (single.flipped_node, {"replicate": 0}),
    (single.overfitting, {"depths": [2, 8], "replicate": 0}),
    (single.pruning, {"noise": 0.2, "replicate": 0}),
    (single.costs, {"n": 200, "replicate": 0}),
    (single.smoothing, {"noise": 0.2, "replicate": 0}),
    (single.discretised, {"data": "digits", "replicate": 0}),
    (ensembles.neighbours, {"ks": [1, 15], "replicate": 0}),
    (ensembles.instability, {"n_estimators": 5, "replicate": 0}),
    (ensembles.tree_and_forest, {"noise": 0.2, "n_estimators": 5, "replicate": 0}),
    (ensembles.out_of_bag, {"n_samples": 400, "n_estimators": 30, "replicate": 0}),
    (ensembles.pruned_forest, {"noise": 0.2, "n_estimators": 5, "replicate": 0}),
    (ensembles.counted_speed_up, {"n_trees": 20, "threads": [1, 2, 4], "replicate": 0}),
    (ensembles.boosting_rounds, {"n_estimators": 10, "replicate": 0}),
    (ensembles.boosting_bias, {"rounds": [1, 5], "n_models": 3, "replicate": 0}),
    (ensembles.reliability, {"n_estimators": 20, "replicate": 0}),
]


@pytest.mark.parametrize(("task", "key"), TASKS, ids=lambda value: getattr(value, "__name__", ""))
def test_tasks_are_repeatable_plain_data(task, key):
    assert json.dumps(task(key, 5), allow_nan=False) == json.dumps(task(key, 5))


@pytest.mark.parametrize("seed", range(5))
def test_what_the_lectures_say_of_every_tree_holds(seed):
    assert single.leaves_are_boxes(seed)
    assert single.pruning_on_training_data_does_nothing(seed)
    assert single.ranking_is_convex(seed)
    assert single.mixed_leaves_take_the_majority(seed)
    assert single.empty_leaves_take_the_parents_majority(seed)
    assert single.entropy_is_bounded(np.random.default_rng(seed))


def test_truth_table_has_every_row_once():
    table = single.truth_table(3)
    assert table.shape == (8, 3)
    assert len(np.unique(table, axis=0)) == 8


def test_walk_without_a_flip_is_predict_and_a_flipped_root_mirrors_the_stump():
    X, X_test, y, _ = single.noisy_split(1, 400)
    tree = TreePredictor().fit(X, y)
    labels, below = single._walk(tree, X_test, -1)
    assert np.array_equal(labels, tree.predict(X_test))
    assert not below.any()
    stump = TreePredictor(max_depth=1).fit(X, y)
    labels, below = single._walk(stump, X_test, 0)
    assert np.array_equal(labels, 1 - stump.predict(X_test))
    assert below.all()


def test_weighted_ratio_of_square_root_gini_is_invariant_and_ginis_is_not():
    def gini(p):
        return (p * (1 - p)).sum()

    parent, child, factor = np.array([30, 20]), np.array([10, 2]), np.array([1, 7])
    for index, moves in ((lambda p: np.sqrt(gini(p)), False), (gini, True)):
        before = single.impurity_ratio(index, parent, child, weighted=True)
        after = single.impurity_ratio(index, parent * factor, child * factor, weighted=True)
        assert (abs(after - before) > 1e-6) == moves


def test_counted_work_of_one_thread_is_no_speed_up():
    found = ensembles.counted_speed_up({"n_trees": 20, "threads": [1, 2], "replicate": 0}, 3)["speed_up"]
    assert found[0] == 1.0
    assert 1.0 < found[1] <= 2.0


def test_boosting_rounds_are_the_estimators_own():
    found = ensembles.boosting_rounds({"n_estimators": 10, "replicate": 0}, 4)
    epsilon, z, mass = (np.array(found[name]) for name in ("epsilon", "z", "mass"))
    assert z == pytest.approx(2 * np.sqrt(epsilon * (1 - epsilon)), abs=1e-12)
    assert mass == pytest.approx(np.full(len(mass), 0.5), abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.01, 0.2, 0.49])
def test_alpha_minimises(epsilon):
    assert ensembles.alpha_minimises(epsilon) < 1e-6


def test_regression_as_a_classifier_cuts_at_one_half():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = ensembles.RegressionClassifier().fit(X, np.array(["a", "a", "b", "b"]))
    assert model.predict(X).tolist() == ["a", "a", "b", "b"]


def test_votes_of_a_pruned_forest_without_pruning_are_the_forests_own():
    X, X_test, y, _ = single.noisy_split(2, 400)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    votes = sum((tree.predict(X_test) == 1).astype(int) for tree in forest.estimators_)
    assert np.array_equal((votes > 2.5).astype(int), forest.predict(X_test))


def test_seconds_are_told_for_one_thread_and_several():
    found = ensembles.seconds_by_threads(200, 2)
    assert set(found) == {1, 2}
    assert all(seconds > 0 for part in found.values() for seconds in part.values())
