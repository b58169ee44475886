"""Models on the same splits, and duplicates across a split."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import train_test_split

from studylib import statistics
from studylib.trees import TreePredictor


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=300), "c": rng.choice(list("abc"), 300)})
    y = pd.Series(np.where(X["x"] + (X["c"] == "a") + 0.3 * rng.normal(size=300) > 0.4, "yes", "no"))
    return X, y


def test_errors_are_those_of_the_split_done_by_hand(table):
    X, y = table
    errors = statistics.compare_on_splits({"tree": (TreePredictor(), X)}, y, [3])
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, shuffle=True, random_state=3)
    tree = TreePredictor().fit(X_train, y_train)
    assert errors["test_error"].item() == (tree.predict(X_test) != y_test).mean()
    assert errors["train_error"].item() == 0
    assert errors[["depth", "nodes", "leaves"]].iloc[0].tolist() == [
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
    errors = statistics.compare_on_splits(models, y, range(5))
    wide = errors.pivot_table(index="seed", columns="model", values="test_error")
    interval = statistics.paired_difference(errors, "dummy", "tree")
    assert interval == statistics.resampled_interval(wide["dummy"] - wide["tree"], 0.2)
    assert interval.low > 0


def test_twins_are_rows_that_appear_in_training():
    train = pd.DataFrame({"x": [1.0, 2.0, np.nan], "c": ["a", "b", None]})
    test = pd.DataFrame({"x": [1.0, 1.0, np.nan, 2.0], "c": ["a", "b", None, "b"]})
    assert statistics.has_twin(train, test).tolist() == [True, False, True, True]
