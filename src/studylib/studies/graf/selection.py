"""Ways to choose part of a training set: what learners make of equal parts, and what choosing costs."""

import time

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from studylib.graf import GuidedRandomForestClassifier
from studylib.studies.graf.approximation import fitted, halves, repetitions, sensitivities
from studylib.studies.graf.sensitivity import order_of_rows, order_sampled

#: Ways to choose: at random, by sensitivity (sampled; highest, with weights by height or by depth), smallest
#: out-of-bag margin of a random forest, farthest-first (greedy k-centre), sampled by leverage score.
WAYS = ("uniform", "sensitivity P", "sensitivity S", "S by depth", "margin", "k-centre", "leverage")
_BY_SENSITIVITY = {
    "sensitivity P": ("P", "height"), "sensitivity S": ("S", "height"), "S by depth": ("S", "depth"),
}  # fmt: skip
LEARNERS = ("random forest", "SVM", "GRAF")
#: Trees of the learners and of the forest that gives margins.
_N_TREES = 100


def margins(X, y, seed):
    """Out-of-bag margin of every row: a random forest's share for its class minus the largest other share.

    It is infinite for a row that is in every bag.
    """
    forest = RandomForestClassifier(_N_TREES, oob_score=True, random_state=seed).fit(X, y)
    shares = forest.oob_decision_function_.copy()
    column = np.searchsorted(forest.classes_, y)
    of_label = shares[np.arange(len(y)), column]
    shares[np.arange(len(y)), column] = -np.inf
    return np.nan_to_num(of_label - shares.max(axis=1), nan=np.inf, posinf=np.inf)


def farthest_first(X, n_chosen, start):
    """Greedy k-centre from ``start``: each next row is the one farthest from all taken; ties: the first."""
    chosen = np.empty(n_chosen, int)
    nearest = np.full(len(X), np.inf)
    norms = np.square(X).sum(axis=1)
    for k in range(n_chosen):
        chosen[k] = start if k == 0 else nearest.argmax()
        latest = chosen[k]
        nearest = np.minimum(nearest, norms - 2 * (X @ X[latest]) + norms[latest])
        nearest[latest] = -np.inf
    return chosen


def leverage_scores(X):
    """Leverage of every row in a linear model with a constant, float64 (n,); their sum is its rank."""
    with_constant = np.column_stack([np.ones(len(X)), X])
    left, values, _ = np.linalg.svd(with_constant, full_matrices=False)
    kept = values > values[0] * max(with_constant.shape) * np.finfo(float).eps
    return np.square(left[:, kept]).sum(axis=1)


def chosen_order(way, X, y, n_chosen, n_trees, max_features, seed):
    """The first ``n_chosen`` rows in the order in which a way of choosing takes them.

    ``n_trees`` and ``max_features`` are of the forest that gives sensitivities.
    """
    rng = np.random.default_rng([seed, WAYS.index(way)])
    if way == "margin":
        order = np.argsort(margins(X, y, seed), kind="stable")
    elif way == "k-centre":
        order = farthest_first(X, n_chosen, int(rng.integers(len(X))))
    elif way == "leverage":
        order = order_sampled(leverage_scores(X), rng)
    elif way == "uniform":
        order = rng.permutation(len(X))
    else:
        scheme, weight = _BY_SENSITIVITY[way]
        order = order_of_rows(scheme, sensitivities(X, y, n_trees, max_features, seed, weight), rng)
    return order[:n_chosen]


def _learners(max_features, C, gamma, seed):
    return {
        "random forest": RandomForestClassifier(_N_TREES, random_state=seed),
        "SVM": SVC(C=C, gamma=gamma, cache_size=500),
        "GRAF": GuidedRandomForestClassifier(_N_TREES, max_features=max_features, random_state=seed),
    }


def way_keys(forests, machines, n_trees, shares, n_seeds, n_large_seeds):
    """Keys of :func:`way_accuracies`, for rising shares of the training half.

    Forests and machines are what ``approximation.tuned_forest`` and ``tuned_svm`` found for each set;
    ``n_trees`` is of the forest that gives sensitivities.  On training halves of more than 5,000 rows there
    are ``n_large_seeds`` repetitions.
    """
    return [
        {
            "data": name,
            "max_features": tuned["max_features"],
            "C": machines[name]["C"],
            "gamma": machines[name]["gamma"],
            "n_trees": n_trees,
            "shares": list(shares),
            "replicate": replicate,
        }
        for name, tuned in forests.items()
        for replicate in range(repetitions(name, n_seeds, n_large_seeds))
    ]


def way_accuracies(key, seed):
    """Accuracy on the test half of three learners on parts of the training half, chosen in all ways.

    M, C and γ are those tuned on the whole training half, for all ways alike.  The seed is of choices and
    learners, which are paired.  There is an accuracy per share by way and learner; for "all rows" one.
    """
    X, y, X_test, y_test = halves(key["data"])

    def accuracies(rows):
        models = _learners(key["max_features"], key["C"], key["gamma"], seed)
        return {
            k: float(fitted(model, X[rows], y[rows]).score(X_test, y_test)) for k, model in models.items()
        }

    sizes = [max(1, round(share * len(X))) for share in key["shares"]]
    with threadpool_limits(1):
        complete = accuracies(np.arange(len(X)))
        by_way = {"all rows": {learner: [complete[learner]] for learner in LEARNERS}}
        for way in WAYS:
            order = chosen_order(way, X, y, max(sizes), key["n_trees"], key["max_features"], seed)
            parts = [accuracies(np.sort(order[:n])) for n in sizes]
            by_way[way] = {learner: [part[learner] for part in parts] for learner in LEARNERS}
    return by_way


def seconds(forests, machines, n_trees, share, n_repeats):
    """Processor seconds of choosing part of each training half, and of training with all of it.

    One thread; medians over repetitions.  A row per data set has the ways, and "train " with each learner.
    """
    rows = {}
    with threadpool_limits(1):
        for name, tuned in forests.items():
            X, y, *_ = halves(name)
            m, machine = tuned["max_features"], machines[name]
            repeats = []
            for seed in range(n_repeats):
                taken = {
                    way: _timed(chosen_order, way, X, y, round(share * len(X)), n_trees, m, seed)
                    for way in WAYS
                }
                for learner, model in _learners(m, machine["C"], machine["gamma"], seed).items():
                    taken[f"train {learner}"] = _timed(model.fit, X, y)
                repeats.append(taken)
            rows[name] = pd.DataFrame(repeats).median()
    return pd.DataFrame(rows).T.rename_axis("data")


def _timed(function, *arguments):
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start
