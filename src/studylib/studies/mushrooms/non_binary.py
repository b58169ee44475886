"""Trees with a branch for each value against binary trees (section 3.1), on tables of categories.

The UCI suite's files hold numbers only, so what is a category cannot be read from a type.  Taken are the
sets that :func:`has_categories_only`: no column has more than eight values, at least half of the columns have
three or more (with two values both kinds of tree ask the same), and there are at least 900 rows.  Five of the
suite's 116 sets are so; UCI describes the columns of all five as categories, some of them ordered.
"""

import functools

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from studylib import datasets
from studylib.studies.mushrooms.experiments import ROWS, prepared_mushroom
from studylib.trees import MultiwayTreePredictor, TreePredictor

MUSHROOMS = "secondary mushroom"
#: The suite's sets of categories.
CATEGORY_SETS = ("car", "chess-krvk", "molec-biol-splice", "nursery", "tic-tac-toe")
#: Most splits on a path.
DEPTHS = (1, 2, 3, 4, 5)
#: Ranges that a measurement of the mushrooms is cut into, of about equal numbers of training rows.
_N_RANGES = 8
_MOST_VALUES, _FEWEST_ROWS = 8, 900


def has_categories_only(X):
    """Whether a table of numbers is one of coded categories, by numbers of values and rows."""
    n_values = np.array([len(np.unique(column)) for column in np.asarray(X).T])
    return bool(len(X) >= _FEWEST_ROWS and n_values.max() <= _MOST_VALUES and (n_values >= 3).mean() >= 0.5)


def load_category_sets():
    """The suite's sets of categories, a dict of name to (X, y)."""
    return {name: load_set(name, "real") for name in CATEGORY_SETS}


def simulate_category_sets():
    """Stand-ins of the same names."""
    return {name: load_set(name, "simulated") for name in CATEGORY_SETS}


@functools.lru_cache(maxsize=1)
def load_set(name, data):
    """Features as categories, and the target; the mushrooms' three measurements stay numbers.

    ``MUSHROOMS`` names the report's sample of 10,000 rows.
    """
    if name == MUSHROOMS:
        X, y = prepared_mushroom(ROWS, data=data)
        return X, y.to_numpy()
    if data == "real":
        loaded = datasets.load_uci_suite(name)
        X, y = loaded.data, loaded.target
    else:
        rng = np.random.default_rng(CATEGORY_SETS.index(name))
        X = rng.integers(0, 4, (1000, 6))
        y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.integers(0, 3, 1000)) % 3
    frame = pd.DataFrame(X, columns=[f"f{j + 1}" for j in range(X.shape[1])])
    return frame.astype(str).astype("category"), y


def keys(data_of, n_splits):
    """Keys of :func:`depth_task`."""
    return [
        {"set": name, "data": data, "split_seed": seed}
        for name, data in data_of.items()
        for seed in range(n_splits)
    ]


def depth_task(key, seed):
    """Errors of a binary and of a multiway tree with at most 1, 2, … splits on a path."""
    X, y = load_set(key["set"], key["data"])
    train, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=key["split_seed"])
    X_train, X_test = _in_ranges(X.iloc[train], X.iloc[test])
    errors = {}
    for name, kind in (("binary", TreePredictor), ("multiway", MultiwayTreePredictor)):
        trees = [kind("information", max_depth=depth).fit(X_train, y[train]) for depth in DEPTHS]
        errors[name] = {
            part: [float(np.mean(tree.predict(rows) != labels)) for tree in trees]
            for part, rows, labels in (("train", X_train, y[train]), ("test", X_test, y[test]))
        }
    return errors


def _in_ranges(X_train, X_test):
    """Both parts with numbers cut into ranges of about equal numbers of training rows."""
    for column in X_train.select_dtypes("number"):
        inner = np.unique(np.quantile(X_train[column], np.arange(1, _N_RANGES) / _N_RANGES))
        edges = np.array([-np.inf, *inner, np.inf])
        X_train, X_test = (
            part.assign(**{column: pd.cut(part[column], edges).astype(str).astype("category")})
            for part in (X_train, X_test)
        )
    return X_train, X_test


def table(trees):
    """Training error and test − training gap of both trees, in percent, means over depths and splits.

    Each is in a row per set for "binary", "multiway" and "multiway − binary".
    """
    errors = trees.assign(error=100 * trees["value"].map(np.mean))
    errors = errors.pivot_table("error", ["set", "split_seed", "tree"], "part", sort=False)
    halves = dict(zip(HALVES, (errors["train"], errors["test"] - errors["train"]), strict=True))
    means = pd.DataFrame(halves).reset_index().pivot_table(list(HALVES), "set", "tree", sort=False)
    for half in HALVES:
        means[half, "multiway − binary"] = means[half, "multiway"] - means[half, "binary"]
    return means[list(HALVES)]


#: The two halves of the statement.
HALVES = ("training error", "test − training error")


def differences(means):
    """Multiway − binary of each half in points, a list over the sets."""
    return {f"{half}, points": means[half, "multiway − binary"].tolist() for half in HALVES}


def signs(means):
    """On how many sets each half has the stated sign, a count for each."""
    lower, wider = (means[half, "multiway − binary"] for half in HALVES)
    return {
        "training error lower": {"true": int((lower < 0).sum()), "of": len(lower)},
        "test error farther above it": {"true": int((wider > 0).sum()), "of": len(wider)},
    }
