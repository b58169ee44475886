"""Our estimators and those of other packages on the same tables: fit, predict, one row, and memory.

Every estimator has the same number of trees or rounds, one thread, and its other defaults, so speed is
compared at equal size, not at equal accuracy.
"""

import functools
import time

import numpy as np
import pandas as pd
from sklearn import compose, ensemble, pipeline, preprocessing, tree
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

from benchmarks import data
from benchmarks.timing import in_a_fresh_process, peak_mib
from studylib.blend import BlendedForestClassifier
from studylib.graf import GuidedRandomForestClassifier
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest
from studylib.trees import RandomForestClassifier, TreePredictor

N_PROBES = 20_000
N_TREES = 20


def numbers(n, d, n_classes, n_values=None, scale=1.0):
    """Rows to fit, as numbers: labels that a few columns tell, a tenth of them drawn anew.

    Parameters
    ----------
    n, d, n_classes : int
    n_values : int or None
        Distinct values of each column; None leaves them continuous.
    scale : float
        Share of the rows.

    Returns
    -------
    X, y, probes, labels
    """
    n = data.share_of(n, scale)
    n_probes = data.share_of(N_PROBES, scale)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + n_probes, d))
    weights = rng.normal(size=(min(d, 6), n_classes))
    y = (X[:, : len(weights)] @ weights).argmax(axis=1)
    drawn = rng.random(len(y)) < 0.1
    y[drawn] = rng.integers(0, n_classes, drawn.sum())
    if n_values is not None:
        X = np.floor(preprocessing.QuantileTransformer(n_quantiles=100).fit_transform(X) * (n_values - 1e-9))
    return X[:n], y[:n], X[n:], y[n:]


def mixed(scale=1.0, n=30_000):
    """A frame of four columns of numbers with gaps and nine of text with gaps; two classes."""
    n, n_probes = data.share_of(n, scale), data.share_of(N_PROBES, scale)
    X, y = make_classification(n + n_probes, 13, n_informative=8, flip_y=0.1, random_state=0)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(13)])
    rng = np.random.default_rng(0)
    for j in range(4, 13):
        codes = pd.qcut(frame[f"c{j}"], 3 + j, labels=False)
        frame[f"c{j}"] = ("v" + codes.astype(str)).astype(object)
    frame = frame.mask(rng.random(frame.shape) < 0.05, None)
    frame[["c0", "c1", "c2", "c3"]] = frame[["c0", "c1", "c2", "c3"]].astype(float)
    return frame.iloc[:n], y[:n], frame.iloc[n:], y[n:]


TABLES = {
    **{
        f"{n:,} × {d}, {values}, {n_classes} classes": functools.partial(numbers, n, d, n_classes, n_values)
        for n, d in ((4_000, 10), (60_000, 4))
        for values, n_values in (("continuous", None), ("16 values", 16))
        for n_classes in (2, 10, 26, 100)
    },
    "30,000 × 13, mixed": mixed,
    "5,000 × 300": functools.partial(numbers, 5_000, 300, 2),
    "200,000 × 30": functools.partial(numbers, 200_000, 30, 2),
}


def estimators(X, n_trees=N_TREES):
    """Ours and the others' by name; those of packages that cannot be imported are left out, which is said."""
    text = [] if isinstance(X, np.ndarray) else list(X.select_dtypes(object))
    guided = functools.partial(GuidedRandomForestClassifier, n_trees, random_state=0)
    ours = {
        "tree": TreePredictor("gini"),
        "random forest": RandomForestClassifier(n_trees, criterion="gini", random_state=0),
        "box": guided(hyperplane="box"),
        "guided": guided(hyperplane="guided"),
        "canonical": guided(hyperplane="canonical"),
        "blend": BlendedForestClassifier(n_trees, random_state=0),
        "PCF": PartialClassificationForest(n_trees, random_state=0),
    }
    theirs = {
        "scikit-learn's tree": tree.DecisionTreeClassifier(random_state=0),
        "scikit-learn's random forest": ensemble.RandomForestClassifier(n_trees, random_state=0),
        "scikit-learn's extra trees": ensemble.ExtraTreesClassifier(n_trees, random_state=0),
    }
    if text:
        ours = {name: ours[name] for name in ("tree", "random forest", "blend")}  # those that take gaps
        theirs = {name: pipeline.make_pipeline(_as_codes(text), model) for name, model in theirs.items()}
    return ours | theirs | _boosted(n_trees, text)


def _as_codes(text):
    encode = preprocessing.OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1
    )
    return compose.make_column_transformer((encode, text), remainder="passthrough")


def _boosted(n_trees, text):
    """Boosting of other packages; only CatBoost reads categories as text."""
    made = {}
    try:
        import lightgbm

        made["LightGBM"] = lightgbm.LGBMClassifier(n_estimators=n_trees, n_jobs=1, verbose=-1)
    except (ImportError, OSError) as error:
        print(f"LightGBM is left out: {str(error).splitlines()[0]}")
    try:
        import xgboost

        made["XGBoost"] = xgboost.XGBClassifier(n_estimators=n_trees, n_jobs=1)
    except (ImportError, OSError) as error:
        print(f"XGBoost is left out: {str(error).splitlines()[0]}")
    if text:  # not as declared categories: one row whose category is missing is refused by XGBoost
        made = {name: pipeline.make_pipeline(_as_codes(text), model) for name, model in made.items()}
    try:
        import catboost

        model = catboost.CatBoostClassifier(
            n_estimators=n_trees, thread_count=1, verbose=False, allow_writing_files=False, cat_features=text
        )
        if text:
            fill = preprocessing.FunctionTransformer(lambda X: X.assign(**X[text].fillna("missing")))
            model = pipeline.make_pipeline(fill, model)
        made["CatBoost"] = model
    except (ImportError, OSError) as error:
        print(f"CatBoost is left out: {str(error).splitlines()[0]}")
    return made


def side_by_side(names=None, scale=1.0, repeats=7, n_trees=N_TREES):
    """Medians over repetitions, in which the estimators take turns on each table.

    Parameters
    ----------
    names : list of str or None
        Of ``TABLES``; by default all.
    scale : float
        Share of the rows.
    repeats, n_trees : int

    Returns
    -------
    DataFrame
        A row for each table and estimator: processor seconds of "fit, s"; "predict, s" of 20,000 rows; "one
        row, ms"; the MiB by which the peak of a fresh process grew in "fit, MiB" and "predict, MiB"; and
        "accuracy".
    """
    parts = []
    for name in names or TABLES:
        X, y, probes, labels = TABLES[name](scale=scale)
        models = estimators(X, n_trees)
        with threadpool_limits(1):
            for model in models.values():
                _compile(model, X, y, probes)
            times = [_times(models, X, y, probes) for _ in range(repeats)]
        medians = pd.concat(times).groupby(level=0, sort=False).median()
        for who, model in models.items():
            medians.loc[who, ["fit, MiB", "predict, MiB"]] = in_a_fresh_process(
                _memory, name, who, scale, n_trees
            )[0]
            medians.loc[who, "accuracy"] = float((np.ravel(model.predict(probes)) == labels).mean())
        parts.append(pd.concat({name: medians}, names=["table", "estimator"]))
    return pd.concat(parts)


def _compile(model, X, y, probes):
    few = np.unique(y[:2000], return_inverse=True)[1]  # XGBoost wants classes without gaps
    model.fit(X[:2000], few).predict(probes[:2])


def _times(models, X, y, probes):
    rows = {}
    for who, model in models.items():
        marks = [time.process_time()]
        model.fit(X, y)
        marks.append(time.process_time())
        model.predict(probes)
        marks.append(time.process_time())
        for k in range(10):
            model.predict(probes[k : k + 1])
        marks.append(time.process_time())
        fit, predict, ten_rows = np.diff(marks)
        rows[who] = {"fit, s": fit, "predict, s": predict, "one row, ms": 1e2 * ten_rows}
    return pd.DataFrame(rows).T


def _memory(name, who, scale, n_trees):
    X, y, probes, _ = TABLES[name](scale=scale)
    model = estimators(X, n_trees)[who]
    with threadpool_limits(1):
        _compile(model, X, y, probes)
        marks = [peak_mib()]
        model.fit(X, y)
        marks.append(peak_mib())
        model.predict(probes)
        marks.append(peak_mib())
    return np.diff(marks).tolist()


def against(table, ours, theirs):
    """How many times another estimator's time ours takes, a row for each table."""
    return (table.xs(ours, level=1) / table.xs(theirs, level=1)).iloc[:, :3].add_prefix(f"{ours}: ")
