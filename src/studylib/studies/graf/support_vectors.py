"""Points of high sensitivity against support vectors and random subsets (Table I, Fig. 9): tasks and keys."""

import numpy as np
from scipy import stats
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from studylib.studies.graf.approximation import default_svm, fitted, halves, sensitivities
from studylib.studies.graf.sensitivity import WEIGHTS

#: The support vector machine: tuned by cross-validation (judged), or at scikit-learn's defaults (beside it).
MACHINES = ("tuned", "default")
#: Groups of points whose probabilities Fig. 9 compares.
GROUPS = ("all", "most sensitive", "support vectors")
_BLOCK = 10


def subset_keys(forests, machines, n_trees, n_judged, n_beside):
    """Keys of :func:`subset_accuracies`, in blocks of ten repetitions.

    Forests and machines are what ``approximation.tuned_forest`` and ``tuned_svm`` found for each set.  What
    is judged, tuned machine and weight by height, is done ``n_judged`` times, the rest ``n_beside``.
    """
    keys = []
    for name, tuned in forests.items():
        for machine in MACHINES:
            svm = machines[name] if machine == "tuned" else default_svm(name)
            for weight in WEIGHTS:
                n = n_judged if (machine, weight) == ("tuned", "height") else n_beside
                keys += [
                    {
                        "data": name,
                        "machine": machine,
                        "C": svm["C"],
                        "gamma": svm["gamma"],
                        "weight": weight,
                        "max_features": tuned["max_features"],
                        "n_trees": n_trees,
                        "replicates": list(range(first, min(first + _BLOCK, n))),
                    }
                    for first in range(0, n, _BLOCK)
                ]
    return keys


def subset_accuracies(key, seed):
    """A machine on the most sensitive points, on as many random ones, and on all.

    As many points are chosen as the machine that sees all has support vectors; "vectors" is their share.
    Each replicate has a forest and a random subset of its own, the same ones for both machines and weights;
    ``seed`` is not used.  Over replicates, "overlap" is the share of support vectors among the most sensitive
    points, "correlation" Spearman's of |α| and p among support vectors (None if one of both is constant).
    "quantiles" are 0, 0.01, … 1 of n · p in each of ``GROUPS`` for the first replicate.
    """
    X, y, X_test, y_test = halves(key["data"])

    def machine():
        return SVC(C=key["C"], gamma=key["gamma"], cache_size=500)

    lists = {name: [] for name in ("overlap", "sensitive", "random", "correlation")}
    quantiles = None
    with threadpool_limits(1):
        complete = machine().fit(X, y)
        vectors, alpha = complete.support_, np.abs(complete.dual_coef_).sum(axis=0)
        for replicate in key["replicates"]:
            scores = sensitivities(X, y, key["n_trees"], key["max_features"], replicate, key["weight"])
            highest = np.argsort(-scores, kind="stable")[: len(vectors)]
            rng = np.random.default_rng([replicate, 1])
            uniform = rng.choice(len(X), len(vectors), replace=False)
            lists["overlap"].append(float(np.isin(vectors, highest).mean()))
            for name, chosen in (("sensitive", np.sort(highest)), ("random", np.sort(uniform))):
                model = fitted(machine(), X[chosen], y[chosen])
                lists[name].append(float(model.score(X_test, y_test)))
            lists["correlation"].append(_rank_correlation(alpha, scores[vectors]))
            if quantiles is None:
                relative = scores / scores.mean() if scores.any() else scores
                groups = (relative, relative[highest], relative[vectors])
                levels = np.linspace(0, 1, 101)
                quantiles = {g: np.quantile(p, levels).tolist() for g, p in zip(GROUPS, groups, strict=True)}
        accuracy = float(complete.score(X_test, y_test))
    return {"vectors": len(vectors) / len(X), "accuracy": accuracy, **lists, "quantiles": quantiles}


def _rank_correlation(values, other):
    if np.ptp(values) == 0 or np.ptp(other) == 0:
        return None
    return float(stats.spearmanr(values, other).statistic)
