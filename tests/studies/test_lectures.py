"""The lectures' statements as tasks: repeatable, plain, and about what they say."""

import json

import numpy as np
import pandas as pd
import pytest

from studylib.studies import replicates
from studylib.studies.forest_lecture import experiments, judging, properties
from studylib.studies.nonlinear_lecture import experiments as experiments_2
from studylib.studies.nonlinear_lecture import judging as judging_2
from studylib.studies.nonlinear_lecture import properties as properties_2
from studylib.trees import RandomForestClassifier, TreePredictor

TASKS = [
    (experiments.boolean_functions, {"n_variables": 2, "first": 0, "last": 16}),
    (experiments.approximation, {"function": "sine", "leaves": [2, 16], "replicate": 0}),
    (experiments.flipped_node, {"replicate": 0}),
    (experiments.overfitting, {"depths": [2, 8], "replicate": 0}),
    (experiments_2.pruning, {"noise": 0.2, "replicate": 0}),
    (experiments_2.costs, {"n": 200, "replicate": 0}),
    (experiments_2.smoothing, {"noise": 0.2, "replicate": 0}),
    (experiments_2.discretised, {"data": "digits", "replicate": 0}),
    (experiments.neighbours, {"ks": [1, 15], "replicate": 0}),
    (experiments.instability, {"n_estimators": 5, "replicate": 0}),
    (experiments_2.tree_and_forest, {"noise": 0.2, "n_estimators": 5, "replicate": 0}),
    (experiments_2.out_of_bag, {"n_samples": 400, "n_estimators": 30, "replicate": 0}),
    (experiments_2.pruned_forest, {"noise": 0.2, "n_estimators": 5, "replicate": 0}),
    (experiments.counted_speed_up, {"n_trees": 20, "threads": [1, 2, 4], "replicate": 0}),
    (experiments_2.boosting_rounds, {"n_estimators": 10, "replicate": 0}),
    (experiments_2.boosting_bias, {"rounds": [1, 5], "n_models": 3, "replicate": 0}),
    (experiments_2.reliability, {"n_estimators": 20, "replicate": 0}),
]


@pytest.mark.parametrize(("task", "key"), TASKS, ids=lambda value: getattr(value, "__name__", ""))
def test_tasks_are_repeatable_plain_data(task, key):
    assert json.dumps(task(key, 5), allow_nan=False) == json.dumps(task(key, 5))


@pytest.mark.parametrize("seed", range(5))
def test_what_the_lectures_say_about_every_tree_holds(seed):
    assert properties.leaves_are_boxes(seed)
    assert properties_2.pruning_on_training_data_does_nothing(seed)
    assert properties_2.ranking_is_convex(seed)
    assert properties.mixed_leaves_take_the_majority(seed)
    assert properties.empty_leaves_take_the_parents_majority(seed)
    assert all(properties.entropy_bound_holds(20, seed))


def test_truth_table_has_every_row_once():
    table = experiments.truth_table(3)
    assert table.shape == (8, 3)
    assert len(np.unique(table, axis=0)) == 8


def test_walk_without_a_flip_is_predict_and_a_flipped_root_mirrors_the_stump():
    X, X_test, y, _ = experiments.noisy_split(1, 400)
    tree = TreePredictor().fit(X, y)
    labels, below = experiments._walk(tree, X_test, -1)
    assert np.array_equal(labels, tree.predict(X_test))
    assert not below.any()
    stump = TreePredictor(max_depth=1).fit(X, y)
    labels, below = experiments._walk(stump, X_test, 0)
    assert np.array_equal(labels, 1 - stump.predict(X_test))
    assert below.all()


def test_weighted_ratio_of_square_root_gini_is_invariant_and_ginis_is_not():
    def gini(p):
        return (p * (1 - p)).sum()

    parent, child, factor = np.array([30, 20]), np.array([10, 2]), np.array([1, 7])
    for index, moves in ((lambda p: np.sqrt(gini(p)), False), (gini, True)):
        before = properties_2.impurity_ratio(index, parent, child, weighted=True)
        after = properties_2.impurity_ratio(index, parent * factor, child * factor, weighted=True)
        assert (abs(after - before) > 1e-6) == moves


def test_counted_work_of_one_thread_is_no_speed_up():
    found = experiments.counted_speed_up({"n_trees": 20, "threads": [1, 2], "replicate": 0}, 3)["speed_up"]
    assert found[0] == 1.0
    assert 1.0 < found[1] <= 2.0


def test_boosting_rounds_are_the_estimators_own():
    found = experiments_2.boosting_rounds({"n_estimators": 10, "replicate": 0}, 4)
    epsilon, z, mass = (np.array(found[name]) for name in ("epsilon", "z", "mass"))
    assert z == pytest.approx(2 * np.sqrt(epsilon * (1 - epsilon)), abs=1e-12)
    assert mass == pytest.approx(np.full(len(mass), 0.5), abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.01, 0.2, 0.49])
def test_alpha_minimises(epsilon):
    assert properties_2.alpha_minimises(epsilon) < 1e-6


def test_regression_as_a_classifier_cuts_at_one_half():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = experiments.RegressionClassifier().fit(X, np.array(["a", "a", "b", "b"]))
    assert model.predict(X).tolist() == ["a", "a", "b", "b"]


def test_votes_of_a_pruned_forest_without_pruning_are_the_forests_own():
    X, X_test, y, _ = experiments.noisy_split(2, 400)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    votes = sum((tree.predict(X_test) == 1).astype(int) for tree in forest.estimators_)
    assert np.array_equal((votes > 2.5).astype(int), forest.predict(X_test))


def test_seconds_are_told_for_one_thread_and_several():
    found = experiments.seconds_by_threads(200, 2)
    assert set(found) == {1, 2}
    assert all(seconds > 0 for part in found.values() for seconds in part.values())


def test_repeat_crosses_conditions_and_replicates():
    def run_map(task, keys):
        return [task(key, 0) for key in keys]

    def task(key, seed):
        return {"sum": key["a"] + key["b"] + key["replicate"], "nested": {"twice": 2 * key["a"]}}

    found = replicates.repeat(run_map, task, 2, over={"a": [10, 20]}, b=100)
    assert found["sum"].tolist() == [110, 111, 120, 121]
    assert found["nested: twice"].tolist() == [20, 20, 40, 40]
    assert replicates.series(pd.Series([[1, 2], [3, 4]]), ["x", "y"])["y"].tolist() == [2, 4]


def test_log_slopes_are_the_exponents():
    n = np.array([10, 100, 1000])
    table = pd.DataFrame({"replicate": np.repeat([0, 1], 3), "n": [*n, *n], "work": [*n**2, *n**0.5]})
    assert replicates.log_slopes(table, "n", "work") == pytest.approx([2.0, 0.5])


def test_tree_of_three_rules_and_xor():
    tree, agree = properties_2.tree_of_three_rules()
    assert tree.n_leaves_ == 3
    assert agree.all()
    assert properties_2.boosting_stops_on_xor()


def test_a_function_whose_error_does_not_fall_is_named():
    leaves, noise = np.array([2, 8, 32]), np.array([1.0, 1.01, 0.99, 1.02])
    steps = [
        {"function": name, "replicate": r, "leaves": n, "rms": float(n) ** slope * noise[(r * n) % 4]}
        for name, slope in (("falls", -0.5), ("rises", 0.5))
        for r in range(3)
        for n in leaves
    ]
    steps = pd.DataFrame(steps)
    judged = judging.error_falls_with_leaves(steps)
    assert (judged.verdict, judged.ours) == ("partly", "1 of 2")
    assert "does not hold for rises" in judged.reason
    assert judging.error_falls_with_leaves(steps[steps["function"] == "falls"]).verdict == "reproduced"


def test_ratios_of_impurities_are_judged_by_how_far_they_move():
    moves = properties_2.largest_ratio_moves(20)
    assert judging_2.printed_ratio_moves(moves).verdict == "not reproduced"
    assert judging_2.other_ratios_move(moves).verdict == "reproduced"
    still = moves * 0
    assert judging_2.printed_ratio_moves(still).verdict == "reproduced"
    assert judging_2.other_ratios_move(still).verdict == "not reproduced"


def test_rounds_of_boosting_are_judged_one_by_one():
    epsilon = np.array([0.1, 0.3])
    z = 2 * np.sqrt(epsilon * (1 - epsilon))
    assert judging_2.z_is_the_identity(epsilon, z).verdict == "reproduced"
    assert judging_2.z_is_the_identity(epsilon, z + np.array([0, 1e-6])).ours == "1 of 2 cases"
    assert judging_2.z_is_not_the_square_root_of_gini(epsilon, z).verdict == "not reproduced"
    assert judging_2.misclassified_weigh_half(np.array([0.5, 0.4])).ours == "1 of 2 cases"


def test_printed_values_are_exact_or_within_their_tolerance():
    assert judging.printed("l1-coin", 1.0 + 1e-15).verdict == "reproduced"
    assert judging.printed("l1-coin", 1.001).verdict == "not reproduced"
    assert judging.printed("l1-die", np.log2(6)).verdict == "reproduced"
    assert judging.printed("l1-patrons", 0.459).verdict == "not reproduced"


def test_errors_of_tree_and_forest_are_told_in_long_form():
    task = experiments_2.tree_and_forest
    found = replicates.repeat(
        lambda _, keys: [task(key, 3) for key in keys], task, 1, noise=0.2, n_estimators=5
    )
    table = experiments_2.errors_of_tree_and_forest(found)
    assert len(table) == 8
    assert set(table["part"]) == {"train", "test"}
