"""Compile what most first fits need, in two processes: ``python tools/warm_up.py [classifier ...]``.

``make env`` runs this when the packages are there, ``make lab`` beside JupyterLab, and ``make wheel`` for the
kernels that a wheel carries.  Kernels are kept in the cache that later runs use.  Nothing that goes wrong is
fatal: what is not compiled here is compiled when it is first used.
"""

import logging
import multiprocessing
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed

import numpy as np
import pandas as pd

from studylib import blend, graf, neighbors, pcf, rules, trees

#: GRAF's last: they use kernels that the blend, which takes longest, has had compiled by then.
ROOMS = (blend, trees, pcf, neighbors, rules, graf)


def classifiers(names=()):
    """One of each public classifier or of those named, with its defaults, and one for each hyperplane."""
    public = (getattr(room, name) for room in ROOMS for name in room.__all__)
    classifiers = [
        kind()
        for kind in public
        if isinstance(kind, type) and hasattr(kind, "fit") and hasattr(kind, "predict_proba")
    ]
    classifiers += [graf.GuidedRandomForestClassifier(hyperplane=h) for h in ("guided", "canonical")]
    return [one for one in classifiers if not names or type(one).__name__ in names]


def fit(at, names=()):
    """Fit a classifier to a small table; says what went wrong, or nothing."""
    logging.getLogger("studylib").setLevel("ERROR")
    warnings.simplefilter("ignore")
    estimator, X = classifiers(names)[at], np.random.default_rng(0).normal(size=(60, 4))
    y = X[:, 0] + X[:, 3] > 0  # noisy: leaves of every kind, trees of both families
    tables = [X[:, :3].copy()]
    if type(estimator) in vars(trees).values():  # little more to compile
        tables.append(pd.DataFrame({"number": X[:, 0], "text": np.where(X[:, 1] > 0, "a", "b")}))
    try:
        if "n_estimators" in estimator.get_params():
            estimator.set_params(n_estimators=4)
        for table in tables:
            estimator.fit(table, y).predict_proba(table)
    except Exception as error:
        return f"{type(estimator).__name__}: {type(error).__name__}: {error}"


def main(names):
    """Fit all, and say how far they are."""
    n, problems = len(classifiers(names)), []

    def say(done):
        line = f"studylib: compiling kernels, about a minute: {done} of {n} classifiers"
        print("\r" + line, end="\n" * (done == n), file=sys.stderr, flush=True)

    say(0)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        for done, ended in enumerate(as_completed([pool.submit(fit, at, names) for at in range(n)]), 1):
            try:
                problems += filter(None, [ended.result()])
            except Exception as error:  # its process is gone
                problems.append(f"{type(error).__name__}: {error}")
            say(done)
    for problem in dict.fromkeys(problems):
        print(f"studylib: not compiled now, but when it is first used: {problem}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
