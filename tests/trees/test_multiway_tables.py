"""MultiwayTreePredictor: scikit-learn's checks, tables of every kind, edges and mistakes."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from studylib.datasets import load_restaurant
from studylib.trees import MULTIWAY_CRITERIA, MultiwayTreePredictor, ValueCondition, entropy
from tests.estimator_checks import parametrize_with_checks
from tests.trees.support import assert_same_tree, mushrooms


def plain_gini(counts):
    shares = counts / counts.sum()
    return 1.0 - (shares * shares).sum()


@parametrize_with_checks(
    [
        MultiwayTreePredictor(),
        MultiwayTreePredictor("gain_ratio", max_depth=4, min_samples_split=3, laplace=1.0),
        MultiwayTreePredictor(plain_gini),
        MultiwayTreePredictor(numeric="categories"),
    ]
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


def test_one_row_one_class_and_equal_rows_give_a_lone_root():
    for X, y in (([[1.0, 2.0]], [3]), ([[1.0], [2.0]], ["a", "a"]), ([["p"], ["p"]], ["b", "a"])):
        tree = MultiwayTreePredictor().fit(X, y)
        assert (tree.n_nodes_, tree.n_leaves_, tree.depth_) == (1, 1, 0)
        assert tree.condition(0) is None
        assert tree.predict(X).tolist() == [min(y)] * len(X)
        assert not tree.feature_importances_.any()
        assert tree.to_text().startswith("→ ")


def test_unseen_value_ends_at_the_node_that_asks_for_it():
    X = pd.DataFrame({"cap": ["flat", "bell", "bell", "round"], "size": [1, 1, 2, 2]})
    tree = MultiwayTreePredictor(numeric="categories").fit(X, ["good", "bad", "bad", "good"])
    new = pd.DataFrame({"cap": ["spiky", "bell", None], "size": [1, 77, 1]})
    assert tree.apply(new).tolist() == [0, 1, 0]
    assert tree.predict(new).tolist() == ["bad", "bad", "bad"]
    np.testing.assert_array_equal(tree.predict_proba(new), [[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]])
    assert tree.explain(new.iloc[0]) == "1. cap has a value that is new\n→ bad  (4 samples, 50.0% of them)"


def test_missing_is_a_value_of_its_own_behind_the_others():
    X = pd.DataFrame({"ring": ["large", None, "large", None], "width": [1.0, 2.0, np.nan, np.nan]})
    tree = MultiwayTreePredictor().fit(X, [0, 1, 0, 1])
    assert tree.to_text() == "ring = 'large' → 0  (2 samples)\nring is missing → 1  (2 samples)"
    tree = MultiwayTreePredictor(numeric="categories").fit(X[["width"]], [0, 1, 1, 1])
    assert tree.apply(X[["width"]]).tolist() == [1, 2, 3, 3]
    assert tree.explain(X[["width"]].iloc[2]) == "1. width is missing\n→ 1  (2 samples)"
    tree = MultiwayTreePredictor(numeric="categories").fit(X[["width"]].to_numpy(), [0, 1, 1, 1])
    assert tree.apply([[2.0], [np.nan], [7.0]]).tolist() == [2, 3, 0]


def test_frame_array_and_list_of_the_same_table_give_the_same_tree():
    X = pd.DataFrame(
        {"cap": ["flat", "bell", "bell", "flat"], "size": [1, 1, 2, 2], "wet": [True, False] * 2}
    )
    y = [0, 1, 2, 1]
    tree = MultiwayTreePredictor().fit(X, y)
    for other in (X.to_numpy(), X.to_numpy().tolist()):
        again = MultiwayTreePredictor().fit(other, y)
        assert_same_tree(tree, again)
        assert again.predict(other).tolist() == y


def test_categories_of_the_frame_that_no_row_has_are_no_branches():
    X = pd.DataFrame({"cap": pd.Categorical(["b", "a"], ["c", "b", "a"], ordered=True)})
    tree = MultiwayTreePredictor().fit(X, [0, 1])
    assert tree.condition(0) == ValueCondition(("b", "a"))
    assert tree.n_nodes_ == 3


def test_weights_count_like_copies_and_zero_leaves_out():
    X, y = mushrooms(80)
    times = np.arange(80) % 3
    weighted = MultiwayTreePredictor().fit(X, y, sample_weight=times)
    repeated = MultiwayTreePredictor().fit(X.loc[X.index.repeat(times)], np.repeat(y, times))
    assert weighted.class_counts_.tolist() == repeated.class_counts_.tolist()
    np.testing.assert_array_equal(weighted.nodes_["feature"], repeated.nodes_["feature"])


def test_laplace_adds_to_every_class():
    tree = MultiwayTreePredictor(laplace=1.0, numeric="categories").fit([[0], [0], [0], [1]], [0, 0, 0, 1])
    np.testing.assert_allclose(
        tree.predict_proba([[0], [1], [2]]), [[4 / 5, 1 / 5], [1 / 3, 2 / 3], [4 / 6, 2 / 6]]
    )


def test_importances_are_the_gains_shares():
    X, y = mushrooms(100)
    for criterion in MULTIWAY_CRITERIA:
        tree = MultiwayTreePredictor(criterion).fit(X, y)
        assert tree.feature_importances_.sum() == pytest.approx(1.0)
        assert (tree.feature_importances_ >= 0).all()
    # With the information gain the sum of n · gain is what all splits together took from the root's entropy.
    tree = MultiwayTreePredictor().fit(X, y)
    leaves = pd.Series(y).groupby(tree.apply(X))
    left = sum(len(labels) * entropy(labels) for _, labels in leaves)
    taken = (tree.nodes_["gain"] * tree.nodes_["n_samples"]).sum()
    assert taken == pytest.approx(100 * entropy(y) - left)


def test_path_and_rules_in_words():
    table = load_restaurant()
    tree = MultiwayTreePredictor().fit(table.data, table.target)
    assert tree.explain(table.data.iloc[4]) == "1. Patrons = 'Full'\n2. Hungry = False\n→ no  (2 samples)"
    assert (
        tree.to_text(max_depth=0).splitlines()[-1]
        == "Patrons = 'Full': … mostly no  (6 samples, 66.7% of them)"
    )


def test_value_condition_numbers_its_values():
    condition = ValueCondition(("a", 2.0, math.nan))
    assert condition.n_outcomes == 3
    assert [condition.test(v) for v in ("a", 2, None, "b")] == [0, 1, 2, -1]
    assert [condition.describe("x", k) for k in range(3)] == ["x = 'a'", "x = 2", "x is missing"]


def test_fitted_tree_survives_pickling_and_cloning_forgets_it():
    X, y = mushrooms()
    tree = MultiwayTreePredictor("gini", max_depth=3).fit(X, y)
    back = pickle.loads(pickle.dumps(tree))
    assert_same_tree(tree, back)
    assert back.to_text() == tree.to_text()
    with pytest.raises(NotFittedError):
        clone(tree).predict(X)


# Mistakes


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "gain"}, "criterion must be one of 'misclassification', .*'gain_ratio', got 'gain'"),
        ({"max_depth": -1}, "max_depth must be an integer >= 0 or None, got -1"),
        ({"min_samples_split": 1.5}, "min_samples_split must be an integer >= 1, got 1.5"),
        ({"numeric": "bins"}, "numeric must be one of 'threshold', 'categories', 'refuse', got 'bins'"),
        ({"laplace": -1}, "laplace must be a number from 0 to .*, got -1"),
    ],
)  # fmt: skip
def test_wrong_parameter_is_named(parameters, message):
    with pytest.raises(ValueError, match=f"^MultiwayTreePredictor: {message}"):
        MultiwayTreePredictor(**parameters).fit([[0], [1]], [0, 1])


def test_numbers_that_are_not_whole_are_refused_on_request():
    X = pd.DataFrame({"whole": [1.0, 2.0, np.nan], "height": [1.0, 2.5, 3.0]})
    with pytest.raises(
        ValueError, match="column 'height' holds 2.5, but with numeric='refuse' numbers must be whole"
    ):
        MultiwayTreePredictor(numeric="refuse").fit(X, [0, 1, 0])
    assert MultiwayTreePredictor(numeric="refuse").fit(X[["whole"]], [0, 1, 0]).n_nodes_ == 4
    assert MultiwayTreePredictor(numeric="categories").fit(X, [0, 1, 0]).n_nodes_ == 4


def test_other_wrong_input_is_named():
    X = pd.DataFrame({"cap": ["flat", "bell"]})
    tree = MultiwayTreePredictor().fit(X, [0, 1])
    with pytest.raises(ValueError, match="MultiwayTreePredictor: column 'cap' held categories in training"):
        tree.predict(pd.DataFrame({"cap": [1.0]}))
    with pytest.raises(ValueError, match="MultiwayTreePredictor: y contains missing labels"):
        MultiwayTreePredictor().fit(X, [0, np.nan])
    with pytest.raises(ValueError, match="MultiwayTreePredictor: explain takes one sample, got 2"):
        tree.explain(X)
    with pytest.raises(IndexError, match="MultiwayTreePredictor: there is no node 9, only 0 to 2"):
        tree.condition(9)
