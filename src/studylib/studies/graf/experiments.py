"""Experiments with the Guided Random Forest: tasks ``(key, seed) -> plain data``, and their keys."""

import functools
from typing import NamedTuple

import numpy as np
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
#: The method that takes longer than all others together.
SLOW = "gradient boosting"
_N_SAMPLES, _N_TEST = 10_000, 5_000


@functools.lru_cache(maxsize=2)
def rbf_halves(name, data_seed):
    """X and y of a data set of the source, 5,000 samples, and of as many set aside for testing.

    ``data_seed`` is the seed of Weka's generator; the halves are drawn from it, too.
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

    ``stages`` lists numbers of trees, or is None for all; the models are divided into ``n_groups`` groups,
    each decomposed by itself.  The training sets depend on data, data seed, size and model alone: methods and
    settings are paired.  Returns a list (n_groups, n_stages) for each field of
    :class:`~studylib.statistics.BiasVariance`.
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
    parts = [
        [bias_variance(predictions[group, k], y_test) for k in range(predictions.shape[1])]
        for group in groups
    ]
    return {
        name: [[getattr(stage, name) for stage in group] for group in parts] for name in BiasVariance._fields
    }


def strengths(key, seed):
    """Strength, correlation and bound of forests of one M on one data set, a list over models each.

    Each model is trained on 9,000 samples drawn at random and tested on the other 1,000.  Splits and forests
    depend on data seed and model alone, not on ``seed``, so that M and ``extend`` are paired.
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
        measured = strength_correlation(forest.tree_predict(X[test]), classes)._asdict()
        measured["test_error"] = float((forest.predict(X[test]) != y[test]).mean())
        measured["planes"] = float(np.mean([len(tree.thresholds) for tree in forest.trees_]))
        measured["nodes"] = float(np.mean([len(tree.nodes) for tree in forest.trees_]))
        rows.append(measured)
    return {name: [row[name] for row in rows] for name in rows[0]}


class DataSeeds(NamedTuple):
    """Seeds of the simulated data, and how many models are trained on the data of a seed of either list."""

    full: list
    further: list
    n_models: int
    n_models_further: int

    @property
    def first(self):
        """The seed that figures of one seed show."""
        return self.full[0]

    @property
    def models(self):
        """Number of models for each seed, a dict."""
        return {
            seed: self.n_models if seed in self.full else self.n_models_further
            for seed in (*self.full, *self.further)
        }

    @property
    def caption_of_first(self):
        """What a figure of the first seed is made from."""
        return f"data seed {self.first}, {_models(self.n_models)}"

    @property
    def caption(self):
        """What a figure of all seeds is made from."""
        seeds = ", ".join(map(str, self.further))
        on = f"each of the seeds {seeds}" if len(self.further) > 1 else f"seed {seeds}"
        return f"{self.caption_of_first}; {_models(self.n_models_further)} on {on}"


def _models(n):
    return f"{n} model" + "s" * (n != 1)


#: The source's setting: M = d/2.
_GRAF = {"method": "GRAF", "n_groups": 1, "max_features": 5}
_STAGES = (2, 5, 10, 20, 50, 100, 200, 500)


def stage_keys(seeds, n_train, n_trees):
    """Keys of :func:`decomposition` for growing forests (Fig. 3)."""
    stages = [n for n in _STAGES if n <= n_trees]
    fixed = _GRAF | {"n_train": n_train, "n_estimators": n_trees, "stages": stages}
    return [
        fixed | {"data": data, "data_seed": seed, "n_models": n_models}
        for data in RBF_SETS
        for seed, n_models in seeds.models.items()
    ]


def subspace_keys(seeds, n_train, sub_spaces):
    """Keys of :func:`decomposition` for forests of a hundred trees with different M (Fig. 4)."""
    fixed = _GRAF | {"n_train": n_train, "n_estimators": 100, "stages": None}
    return [
        fixed | {"data": data, "data_seed": seed, "max_features": m, "n_models": n_models}
        for data in RBF_SETS
        for m in sub_spaces
        for seed, n_models in seeds.models.items()
    ]


def size_keys(seeds, sizes, slow_methods):
    """Keys of :func:`decomposition` for GRAF and other methods on training sets of different sizes (Fig. 5).

    With ``slow_methods``, gradient boosting takes part, on the full seeds.
    """
    fixed = _GRAF | {"n_estimators": 100, "stages": None}
    return [
        fixed | {"data": data, "data_seed": seed, "method": method, "n_train": n, "n_models": n_models}
        for seed, n_models in seeds.models.items()
        for data in RBF_SETS
        for method in METHODS
        if method != SLOW or (slow_methods and seed in seeds.full)
        for n in sizes
    ]


def strength_keys(seeds, sub_spaces, ablation_sub_spaces):
    """Keys of :func:`strengths` for different M; for some also without extended hyperplanes (Fig. 6)."""
    return [
        {
            "data": data,
            "data_seed": seed,
            "max_features": m,
            "n_models": n_models,
            "n_estimators": 100,
            "extend": extend,
        }
        for data in RBF_SETS
        for seed, n_models in seeds.models.items()
        for m in sub_spaces
        for extend in (True, False)
        if extend or m in ablation_sub_spaces
    ]
