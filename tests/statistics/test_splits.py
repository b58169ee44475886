"""Models on the same splits, twins, and the properties of trees that claims ask for."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import train_test_split

from studylib import statistics
from studylib.studies.mushrooms import properties
from studylib.trees import TreePredictor


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=300), "c": rng.choice(list("abc"), 300)})
    y = pd.Series(np.where(X["x"] + (X["c"] == "a") + 0.3 * rng.normal(size=300) > 0.4, "yes", "no"))
    return X, y


def test_errors_are_those_of_the_split_done_by_hand(table):
    X, y = table
    found = statistics.compare_on_splits({"tree": (TreePredictor(), X)}, y, [3])
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, shuffle=True, random_state=3)
    tree = TreePredictor().fit(X_train, y_train)
    assert found["test_error"].item() == (tree.predict(X_test) != y_test).mean()
    assert found["train_error"].item() == 0
    assert found[["depth", "nodes", "leaves"]].iloc[0].tolist() == [
        tree.depth_,
        tree.n_nodes_,
        tree.n_leaves_,
    ]


def test_results_do_not_depend_on_threads_or_on_the_index(table):
    X, y = table
    models = {"tree": (TreePredictor(max_features=1), X), "dummy": (DummyClassifier(), X)}
    once = statistics.compare_on_splits(models, y, range(4))
    again = statistics.compare_on_splits(models, y.set_axis(range(7, 307)), range(4), n_jobs=2)
    pd.testing.assert_frame_equal(once, again)


def test_paired_difference_is_over_seeds(table):
    X, y = table
    models = {"tree": (TreePredictor(), X), "dummy": (DummyClassifier(), X)}
    found = statistics.compare_on_splits(models, y, range(5))
    wide = found.pivot_table(index="seed", columns="model", values="test_error")
    interval = statistics.paired_difference(found, "dummy", "tree")
    assert interval == statistics.resampled_interval(wide["dummy"] - wide["tree"], 0.2)
    assert interval.low > 0


def test_tree_table_has_a_row_a_criterion(table):
    X, y = table
    trees, found, split = statistics.tree_table(["gini", "information"], X, y, random_state=0, max_depth=2)
    assert list(found.index) == ["gini", "information"]
    assert found.loc["gini", "nodes"] == trees["gini"].n_nodes_
    assert (found["depth"] <= 2).all()
    assert len(split[1]) == 60


def test_twins_are_rows_that_stand_in_training():
    train = pd.DataFrame({"x": [1.0, 2.0, np.nan], "c": ["a", "b", None]})
    test = pd.DataFrame({"x": [1.0, 1.0, np.nan, 2.0], "c": ["a", "b", None, "b"]})
    assert statistics.has_twin(train, test).tolist() == [True, False, True, True]


def test_a_tree_without_one_row_of_no_influence_is_the_same_tree(table):
    X, y = table
    tree = TreePredictor().fit(X, y)
    assert properties.changed_share(tree, TreePredictor().fit(X, y), X) == 0.0
    lone = TreePredictor(max_depth=0).fit(X, y)
    assert properties.changed_share(tree, lone, X) == pytest.approx(1 - 1 / tree.n_nodes_)  # the root stays


def test_changed_share_counts_sets_of_rows():
    """Against sets of rows spelled out."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.integers(0, 6, (60, 3)).astype(float), columns=list("abc"))
    y = rng.integers(0, 2, 60)
    one, two = (
        TreePredictor("gini").fit(X, y),
        TreePredictor("gini", max_features=1, random_state=3).fit(X, y),
    )

    def sets(tree):
        above = {i: frozenset() for i in range(tree.n_nodes_)}
        for row, leaf in enumerate(tree.apply(X)):
            node = int(leaf)
            while True:
                above[node] |= {row}
                if node == 0:
                    break
                first = tree.nodes_["first_child"]
                node = next(i for i in range(tree.n_nodes_) if first[i] >= 0 and node - first[i] in (0, 1))
        return list(above.values())

    mine, theirs = sets(one), set(sets(two))
    assert properties.changed_share(one, two, X) == pytest.approx(np.mean([s not in theirs for s in mine]))


def test_drop_one_shares_do_not_depend_on_threads(table):
    X, y = table
    rows = [0, 5, 17]
    once = properties.drop_one_shares(TreePredictor(), X, y, rows)
    assert np.array_equal(once, properties.drop_one_shares(TreePredictor(), X, y, rows, n_jobs=2))
    kept = np.arange(300) != 5
    full, less = TreePredictor().fit(X, y), TreePredictor().fit(X[kept], y[kept])
    assert once[1] == properties.changed_share(full, less, X)


@pytest.mark.parametrize("m", [1, 2, 3, 10, 51])
def test_alternating_labels_give_a_chain(m):
    assert TreePredictor("gini").fit(*properties.alternating_chain(m)).depth_ == m - 1


def test_number_of_tests_is_the_sum_of_path_lengths(table):
    X, y = table
    tree = TreePredictor().fit(X, y)
    lines = sum(len(tree.explain(X.iloc[[i]]).splitlines()) - 1 for i in range(20))
    assert properties.n_tests(tree, X.iloc[:20]) == lines


def test_breadth_first_is_recognised_and_its_absence_too(table):
    X, y = table
    tree = TreePredictor().fit(X, y)
    assert properties.is_breadth_first(tree)
    tree.nodes_["first_child"][[0, 1]] = tree.nodes_["first_child"][[1, 0]]
    assert not properties.is_breadth_first(tree)


@pytest.mark.parametrize("criterion", ["misclassification", "information", "gini"])
def test_largest_gain_is_smallest_weighted_index(criterion):
    assert properties.gain_minimises_index(criterion, 100, random_state=5) == 100
