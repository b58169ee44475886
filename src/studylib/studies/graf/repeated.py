"""The blend and its rivals on UCI sets and on real tables, over many splits and seeds, a task per method.

The folds depend on data and split seed alone, so methods are paired.  Every method gets categories as it
takes them: scikit-learn's forests as codes, −1 where one is missing, boosting and the blend as they are.
LightGBM comes in where it is installed.
"""

import functools
import warnings

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from threadpoolctl import threadpool_limits

from studylib.blend import BlendedForestClassifier
from studylib.core.node_size import SIZES
from studylib.datasets import load_real_table, real_table_names
from studylib.studies.suites import rows

RF, ET, HGB, TUNED = "random forest", "extra trees", "histogram boosting", "random forest, m tuned"
LIGHTGBM = "LightGBM"
BLEND, PURE = "blend", "blend, m = 2"
#: What is compared on the UCI sets, and on the real tables.
ON_UCI, ON_TABLES = (RF, ET, HGB, PURE, BLEND), (RF, ET, HGB, TUNED, PURE, BLEND)
#: A share below this counts as this in log loss: a hundred trees cannot tell 0 from a small share.
LEAST_SHARE = 0.001
_TABLE = "table "


def methods_on_tables():
    """What is compared on the real tables, LightGBM among it if it can be imported."""
    try:
        import lightgbm  # noqa: F401
    except (ImportError, OSError) as error:  # OSError: a library of the system is missing
        print(f"LightGBM is left out: {str(error).splitlines()[0]}")
        return ON_TABLES
    return (*ON_TABLES, LIGHTGBM)


def load_development_tables():
    """Names of the tables on which the blend was developed, after a check that they are there."""
    return _tables_of("development")


def load_kept_back_tables():
    """Names of the tables kept back from the development of the blend, after a check that they are there.

    A prototype of the blend's node size was evaluated on them once, before the blend had it.  Nothing was
    chosen on them.
    """
    return _tables_of("kept back")


def _tables_of(part):
    names = real_table_names(part)
    load_real_table(names[0])
    return [_TABLE + name for name in names]


def keys(data, n_folds, split_seeds, model_seeds, methods, n_trees):
    """Keys of :func:`scores`.

    Of histogram boosting only the first model seed is taken: it draws nothing, or on more than 10,000 rows
    those that end its growth.
    """
    return [
        {
            "data": name,
            "n_folds": n_folds[name],
            "split_seed": split_seed,
            "model_seed": model_seed,
            "method": method,
            "n_trees": n_trees,
        }
        for name in data
        for split_seed in split_seeds
        for method in methods
        for model_seed in (model_seeds[:1] if method == HGB else model_seeds)
    ]


@functools.lru_cache(maxsize=2)
def _table(name):
    """A table and its labels; of a set with a separate test file the training file only."""
    if not name.startswith(_TABLE):
        return rows(name)
    loaded = load_real_table(name.removeprefix(_TABLE))
    return loaded.data, np.asarray(loaded.target)


def as_codes(X):
    """Numbers for scikit-learn's forests; NaN stays where a number is missing."""
    if not hasattr(X, "columns"):
        return X
    columns = [X[name].cat.codes if X[name].dtype == "category" else X[name] for name in X.columns]
    return np.column_stack([np.asarray(column, np.float64) for column in columns])


def model(method, n_trees, seed):
    """A method of the comparison, not fitted, for one thread."""
    if method == LIGHTGBM:
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_estimators=n_trees, random_state=seed, n_jobs=1, verbose=-1)
    if method == ET:
        return ExtraTreesClassifier(n_trees, random_state=seed)
    if method == HGB:
        return HistGradientBoostingClassifier(
            max_iter=n_trees, categorical_features="from_dtype", random_state=seed
        )
    if method in (BLEND, PURE):
        return BlendedForestClassifier(
            n_trees,
            categorical_features="from_dtype",
            min_samples_split=2 if method == PURE else "auto",
            random_state=seed,
        )
    forest = RandomForestClassifier(n_trees, random_state=seed)
    if method == RF:
        return forest
    # As the blend chooses m: the same sizes, and the Brier score in three folds of the training rows.
    return GridSearchCV(forest, {"min_samples_split": list(SIZES)}, scoring=_negative_brier, cv=3)


def _negative_brier(fitted, X, y):
    shares = fitted.predict_proba(X)
    return -float(((shares - (y[:, None] == fitted.classes_)) ** 2).sum(axis=1).mean())


def scores(key, seed):
    """What one method reaches in one cross-validation of one table, in one thread; lists over folds.

    The folds are stratified and depend on data, number of folds and split seed alone; the method gets another
    seed in each.  The Brier score is summed over classes.  "oblique" and "sizes" are the blend's mean share
    of oblique trees and its least node sizes by family, None for the other methods.
    """
    X, y = _table(key["data"])
    blended = key["method"] in (BLEND, PURE)
    if key["method"] == LIGHTGBM and hasattr(X, "columns"):
        X = X.set_axis([f"column {k}" for k in range(X.shape[1])], axis=1)  # it takes few signs in names
    elif not blended and key["method"] != HGB:
        X = as_codes(X)
    measured = {"accuracy": [], "log_loss": [], "brier": []}
    shares, sizes = [], []
    folds = StratifiedKFold(key["n_folds"], shuffle=True, random_state=key["split_seed"])
    with threadpool_limits(1), warnings.catch_warnings():
        # A class with fewer members than folds is missing in some parts: the same ones for all methods.
        warnings.filterwarnings("ignore", "The least populated class in y", UserWarning)
        for k, (train, test) in enumerate(folds.split(X, y)):
            fitted = model(key["method"], key["n_trees"], (seed + k) % 2**32)
            fitted.fit(X.iloc[train] if hasattr(X, "iloc") else X[train], y[train])
            given = fitted.predict_proba(X.iloc[test] if hasattr(X, "iloc") else X[test])
            right = y[test][:, None] == fitted.classes_
            unknown = ~right.any(axis=1)  # of a class that no training row has
            of_true = np.maximum((given * right).sum(axis=1), LEAST_SHARE)
            measured["accuracy"].append(float((fitted.classes_[given.argmax(axis=1)] == y[test]).mean()))
            measured["log_loss"].append(float(-np.log(of_true).mean()))
            measured["brier"].append(float((((given - right) ** 2).sum(axis=1) + unknown).mean()))
            if blended:
                shares.append(float(fitted.family_weights_["oblique"]))
                sizes.append(fitted.family_min_samples_split_)
    return {
        **measured,
        "oblique": float(np.mean(shares)) if blended else None,
        "sizes": sizes if blended else None,
    }
