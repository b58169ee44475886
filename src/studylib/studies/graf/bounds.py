"""Does Breiman's bound (eq 30) hold where bound and error come from different samples?"""

import numpy as np

from studylib.datasets import make_random_rbf
from studylib.graf import GuidedRandomForestClassifier
from studylib.statistics.decompositions import strength_correlation
from studylib.studies.graf.experiments import RBF_SETS
from studylib.studies.keys import crossed

_N_SAMPLES, _N_TRAIN, _N_HALF = 10_000, 9_000, 500


def half_keys(seeds, sub_spaces):
    """Keys of :func:`bound_on_half`: as many models on every data seed as the further seeds have."""
    over = {"data": RBF_SETS, "data_seed": seeds.models, "max_features": sub_spaces}
    return crossed(over, n_models=seeds.n_models_further, n_estimators=100)


def bound_on_half(key, seed):
    """The bound, estimated on one half of the test samples, and the error on the other half, for each model.

    Estimated on the same samples, the bound cannot be below the error: that is Chebyshev's inequality for
    these samples.  The forests are those of :func:`studylib.studies.graf.experiments.strengths`: trained on
    9,000 samples drawn at random, and tested on the other 1,000, the bound on the first 500.  Splits and
    forests depend on data seed and model alone, not on ``seed``.
    """
    n_classes, n_centroids = RBF_SETS[key["data"]]
    X, y = make_random_rbf(_N_SAMPLES, 10, n_classes, n_centroids, key["data_seed"])
    measured = {"bound": [], "error": []}
    for r in range(key["n_models"]):
        order = np.random.default_rng([key["data_seed"], 2, r]).permutation(_N_SAMPLES)
        train, ours, others = np.split(order, [_N_TRAIN, _N_TRAIN + _N_HALF])
        forest = GuidedRandomForestClassifier(
            key["n_estimators"], max_features=key["max_features"], random_state=r
        ).fit(X[train], y[train])
        classes = np.searchsorted(forest.classes_, y[ours])
        measured["bound"].append(strength_correlation(forest.tree_predict(X[ours]), classes).bound)
        measured["error"].append(float((forest.predict(X[others]) != y[others]).mean()))
    return measured
