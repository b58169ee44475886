"""The lectures' statements as tasks: repeatable, plain, and about what they say."""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest

from studylib.datasets import load_restaurant
from studylib.studies import replicates
from studylib.studies.forest_lecture import by_hand, experiments, speed_up
from studylib.studies.nonlinear_lecture import as_printed
from studylib.studies.nonlinear_lecture import properties as properties_2
from studylib.studies.nonlinear_lecture import tables as tables_2
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


def test_speed_up_is_the_mean_ratio_of_runs_that_took_turns():
    seconds = {"training": {"1": [2.0, 4.0, 9.0], "2": [1.0, 4.0, 3.0]}}
    assert speed_up.speed_ups(seconds) == {"training": {"1": 1.0, "2": 2.0}}


def test_effects_of_weights_name_the_sets_and_the_differences_in_points():
    pairs = {
        name: {"first": np.array([d, d + 0.001, d - 0.001]), "second": np.zeros(3)}
        for name, d in (("a", 0.1), ("b", -0.2), ("c", 0.0))
    }
    effects = tables_2.effects(pairs)
    assert (effects["lower"], effects["higher"], effects["undecided"]) == ("a", "b", "c")
    half = 4.302653 * 0.1 * np.sqrt(1 / 3 + 0.3 / 0.7)  # Nadeau and Bengio
    assert effects["differences"].startswith(f"a 10.00 ({10 - half:.2f} … {10 + half:.2f}); b -20.00 (")
    assert tables_2.effects({"c": pairs["c"]})["lower"] == "none"


def test_best_split_as_printed_finds_golfs_wind_and_nothing_for_xor():
    rows, play = (
        [("high", "weak"), ("normal", "weak"), ("normal", "strong"), ("high", "strong")],
        [1, 1, 0, 0],
    )
    assert as_printed.best_split(rows, play) == 1
    assert as_printed.best_split(rows, [1, 0, 1, 0]) is None
    assert as_printed.gini([1, 1, 0]) == 2 * as_printed.Fraction(2, 9)
    splits = as_printed.splits_of_boolean_functions(2)
    assert (len(splits), splits.count(False)) == (14, 2)


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
