"""Very deep trees, and trees in words."""

import copy
import math
import pickle
import re
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from studylib.trees import MISSING, EqualityCondition, MembershipCondition, ThresholdCondition, TreePredictor
from tests.trees.support import assert_same_tree, mushrooms

# Depth


def test_chain_deeper_than_the_recursion_limit_is_written_and_pickled():
    """A tree as deep as it has samples: alternating labels, of which Gini peels off one at a time."""
    X = np.arange(2000.0)[:, None]
    tree = TreePredictor("gini").fit(X, np.arange(2000) % 2)
    assert tree.depth_ > sys.getrecursionlimit()
    assert len(tree.to_text().splitlines()) == tree.n_nodes_ - 1  # the root has no line
    deepest = int(np.argmax(tree.nodes_["depth"][tree.apply(X)]))
    lines = tree.explain(X[deepest]).splitlines()
    assert len(lines) == tree.depth_ + 1
    assert lines[-1].startswith("→ ")
    assert_same_tree(pickle.loads(pickle.dumps(tree)), tree)
    assert clone(tree).get_params() == tree.get_params()


# Words


@pytest.fixture
def small():
    X = pd.DataFrame(
        {
            "height": [3.0, 9.0, 4.0, 8.0, np.nan, np.nan],
            "cap": ["flat", "bell", "bell", "flat", "bell", None],
        }
    )
    return TreePredictor().fit(X, ["edible", "poisonous", "edible", "poisonous", "poisonous", "edible"]), X


def test_text_of_a_small_tree(small):
    tree, _ = small
    assert tree.to_text().splitlines() == [
        "height ≤ 6 → edible  (2 samples)",
        "height > 6 (or missing):",
        "  cap is missing → edible  (1 sample)",
        "  cap is known → poisonous  (3 samples)",
    ]


def test_text_down_to_a_depth_names_the_majority_below(small):
    tree, _ = small
    lines = tree.to_text(max_depth=0).splitlines()
    assert lines == [
        "height ≤ 6 → edible  (2 samples)",
        "height > 6 (or missing): … mostly poisonous  (4 samples, 75.0% of them)",
    ]
    assert tree.to_text(max_depth=9) == tree.to_text()


def test_text_of_a_lone_root_and_of_an_equality_tree():
    assert TreePredictor().fit([[1.0], [2.0]], ["a", "a"]).to_text() == "→ a  (2 samples)"
    X = pd.DataFrame({"n": [1.0, 2.0, 2.0], "c": ["u", "u", "v"]})
    equality = {"continuous_condition": "equality", "categorical_condition": "equality"}
    tree = TreePredictor(**equality).fit(X, [0, 1, 2])
    assert tree.to_text().splitlines() == [
        "n = 1 → 0  (1 sample)",
        "n ≠ 1:",
        "  c = 'u' → 1  (1 sample)",
        "  c ≠ 'u' → 2  (1 sample)",
    ]


def test_text_asks_whether_a_number_is_known():
    X, y = [[1.0], [math.nan]], ["known", "gap"]
    lines = TreePredictor().fit(X, y).to_text().splitlines()
    assert lines == ["x0 is known → known  (1 sample)", "x0 is missing → gap  (1 sample)"]


def test_text_marks_where_missing_numbers_may_be():
    """Until the path says whether they are there: then "(or missing)" would be wrong."""
    X = [[1.0], [2.0], [3.0], [math.nan]]
    assert TreePredictor().fit(X, list("abcd")).to_text().splitlines() == [
        "x0 ≤ 2.5:",
        "  x0 ≤ 1.5 → a  (1 sample)",
        "  x0 > 1.5 → b  (1 sample)",
        "x0 > 2.5 (or missing):",
        "  x0 is known → c  (1 sample)",
        "  x0 is missing → d  (1 sample)",
    ]


def test_text_tells_close_thresholds_apart():
    X = [[1000000.0], [1000001.0], [1000002.0]]
    tree = TreePredictor().fit(X, [0, 1, 0])
    thresholds = re.findall(r"≤ ([\d.]+)", tree.to_text())
    assert len(thresholds) == len(set(thresholds)) == 2


def test_explanation_of_a_sample(small):
    tree, X = small
    expected = ["1. height ≤ 6  (here 3.0)", "→ edible  (2 samples)"]
    assert tree.explain(X.iloc[[0]]).splitlines() == expected
    assert tree.explain(X.iloc[0]).splitlines() == expected
    assert tree.explain(X.iloc[[1]]).splitlines() == [
        "1. height > 6  (here 9.0)",
        "2. cap is known  (here bell)",
        "→ poisonous  (3 samples)",
    ]


def test_explanation_of_a_missing_number_does_not_call_it_large(small):
    tree, X = small
    first = tree.explain(X.iloc[[4]]).splitlines()[0]
    assert first.endswith("(here missing)")
    assert first != "1. height > 6  (here missing)"


def test_explanation_of_a_list_and_of_an_array():
    tree = TreePredictor().fit([[1.0, 5.0], [2.0, 5.0]], [0, 1])
    expected = "1. x0 ≤ 1.5  (here 1.0)\n→ 0  (1 sample)"
    for x in ([1.0, 5.0], (1, 5), np.array([1.0, 5.0]), np.array([[1.0, 5.0]])):
        assert tree.explain(x).replace("here 1)", "here 1.0)") == expected


# Conditions


@pytest.mark.parametrize("categorical", ["membership", "equality"])
@pytest.mark.parametrize("continuous", ["threshold", "equality"])
def test_conditions_route_raw_values_as_the_tree_does(continuous, categorical):
    X, y = mushrooms(100)
    tree = TreePredictor(continuous_condition=continuous, categorical_condition=categorical).fit(X, y)
    new = pd.concat([X, mushrooms(40, seed=1)[0]], ignore_index=True)
    new.loc[len(new) - 10 :, "cap"] = "never seen"
    new.loc[len(new) - 15 :, ["height", "ring"]] = [np.nan, None]
    leaves = tree.apply(new)
    asked = set()
    for i, row in enumerate(new.itertuples(index=False)):
        node = 0
        while (condition := tree.condition(node)) is not None:
            asked.add(node)
            record = tree.nodes_[node]
            node = int(record["first_child"]) + condition.test(row[record["feature"]])
        assert node == leaves[i]
    assert asked == set(np.flatnonzero(tree.nodes_["feature"] >= 0))


@pytest.mark.parametrize("void", [None, math.nan, np.float64("nan"), pd.NA, pd.NaT])
def test_conditions_take_every_kind_of_missing_value(void):
    assert ThresholdCondition(1.0).test(void) == 0
    assert ThresholdCondition(math.inf).test(void) == 0
    assert MembershipCondition(("a", "b")).test(void) == 0
    assert MembershipCondition(("a", MISSING)).test(void) == 1
    assert EqualityCondition("a").test(void) == 0
    assert EqualityCondition(MISSING).test(void) == 1


@pytest.mark.parametrize("how", [pickle.dumps, copy.deepcopy], ids=["pickled", "copied"])
def test_conditions_about_what_is_missing_stay_equal(how):
    for condition in (EqualityCondition(MISSING), MembershipCondition(("a", MISSING))):
        again = how(condition)
        again = pickle.loads(again) if isinstance(again, bytes) else again
        assert again == condition
        assert hash(again) == hash(condition)
        assert again not in (EqualityCondition("a"), MembershipCondition((MISSING,)), MISSING)


def test_conditions_in_words():
    assert ThresholdCondition(0.25).describe("x", 1) == "x ≤ 0.25"
    assert ThresholdCondition(0.25).describe("x", 0) == "x > 0.25"
    assert ThresholdCondition(math.inf).describe("x", 1) == "x is known"
    assert ThresholdCondition(math.inf).describe("x", 0) == "x is missing"
    assert MembershipCondition(("a", MISSING)).describe("x", 1) == "x ∈ {'a', missing}"
    assert MembershipCondition(("a", 3)).describe("x", 0) == "x ∉ {'a', 3}"
    assert MembershipCondition((MISSING,)).describe("x", 1) == "x is missing"
    assert EqualityCondition(2.5).describe("x", 1) == "x = 2.5"
    assert EqualityCondition("a").describe("x", 0) == "x ≠ 'a'"
    assert EqualityCondition(MISSING).describe("x", 0) == "x is known"
