"""Tables and labels of every kind, and scikit-learn's tools around a forest."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from studylib.pcf import PartialClassificationForest, PartialClassificationTree
from tests.pcf.support import assert_same_trees, blobs

# Most tables here are too small or too random for a forest of clean partitions.
pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

BOTH = pytest.mark.parametrize("owner", [PartialClassificationForest, PartialClassificationTree])


def frame(n=100):
    X, y = blobs(n, 3)
    return pd.DataFrame(X, columns=["stem", "cap", "ring"]), y


# Feature names


@BOTH
def test_frame_gives_the_trees_of_its_values_and_keeps_its_names(owner):
    X, y = frame()
    named = owner(random_state=0).fit(X, y)
    plain = owner(random_state=0).fit(X.to_numpy(), y)
    assert_same_trees(named, plain)
    assert named.feature_names_in_.tolist() == ["stem", "cap", "ring"]
    assert not hasattr(plain, "feature_names_in_")
    assert named.predict(X).tolist() == plain.predict(X.to_numpy()).tolist()


def calls(estimator):
    """What can be asked of a fitted estimator, each as a call that takes ``X``."""
    for name in ("predict", "predict_proba", "vote_shares", "coverage", "tree_predict", "apply"):
        if hasattr(estimator, name):
            yield getattr(estimator, name)
    if hasattr(estimator, "staged_predict"):
        yield lambda X: list(estimator.staged_predict(X))


@BOTH
def test_columns_in_another_order_or_of_another_name_are_refused(owner):
    X, y = frame()
    estimator = owner(random_state=0).fit(X, y)
    for call in calls(estimator):
        with pytest.raises(ValueError, match="must be in the same order"):
            call(X[["cap", "stem", "ring"]])
        with pytest.raises(ValueError, match="unseen at fit time"):
            call(X.rename(columns={"cap": "hat"}))
        with pytest.raises(ValueError, match="missing"):
            call(X.drop(columns="cap"))
        with (
            pytest.raises(ValueError, match="is expecting 3 features"),
            pytest.warns(UserWarning, match="names"),
        ):
            call(X.to_numpy()[:, :2])
        with pytest.warns(UserWarning, match="feature names"):
            call(X.to_numpy())


# Numbers of other types, other layouts of memory


def layouts(X):
    n, d = X.shape
    wide = np.full((2 * n, 3 * d), 9.0)
    wide[::2, ::3] = X
    fixed = X.copy()
    fixed.flags.writeable = False
    return {
        "rows": np.ascontiguousarray(X),
        "columns": np.asfortranarray(X),
        "gaps": wide[::2, ::3],
        "backwards": X[::-1, ::-1].copy()[::-1, ::-1],
        "read-only": fixed,
        "other byte order": X.astype(">f8"),
        "lists": X.tolist(),
        "frame": pd.DataFrame(X).to_numpy(),
    }


@pytest.mark.parametrize("d", [1, 3])
def test_layout_in_memory_changes_nothing(d):
    X, y = blobs(100, d)
    expected = PartialClassificationForest(4, random_state=0).fit(X, y)
    for name, same in layouts(X).items():
        forest = PartialClassificationForest(4, random_state=0).fit(same, y)
        assert_same_trees(forest, expected)
        assert forest.vote_shares(same).tobytes() == expected.vote_shares(X).tobytes(), name
        assert forest.predict(same).tobytes() == expected.predict(X).tobytes(), name


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.int8, np.uint16, bool, object])
def test_numbers_of_another_type_are_taken_at_their_value(dtype):
    X, y = blobs(100, 3)
    X = (np.round(X * 20) if np.issubdtype(dtype, np.integer) else X > 0.5 if dtype is bool else X).astype(
        dtype
    )
    forest = PartialClassificationForest(4, random_state=0).fit(X, y)
    exact = X.astype(np.float64)
    expected = PartialClassificationForest(4, random_state=0).fit(exact, y)
    assert_same_trees(forest, expected)
    assert forest.bounds_.tolist() == expected.bounds_.tolist() == [*map(list, (exact.min(0), exact.max(0)))]
    assert forest.vote_shares(X).tolist() == expected.vote_shares(exact).tolist()


@pytest.mark.parametrize(
    "y",
    [
        ["b", "a", "b", "c"],
        [True, False, True, False],
        [3, -1, 3, 7],
        [3.0, -1.0, 3.0, 7.0],
        np.array(["b", "a", "b", "c"], object),
        np.array([1, 0, 1, 0], np.uint8),
        pd.Series(["b", "a", "b", "c"], index=[9, 9, 4, 1]),
        pd.Series(["b", "a", "b", "c"], dtype="string"),
        pd.Series(["b", "a", "b", "c"], dtype="category"),
        pd.Series([3, 1, 3, 2], dtype="Int64"),
    ],
    ids=["str", "bool", "int", "float", "object", "uint8", "series", "string", "category", "Int64"],
)
def test_labels_of_any_type_come_back(y):
    X = [[0.0], [1.0], [2.0], [3.0]]
    forest = PartialClassificationForest(3, min_samples_leaf=1, random_state=0).fit(X, y)
    assert forest.classes_.tolist() == sorted(set(y))
    assert forest.predict(X).tolist() == list(y)
    assert forest.coverage(X) == forest.score(X, np.asarray(y)) == 1.0
    shares = forest.predict_proba(X)
    assert forest.classes_[shares.argmax(axis=1)].tolist() == list(y)


# What cannot be a table or its labels


@BOTH
def test_tables_and_labels_that_make_no_sense_are_refused(owner):
    X, y = blobs(20)
    for bad in (np.nan, np.inf, -np.inf):
        broken = X.copy()
        broken[3, 1] = bad
        with pytest.raises(ValueError, match=f"{owner.__name__}|NaN|infinity"):
            owner().fit(broken, y)
        with pytest.raises(ValueError, match=f"{owner.__name__}|NaN|infinity"):
            owner().fit(X, y).predict(broken)
    for call, message in [
        (lambda: owner().fit(X, y[:-1]), "X has 20 rows and y has 19 labels"),
        (lambda: owner().fit(X, None), f"{owner.__name__}: fit requires y"),
        (lambda: owner().fit(X, X[:, 0]), "Unknown label type"),
        (lambda: owner().fit(X, np.zeros((20, 2))), "y should be a 1d array"),
        (lambda: owner().fit(X[:0], y[:0]), "0 sample"),
        (lambda: owner().fit(X[:, :0], y), "0 feature"),
        (lambda: owner().fit(X[:, 0], y), "Expected 2D array"),
        (lambda: owner().fit(X, y).predict(X[:, :1]), "is expecting 2 features"),
        (lambda: owner().fit(X, y).predict(X[:0]), "0 sample"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


# scikit-learn's tools


def test_works_in_cross_validation_grid_search_and_pipelines():
    X, y = blobs(200)
    forest = PartialClassificationForest(5, random_state=0)
    scores = cross_val_score(forest, X, y, cv=3, error_score="raise")
    assert ((scores > 0) & (scores < 1)).all()
    grid = {"max_depth": [2, 32], "leaf_model": ["majority", "laplace"], "max_loss": [0.0, 0.2]}
    search = GridSearchCV(forest, grid, cv=2, error_score="raise").fit(X, y)
    assert set(search.best_params_) == set(grid)
    assert make_pipeline(StandardScaler(), forest).fit(X, y).predict(X).shape == (200,)


def test_shapes_and_types_of_what_comes_out():
    X, y = blobs(50, 2, 3)
    forest = PartialClassificationForest(4, random_state=0).fit(X, y)
    new = X[:7]
    assert (forest.predict(new).shape, forest.predict(new).dtype) == ((7,), np.int64)
    assert (forest.predict_proba(new).shape, forest.predict_proba(new).dtype) == ((7, 3), np.float64)
    assert (forest.vote_shares(new).shape, forest.vote_shares(new).dtype) == ((7, 4), np.float64)
    assert (forest.tree_predict(new).shape, forest.tree_predict(new).dtype) == ((4, 7), np.int32)
    assert [stage.shape for stage in forest.staged_predict(new)] == [(7,)] * 4
    assert type(forest.coverage(new)) is float
    assert (forest.bounds_.shape, forest.bounds_.dtype) == ((2, 2), np.float64)
    assert len(forest.estimators_) == len(forest.predictors_) == 4
    np.testing.assert_allclose(forest.vote_shares(new).sum(axis=1), 1.0)
    np.testing.assert_allclose(forest.predict_proba(new).sum(axis=1), 1.0)
