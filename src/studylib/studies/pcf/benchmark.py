"""Seconds and memory of the Partial Classification Forest and of similar ensembles, on this machine."""

import time

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier, RandomTreesEmbedding

from studylib.datasets import make_clean_partitions
from studylib.pcf import PartialClassificationForest

_TURNS = 3


def speed_table(n_samples, n_trees):
    """Time of fit and predict on one thread, and memory, of the PCF and two ensembles of random splits.

    Parameters
    ----------
    n_samples : int
        Of a plane with eight dimensions of noise beside its two.
    n_trees : int

    Returns
    -------
    DataFrame
        A row for "PCF" and for each peer: median "fit" and "predict" in seconds, "trees, MiB".
    """
    X, y = make_clean_partitions(n_samples, 10, n_relevant=2, random_state=0)
    models = {
        "PCF": PartialClassificationForest(n_trees, random_state=0),
        "extra trees, 1 feature": ExtraTreesClassifier(n_trees, max_features=1, max_depth=32, random_state=0),
        "random trees embedding": RandomTreesEmbedding(n_trees, max_depth=32, random_state=0),
    }
    models["PCF"].fit(X[:100], y[:100]).predict(X[:100])  # compiles
    turns = [{name: _seconds(model, X, y) for name, model in models.items()} for _ in range(_TURNS)]
    return pd.DataFrame(
        {
            name: {
                "fit": np.median([turn[name][0] for turn in turns]),
                "predict": np.median([turn[name][1] for turn in turns]),
                "trees, MiB": _n_bytes(model) / 2**20,
            }
            for name, model in models.items()
        }
    ).T


def _seconds(model, X, y):
    start = time.perf_counter()
    model.fit(X, y)
    middle = time.perf_counter()
    (model.predict if hasattr(model, "predict") else model.apply)(X)  # the embedding only finds leaves
    return middle - start, time.perf_counter() - middle


def _n_bytes(model):
    if isinstance(model, PartialClassificationForest):
        return sum(nodes.nbytes for nodes in model.trees_)
    states = [tree.tree_.__getstate__() for tree in model.estimators_]
    return sum(state["nodes"].nbytes + state["values"].nbytes for state in states)
