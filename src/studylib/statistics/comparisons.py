"""Estimators compared on the same random train/test splits."""

import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from studylib.statistics.intervals import resampled_interval


def compare_on_splits(models, y, seeds, test_size=0.2, n_jobs=1):
    """Errors of several estimators on the same splits.

    Parameters
    ----------
    models : dict of str to (estimator, X)
        Each estimator with the features it sees; all ``X`` have the rows of ``y``.
    y : array-like (n_samples,)
    seeds : iterable of int
        ``random_state`` of each split and of each estimator that has one.
    test_size : float
    n_jobs : int
        Threads over splits; the result is bit-identical for any number.

    Returns
    -------
    DataFrame
        One row per seed and model: ``seed``, ``model``, ``train_error``, ``test_error``, and for trees
        ``depth``, ``nodes`` and ``leaves``.
    """
    y = pd.Series(y).reset_index(drop=True)

    def rows_of(seed):
        train, test = train_test_split(range(len(y)), test_size=test_size, shuffle=True, random_state=seed)
        rows = []
        for name, (estimator, X) in models.items():
            model = clone(estimator)
            if "random_state" in model.get_params():
                model.set_params(random_state=seed)
            model.fit(X.iloc[train], y.iloc[train])
            row = {"seed": seed, "model": name}
            for part, index in (("train", train), ("test", test)):
                row[f"{part}_error"] = float((model.predict(X.iloc[index]) != y.iloc[index]).mean())
            if hasattr(model, "n_nodes_"):
                row |= {"depth": model.depth_, "nodes": model.n_nodes_, "leaves": model.n_leaves_}
            rows.append(row)
        return rows

    parts = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(rows_of)(seed) for seed in seeds)
    return pd.DataFrame([row for rows in parts for row in rows])


def paired_difference(table, first, second, test_share=0.2, column="test_error"):
    """Interval of the mean difference ``first - second`` over splits; see ``resampled_interval``.

    Parameters
    ----------
    table : DataFrame
        From :func:`compare_on_splits`.
    first, second : str
        Names of models in it.
    test_share : float
    column : str

    Returns
    -------
    Interval
    """
    wide = table.pivot(index="seed", columns="model", values=column)
    return resampled_interval(wide[first] - wide[second], test_share)


def has_twin(X_train, X_test):
    """Rows of ``X_test`` that have a duplicate in ``X_train``, bool (n_test,).

    Parameters
    ----------
    X_train, X_test : DataFrame with the same columns (the target included, to ask for whole rows)
    """
    seen = set(pd.util.hash_pandas_object(X_train, index=False))
    return pd.util.hash_pandas_object(X_test, index=False).isin(seen).to_numpy()
