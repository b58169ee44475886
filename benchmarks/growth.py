"""How time grows with samples, features, trees and threads; memory."""

import os
import time

import numpy as np
import pandas as pd
from sklearn import ensemble

from benchmarks import data
from benchmarks.timing import in_a_fresh_process, peak_mib, slope
from studylib.blend import BlendedForestClassifier
from studylib.graf import GuidedRandomForestClassifier
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest
from studylib.trees import RandomForestClassifier

#: Whose growth is measured, by name: what makes one with a number of trees.
FORESTS = {
    "scikit-learn's random forest": ensemble.RandomForestClassifier,
    "random forest": lambda n, **more: RandomForestClassifier(n, criterion="gini", **more),
    "box": lambda n, **more: GuidedRandomForestClassifier(n, hyperplane="box", **more),
    "guided": lambda n, **more: GuidedRandomForestClassifier(n, hyperplane="guided", **more),
    "canonical": lambda n, **more: GuidedRandomForestClassifier(n, hyperplane="canonical", **more),
    "blend": BlendedForestClassifier,
    "PCF": PartialClassificationForest,
}


def growth(scale=1.0, n_trees=20):
    """Processor seconds of a fit along samples, features and trees, one thread.

    Parameters
    ----------
    scale : float
        Share of the largest size of each axis.
    n_trees : int
        Along samples and features.

    Returns
    -------
    DataFrame
        Columns "forest", "along", "size", "seconds".
    """
    rows = []
    largest = data.share_of(80_000, scale)
    _, X, y, *_ = data.noisy()
    wide = np.random.default_rng(0).normal(size=(data.share_of(5_000, scale), 320))
    sums = (wide[:, :10].sum(axis=1) > 0).astype(int)
    for name, make in FORESTS.items():
        make(2, random_state=0).fit(X[:100], y[:100])  # compiles
        for n in (largest // 16, largest // 4, largest):
            rows.append((name, "samples", n, _fit_seconds(make(n_trees, random_state=0), X[:n], y[:n])))
        for d in (20, 80, 320):
            rows.append((name, "features", d, _fit_seconds(make(n_trees, random_state=0), wide[:, :d], sums)))
        n = largest // 16
        for trees in (n_trees, 4 * n_trees, 16 * n_trees):
            rows.append((name, "trees", trees, _fit_seconds(make(trees, random_state=0), X[:n], y[:n])))
    return pd.DataFrame(rows, columns=["forest", "along", "size", "seconds"])


def exponents(seconds):
    """Exponents of the growth along each axis, a row per forest, from what :func:`growth` found."""
    groups = seconds.groupby(["forest", "along"], sort=False)
    return groups.apply(lambda part: slope(part["size"], part["seconds"]), include_groups=False).unstack()


def _fit_seconds(model, X, y):
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def threads(scale=1.0, n_trees=100, most=None):
    """Wall seconds of a fit with one thread, two, and so on: the speed-up of each forest.

    Returns
    -------
    DataFrame
        A row per forest, a column per number of threads: the ratio to one thread.
    """
    most = most or min(4, os.cpu_count())
    _, X, y, *_ = data.noisy(scale / 4)
    found = {}
    for name, make in FORESTS.items():
        make(2, random_state=0).fit(X[:100], y[:100])
        walls = {}
        for n_jobs in range(1, most + 1):
            start = time.perf_counter()
            make(n_trees, random_state=0, n_jobs=n_jobs).fit(X, y)
            walls[n_jobs] = time.perf_counter() - start
        found[name] = {n_jobs: walls[1] / wall for n_jobs, wall in walls.items()}
    return pd.DataFrame(found).T.rename_axis(columns="threads")


def memory(name, n, d, n_trees, dtype="float64"):
    """Peak memory of fitting and predicting, in a process of its own.

    Returns
    -------
    dict
        "data", MiB of the table; "before" and "peak", MiB of the process before the fit and at most;
        "copies", how many further tables would have fitted into what was added; "seconds", and "accuracy".
    """
    found, peak = in_a_fresh_process(_fill, name, n, d, n_trees, dtype)
    more = peak - found["before"]
    return {**found, "peak": peak, "copies": more / found["data"]}


#: Whose memory is measured: forest, rows, features, trees, type of the numbers, and the target in GiB.
FILLS = (
    ("PCF", 1_000_000, 20, 10, "float64", None),
    ("random forest", 1_000_000, 20, 20, "float64", None),
    ("guided", 1_000_000, 20, 100, "float64", 2.2),
    ("canonical", 1_000_000, 20, 100, "float64", None),
    ("blend", 1_000_000, 20, 100, "float64", None),
    ("guided", 10_000_000, 20, 20, "float32", 12.0),
)


def memory_table(scale=1.0, n_fills=None):
    """:func:`memory` of the first entries of ``FILLS``, in MiB, with the target at full scale."""
    rows = []
    for name, n, d, n_trees, dtype, target in FILLS[:n_fills]:
        n = data.share_of(n, scale)
        found = memory(name, n, d, n_trees, dtype)
        rows.append({"forest": name, "samples": n, "trees": n_trees, "numbers": dtype, **found})
        rows[-1]["target"] = np.nan if target is None or scale != 1 else 1024 * target
    return judged(pd.DataFrame(rows), "peak")


def judged(table, reached):
    """The table with a column that says whether the target, where there is one, bounds another column."""
    at_most = np.where(table[reached] <= table["target"], "yes", "no")
    return table.assign(reached=np.where(table["target"].isna(), "", at_most))


def _fill(name, n, d, n_trees, dtype):
    rng = np.random.default_rng(0)
    X = np.empty((n, d), dtype)
    for at in range(0, n, 100_000):  # makes no large temporary arrays
        X[at : at + 100_000] = rng.standard_normal((len(X[at : at + 100_000]), d))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(np.int8)
    y[: n // 20] = 1 - y[: n // 20]
    make = FORESTS[name]
    make(2, random_state=0).fit(X[:100], y[:100])
    before, start = peak_mib(), time.perf_counter()
    model = make(n_trees, random_state=0, n_jobs=min(2, os.cpu_count())).fit(X, y)
    accuracy = float((model.predict(X[-20_000:]) == y[-20_000:]).mean())
    return {
        "data": X.nbytes / 2**20,
        "before": before,
        "seconds": time.perf_counter() - start,
        "accuracy": accuracy,
    }
