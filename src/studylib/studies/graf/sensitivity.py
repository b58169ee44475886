"""Sensitivity (eqs 37-40) on six patterns: tasks ``(key, seed) -> plain data``, and their keys (Fig. 7)."""

import numpy as np
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from studylib.graf import GuidedRandomForestClassifier
from studylib.studies.graf import patterns
from studylib.studies.keys import crossed

#: How a part of the rows is chosen: uniformly, sampled by eq 40, or those of the highest sensitivity.
SCHEMES = ("U", "P", "S")
#: What is trained on the chosen points of a pattern.
PATTERN_LEARNERS = ("random forest", "1-NN")
#: Readings of "number of weights": the source's text says height.
WEIGHTS = ("height", "depth")
#: Share of the points that is sampled, and share of the test points that is near the boundary.
SHARE, NEAR = 0.25, 0.1
#: The first class keeps this share of its points where the source speaks of imbalanced data.
KEPT = 0.25


def order_of_rows(scheme, sensitivity, rng):
    """Rows in the order in which a scheme takes them, so that its subsets are nested.

    P is sequential sampling without replacement with probabilities of eq 40 (Efraimidis and Spirakis); a row
    without sensitivity comes last.  S leaves ties in the order of the data set.
    """
    if scheme == "U":
        return rng.permutation(len(sensitivity))
    if scheme == "P":
        return order_sampled(sensitivity, rng)
    return np.argsort(-sensitivity, kind="stable")


def order_sampled(weights, rng):
    """Rows in the order of sequential sampling without replacement with probabilities ∝ ``weights``."""
    waiting = rng.exponential(size=len(weights))
    with np.errstate(divide="ignore"):
        return np.lexsort([waiting, waiting / weights])


def fitted(model, X, y):
    """The model fitted; one that predicts the only class if there is just one."""
    if len(np.unique(y)) == 1:
        model = DummyClassifier()
    return model.fit(X, y)


def tree_sensitivities(leaves, weights, labels, *, ranked=True, by_class=True):
    """Sensitivity of every sample in one tree, eqs 37 and 38, with or without ranks and classes.

    ``weights``, (n_nodes,), are the nodes' numbers of hyperplanes.  If ``ranked``, a leaf's weight is divided
    by the sample's rank in it, which is its place in the data set's order; then by the sum over the sample's
    class (``by_class``), or else over all samples.
    """
    theta = weights[leaves].astype(float)
    if ranked:
        order = np.argsort(leaves, kind="stable")
        _, first, counts = np.unique(leaves[order], return_index=True, return_counts=True)
        rank = np.empty(len(leaves))
        rank[order] = np.arange(len(leaves)) - np.repeat(first, counts) + 1
        theta /= rank
    totals = np.bincount(labels, theta)[labels] if by_class else np.full(len(theta), theta.sum())
    return np.log1p(np.divide(theta, totals, out=np.zeros(len(theta)), where=theta > 0))


def pattern_forest(X, y, n_trees, seed):
    """The source's forest on a pattern, with both features in every tree and sensitivities by height."""
    return GuidedRandomForestClassifier(
        n_trees, max_features=2, compute_sensitivity=True, random_state=seed
    ).fit(X, y)


def pattern_keys(n_train, n_trees, n_seeds):
    """Keys of :func:`boundary_accuracies` and :func:`properties`: every pattern, ``n_seeds`` times."""
    over = {"pattern": patterns.PATTERNS, "replicate": range(n_seeds)}
    return crossed(over, n_train=n_train, n_trees=n_trees)


def boundary_accuracies(key, seed):
    """Accuracy of learners that see a quarter of a pattern's points, near the boundary and everywhere.

    There are five times as many test points as training points.  The seed is of points, forest, samples and
    learners.  The scheme "all" takes all points.
    """
    rng = np.random.default_rng(seed)
    X, y = patterns.draw(key["pattern"], key["n_train"], rng)
    X_test, y_test = patterns.draw(key["pattern"], 5 * key["n_train"], rng)
    distance = patterns.boundary_distance(key["pattern"], X_test)
    near = np.argsort(distance, kind="stable")[: round(NEAR * len(distance))]
    with threadpool_limits(1):
        scores = pattern_forest(X, y, key["n_trees"], seed).sensitivity_
        n_chosen = round(SHARE * len(X))
        rows = {scheme: order_of_rows(scheme, scores, rng)[:n_chosen] for scheme in SCHEMES}
        rows["all"] = np.arange(len(X))
        accuracies = {name: {} for name in PATTERN_LEARNERS}
        for scheme, chosen in rows.items():
            forest = RandomForestClassifier(key["n_trees"] // 2, random_state=seed)
            models = forest, KNeighborsClassifier(1)
            for name, model in zip(PATTERN_LEARNERS, models, strict=True):
                right = fitted(model, X[chosen], y[chosen]).predict(X_test) == y_test
                accuracies[name][scheme] = {
                    "near": float(right[near].mean()),
                    "everywhere": float(right.mean()),
                }
    return accuracies


def properties(key, seed):
    """What weights, ranks and the normalisation by classes do on a pattern, for each of ``WEIGHTS``.

    "entropy" is the rank correlation of a point's mean weight with the true local entropy; "largest_with" and
    "largest_without" ranks the largest partition's share in its tree's sensitivity, a mean over trees; and,
    where the first class has lost three quarters of its points, "minority_with" and "minority_without"
    normalisation by class the share of the smallest class in p.
    """
    rng = np.random.default_rng(seed)
    X, y = patterns.draw(key["pattern"], key["n_train"], rng)
    kept = (y != 0) | (rng.random(len(y)) < KEPT)
    entropy = patterns.local_entropy(key["pattern"], X)
    with threadpool_limits(1):
        forest = pattern_forest(X, y, key["n_trees"], seed)
        thinned = pattern_forest(X[kept], y[kept], key["n_trees"], seed)
    whole, fewer = forest.apply(X).T, thinned.apply(X[kept]).T
    by_weight = {}
    for name in WEIGHTS:
        with_ranks, without = _largest_shares(forest, name, whole, y)
        by_class, over_all = _minority_shares(thinned, name, fewer, y[kept])
        by_weight[name] = {
            "entropy": float(stats.spearmanr(_mean_weights(forest, name, whole), entropy).statistic),
            "largest_with": with_ranks,
            "largest_without": without,
            "minority_with": by_class,
            "minority_without": over_all,
        }
    return by_weight


def _node_weights(tree, name):
    return tree.heights() if name == "height" else tree.depths()


def _mean_weights(forest, name, leaves):
    per_tree = zip(forest.trees_, leaves, strict=True)
    return np.mean([_node_weights(tree, name)[at] for tree, at in per_tree], axis=0)


def _largest_shares(forest, name, leaves, labels):
    """The largest partition's share in the sensitivity of its tree, a mean over trees: ranked, and not."""
    shares = []
    for tree, at in zip(forest.trees_, leaves, strict=True):
        largest = at == np.bincount(at).argmax()
        weights = _node_weights(tree, name)
        scores = [tree_sensitivities(at, weights, labels, ranked=ranked) for ranked in (True, False)]
        shares.append([of_rows[largest].sum() / of_rows.sum() for of_rows in scores])
    return np.mean(shares, axis=0).tolist()


def _minority_shares(forest, name, leaves, labels):
    """The smallest class's share in p (eq 40): normalised by class, and over all samples."""
    minority = labels == np.bincount(labels).argmin()
    shares = []
    for by_class in (True, False):
        scores = np.mean(
            [
                tree_sensitivities(at, _node_weights(tree, name), labels, by_class=by_class)
                for tree, at in zip(forest.trees_, leaves, strict=True)
            ],
            axis=0,
        )
        shares.append(float(scores[minority].sum() / scores.sum()))
    return shares
