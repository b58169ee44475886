"""Experiments with the Partial Classification Forest: tasks ``(key, seed) -> plain data``, and their keys.

A task's key says all that its result depends on; an accuracy is ``None`` where nothing was predicted.
"""

import math

import numpy as np
from scipy import ndimage
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from studylib.datasets import BUNDLED, clean_regions, load_bundled, make_clean_partitions, region_of
from studylib.pcf import (
    ConfidenceBound,
    CrossValidated,
    Laplace,
    PartialClassificationForest,
    node_depths,
)
from studylib.statistics.selective import conformal_confidence, coverage, risk_coverage, selective_accuracy

#: Test share of the source's tests.
TEST_SHARE = 0.1

#: Numbers of Trees, and values of τ_|X|, of the source's Fig. 2.
SIZES = (2, 5, 10)


def plane(seed):
    """The source's plane, split as there: ``X_train, X_test, y_train, y_test``.

    Parameters
    ----------
    seed : int
    """
    X, y = make_clean_partitions(random_state=seed)
    return train_test_split(X, y, test_size=TEST_SHARE, random_state=seed)


def _measures(y, labels):
    """Predicted and accuracy, as the source measures them."""
    accuracy = selective_accuracy(y, labels, -1)
    return {"predicted": coverage(labels, -1), "accuracy": None if math.isnan(accuracy) else accuracy}


def curves_over_trees(key, seed):
    """Predicted and accuracy of the first 1 … N Trees on train and test (Fig. 3).

    Parameters
    ----------
    key : {"replicate", "n_estimators", "min_samples_leaf"}
    seed : int
    """
    X_train, X_test, y_train, y_test = plane(seed)
    forest = PartialClassificationForest(
        key["n_estimators"], min_samples_leaf=key["min_samples_leaf"], random_state=seed
    ).fit(X_train, y_train)
    found = {}
    for name, X, y in (("train", X_train, y_train), ("test", X_test, y_test)):
        stages = [_measures(y, labels) for labels in forest.staged_predict(X)]
        for measure in ("predicted", "accuracy"):
            found[f"{name}_{measure}"] = [stage[measure] for stage in stages]
    return found


def surface(key, seed):
    """Predicted, accuracy and number of connected predicted regions of one forest (Fig. 2).

    Parameters
    ----------
    key : {"replicate", "n_estimators", "min_samples_leaf", "resolution"}
    seed : int
        Of the forest; the plane is the replicate's, the same for all settings.
    """
    X_train, X_test, y_train, y_test = plane(key["replicate"])
    forest = PartialClassificationForest(
        key["n_estimators"], min_samples_leaf=key["min_samples_leaf"], random_state=seed
    ).fit(X_train, y_train)
    steps = (np.arange(key["resolution"]) + 0.5) / key["resolution"]
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    predicted = (forest.predict(grid) != -1).reshape(key["resolution"], -1)
    return _measures(y_test, forest.predict(X_test)) | {"regions": int(ndimage.label(predicted)[1])}


def readings(key, seed):
    """Test measures under the four combinations of voting and small leaves.

    Parameters
    ----------
    key : {"replicate", "n_estimators", "min_samples_leaf"}
    seed : int
    """
    X_train, X_test, y_train, y_test = plane(seed)
    found = {}
    for small_leaves in ("inactive", "as_printed"):
        for voting in ("plurality", "ignore_abstain"):
            forest = PartialClassificationForest(
                key["n_estimators"], min_samples_leaf=key["min_samples_leaf"], voting=voting,
                small_leaves=small_leaves, random_state=seed,
            ).fit(X_train, y_train)  # fmt: skip
            found[f"{small_leaves}, {voting}"] = _measures(y_test, forest.predict(X_test))
    return found


def whole_plane_peers(key, seed):
    """Share of regions on the plane, and accuracy of usual classifiers on all of it and on its noise.

    Parameters
    ----------
    key : {"replicate", "n_samples"}
    seed : int
    """
    X, y = make_clean_partitions(key["n_samples"], random_state=seed)
    noise = region_of(X, clean_regions()) < 0
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=seed)
    peers = {
        "random forest": RandomForestClassifier(100, random_state=seed),
        "boosting": HistGradientBoostingClassifier(random_state=seed),
        "k-NN": KNeighborsClassifier(15),
    }
    found = {"share": float((~noise).mean())}
    for name, peer in peers.items():
        with threadpool_limits(1):  # tasks run side by side; boosting's threads would get in their way
            right = peer.fit(X[train], y[train]).predict(X[test]) == y[test]
        found[name] = {"whole": float(right.mean()), "noise": float(right[noise[test]].mean())}
    return found


def dimension(key, seed):
    """Test measures in d dimensions.

    Parameters
    ----------
    key : {"replicate", "n_features", "n_relevant", "n_estimators", "min_samples_leaf", "n_samples"}
        ``n_relevant`` dimensions bound the regions, the others are noise.
    seed : int
    """
    X, y = make_clean_partitions(
        key["n_samples"], key["n_features"], n_relevant=key["n_relevant"], random_state=seed
    )
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=seed)
    forest = PartialClassificationForest(
        key["n_estimators"], min_samples_leaf=key["min_samples_leaf"], random_state=seed
    ).fit(X_train, y_train)
    active = np.mean([(nodes["label"] != -1).sum() / _n_leaves(nodes) for nodes in forest.trees_])
    best_share = forest.vote_shares(X_test)[:, :-1].max(axis=1)
    return _measures(y_test, forest.predict(X_test)) | {
        "active_share": float(active),
        "largest_label_share": float(best_share.mean()),
    }


def _n_leaves(nodes):
    return int((nodes["feature"] < 0).sum())


def growth(key, seed):
    """Size and work of Trees, the mean over a forest.

    Parameters
    ----------
    key : {"replicate", "n_samples", "n_features", "min_samples_leaf", "max_depth", "n_estimators"}
    seed : int
    """
    X, y = make_clean_partitions(key["n_samples"], key["n_features"], random_state=seed)
    forest = PartialClassificationForest(
        key["n_estimators"], min_samples_leaf=key["min_samples_leaf"], max_depth=key["max_depth"],
        random_state=seed,
    ).fit(X, y)  # fmt: skip
    trees = forest.trees_
    depths = [node_depths(nodes) for nodes in trees]
    steps = [
        depth[nodes["feature"] < 0] @ nodes["n_samples"][nodes["feature"] < 0]
        for nodes, depth in zip(trees, depths, strict=True)
    ]
    return {
        "nodes": float(np.mean([len(nodes) for nodes in trees])),
        "leaves": float(np.mean([_n_leaves(nodes) for nodes in trees])),
        "empty_share": float(
            np.mean([(nodes["n_samples"] == 0).sum() / _n_leaves(nodes) for nodes in trees])
        ),
        "active_share": float(np.mean([(nodes["label"] != -1).sum() / _n_leaves(nodes) for nodes in trees])),
        "depth": float(np.mean([depth.max() for depth in depths])),
        # What FIT does: every sample of every node is looked at by γ and moved once.
        "fit_work": float(np.sum([nodes["n_samples"].sum() + len(nodes) for nodes in trees])),
        # What PREDICT does for one training sample: a comparison for each level in each Tree, and a vote.
        "predict_work": float(np.sum(steps) / len(y) + len(trees)),
    }


#: Methods that a forest that abstains is compared with.
PEERS = ("random forest", "boosting", "conformal")

#: Leaf models with the loss up to which a leaf votes, and the smallest leaf; fixed before any comparison.
LEAF_MODELS = {
    "majority": ("majority", 0.0, 4),
    "Laplace": (Laplace(), 0.2, 4),
    "confidence bound": (ConfidenceBound(), 0.4, 4),
    "logistic": (CrossValidated(), 0.1, 20),
    "nearest neighbour": ("nearest_neighbor", 0.1, 20),
}


def risk_curve(key, seed):
    """Risk–coverage curve of one method on one split of one data set.

    Parameters
    ----------
    key : {"data", "n_plane", "method", "n_estimators", "replicate"}
        ``data`` is "plane", of ``n_plane`` points, or a name for :func:`~studylib.datasets.load_bundled`;
        ``method`` is one of ``LEAF_MODELS``, or "random forest", "boosting", "conformal".  Data and split
        depend on data and replicate alone: methods are paired.
    seed : int
    """
    if key["data"] == "plane":
        X, y = make_clean_partitions(key["n_plane"], random_state=key["replicate"])
    else:
        X, y = load_bundled(key["data"])
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, random_state=key["replicate"], stratify=y
    )
    with threadpool_limits(1):
        labels, confidence = _ranked(key, seed, X_train, y_train, X_test)
    curve = risk_coverage(y_test, labels, confidence)
    at = np.linspace(0.02, 1, 50)
    return {
        "area": curve.area,
        "coverage": at.round(2).tolist(),
        "risk": np.interp(at, curve.coverage, curve.risk).tolist(),
        "accuracy": float((labels == y_test).mean()),
    }


def _ranked(key, seed, X_train, y_train, X_test):
    """A label and a confidence for every test sample, by the method of ``key``."""
    method, n_trees = key["method"], key["n_estimators"]
    if method in LEAF_MODELS:
        model, max_loss, smallest = LEAF_MODELS[method]
        forest = PartialClassificationForest(
            n_trees, leaf_model=model if isinstance(model, str) else clone(model), max_loss=max_loss,
            min_samples_leaf=smallest, random_state=seed,
        ).fit(X_train, y_train)  # fmt: skip
        shares = forest.vote_shares(X_test)[:, :-1]
        return forest.classes_[shares.argmax(axis=1)], shares.max(axis=1)
    if method == "boosting":
        peer = HistGradientBoostingClassifier(random_state=seed)
    else:
        peer = RandomForestClassifier(n_trees, random_state=seed)
    if method == "conformal":
        X_train, X_held, y_train, y_held = train_test_split(
            X_train, y_train, test_size=0.25, random_state=seed, stratify=y_train
        )
        peer.fit(X_train, y_train)
        held = np.searchsorted(peer.classes_, y_held)
        codes, confidence = conformal_confidence(peer.predict_proba(X_held), held, peer.predict_proba(X_test))
        return peer.classes_[codes], confidence
    shares = peer.fit(X_train, y_train).predict_proba(X_test)
    return peer.classes_[shares.argmax(axis=1)], shares.max(axis=1)


def replicate_keys(n_seeds, **settings):
    """A key for each replicate, all with the same settings.

    Parameters
    ----------
    n_seeds : int
    **settings
        The other entries of the keys.

    Returns
    -------
    list of dict
    """
    return [{"replicate": r} | settings for r in range(n_seeds)]


def surface_keys(n_seeds, resolution):
    """Keys of :func:`surface` for every pair of N and τ_|X| of Fig. 2.

    Parameters
    ----------
    n_seeds, resolution : int

    Returns
    -------
    list of dict
    """
    return [
        {"replicate": r, "n_estimators": n, "min_samples_leaf": tau, "resolution": resolution}
        for r in range(n_seeds)
        for tau in SIZES
        for n in SIZES
    ]


def risk_keys(n_seeds, n_plane, n_trees, methods):
    """Keys of :func:`risk_curve` for the plane and every real data set.

    Parameters
    ----------
    n_seeds, n_plane, n_trees : int
    methods : sequence of str

    Returns
    -------
    list of dict
    """
    return [
        {"data": data, "n_plane": n_plane, "method": method, "n_estimators": n_trees, "replicate": r}
        for data in ("plane", *BUNDLED)
        for method in methods
        for r in range(n_seeds)
    ]


def dimension_keys(n_seeds, dimensions):
    """Keys of :func:`dimension` for one Tree and for 100, with two relevant dimensions and with all.

    Parameters
    ----------
    n_seeds : int
    dimensions : sequence of int
        Where it is 2, two relevant dimensions are all.

    Returns
    -------
    list of dict
    """
    fixed = {"min_samples_leaf": 4, "n_samples": 5000}
    cases = [(d, 2) for d in dimensions] + [(d, d) for d in dimensions if d > 2]
    return [
        fixed | {"replicate": r, "n_features": d, "n_relevant": relevant, "n_estimators": n}
        for d, relevant in cases
        for n in (1, 100)
        for r in range(n_seeds)
    ]


#: Where the growth of Trees is studied; one setting at a time is varied around it.
GROWTH_BASE = {
    "n_samples": 5000,
    "n_features": 2,
    "min_samples_leaf": 4,
    "max_depth": 32,
    "n_estimators": 10,
}
_VARIED = {
    "n_samples": [500, 1000, 2000, 4000, 8000, 16000, 32000, 64000],
    "n_features": [1, 2, 4, 8, 16, 32],
    "min_samples_leaf": [2, 4, 8, 16, 32, 64],
    "max_depth": [2, 4, 8, 12, 16, 24, 32],
}


def growth_keys(n_seeds, largest_n):
    """Keys of :func:`growth`: one setting at a time varied around ``GROWTH_BASE``.

    Parameters
    ----------
    n_seeds : int
    largest_n : int
        The largest number of observations.

    Returns
    -------
    list of dict
        Each key once, though some belong to several series.
    """
    keys = {}
    for name, values in _VARIED.items():
        for value in values:
            if name != "n_samples" or value <= largest_n:
                for key in replicate_keys(n_seeds, **GROWTH_BASE | {name: value}):
                    keys[tuple(sorted(key.items()))] = key
    return list(keys.values())


def cost_keys(n_seeds):
    """Keys of :func:`growth` for the cost in the number of Trees, and for the cost of PREDICT in n.

    Parameters
    ----------
    n_seeds : int

    Returns
    -------
    by_trees, by_samples : lists of dict
        The Trees of ``by_samples`` have six levels, whatever n is.
    """
    flat = {"max_depth": 6, "min_samples_leaf": 2}
    by_trees = [
        GROWTH_BASE | {"n_estimators": n, "replicate": r} for n in (5, 20, 40, 80) for r in range(n_seeds)
    ]
    by_samples = [
        GROWTH_BASE | flat | {"n_samples": n, "replicate": r}
        for n in (2000, 8000, 32000)
        for r in range(n_seeds)
    ]
    return by_trees, by_samples
