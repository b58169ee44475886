"""The lectures' statements as tasks: repeatable, plain, and about what they say."""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest

from studylib.datasets import load_restaurant
from studylib.studies import replicates
from studylib.studies.forest_lecture import by_hand, experiments, speed_up, tables
from studylib.studies.nonlinear_lecture import as_printed, forests
from studylib.studies.nonlinear_lecture import experiments as experiments_2
from studylib.studies.nonlinear_lecture import properties as properties_2
from studylib.studies.nonlinear_lecture import tables as tables_2
from studylib.study.measured import tidy
from studylib.trees import TreePredictor


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


def test_regression_as_a_classifier_cuts_at_one_half():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = experiments.RegressionClassifier().fit(X, np.array(["a", "a", "b", "b"]))
    assert model.predict(X).tolist() == ["a", "a", "b", "b"]


def test_repeat_crosses_conditions_and_replicates():
    def frame(task, keys):
        return tidy(keys, [task(key, 0) for key in keys])

    def task(key, seed):
        return {"sum": key["a"] + key["b"] + key["replicate"], "nested": {"twice": 2 * key["a"]}}

    found = replicates.repeat(frame, task, 2, over={"a": [10, 20]}, b=100)
    assert found["sum"].tolist() == [110, 111, 120, 121]
    assert found["nested: twice"].tolist() == [20, 20, 40, 40]
    assert replicates.series(pd.Series([[1, 2], [3, 4]]), ["x", "y"])["y"].tolist() == [2, 4]


def test_log_slopes_are_the_exponents():
    n = np.array([10, 100, 1000])
    table = pd.DataFrame({"replicate": np.repeat([0, 1], 3), "n": [*n, *n], "work": [*n**2, *n**0.5]})
    assert replicates.log_slopes(table, "n", "work") == pytest.approx([2.0, 0.5])


def test_slope_is_that_of_least_squares_and_keeps_its_bits_in_any_order():
    rng = np.random.default_rng(0)
    for _ in range(50):
        x, y = rng.normal(size=(2, 9)) * [[1e3], [1e-3]]
        assert replicates.slope(x, y) == pytest.approx(np.polyfit(x, y, 1)[0], rel=1e-9)
        order = rng.permutation(9)
        assert replicates.slope(x[order], y[order]) == replicates.slope(x, y)


def test_attributes_are_counted_by_their_printed_values():
    restaurant = load_restaurant()
    assert by_hand.attribute_kinds(restaurant.data) == [6, 3, 1]
    renamed = restaurant.data.rename(columns={"WaitEstimate": "a", "Type": "WaitEstimate"})
    assert by_hand.attribute_kinds(renamed) == [6, 3, 1]  # no name decides
    table = pd.DataFrame(
        {"a": [1, 2, 3], "b": ["1-2", "3-4", ">5"], "c": ["x", "y", "x"], "d": ["x", "1", "2"]}
    )
    assert by_hand.attribute_kinds(table) == [1, 1, 2]


def test_trees_that_ask_as_many_questions_are_equally_good():
    assert by_hand.fewest({"ID3": 1.9, "first attribute": 2.0}) == "ID3"
    assert by_hand.fewest({"ID3": 2.0, "first attribute": 2.0}) != "ID3"


def test_overfitting_is_two_parts_gap_and_slope():
    depths = [1, 3, 5]
    gap = pd.DataFrame([[0.1, 0.2, 0.3], [0.0, 0.2, 0.4]], columns=depths)
    found = pd.DataFrame({"test grown": [0.4, 0.5], "train grown": [0.0, 0.1]})
    parts = tables.overfitted(found, gap)
    assert parts["slope in depth"] == pytest.approx([0.05, 0.1])
    assert list(parts["gap at full depth"]["first"] - parts["gap at full depth"]["second"]) == [0.4, 0.4]


def test_speed_up_is_the_mean_ratio_of_runs_that_took_turns():
    seconds = {"training": {"1": [2.0, 4.0, 9.0], "2": [1.0, 4.0, 3.0]}}
    assert speed_up.speed_ups(seconds) == {"training": {"1": 1.0, "2": 2.0}}


def test_weighted_votes_use_the_same_trees_as_plain_ones():
    found = forests.weighted_votes({"data": "digits", "n_estimators": 7, "replicate": 0}, 3)
    X, y = forests.small_set("digits")
    X, X_test, y, y_test = experiments_2.train_test_split(X, y, test_size=0.3, stratify=y, random_state=3)
    for name, weighted in (("plain", False), ("weighted", True)):
        forest = experiments.forest(7, weighted_votes=weighted, random_state=3).fit(X, y)
        assert found[name] == experiments.error(forest, X_test, y_test)


def test_effects_of_weights_name_the_sets_and_the_differences_in_points():
    pairs = {
        name: {"first": np.array([d, d + 0.001, d - 0.001]), "second": np.zeros(3)}
        for name, d in (("a", 0.1), ("b", -0.2), ("c", 0.0))
    }
    found = tables_2.effects(pairs)
    assert (found["lower"], found["higher"], found["undecided"]) == ("a", "b", "c")
    half = 4.302653 * 0.1 * np.sqrt(1 / 3 + 0.3 / 0.7)  # Nadeau and Bengio
    assert found["differences"].startswith(f"a 10.00 ({10 - half:.2f} … {10 + half:.2f}); b -20.00 (")
    assert tables_2.effects({"c": pairs["c"]})["lower"] == "none"


def test_rank_correlation_of_subsets_is_high_where_few_features_tell_all():
    key = {"data": "5 of 20 features", "n_subsets": 30, "n_estimators": 15, "replicate": 0}
    assert forests.feature_subsets(key, 1)["correlation"] > 0.6


def test_cost_slopes_are_zero_for_n_log_n_and_positive_for_squares():
    n = np.array([100, 1000, 10000])
    frames = [
        pd.DataFrame({"replicate": r, "noise": noise, "n": n, "growing": 7 * n * np.log2(n), "pruning": n**2})
        for r in range(2)
        for noise in experiments_2.COST_NOISES.values()
    ]
    work = pd.concat(frames)
    for slopes in tables_2.cost_slopes(work, "growing").values():
        assert slopes == pytest.approx([0, 0], abs=1e-12)
    assert tables_2.plain_slopes(work, "pruning")["slope of the work, clean labels"] == pytest.approx(2)


def test_losses_of_smoothed_shares_are_those_computed_by_hand():
    found = experiments_2.smoothing({"noise": 0.2, "replicate": 0}, 2)
    X, X_test, y, y_test = experiments.noisy_split(2, noise=0.2)
    for name, laplace in (("raw", 0.0), ("smoothed", 1.0)):
        tree = TreePredictor(min_samples_split=10, laplace=laplace).fit(X, y)
        share = tree.predict_proba(X_test)[:, 1]
        assert found["Brier score"][name] == pytest.approx(np.mean((share - y_test) ** 2))
        right = np.clip(np.where(y_test == 1, share, 1 - share), 0.001, 0.999)
        assert found["log-loss"][name] == pytest.approx(-np.log(right).mean())


def test_best_split_as_printed_finds_golfs_wind_and_nothing_for_xor():
    rows, play = (
        [("high", "weak"), ("normal", "weak"), ("normal", "strong"), ("high", "strong")],
        [1, 1, 0, 0],
    )
    assert as_printed.best_split(rows, play) == 1
    assert as_printed.best_split(rows, [1, 0, 1, 0]) is None
    assert as_printed.gini([1, 1, 0]) == 2 * as_printed.Fraction(2, 9)
    found = as_printed.splits_of_boolean_functions(2)
    assert (len(found), found.count(False)) == (14, 2)


def test_the_advice_not_to_expand_labels_functions_of_one_variable_only():
    rows = [(0, 0), (0, 1), (1, 0), (1, 1)]
    right = {labels: as_printed.labelled_right(rows, labels) for labels in product([0, 1], repeat=4)}
    assert {labels for labels in right if len(set(labels)) > 1 and right[labels] == 4} == {
        (0, 0, 1, 1), (1, 1, 0, 0), (0, 1, 0, 1), (1, 0, 1, 0),
    }  # fmt: skip
    assert right[0, 0, 0, 1] == 3  # AND stays at its root, as XOR does
    assert right[0, 1, 1, 0] == 2
    assert as_printed.advice_labels_all(2).count(True) == 4


def test_votes_of_a_forest_are_weighted_as_the_lecture_says(monkeypatch):
    assert all(properties_2.votes_weigh_accuracy_out_of_bag(seed) for seed in range(3))
    plain = partial(experiments.forest, weighted_votes=False)
    monkeypatch.setattr(properties_2, "forest", lambda n, weighted_votes, **more: plain(n, **more))
    assert not properties_2.votes_weigh_accuracy_out_of_bag(0)
