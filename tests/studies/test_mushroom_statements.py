"""Cleaning step by step, predictions without a few rows, and limits that a tree exceeds."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split

from studylib import datasets
from studylib.studies.mushrooms import properties, published_trees, rows_and_columns, stopping
from studylib.studies.replicates import in_percent
from studylib.study.measured import tidy
from studylib.trees import TreePredictor


@pytest.mark.slow
def test_a_step_of_the_cleaning_is_compared_with_the_columns_as_they_are(small):
    keys = rows_and_columns.step_keys("simulated", 2)
    found = [rows_and_columns.step_task(key, 5) for key in keys]
    assert json.dumps(found) == json.dumps([rows_and_columns.step_task(key, 6) for key in keys])
    frame = datasets.simulate_secondary_mushrooms().frame.iloc[:600]
    pairs = rows_and_columns.step_errors(tidy(keys, found))
    assert list(pairs) == ["deleted at 0.20", "deleted at 0.40", "filled with u"]
    tables = {
        "deleted at 0.20": datasets.delete_features(frame, 0.20),
        "filled with u": datasets.fill_missing(frame, "u"),
    }
    for step, table in tables.items():
        for seed in (0, 1):
            for part, rows in (("first", table), ("second", frame)):
                X, y = datasets.split_target(rows)
                X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=seed)
                error = 100 * np.mean(TreePredictor().fit(X, y).predict(X_test) != y_test)
                assert pairs[step][part].loc[seed] == pytest.approx(error)


def test_predictions_are_compared_between_trees_with_and_without_a_few_rows(small, monkeypatch):
    monkeypatch.setattr(rows_and_columns, "VARIATIONS", {50: {"1 %": 3}, 480: {"1 %": 5}})
    keys = rows_and_columns.prediction_keys("simulated", 2)
    found = [rows_and_columns.prediction_task(key, 5) for key in keys]
    assert json.dumps(found) == json.dumps([rows_and_columns.prediction_task(key, 6) for key in keys])
    X, X_test, y, y_test = train_test_split(
        *published_trees.first_rows("simulated"), test_size=0.2, random_state=1234
    )
    for key, one in zip(keys, found, strict=True):
        order = np.random.default_rng([key["n_train"], key["draw"]]).permutation(480)[: key["n_train"]]
        whole, kept = sorted(order), sorted(order[: key["n_train"] - key["n_dropped"]])
        first, second = (
            TreePredictor().fit(X.iloc[rows], y.iloc[rows]).predict(X_test) for rows in (whole, kept)
        )
        assert one == {"changed": (first != second).mean(), "error": (first != y_test).mean()}
    measured = rows_and_columns.changed_predictions(in_percent(tidy(keys, found), "changed", "error"))
    assert measured["50 rows"] == [100 * one["changed"] for one in found[:2]]


def test_a_limit_that_a_tree_exceeds_is_noticed():
    X, y = pd.DataFrame({"x": np.arange(30.0)}), np.arange(30) % 2
    tree = TreePredictor().fit(X, y)
    limits = {"depth": 1, "leaves": 3, "nodes": 5, "samples": 20, "entropy": 0.95}
    assert not any(stopping._keeps(tree, name, value) for name, value in limits.items())


def test_defaults_change_a_tree_that_is_deeper_than_they_allow():
    X, y = properties.alternating_chain(150)
    deep = TreePredictor("gini").fit(X, y)
    flat = TreePredictor("gini").fit(X[:90], y[:90])
    assert deep.depth_ > stopping.DEFAULTS["max_depth"] > flat.depth_
    assert stopping.same_with_defaults([deep], X, y) == [False]
    assert stopping.same_with_defaults([flat], X[:90], y[:90]) == [True]
