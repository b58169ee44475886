"""The 10,000-row study: published values, and tasks that are repeatable and about what they say."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, StratifiedKFold, train_test_split

from studylib import datasets, statistics, trees
from studylib.datasets import mushroom
from studylib.studies.mushrooms import experiments, properties
from studylib.trees import TreePredictor

needs_data = pytest.mark.skipif(
    not (datasets.data_dir() / mushroom.SECONDARY.path).is_file(),
    reason=f"Secondary Mushroom is not in {datasets.data_dir()} (set {datasets.DATA_VARIABLE})",
)
SMALL = {"data": "simulated", "rows": 600}
SMALL_GRID = {"max_depth": [3, 25], "min_samples_split": [1, 51]}


def cut(value):
    """Three decimals, cut as the source cuts them."""
    return math.floor(value * 1000) / 1000


@needs_data
def test_published_single_split():
    assert cut(experiments.single_split_error()) == 0.017


@needs_data
def test_published_five_folds():
    """The folds are written out as the source makes them, with numpy's global state."""
    found = experiments.five_fold_errors()
    assert cut(np.mean(found)) == 0.019
    X, y = experiments.prepared_mushroom(experiments.ROWS)
    state, order = np.random.get_state(), np.arange(len(y))
    np.random.seed(1234)
    np.random.shuffle(order)
    np.random.set_state(state)
    blocks = np.split(order, 5)
    for k, block in enumerate(blocks):
        train = np.concatenate(blocks[:k] + blocks[k + 1 :])
        tree = TreePredictor("information", source_compatible=True).fit(X.iloc[train], y.iloc[train])
        assert found[k] == (tree.predict(X.iloc[block]) != y.iloc[block]).mean()


@needs_data
def test_sample_precedes_the_deletion_of_features():
    X, y = experiments.prepared_mushroom(experiments.ROWS)
    frame = datasets.load_secondary_mushroom().frame.sample(10_000, random_state=1234)
    assert X.shape == (10_000, 13)
    assert not X.isna().any(axis=None)
    assert y.tolist() == frame["class"].tolist()
    assert X["ring-type"].tolist() == frame["ring-type"].fillna("u").tolist()
    assert experiments.prepared_mushroom()[0].shape == (61_069, 13)


@needs_data
def test_search_of_a_few_configurations_is_the_loop_written_out():
    X, y = experiments.prepared_mushroom(2_000)
    parts = train_test_split(X, y, test_size=0.2, random_state=3)
    X_train, X_valid, y_train, y_valid = parts
    found = statistics.holdout_search(experiments.SOURCE_TREE, SMALL_GRID, X_train, y_train, X_valid, y_valid)
    for params, loss in zip(found.configurations, found.losses[:, 0], strict=True):
        tree = TreePredictor("information", source_compatible=True, **params).fit(X_train, y_train)
        assert loss == (tree.predict(X_valid) != y_valid).mean()


def test_the_grid_has_560_configurations():
    configurations = list(ParameterGrid(experiments.GRID))
    assert len(configurations) == 560
    assert sorted({c["min_samples_split"] for c in configurations}) == [1, 26, 51, 76, 101, 126, 151]


def test_unknown_data_and_models_are_named():
    with pytest.raises(ValueError, match="^prepared_mushroom: data must be one of 'real', 'simulated', got"):
        experiments.prepared_mushroom(data="fake")
    with pytest.raises(ValueError, match="^learning_curve_task: model must be one of 'tree', "):
        experiments.learning_curve_task({"model": "oak"}, 0)


def test_holdout_task_tells_the_search(monkeypatch):
    monkeypatch.setattr(experiments, "GRID", SMALL_GRID)
    key = SMALL | {"split_seed": 1, "valid_share": 0.3}
    found = experiments.holdout_search_task(key, 0)
    X, y = experiments.prepared_mushroom(600, data="simulated")
    X, X_valid, y, y_valid = train_test_split(X, y, test_size=0.3, random_state=1)
    search = statistics.holdout_search(experiments.SOURCE_TREE, SMALL_GRID, X, y, X_valid, y_valid)
    assert found["losses"] == search.losses[:, 0].tolist()
    assert (found["best_loss"], found["best_params"]) == (search.best_loss, search.best_params)


def test_nested_tasks_are_the_folds_of_nested_cv(monkeypatch):
    monkeypatch.setattr(experiments, "GRID", SMALL_GRID)
    X, y = experiments.prepared_mushroom(600, data="simulated")
    outer, inner = (StratifiedKFold(k, shuffle=True, random_state=4) for k in (3, 2))
    whole = statistics.nested_cv(experiments.SOURCE_TREE, SMALL_GRID, X, y, outer, inner)
    for fold in range(3):
        key = SMALL | {"outer": 3, "fold": fold, "inner": 2, "cv_seed": 4}
        found = experiments.nested_task(key, 0)
        assert found["test_error"] == whole.losses[fold]
        assert found["inner_loss"] == whole.searches[fold].best_loss
        assert found["best_params"] == whole.searches[fold].best_params


CURVE = SMALL | {"n_train": 300, "n_estimators": 5, "split_seed": 0}


@pytest.mark.parametrize("model", experiments.MODELS)
def test_curve_tasks_are_repeatable_plain_data(model):
    key = CURVE | {"model": model}
    first = json.dumps(experiments.learning_curve_task(key, 5), allow_nan=False)
    assert json.dumps(experiments.learning_curve_task(key, 6), allow_nan=False) == first


def test_curves_end_at_all_training_rows():
    key = CURVE | {"model": "tree"}
    whole = experiments.learning_curve_task(key | {"n_train": None}, 0)
    assert whole == experiments.learning_curve_task(key | {"n_train": 480}, 0)
    assert whole["train_error"] == 0
    X, y = experiments.prepared_mushroom(600, data="simulated")
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    assert whole["test_error"] == (TreePredictor().fit(X, y).predict(X_test) != y_test).mean()


SMALL = {"data": "simulated", "rows": 600}
CURVE = SMALL | {"n_train": 300, "n_estimators": 5, "split_seed": 0}
FOREST = SMALL | {"n_estimators": 12, "forest_seed": 2, "split_seed": 0}


def test_pruned_tree_is_pruned_on_rows_that_it_was_not_grown_on():
    found = experiments.learning_curve_task(CURVE | {"model": "pruned tree"}, 0)
    X, y = experiments.prepared_mushroom(600, data="simulated")
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    tree = TreePredictor().fit(X[:240], y[:240]).prune(X[240:300], y[240:300])
    assert found["test_error"] == (tree.predict(X_test) != y_test).mean()


def test_forest_task_tells_the_forest():
    found = experiments.forest_task(FOREST, 0)
    assert json.dumps(experiments.forest_task(FOREST, 1), allow_nan=False) == json.dumps(found)
    X, y = experiments.prepared_mushroom(600, data="simulated")
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    forest = trees.RandomForestClassifier(12, max_features="ceil_sqrt", oob_score=True, random_state=2).fit(
        X, y
    )
    assert found["test_error"] == (forest.predict(X_test) != y_test).mean()
    assert found["oob_error"] == forest.oob_error_
    assert len(found["staged_errors"]) == 12
    assert found["staged_errors"][-1] == found["test_error"]
    assert found["tree_error"] == (clone(experiments.SOURCE_TREE).fit(X, y).predict(X_test) != y_test).mean()
    assert np.sum(list(found["importances"].values())) == pytest.approx(1)
    assert list(found["importances"]) == list(X.columns)


# The properties of trees that claims ask for


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
