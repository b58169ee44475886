"""Seconds and memory of the Partial Classification Forest and of similar ensembles, on this machine."""

import time

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier, RandomTreesEmbedding

from studylib.datasets import make_clean_partitions
from studylib.studies.pcf.growth import NODE_BYTES
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest

_TURNS = 3
_PEERS = {
    "PCF": lambda n: PartialClassificationForest(n, random_state=0),
    "extra trees": lambda n: ExtraTreesClassifier(n, max_features=1, max_depth=32, random_state=0),
    "embedding": lambda n: RandomTreesEmbedding(n, max_depth=32, random_state=0),
}


def speed_table(n_samples, n_trees):
    """Median seconds of fit and predict on one thread, and memory in MiB, of the PCF and its peers.

    The methods take turns, and only one model is in memory at a time.  The plane has eight dimensions of
    noise beside its two.
    """
    X, y = make_clean_partitions(n_samples, 10, n_relevant=2, random_state=0)
    _measured("PCF", 1, X[:100], y[:100])  # compiles
    turns = [{name: _measured(name, n_trees, X, y) for name in _PEERS} for _ in range(_TURNS)]
    return pd.DataFrame(
        {name: np.median([turn[name] for turn in turns], axis=0) for name in _PEERS},
        index=["fit", "predict", "memory"],
    ).T


def peer_ratios(speed):
    """How many times as much time and memory as the PCF its peers take, to two significant digits."""
    ratios = speed.drop("PCF") / speed.loc["PCF"]
    return {f"{peer} {what}": float(f"{ratio:.2g}") for (peer, what), ratio in ratios.stack().items()}


def _measured(name, n_trees, X, y):
    """Seconds of fit and of predict, and MiB."""
    model = _PEERS[name](n_trees)
    start = time.perf_counter()
    model.fit(X, y)
    middle = time.perf_counter()
    (model.predict if hasattr(model, "predict") else model.apply)(X)  # the embedding only finds leaves
    return middle - start, time.perf_counter() - middle, _n_bytes(model) / 2**20


def _n_bytes(model):
    if isinstance(model, PartialClassificationForest):
        return NODE_BYTES * sum(len(tree.nodes_) for tree in model.estimators_)
    states = [tree.tree_.__getstate__() for tree in model.estimators_]
    return sum(state["nodes"].nbytes + state["values"].nbytes for state in states)
