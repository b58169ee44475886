"""The readings that eq 37 leaves open: what each does on patterns and on halves of sets (Table I, Fig. 9)."""

import numpy as np
from scipy import stats
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from studylib.graf import GuidedRandomForestClassifier
from studylib.studies.graf import patterns
from studylib.studies.graf.approximation import repetitions, split
from studylib.studies.graf.sensitivity import fitted, tree_sensitivities
from studylib.studies.graf.support_vectors import _rank_correlation

#: A partition's number of weights is its height (judged) or its depth, and ranks in it follow the order of
#: the data set; or it is its height, and ranks follow a fresh random order in each tree.
READINGS = ("height", "depth", "random rank")
#: Random subsets of each half, and of a training half of more than 5,000 rows.
_N_RANDOM, _N_RANDOM_LARGE = 5, 1


def sensitivities_by_reading(X, y, n_trees, max_features, seed):
    """ŝ of eq 39 for every row of a training set, in each of ``READINGS``, of one and the same forest.

    The seed is of the forest and of the random ranks.
    """
    forest = GuidedRandomForestClassifier(n_trees, max_features=max_features, random_state=seed).fit(X, y)
    rng = np.random.default_rng([seed, 1])
    sums = {reading: np.zeros(len(y)) for reading in READINGS}
    for tree, leaves in zip(forest.trees_, forest.apply(X).T, strict=True):
        heights, order = tree.heights(), rng.permutation(len(y))
        sums["height"] += tree_sensitivities(leaves, heights, y)
        sums["depth"] += tree_sensitivities(leaves, tree.depths(), y)
        sums["random rank"][order] += tree_sensitivities(leaves[order], heights, y[order])
    return {reading: total / n_trees for reading, total in sums.items()}


def confusion(key, seed):
    """Spearman's correlation of ŝ with the true local class entropy, and with the row number, by reading."""
    X, y = patterns.draw(key["pattern"], key["n_train"], np.random.default_rng(seed))
    compared = {"entropy": patterns.local_entropy(key["pattern"], X), "row": np.arange(len(y))}
    with threadpool_limits(1):
        by_reading = sensitivities_by_reading(X, y, key["n_trees"], 2, seed)
    return {
        reading: {name: float(stats.spearmanr(scores, other).statistic) for name, other in compared.items()}
        for reading, scores in by_reading.items()
    }


def subset_keys(forests, machines, n_trees, n_halves, n_forests, n_large_forests):
    """Keys of :func:`subset_readings`: random halves, and further forests on the archive's half.

    These are ``n_large_forests`` if its training half has more than 5,000 rows.  Forests and machines are
    what ``approximation.tuned_forest`` and ``tuned_svm`` found for each set.
    """
    return [
        {
            "data": name,
            "half": half,
            "replicate": replicate,
            "C": machines[name]["C"],
            "gamma": machines[name]["gamma"],
            "max_features": tuned["max_features"],
            "n_trees": n_trees,
            "n_random": repetitions(name, _N_RANDOM, _N_RANDOM_LARGE),
        }
        for name, tuned in forests.items()
        for half, replicate in [
            *((half, 0) for half in range(n_halves)),
            *((None, forest) for forest in range(repetitions(name, n_forests, n_large_forests))),
        ]
    ]


def subset_readings(key, seed):
    """A machine on the most sensitive rows of a half by each reading of eq 37, on random rows, and on all.

    As many rows are chosen as the machine that sees all has support vectors; "vectors" is their share,
    "random" the mean accuracy with random rows.  "overlap", "sensitive" and "correlation" of each reading are
    as in ``support_vectors.subset_accuracies``.  The seed is of forest, ranks and random subsets.
    """
    X, y, X_test, y_test = split(key["data"], key["half"])
    rng = np.random.default_rng([seed, 2])

    def machine():
        return SVC(C=key["C"], gamma=key["gamma"], cache_size=500)

    def accuracy(rows):
        return float(fitted(machine(), X[rows], y[rows]).score(X_test, y_test))

    with threadpool_limits(1):
        complete = machine().fit(X, y)
        vectors, alpha = complete.support_, np.abs(complete.dual_coef_).sum(axis=0)
        sensitivities = sensitivities_by_reading(X, y, key["n_trees"], key["max_features"], seed)
        by_reading = {}
        for reading, scores in sensitivities.items():
            highest = np.sort(np.argsort(-scores, kind="stable")[: len(vectors)])
            by_reading[reading] = {
                "overlap": float(np.isin(vectors, highest).mean()),
                "sensitive": accuracy(highest),
                "correlation": _rank_correlation(alpha, scores[vectors]),
            }
        random = [
            accuracy(np.sort(rng.choice(len(X), len(vectors), replace=False))) for _ in range(key["n_random"])
        ]
    return {
        "vectors": len(vectors) / len(X),
        "accuracy": float(complete.score(X_test, y_test)),
        "random": float(np.mean(random)),
        "readings": by_reading,
    }
