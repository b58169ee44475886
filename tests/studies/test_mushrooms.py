"""The 10,000-row study: published values, and tasks that are repeatable and about what they say."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, train_test_split

from studylib import datasets, statistics
from studylib.datasets import mushroom
from studylib.studies.mushrooms import experiments
from studylib.trees import TreePredictor

needs_data = pytest.mark.skipif(
    not (datasets.data_dir() / mushroom.SECONDARY.path).is_file(),
    reason=f"Secondary Mushroom is not in {datasets.data_dir()} (set {datasets.DATA_VARIABLE})",
)
SMALL = {"data": "simulated", "rows": 600}
SMALL_GRID = {"max_depth": [3, 25], "min_samples_split": [1, 51]}


@needs_data
def test_published_five_folds():
    """The folds are written out as the source makes them, with numpy's global state."""
    errors = experiments.five_fold_errors()
    X, y = experiments.prepared_mushroom(experiments.ROWS)
    state, order = np.random.get_state(), np.arange(len(y))
    np.random.seed(1234)
    np.random.shuffle(order)
    np.random.set_state(state)
    blocks = np.split(order, 5)
    for k, block in enumerate(blocks):
        train = np.concatenate(blocks[:k] + blocks[k + 1 :])
        tree = TreePredictor("information", source_compatible=True).fit(X.iloc[train], y.iloc[train])
        assert errors[k] == (tree.predict(X.iloc[block]) != y.iloc[block]).mean()


@needs_data
def test_sample_precedes_the_deletion_of_features():
    X, y = experiments.prepared_mushroom(experiments.ROWS)
    frame = datasets.load_secondary_mushroom().frame.sample(10_000, random_state=1234)
    assert X.shape == (10_000, 13)
    assert not X.isna().any(axis=None)
    assert y.tolist() == frame["class"].tolist()
    assert X["ring-type"].tolist() == frame["ring-type"].fillna("u").tolist()
    assert experiments.prepared_mushroom()[0].shape == (61_069, 13)


def test_nested_tasks_are_the_folds_of_nested_cv(monkeypatch):
    monkeypatch.setattr(experiments, "GRID", SMALL_GRID)
    X, y = experiments.prepared_mushroom(600, data="simulated")
    outer, inner = (StratifiedKFold(k, shuffle=True, random_state=4) for k in (3, 2))
    whole = statistics.nested_cv(experiments.SOURCE_TREE, SMALL_GRID, X, y, outer, inner)
    for fold in range(3):
        key = SMALL | {"outer": 3, "fold": fold, "inner": 2, "cv_seed": 4}
        outcome = experiments.nested_task(key, 0)
        assert outcome["test_error"] == whole.losses[fold]
        assert outcome["inner_loss"] == whole.searches[fold].best_loss
        assert outcome["best_params"] == whole.searches[fold].best_params


CURVE = SMALL | {"n_train": 300, "n_estimators": 5, "split_seed": 0}


def test_curves_end_at_all_training_rows():
    key = CURVE | {"model": "tree"}
    whole = experiments.learning_curve_task(key | {"n_train": None}, 0)
    assert whole == experiments.learning_curve_task(key | {"n_train": 480}, 0)
    assert whole["train_error"] == 0
    X, y = experiments.prepared_mushroom(600, data="simulated")
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    assert whole["test_error"] == (TreePredictor().fit(X, y).predict(X_test) != y_test).mean()
