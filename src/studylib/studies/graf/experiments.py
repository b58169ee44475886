"""Experiments with the Guided Random Forest (sections 5.1 and 5.2): tasks ``(key, seed) -> plain data``."""

import functools

import numpy as np
import pandas as pd
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier, RandomForestClassifier
from threadpoolctl import threadpool_limits

from studylib.datasets import make_random_rbf
from studylib.graf import GuidedRandomForestClassifier
from studylib.statistics.decompositions import BiasVariance, bias_variance, strength_correlation

#: The six data sets of the source: classes and centroids of Weka's RandomRBF, 10,000 samples of 10 features.
RBF_SETS = {
    f"{n_classes} classes, {n_centroids} centroids": (n_classes, n_centroids)
    for n_classes in (2, 5)
    for n_centroids in (10, 20, 50)
}
METHODS = ("GRAF", "random forest", "gradient boosting", "AdaBoost")
_N_SAMPLES, _N_TEST = 10_000, 5_000


@functools.lru_cache(maxsize=2)
def rbf_halves(name, data_seed):
    """A data set of the source, half of it set aside for testing.

    Parameters
    ----------
    name : str
        One of ``RBF_SETS``.
    data_seed : int
        Seed of Weka's generator; the halves are drawn from it too.

    Returns
    -------
    X_pool, y_pool, X_test, y_test : ndarrays of 5,000 samples each
    """
    n_classes, n_centroids = RBF_SETS[name]
    X, y = make_random_rbf(_N_SAMPLES, 10, n_classes, n_centroids, data_seed)
    order = np.random.default_rng([data_seed, 1]).permutation(_N_SAMPLES)
    test, pool = order[:_N_TEST], order[_N_TEST:]
    return X[pool], y[pool], X[test], y[test]


def _model(key, seed):
    method = key["method"]
    if method == "GRAF":
        return GuidedRandomForestClassifier(
            key["n_estimators"], max_features=key["max_features"], random_state=seed
        )
    if method == "random forest":
        return RandomForestClassifier(key["n_estimators"], random_state=seed)
    if method == "gradient boosting":
        return GradientBoostingClassifier(random_state=seed)
    return AdaBoostClassifier(random_state=seed)


def _staged(model, X, stages):
    """Predictions of the first so many trees, int (n_stages, n_samples); of all where there are no stages."""
    if stages is None:
        return model.predict(X)[None]
    wanted = set(stages)
    return np.array([y for k, y in enumerate(model.staged_predict(X), start=1) if k in wanted])


def decomposition(key, seed):
    """Bias and variance of one method on one data set, over models of different training sets.

    Parameters
    ----------
    key : {"data", "data_seed", "method", "n_train", "n_models", "n_groups", "n_estimators", "max_features", "stages"}
        ``stages`` lists numbers of trees, or is None for all; the models are divided into ``n_groups``
        groups, each decomposed by itself.  The training sets depend on data, data seed, size and model alone:
        methods and settings are paired.
    seed : int

    Returns
    -------
    dict of list (n_groups, n_stages), one for each field of :class:`~studylib.statistics.BiasVariance`
    """
    X_pool, y_pool, X_test, y_test = rbf_halves(key["data"], key["data_seed"])
    predictions = []
    with threadpool_limits(1):
        for r in range(key["n_models"]):
            rng = np.random.default_rng([key["data_seed"], key["n_train"], r])
            rows = rng.choice(len(X_pool), key["n_train"], replace=False)
            model = _model(key, (seed + r) % 2**32).fit(X_pool[rows], y_pool[rows])
            predictions.append(_staged(model, X_test, key["stages"]))
    predictions = np.array(predictions)  # (n_models, n_stages, n_test)
    groups = np.array_split(np.arange(key["n_models"]), key["n_groups"])
    found = [
        [bias_variance(predictions[group, k], y_test) for k in range(predictions.shape[1])]
        for group in groups
    ]
    return {
        name: [[getattr(stage, name) for stage in group] for group in found] for name in BiasVariance._fields
    }


def strengths(key, seed):
    """Strength, correlation and bound of forests of one M on one data set, a list over models each.

    Parameters
    ----------
    key : {"data", "data_seed", "max_features", "n_models", "n_estimators", "extend"}
        Each model is trained on 9,000 samples drawn at random and tested on the other 1,000.  Trees of
        ``extend`` False make the same draws.
    seed : int
        Not used: splits and forests depend on data seed and model alone, so that M and ``extend`` are paired.
    """
    n_classes, n_centroids = RBF_SETS[key["data"]]
    X, y = make_random_rbf(_N_SAMPLES, 10, n_classes, n_centroids, key["data_seed"])
    rows = []
    for r in range(key["n_models"]):
        order = np.random.default_rng([key["data_seed"], 2, r]).permutation(_N_SAMPLES)
        train, test = order[:9_000], order[9_000:]
        forest = GuidedRandomForestClassifier(
            key["n_estimators"], max_features=key["max_features"], extend=key["extend"], random_state=r
        ).fit(X[train], y[train])
        # A class that no centroid got is not among the forest's, whose trees vote for indices.
        classes = np.searchsorted(forest.classes_, y[test])
        found = strength_correlation(forest.tree_predict(X[test]), classes)._asdict()
        found["test_error"] = float((forest.predict(X[test]) != y[test]).mean())
        found["planes"] = float(np.mean([len(tree.thresholds) for tree in forest.trees_]))
        found["nodes"] = float(np.mean([len(tree.nodes) for tree in forest.trees_]))
        rows.append(found)
    return {name: [row[name] for row in rows] for name in rows[0]}


def decomposition_table(keys, found):
    """What :func:`decomposition` found, a row for each key, stage and part of the error.

    Parameters
    ----------
    keys : list of dict
        One group of models each.
    found : list of dict, for each key

    Returns
    -------
    DataFrame
        The columns of the keys, ``trees`` (the stage), ``part`` (error, bias² or variance) and ``per cent``.
    """
    parts = {"error": "error", "bias2": "bias²", "variance": "variance"}
    rows = []
    for key, one in zip(keys, found, strict=True):
        for k, n_trees in enumerate(key["stages"] or [key["n_estimators"]]):
            for name, part in parts.items():
                share = one[name][0][k]
                rows.append(key | {"trees": n_trees, "part": part, "per cent": 100 * share})
    return pd.DataFrame(rows).drop(columns="stages")


def strength_table(keys, found):
    """What :func:`strengths` found, a row for each key and model.

    Parameters
    ----------
    keys : list of dict
    found : list of dict, for each key

    Returns
    -------
    DataFrame
        The columns of the keys, ``model`` and what was measured.
    """
    frames = [
        pd.DataFrame(one).assign(**key, model=lambda frame: frame.index)
        for key, one in zip(keys, found, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)
