"""Conditions and stopping rules of the user's own."""

import itertools
import math
import pickle

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from studylib.trees import CRITERIA, BinaryCondition, MembershipCondition, TreePredictor
from tests.naive import tree as naive
from tests.trees.support import (
    LARGEST_SUBSET,
    FastInterval,
    Interval,
    Subset,
    assert_same_tree,
    mushrooms,
    plain_gini,
)
from tests.trees.test_oracle import as_frame, limits, mixed_up_rows, tables
from tests.trees.test_oracle import assert_same_tree as assert_is_naive


def naive_subsets(values):
    sizes = range(1, min(LARGEST_SUBSET, len(values)) + 1)
    return [lambda x, s=s: x in s for size in sizes for s in itertools.combinations(values, size)]


def naive_intervals(values):
    return [
        lambda x, i=i, j=j: values[i] <= x <= values[j]
        for i in range(len(values))
        for j in range(i, len(values))
    ]


def assert_grows_as(tree, expected, rows):
    """Fields and counts node by node, and the leaf of every row."""
    assert_is_naive(tree, expected, raw=None)
    assert tree.apply(rows).tolist() == [naive.find_leaf(expected, row) for row in rows.to_numpy(object)]


@pytest.mark.parametrize("which", ["subsets", "intervals", "both"])
@settings(max_examples=60)
@given(
    table=tables(max_rows=14),
    criterion=st.sampled_from(tuple(CRITERIA)),
    source=st.booleans(),
    fast=st.booleans(),
    limits=limits(),
)
def test_own_conditions_grow_the_naive_tree(which, table, criterion, source, fast, limits):
    rows, y, categorical = table
    asked, candidates = {}, {}
    if which != "intervals":
        asked["categorical_condition"] = Subset
        candidates |= dict.fromkeys(categorical, naive_subsets)
    if which != "subsets":
        asked["continuous_condition"] = FastInterval if fast else Interval
        candidates |= dict.fromkeys(set(range(len(rows[0]))) - categorical, naive_intervals)
    tree = TreePredictor(criterion, source_compatible=source, **asked, **limits)
    tree.fit(as_frame(rows, categorical), y)
    expected = naive.grow(rows, y, categorical, criterion, source=source, candidates_of=candidates, **limits)
    event(f"nodes: {min(len(expected), 9)}")
    assert_grows_as(tree, expected, as_frame(rows, categorical))
    new = as_frame(mixed_up_rows(rows, categorical), categorical)
    assert tree.apply(new).tolist() == [naive.find_leaf(expected, row) for row in new.to_numpy(object)]


@pytest.mark.parametrize(
    "index", ["gini", plain_gini, numba.njit(plain_gini)], ids=["name", "python", "njit"]
)
@pytest.mark.parametrize("max_features", [None, 2])
def test_own_conditions_go_with_every_kind_of_criterion_and_with_drawn_columns(index, max_features):
    X, y = mushrooms(80)
    parameters = {"continuous_condition": Interval, "categorical_condition": Subset, "random_state": 5}
    gini = TreePredictor("gini", max_features=max_features, **parameters).fit(X, y)
    tree = TreePredictor(index, max_features=max_features, **parameters).fit(X, y)
    assert tree.n_nodes_ > 20
    np.testing.assert_array_equal(tree.nodes_["feature"], gini.nodes_["feature"])
    np.testing.assert_allclose(tree.nodes_["gain"], gini.nodes_["gain"], atol=1e-12)
    assert tree.apply(X).tolist() == gini.apply(X).tolist()


def test_training_asks_for_distinct_values_only():
    asked = []

    class Counted(Interval):
        def test(self, value):
            asked.append(value)
            return super().test(value)

    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (500, 1)).astype(float), rng.integers(0, 2, 500)
    TreePredictor(continuous_condition=Counted, max_depth=1).fit(X, y)
    assert len(asked) == 10 * 4  # ten intervals over four values


def test_first_condition_wins_ties_and_useless_ones_are_passed_over():
    class Odd(Interval):
        @classmethod
        def candidates(cls, values):
            return [cls(-9, 9), cls(8, 9), cls(1, 2), cls(1, 1.5), cls(0, 0)]

    tree = TreePredictor(continuous_condition=Odd).fit([[0.0, 0.0], [1.0, 1.0]], ["a", "b"])
    assert tree.condition(0) == Odd(1, 2)
    assert tree.nodes_["feature"][0] == 0


def test_a_column_without_a_usable_condition_does_not_split():
    class Never(Interval):
        @classmethod
        def candidates(cls, values):
            return []

    class Always(Interval):
        @classmethod
        def candidates(cls, values):
            return [cls(-math.inf, math.inf)]

    X, y = [[0.0], [1.0], [math.nan]], [0, 1, 1]
    assert TreePredictor(continuous_condition=Never).fit(X, y).n_nodes_ == 1
    assert TreePredictor(continuous_condition=Always).fit(X[:2], y[:2]).n_nodes_ == 1
    # Beside a missing value even that one divides the node.
    tree = TreePredictor(continuous_condition=Always).fit(X, y)
    assert (tree.n_nodes_, tree.apply(X).tolist()) == (3, [2, 2, 1])


def test_missing_values_take_the_false_branch_and_are_never_asked():
    class Fearful(MembershipCondition):
        @classmethod
        def candidates(cls, values):
            assert not pd.isna(values).any()
            return [cls((value,)) for value in values]

        def test(self, value):
            assert not pd.isna(value)
            return super().test(value)

    X = pd.DataFrame({"cap": ["a", None, "b", "a"], "height": [1.0, 2.0, np.nan, 2.0]})
    tree = TreePredictor(categorical_condition=Fearful, continuous_condition=Fearful).fit(X, [0, 1, 1, 0])
    assert tree.condition(0) == Fearful(("a",))
    gap = pd.DataFrame({"cap": [None, "a", "new"], "height": [np.nan] * 3})
    assert tree.apply(gap).tolist() == [1, 2, 1]
    assert tree.apply(pd.DataFrame({"cap": [np.nan], "height": [np.nan]})).tolist() == [1]


def test_new_categories_are_asked():
    class Long(BinaryCondition):
        @classmethod
        def candidates(cls, values):
            return [cls()]

        def test(self, value):
            return int(len(value) > 3)

        def describe(self, feature, outcome):
            return f"{feature} is {'long' if outcome else 'short'}"

    X = pd.DataFrame({"word": ["ant", "beetle", "bee", "cicada"]})
    tree = TreePredictor(categorical_condition=Long).fit(X, [0, 1, 0, 1])
    assert tree.predict(pd.DataFrame({"word": ["mosquito", "fly"]})).tolist() == [1, 0]
    assert tree.to_text().splitlines()[0] == "word is long → 1  (2 samples)"


def test_own_conditions_in_words():
    X = pd.DataFrame({"height": [1.0, 5.0, 9.0, np.nan], "cap": ["a", "b", "c", "d"]})
    tree = TreePredictor(continuous_condition=Interval).fit(X[["height"]], [0, 1, 0, 0])
    assert tree.to_text().splitlines() == [
        "height in [5, 5] → 1  (1 sample)",
        "height not in [5, 5] (or missing) → 0  (3 samples)",
    ]
    assert tree.explain(pd.DataFrame({"height": [5.0]})).splitlines()[0] == "1. height in [5, 5]  (here 5.0)"
    assert (
        tree.explain(pd.DataFrame({"height": [6.0]})).splitlines()[0] == "1. height not in [5, 5]  (here 6.0)"
    )
    assert (
        tree.explain(pd.DataFrame({"height": [math.nan]})).splitlines()[0]
        == "1. not height in [5, 5]  (here missing)"
    )
    tree = TreePredictor(categorical_condition=Subset).fit(X[["cap"]], [0, 1, 0, 1])
    assert tree.to_text().splitlines()[0] == "cap ∈ {'a', 'c'} → 0  (2 samples)"
    assert tree.rules()["rule"].tolist() == ["cap ∉ {'a', 'c'}", "cap ∈ {'a', 'c'}"]


def test_own_conditions_survive_pickling_cloning_and_set_params():
    X, y = mushrooms(80)
    tree = TreePredictor(continuous_condition=Interval, categorical_condition=Subset).fit(X, y)
    back = pickle.loads(pickle.dumps(tree))
    assert_same_tree(back, tree)
    assert back.predict(X).tolist() == tree.predict(X).tolist()
    assert back.to_text() == tree.to_text()
    copy = clone(tree)
    assert copy.continuous_condition is Interval
    assert_same_tree(copy.fit(X, y), tree)
    copy.set_params(continuous_condition="threshold", categorical_condition="membership")
    assert copy.apply(X).tolist() == tree.apply(X).tolist()
    assert cross_val_score(copy.set_params(continuous_condition=Interval), X, y, cv=3).shape == (3,)


def test_candidates_and_tests_that_make_no_sense_are_refused():
    class Numbers(Interval):
        @classmethod
        def candidates(cls, values):
            return [1.5]

    class Flat(Interval):
        @classmethod
        def tests(cls, values, conditions):
            return np.zeros(len(values))

    X, y = [[0.0], [1.0]], [0, 1]
    message = "TreePredictor: Numbers.candidates must return BinaryCondition objects, got 1.5"
    with pytest.raises(TypeError, match=message):
        TreePredictor(continuous_condition=Numbers).fit(X, y)
    message = r"TreePredictor: Flat.tests must return an array of shape .*, here \(3, 2\), got \(2,\)"
    with pytest.raises(ValueError, match=message):
        TreePredictor(continuous_condition=Flat).fit(X, y)


# Stopping rules


def doubtful(counts, depth):
    return depth > 1 and counts.max() / counts.sum() > 0.6


@pytest.mark.parametrize("stop", [doubtful, numba.njit(doubtful)], ids=["python", "njit"])
@pytest.mark.parametrize("source", [False, True])
@pytest.mark.parametrize("criterion", ["information", "chi_square", plain_gini])
def test_stopping_rule_makes_leaves(stop, source, criterion):
    X, y = mushrooms(150)
    tree = TreePredictor(criterion, stop=stop, source_compatible=source).fit(X, y)
    full = TreePredictor(criterion, source_compatible=source).fit(X, y)
    assert 7 < tree.n_nodes_ < full.n_nodes_
    for node, counts in zip(tree.nodes_, tree.class_counts_, strict=True):
        if node["feature"] >= 0:
            assert not doubtful(counts, node["depth"])
    if criterion is not plain_gini:
        labels = np.unique(y, return_inverse=True)[1].tolist()
        rows = X.astype(object).to_numpy().tolist()
        expected = naive.grow(
            rows, labels, {0, 2}, criterion, source=source, stop=lambda c, depth: doubtful(np.array(c), depth)
        )
        assert_grows_as(tree, expected, X)


def test_stopping_rule_gets_counts_and_depth_and_cannot_spoil_them():
    seen = []

    def stop(counts, depth):
        seen.append((counts.tolist(), depth))
        counts[:] = 0
        return depth == 1

    tree = TreePredictor(stop=stop).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    assert seen == [([2.0, 2.0], 0), ([1.0, 2.0], 1)]
    assert tree.class_counts_.tolist() == [[2, 2], [1, 2], [1, 0]]
    assert TreePredictor(stop=lambda counts, depth: True).fit([[0.0], [1.0]], [0, 1]).n_nodes_ == 1


def test_nodes_look_at_the_columns_that_a_replayed_draw_gives():
    X, y = mushrooms(150)
    tree, every = TreePredictor(), TreePredictor()
    tree._draw, every._draw = lambda: np.array([2]), lambda: np.arange(X.shape[1])
    asked = tree.fit(X, y).nodes_["feature"]
    assert tree.n_nodes_ > 3
    assert set(asked) == {-1, 2}
    assert_same_tree(every.fit(X, y), TreePredictor().fit(X, y))
