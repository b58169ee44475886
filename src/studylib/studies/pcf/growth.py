"""Tasks about the size of Trees and the number of dimensions.  Few Trees at a time are in memory."""

import numpy as np

from studylib.datasets import make_clean_partitions
from studylib.pcf import node_depths
from studylib.statistics import coverage, selective_accuracy
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest

#: Points that are predicted but not trained on.
N_QUERIES = 2000
#: Bytes of a node: 32 of it are what it says, 24 the copy in the form that queries read.
NODE_BYTES = 32 + 24

#: Where growth is studied; one setting at a time is varied around it.
BASE = {
    "n_samples": 5000,
    "n_features": 2,
    "min_samples_leaf": 4,
    "max_loss": 0.0,
    "max_depth": None,
    "n_estimators": 10,
}
_VARIED = {
    "n_samples": [500, 1000, 2000, 4000, 8000, 16000, 32000, 64000],
    "n_features": [1, 2, 4, 8, 16, 32],
    "min_samples_leaf": [2, 4, 8, 16, 32, 64],
    "max_loss": [0.05, 0.1, 0.2, 0.3, 0.4],
    "max_depth": [2, 4, 8, 12, 16, 24, 32],
}

#: Numbers of dimensions that are tried.
DIMENSIONS = range(1, 11)
#: Training observations for every cell of a grid that halves each dimension, where n grows as 2^d: in three
#: dimensions they are the source's 5,000.
N_PER_CELL = 625


def growth(key, seed):
    """Size and work of Trees, the mean over a forest."""
    X, y = make_clean_partitions(key["n_samples"] + N_QUERIES, key["n_features"], random_state=seed)
    settings = {name: key[name] for name in ("min_samples_leaf", "max_loss", "max_depth")}
    sizes, states = [], np.random.RandomState(seed)
    for _ in range(key["n_estimators"]):
        tree = PartialClassificationForest(1, random_state=states.randint(2**31 - 1), **settings)
        sizes.append(_sizes(tree.fit(X[N_QUERIES:], y[N_QUERIES:]), X[:N_QUERIES]))
    totals = ("fit_work", "predict_work", "bytes")
    return {
        name: float((np.sum if name in totals else np.mean)([of_tree[name] for of_tree in sizes]))
        for name in sizes[0]
    }


def _sizes(forest, X):
    """What the one Tree of a forest is like, and what it costs."""
    nodes = forest.estimators_[0].nodes_
    leaf, depths = nodes["feature"] < 0, node_depths(nodes)
    steps = depths[forest.apply(X)[:, 0]].mean()
    return {
        "nodes": len(nodes),
        "leaves": leaf.sum(),
        "active_share": (nodes["label"] != -1).sum() / leaf.sum(),
        "depth": depths.max(),
        "steps": steps,
        # What FIT does: every sample of every node is looked at by γ and moved once.
        "fit_work": nodes["n_samples"].sum() + len(nodes),
        # What PREDICT does for a query: a comparison on each level, and a vote.
        "predict_work": steps + 1,
        "bytes": NODE_BYTES * len(nodes),
    }


def dimension(key, seed):
    """Predicted and accuracy in d dimensions, on points that were not trained on.

    ``n_relevant`` dimensions bound the regions, the others are noise.
    """
    X, y = make_clean_partitions(
        key["n_samples"] + N_QUERIES, key["n_features"], n_relevant=key["n_relevant"], random_state=seed
    )
    votes, states = np.zeros((N_QUERIES, 3)), np.random.RandomState(seed)
    for _ in range(key["n_estimators"]):
        tree = PartialClassificationForest(
            1, min_samples_leaf=key["min_samples_leaf"], random_state=states.randint(2**31 - 1)
        )
        votes += tree.fit(X[N_QUERIES:], y[N_QUERIES:]).vote_shares(X[:N_QUERIES])
    best = votes[:, :-1].max(axis=1)
    labels = np.where(votes[:, -1] >= best, -1, votes[:, :-1].argmax(axis=1))  # Λ votes like a label
    accuracy = selective_accuracy(y[:N_QUERIES], labels, -1)
    return {"predicted": coverage(labels, -1), "accuracy": None if np.isnan(accuracy) else accuracy}


def dimension_keys(n_seeds, n_trees, largest_n):
    """Keys of :func:`dimension`: n fixed or growing as 2^d, two relevant dimensions or all, each key once.

    Where more than ``largest_n`` observations would be needed, there is none.  In one and two dimensions both
    kinds are the same, in three both sizes.
    """
    fixed = {"min_samples_leaf": 4, "n_estimators": n_trees}
    cases = {
        (d, relevant, n): None
        for d in DIMENSIONS
        for relevant in (min(2, d), d)
        for n in (BASE["n_samples"], N_PER_CELL * 2**d)
        if n <= largest_n
    }
    return [
        fixed | {"replicate": r, "n_features": d, "n_relevant": relevant, "n_samples": n}
        for d, relevant, n in cases
        for r in range(n_seeds)
    ]


def growth_keys(n_seeds, largest_n):
    """Keys of :func:`growth`, each once: one setting at a time varied around ``BASE``, n to ``largest_n``."""
    cases = {
        tuple((BASE | {name: value}).items()): None
        for name, values in _VARIED.items()
        for value in values
        if name != "n_samples" or value <= largest_n
    }
    return [dict(case) | {"replicate": r} for case in cases for r in range(n_seeds)]


def cost_keys(n_seeds, largest_n):
    """Keys of :func:`growth` for the cost of FIT and PREDICT in the number of Trees, and of FIT in n.

    All have the source's height limit of 32.
    """
    limited = BASE | {"max_depth": 32}
    by_trees = [
        limited | {"n_estimators": n, "replicate": r} for n in (5, 20, 40, 80) for r in range(n_seeds)
    ]
    by_samples = [
        limited | {"n_samples": n, "replicate": r}
        for n in _VARIED["n_samples"]
        if n <= largest_n
        for r in range(n_seeds)
    ]
    return by_trees, by_samples
