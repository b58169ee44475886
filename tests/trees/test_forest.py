"""RandomForestClassifier: its trees, its votes and its out-of-bag error against the plain forest."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier as PeerForest

from studylib.core.random import spawn_states
from studylib.trees import CRITERIA, RandomForestClassifier, TreePredictor
from tests.estimator_checks import parametrize_with_checks
from tests.naive import forest as naive
from tests.naive import node_size as naive_sizes
from tests.trees.support import assert_same_tree, mushrooms


@parametrize_with_checks(
    [
        RandomForestClassifier(5, random_state=0),
        RandomForestClassifier(4, oob_score=True, weighted_votes=True, n_jobs=2, random_state=0),
        RandomForestClassifier(3, min_samples_split="auto", random_state=0),
        RandomForestClassifier(3, criterion="gini", bootstrap=False, max_features=None, min_samples_split=5),
    ],
    expected_failed_checks=lambda estimator: (
        {"check_sample_weight_equivalence_on_dense_data": "weights are chances: the draws are others"}
        if estimator.bootstrap
        else {}
    ),
    xfail_strict=True,
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


def bags_of(forest, n):
    states = spawn_states(forest.random_state, forest.n_estimators)
    return [naive.bag(int(state[0]), n) for state in states]


def labels_of(forest, X):
    """Class indices that every tree gives every row, from the trees themselves."""
    return [np.searchsorted(forest.classes_, tree.predict(X)).tolist() for tree in forest.estimators_]


# Trees


@pytest.mark.parametrize("criterion", CRITERIA)
def test_trees_are_those_of_tree_predictor_on_the_bags(criterion):
    X, y = mushrooms(80)
    forest = RandomForestClassifier(6, criterion=criterion, max_features=None, random_state=3).fit(X, y)
    for tree, times in zip(forest.estimators_, bags_of(forest, len(y)), strict=True):
        alone = TreePredictor(criterion).fit(X, y, sample_weight=times)
        assert tree.class_counts_.tolist() == alone.class_counts_.tolist()
        for field in ("feature", "first_child", "label", "n_samples", "gain"):
            np.testing.assert_array_equal(tree.nodes_[field], alone.nodes_[field])
        numeric = np.isin(tree.nodes_["feature"], [1, 3])  # a bag may lack a category, which shifts the codes
        np.testing.assert_array_equal(tree.nodes_["value"][numeric], alone.nodes_["value"][numeric])
        assert tree.to_text() == alone.to_text()


def test_without_bootstrap_and_with_all_columns_every_tree_is_the_tree():
    X, y = mushrooms(80)
    forest = RandomForestClassifier(3, bootstrap=False, max_features=None, max_depth=3, min_samples_split=6)
    alone = TreePredictor(max_depth=3, min_samples_split=6).fit(X, y)
    for tree in forest.fit(X, y).estimators_:
        assert_same_tree(tree, alone)
    assert forest.predict_proba(X) == pytest.approx(alone.predict_proba(X), rel=1e-15)


def test_trees_are_usable_by_themselves():
    X, y = mushrooms(80)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    tree = forest.estimators_[1]
    assert tree.predict(X).shape == y.shape
    assert tree.explain(X.iloc[0]).splitlines()[-1].startswith("→ ")
    assert all(tree._columns is forest._columns for tree in forest.estimators_)
    leaves = forest.apply(X)
    assert (leaves.shape, leaves.dtype) == ((80, 3), np.int64)
    assert leaves[:, 1].tolist() == tree.apply(X).tolist()
    labels = forest.tree_predict(X)
    assert (labels.shape, labels.dtype, len(forest)) == ((3, 80), np.int32, 3)
    assert labels.tolist() == labels_of(forest, X)
    copy = pickle.loads(pickle.dumps(forest))
    assert copy.predict(X).tolist() == forest.predict(X).tolist()


def test_a_smaller_forest_is_the_beginning_of_a_larger_one():
    X, y = mushrooms(80)
    large = RandomForestClassifier(7, random_state=5).fit(X, y)
    small = RandomForestClassifier(3, random_state=5).fit(X, y)
    for tree, other in zip(small.estimators_, large.estimators_, strict=False):
        assert_same_tree(tree, other)
    stages = list(large.staged_predict(X))
    assert len(stages) == 7
    assert stages[2].tolist() == small.predict(X).tolist()
    assert stages[6].tolist() == large.predict(X).tolist()


def test_three_of_seven_columns_are_drawn_for_the_root():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = np.column_stack([y, *rng.normal(size=(6, 60))])
    forest = RandomForestClassifier(400, max_features="ceil_sqrt", max_depth=1, random_state=0).fit(X, y)
    # ⌈√7⌉ = 3: the perfect column is among them with probability 3/7; four standard deviations.
    found = np.mean([tree.nodes_["feature"][0] == 0 for tree in forest.estimators_])
    assert found == pytest.approx(3 / 7, abs=0.1)


# Votes


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 30),
    n_trees=st.integers(1, 6),
    seed=st.integers(0, 10**6),
    weighted=st.booleans(),
    depth=st.sampled_from([None, 1, 2]),
)
def test_votes_and_out_of_bag_error_equal_the_plain_ones(n, n_trees, seed, weighted, depth):
    X, y = mushrooms(n, seed)
    forest = RandomForestClassifier(
        n_trees, oob_score=True, weighted_votes=weighted, voting="hard", max_depth=depth, random_state=seed
    ).fit(X, y)
    truth = np.searchsorted(forest.classes_, y).tolist()
    n_classes, labels, bags = len(forest.classes_), labels_of(forest, X), bags_of(forest, n)
    weights = [
        naive.tree_weight(*pair, truth) if weighted else 1.0 for pair in zip(labels, bags, strict=True)
    ]
    error, shares = naive.out_of_bag(labels, bags, weights, truth, n_classes)
    assert forest.oob_error_ == pytest.approx(error, nan_ok=True, abs=0)
    for ours, plain in zip(forest.oob_decision_function_, shares, strict=True):
        assert np.isnan(ours).all() if plain is None else ours == pytest.approx(plain, rel=1e-14)
    if sum(weights) == 0:
        weights = [1.0] * n_trees
    assert forest.tree_weights_.tolist() == weights
    votes = [naive.tally(each, weights, n_classes) for each in zip(*labels, strict=True)]
    assert forest.predict(X).tolist() == [forest.classes_[naive.winner(v)] for v in votes]
    share = sum(w * t.predict_proba(X) for w, t in zip(weights, forest.estimators_, strict=True))
    np.testing.assert_allclose(forest.predict_proba(X), share / sum(weights), rtol=1e-13)


def test_a_tie_goes_to_the_first_class():
    forest = RandomForestClassifier(2, random_state=0).fit([[0.0], [1.0]], ["b", "a"])
    for seed in range(20):
        forest.set_params(random_state=seed).fit([[0.0], [1.0]], ["b", "a"])
        if len({tree.predict([[0.5]])[0] for tree in forest.estimators_}) == 2:
            assert forest.predict([[0.5]]) == ["a"]
            assert forest.predict_proba([[0.5]]).tolist() == [[0.5, 0.5]]
            return
    pytest.fail("no two trees disagreed")


@pytest.mark.parametrize("weighted", [False, True])
def test_every_number_of_threads_gives_the_same_bits(weighted):
    X, y = mushrooms(150)
    X = X.astype({"cap": "category"})
    params = {"oob_score": True, "weighted_votes": weighted, "random_state": 1, "min_samples_split": 4}
    one = RandomForestClassifier(9, n_jobs=1, **params).fit(X, y)
    for n_jobs in (2, 4):
        many = RandomForestClassifier(9, n_jobs=n_jobs, **params).fit(X, y)
        for tree, other in zip(one.estimators_, many.estimators_, strict=True):
            assert_same_tree(tree, other)
        assert one.oob_decision_function_.tobytes() == many.oob_decision_function_.tobytes()
        assert one.tree_weights_.tobytes() == many.tree_weights_.tobytes()
        assert one.predict_proba(X).tobytes() == many.predict_proba(X).tobytes()
        assert one.apply(X).tobytes() == many.apply(X).tobytes()
        assert one.predict(X[:3]).tolist() == many.predict(X[:3]).tolist()


# Out of bag


def test_out_of_bag_error_is_close_to_the_test_error_of_a_peer():
    X, y = load_breast_cancer(return_X_y=True)
    ours = RandomForestClassifier(100, oob_score=True, random_state=0).fit(X, y)
    theirs = PeerForest(100, criterion="entropy", oob_score=True, random_state=0).fit(X, y)
    assert ours.oob_error_ == pytest.approx(1 - theirs.oob_score_, abs=0.02)
    assert np.corrcoef(ours.feature_importances_, theirs.feature_importances_)[0, 1] > 0.9


def test_out_of_bag_results_vanish_when_they_are_no_longer_asked_for():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(3, oob_score=True).fit(X, y)
    assert forest.oob_decision_function_.shape == (150, 3)
    forest.set_params(oob_score=False).fit(X, y)
    assert not hasattr(forest, "oob_error_")
    assert not hasattr(forest, "oob_decision_function_")


def test_one_row_is_in_every_bag():
    forest = RandomForestClassifier(3, oob_score=True, weighted_votes=True).fit([[1.0, 2.0]], ["a"])
    assert np.isnan(forest.oob_error_)
    assert np.isnan(forest.oob_decision_function_).tolist() == [[True]]
    assert forest.tree_weights_.tolist() == [1, 1, 1]
    assert forest.predict([[5.0, 5.0]]) == ["a"]


# Importances


def test_importances_sum_to_one_and_are_the_mean_of_the_trees():
    X, y = mushrooms(100)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    shares = np.zeros(4)
    for tree in forest.estimators_:
        total = np.zeros(4)
        for node, counts in zip(tree.nodes_, tree.class_counts_, strict=True):
            if node["feature"] >= 0:
                total[node["feature"]] += node["gain"] * counts.sum()
        shares += total / total.sum() / 5
    assert forest.feature_importances_ == pytest.approx(shares, rel=1e-10)
    assert forest.feature_importances_.sum() == pytest.approx(1)


def test_a_forest_of_lone_roots_has_no_importances():
    for X, y in (([[1.0], [2.0]], ["a", "a"]), ([[1.0]] * 9, [0, 1] * 4 + [0]), ([[3.0]], [1])):
        forest = RandomForestClassifier(4, random_state=0).fit(X, y)
        assert forest.feature_importances_.tolist() == [0.0]
        assert forest.predict(X).tolist() == [y[0]] * len(X)


# Tables


def noisy(n=500):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    return X, np.where(rng.random(n) < 0.4, rng.integers(0, 3, n), (X[:, 0] > 0) * 1)


def auto(n_estimators=40, **parameters):
    return RandomForestClassifier(n_estimators, min_samples_split="auto", random_state=0, **parameters)


def test_the_least_node_size_is_the_best_out_of_bag():
    X, y = noisy()
    forest, pure = auto().fit(X, y), RandomForestClassifier(32, random_state=0).fit(X, y)
    unseen = np.array([np.bincount(bag, minlength=len(y)) == 0 for bag in pure.estimators_samples_])
    paths = [[] for _ in y]
    for tree, some in zip(pure, unseen, strict=True):
        shares = (tree.class_counts_ / tree.class_counts_.sum(axis=1, keepdims=True)).tolist()
        passed = tree.decision_path(X)
        for i in np.flatnonzero(some):
            paths[i].append([(tree.nodes_["n_samples"][k], shares[k]) for k in passed[i].indices])
    truth = np.eye(3)[y].tolist()
    scores = [naive_sizes.scores(paths, truth, [1.0] * len(y), m, 100)[1] for m in (2, 4, 8, 16, 32, 64, 128)]
    assert forest.min_samples_split_ == 2 ** (1 + int(np.argmin(scores))) > 4


def test_trees_cut_back_are_those_grown_so_where_nothing_is_drawn():
    X, y = noisy()
    forest = auto(max_features=None).fit(X, y)
    anew = RandomForestClassifier(
        40, max_features=None, min_samples_split=forest.min_samples_split_, random_state=0
    ).fit(X, y)
    for tree, other in zip(forest, anew, strict=True):
        assert tree.min_samples_split == other.min_samples_split == forest.min_samples_split_
        assert tree.nodes_.tobytes() == other.nodes_.tobytes()
        assert tree.class_counts_.tolist() == other.class_counts_.tolist()
    assert forest.predict_proba(X).tolist() == anew.predict_proba(X).tolist()


def test_trees_cut_back_keep_to_the_size_and_larger_forests_begin_with_them():
    X, y = noisy()
    large = auto(50, oob_score=True).fit(X, y)
    for tree in large:
        inner = tree.nodes_["first_child"] >= 0
        assert (tree.nodes_["n_samples"][inner] >= large.min_samples_split_).all()
    for n in (1, 20, 40):
        small = auto(n).fit(X, y)
        assert len(small) == len(small.estimators_samples_) == n
        assert small.min_samples_split_ == large.min_samples_split_
        assert small.apply(X).tolist() == large.apply(X)[:, :n].tolist()
        warm = auto(n, oob_score=True, warm_start=True).fit(X, y).set_params(n_estimators=50).fit(X, y)
        assert warm.apply(X).tolist() == large.apply(X).tolist()
        assert warm.oob_error_ == large.oob_error_


def test_trees_cut_back_do_not_depend_on_the_number_of_threads():
    X, y = noisy()
    one, three = (auto(50, oob_score=True, n_jobs=n).fit(X, y) for n in (1, 3))
    assert three.predict_proba(X).tolist() == one.predict_proba(X).tolist()


def test_gaps_new_categories_and_mixed_lists():
    X, y = mushrooms(100)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    new = X.copy()
    new.loc[:40, "cap"] = "never seen"
    new.loc[20:60, ["height", "ring"]] = [np.nan, None]
    votes = np.zeros((100, 3))
    for labels in labels_of(forest, new):
        votes[np.arange(100), labels] += 1
    assert forest.predict(new).tolist() == forest.classes_[votes.argmax(axis=1)].tolist()
    mixed = clone(forest).fit(X.to_numpy(object), y)
    assert mixed.predict(X.to_numpy(object)).tolist() == forest.predict(X).tolist()


def test_booleans_and_nullable_columns_are_numbers():
    X = pd.DataFrame({"a": pd.array([1, None, 3, 4] * 5, "Int64"), "b": [True, False] * 10})
    forest = RandomForestClassifier(5, random_state=0).fit(X, [0, 1] * 10)
    assert forest.score(X, [0, 1] * 10) == 1.0


# Mistakes


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_estimators": 0}, "n_estimators must be an integer from 1 to 1000000, got 0"),
        ({"n_estimators": 2.5}, "n_estimators must be an integer from 1 to 1000000, got 2.5"),
        ({"criterion": "gain"}, "criterion must be one of 'misclassification', 'information'"),
        ({"criterion": len}, "criterion must be one of"),
        (
            {"max_features": "half"},
            "max_features must be None, 'sqrt', 'log2', 'ceil_sqrt', an integer from 1 to the number",
        ),
        ({"max_features": 5}, "max_features must be"),
        ({"bootstrap": "yes"}, "bootstrap must be True or False, got 'yes'"),
        ({"max_depth": -1}, "max_depth must be an integer >= 0 or None, got -1"),
        ({"min_samples_split": 0}, 'min_samples_split must be "auto" or an integer >= 1, got 0'),
        ({"oob_score": 1}, "oob_score must be True or False, got 1"),
        ({"weighted_votes": None}, "weighted_votes must be True or False, got None"),
        ({"n_jobs": 0}, "n_jobs must be None or an integer other than 0"),
        (
            {"oob_score": True, "bootstrap": False},
            "oob_score=True needs samples out of bag, so bootstrap must be True",
        ),
        ({"weighted_votes": True, "bootstrap": False}, "weighted_votes=True needs samples out of bag"),
        (
            {"min_samples_split": "auto", "bootstrap": False},
            'min_samples_split="auto" needs samples out of bag, so bootstrap must be True',
        ),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(params, message):
    with pytest.raises(ValueError, match=f"^RandomForestClassifier: {message}"):
        RandomForestClassifier(**params).fit(*mushrooms(10))


def test_bad_tables_are_refused_in_the_forests_name():
    X, y = mushrooms(10)
    for bad, labels in ((X, None), (X, y[:9]), (X.iloc[:0], []), (X, [None] * 10)):
        with pytest.raises(ValueError, match="^RandomForestClassifier: "):
            RandomForestClassifier(2).fit(bad, labels)
    with pytest.raises(TypeError, match="^RandomForestClassifier: column 'when' holds dates or times"):
        RandomForestClassifier(2).fit(pd.DataFrame({"when": pd.to_datetime(["2024-01-01"] * 10)}), y)
