"""The four published trees (section 4.2, Table 4.1) and what surrounds them: splits, twins, single rows.

Tasks ``(key, seed) -> plain data``, and the keys that the notebook asks for.  Every key has ``"data"``,
``"real"`` or ``"simulated"``.  Splits take their seeds from the key and not from ``seed``, so that tasks are
paired.  All use the first 60,000 rows, as the source does.
"""

import functools
import itertools
import math

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from studylib import datasets
from studylib.statistics import compare_on_splits, has_twin
from studylib.studies.mushrooms.experiments import SEED, cleaned, raw_mushroom
from studylib.studies.mushrooms.properties import changed_nodes, tests_of_rows
from studylib.trees import RandomForestClassifier as Forest
from studylib.trees import TreePredictor

#: Rows of the published trees, and the share of missing values at which the trees arise.
ROWS, THRESHOLD = 60_000, 0.20

#: The source's criteria, in the order of Table 4.1.
CRITERIA = ("misclassification", "information", "gini", "chi_square")


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

    ``random_state`` is of the split.  Returns the trees by criterion, a row for each with depth, nodes,
    leaves, train and test error, and the split: ``X_train, X_test, y_train, y_test``.
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
    """Errors of one model on one split, and the size of a tree."""
    data, name, split_seed = key["data"], key["model"], key["split_seed"]
    model = {name: _models(data, split_seed)[name]}
    comparison = compare_on_splits(model, first_rows(data)[1], [split_seed])
    return comparison.to_dict("records")[0]


def twin_keys(data, n_split_seeds):
    """Keys of :func:`twin_task`."""
    return [{"data": data, "split_seed": s} for s in range(n_split_seeds)]


def twin_task(key, seed):
    """What test rows that also appear in the training set do to a test error."""
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


#: Training rows and how many of them are left out, by name; all share one table of 48,000 rows.
VARIATIONS = {n: {"1 row": 1, "1 %": max(1, n // 100), "5 %": n // 20} for n in (200, 2_000, 48_000)}


def variation_keys(data, n_draws):
    """Keys of :func:`variation_task`: every size of the training set, variation and draw."""
    return [
        {"data": data, "n_train": n, "n_dropped": n_dropped, "draw": draw}
        for n, variations in VARIATIONS.items()
        for n_dropped in variations.values()
        for draw in range(n_draws)
    ]


def variation_table(draws):
    """Share of nodes "changed" in each draw, with the variations' names, a row per :func:`variation_task`."""
    names = {(n, k): name for n, variations in VARIATIONS.items() for name, k in variations.items()}
    variations = [names[n, k] for n, k in draws[["n_train", "n_dropped"]].to_numpy()]
    return draws.rename(columns={"value": "changed"}).assign(variation=variations)


def variation_task(key, seed):
    """Share of a tree's nodes that change when a few training rows, drawn at random, are left out."""
    return changed_nodes(*trees_of_variation(key))


def trees_of_variation(key):
    """A tree grown on ``n_train`` training rows of the published split, and one without a few of these.

    The rows are drawn at random, by their number and the draw alone, so that variations are paired.
    """
    X, _, y, _ = published_split(key["data"])
    rng = np.random.default_rng([key["n_train"], key["draw"]])
    rows = rng.permutation(len(X))[: key["n_train"]]  # in random order, so the last ones are random, too
    parts = np.sort(rows), np.sort(rows[: len(rows) - key["n_dropped"]])
    return [TreePredictor().fit(X.iloc[part], y.iloc[part]) for part in parts]


@functools.lru_cache(maxsize=1)
def published_split(data):
    """Features of the published split, for training and test, and their targets."""
    return train_test_split(*first_rows(data), test_size=0.2, shuffle=True, random_state=SEED)


#: Height limits of the trees whose predictions are counted; None is no limit.
COUNTED_DEPTHS = (2, 5, 10, 20, None)


def tests_by_depth(X, y, rows):
    """Conditions tested to predict ``rows``, by trees of different depth that were grown on the same rows."""
    counted = {}
    for limit in COUNTED_DEPTHS:
        tree = TreePredictor(max_depth=limit).fit(X, y)
        counts = tests_of_rows(tree, rows)
        counted[tree.depth_] = {
            "most": int(counts.max()),
            "mean": float(counts.mean()),
            "most ÷ depth": float(counts.max() / tree.depth_),
        }
    return pd.DataFrame.from_dict(counted, orient="index").rename_axis("depth")


def forest_of_five_keys(data, n_seeds):
    """Keys of :func:`forest_of_five_task`, one per seed of the forest."""
    return [{"data": data, "forest_seed": seed} for seed in range(n_seeds)]


def forest_of_five_task(key, seed):
    """Test error of a forest of five fully grown trees on the rows and the split of Table 4.1."""
    X, X_test, y, y_test = published_split(key["data"])
    forest = Forest(
        5,
        criterion="information",
        max_features="ceil_sqrt",
        voting="hard",
        random_state=key["forest_seed"],
    ).fit(X, y)
    return float(np.mean(forest.predict(X_test) != y_test))


#: Nodes of the five trees that the author's notebook forest.ipynb prints.
PRINTED_NODES = (983, 945, 913, 895, 941)


def replayed_forest(data):
    """The forest of five in the author's notebook, from its seed: its test error, and the nodes of its trees.

    The seed draws two for each tree.  The first draws its bag, the second the columns that its root looks at.
    At each further node that is divided the second is one higher.
    """
    X, X_test, y, y_test = published_split(data)
    seeds = np.random.RandomState(SEED).randint(1, 2**16, (2, len(PRINTED_NODES)))
    trees = [_replayed_tree(X, y, *of_tree) for of_tree in seeds.T]
    votes = [tree.predict(X_test) for tree in trees]
    majority = pd.DataFrame(votes).mode().iloc[0].to_numpy()
    return float(np.mean(majority != y_test)), [tree.n_nodes_ for tree in trees]


def _replayed_tree(X, y, bag_seed, column_seed):
    n, d = X.shape
    bag = np.random.RandomState(bag_seed).choice(n, n)
    column_seeds = itertools.count(column_seed)
    tree = TreePredictor("information", source_compatible=True)
    tree._draw = lambda: np.random.RandomState(next(column_seeds)).choice(d, math.ceil(d**0.5), replace=False)
    return tree.fit(X.iloc[bag], y.iloc[bag])
