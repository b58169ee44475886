"""Experiments with the Partial Classification Forest: tasks ``(key, seed) -> plain data``, and their keys.

A task's key says all that its result depends on; an accuracy is ``None`` where nothing was predicted.
"""

import math

import numpy as np
from scipy import ndimage
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from studylib.datasets import clean_regions, make_clean_partitions, region_of
from studylib.statistics.selective import coverage, selective_accuracy
from studylib.studies.keys import crossed
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest

#: Test share of the source's tests.
TEST_SHARE = 0.1

#: Numbers of Trees, and values of τ_|X|, of the source's Fig. 2.
SIZES = (2, 5, 10)


def plane(seed):
    """The source's plane, split as there: ``X_train, X_test, y_train, y_test``."""
    X, y = make_clean_partitions(random_state=seed)
    return train_test_split(X, y, test_size=TEST_SHARE, random_state=seed)


def _measures(y, labels):
    """Predicted and accuracy, as the source measures them."""
    accuracy = selective_accuracy(y, labels, -1)
    return {"predicted": coverage(labels, -1), "accuracy": None if math.isnan(accuracy) else accuracy}


def curves_over_trees(key, seed):
    """Predicted and accuracy of the first 1 … N Trees on train and test (Fig. 3)."""
    X_train, X_test, y_train, y_test = plane(seed)
    forest = PartialClassificationForest(
        key["n_estimators"], min_samples_leaf=key["min_samples_leaf"], random_state=seed
    ).fit(X_train, y_train)
    curves = {}
    for name, X, y in (("train", X_train, y_train), ("test", X_test, y_test)):
        stages = [_measures(y, labels) for labels in forest.staged_predict(X)]
        for measure in ("predicted", "accuracy"):
            curves[f"{name}_{measure}"] = [stage[measure] for stage in stages]
    return curves


def surface(key, seed):
    """Predicted, accuracy and number of connected predicted regions of one forest (Fig. 2).

    The seed is of the forest; the plane is the replicate's, the same for all settings.
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
    """Test measures under the four combinations of voting and small leaves."""
    X_train, X_test, y_train, y_test = plane(seed)
    by_reading = {}
    for small_leaves in ("inactive", "as_printed"):
        for voting in ("plurality", "ignore_abstain"):
            forest = PartialClassificationForest(
                key["n_estimators"], min_samples_leaf=key["min_samples_leaf"], voting=voting,
                small_leaves=small_leaves, random_state=seed,
            ).fit(X_train, y_train)  # fmt: skip
            by_reading[f"{small_leaves}, {voting}"] = _measures(y_test, forest.predict(X_test))
    return by_reading


def whole_plane_peers(key, seed):
    """Share of regions on the plane, and accuracy of usual classifiers on all of it and on its noise."""
    X, y = make_clean_partitions(key["n_samples"], random_state=seed)
    noise = region_of(X, clean_regions()) < 0
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=seed)
    peers = {
        "random forest": RandomForestClassifier(100, random_state=seed),
        "boosting": HistGradientBoostingClassifier(random_state=seed),
        "k-NN": KNeighborsClassifier(15),
    }
    measured = {"share": float((~noise).mean())}
    for name, peer in peers.items():
        with threadpool_limits(1):  # tasks run side by side; boosting's threads would get in their way
            right = peer.fit(X[train], y[train]).predict(X[test]) == y[test]
        measured[name] = {"whole": float(right.mean()), "noise": float(right[noise[test]].mean())}
    return measured


def replicate_keys(n_seeds, **settings):
    """A key for each replicate, all with the same settings."""
    return [{"replicate": r} | settings for r in range(n_seeds)]


def surface_keys(n_seeds, resolution):
    """Keys of :func:`surface` for every pair of N and τ_|X| of Fig. 2."""
    over = {"replicate": range(n_seeds), "min_samples_leaf": SIZES, "n_estimators": SIZES}
    return crossed(over, resolution=resolution)
