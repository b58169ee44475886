"""From results of tasks to what is measured about the report's claims, and to tables."""

import numpy as np
import pandas as pd

from studylib import datasets
from studylib.studies.mushrooms.published import ERRORS_10000, TABLE_41

#: Names of the models that the learning curves compare with ours.
MODEL_NAMES = {f"peer {kind}": f"scikit-learn's {kind}" for kind in ("tree", "forest", "boosting")}


def only_categories_remain(frame, threshold=0.40):
    """Whether only categorical columns remain after deletion at the report's threshold, by two readings.

    Parameters
    ----------
    frame : DataFrame with the column "class"
    threshold : float

    Returns
    -------
    dict of str to bool
    """
    kept = datasets.delete_features(frame, threshold).drop(columns="class")
    numbers = kept.select_dtypes("number")
    return {
        "every remaining column is categorical": numbers.empty,
        "every remaining column with missing values is categorical": not numbers.isna().any(axis=None),
    }


def row_of_table_41(table, criterion):
    """Depth, nodes, leaves and both errors of one tree, a list."""
    return [*map(int, table.loc[criterion].iloc[:3]), *map(float, table.loc[criterion].iloc[3:])]


def thresholds_giving_table_41(tables):
    """At which thresholds Table 4.1 arises, its errors cut after three decimals; "neither" if at none.

    Parameters
    ----------
    tables : dict of float to DataFrame
    """
    giving = [f"{t:.2f}" for t, table in tables.items() if (_cut(table) == TABLE_41).all(axis=None)]
    return ", ".join(giving) or "neither"


def _cut(table):
    return np.trunc(table * 1000) / 1000


def side_by_side(published, ours):
    """Table 4.1 as published and as ours, row by row; errors with the digits that each has."""
    both = pd.concat({"published": published.map("{:.3f}".format), "ours": ours.map("{:.6f}".format)})
    sizes = ["depth", "nodes", "leaves"]
    both[sizes] = pd.concat([published, ours])[sizes].to_numpy(int)
    return both.swaplevel().loc[list(published.index)]


def errors_by_class(trees, X, y):
    """Errors of each tree among the edible and among the poisonous rows.

    Parameters
    ----------
    trees : dict of str to TreePredictor
    X : DataFrame
    y : Series, of "e" and "p"

    Returns
    -------
    DataFrame
        A row per tree: errors, and their share of the class in percent.
    """
    rows, true = {}, np.asarray(y)
    for name, tree in trees.items():
        wrong = np.asarray(tree.predict(X)) != true
        rows[name] = {
            (label, column): value
            for code, label in (("e", "edible called poisonous"), ("p", "poisonous called edible"))
            for column, value in (
                ("rows", int(wrong[true == code].sum())),
                ("% of the class", 100 * wrong[true == code].mean()),
            )
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def points(table, first, second, column="test_error"):
    """Measured pairs of two models' errors over splits, in percent.

    Parameters
    ----------
    table : DataFrame with "model", a column of split seeds ("seed" or "split_seed") and errors
    first, second : str, models
    column : str

    Returns
    -------
    {"first": runs, "second": runs}
    """
    seed = "seed" if "seed" in table else "split_seed"
    wide = 100 * table.pivot(index=seed, columns="model", values=column)
    return {"first": wide[first], "second": wide[second]}


def errors_by_twins(twins):
    """Measured pairs of test errors with and without twins, in percent."""
    return {"first": 100 * twins["test error with"], "second": 100 * twins["test error without"]}


def changed_shares(table):
    """Share of nodes that changed in each draw, by size of the training set and variation.

    Parameters
    ----------
    table : DataFrame
        "n_train", "variation" and "changed", a row per draw.

    Returns
    -------
    dict of str to dict of str to list
    """
    found = {}
    for (n, variation), part in table.groupby(["n_train", "variation"], sort=False):
        found.setdefault(f"{n:,} rows", {})[variation] = part["changed"].tolist()
    return found


def overfitting_gap(errors):
    """Test minus training error of the grown trees on each split, in points.

    Parameters
    ----------
    errors : DataFrame
        Keys and results of ``learning_curve_task``.
    """
    grown = errors[errors["model"] == "tree"]
    return 100 * (grown["test_error"] - grown["train_error"])


def published_errors(single, folds, best):
    """The three errors of a single tree, as published and as ours."""
    ours = pd.Series([single, np.mean(folds), np.mean(best)], ERRORS_10000.index)
    return pd.DataFrame({"published": ERRORS_10000, "ours": ours})
