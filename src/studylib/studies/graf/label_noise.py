"""The most sensitive quarter of a pattern with wrong labels: tasks ``(key, seed) -> plain data``."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from studylib.studies.graf import patterns
from studylib.studies.graf.sensitivity import SCHEMES, SHARE, fitted, order_of_rows, pattern_forest
from studylib.studies.keys import crossed


def noise_keys(n_train, n_trees, rates, n_seeds):
    """Keys of :func:`noisy_accuracies`: every pattern and share of wrong labels, ``n_seeds`` times."""
    over = {"pattern": patterns.PATTERNS, "rate": rates, "replicate": range(n_seeds)}
    return crossed(over, n_train=n_train, n_trees=n_trees)


def noisy_accuracies(key, seed):
    """Accuracy of a random forest on clean test points, trained on a quarter of points with wrong labels.

    For each scheme ("all": all points), with "wrong", the share of wrong labels in it.  The seed is of
    points, wrong labels, forest, samples and learner.
    """
    rng = np.random.default_rng(seed)
    X, y = patterns.draw(key["pattern"], key["n_train"], rng)
    X_test, y_test = patterns.draw(key["pattern"], 5 * key["n_train"], rng)
    n_classes = patterns.PATTERNS[key["pattern"]][1]
    wrong = rng.random(len(y)) < key["rate"]
    labels = np.where(wrong, (y + rng.integers(1, n_classes, len(y))) % n_classes, y)
    with threadpool_limits(1):
        scores = pattern_forest(X, labels, key["n_trees"], seed).sensitivity_
        n_chosen = round(SHARE * len(X))
        rows = {scheme: order_of_rows(scheme, scores, rng)[:n_chosen] for scheme in SCHEMES}
        rows["all"] = np.arange(len(X))
        accuracies = {}
        for scheme, chosen in rows.items():
            forest = RandomForestClassifier(key["n_trees"] // 2, random_state=seed)
            model = fitted(forest, X[chosen], labels[chosen])
            accuracy = float((model.predict(X_test) == y_test).mean())
            accuracies[scheme] = {"accuracy": accuracy, "wrong": float(wrong[chosen].mean())}
    return accuracies
