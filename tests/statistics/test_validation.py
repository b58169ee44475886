"""Searches over a grid: equal to loops written out and to scikit-learn's, ties and bad input included."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from studylib import statistics
from studylib.statistics.validation import Search
from studylib.trees import TreePredictor

KNN = {"n_neighbors": [1, 3, 7, 30], "weights": ["uniform", "distance"]}
SEARCHES = [
    (KNeighborsClassifier(), KNN),
    (DecisionTreeClassifier(random_state=0), [{"max_depth": [1, 3, None]}, {"min_samples_leaf": [5, 20]}]),
    (TreePredictor(), {"max_depth": [2, 4], "criterion": ["gini", "information"]}),
    (make_pipeline(StandardScaler(), GaussianNB()), {"gaussiannb__var_smoothing": [1e-9, 1.0]}),
]
SPLITTERS = [
    3,
    KFold(4, shuffle=True, random_state=1),
    StratifiedKFold(3),
    ShuffleSplit(3, test_size=0.3, random_state=2),
]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(151, 3)), columns=list("abc"), index=rng.permutation(151))
    noisy = X["a"] * X["b"] + 0.5 * X["c"] + 0.4 * rng.normal(size=151)
    return X, pd.Series(np.where(noisy > 0.1, "yes", "no"), index=X.index)


@pytest.mark.parametrize(("estimator", "grid"), SEARCHES)
def test_holdout_search_is_the_loop_written_out(data, estimator, grid):
    X, y = data
    search = statistics.holdout_search(estimator, grid, X[:100], y[:100], X[100:], y[100:])
    for params, loss in zip(search.configurations, search.losses[:, 0], strict=True):
        model = type(estimator)(**estimator.get_params(deep=False)).set_params(**params)
        wrong = sum(
            p != t for p, t in zip(model.fit(X[:100], y[:100]).predict(X[100:]), y[100:], strict=True)
        )
        assert loss == wrong / 51
    assert search.best_loss == pytest.approx(search.losses.min())


@pytest.mark.slow
@pytest.mark.parametrize("cv", SPLITTERS, ids=str)
@pytest.mark.parametrize(("estimator", "grid"), SEARCHES)
def test_flat_cv_is_the_search_of_scikit_learn(data, estimator, grid, cv):
    X, y = data
    search = statistics.flat_cv(estimator, grid, X, y, cv)
    theirs = GridSearchCV(estimator, grid, cv=cv).fit(X, y)
    assert search.configurations == theirs.cv_results_["params"]
    for k in range(search.losses.shape[1]):
        np.testing.assert_allclose(search.losses[:, k], 1 - theirs.cv_results_[f"split{k}_test_score"])
    assert search.best_params == theirs.best_params_
    assert search.best_loss == pytest.approx(1 - theirs.best_score_)


@pytest.mark.slow
@pytest.mark.parametrize("inner", SPLITTERS[:2], ids=str)
@pytest.mark.parametrize(("estimator", "grid"), SEARCHES)
def test_nested_cv_is_a_search_scored_by_cross_validation(data, estimator, grid, inner):
    X, y = data
    outer = KFold(3, shuffle=True, random_state=5)
    search = statistics.nested_cv(estimator, grid, X, y, outer, inner)
    scores = cross_val_score(GridSearchCV(estimator, grid, cv=inner), X, y, cv=outer)
    np.testing.assert_allclose(search.losses, 1 - scores)
    assert search.estimate == pytest.approx(1 - scores.mean())
    assert len(search.searches) == 3


@pytest.mark.slow
def test_a_fold_by_itself_is_the_fold_of_the_whole(data):
    X, y = data
    outer = KFold(3)
    whole = statistics.nested_cv(KNeighborsClassifier(), KNN, X, y, outer, 4)
    for k, fold in enumerate(outer.split(X)):
        search, loss = statistics.nested_fold(KNeighborsClassifier(), KNN, X, y, *fold, 4)
        assert loss == whole.losses[k]
        assert np.array_equal(search.losses, whole.searches[k].losses)


@pytest.mark.slow
def test_another_map_gives_the_same(data):
    X, y = data
    args = KNeighborsClassifier(), KNN, X, y, 3
    with ThreadPoolExecutor(2) as pool:
        search = partial(statistics.holdout_search, map=pool.map)
        assert np.array_equal(
            statistics.flat_cv(*args).losses, statistics.flat_cv(*args, search=search).losses
        )
        assert np.array_equal(
            statistics.nested_cv(*args).losses, statistics.nested_cv(*args, search=search).losses
        )


def test_first_of_equals_is_best():
    configurations = [{"k": k} for k in range(4)]
    search = Search(configurations, np.array([[0.3], [0.1], [0.1], [0.2]]))
    assert search.best_params == {"k": 1}
    assert search.to_frame()["validation_loss"].tolist() == [0.3, 0.1, 0.1, 0.2]
    # 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in their last bit.
    search = Search(configurations[:2], np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]))
    assert search.losses.mean(axis=1)[0] > search.losses.mean(axis=1)[1]
    assert search.best_params == {"k": 0}


def test_the_estimator_stays_as_it_was(data):
    X, y = data
    estimator = KNeighborsClassifier(5)
    statistics.nested_cv(estimator, KNN, X, y, 3, 3)
    assert estimator.n_neighbors == 5
    assert not hasattr(estimator, "classes_")


@pytest.mark.parametrize(
    ("grid", "sentence"),
    [
        ({"neighbours": [1]}, "grid names 'neighbours', which is no parameter of KNeighborsClassifier."),
        ([], r"grid must have at least one configuration, got \[\]."),
    ],
)
def test_bad_grids_are_named(data, grid, sentence):
    X, y = data
    estimator = KNeighborsClassifier()
    with pytest.raises(ValueError, match=f"^holdout_search: {sentence}"):
        statistics.holdout_search(estimator, grid, X, y, X, y)
    with pytest.raises(ValueError, match=f"^flat_cv: {sentence}"):
        statistics.flat_cv(estimator, grid, X, y)


def test_bad_data_and_splits_are_named(data):
    X, y = data
    estimator, grid = KNeighborsClassifier(), {"n_neighbors": [1]}
    with pytest.raises(ValueError, match="^holdout_search: X has 151 rows and y has 150 labels; they must"):
        statistics.holdout_search(estimator, grid, X, y, X, y[1:])
    with pytest.raises(ValueError, match="^flat_cv: X has 150 rows and y has 151 labels; they must match."):
        statistics.flat_cv(estimator, grid, X[1:], y)
    with pytest.raises(ValueError, match="^holdout_search: X must have at least one row, got none."):
        statistics.holdout_search(estimator, grid, X, y, X[:0], y[:0])
    with pytest.raises(
        ValueError, match="^nested_cv: inner must be a number of folds or a splitter, because"
    ):
        statistics.nested_cv(estimator, grid, X, y, 3, [(np.arange(9), np.arange(9, 12))])
