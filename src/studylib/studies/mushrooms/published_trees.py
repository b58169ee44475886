"""The four published trees (section 4.2, Table 4.1) and what surrounds them: splits, twins, single rows.

Tasks ``(key, seed) -> plain data``, and the keys that the notebook asks for.  Every key has ``"data"``,
``"real"`` or ``"simulated"``.  Splits take their seeds from the key and not from ``seed``, so that tasks are
paired.  All use the first 60,000 rows, as the source does.
"""

import functools

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from studylib import datasets
from studylib.statistics import compare_on_splits, has_twin
from studylib.studies.mushrooms.experiments import SEED, cleaned, raw_mushroom
from studylib.studies.mushrooms.properties import changed_share, n_tests
from studylib.trees import TreePredictor

#: Rows of the published trees, and the share of missing values at which the trees arise.
ROWS, THRESHOLD = 60_000, 0.20

#: The source's criteria, in the order of Table 4.1.
CRITERIA = ("misclassification", "information", "gini", "chi_square")

#: Training rows that the cost of a prediction is counted on.
PREDICTED_ROWS = [1_000, 3_000, 10_000, 30_000, 48_000]


@functools.lru_cache(maxsize=2)
def first_rows(data="real"):
    """Features and target of the first 60,000 rows, cleaned at 0.20; copy before changing them."""
    return cleaned(raw_mushroom(data).iloc[:ROWS], THRESHOLD)


@functools.lru_cache(maxsize=2)
def _all_columns(data):
    """All features of the first 60,000 rows, with their missing values."""
    return datasets.split_target(raw_mushroom(data).iloc[:ROWS])[0]


def tree_table(criteria, X, y, random_state=SEED, test_size=0.2, **options):
    """Trees grown by several criteria on one split, and a table about them.

    Parameters
    ----------
    criteria : iterable of str
    X, y : DataFrame and Series
    random_state : int
        Of the split.
    test_size : float
    **options
        Further parameters of :class:`studylib.trees.TreePredictor`.

    Returns
    -------
    trees : dict of str to TreePredictor
    table : DataFrame, a row per criterion: depth, nodes, leaves, train error, test error
    split : (X_train, X_test, y_train, y_test)
    """
    split = train_test_split(X, y, test_size=test_size, shuffle=True, random_state=random_state)
    X_train, X_test, y_train, y_test = split
    trees, rows = {}, {}
    for criterion in criteria:
        tree = trees[criterion] = TreePredictor(criterion, **options).fit(X_train, y_train)
        rows[criterion] = {
            "depth": tree.depth_,
            "nodes": tree.n_nodes_,
            "leaves": tree.n_leaves_,
            "train error": float((tree.predict(X_train) != y_train).mean()),
            "test error": float((tree.predict(X_test) != y_test).mean()),
        }
    return trees, pd.DataFrame.from_dict(rows, orient="index"), split


def tables_at_040(frame):
    """The published protocol at the threshold that the text names: on the first 60,000 rows and on all."""
    return {
        f"0.40, {n:,} rows": tree_table(CRITERIA, *cleaned(frame.iloc[:n], 0.40), source_compatible=True)[1]
        for n in (ROWS, len(frame))
    }


def side_by_side(published, ours):
    """Table 4.1 as published and as ours, row by row; errors with the digits that each has."""
    both = pd.concat({"published": published.map("{:.3f}".format), "ours": ours.map("{:.6f}".format)})
    sizes = ["depth", "nodes", "leaves"]
    both[sizes] = pd.concat([published, ours])[sizes].to_numpy(int)
    return both.swaplevel().loc[list(published.index)]


def _models(data, seed):
    """What is compared on splits: name to (estimator, features)."""
    X, _ = first_rows(data)
    categories = make_column_selector(dtype_exclude="number")
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    ordinal = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)

    def piped(encoder, estimator):
        columns = make_column_transformer((encoder, categories), remainder="passthrough")
        return make_pipeline(columns, estimator), X

    entropy_tree = DecisionTreeClassifier(criterion="entropy", random_state=seed)
    return {
        **{criterion: (TreePredictor(criterion, source_compatible=True), X) for criterion in CRITERIA},
        "13 columns, filled": (TreePredictor(), X),
        "20 columns, as they are": (TreePredictor(), _all_columns(data)),
        "TreePredictor, information": (TreePredictor("information"), X),
        "DecisionTree, one-hot, entropy": piped(one_hot, entropy_tree),
        "DecisionTree, ordinal, entropy": piped(ordinal, entropy_tree),
        "RandomForest (100), one-hot": piped(one_hot, RandomForestClassifier(100, random_state=seed)),
    }


#: Models of :func:`split_task`: trees on the cleaned columns and on all, and scikit-learn's beside ours.
COLUMNS = ("13 columns, filled", "20 columns, as they are")
PEERS = (
    "TreePredictor, information",
    "DecisionTree, one-hot, entropy",
    "DecisionTree, ordinal, entropy",
    "RandomForest (100), one-hot",
)


def split_keys(data, models, n_split_seeds):
    """Keys of :func:`split_task`: each model on each split."""
    return [{"data": data, "model": m, "split_seed": s} for m in models for s in range(n_split_seeds)]


def split_task(key, seed):
    """Errors of one model on one split, and the size of a tree.

    Parameters
    ----------
    key : {"data", "model", "split_seed"}
        ``model`` is one of ``CRITERIA``, ``COLUMNS`` or ``PEERS``.
    seed : int
        Not used.

    Returns
    -------
    dict, a row of :func:`studylib.statistics.compare_on_splits`
    """
    data, name, split_seed = key["data"], key["model"], key["split_seed"]
    model = {name: _models(data, split_seed)[name]}
    found = compare_on_splits(model, first_rows(data)[1], [split_seed])
    return found.to_dict("records")[0]


def twin_keys(data, n_split_seeds):
    """Keys of :func:`twin_task`."""
    return [{"data": data, "split_seed": s} for s in range(n_split_seeds)]


def twin_task(key, seed):
    """What test rows that also appear in the training set do to a test error.

    Parameters
    ----------
    key : {"data", "split_seed"}
    seed : int
        Not used.
    """
    X, y = first_rows(key["data"])
    train, test = train_test_split(
        np.arange(len(X)), test_size=0.2, shuffle=True, random_state=key["split_seed"]
    )
    tree = TreePredictor().fit(X.iloc[train], y.iloc[train])
    wrong = (tree.predict(X.iloc[test]) != y.iloc[test]).to_numpy()
    whole = X.assign(label=y)
    twin = has_twin(whole.iloc[train], whole.iloc[test])
    return {
        "twins in the test set": int(twin.sum()),
        "wrong among twins": int(wrong[twin].sum()),
        "test error with": float(wrong.mean()),
        "test error without": float(wrong[~twin].mean()),
    }


def dropped_row_keys(data, n_rows):
    """Keys of :func:`dropped_row_task`: random training rows of the published split."""
    n_train = len(_published_split(data)[0])
    rows = np.random.default_rng(0).choice(n_train, n_rows, replace=False)
    return [{"data": data, "row": int(row)} for row in rows]


def dropped_row_task(key, seed):
    """Share of a tree's nodes that change when one training row is left out.

    Parameters
    ----------
    key : {"data", "row"}
        ``row`` is a position in the training part of the published split.
    seed : int
        Not used.

    Returns
    -------
    float, from :func:`studylib.studies.mushrooms.properties.changed_share`
    """
    X, y = _published_split(key["data"])
    full = _full_tree(key["data"])
    kept = np.arange(len(X)) != key["row"]
    return changed_share(full, clone(full).fit(X[kept], y[kept]), X)


@functools.lru_cache(maxsize=1)
def _published_split(data):
    """Training features and target of the published split."""
    X, _, y, _ = train_test_split(*first_rows(data), test_size=0.2, shuffle=True, random_state=SEED)
    return X, y


@functools.lru_cache(maxsize=1)
def _full_tree(data):
    return TreePredictor().fit(*_published_split(data))


def conditions_tested(tree, X):
    """Numbers of rows, and of conditions tested to predict so many of ``X``."""
    return PREDICTED_ROWS, [n_tests(tree, X.iloc[:n]) for n in PREDICTED_ROWS]
