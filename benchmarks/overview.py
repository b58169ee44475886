"""What each estimator costs on one table of numbers: time, memory, size and accuracy."""

import pickle
import time

import pandas as pd
from sklearn import ensemble, neighbors
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

from benchmarks import data
from benchmarks.timing import in_a_fresh_process, peak_mib
from studylib.blend import BlendedForestClassifier
from studylib.graf import GuidedRandomForestClassifier
from studylib.neighbors import KNeighborsClassifier
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest
from studylib.trees import AdaBoostClassifier, RandomForestClassifier, TreePredictor


def _guided(hyperplane):
    return lambda n: GuidedRandomForestClassifier(n, hyperplane=hyperplane, random_state=0)


#: What makes each estimator with a number of trees, rounds, or nothing of the kind.
ESTIMATORS = {
    "TreePredictor (one tree)": lambda n: TreePredictor(),
    "RandomForestClassifier": lambda n: RandomForestClassifier(n, random_state=0),
    "GuidedRandomForestClassifier, box": _guided("box"),
    "GuidedRandomForestClassifier, guided": _guided("guided"),
    "GuidedRandomForestClassifier, canonical": _guided("canonical"),
    "BlendedForestClassifier": lambda n: BlendedForestClassifier(n, random_state=0),
    "PartialClassificationForest": lambda n: PartialClassificationForest(n, random_state=0),
    "AdaBoostClassifier (stumps)": AdaBoostClassifier,
    "KNeighborsClassifier": lambda n: KNeighborsClassifier(),
    "scikit-learn's random forest": lambda n: ensemble.RandomForestClassifier(n, random_state=0),
    "scikit-learn's extra trees": lambda n: ensemble.ExtraTreesClassifier(n, random_state=0),
    "scikit-learn's histogram boosting": lambda n: ensemble.HistGradientBoostingClassifier(
        max_iter=n, random_state=0
    ),
    "scikit-learn's nearest neighbours": lambda n: neighbors.KNeighborsClassifier(),
}


def overview(scale=1.0, n_trees=100, n_estimators=None):
    """Fit and predict 20,000 rows of 20 numbers with each estimator, in one thread of a process of its own.

    Half of the columns are informative, and the labels of a fifth of the rows are drawn anew.

    Parameters
    ----------
    scale : float
        Share of the rows.
    n_trees : int
    n_estimators : int or None
        Only the first so many of ``ESTIMATORS``.

    Returns
    -------
    DataFrame
        A row per estimator: processor seconds of "fit, s" and "predict, s"; "memory, MiB" by which the peak
        of the process grew while fitting; "pickled, MiB"; and "accuracy" on as many new rows, of a Partial
        Classification Forest the share of them that it predicts and predicts rightly.
    """
    names = list(ESTIMATORS)[:n_estimators]
    rows = {name: in_a_fresh_process(_measure, name, scale, n_trees)[0] for name in names}
    return pd.DataFrame(rows).T


def _measure(name, scale, n_trees):
    n = data.share_of(20_000, scale)
    X, y = make_classification(2 * n, 20, n_informative=10, flip_y=0.2, random_state=0)
    with threadpool_limits(1):
        ESTIMATORS[name](2).fit(X[:100], y[:100]).predict(X[:100])  # compiles
        model, before = ESTIMATORS[name](n_trees), peak_mib()
        start = time.process_time()
        model.fit(X[:n], y[:n])
        fitted, peak = time.process_time(), peak_mib()
        labels = model.predict(X[n:])
        predicted = time.process_time()
    return {
        "fit, s": fitted - start,
        "predict, s": predicted - fitted,
        "memory, MiB": peak - before,
        "pickled, MiB": len(pickle.dumps(model)) / 2**20,
        "accuracy": float((labels == y[n:]).mean()),
    }
