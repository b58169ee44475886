"""The published trees: their tables, tasks and judgements, and what claims say about trees in general."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split

from studylib import statistics
from studylib.studies.mushrooms import experiments, judging, properties, published_trees
from studylib.trees import TreePredictor


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=300), "c": rng.choice(list("abc"), 300)})
    y = pd.Series(np.where(X["x"] + (X["c"] == "a") + 0.3 * rng.normal(size=300) > 0.4, "yes", "no"))
    return X, y


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


@pytest.mark.parametrize("m", [1, 2, 3, 10, 51])
def test_alternating_labels_give_a_chain(m):
    assert TreePredictor("gini").fit(*properties.alternating_chain(m)).depth_ == m - 1
    assert properties.chain_depths([m]) == [m]


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


def test_tree_table_has_a_row_per_criterion(table):
    trees, found, split = published_trees.tree_table(["gini", "information"], *table, max_depth=2)
    assert list(found.index) == ["gini", "information"]
    assert found.loc["gini", "nodes"] == trees["gini"].n_nodes_
    assert (found["depth"] <= 2).all()
    assert len(split[1]) == 60


@pytest.fixture
def small(monkeypatch):
    """The first 600 simulated rows instead of 60,000, for tasks that are not to take long."""
    monkeypatch.setattr(published_trees, "ROWS", 600)
    caches = [published_trees.first_rows, published_trees._all_columns]
    caches += [published_trees._published_split, published_trees._full_tree]
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.mark.parametrize(
    "model", [*published_trees.CRITERIA, *published_trees.COLUMNS, *published_trees.PEERS]
)
def test_split_tasks_are_repeatable_plain_data(small, model):
    (key,) = published_trees.split_keys("simulated", [model], 1)
    first = json.dumps(published_trees.split_task(key, 5), allow_nan=False)
    assert json.dumps(published_trees.split_task(key, 6)) == first


def test_split_tasks_are_rows_of_a_comparison(small):
    X, y = published_trees.first_rows("simulated")
    models = {c: (TreePredictor(c, source_compatible=True), X) for c in published_trees.CRITERIA}
    whole = statistics.compare_on_splits(models, y, range(2))
    keys = published_trees.split_keys("simulated", published_trees.CRITERIA, 2)
    found = pd.DataFrame([published_trees.split_task(key, 0) for key in keys])
    pd.testing.assert_frame_equal(found.sort_values(["seed", "model"], ignore_index=True),
                                  whole.sort_values(["seed", "model"], ignore_index=True))  # fmt: skip


def test_twin_task_counts_test_rows_that_are_in_training(small):
    found = published_trees.twin_task({"data": "simulated", "split_seed": 0}, 0)
    X, y = published_trees.first_rows("simulated")
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    assert found["test error with"] == (TreePredictor().fit(X, y).predict(X_test) != y_test).mean()
    seen = set(map(tuple, X.assign(y=y).to_numpy()))
    assert found["twins in the test set"] == sum(
        tuple(row) in seen for row in X_test.assign(y=y_test).to_numpy()
    )


def test_dropped_row_task_compares_the_trees_with_and_without_the_row(small):
    keys = published_trees.dropped_row_keys("simulated", 3)
    assert len({key["row"] for key in keys}) == 3
    X, y = experiments.cleaned(experiments.raw_mushroom("simulated").iloc[:600], 0.20)
    X, _, y, _ = train_test_split(X, y, test_size=0.2, random_state=1234)
    kept = np.arange(480) != keys[0]["row"]
    full, less = TreePredictor().fit(X, y), TreePredictor().fit(X[kept], y[kept])
    assert published_trees.dropped_row_task(keys[0], 9) == properties.changed_share(full, less, X)


def test_threshold_is_the_one_that_gives_the_published_table():
    other = judging.TABLE_41 + 1
    giving = judging.threshold_of_table_41
    assert giving({0.40: other, 0.20: judging.TABLE_41 + 0.0004}).ours == "0.20"
    assert giving({0.40: judging.TABLE_41, 0.20: other}).verdict == "reproduced"
    assert giving({0.40: other, 0.20: other}).ours == "neither"


def test_columns_that_remain_are_judged_by_both_readings():
    frame = pd.DataFrame({"class": ["e", "p"], "width": [1.0, 2.0], "shape": ["a", None]})
    assert judging.only_categories_remain(frame).verdict == "partly"
    assert judging.only_categories_remain(frame.drop(columns="width")).verdict == "reproduced"
    missing = pd.DataFrame({"class": list("eep"), "width": [1.0, 2.0, None], "shape": ["a", None, "b"]})
    assert judging.only_categories_remain(missing).verdict == "not reproduced"
