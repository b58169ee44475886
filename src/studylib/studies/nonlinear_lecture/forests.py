"""Two remarks of the lecture on forests, measured on small sets: weighted votes, and subsets of features."""

import numpy as np
from scipy.stats import spearmanr
from sklearn.datasets import make_classification, make_moons
from sklearn.model_selection import train_test_split

from studylib.datasets import BUNDLED, load_bundled
from studylib.studies.forest_lecture.experiments import error, forest

#: Simulated sets, each always with the same data: overlapping moons, a fifth of the labels random, five
#: features of twenty informative, and ten more that repeat the five.
SIMULATED = {
    "moons": lambda: make_moons(1000, noise=0.3, random_state=1),
    "noisy labels": lambda: make_classification(1000, 10, n_informative=6, flip_y=0.2, random_state=1),
    "5 of 20 features": lambda: make_classification(
        1000, 20, n_informative=5, n_redundant=0, n_clusters_per_class=1, random_state=1
    ),
    "15 of 20 features": lambda: make_classification(
        1000, 20, n_informative=5, n_redundant=10, n_clusters_per_class=1, random_state=1
    ),
}

#: The sets of the two experiments.
WEIGHTED_SETS = [*BUNDLED, "moons", "noisy labels"]
SUBSET_SETS = ["wine", "breast cancer", "digits", "5 of 20 features", "15 of 20 features"]


def small_set(name):
    """Features and labels of a simulated set, or of one that comes with scikit-learn."""
    return SIMULATED[name]() if name in SIMULATED else load_bundled(name)


def weighted_votes(key, seed):
    """Test error of a forest's plain votes, and of its votes weighted by each tree's accuracy out of its bag.

    The set's data are always the same: the split into 70 and 30% and the forest depend on the seed.
    """
    X, y = small_set(key["data"])
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    fitted = forest(key["n_estimators"], weighted_votes=True, random_state=seed).fit(X, y)
    errors = {
        "weighted": error(fitted, X_test, y_test),
        "least weight": float(fitted.tree_weights_.min()),
        "largest weight": float(fitted.tree_weights_.max()),
    }
    fitted.tree_weights_ = np.ones(key["n_estimators"])  # the same trees
    return errors | {"plain": error(fitted, X_test, y_test)}


def feature_subsets(key, seed):
    """Rank correlation of a forest's importances with the accuracy of forests on subsets of the features.

    A forest on all features tells their importances.  For each random subset of ⌈√d⌉ of the d features, as
    many as a forest draws per node, their summed importances are set against the test accuracy of a forest
    that is grown on the subset alone; the lowest and the highest are returned, too.  The set's data are
    always the same: the halves for training and test, the subsets and the forests depend on the seed.
    """
    X, y = small_set(key["data"])
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    importances = forest(key["n_estimators"], random_state=seed).fit(X, y).feature_importances_
    rng = np.random.default_rng(seed)
    d = X.shape[1]
    summed, accuracy = [], []
    for _ in range(key["n_subsets"]):
        subset = rng.choice(d, int(np.ceil(np.sqrt(d))), replace=False)
        fitted = forest(key["n_estimators"], random_state=seed).fit(X[:, subset], y)
        summed.append(importances[subset].sum())
        accuracy.append(1 - error(fitted, X_test[:, subset], y_test))
    return {
        "correlation": float(spearmanr(summed, accuracy).statistic),
        "lowest accuracy": float(min(accuracy)),
        "highest accuracy": float(max(accuracy)),
    }
