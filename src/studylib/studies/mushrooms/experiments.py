"""The 10,000-row study of tree predictors (sections 4.3 and 5), and its extension to all 61,069 rows.

Tasks ``(key, seed) -> plain data``, and the keys that the notebook asks for.  Every key has ``"data"``,
``"real"`` or ``"simulated"``, and ``"rows"``: how many are sampled, or None for all.  Splits and models take
their seeds from the key and not from ``seed``, so that tasks are paired.  The published trees (section 4.2)
are in :mod:`studylib.studies.mushrooms.published_trees`.
"""

import functools

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.ensemble import RandomForestClassifier as PeerForest
from sklearn.model_selection import KFold, ParameterGrid, StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from studylib import datasets, trees
from studylib.core.parameters import check_choice
from studylib.statistics.stopping import stopping_search
from studylib.statistics.validation import nested_fold
from studylib.studies.keys import crossed
from studylib.trees import TreePredictor

#: Rows of the source's study, and its one seed: of the sample, the split and the folds.
ROWS, SEED = 10_000, 1234

#: The 560 configurations of the source's search, for ParameterGrid.  A node of m samples or fewer is a leaf.
GRID = {
    "max_depth": [15, 25],
    "max_leaf_nodes": [50, 100, 150, 200, 250],
    "max_nodes": [150, 250, 350, 450],
    "min_samples_split": [m + 1 for m in range(0, 151, 25)],
    "min_entropy": [0.0, 0.25],
}

#: The tree that the source's study grows.
SOURCE_TREE = TreePredictor("information", source_compatible=True)


@functools.lru_cache(maxsize=4)
def prepared_mushroom(rows=None, threshold=0.20, data="real"):
    """Features and target: rows sampled, then features deleted, then missing values filled with ``"u"``.

    ``rows`` is the size of the sample that the source draws (None: all), ``threshold`` the share of missing
    entries at which a feature is deleted.  Three columns of X are numeric, the others categories.  Both are
    kept for the next call: copy before changing them.
    """
    check_choice("prepared_mushroom", "data", data, ("real", "simulated"))
    frame = raw_mushroom(data)
    if rows is not None:
        frame = frame.sample(rows, random_state=SEED)
    return cleaned(frame.reset_index(drop=True), threshold)


def raw_mushroom(data):
    """The table as it is published, or its simulated stand-in."""
    real = data == "real"
    load = datasets.load_secondary_mushroom if real else datasets.simulate_secondary_mushrooms
    return load().frame


def cleaned(frame, threshold):
    """Features and target without the features that miss too much; missing values filled with ``"u"``.

    Columns of strings become categories, encoded here once and not in every fit.
    """
    X, y = datasets.clean(frame, threshold, "u")
    return X.astype(dict.fromkeys(X.select_dtypes(exclude="number"), "category")), y


def single_split_error(rows=ROWS, data="real"):
    """Test error of the source's tree on its one split (published for 10,000 rows: 0.017)."""
    X, y = prepared_mushroom(rows, data=data)
    train, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=SEED)
    return _error(SOURCE_TREE, X, y, train, test)


def five_fold_errors(rows=ROWS, data="real"):
    """Errors of the source's tree on its five folds, a list (published mean for 10,000 rows: 0.019).

    The source shuffles the rows after ``np.random.seed(1234)`` and cuts five blocks, as ``KFold`` does.
    """
    X, y = prepared_mushroom(rows, data=data)
    folds = KFold(5, shuffle=True, random_state=SEED).split(X)
    return [_error(SOURCE_TREE, X, y, train, test) for train, test in folds]


def holdout_keys(data, n_split_seeds):
    """Keys of :func:`holdout_search_task`; 15 percent of the rows can give the published loss."""
    return [{"data": data, "rows": ROWS, "split_seed": s, "valid_share": 0.15} for s in range(n_split_seeds)]


def holdout_search_task(key, seed):
    """The source's search: all configurations of ``GRID`` fitted on one part and validated on the other.

    The split is unseeded in the source.  Losses are in the order of ``ParameterGrid(GRID)``.
    """
    X, y = prepared_mushroom(key["rows"], data=key["data"])
    X, X_valid, y, y_valid = train_test_split(
        X, y, test_size=key["valid_share"], random_state=key["split_seed"]
    )
    search = stopping_search(SOURCE_TREE, GRID, X, y, X_valid, y_valid)
    return {
        "losses": search.losses[:, 0].tolist(),
        "best_loss": search.best_loss,
        "best_params": search.best_params,
    }


def unlimited_error(data, n_split_seeds):
    """Mean validation error of the source's tree without limits, over the splits of :func:`holdout_keys`."""
    X, y = prepared_mushroom(ROWS, data=data)
    errors = []
    for key in holdout_keys(data, n_split_seeds):
        train, valid = train_test_split(
            np.arange(len(y)), test_size=key["valid_share"], random_state=key["split_seed"]
        )
        errors.append(_error(SOURCE_TREE, X, y, train, valid))
    return float(np.mean(errors))


def losses_by_limit(searches):
    """Each configuration of ``GRID`` with its mean validation error over several searches."""
    losses = np.mean(searches["losses"].tolist(), axis=0)
    return pd.DataFrame(list(ParameterGrid(GRID))).assign(**{"validation error": losses})


def nested_keys(data, rows, n_folds=5):
    """Keys of :func:`nested_task`, one per outer fold."""
    base = {"data": data, "rows": rows, "outer": n_folds, "inner": n_folds, "cv_seed": 1}
    return [base | {"fold": k} for k in range(n_folds)]


def nested_table(folds):
    """Errors and chosen parameters of each outer fold, a row per key of :func:`nested_task`."""
    chosen = folds.filter(like=": ").rename(columns=lambda name: name.removeprefix("best_params: "))
    return folds[["grown_error", "inner_loss", "test_error"]].join(chosen).rename_axis("outer fold")


def nested_task(key, seed):
    """One outer fold, number ``fold`` of ``outer``, of the nested cross-validation over ``GRID``.

    There are ``inner`` folds inside; ``cv_seed`` shuffles both.  Returns ``best_params``; ``inner_loss``, the
    flat estimate of their error on the training rows of this fold; ``test_error``, what the fold says of it;
    ``grown_error``, of the tree without limits.
    """
    X, y = prepared_mushroom(key["rows"], data=key["data"])
    outer, inner = (
        StratifiedKFold(n_splits, shuffle=True, random_state=key["cv_seed"])
        for n_splits in (key["outer"], key["inner"])
    )
    train, test = list(outer.split(X, y))[key["fold"]]
    search, test_error = nested_fold(SOURCE_TREE, GRID, X, y, train, test, inner, search=stopping_search)
    return {
        "best_params": search.best_params,
        "inner_loss": search.best_loss,
        "test_error": test_error,
        "grown_error": _error(SOURCE_TREE, X, y, train, test),
    }


#: Models of the learning curves: ours first, then scikit-learn's.
MODELS = ("tree", "pruned tree", "forest", "peer tree", "peer forest", "peer boosting")


def curve_keys(data, rows, sizes, n_split_seeds, n_estimators):
    """Keys of :func:`learning_curve_task`: every model, training size and split."""
    over = {"model": MODELS, "n_train": sizes, "split_seed": range(n_split_seeds)}
    return crossed(over, data=data, rows=rows, n_estimators=n_estimators)


def overfit_keys(data, rows, n_split_seeds):
    """Keys of :func:`learning_curve_task`: grown and pruned trees on all training rows of each split."""
    over = {"model": ("tree", "pruned tree"), "split_seed": range(n_split_seeds)}
    return crossed(over, data=data, rows=rows, n_estimators=None, n_train=None)


def learning_curve_task(key, seed):
    """Training and test error of one of ``MODELS`` on one training set.

    A fifth of the rows is for testing.  The model gets the first ``n_train`` of the others (None: all), so
    that a larger training set contains the smaller one.  A pruned tree is grown on four fifths of them and
    pruned on the rest.
    """
    check_choice("learning_curve_task", "model", key["model"], MODELS)
    X, y = prepared_mushroom(key["rows"], data=key["data"])
    if key["model"] in ("peer tree", "peer forest"):
        X = _one_hot(key["rows"], key["data"])
    train, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=key["split_seed"])
    train = train[: key["n_train"]]
    with threadpool_limits(1):  # tasks run side by side; boosting's threads would get in their way
        model = _fitted(key, X.iloc[train], y.iloc[train])
        return {
            f"{name}_error": float(np.mean(model.predict(X.iloc[part]) != y.iloc[part]))
            for name, part in (("train", train), ("test", test))
        }


def forest_keys(data, rows, n_seeds, n_estimators=5, split_seed=None):
    """Keys of :func:`forest_task`: a forest seed each, on one split, or each on a split of its own (None)."""
    base = {"data": data, "rows": rows, "n_estimators": n_estimators}
    return [
        base | {"forest_seed": s, "split_seed": s if split_seed is None else split_seed}
        for s in range(n_seeds)
    ]


def forest_task(key, seed):
    """A random forest of fully grown trees, ⌈√d⌉ features per node, and a single tree on the same split.

    Staged errors are test errors of the first 1, 2, … trees; the tree is :data:`SOURCE_TREE`.
    """
    X, y = prepared_mushroom(key["rows"], data=key["data"])
    train, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=key["split_seed"])
    forest = _forest(key["n_estimators"], key["forest_seed"]).fit(X.iloc[train], y.iloc[train])
    staged = [float(np.mean(labels != y.iloc[test])) for labels in forest.staged_predict(X.iloc[test])]
    return {
        "test_error": staged[-1],
        "oob_error": float(forest.oob_error_),
        "tree_error": _error(SOURCE_TREE, X, y, train, test),
        "staged_errors": staged,
        "importances": dict(zip(X.columns, forest.feature_importances_.tolist(), strict=True)),
    }


def _error(estimator, X, y, train, test):
    model = clone(estimator).fit(X.iloc[train], y.iloc[train])
    return float(np.mean(model.predict(X.iloc[test]) != y.iloc[test]))


def _forest(n_estimators, random_state):
    return trees.RandomForestClassifier(
        n_estimators=n_estimators,
        max_features="ceil_sqrt",
        voting="hard",
        oob_score=True,
        random_state=random_state,
    )


def _fitted(key, X, y):
    name, seed = key["model"], key["split_seed"]
    if name == "tree":
        return TreePredictor().fit(X, y)
    if name == "pruned tree":
        kept = len(y) * 4 // 5
        return TreePredictor().fit(X[:kept], y[:kept]).prune(X[kept:], y[kept:])
    if name == "forest":
        return _forest(key["n_estimators"], seed).fit(X, y)
    if name == "peer tree":
        return DecisionTreeClassifier(criterion="entropy", random_state=seed).fit(X, y)
    if name == "peer forest":
        return PeerForest(key["n_estimators"], random_state=seed).fit(X, y)
    return HistGradientBoostingClassifier(random_state=seed).fit(X, y)  # takes categories as they are


@functools.lru_cache(maxsize=1)
def _one_hot(rows, data):
    """The features as scikit-learn's trees need them: a column for each category."""
    return pd.get_dummies(prepared_mushroom(rows, data=data)[0], dtype=np.float32)
