"""What two lectures say of forests and boosting, each statement as a task ``(key, seed) -> plain data``.

The lectures: Zachmann, *Classification and Prediction Using Random Forests* (L1), and *Non-linear
classification models* (L2).
"""

import time

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from studylib.statistics.decompositions import bias_variance
from studylib.studies.forest_lecture.experiments import error, noisy_split
from studylib.trees import AdaBoostClassifier, RandomForestClassifier, TreePredictor


def _forest(n_estimators, **options):
    """A random forest that draws ⌈√d⌉ columns per node."""
    return RandomForestClassifier(n_estimators, max_features="ceil_sqrt", **options)


class RegressionClassifier:
    """Linear regression as a classifier of two classes: a plane through labels 0 and 1, cut at one half."""

    def fit(self, X, y):
        """Fit the plane."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._plane = LinearRegression().fit(X, codes)
        return self

    def predict(self, X):
        """Class on each row's side of the plane."""
        return self.classes_[(self._plane.predict(X) > 0.5).astype(int)]


def neighbours(key, seed):
    """Test error of nearest neighbours for several k, on two overlapping clouds.

    Parameters
    ----------
    key : {"ks", "replicate"}
    seed : int
    """
    rng = np.random.default_rng(seed)
    y, y_test = rng.integers(0, 2, 400), rng.integers(0, 2, 2000)
    X, X_test = (rng.normal(0, 1, (len(labels), 2)) + 1.2 * labels[:, None] for labels in (y, y_test))
    with threadpool_limits(1):
        return {"errors": [error(KNeighborsClassifier(k).fit(X, y), X_test, y_test) for k in key["ks"]]}


def instability(key, seed):
    """Share of test samples on which two models of two bootstrap samples differ: trees, and forests.

    Parameters
    ----------
    key : {"n_estimators", "replicate"}
    seed : int
    """
    X, X_test, y, _ = noisy_split(seed, 1000, 0.1)
    rng = np.random.default_rng(seed)
    found = {"tree": [], "forest": []}
    for _ in range(2):
        rows = rng.integers(0, len(X), len(X))
        models = {
            "tree": TreePredictor(),
            "forest": _forest(key["n_estimators"], random_state=seed),
        }
        for name, model in models.items():
            found[name].append(model.fit(X[rows], y[rows]).predict(X_test))
    return {name: float((first != second).mean()) for name, (first, second) in found.items()}


def tree_and_forest(key, seed):
    """Training and test error of a tree and a forest, with and without noise in the training labels.

    Parameters
    ----------
    key : {"noise", "n_estimators", "replicate"}
        The noise replaces labels of the training half only; the test half is clean.
    seed : int
    """
    X, X_test, y, y_test = noisy_split(seed, 2000, 0.0)
    rng = np.random.default_rng(seed)
    flipped = np.where(rng.random(len(y)) < key["noise"], 1 - y, y)
    found = {}
    for name, model in {
        "tree": TreePredictor(),
        "forest": _forest(key["n_estimators"], random_state=seed),
    }.items():
        for kind, labels in (("clean", y), ("noisy", flipped)):
            model.fit(X, labels)
            found[f"{name}, {kind}"] = {
                "train": error(model, X, labels),
                "test": error(model, X_test, y_test),
            }
    return found


def out_of_bag(key, seed):
    """Out-of-bag and test error of a forest on a large set.

    Parameters
    ----------
    key : {"n_samples", "n_estimators", "replicate"}
    seed : int
    """
    X, X_test, y, y_test = noisy_split(seed, key["n_samples"], 0.1)
    forest = _forest(key["n_estimators"], oob_score=True, random_state=seed).fit(X, y)
    return {"out of bag": float(forest.oob_error_), "test": error(forest, X_test, y_test)}


def pruned_forest(key, seed):
    """Test error of a forest of grown trees and of the same forest, each tree pruned on held-out data.

    Parameters
    ----------
    key : {"noise", "n_estimators", "replicate"}
    seed : int
    """
    X, X_test, y, y_test = noisy_split(seed, 3000, key["noise"])
    X, X_prune, y, y_prune = train_test_split(X, y, test_size=1 / 3, random_state=seed)
    forest = _forest(key["n_estimators"], random_state=seed).fit(X, y)
    votes = {"grown": 0, "pruned": 0}
    for tree in forest.estimators_:
        votes["grown"] += tree.predict(X_test) == 1
        votes["pruned"] += tree.prune(X_prune, y_prune).predict(X_test) == 1
    return {
        name: float(((count > key["n_estimators"] / 2) != y_test).mean()) for name, count in votes.items()
    }


def counted_speed_up(key, seed):
    """How many times less the busiest of several threads works than one alone, growing a forest.

    Work is counted in samples seen at inner nodes; a thread that is free takes the next tree.

    Parameters
    ----------
    key : {"n_trees", "threads", "replicate"}
    seed : int
    """
    X, _, y, _ = noisy_split(seed, 1000)
    forest = _forest(key["n_trees"], random_state=seed).fit(X, y)
    work = [int(t.nodes_["n_samples"][t.nodes_["feature"] >= 0].sum()) for t in forest.estimators_]
    found = []
    for n_threads in key["threads"]:
        busy = [0] * n_threads
        for one in work:
            busy[busy.index(min(busy))] += one
        found.append(sum(work) / max(busy))
    return {"speed_up": found}


def seconds_by_threads(n_samples, n_jobs, seed=0):
    """Seconds to train a forest and to predict with it, by one thread and by several.

    Not a task: nothing else should run beside it.

    Parameters
    ----------
    n_samples, n_jobs, seed : int

    Returns
    -------
    dict of dict, seconds: ``found[n_jobs]["training"]`` and ``["prediction"]``
    """
    X, X_test, y, _ = noisy_split(seed, n_samples)
    found = {}
    for jobs in (1, n_jobs):
        runs = []
        for _ in range(3):
            forest = _forest(100, n_jobs=jobs, random_state=seed)
            start = time.perf_counter()
            forest.fit(X, y)
            middle = time.perf_counter()
            forest.predict(X_test)
            runs.append((middle - start, time.perf_counter() - middle))
        found[jobs] = dict(zip(("training", "prediction"), np.min(runs, axis=0).tolist(), strict=True))
    return found


def alpha_minimises(epsilon):
    """Distance between ½ ln((1 − ε) / ε) and the numeric minimiser of Z(α) = ε e^α + (1 − ε) e^(−α).

    Parameters
    ----------
    epsilon : float in (0, ½)
    """
    found = minimize_scalar(lambda a: epsilon * np.exp(a) + (1 - epsilon) * np.exp(-a), bracket=(0.0, 1.0))
    return abs(found.x - 0.5 * np.log((1 - epsilon) / epsilon))


def boosting_rounds(key, seed):
    """AdaBoost's rounds, its weights followed by hand from the stumps' predictions.

    Parameters
    ----------
    key : {"n_estimators", "replicate"}
    seed : int

    Returns
    -------
    dict of list, a number a round: the error ε, Z = Σ w exp(−α t M), and the weight of the misclassified
    samples after the update
    """
    X, _, y, _ = noisy_split(seed, 1000, 0.1)
    boosted = AdaBoostClassifier(n_estimators=key["n_estimators"]).fit(X, y)
    sign = np.where(y == boosted.classes_[1], 1.0, -1.0)
    weights = np.full(len(y), 1 / len(y))
    found = {"epsilon": [], "z": [], "mass": []}
    for stump, alpha in zip(boosted.estimators_, boosted.estimator_weights_, strict=True):
        wrong = stump.predict(X) != y
        vote = np.where(wrong, -sign, sign)
        found["epsilon"].append(float(weights[wrong].sum()))
        moved = weights * np.exp(-alpha * sign * vote)
        found["z"].append(float(moved.sum()))
        weights = moved / moved.sum()
        found["mass"].append(float(weights[wrong].sum()))
    return found


def boosting_bias(key, seed):
    """Squared bias and variance of AdaBoost along its rounds, over models of different training sets.

    Parameters
    ----------
    key : {"rounds", "n_models", "replicate"}
    seed : int
    """
    X, X_test, y, y_test = noisy_split(seed, 4000, 0.0)
    rng = np.random.default_rng(seed)
    predictions = []
    for _ in range(key["n_models"]):
        rows = rng.choice(len(X), 500, replace=False)
        boosted = AdaBoostClassifier(n_estimators=max(key["rounds"])).fit(X[rows], y[rows])
        staged = list(boosted.staged_predict(X_test))
        predictions.append([staged[min(k, len(staged)) - 1] for k in key["rounds"]])
    predictions = np.array(predictions)
    found = [bias_variance(predictions[:, k], y_test) for k in range(len(key["rounds"]))]
    return {"bias2": [one.bias2 for one in found], "variance": [one.variance for one in found]}


def reliability(key, seed):
    """How well AdaBoost's feature shares tell five informative features from fifteen others: area under ROC.

    Parameters
    ----------
    key : {"n_estimators", "replicate"}
    seed : int
    """
    X, y = make_classification(
        1000, 20, n_informative=5, n_redundant=0, n_clusters_per_class=1, shuffle=False, random_state=seed
    )
    shares = AdaBoostClassifier(n_estimators=key["n_estimators"]).fit(X, y).feature_importances_
    return {"area": float(roc_auc_score(np.arange(20) < 5, shares)), "shares": shares.tolist()}
