"""Compile what most first fits need, at the lowest priority; ``make lab`` starts this beside JupyterLab.

Kernels are kept in the cache, so an estimator that is first fitted some minutes later need not wait for them.
"""

import logging
import os
import warnings

import numpy as np

from studylib import blend, graf, neighbors, pcf, rules, trees


def main():
    """Fit each classifier to a small table."""
    os.nice(19)
    logging.getLogger("studylib").setLevel("ERROR")  # it says nothing into JupyterLab's terminal
    warnings.simplefilter("ignore")
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = (X[:, 0] > 0).astype(int)
    for estimator in classifiers():
        if "n_estimators" in estimator.get_params():
            estimator.set_params(n_estimators=2)
        estimator.fit(X, y).predict_proba(X)


def classifiers():
    """One of each public classifier, with its defaults."""
    found = (
        getattr(room, name) for room in (trees, graf, blend, pcf, neighbors, rules) for name in room.__all__
    )
    return [
        one()
        for one in found
        if isinstance(one, type) and hasattr(one, "fit") and hasattr(one, "predict_proba")
    ]


if __name__ == "__main__":
    main()
